/*
 * fuzz_idna.c
 *	  Fuzzes core/idna.
 *
 * The ASCII form of a host is ASCII, stays within its buffer, is the same with
 * just as much room as it needs, and has itself as its form.
 */
#include "core/idna.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *src = exactly(data, size);
	char	   *ascii = exactly(NULL, 255);
	size_t		len;

	if (sm_idna_to_ascii(src, size, ascii, 255, &len) == SM_URL_OK)
	{
		char	   *again = exactly(NULL, len);
		size_t		again_len;

		CHECK(len > 0 && len <= 255);
		for (size_t i = 0; i < len; i++)
			CHECK(ascii[i] > 0);
		CHECK(sm_idna_to_ascii(src, size, again, len, &again_len) == SM_URL_OK);
		CHECK(equal(again, again_len, ascii, len));
		CHECK(sm_idna_to_ascii(src, size, again, len - 1, &again_len) == SM_URL_BAD_HOST);

		/* labels that claim to be Punycode are believed, and perhaps too long */
		if (sm_idna_to_ascii(ascii, len, again, len, &again_len) == SM_URL_OK)
			CHECK(equal(again, again_len, ascii, len));
		free(again);
	}
	free(ascii);
	free(src);
	return 0;
}
