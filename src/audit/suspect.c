/*
 * suspect.c
 *	  Says in words what core/suspect.c finds in a URL.
 *
 * A URL has at most one finding of each of the three problems.  In a URL other than the
 * loc, all three are the problem url_suspicious.
 */
#include "postgres.h"

#include "audit/suspect.h"

#include "core/text.h"
#include "entry/value.h"
#include "server/encoding.h"

void
sm_audit_suspect_begin(SmAuditSuspect *suspect, const SmSite *site, SmFindings *findings)
{
	suspect->site = site;
	suspect->findings = findings;
	initStringInfo(&suspect->room);
}

/* Add a finding.  detail: begins with a small letter, is freed. */
static void
add_finding(SmAuditSuspect *suspect, int64 row_number, const char *what, SmProblemName name,
			char *detail)
{
	*detail = pg_toupper((unsigned char) *detail);
	sm_findings_add(suspect->findings, row_number, what ? SM_URL_SUSPICIOUS : name, detail);
	pfree(detail);				/* a row can have many problems */
}

/* Describe what a URL is suspect of.  subject: noun phrase for the URL. */
static char *
describe_suspicion(const SmSuspect *found, const char *subject)
{
	const char *text = sm_for_message(found->text);

	switch (found->what)
	{
		case SM_URL_IN_PATH:
			return psprintf("%s has another URL in its path: \"%s\".", subject, text);
		case SM_PLACEHOLDER:
			return psprintf("%s has \"%s\", which looks like a placeholder without its value.", subject, text);
		case SM_MISSING_HOST:
			return psprintf("the host of %s is \"%s\", which looks like a missing value.", subject, text);
		case SM_MISSING_SEGMENT:
			return psprintf("the path of %s has the segment \"%s\", which looks like a missing value.", subject, text);
		case SM_MISSING_VALUE:
			return psprintf("the query of %s has the value \"%s\", which looks like a missing value.", subject, text);
		case SM_HTML_ENTITY:
			return psprintf("%s has \"%s\", which has a meaning only in HTML or JavaScript.", subject, text);
		case SM_BACKSLASH:
			return psprintf("the path of %s has a backslash, which is percent-encoded.", subject);
		case SM_LOST_CHARACTER:
			return psprintf("%s has the character U+FFFD, which stands for a lost character.", subject);
		case SM_MISREAD_UTF8:
			return psprintf("%s has \"%s\", which looks like UTF-8 that was read in another encoding.", subject, text);
		case SM_BLANK_AT_END:
			return psprintf("%s has a blank at an end of \"%s\".", subject, text);
		case SM_EMPTY_SEGMENT:
			return psprintf("the path of %s has an empty segment.", subject);
		case SM_NOT_SUSPECT:
			break;
	}
	return NULL;
}

/* Report what was found in a URL, or in a loc that is none. */
static void
report_suspect(SmAuditSuspect *suspect, int64 row_number, const char *what, SmSpan url,
			   const SmSuspect *found)
{
	const char *subject;

	if (found->what == SM_NOT_SUSPECT && found->control == SM_NO_CHARACTER &&
		found->invisible == SM_NO_CHARACTER)
		return;
	subject = what ? psprintf("the %s \"%s\"", what, sm_for_message(url)) : "the loc";
	if (found->control != SM_NO_CHARACTER)
		add_finding(suspect, row_number, what, SM_LOC_CONTROL_CHARACTER,
					psprintf("%s has the character U+%04X, percent-encoded in the URL.",
							 subject, found->control));
	if (found->invisible != SM_NO_CHARACTER)
		add_finding(suspect, row_number, what, SM_LOC_INVISIBLE_CHARACTER,
					psprintf("%s has the character U+%04X, which nobody sees.",
							 subject, found->invisible));
	if (found->what != SM_NOT_SUSPECT)
		add_finding(suspect, row_number, what, SM_LOC_SUSPICIOUS,
					describe_suspicion(found, subject));
}

SmSuspicion
sm_audit_suspect_check(SmAuditSuspect *suspect, int64 row_number, const char *what, SmSpan url)
{
	SmSpan		base = suspect->site->base;
	SmSuspect	found;

	sm_url_suspect(url, sm_span_begins(url, base.s) ? base.len : 0,
				   what ? sm_no_span() : suspect->site->name,
				   sm_reserve(&suspect->room, url.len), &found);
	report_suspect(suspect, row_number, what, url, &found);
	return found.what;
}

void
sm_audit_suspect_check_text(SmAuditSuspect *suspect, int64 row_number, SmSpan loc)
{
	SmSuspect	found;

	sm_text_suspect(sm_trim(loc), &found);
	found.what = SM_NOT_SUSPECT;
	report_suspect(suspect, row_number, NULL, loc, &found);
}
