/*
 * digest.c
 *	  Written from the xxHash fast digest algorithm specification, version 0.1.1.
 */
#include "text/digest.h"

#include "text/littleendian.h"

#define PRIME1	UINT64_C(0x9E3779B185EBCA87)
#define PRIME2	UINT64_C(0xC2B2AE3D27D4EB4F)
#define PRIME3	UINT64_C(0x165667B19E3779F9)
#define PRIME4	UINT64_C(0x85EBCA77C2B2AE63)
#define PRIME5	UINT64_C(0x27D4EB2F165667C5)

static uint64_t
rotate_left(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static uint64_t
mix(uint64_t lane, uint64_t input)
{
	return rotate_left(lane + input * PRIME2, 31) * PRIME1;
}

static uint64_t
merge(uint64_t hash, uint64_t lane)
{
	return (hash ^ mix(0, lane)) * PRIME1 + PRIME4;
}

uint64_t
sm_digest(const void *data, size_t len, uint64_t seed)
{
	const unsigned char *p = data;
	const unsigned char *end = p + len;
	uint64_t	hash;

	if (len >= 32)
	{
		uint64_t	a = seed + PRIME1 + PRIME2;
		uint64_t	b = seed + PRIME2;
		uint64_t	c = seed;
		uint64_t	d = seed - PRIME1;

		do
		{
			a = mix(a, sm_load(p, 8));
			b = mix(b, sm_load(p + 8, 8));
			c = mix(c, sm_load(p + 16, 8));
			d = mix(d, sm_load(p + 24, 8));
			p += 32;
		} while (end - p >= 32);

		hash = rotate_left(a, 1) + rotate_left(b, 7) +
			rotate_left(c, 12) + rotate_left(d, 18);
		hash = merge(merge(merge(merge(hash, a), b), c), d);
	}
	else
		hash = seed + PRIME5;

	hash += len;
	for (; end - p >= 8; p += 8)
		hash = rotate_left(hash ^ mix(0, sm_load(p, 8)), 27) * PRIME1 + PRIME4;
	for (; end - p >= 4; p += 4)
		hash = rotate_left(hash ^ sm_load(p, 4) * PRIME1, 23) * PRIME2 + PRIME3;
	for (; p < end; p++)
		hash = rotate_left(hash ^ *p * PRIME5, 11) * PRIME1;

	hash = (hash ^ hash >> 33) * PRIME2;
	hash = (hash ^ hash >> 29) * PRIME3;
	return hash ^ hash >> 32;
}

void
sm_digest_hex(uint64_t digest, char *dst)
{
	for (int i = 0; i < SM_DIGEST_HEX_LEN; i++)
		dst[i] = "0123456789abcdef"[digest >> (60 - 4 * i) & 15];
}
