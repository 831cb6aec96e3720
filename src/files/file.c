/*
 * file.c
 *	  A file of a set, and its row of type sitemap_file.
 */
#include "postgres.h"

#include "files/file.h"

#include "catalog/pg_type.h"
#include "server/gzip.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

const SmTableColumn sm_file_columns[SM_FILE_NCOLUMNS] = {
	[SM_FILE_BASE_URL] = {.name = "base_url",.type = TEXTOID},
	[SM_FILE_SECTION] = {.name = "section",.type = TEXTOID},
	[SM_FILE_NAME] = {.name = "name",.type = TEXTOID},
	[SM_FILE_KIND] = {.name = "kind",.type = TEXTOID},
	[SM_FILE_LOC] = {.name = "loc",.type = TEXTOID},
	[SM_FILE_LASTMOD] = {.name = "lastmod",.type = TIMESTAMPTZOID},
	[SM_FILE_URL_COUNT] = {.name = "url_count",.type = INT4OID},
	[SM_FILE_BYTE_COUNT] = {.name = "byte_count",.type = INT8OID},
	[SM_FILE_DIGEST] = {.name = "digest",.type = TEXTOID},
	[SM_FILE_FIRST_KEY] = {.name = "first_key",.type = TEXTOID},
	[SM_FILE_RECIPE] = {.name = "recipe",.type = TEXTOID},
	[SM_FILE_SHOWN] = {.name = "shown",.type = BYTEAOID,.optional = true},
	[SM_FILE_CONTENT] = {.name = "content",.type = BYTEAOID}
};

const char *const sm_file_kinds[] = {
	[SM_URLSET] = "urlset",[SM_INDEX] = "index",[SM_TEXT] = "text"
};

void
sm_put_document(SmDocument *doc, const SmUrlBase *base, SmFile *file, SmFileSink *sink)
{
	char		digest[SM_DIGEST_HEX_LEN + 1] = "";

	file->kind = doc->kind;
	file->base_url = pnstrdup(base->url[SM_FORM_PLAIN], base->len[SM_FORM_PLAIN]);
	file->loc = psprintf("%s%s", file->base_url, file->name);
	file->lastmod = DT_NOBEGIN;
	if (doc->totals.has_lastmod)
		file->lastmod = (doc->totals.lastmod - SM_POSTGRES_EPOCH) * USECS_PER_SEC;
	file->url_count = doc->totals.count;
	file->content = sm_document_close(doc);
	file->byte_count = VARSIZE(file->content) - VARHDRSZ;
	sm_digest_hex(sm_digest(VARDATA(file->content), file->byte_count, 0), digest);
	file->digest = digest;
	sink->put(sink, file);
}

static void
put_column(Datum *values, bool *nulls, int column, const char *s)
{
	nulls[column] = s == NULL;
	if (s)
		values[column] = CStringGetTextDatum(s);
}

void
sm_file_to_row(const SmFile *file, int compression, Datum *values, bool *nulls)
{
	struct varlena *content = file->content;

	if (compression > 0 && content && file->kind != SM_INDEX)
		content = sm_gzip(compression, sm_span(VARDATA(content), VARSIZE(content) - VARHDRSZ));
	memset(nulls, 0, SM_FILE_NCOLUMNS * sizeof(bool));
	put_column(values, nulls, SM_FILE_BASE_URL, file->base_url);
	put_column(values, nulls, SM_FILE_SECTION, file->section);
	put_column(values, nulls, SM_FILE_NAME, file->name);
	put_column(values, nulls, SM_FILE_KIND, sm_file_kinds[file->kind]);
	put_column(values, nulls, SM_FILE_LOC, file->loc);
	values[SM_FILE_LASTMOD] = TimestampTzGetDatum(file->lastmod);
	nulls[SM_FILE_LASTMOD] = TIMESTAMP_IS_NOBEGIN(file->lastmod);
	values[SM_FILE_URL_COUNT] = Int32GetDatum(file->url_count);
	values[SM_FILE_BYTE_COUNT] = Int64GetDatum(file->byte_count);
	put_column(values, nulls, SM_FILE_DIGEST, file->digest);
	put_column(values, nulls, SM_FILE_FIRST_KEY, file->first_key);
	put_column(values, nulls, SM_FILE_RECIPE, file->recipe);
	values[SM_FILE_SHOWN] = PointerGetDatum(file->shown);
	nulls[SM_FILE_SHOWN] = file->shown == NULL;
	values[SM_FILE_CONTENT] = PointerGetDatum(content);
	nulls[SM_FILE_CONTENT] = content == NULL;
}
