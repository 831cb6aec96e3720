/*
 * fuzz_idna.c
 *	  Fuzzes web/host: hosts in ASCII.
 *
 * The ASCII form of a host is ASCII, stays within its buffer, is the same with
 * just as much room as it needs, and has itself as its form.  A label that was
 * encoded is valid, and letters in upper case make no other label.
 */
#include "web/host.h"

#include "fuzz.h"
#include "text/ascii.h"

static bool
labels_are_valid(const char *host, size_t len)
{
	size_t		end;

	for (size_t start = 0; start < len; start = end + 1)
	{
		const char *dot = memchr(host + start, '.', len - start);

		end = dot ? (size_t) (dot - host) : len;
		if (!sm_idna_valid_label(host + start, end - start))
			return false;
	}
	return true;
}

/* The input as one label. */
static void
check_label(const char *src, size_t len)
{
	char	   *lower = exactly(src, len);

	for (size_t i = 0; i < len; i++)
		lower[i] = sm_lower(lower[i]);
	CHECK(sm_idna_valid_label(src, len) == sm_idna_valid_label(lower, len));
	free(lower);
}

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

		/* with no hyphen, not even a full-width one, no label claims to be Punycode */
		if (memchr(src, '-', size) == NULL && memchr(src, 0xEF, size) == NULL)
			CHECK(labels_are_valid(ascii, len));

		/* labels that claim to be Punycode are believed, and perhaps too long */
		if (sm_idna_to_ascii(ascii, len, again, len, &again_len) == SM_URL_OK)
			CHECK(equal(again, again_len, ascii, len));
		free(again);
	}
	check_label(src, size);
	free(ascii);
	free(src);
	return 0;
}
