/*
 * digest.h
 *	  A fast 64-bit hash, XXH64, that is the same on every machine.
 *
 * It tells versions of a document apart, as an ETag does.  It is not cryptographic: two
 * documents with the same digest can be constructed.
 */
#ifndef SM_DIGEST_H
#define SM_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define SM_DIGEST_HEX_LEN	16

/* XXH64 of len bytes, as the xxHash specification defines it. */
extern uint64_t sm_digest(const void *data, size_t len, uint64_t seed);

/* Write a digest as 16 lower-case hexadecimal digits, no terminator. */
extern void sm_digest_hex(uint64_t digest, char *dst);

#endif
