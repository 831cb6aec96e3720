/*
 * rules.h
 *	  Rules that concern a page and all its extension elements together.
 */
#ifndef SM_RULES_H
#define SM_RULES_H

#include "entry/entry.h"
#include "lib/stringinfo.h"
#include "server/problem.h"

/* What an extension element says about its page. */
typedef enum SmFactName
{
	SM_FACT_NONE,
	SM_FACT_IMAGE,
	SM_FACT_IMAGE_LOC,
	SM_FACT_THUMBNAIL_LOC,
	SM_FACT_CONTENT_LOC,
	SM_FACT_PLAYER_LOC,
	SM_FACT_UPLOADER_INFO,
	SM_FACT_NEWS,
	SM_FACT_PUBLICATION_DATE,
	SM_FACT_LINK
} SmFactName;

typedef struct SmFact
{
	SmFactName	name;
	SmSpan		value;			/* a URL or a date; of a link, the hreflang as
								 * in XML, with references */
	SmSpan		href;			/* of a link, as in XML; s is NULL for none */
} SmFact;

/*
 * Called for each URL of an image or a video.  what: noun phrase for the URL.
 */
typedef void (*SmFoundMedia) (void *arg, const char *what, SmSpan url);

/*
 * The state of the rules for one page: what its extension elements say.  Initially all
 * zeros.
 */
typedef struct SmRules
{
	SmSpan		loc;			/* of the page, as written in its <loc> */
	uint32		namespaces;		/* namespaces that the document has to
								 * declare, SM_NS_… */
	int			images;
	bool		has_news;
	SmSpan		news_date;		/* publication date of the news; s is NULL if
								 * not given */
	int			nlinks;
	int			max_links;
	SmLink	   *links;			/* s of href is NULL if there is none */
	struct languages_hash *languages;	/* languages of the links; NULL if
										 * there are none */
	bool		needs_hrefs;	/* are hrefs of links in ready-made XML
								 * needed? */
	SmFoundMedia found_media;	/* NULL if URLs of media are not needed */
	void	   *found_media_arg;

	/* facts of the element or item that is being read */
	int			nfacts;
	int			max_facts;
	SmFact	   *facts;
} SmRules;

/* Add an image or a link of the page.  Returns false if it breaks a rule. */
extern bool sm_rules_add_image(SmRules *rules, SmSpan url, SmProblems *problems,
							   SmProblemName name);
extern bool sm_rules_add_link(SmRules *rules, const SmLink *link, SmProblems *problems);

/*
 * Check the rule for a URL: a video's URL must not be the page's, and an uploader's
 * URL must be on the page's domain.  name: the URL's field or element.  given: the
 * URL as it was given.  written: as it is written in XML.
 */
extern bool sm_rules_check_url(const SmRules *rules, SmFactName fact, const char *name,
							   SmSpan given, SmSpan written, SmProblems *problems,
							   SmProblemName problem);

/* Begin to note the facts of an extension element or an item. */
static inline void
sm_rules_begin(SmRules *rules)
{
	rules->nfacts = 0;
}

/* Note a fact.  Its spans must stay until the facts are added. */
extern void sm_rules_note(SmRules *rules, SmFactName name, SmSpan value);
extern void sm_rules_note_link(SmRules *rules, SmSpan hreflang, SmSpan href);

/*
 * Add the noted facts to the facts of the page.  Returns false if a fact breaks a
 * rule; then none is added, and the problem has this name.
 */
extern bool sm_rules_add_facts(SmRules *rules, SmProblems *problems, SmProblemName name);

#endif
