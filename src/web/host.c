/*
 * host.c
 *	  Tells DNS names, IPv4 addresses and IPv6 addresses in brackets apart, and checks
 *	  each.
 *
 * libidn2, if the build has it, converts a name to ASCII.  It allows only the
 * characters of IDNA2008.  Browsers follow UTS #46, which allows more, such as
 * emojis.  A host with an emoji has to be given in its ASCII form, so an "xn--" label
 * is accepted even if libidn2 does not allow its characters.
 */
#include "web/host.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

#include "text/ascii.h"

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
	 * no IDN2_USE_STD3_ASCII_RULES: with these libidn2 drops "_" and other
	 * characters, and reports success
	 */
	result = idn2_to_ascii_8z(name, &ascii, IDN2_NONTRANSITIONAL);
	if (result == IDN2_MALLOC)
		return SM_URL_NO_MEMORY;
	if (result == IDN2_DISALLOWED || result == IDN2_UNASSIGNED)
		return SM_URL_NOT_IDNA2008;
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

bool
sm_idna_valid_label(const char *label, size_t len)
{
	char		lower[SM_LABEL_MAX + 1];
	uint32_t   *characters = NULL;
	int			result;

	if (len < 4 || !sm_equal_ignoring_case(sm_span(label, 4), sm_span_of("xn--")))
		return true;
	if (len > SM_LABEL_MAX)
		return false;
	for (size_t i = 0; i < len; i++)
		lower[i] = sm_lower(label[i]);
	lower[len] = '\0';

	/* libidn2 takes any character for a digit of Punycode */
	for (const char *s = lower + len; s[-1] != '-'; s--)
		if (!sm_is_letter(s[-1]) && !sm_is_digit(s[-1]))
			return false;

	/*
	 * Whether its characters may be in a host is not asked: browsers allow
	 * some that libidn2 does not, such as emojis.
	 */
	result = idn2_to_unicode_8z4z(lower, &characters, 0);
	idn2_free(characters);
	return result == IDN2_OK || result == IDN2_MALLOC;
}

#else

SmUrlStatus
sm_idna_to_ascii(const char *host, size_t len, char *dst, size_t size, size_t *dst_len)
{
	return SM_URL_NO_IDNA;
}

bool
sm_idna_valid_label(const char *label, size_t len)
{
	return true;
}

#endif

/*
 * May a label have this character?  Allowed are the unreserved characters of RFC 3986
 * except the dot.  DNS allows fewer.
 */
static bool
is_label_char(char c)
{
	return sm_is_letter(c) || sm_is_digit(c) || c == '-' || c == '_' || c == '~';
}

/* Is a text an address, of AF_INET or AF_INET6? */
static bool
is_address(int family, const char *s, size_t len)
{
	char		address[INET6_ADDRSTRLEN];
	struct in6_addr parsed;		/* the larger one of both */

	if (len >= sizeof(address) || memchr(s, '\0', len) != NULL)
		return false;
	memcpy(address, s, len);
	address[len] = '\0';
	return inet_pton(family, address, &parsed) == 1;
}

/*
 * If the last label of a host is a number, browsers read the host as an IPv4 address, and
 * do not open an invalid one, such as "192.168.0.257" or "a.1".  Other spellings of an
 * address, such as "127.1" and "0x7f.0.0.1", are not worth the code.
 */
static bool
valid_if_ipv4(const char *host, size_t len)
{
	size_t		start;

	if (len > 0 && host[len - 1] == '.')
		len--;
	for (start = len; start > 0 && sm_is_digit(host[start - 1]); start--)
		;
	return start == len || (start > 0 && host[start - 1] != '.') || is_address(AF_INET, host, len);
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
	return len >= 2 && host[len - 1] == ']' && is_address(AF_INET6, host + 1, len - 2);
}

SmUrlStatus
sm_host_encode(SmSpan host, char *dst, size_t *dst_len)
{
	bool		is_ipv6 = host.len > 0 && host.s[0] == '[';
	SmUrlStatus status;

	if (is_ipv6 ? valid_ipv6(host.s, host.len) : valid_name(host.s, host.len))
	{
		memcpy(dst, host.s, host.len);
		*dst_len = host.len;
		return SM_URL_OK;
	}
	if (is_ipv6 || sm_is_ascii(host))
		return SM_URL_BAD_HOST;
	status = sm_idna_to_ascii(host.s, host.len, dst, SM_HOST_MAX, dst_len);
	return status == SM_URL_OK && !valid_name(dst, *dst_len) ? SM_URL_BAD_HOST : status;
}
