/*
 * suspect.c
 *	  Says in words what core/suspect.c finds in a URL.
 *
 * A URL has at most one finding of each of the three problems.  In a URL other than the
 * loc, all three are the problem url_suspicious.
 */
#include "postgres.h"

#include "audit/suspect.h"

#include "server/encoding.h"

/* What a URL is suspect of.  The values are a noun phrase for the URL, and found->text. */
static const char *const suspicions[] = {
	[SM_URL_IN_PATH] = "%s has another URL in its path: \"%s\".",
	[SM_PLACEHOLDER] = "%s has \"%s\", which looks like a placeholder without its value.",
	[SM_MISSING_HOST] = "the host of %s is \"%s\", which looks like a missing value.",
	[SM_MISSING_SEGMENT] = "the path of %s has the segment \"%s\", which looks like a missing value.",
	[SM_MISSING_VALUE] = "the query of %s has the value \"%s\", which looks like a missing value.",
	[SM_HTML_ENTITY] = "%s has \"%s\", which has a meaning only in HTML or JavaScript.",
	[SM_BACKSLASH] = "the path of %s has a backslash, which is percent-encoded.",
	[SM_LOST_CHARACTER] = "%s has the character U+FFFD, which stands for a lost character.",
	[SM_MISREAD_UTF8] = "%s has \"%s\", which looks like UTF-8 that was read in another encoding.",
	[SM_BLANK_AT_END] = "%s has a blank at an end of \"%s\".",
	[SM_EMPTY_SEGMENT] = "the path of %s has an empty segment."
};

/* Add a finding.  detail: begins with a small letter, is freed. */
static void
add_finding(SmFindings *findings, int64 row_number, const char *what, SmProblemName name,
			char *detail)
{
	*detail = pg_toupper((unsigned char) *detail);
	sm_findings_add(findings, row_number, what ? SM_URL_SUSPICIOUS : name, detail);
	pfree(detail);				/* a row can have many problems */
}

void
sm_report_suspect(SmFindings *findings, int64 row_number, const char *what, SmSpan url,
				  const SmSuspect *found)
{
	const char *subject;

	if (found->what == SM_NOT_SUSPECT && found->control == SM_NO_CHARACTER &&
		found->invisible == SM_NO_CHARACTER)
		return;
	subject = what ? psprintf("the %s \"%s\"", what, sm_for_message(url)) : "the loc";
	if (found->control != SM_NO_CHARACTER)
		add_finding(findings, row_number, what, SM_LOC_CONTROL_CHARACTER,
					psprintf("%s has the character U+%04X, percent-encoded in the URL.",
							 subject, found->control));
	if (found->invisible != SM_NO_CHARACTER)
		add_finding(findings, row_number, what, SM_LOC_INVISIBLE_CHARACTER,
					psprintf("%s has the character U+%04X, which nobody sees.",
							 subject, found->invisible));
	if (found->what != SM_NOT_SUSPECT)
		add_finding(findings, row_number, what, SM_LOC_SUSPICIOUS,
					psprintf(suspicions[found->what], subject, sm_for_message(found->text)));
}
