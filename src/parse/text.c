/*
 * text.c
 *	  Text sitemaps: a URL on each line.
 *
 * Lines end in LF, CR or both.  A line has to begin with a scheme and "://", which tells
 * a text sitemap from an error page or another format.  The rest of the URL is not
 * checked.
 */
#include "postgres.h"

#include "parse/text.h"

#include "core/text.h"
#include "core/url.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

void
sm_text_parser_init(SmTextParser *p, const SmInput *input, SmProblems *problems)
{
	p->s = input->content.s;
	p->end = input->content.s + input->content.len;
	p->is_cut = input->broken != NULL;
	p->problems = problems;
}

/* The next line that is not blank; false if there is none. */
static bool
next_line(SmTextParser *p, SmSpan *line)
{
	while (p->s < p->end)
	{
		line->s = p->s;
		while (p->s < p->end && *p->s != '\n' && *p->s != '\r')
			p->s++;
		if (p->s == p->end && p->is_cut)
			return false;		/* the line may be incomplete */
		line->len = p->s - line->s;
		if (p->s < p->end)
			p->s++;
		*line = sm_trim(*line);
		if (line->len > 0)
			return true;
		CHECK_FOR_INTERRUPTS();
	}
	return false;
}

static bool
is_utf8(SmSpan line)
{
	return pg_verify_mbstr(PG_UTF8, line.s, line.len, true);
}

static bool
begins_url(SmSpan line)
{
	size_t		scheme = sm_url_scheme(line.s, line.len);

	return scheme > 0 && line.len - scheme >= 3 && memcmp(line.s + scheme, "://", 3) == 0;
}

bool
sm_text_parser_next(SmTextParser *p, SmRow *row)
{
	memset(row, 0, sizeof(*row));
	while (next_line(p, &row->loc))
	{
		CHECK_FOR_INTERRUPTS();

		p->problems->place = row->loc.s;
		if (!is_utf8(row->loc))
			sm_problem(p->problems, SM_URL_ELEMENT_INVALID, ERRCODE_CHARACTER_NOT_IN_REPERTOIRE,
					   NULL, "the line is neither XML nor text in UTF-8");
		else if (!begins_url(row->loc))
			sm_problem(p->problems, SM_URL_ELEMENT_INVALID, ERRCODE_INVALID_XML_DOCUMENT,
					   NULL, "the line is neither XML nor a URL");
		else
			return true;
	}
	return false;
}

bool
sm_text_is_sitemap(const SmInput *input)
{
	SmTextParser p;
	SmSpan		line;

	sm_text_parser_init(&p, input, NULL);
	return next_line(&p, &line) && is_utf8(line) && begins_url(line);
}
