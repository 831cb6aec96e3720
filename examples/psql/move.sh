#!/bin/sh
#
# Moves a sitemap that is on the web into a new table, with all the sitemaps that
# it lists if it is an index:
#
#	examples/psql/move.sh https://www.example.com/sitemap.xml moved
#
# The database is the one that psql connects to, which has the extension.  Where
# a file cannot be fetched or read, there is an error and no table.
set -eu
url=$1 table=$2

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

run()
{
	psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --single-transaction \
		--file=- "$@"
}

# The document of each URL that is read, gzipped or not, in base64: lines for COPY.
fetch()
{
	while read -r one; do
		curl --fail --silent --show-error --location --output "$directory/one" "$one"
		base64 "$directory/one" | tr -d '\n'
		echo
	done
}

# Statements that begin with the documents of a file in a table.
with_documents()
{
	printf '%s\n' 'CREATE TEMP TABLE document (content text);' "\\copy document FROM '$directory/$1'"
	cat
}

echo "$url" | fetch >"$directory/documents"
if gzip -cdf "$directory/one" | grep -q '<[a-z:]*sitemapindex'; then
	echo "SELECT loc FROM document, sitemap_parse(decode(content, 'base64'));" |
		with_documents documents | run --output="$directory/urls"
	fetch <"$directory/urls" >"$directory/documents"
fi
with_documents documents <<'END' | run --set=table="$table"
CREATE TABLE :"table" (loc text PRIMARY KEY, lastmod text, changefreq text, priority float8, extensions xml[]);
INSERT INTO :"table"
SELECT p.*
  FROM document, sitemap_parse(decode(content, 'base64')) p
    ON CONFLICT DO NOTHING;
END
