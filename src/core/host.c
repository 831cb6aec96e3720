/*
 * host.c
 *	  The host of a URL: a DNS name, an IPv4 address, or an IPv6 address in brackets.
 */
#include "core/host.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

#include "core/ascii.h"
#include "core/idna.h"

/*
 * May a label have this character?  These are the unreserved characters of RFC
 * 3986 without the dot, more than DNS allows.
 */
static bool
is_label_char(char c)
{
	return sm_is_letter(c) || sm_is_digit(c) || c == '-' || c == '_' || c == '~';
}

/*
 * Read a number of an IPv4 address as browsers do: hexadecimal after "0x",
 * octal after "0", else decimal.  A number that is too large for any address
 * becomes IPV4_TOO_LARGE.
 */
#define IPV4_TOO_LARGE	((uint64_t) 1 << 32)

static bool
read_ipv4_number(const char *s, size_t len, uint64_t *number)
{
	int			base = 10;

	if (len == 0)
		return false;
	if (len >= 2 && s[0] == '0' && sm_lower(s[1]) == 'x')
	{
		base = 16;
		s += 2;
		len -= 2;
	}
	else if (s[0] == '0')
		base = 8;

	*number = 0;
	for (size_t i = 0; i < len; i++)
	{
		int			digit = sm_hex_value(s[i]);

		if (digit < 0 || digit >= base)
			return false;
		*number = *number * base + digit;
		if (*number > IPV4_TOO_LARGE)
			*number = IPV4_TOO_LARGE;
	}
	return true;
}

/*
 * If the last label of a host is a number, browsers read the host as an IPv4
 * address.  They do not open an invalid address, such as "192.168.0.257" or "a.1".
 * An address may have fewer than four numbers; the last one fills the bytes that
 * remain: "127.1" is 127.0.0.1.
 */
static bool
valid_if_ipv4(const char *host, size_t len)
{
	const char *end;
	const char *label;
	uint64_t	number = 0;
	size_t		ndigits = 0;

	if (len > 0 && host[len - 1] == '.')
		len--;
	end = host + len;
	for (label = end; label > host && label[-1] != '.'; label--)
		ndigits += sm_is_digit(label[-1]);
	if (ndigits == 0 ||
		(ndigits < (size_t) (end - label) && !read_ipv4_number(label, end - label, &number)))
		return true;

	for (int bytes = 4; bytes > 0; bytes--)
	{
		const char *dot = memchr(host, '.', end - host);

		if (!read_ipv4_number(host, (dot ? dot : end) - host, &number))
			return false;
		if (dot == NULL)
			return number < (uint64_t) 1 << 8 * bytes;
		if (number > 255)
			return false;
		host = dot + 1;
	}
	return false;
}

/* Is this ASCII name within the lengths of DNS, and do browsers open it? */
static bool
valid_name(const char *host, size_t len)
{
	const char *s = host;
	const char *end = host + len;

	if (len > SM_HOST_MAX || (len == SM_HOST_MAX && host[len - 1] != '.'))
		return false;
	while (s < end)
	{
		const char *label = s;

		while (s < end && is_label_char(*s))
			s++;
		if (s == label || s - label > SM_LABEL_MAX || !sm_idna_valid_label(label, s - label))
			return false;
		if (s < end && *s++ != '.')
			return false;
	}
	return valid_if_ipv4(host, len);
}

static bool
valid_ipv6(const char *host, size_t len)
{
	char		address[INET6_ADDRSTRLEN];
	struct in6_addr parsed;

	if (len < 2 || host[len - 1] != ']' || len - 2 >= sizeof(address) ||
		memchr(host, '\0', len) != NULL)
		return false;
	memcpy(address, host + 1, len - 2);
	address[len - 2] = '\0';
	return inet_pton(AF_INET6, address, &parsed) == 1;
}

static bool
is_ascii(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char) s[i] >= 0x80)
			return false;
	return true;
}

SmUrlStatus
sm_host_encode(const char *host, size_t len, char *dst, size_t *dst_len)
{
	bool		is_ipv6 = len > 0 && host[0] == '[';
	SmUrlStatus status;

	if (is_ipv6 ? valid_ipv6(host, len) : valid_name(host, len))
	{
		memcpy(dst, host, len);
		*dst_len = len;
		return SM_URL_OK;
	}
	if (is_ipv6 || is_ascii(host, len))
		return SM_URL_BAD_HOST;
	status = sm_idna_to_ascii(host, len, dst, SM_HOST_MAX, dst_len);
	return status == SM_URL_OK && !valid_name(dst, *dst_len) ? SM_URL_BAD_HOST : status;
}
