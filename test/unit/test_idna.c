/*
 * test_idna.c
 *	  Unit tests of web/host: what becomes of libidn2's own failures.
 */
#include "web/url.h"

#include "tap.h"

static SmUrlStatus
encode(void)
{
	static const char src[] = "http://b\xC3\xBC" "cher.example/";
	SmUrlCache	cache = {0};
	size_t		len = strlen(src);
	char	   *dst = exactly(NULL, sm_url_bound(len, NULL, SM_URL_MAX));

	return sm_url_encode(src, len, NULL, &cache, SM_FORM_XML, SM_URL_MAX, dst, &len);
}

#ifdef USE_LIBIDN2

#include <idn2.h>

static int	failure;

/* Stands in for libidn2's, since the linker finds it first. */
int
idn2_to_ascii_8z(const char *input, char **output, int flags)
{
	(void) input;
	(void) output;
	(void) flags;
	return failure;
}

#endif

int
main(void)
{
#ifdef USE_LIBIDN2
	failure = IDN2_MALLOC;
	ok(encode() == SM_URL_NO_MEMORY, "no memory is not the host's fault");
	failure = IDN2_DISALLOWED;
	ok(encode() == SM_URL_NOT_IDNA2008, "a character that is not allowed");
	failure = IDN2_BIDI;
	ok(encode() == SM_URL_BAD_HOST, "what is no host is the host's fault");
#else
	ok(encode() == SM_URL_NO_IDNA, "there is no libidn2");
#endif
	return done();
}
