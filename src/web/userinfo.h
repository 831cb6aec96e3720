/*
 * userinfo.h
 *	  User names and passwords in URLs: the userinfo of RFC 3986, 3.2.1.
 */
#ifndef SM_USERINFO_H
#define SM_USERINFO_H

#include <stdbool.h>

#include "text/span.h"

/*
 * Does a URL in a text have a user name or password?  It may begin with "//" if the text does,
 * and a password may have blanks:
 *
 *	  https://editor:pass word@www.example.com	true
 *	  https://www.example.com:80 by editor@www.example.com	false
 *
 * So a user name outside ASCII, and a password of digits and a blank, need not be found.
 */
extern bool sm_url_has_user(SmSpan text);

/*
 * The part of a text that no message may repeat, because it may be a user name and a
 * password before a host: "editor:s3cret" in "https://editor:s3cret@www.example.com/".
 * The text may be any text, such as an invalid URL.  Empty if there is none.
 */
extern SmSpan sm_url_secret(SmSpan text);

#endif
