/*
 * escape.c
 *	  Percent-encodes each byte (RFC 3986), and so each byte of a character in UTF-8
 *	  (RFC 3987).
 *
 * Bytes that need no encoding are copied eight at a time.
 */
#include <limits.h>

#include "web/escape.h"

#include "text/ascii.h"

char *
sm_put_escape(char *d, unsigned char c)
{
	d[0] = '%';
	d[1] = sm_hex_digit(c >> 4);
	d[2] = sm_hex_digit(c);
	return d + 3;
}

char *
sm_escape(const char *s, const char *end, SmUrlForm form, char *d, size_t *entity_bytes)
{
	unsigned int component = SM_IN_PATH;
	bool		in_fragment = false;

	while (s < end)
	{
		while (end - s >= 8 &&
			   (SM_CLASSES(s[0]) & SM_CLASSES(s[1]) & SM_CLASSES(s[2]) & SM_CLASSES(s[3]) &
				SM_CLASSES(s[4]) & SM_CLASSES(s[5]) & SM_CLASSES(s[6]) & SM_CLASSES(s[7]) & component))
		{
			memcpy(d, s, 8);
			d += 8;
			s += 8;
		}
		while (s < end && (SM_CLASSES(*s) & component))
			*d++ = *s++;
		if (s == end)
			break;

		switch (*s)
		{
			case '&':
			case '\'':
				if (form == SM_FORM_XML)
				{
					SmSpan		entity = sm_span_of(*s == '&' ? "&amp;" : "&apos;");

					d = sm_put(d, entity.s, entity.len);
					*entity_bytes += entity.len - 1;
				}
				else
					*d++ = *s;
				s++;
				continue;
			case '%':
				if (end - s >= 3 && sm_hex_value(s[1]) >= 0 && sm_hex_value(s[2]) >= 0)
				{
					*d++ = *s++;
					continue;
				}
				break;
			case '?':			/* of a path; a query may have it */
				component = SM_IN_QUERY;
				*d++ = *s++;
				continue;
			case '#':
				if (in_fragment)
					break;
				component = SM_IN_QUERY;
				in_fragment = true;
				*d++ = *s++;
				continue;
		}
		d = sm_put_escape(d, *s++);
	}
	return d;
}

size_t
sm_url_reserved_length(SmSpan text)
{
	size_t		i = 0;

	while (i < text.len && text.s[i] != '\0' &&
		   (strchr(":/?#[]@!$&'()*+,;=", text.s[i]) || (SM_CLASSES(text.s[i]) & SM_UNRESERVED)))
		i++;
	return i;
}

size_t
sm_url_encode_segment(SmSpan segment, SmSpan keep, char *dst)
{
	/* browsers resolve "%2E", too, but URLs with such a segment are refused */
	bool		is_dots = sm_span_equal(segment, sm_span_of(".")) || sm_span_equal(segment, sm_span_of(".."));
	bool		kept[UCHAR_MAX + 1] = {false};
	char	   *d = dst;

	for (size_t i = 0; i < keep.len; i++)
		kept[(unsigned char) keep.s[i]] = true;
	for (size_t i = 0; i < segment.len; i++)
	{
		char		c = segment.s[i];

		if (!is_dots && ((SM_CLASSES(c) & SM_UNRESERVED) || kept[(unsigned char) c]))
			*d++ = c;
		else
			d = sm_put_escape(d, c);
	}
	return d - dst;
}

size_t
sm_url_encode_reference(const char *src, size_t len, char *dst)
{
	size_t		entity_bytes = 0;

	return sm_escape(src, src + len, SM_FORM_XML, dst, &entity_bytes) - dst;
}
