/*
 * fuzz_digest.c
 *	  Fuzzes text/digest.
 *
 * A digest depends on all bytes, their number and the seed, not on where they
 * lie, and its hexadecimal form is the number.
 */
#include "text/digest.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *src = exactly(data, size);
	char	   *moved = exactly(NULL, size + 7);
	char		hex[SM_DIGEST_HEX_LEN + 1] = {0};
	uint64_t	digest = sm_digest(src, size, 0);

	for (int offset = 1; offset <= 7; offset += 3)
	{
		memcpy(moved + offset, src, size);
		CHECK(sm_digest(moved + offset, size, 0) == digest);
	}
	CHECK(sm_digest(src, size, 1) != digest);
	if (size > 0)
	{
		CHECK(sm_digest(src, size - 1, 0) != digest);
		src[digest % size] ^= 1 << digest % 7;
		CHECK(sm_digest(src, size, 0) != digest);
	}
	sm_digest_hex(digest, hex);
	CHECK(strtoull(hex, NULL, 16) == digest);
	for (int i = 0; i < SM_DIGEST_HEX_LEN; i++)
		CHECK(strchr("0123456789abcdef", hex[i]) != NULL);
	free(moved);
	free(src);
	return 0;
}
