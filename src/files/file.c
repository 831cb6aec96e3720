/*
 * file.c
 *	  A file of a set, and its row of type sitemap_file.
 */
#include "postgres.h"

#include "files/file.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

const SmFileColumn sm_file_columns[SM_FILE_NCOLUMNS] = {
	[SM_FILE_BASE_URL] = {"base_url", TEXTOID},
	[SM_FILE_SECTION] = {"section", TEXTOID},
	[SM_FILE_NAME] = {"name", TEXTOID},
	[SM_FILE_KIND] = {"kind", TEXTOID},
	[SM_FILE_LOC] = {"loc", TEXTOID},
	[SM_FILE_LASTMOD] = {"lastmod", TIMESTAMPTZOID},
	[SM_FILE_URL_COUNT] = {"url_count", INT4OID},
	[SM_FILE_BYTE_COUNT] = {"byte_count", INT8OID},
	[SM_FILE_DIGEST] = {"digest", TEXTOID},
	[SM_FILE_FIRST_KEY] = {"first_key", TEXTOID},
	[SM_FILE_RECIPE] = {"recipe", TEXTOID},
	[SM_FILE_CONTENT] = {"content", BYTEAOID}
};

/* Values of column kind. */
static const char *const kind_names[] = {
	[SM_URLSET] = "urlset",[SM_INDEX] = SM_KIND_INDEX,[SM_TEXT] = "text"
};

void
sm_put_document(SmDocument *doc, const SmUrlBase *base, const char *name,
				const char *first_key, const char *recipe, SmFileSink *sink)
{
	SmFile		file = {0};
	TimestampTz lastmod = (doc->totals.lastmod - SM_POSTGRES_EPOCH) * USECS_PER_SEC;

	file.kind = doc->kind;
	file.name = name;
	file.base_url = pnstrdup(base->url[SM_FORM_PLAIN], base->len[SM_FORM_PLAIN]);
	file.loc = psprintf("%s%s", file.base_url, name);
	file.lastmod = doc->totals.has_lastmod ? &lastmod : NULL;
	file.url_count = doc->totals.count;
	file.first_key = first_key;
	file.recipe = recipe;
	file.document = sm_document_close(doc);
	file.byte_count = VARSIZE(file.document) - VARHDRSZ;
	sm_digest_hex(sm_digest(VARDATA(file.document), file.byte_count, 0), file.digest);
	sink->put(sink, &file);
}

void
sm_file_values(const SmFile *file, const char *section, Datum *values, bool *nulls)
{
	memset(nulls, 0, SM_FILE_NCOLUMNS * sizeof(bool));
	values[SM_FILE_BASE_URL] = CStringGetTextDatum(file->base_url);
	values[SM_FILE_SECTION] = CStringGetTextDatum(section);
	values[SM_FILE_NAME] = CStringGetTextDatum(file->name);
	values[SM_FILE_KIND] = CStringGetTextDatum(kind_names[file->kind]);
	values[SM_FILE_LOC] = CStringGetTextDatum(file->loc);
	values[SM_FILE_LASTMOD] = TimestampTzGetDatum(file->lastmod ? *file->lastmod : 0);
	nulls[SM_FILE_LASTMOD] = file->lastmod == NULL;
	values[SM_FILE_URL_COUNT] = Int32GetDatum(file->url_count);
	values[SM_FILE_BYTE_COUNT] = Int64GetDatum(file->byte_count);
	values[SM_FILE_DIGEST] = CStringGetTextDatum(file->digest);
	if (file->first_key)
		values[SM_FILE_FIRST_KEY] = CStringGetTextDatum(file->first_key);
	nulls[SM_FILE_FIRST_KEY] = file->first_key == NULL;
	if (file->recipe)
		values[SM_FILE_RECIPE] = CStringGetTextDatum(file->recipe);
	nulls[SM_FILE_RECIPE] = file->recipe == NULL;
	values[SM_FILE_CONTENT] = PointerGetDatum(file->document);
}
