/*
 * fragment.h
 *	  Copies extension elements from xml values into a document.
 */
#ifndef SM_FRAGMENT_H
#define SM_FRAGMENT_H

#include "entry/entry.h"
#include "entry/rules.h"
#include "lib/stringinfo.h"
#include "server/problem.h"

/*
 * Append ready-made XML to buf.  It has to be well-formed, without elements in
 * the namespace of sitemaps.  Line breaks and tabs become references in
 * text and spaces in tags; backslashes become references.  Comments and instructions
 * with any of these are dropped.  ascii: also write characters outside ASCII as
 * references.  If a database that is not UTF-8 makes a file, references to such
 * characters become characters, so that the file is the same from any database.
 * Returns false for a problem; then buf and the facts in rules are unchanged.
 */
extern bool sm_append_fragment(StringInfo buf, SmSpan xml, bool ascii,
							   SmRules *rules, SmProblems *problems);

#endif
