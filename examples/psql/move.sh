#!/bin/sh
#
# Moves a sitemap that is on the web into a new table, with all the sitemaps that it
# lists if it is an index.  Images, videos, news and alternates become values, which
# sitemap_audit checks:
#
#	examples/psql/move.sh https://www.example.com/sitemap.xml moved
#
# psql connects to the database, which must have the extension.  If a file cannot be
# fetched or read, the script fails and makes no table.
set -eu
if [ $# != 2 ]; then
	echo "usage: $0 URL TABLE" >&2
	exit 2
fi
url=$1 table=$2

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
export PGCLIENTENCODING=UTF8

# Read URLs, one a line, and fetch their documents, gzipped or not.  Print a line for
# COPY for each: the URL and the bytes in base64.  A URL may come from a stranger's
# file, so curl must take it for a URL and must not use other protocols.
fetch()
{
	while read -r one; do
		[ -n "$one" ] || continue
		curl --fail --silent --show-error --location --globoff --proto =http,https \
			--output "$directory/one" --url "$one" </dev/null ||
			{ echo "cannot fetch $one" >&2; exit 1; }
		printf '%s\t' "$one"
		base64 "$directory/one" | tr -d '\n'
		echo
	done
}

# Run the statements on stdin.  The table document has the fetched documents.
with_documents()
{
	{
		cat <<'SQL'
CREATE TEMP TABLE document (url text, content text);
\copy document FROM pstdin
CREATE FUNCTION pg_temp.entries(document)
RETURNS TABLE (loc text, lastmod text, changefreq text, priority float8, extensions xml[])
LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT * FROM sitemap_parse(decode($1.content, 'base64'));
EXCEPTION WHEN OTHERS THEN
	RAISE EXCEPTION '%: %', $1.url, SQLERRM;
END
$$;
SQL
		cat
	} >"$directory/statements"
	psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --set=table="$table" \
		--single-transaction --file="$directory/statements" <"$directory/documents"
}

echo "$url" | fetch >"$directory/documents"
kind=$(with_documents <<'SQL'
SELECT sitemap_kind(decode(content, 'base64')) FROM document;
SQL
)
if [ "$kind" = index ]; then
	with_documents >"$directory/urls" <<'SQL'
SELECT sitemap_text_agg(loc) FROM document, pg_temp.entries(document);
SQL
	fetch <"$directory/urls" >"$directory/fetched"
	mv "$directory/fetched" "$directory/documents"
fi
with_documents <<'SQL'
DO $$
DECLARE
	nested text := min(url) FROM document WHERE sitemap_kind(decode(content, 'base64')) = 'index';
BEGIN
	IF nested IS NOT NULL THEN
		RAISE EXCEPTION '% is an index that is listed in an index', nested;
	END IF;
END
$$;
CREATE TABLE :"table" AS
SELECT loc, lastmod, changefreq, priority, value.*
  FROM document, pg_temp.entries(document) entry, sitemap_columns(entry.extensions) value;
SQL
