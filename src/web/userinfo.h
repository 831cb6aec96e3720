/*
 * userinfo.h
 *	  User names and passwords in URLs: the userinfo of RFC 3986, 3.2.1.
 */
#ifndef SM_USERINFO_H
#define SM_USERINFO_H

#include <stdbool.h>

#include "text/span.h"

/*
 * The part of a text that no message may repeat, because it may be a user name and a
 * password before a host: "editor:s3cret" in "https://editor:s3cret@www.example.com/".
 * The text may be any text, such as an invalid URL.  Empty if there is none.
 */
extern SmSpan sm_url_secret(SmSpan text);

/*
 * Does a word of a text begin like a URL with a user name or password?  A word ends at a blank,
 * so a password with a blank need not be found.
 */
extern bool sm_url_has_user(SmSpan text);

#endif
