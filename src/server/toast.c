/*
 * toast.c
 *	  Compresses with LZ4, if the server has it.
 */
#include "postgres.h"

#include "server/toast.h"

#include "access/toast_internals.h"

struct varlena *
sm_toast_compress(struct varlena *value)
{
#ifdef USE_LZ4
	Datum		compressed = toast_compress_datum(PointerGetDatum(value),
												  TOAST_LZ4_COMPRESSION);

	if (DatumGetPointer(compressed) != NULL)
		return (struct varlena *) DatumGetPointer(compressed);
#endif
	return value;
}
