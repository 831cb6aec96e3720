/*
 * problem.h
 *	  Problems of rows, and of entries of a document that is read.  They are raised
 *	  as errors, skipped and counted, or passed to a callback.
 */
#ifndef SM_PROBLEM_H
#define SM_PROBLEM_H

#include "compat.h"
#include "lib/stringinfo.h"
#include "server/key.h"
#include "text/span.h"

/*
 * Problems with their names in the result of sitemap_audit, in the order in which it lists
 * those of one row.
 */
#define SM_PROBLEMS_LIST(PROBLEM) \
	/* the row is skipped for these */ \
	PROBLEM(SM_URL_ELEMENT_INVALID, "url_element_invalid") \
	PROBLEM(SM_LOC_NULL, "loc_null") \
	PROBLEM(SM_LOC_INVALID, "loc_invalid") \
	PROBLEM(SM_LOC_TOO_LONG, "loc_too_long") \
	PROBLEM(SM_LOC_OUTSIDE, "loc_outside") \
	PROBLEM(SM_ENTRY_TOO_LARGE, "entry_too_large") \
	/* an optional element is skipped for these */ \
	PROBLEM(SM_LASTMOD_INVALID, "lastmod_invalid") \
	PROBLEM(SM_CHANGEFREQ_INVALID, "changefreq_invalid") \
	PROBLEM(SM_PRIORITY_INVALID, "priority_invalid") \
	PROBLEM(SM_IMAGE_INVALID, "image_invalid") \
	PROBLEM(SM_VIDEO_INVALID, "video_invalid") \
	PROBLEM(SM_NEWS_INVALID, "news_invalid") \
	PROBLEM(SM_EXTENSION_INVALID, "extension_invalid") \
	/* only sitemap_audit looks for these */ \
	PROBLEM(SM_LOC_INVISIBLE_CHARACTER, "loc_invisible_character") \
	PROBLEM(SM_LOC_SUSPICIOUS, "loc_suspicious") \
	PROBLEM(SM_LOC_FRAGMENT, "loc_fragment") \
	PROBLEM(SM_LOC_DUPLICATE, "loc_duplicate") \
	PROBLEM(SM_LOC_SLASH_DUPLICATE, "loc_slash_duplicate") \
	PROBLEM(SM_LOC_INDEX_DUPLICATE, "loc_index_duplicate") \
	PROBLEM(SM_SCHEME_MIXED, "scheme_mixed") \
	PROBLEM(SM_LASTMOD_IN_FUTURE, "lastmod_in_future") \
	PROBLEM(SM_DATE_BEFORE_1970, "date_before_1970") \
	PROBLEM(SM_NEWS_TOO_OLD, "news_too_old") \
	PROBLEM(SM_NEWS_IN_FUTURE, "news_in_future") \
	PROBLEM(SM_VIDEO_IN_FUTURE, "video_in_future") \
	PROBLEM(SM_VIDEO_EXPIRED, "video_expired") \
	PROBLEM(SM_URL_SUSPICIOUS, "url_suspicious") \
	PROBLEM(SM_TEXT_SUSPICIOUS, "text_suspicious") \
	PROBLEM(SM_HOST_NOT_PUBLIC, "host_not_public") \
	PROBLEM(SM_NAMESPACE_UNKNOWN, "namespace_unknown") \
	PROBLEM(SM_HREFLANG_NOT_SUPPORTED, "hreflang_not_supported") \
	PROBLEM(SM_HREFLANG_SUSPICIOUS, "hreflang_suspicious") \
	PROBLEM(SM_HREFLANG_SAME_URL, "hreflang_same_url") \
	PROBLEM(SM_HREFLANG_LACKS_ITSELF, "hreflang_lacks_itself") \
	PROBLEM(SM_HREFLANG_NOT_RECIPROCAL, "hreflang_not_reciprocal") \
	PROBLEM(SM_HREFLANG_UNLISTED, "hreflang_unlisted") \
	PROBLEM(SM_ROBOTS_DISALLOWED, "robots_disallowed") \
	/* these are problems of the set as a whole */ \
	PROBLEM(SM_LASTMOD_NOW, "lastmod_now") \
	PROBLEM(SM_LASTMOD_UNIFORM, "lastmod_uniform") \
	PROBLEM(SM_DIRECTORY_UNUSED, "directory_unused") \
	PROBLEM(SM_ROW_SECURITY_BYPASSED, "row_security_bypassed") \
	PROBLEM(SM_ORDER_MISSING, "order_missing") \
	PROBLEM(SM_XML_UNCHECKED, "xml_unchecked") \
	PROBLEM(SM_ROBOTS_INVALID, "robots_invalid") \
	PROBLEM(SM_ROBOTS_TOO_LARGE, "robots_too_large") \
	PROBLEM(SM_ROBOTS_BLOCKS_SITEMAP, "robots_blocks_sitemap") \
	PROBLEM(SM_ROBOTS_LACKS_SITEMAP, "robots_lacks_sitemap") \
	PROBLEM(SM_ROBOTS_UNCHECKED, "robots_unchecked") \
	/* sitemap_parse: the reader of the document decides what is lost */ \
	PROBLEM(SM_DOCUMENT_INVALID, "document_invalid")

typedef enum SmProblemName
{
#define SM_SYMBOL(symbol, name) symbol,
	SM_PROBLEMS_LIST(SM_SYMBOL)
	SM_NPROBLEMS
} SmProblemName;

extern const char *const sm_problem_names[SM_NPROBLEMS];

typedef struct SmProblem
{
	SmProblemName name;
	int			sqlerrcode;
	const char *message;		/* as in an error */
	const char *hint;			/* NULL for none */
} SmProblem;

/* the WARNING about what was skipped gives this many reasons at most */
#define SM_MAX_REASONS	5

typedef struct SmProblems SmProblems;

/*
 * Called for each problem.  Returns false if the row is skipped; then the caller stops reading it.
 * Otherwise the caller leaves out the invalid element and goes on.
 */
typedef bool (*SmProblemCallback) (SmProblems *problems, const SmProblem *problem);

struct SmProblems
{
	SmProblemCallback callback; /* NULL: problems are raised as errors */
	void	   *callback_arg;

	/* the current row */
	uint64		row_number;		/* 0 if unknown */
	SmSpan		loc;			/* UTF-8; s is NULL if unknown */
	SmKeyType  *key_type;		/* NULL for no key */
	Datum		key;

	/* for a document that is read: its entries count as rows */
	bool		in_document;
	bool		rest_lost;		/* the rest of the document cannot be read */
	const char *begin;			/* of the document */
	const char *place;			/* of the problem in the document, or NULL */

	/* sm_problems_init_skip: what was skipped, and the first few reasons */
	uint64		nproblems;
	uint64		nrows;
	uint64		nelements;
	int			nreasons;
	StringInfoData reasons;
};

/* Begin to skip rows and elements with problems, in the current memory context. */
extern void sm_problems_init_skip(SmProblems *problems);

/* Are problems described?  After the last reason that is shown, they are only counted. */
static inline bool
sm_problems_are_described(const SmProblems *problems)
{
	return problems->nreasons < SM_MAX_REASONS;
}

/* Report a problem of the current row.  Frees the message.  Returns as SmProblemCallback does. */
extern bool sm_report_problem(SmProblems *problems, SmProblemName name, int sqlerrcode,
							  const char *hint, char *message);

/* The same with a format and its values for the message. */
#define sm_problem(problems, name, sqlerrcode, hint, ...) \
	sm_report_problem(problems, name, sqlerrcode, hint, \
					  sm_problems_are_described(problems) ? psprintf(__VA_ARGS__) : NULL)

/* The same, but always false: for a caller that cannot go on with the element. */
#define sm_refuse(...)	(sm_problem(__VA_ARGS__), false)

/* Raise one WARNING if anything was skipped.  function: SQL function to name in it. */
extern void sm_problems_warn(const SmProblems *problems, const char *function);

#endif
