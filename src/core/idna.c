/*
 * idna.c
 *	  Host names outside ASCII, through libidn2 where the build has it.
 */
#include "core/idna.h"

#include <string.h>

#ifdef USE_LIBIDN2

#include <idn2.h>

SmUrlStatus
sm_idna_to_ascii(const char *host, size_t len, char *dst, size_t size, size_t *dst_len)
{
	/* libidn2 takes strings; a DNS name in UTF-8 is never this long */
	char		name[4 * 255 + 1];
	char	   *ascii = NULL;
	SmUrlStatus status = SM_URL_BAD_HOST;
	int			result;

	if (len >= sizeof(name) || memchr(host, '\0', len) != NULL)
		return SM_URL_BAD_HOST;
	memcpy(name, host, len);
	name[len] = '\0';

	/*
	 * not with its STD3 rules, which drop "_" and the like and call that a
	 * success
	 */
	result = idn2_to_ascii_8z(name, &ascii, IDN2_NONTRANSITIONAL);
	if (result == IDN2_MALLOC)
		return SM_URL_NO_MEMORY;
	if (result != IDN2_OK)
		return SM_URL_BAD_HOST;

	*dst_len = strlen(ascii);
	if (*dst_len > 0 && *dst_len <= size)
	{
		memcpy(dst, ascii, *dst_len);
		status = SM_URL_OK;
	}
	idn2_free(ascii);
	return status;
}

#else

SmUrlStatus
sm_idna_to_ascii(const char *host, size_t len, char *dst, size_t size, size_t *dst_len)
{
	(void) host;
	(void) len;
	(void) dst;
	(void) size;
	(void) dst_len;
	return SM_URL_NO_IDNA;
}

#endif
