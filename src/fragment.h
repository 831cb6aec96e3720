/*
 * fragment.h
 *	  XML values on their way into a document: elements of extensions.
 */
#ifndef SM_FRAGMENT_H
#define SM_FRAGMENT_H

#include "lib/stringinfo.h"
#include "page.h"
#include "problem.h"
#include "sitemap.h"

/*
 * Append an extension to buf: well-formed XML whose elements are in namespaces
 * of their own.  What would break a line is written as a reference; comments
 * that have it are left out.  With ascii, characters outside it become references
 * too; without, what a database that is not UTF-8 had to write as references
 * becomes characters again, so that a file is the same from every database.
 * Where a problem is skipped, buf and page are as before.
 */
extern bool sm_append_extension(StringInfo buf, SmSpan xml, bool ascii,
								SmPage *page, SmProblems *problems);

#endif
