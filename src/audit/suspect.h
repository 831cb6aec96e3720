/*
 * suspect.h
 *	  Reports URLs of a row that look like a mistake of the program that made them.
 */
#ifndef SM_AUDIT_SUSPECT_H
#define SM_AUDIT_SUSPECT_H

#include "audit/pages.h"
#include "core/suspect.h"

typedef struct SmAuditSuspect
{
	const SmSite *site;
	SmFindings *findings;
	StringInfoData room;		/* for sm_url_suspect */
} SmAuditSuspect;

/* Begin, in the current memory context. */
extern void sm_audit_suspect_begin(SmAuditSuspect *suspect, const SmSite *site, SmFindings *findings);

/*
 * Check a URL of a row, in plain form.  what: noun phrase for the URL, NULL for the loc.
 * Returns what the URL is suspect of.
 */
extern SmSuspicion sm_audit_suspect_check(SmAuditSuspect *suspect, int64 row_number, const char *what,
										  SmSpan url);

/* Check the characters of a loc that is not a valid URL. */
extern void sm_audit_suspect_check_text(SmAuditSuspect *suspect, int64 row_number, SmSpan loc);

#endif
