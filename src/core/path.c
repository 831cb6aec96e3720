/*
 * path.c
 *	  The path of a URL: its segments "." and "..".
 */
#include "core/path.h"

#include "core/ascii.h"

/* Bytes of a dot at p, which may be percent-encoded; 0 if there is none. */
static size_t
dot_at(const char *p, const char *end)
{
	if (p < end && *p == '.')
		return 1;
	if (end - p >= 3 && p[0] == '%' && p[1] == '2' && (p[2] == 'e' || p[2] == 'E'))
		return 3;
	return 0;
}

/*
 * The kind of the segment at p: 1 for "." and 2 for "..", both of *len bytes, 0 for
 * any other.
 */
static int
dot_segment(const char *p, const char *end, size_t *len)
{
	size_t		first = dot_at(p, end);
	size_t		second;

	if (first == 0)
		return 0;
	*len = first;
	if (p + first == end || p[first] == '/')
		return 1;
	second = dot_at(p + first, end);
	*len = first + second;
	if (second > 0 && (p + *len == end || p[*len] == '/'))
		return 2;
	return 0;
}

void
sm_path_remove_dots(char *path, size_t *len)
{
	const char *s = path;
	const char *end = path + *len;
	char	   *d = path;

	while (s < end)
	{
		size_t		dots;
		int			kind = dot_segment(s + 1, end, &dots);

		/* here *s is the slash before a segment */
		if (kind == 0)
		{
			do
				*d++ = *s++;
			while (s < end && *s != '/');
			continue;
		}
		if (kind == 2)
			while (d > path && *--d != '/')
				;
		s += 1 + dots;
		if (s == end)
			*d++ = '/';			/* the directory itself */
	}
	*len = d - path;
}

/*
 * Are these bytes of two encoded paths the same?  The hex digits of an escape
 * compare ignoring case: RFC 3986, 6.2.2.1.
 */
static bool
equal_paths(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
	{
		bool		in_escape = (i >= 1 && a[i - 1] == '%') || (i >= 2 && a[i - 2] == '%');

		if (a[i] != b[i] && !(in_escape && sm_lower(a[i]) == sm_lower(b[i])))
			return false;
	}
	return true;
}

bool
sm_path_is_below(const char *path, size_t len, const char *dir, size_t dir_len)
{
	const char *s;
	const char *end = path + len;
	size_t		depth = 0;

	if (dir_len == 1)			/* nothing is above the root */
		return true;
	if (len < dir_len || !equal_paths(path, dir, dir_len))
		return false;

	/* here *s is the slash before a segment */
	for (s = path + dir_len - 1; s < end;)
	{
		size_t		dots;
		int			kind = dot_segment(s + 1, end, &dots);

		if (kind == 2 && depth-- == 0)
			return false;
		if (kind > 0)
		{
			s += 1 + dots;
			continue;
		}
		depth++;
		do
			s++;
		while (s < end && *s != '/');
	}
	return true;
}
