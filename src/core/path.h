/*
 * path.h
 *	  The path of a URL: its segments "." and "..".
 */
#ifndef SM_PATH_H
#define SM_PATH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Remove the dot segments of a path, in place.  The path begins with a slash.
 * RFC 3986, 5.2.4.
 */
extern void sm_path_remove_dots(char *path, size_t *len);

/*
 * Is an encoded path below a directory, both as it is and with its dot segments
 * removed?  The directory ends with a slash.
 */
extern bool sm_path_is_below(const char *path, size_t len, const char *dir, size_t dir_len);

#endif
