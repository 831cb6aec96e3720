/*
 * urlstatus.h
 *	  Why a URL is refused.
 */
#ifndef SM_URL_STATUS_H
#define SM_URL_STATUS_H

typedef enum SmUrlStatus
{
	SM_URL_OK,
	SM_URL_EMPTY,				/* nothing but blanks */
	SM_URL_NO_SCHEME,			/* relative, and there is no base URL */
	SM_URL_LOST_SCHEME,			/* "www.example.com/a": looks relative */
	SM_URL_BAD_REFERENCE,		/* a colon in the first segment, but no scheme */
	SM_URL_BAD_SCHEME,			/* neither http nor https */
	SM_URL_NO_HOST,
	SM_URL_BAD_HOST,			/* browsers cannot open it */
	SM_URL_BACKSLASH,			/* before the path */
	SM_URL_NOT_IDNA2008,		/* the host has a character that IDNA2008 does
								 * not allow, though browsers may */
	SM_URL_NO_IDNA,				/* a non-ASCII host in a build without libidn2 */
	SM_URL_NO_MEMORY,			/* libidn2 ran out of memory */
	SM_URL_BAD_PORT,
	SM_URL_TOO_LONG,
	SM_URL_LONG_AUTHORITY,
	SM_URL_BAD_BASE,			/* a base URL with a user, a query or a
								 * fragment */
	SM_URL_OTHER_SITE,			/* outside of SM_SCOPE_HOST */
	SM_URL_OTHER_PATH			/* outside of SM_SCOPE_PATH */
} SmUrlStatus;

#endif
