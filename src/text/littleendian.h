/*
 * littleendian.h
 *	  Numbers of up to 8 bytes in memory, little-endian on every machine.
 *
 * With a constant number of bytes, most machines need one instruction.
 */
#ifndef SM_LITTLEENDIAN_H
#define SM_LITTLEENDIAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t
sm_load(const void *src, size_t nbytes)
{
	uint64_t	value = 0;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(&value, src, nbytes);
#else
	for (size_t i = 0; i < nbytes; i++)
		value |= (uint64_t) ((const unsigned char *) src)[i] << 8 * i;
#endif
	return value;
}

static inline void
sm_store(void *dst, uint64_t value, size_t nbytes)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(dst, &value, nbytes);
#else
	for (size_t i = 0; i < nbytes; i++)
		((unsigned char *) dst)[i] = (unsigned char) (value >> 8 * i);
#endif
}

#endif
