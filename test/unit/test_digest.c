/*
 * test_digest.c
 *	  Unit tests of text/digest: XXH64.
 *
 * The buffer and the seed are those of the sanity check in xxHash's own tool,
 * as are the digests of lengths 0, 1, 14 and 101.  The digests of the other
 * lengths come from a second implementation that gives the published ones.
 */
#include "text/digest.h"

#include "tap.h"

#define SEED	2654435761U

static unsigned char buffer[256 * 64];

/* XXH64 of the buffer's first bytes, by their number. */
static const uint64_t by_length[] = {
		0xEF46DB3751D8E999, 0x4FCE394CC88952D8, 0x242E3F05837A07AC, 0x63E19DE8A52309F9,
		0x9256E58AA397AEF1, 0xFA17F3FADE92F0B9, 0xCEB21B927497F10C, 0xAB48F5CD83BCB62C,
		0xF74CB1451B32B8CF, 0xE8B2A733258E8A4F, 0xDB955E668195826B, 0x4569D4174C3E056E,
		0x68ACCE12687B7E91, 0xA3F07A0ED0CE1083, 0xCFFA8DB881BC3A3D, 0x4D0A4120849B3EBF,
		0x169173A697113B29, 0x62F2E4EEACBAF9E8, 0x60C09F49A71F677D, 0x596C8EC452412E40,
		0xB57EE2A7D77192E9, 0xA5B263CC2CFF603E, 0xDA42E67718C2A32D, 0x52185E4575A6967B,
		0xCEF5D1497F99F246, 0xB2C65A64FD335383, 0xB294CE697C1493ED, 0x0E7D13EB3E8E0D4A,
		0x432870F510D2EA87, 0x6E3F40B603066E23, 0xF1FD7C08B9329258, 0xAD09D9A6941DD847,
		0xAF5753D39159EDEE, 0x6711CBDD8543BAA8, 0xFE70CFCB4DE53BC1, 0x0093C53F3826AA73,
		0x2D1539069A26C8D8, 0x7EBF71E22FE5A103, 0x398135A7C626322B, 0x6DDB70B89B6DE372,
};

static void
digests(const void *data, size_t len, uint64_t seed, uint64_t wanted, const char *name)
{
	char		hex[SM_DIGEST_HEX_LEN];
	char		wanted_hex[SM_DIGEST_HEX_LEN + 1];

	snprintf(wanted_hex, sizeof(wanted_hex), "%016llx", (unsigned long long) wanted);
	sm_digest_hex(sm_digest(exactly(data, len), len, seed), hex);
	is_string(sm_span(hex, sizeof(hex)), wanted_hex, name);
}

int
main(void)
{
	static const char url[] = "http://www.example.com/";
	uint32_t	state = SEED;
	char		hex[SM_DIGEST_HEX_LEN];
	int			wrong = 0;

	for (size_t i = 0; i < sizeof(buffer); i++)
	{
		if (i % 256 == 0)
			state = SEED;
		buffer[i] = state >> 24;
		state *= state;
	}

	digests("", 0, 0, UINT64_C(0xEF46DB3751D8E999), "nothing");
	digests("a", 1, 0, UINT64_C(0xD24EC4F1A98C6E5B), "a");
	digests("abc", 3, 0, UINT64_C(0x44BC2CF5AD770999), "abc");
	digests(url, strlen(url), 0, UINT64_C(0xA2CC26A414D9CFA3), url);

	digests(buffer, 0, SEED, UINT64_C(0xAC75FDA2929B17EF), "length 0, with seed");
	digests(buffer, 1, SEED, UINT64_C(0x739840CB819FA723), "length 1, with seed");
	digests(buffer, 14, SEED, UINT64_C(0x5B9611585EFCC9CB), "length 14, with seed");
	digests(buffer, 101, 0, UINT64_C(0x0EAB543384F878AD), "length 101");
	digests(buffer, 101, SEED, UINT64_C(0xCAA65939306F1E21), "length 101, with seed");
	digests(buffer, sizeof(buffer), SEED, UINT64_C(0x6C52CEA6DAF503C9), "16 kB, with seed");
	for (size_t len = 0; len < sizeof(by_length) / sizeof(by_length[0]); len++)
		digests(buffer, len, 0, by_length[len], text_of("length %zu", len));

	/* wherever the bytes begin */
	for (size_t offset = 1; offset < 16; offset++)
	{
		char		moved[16 + 101];

		memcpy(moved + offset, buffer, 101);
		wrong += sm_digest(moved + offset, 101, 0) != UINT64_C(0x0EAB543384F878AD);
	}
	is_number(wrong, 0, "alignment does not matter");

	sm_digest_hex(0, hex);
	is(hex, sizeof(hex), "0000000000000000", 16, "hexadecimal zero");
	sm_digest_hex(UINT64_C(0x0123456789ABCDEF), hex);
	is(hex, sizeof(hex), "0123456789abcdef", 16, "hexadecimal digits");
	return done();
}
