/*
 * suspect.h
 *	  Reports URLs of a row that look like a mistake of the program that made them.
 */
#ifndef SM_AUDIT_SUSPECT_H
#define SM_AUDIT_SUSPECT_H

#include "audit/finding.h"
#include "core/suspect.h"

/*
 * Report what core/suspect.c found in a URL of a row, or in a loc that is none.  what: noun
 * phrase for the URL, NULL for the loc.
 */
extern void sm_report_suspect(SmFindings *findings, int64 row_number, const char *what, SmSpan url,
							  const SmSuspect *found);

#endif
