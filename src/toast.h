/*
 * toast.h
 *	  Large values on their way through the executor, compressed in line.
 */
#ifndef SM_TOAST_H
#define SM_TOAST_H

/*
 * Compress a value as TOAST would, where the server has LZ4 and it gets
 * smaller; else return it as it is.  Whoever looks into it sees no difference.
 * A table that it is stored in keeps it so, whatever the column's COMPRESSION
 * and STORAGE say of values that come plain.
 *
 * For values that the executor will write to a temporary file or send through
 * a queue: documents shrink to about a tenth, in less time than it takes to
 * write and read the rest.
 */
extern struct varlena *sm_toast_compress(struct varlena *value);

#endif
