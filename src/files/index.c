/*
 * index.c
 *	  Makes the index that lists the files of a set.
 *
 * A full index continues in a further one (names.c).
 */
#include "postgres.h"

#include "files/index.h"

#include "entry/value.h"
#include "entry/writer.h"
#include "files/names.h"
#include "nodes/pg_list.h"
#include "text/w3cdate.h"

struct SmIndex
{
	MemoryContext context;
	const SmOptions *options;
	SmEntryWriter writer;
	List	   *documents;		/* of SmDocument; all but the last one are
								 * full */
};

static SmDocument *
add_document(SmIndex *index)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(index->context);
	SmDocument *doc = palloc_object(SmDocument);

	sm_document_init(doc, SM_INDEX, index->options->protocol, index->options->stylesheet);
	index->documents = lappend(index->documents, doc);
	MemoryContextSwitchTo(oldcontext);
	return doc;
}

SmIndex *
sm_index_create(const SmOptions *options)
{
	SmIndex    *index = palloc0_object(SmIndex);

	index->context = CurrentMemoryContext;
	index->options = options;
	sm_entry_writer_init(&index->writer, SM_INDEX);
	index->writer.ascii = false;	/* files are UTF-8 in every database */
	return index;
}

void
sm_index_add(SmIndex *index, SmSpan loc, TimestampTz lastmod)
{
	SmRow		row = {.loc = loc};
	SmDocument *doc = index->documents != NIL ? llast(index->documents) : add_document(index);
	SmEntry		entry;
	char		unused[SM_W3C_SECONDS_LEN];

	/* a file that another program makes can have any lastmod */
	if (sm_w3c_format_seconds(sm_timestamp_seconds(lastmod), unused))
	{
		row.lastmod.type = SM_VALUE_INSTANT;
		row.lastmod.v.integer = lastmod;
	}

	sm_append_entry(&index->writer, &row, &doc->buf, &entry);
	if (!sm_document_fits(doc, &entry))
	{
		doc->buf.len = doc->end;
		doc = add_document(index);
		sm_append_entry(&index->writer, &row, &doc->buf, &entry);
	}
	sm_document_add(doc, &entry);
}

void
sm_index_put(SmIndex *index, const char *name, const char *section, SmFileSink *sink)
{
	ListCell   *lc;

	foreach(lc, index->documents)
	{
		SmFile		file = {.section = section};

		file.name = sm_index_name(name, foreach_current_index(lc) + 1);
		sm_put_document(lfirst(lc), &index->options->base, &file, sink);
	}
}
