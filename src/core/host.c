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
#include "core/host.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

#include "core/ascii.h"

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

/*
 * Can a character beyond ASCII be in a host?  Control characters, surrogates,
 * characters of private use and planes without letters cannot.
 */
static bool
may_be_in_host(uint32_t c)
{
	return c >= 0xA0 && !(c >= 0xD800 && c <= 0xF8FF) && c <= 0x3FFFF;
}

/*
 * Is a label, a string that begins with "xn--", the ASCII form of some characters, as far
 * as libidn2 can tell?
 */
static bool
is_ascii_form(const char *label)
{
	uint32_t   *characters = NULL;
	char	   *ascii = NULL;
	bool		valid = true;
	int			result;

	/* libidn2 takes any character for a digit of Punycode */
	for (const char *s = label + strlen(label); s[-1] != '-'; s--)
		if (!sm_is_letter(s[-1]) && !sm_is_digit(s[-1]))
			return false;
	result = idn2_to_unicode_8z4z(label, &characters, 0);
	if (result != IDN2_OK)
		return result == IDN2_MALLOC;
	for (const uint32_t *c = characters; *c; c++)
		valid = valid && (*c < 0x80 || may_be_in_host(*c));

	/*
	 * With UTS #46, both emojis, which browsers open, and unassigned
	 * characters, which they do not open, are disallowed.  Without it, only
	 * the unassigned ones give IDN2_UNASSIGNED.
	 */
	result = idn2_to_ascii_4z(characters, &ascii, IDN2_NONTRANSITIONAL);
	if (result == IDN2_DISALLOWED)
		result = idn2_to_ascii_4z(characters, &ascii, IDN2_NO_TR46);
	idn2_free(characters);
	switch (result)
	{
		case IDN2_OK:
			valid = valid && strcmp(ascii, label) == 0;
			idn2_free(ascii);
			return valid;
		case IDN2_UNASSIGNED:
		case IDN2_LEADING_COMBINING:
		case IDN2_CONTEXTJ:
		case IDN2_CONTEXTJ_NO_RULE:
		case IDN2_BIDI:
			return false;
		default:
			return valid;		/* browsers may allow what libidn2 does not */
	}
}

#else

SmUrlStatus
sm_idna_to_ascii(const char *host, size_t len, char *dst, size_t size, size_t *dst_len)
{
	return SM_URL_NO_IDNA;
}

static bool
is_ascii_form(const char *label)
{
	return true;
}

#endif

bool
sm_idna_valid_label(const char *label, size_t len)
{
	char		lower[SM_LABEL_MAX + 1];

	if (len < 4 || !sm_equal_ignoring_case(sm_span(label, 4), sm_span_of("xn--")))
		return true;
	if (len > SM_LABEL_MAX)
		return false;
	for (size_t i = 0; i < len; i++)
		lower[i] = sm_lower(label[i]);
	lower[len] = '\0';
	return is_ascii_form(lower);
}

/*
 * May a label have this character?  Allowed are the unreserved characters of RFC 3986
 * except the dot.  DNS allows fewer.
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
