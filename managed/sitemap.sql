/*
 * managed/sitemap.sql
 *	  sitemap in plain SQL, for PostgreSQL 15 and later on services that take no extension
 *	  of ours.  doc/managed.md explains it.
 *
 * Run the file in an SQL console, by psql or in a migration; no superuser is needed.
 * Everything goes into the current schema, the first of search_path.  Run the file again
 * to update the functions, or after the schema was renamed.
 *
 * For rows that both accept, sitemap_publish writes what the extension's
 * sitemap_publish(..., split => 'full', compression => 0) writes, byte for byte.
 */

DO $$ BEGIN
	IF current_setting('server_encoding') <> 'UTF8' THEN
		RAISE EXCEPTION 'the encoding of the database must be UTF8' USING ERRCODE = '0A000';
	END IF;
	CREATE TYPE sitemap_file AS (
		base_url text, section text, name text, kind text, loc text, lastmod timestamptz, url_count int,
		byte_count bigint, digest text, first_key text, recipe text, shown bytea, content bytea);
EXCEPTION WHEN duplicate_object THEN	-- the file was run before
END $$;
COMMENT ON TYPE sitemap_file IS 'file of a set of sitemaps, with its URL, counts, digest and content';
COMMENT ON COLUMN sitemap_file.base_url IS 'URL of the directory of the site';
COMMENT ON COLUMN sitemap_file.section IS 'section of the site that the file belongs to';
COMMENT ON COLUMN sitemap_file.name IS 'file name, with its suffix';
COMMENT ON COLUMN sitemap_file.kind IS 'urlset or index';
COMMENT ON COLUMN sitemap_file.loc IS 'URL of the file';
COMMENT ON COLUMN sitemap_file.lastmod IS 'newest lastmod in the file; in a target, when the content last changed';
COMMENT ON COLUMN sitemap_file.url_count IS 'number of entries';
COMMENT ON COLUMN sitemap_file.byte_count IS 'size in bytes';
COMMENT ON COLUMN sitemap_file.digest IS 'hash of the document, in hex, fit for an ETag; NULL if made elsewhere';
COMMENT ON COLUMN sitemap_file.first_key IS 'used by the extension only';
COMMENT ON COLUMN sitemap_file.recipe IS 'used by the extension only';
COMMENT ON COLUMN sitemap_file.shown IS 'used by the extension only';
COMMENT ON COLUMN sitemap_file.content IS 'the document in UTF-8';

-- In the text of a function, "here" stands for the schema.  The end of the file replaces it,
-- so the functions work whatever search_path is.

-- Raises an error, unless problem, its SQLSTATE and message, is NULL.
CREATE OR REPLACE FUNCTION _sitemap_refuse(problem text, detail text DEFAULT 'Nothing was changed.') RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
	RAISE EXCEPTION USING ERRCODE = left(problem, 5), MESSAGE = substr(problem, 7), DETAIL = detail;
END
$$;

-- The W3C datetime of a lastmod; NULL if there is none.
CREATE OR REPLACE FUNCTION _sitemap_time(lastmod timestamp) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN lastmod >= '0001-01-01' AND lastmod < '10000-01-01'
            THEN to_char(lastmod, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') END;
CREATE OR REPLACE FUNCTION _sitemap_time(lastmod timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN _sitemap_time(lastmod AT TIME ZONE 'UTC');
CREATE OR REPLACE FUNCTION _sitemap_time(lastmod date) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN left(_sitemap_time(lastmod::timestamp), 10);

-- Escapes a percent-encoded URL for XML.
CREATE OR REPLACE FUNCTION _sitemap_escape(url text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN replace(replace(url, '&', '&amp;'), '''', '&apos;');

-- Percent-encodes all characters but letters, digits, -._~ and kept.  Escapes such as %C3 stay.
CREATE OR REPLACE FUNCTION _sitemap_percent(value text, kept text DEFAULT '!$&''()*+,;=:@/?') RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
	odd text;
BEGIN
	value := regexp_replace(value COLLATE "C", '%(?![0-9A-Fa-f]{2})', '%25', 'g');
	LOOP
		odd := substring(value COLLATE "C" FROM '[^A-Za-z0-9._~%' || kept || '-]');
		EXIT WHEN odd IS NULL;
		value := replace(value, odd, upper(regexp_replace(encode(convert_to(odd, 'UTF8'), 'hex'), '(..)', E'%\\1', 'g')));
	END LOOP;
	RETURN value;
END
$$;

CREATE OR REPLACE FUNCTION sitemap_encode(segment text, keep text DEFAULT '') RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN keep ~ '[^]:/?#[@!$&''()*+,;=A-Za-z0-9._~-]'
            THEN _sitemap_refuse('22023 invalid keep "' || keep || '": only :/?#[]@!$&''()*+,;= can be kept')
            ELSE _sitemap_percent(replace(segment, '%', '%25'),
                                  regexp_replace(coalesce(keep, ''), '([][-])', E'\\\\\\1', 'g')) END;
COMMENT ON FUNCTION sitemap_encode(text, text) IS 'percent-encode one segment of a path or one value of a query string';

CREATE OR REPLACE FUNCTION _sitemap_entry(loc text, lastmod timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN concat('<sitemap><loc>', _sitemap_escape(loc), '</loc>',
              '<lastmod>' || _sitemap_time(lastmod) || '</lastmod>', '</sitemap>');

-- Checks and percent-encodes a URL, or a path of the site of base.  what: base_url, loc, image or href
CREATE OR REPLACE FUNCTION _sitemap_url(given text, base text, what text, place text DEFAULT 'Nothing was changed.')
RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
	blank constant text := '[\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+';
	port constant text := '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';
	host constant text := '^https?://([a-z0-9_-]+\.)*[a-z_-][a-z0-9_-]*(:' || port || ')?$';
	origin constant text := substring(base FROM '^[^/]*//[^/]*');
	url text COLLATE "C" := regexp_replace(given COLLATE "C", '^' || blank || '|' || blank || '$', '', 'g');
	site text COLLATE "C";
	problem text;
BEGIN
	url := CASE WHEN starts_with(url, '//') THEN split_part(base, '/', 1)
	            WHEN starts_with(url, '/') THEN origin ELSE '' END || left(url, 5000);
	-- What is cut off is too long.  A second "#" is part of the fragment.
	url := here._sitemap_percent(split_part(url, '#', 1)) ||
		coalesce('#' || here._sitemap_percent(substring(url FROM '#(.*)')), '') ||
		CASE WHEN what = 'base_url' AND right(url, 1) <> '/' THEN '/' ELSE '' END;
	site := substring(lower(url) FROM '^https?://[^/?#]*');
	IF site !~ host OR length(site) > 63 AND (length(site) > 261 OR site ~ '[a-z0-9_-]{64}') THEN
		site := NULL;
	END IF;
	problem := CASE
		WHEN given IS NULL THEN '22004: it must not be NULL'
		WHEN what = 'base_url' AND (site IS NULL OR length(url) > 1807 OR
				url ~* '[?#]|/(\.|%2e){1,2}/|//.*/.*\.(xml|txt)(\.gz)?/$')
			THEN '22023: it must be the URL of the directory with the files, such as "https://www.example.com/", whose '
				'host is a name in ASCII'
		WHEN site IS NULL
			THEN '22P02: it must be a path, such as "/page", or an http or https URL with a host name in ASCII'
		WHEN url ~* '^[^?#]*/(\.|%2e){1,2}([/?#]|$)' THEN '0A000: it has a segment "." or ".."'
		WHEN length(url) > CASE what WHEN 'loc' THEN 2047 ELSE 4096 END THEN '22001: it is too long'
		WHEN what = 'loc' AND site <> lower(origin) THEN '22023: it is not of the site of base_url'
		END;
	problem := concat(left(problem, 5), ' invalid ', what, ' "' || left(given, 200) || '"') || substr(problem, 6);
	RETURN coalesce(here._sitemap_refuse(problem, place), url);
END
$$;

-- The value of _sitemap_url for XML.  For most URLs, this is faster.  other: of which hosts, or NULL
CREATE OR REPLACE FUNCTION _sitemap_value(given text, base text, origin text, other text, what text, place text)
RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN _sitemap_escape(coalesce(CASE
	WHEN octet_length(given) > 1500 OR given COLLATE "C" ~ '[^A-Za-z0-9._~!$&''()*+,;=:@/?%-]|/\.|/%2[Ee]' OR
		strpos(given, '%') > 0 AND given COLLATE "C" ~ '%($|.$|[^0-9A-Fa-f]|.[^0-9A-Fa-f])' OR
		starts_with(given, '//') THEN NULL
	WHEN starts_with(given, '/') THEN origin || given
	WHEN starts_with(given, origin || '/') THEN given
	WHEN starts_with(given, 'https://') AND octet_length(split_part(given, '/', 3)) < 64 AND
		split_part(given, '/', 3) COLLATE "C" ~ other THEN given END, _sitemap_url(given, base, what, place)));

-- A sitemap or an index with these entries.  Their values are escaped, so each "<" begins a tag.
CREATE OR REPLACE FUNCTION _sitemap_document(root text, entries text, stylesheet text) RETURNS bytea
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
	document constant bytea := convert_to(concat('<?xml version="1.0" encoding="UTF-8"?>',
		'<?xml-stylesheet type="text/css" href="' || here._sitemap_escape(here._sitemap_percent(stylesheet)) || '"?>',
		'<', root, ' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"',
		CASE WHEN strpos(entries, '<image:') > 0
		     THEN ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"' END,
		CASE WHEN strpos(entries, '<xhtml:') > 0 THEN ' xmlns:xhtml="http://www.w3.org/1999/xhtml"' END,
		'>', entries, '</', root, '>'), 'UTF8');
BEGIN
	PERFORM here._sitemap_refuse(CASE
		WHEN stylesheet !~* '^[^\s?#][^?#]*\.css(\?[^\s>#]*)?$' OR octet_length(stylesheet) > 2047
			THEN '22023 invalid stylesheet "' || left(stylesheet, 200) || '": it must be a URL that ends with .css'
		WHEN length(document) > 52428800
			THEN '54000 a file would have ' || length(document) || ' bytes, more than 52428800: lower max_urls' END);
	RETURN document;
END
$$;

CREATE OR REPLACE FUNCTION sitemap_files(query text, base_url text, section text DEFAULT 'sitemap',
	max_urls int DEFAULT 50000, index text DEFAULT 'auto', stylesheet text DEFAULT NULL)
RETURNS SETOF sitemap_file LANGUAGE plpgsql STABLE COST 100000 ROWS 100
SET jit = off SET standard_conforming_strings = on AS $$
DECLARE
	base constant text := here._sitemap_url(base_url, '', 'base_url');
	-- The line feed ends a comment.
	subquery constant text := '(' || regexp_replace(query, '[\s;]+$', '') || E'\n) AS query';
	-- A column that the query does not have is that of missing.  coalesce refuses other types.
	pages constant text := $sql$(
		SELECT r.*, CASE
			WHEN dated AND r.lastmod IS NULL THEN '22008 invalid lastmod: it must be in the years 0001 to 9999'
			WHEN r.changefreq NOT IN ('always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never')
				THEN '22P02 invalid changefreq "' || left(r.changefreq, 200) || '"'
			WHEN r.priority NOT BETWEEN 0 AND 1 THEN '22003 invalid priority ' || r.priority || ': from 0.0 to 1.0'
			WHEN jsonb_typeof(r.alternates) <> 'object' OR r.alternates @? '$.keyvalue() ? (@.value != null && !(
					@.key like_regex "^(x-default|[A-Za-z]{2}(-[A-Za-z]{4})?(-[A-Za-z]{2})?)$" &&
					@.value.type() == "string"))'
				THEN '22023 invalid alternates ' || left(r.alternates::text, 200) ||
					': they must be an object of languages and URLs, such as {"de-AT": "/de/page"}'
			WHEN cardinality(r.images) > 1000 OR jsonb_array_length(jsonb_path_query_array(r.alternates, '$.*')) > 1000
				THEN '54000 a page can have at most 1000 images and 1000 alternates'
			END AS problem, format('Row %s has the loc %s.', n, coalesce('"' || left(loc, 200) || '"', 'NULL')) AS place
		  FROM (SELECT NULL::timestamptz AS lastmod, NULL::text AS changefreq, NULL::float8 AS priority,
		               NULL::text[] AS images, NULL::jsonb AS alternates) AS missing, LATERAL (
		SELECT row_number() OVER () AS n, coalesce(loc, NULL::text) COLLATE "C" AS loc,
		       lastmod IS NOT NULL AS dated, here._sitemap_time(coalesce(lastmod, NULL::date)) COLLATE "C" AS lastmod,
		       nullif(lower(btrim(coalesce(changefreq, NULL::text) COLLATE "C")), '') AS changefreq,
		       coalesce(priority, NULL::float8) AS priority, coalesce(alternates, NULL::jsonb) AS alternates,
		       array_remove(coalesce(images, NULL::text[]), NULL) AS images
		  FROM $sql$ || subquery || ') AS r) AS page';
BEGIN
	PERFORM here._sitemap_refuse(CASE
		WHEN query IS NULL THEN '22004 query must not be null'
		WHEN section !~ '^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,199}$' OR section IN ('sitemap-index', 'sitemap.xml')
			THEN '22023 invalid section "' || left(section, 200) || '": letters, digits and "-._~", at most 200'
		WHEN max_urls NOT BETWEEN 1 AND 50000 THEN '22023 invalid max_urls ' || max_urls || ': from 1 to 50000'
		WHEN index NOT IN ('auto', 'always', 'never')
			THEN '22023 invalid index "' || index || '": auto, always or never' END);

	-- Names and types of the columns; the query is not executed.
	EXECUTE $sql$
		SELECT here._sitemap_refuse(CASE
		           WHEN name <> ALL ('{loc,lastmod,changefreq,priority,images,alternates}')
		               THEN '42703 unrecognized column "' || name || '" in the query'
		           WHEN count(*) > 1 THEN '42701 column "' || name || '" appears more than once in the query'
		           WHEN NOT bool_or(name = 'loc') OVER () THEN '42703 the query has no column "loc"'
		           END, 'The columns are loc, lastmod, changefreq, priority, images and alternates.')
		  FROM (SELECT query.* FROM (SELECT) AS one LEFT JOIN $sql$ || subquery || $sql$ ON false) AS r,
		       json_object_keys(row_to_json(r)) AS name
		 GROUP BY name$sql$;
	BEGIN
		EXECUTE 'SELECT FROM ' || pages || ' LIMIT 0';
	EXCEPTION WHEN datatype_mismatch OR cannot_coerce THEN
		PERFORM here._sitemap_refuse('42804 loc and changefreq must be text, lastmod timestamptz, timestamp or date, '
			'priority a number, images text[], alternates jsonb', SQLERRM);
	END;

	-- $1 base, $2 section, $3 max_urls, $4 index, $5 stylesheet, $6 scheme and host, $7 most hosts
	RETURN QUERY EXECUTE $sql$
WITH entry AS (
	SELECT n, lastmod, CASE WHEN problem IS NOT NULL THEN here._sitemap_refuse(problem, place) ELSE concat(
	       '<url><loc>', here._sitemap_value(loc, $1, $6, NULL, 'loc', place), '</loc>',
	       '<lastmod>' || lastmod || '</lastmod>',
	       '<changefreq>' || changefreq || '</changefreq>',
	       '<priority>' || to_char(abs(priority), 'FM0.099999') || '</priority>',
	       CASE WHEN alternates IS NOT NULL THEN (
	           SELECT string_agg('<xhtml:link rel="alternate" hreflang="' || key || '" href="' ||
	                             here._sitemap_value(value, $1, $6, $7, 'href', place) || '"/>', '')
	             FROM jsonb_each_text(alternates) WHERE value IS NOT NULL) END,
	       CASE WHEN images IS NOT NULL THEN (
	           SELECT string_agg('<image:image><image:loc>' || here._sitemap_value(image, $1, $6, $7, 'image', place) ||
	                             '</image:loc></image:image>', '')
	             FROM unnest(images) AS image) END,
	       '</url>') END AS element
	  FROM $sql$ || pages || $sql$
	OFFSET 0	-- so that rows are checked in their order
), file AS MATERIALIZED (
	SELECT (n - 1) / $3 + 1 AS number, count(*)::int AS urls, string_agg(element, '' ORDER BY n) AS elements,
	       rpad(max(lastmod), 20, 'T00:00:00Z')::timestamptz AS newest
	  FROM entry GROUP BY (n - 1) / $3
), document AS (
	SELECT concat($2, CASE WHEN $4 = 'always' OR (SELECT count(*) FROM file) > 1 THEN '-' || number END, '.xml')
	           AS name, 'urlset' AS kind, newest, urls, here._sitemap_document('urlset', elements, $5) AS content
	  FROM file
	 UNION ALL
	SELECT 'sitemap.xml', 'index', max(newest), count(*)::int, here._sitemap_document('sitemapindex',
	           string_agg(here._sitemap_entry($1 || $2 || '-' || number || '.xml', newest), '' ORDER BY number), $5)
	  FROM file
	HAVING count(*) > CASE $4 WHEN 'always' THEN 0 WHEN 'auto' THEN 1 END
)
SELECT $1, $2, name, kind, $1 || name, newest, urls, length(content)::bigint, encode(sha256(content), 'hex'),
       NULL::text, NULL::text, NULL::bytea, content
  FROM document$sql$
		USING base, coalesce(section, 'sitemap'), coalesce(max_urls, 50000), coalesce(index, 'auto'), stylesheet,
			substring(base FROM '^[^/]*//[^/]*'), '^([a-z0-9-]+\.)+[a-z]+$';
END
$$;
COMMENT ON FUNCTION sitemap_files(text, text, text, int, text, text) IS 'make the files of a set of sitemaps';

-- Writes a file if it changed.  Returns the action of its row in the result of sitemap_publish.
CREATE OR REPLACE FUNCTION _sitemap_put(target regclass, file sitemap_file) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	columns constant text :=
		'base_url, section, name, kind, loc, lastmod, url_count, byte_count, digest, first_key, recipe, shown, content';
	old record;
BEGIN
	EXECUTE format('SELECT section, kind, digest, CASE WHEN isfinite(lastmod) THEN lastmod END AS lastmod,
			content IS NOT NULL AND (loc, digest, url_count, byte_count) IS NOT DISTINCT FROM
			($1.loc, $1.digest, $1.url_count, $1.byte_count) AS same
		FROM %s WHERE base_url = $1.base_url AND name = $1.name', target) INTO old USING file;
	PERFORM here._sitemap_refuse(CASE
		WHEN old.same IS NOT NULL AND (old.digest IS NULL OR (old.section, old.kind) IS DISTINCT FROM (file.section, file.kind))
			THEN format('42710 section "%s" cannot have a file named "%s"', file.section, file.name) END,
		format('In the target table "%s", section "%s" or another program has a file of that name.', target, old.section));
	-- later than before, even if the clock is not
	file.lastmod := CASE WHEN old.digest = file.digest AND old.lastmod IS NOT NULL THEN old.lastmod
		ELSE greatest(clock_timestamp(), old.lastmod + interval '1 second') END;
	IF old.same IS NULL THEN
		EXECUTE format('INSERT INTO %s (%s) SELECT $1.*', target, columns) USING file;
	ELSIF NOT old.same THEN
		EXECUTE format('UPDATE %s SET (%s) = (SELECT $1.*) WHERE base_url = $1.base_url AND name = $1.name',
			target, columns) USING file;
	END IF;
	RETURN CASE old.same WHEN true THEN 'unchanged' WHEN false THEN 'updated' ELSE 'inserted' END;
END
$$;

CREATE OR REPLACE FUNCTION sitemap_publish(target regclass, query text, base_url text, section text DEFAULT 'sitemap',
	max_urls int DEFAULT 50000, index text DEFAULT 'auto', stylesheet text DEFAULT NULL, max_shrink float8 DEFAULT NULL)
RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint)
LANGUAGE plpgsql COST 100000 ROWS 100
SET standard_conforming_strings = on AS $$
DECLARE
	base constant text := here._sitemap_url(base_url, '', 'base_url');
	of_section constant text := format(
		'FROM %s WHERE base_url = $1 AND section = $2 AND kind <> ''index'' AND digest IS NOT NULL', target);
	count_urls constant text := 'SELECT coalesce(sum(url_count), 0) ' || of_section;
	before bigint;
	after bigint;
	files int;
	document bytea;
BEGIN
	section := coalesce(section, 'sitemap');
	PERFORM here._sitemap_refuse(CASE
		WHEN target IS NULL THEN '22004 target must not be NULL'
		WHEN row_security_active(target)
			THEN format('0A000 cannot publish in table "%s", whose row security applies to you', target)
		WHEN NOT max_shrink BETWEEN 0 AND 1 THEN '22023 invalid max_shrink ' || max_shrink || ': from 0 to 1' END);

	-- Runs of one site queue up.  All later statements have newer snapshots.
	PERFORM pg_advisory_xact_lock(target::oid::int, hashtext(base));
	EXECUTE count_urls INTO before USING base, section;
	RETURN QUERY SELECT f.name, f.kind, here._sitemap_put(target, f), f.url_count, f.byte_count
	  FROM here.sitemap_files(query, base, section, max_urls,
	           CASE WHEN index NOT IN ('auto', 'never') THEN index ELSE 'always' END, stylesheet) AS f
	 WHERE f.kind <> 'index';
	GET DIAGNOSTICS files = ROW_COUNT;
	RETURN QUERY EXECUTE 'DELETE ' || of_section || '
		AND name <> ALL (SELECT $2 || ''-'' || number || ''.xml'' FROM generate_series(1, $3) AS number)
		RETURNING name, kind, ''deleted'', url_count, byte_count' USING base, section, files;
	EXECUTE count_urls INTO after USING base, section;
	PERFORM here._sitemap_refuse(CASE
		WHEN before - after > coalesce(floor(before * max_shrink::numeric), greatest(floor(before * 0.2), 100)) OR
				(after = 0 AND before > 0 AND max_shrink IS DISTINCT FROM 1)
			THEN format('55000 section "%s" would shrink from %s to %s URLs', section, before, after) END,
		'Nothing was changed. If the pages are really gone, set max_shrink to 1 for one run.');

	-- the index of all sections
	IF index = 'never' THEN RETURN; END IF;
	EXECUTE $sql$
		SELECT count(*), here._sitemap_document('sitemapindex',
		           string_agg(here._sitemap_entry(here._sitemap_url(loc, $1, 'loc'), lastmod), ''
		                      ORDER BY section COLLATE "C", octet_length(name), name COLLATE "C"), $2)
		  FROM $sql$ || target || $sql$ WHERE base_url = $1 AND kind <> 'index' AND loc <> ''$sql$
		INTO files, document USING base, stylesheet;
	RETURN QUERY EXECUTE format('DELETE FROM %s WHERE base_url = $1 AND kind = ''index'' AND digest IS NOT NULL
		AND (name <> ''sitemap.xml'' OR $2 = 0)
		RETURNING name, kind, ''deleted'', url_count, byte_count', target) USING base, files;
	IF files > 0 THEN
		RETURN QUERY SELECT 'sitemap.xml', 'index', here._sitemap_put(target, ROW(
				base, 'sitemap', 'sitemap.xml', 'index', base || 'sitemap.xml', NULL, files, length(document),
				encode(sha256(document), 'hex'), NULL, NULL, NULL, document)), files, length(document)::bigint;
	END IF;
END
$$;
COMMENT ON FUNCTION sitemap_publish(regclass, text, text, text, int, text, text, float8) IS
'make the files of a section from a query, and publish them in a table';

DO $$ BEGIN
	EXECUTE (SELECT string_agg(regexp_replace(pg_get_functiondef(oid), E'\\mhere\\.(?=_?sitemap_)',
	                                          replace(schema, E'\\', E'\\\\') || '.', 'g'), ';')
	           FROM pg_proc, quote_ident(current_schema) AS schema
	          WHERE pronamespace = schema::regnamespace AND prosrc ~ E'\\mhere\\._?sitemap_');
END $$;
