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

DO $$
BEGIN
	IF current_setting('server_encoding') <> 'UTF8' THEN
		RAISE EXCEPTION 'the encoding of the database must be UTF8' USING ERRCODE = '0A000';
	END IF;
	IF to_regtype(quote_ident(current_schema) || '.sitemap_file') IS NULL THEN
		CREATE TYPE sitemap_file AS (
			base_url text, section text, name text, kind text, loc text, lastmod timestamptz,
			url_count int, byte_count bigint, digest text, first_key text, recipe text,
			shown bytea, content bytea);
	END IF;
END
$$;
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

-- The functions call each other as sitemap_schema.name.  The end of the file replaces
-- sitemap_schema by the schema, so they work whatever search_path is.
SET check_function_bodies = off;

-- problem: SQLSTATE and message; NULL: none.  place: the row
CREATE OR REPLACE FUNCTION _sitemap_refuse(problem text, place text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
	IF problem IS NOT NULL THEN
		RAISE EXCEPTION USING ERRCODE = left(problem, 5), MESSAGE = substr(problem, 7), DETAIL = coalesce(place, 'Nothing was changed.');
	END IF;
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION _sitemap_refuse(text, text) IS 'raise an error if there is a problem';

CREATE OR REPLACE FUNCTION _sitemap_escape(value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT replace(replace(value, '&', '&amp;'), '''', '&apos;')
$$;
COMMENT ON FUNCTION _sitemap_escape(text) IS 'escape a percent-encoded URL for XML';

CREATE OR REPLACE FUNCTION _sitemap_time(lastmod timestamptz) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT CASE WHEN lastmod >= '0001-01-01 00:00Z' AND lastmod < '10000-01-01 00:00Z'
            THEN to_char(lastmod AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') END
$$;
COMMENT ON FUNCTION _sitemap_time(timestamptz) IS 'W3C datetime of an instant; NULL if there is none';

-- kept: reserved characters that stay, as in the brackets of a regular expression.
-- Escapes such as %C3 stay as well.
CREATE OR REPLACE FUNCTION _sitemap_percent(value text, kept text DEFAULT '!$&''()*+,;=:@/?') RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
	odd constant text := '[^A-Za-z0-9._~%' || kept || '-]';
	one text;
BEGIN
	value := regexp_replace(value COLLATE "C", '%(?![0-9A-Fa-f]{2})', '%25', 'g');
	WHILE value COLLATE "C" ~ odd LOOP
		one := substring(value COLLATE "C" FROM odd);
		value := replace(value COLLATE "C", one, upper(regexp_replace(encode(convert_to(one, 'UTF8'), 'hex'), '(..)', '%\1', 'g')));
	END LOOP;
	RETURN value;
END
$$;
COMMENT ON FUNCTION _sitemap_percent(text, text) IS 'percent-encode all but some characters';

CREATE OR REPLACE FUNCTION sitemap_encode(segment text, keep text DEFAULT '') RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
	IF keep ~ '[^]:/?#[@!$&''()*+,;=A-Za-z0-9._~-]' THEN
		PERFORM sitemap_schema._sitemap_refuse('22023 invalid keep "' || keep || '": only :/?#[]@!$&''()*+,;= can be kept');
	END IF;
	RETURN sitemap_schema._sitemap_percent(replace(segment, '%', '%25'), regexp_replace(coalesce(keep, ''), '([][-])', '\\\1', 'g'));
END
$$;
COMMENT ON FUNCTION sitemap_encode(text, text) IS 'percent-encode one segment of a path or one value of a query string';

/*
 * RFC 3986.  base: base_url as this function returned it; what: base_url, loc, image or
 * href.  What is 'site' returns scheme, host and port in canonical form.
 */
CREATE OR REPLACE FUNCTION _sitemap_url(given text, base text, what text, place text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
	blank constant text := '[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+';
	origin constant text := split_part(base, '/', 1) || '//' || split_part(base, '/', 3);
	-- of most URLs
	path constant text := CASE WHEN starts_with(given, origin || '/') THEN substr(given, length(origin) + 1) ELSE given END COLLATE "C";
	url text;
	absolute text;
	part text[];
	site text;
	result text;
	problem text;
BEGIN
	IF base <> '' AND octet_length(path) < 500 AND starts_with(path, '/') AND path !~ ('^//|/\.|%2[Ee]|#|' || blank || '$') THEN
		RETURN origin || sitemap_schema._sitemap_percent(path);
	END IF;

	url := regexp_replace(given COLLATE "C", '^' || blank || '|' || blank || '$', '', 'g');
	absolute := CASE WHEN base = '' OR url ~ '^[A-Za-z][A-Za-z0-9+.-]*:' THEN ''
	                 WHEN starts_with(url, '//') THEN split_part(base, '/', 1)
	                 WHEN starts_with(url, '/') THEN origin
	                 ELSE base END || url;
	-- 1 scheme, 2 user, 3 host, 4 port, 5 path and query, 6 fragment
	part := regexp_match(absolute, '^(https?)://(?:([^/?#\\]*)@)?(\[[^]/?#@]*\]|[^/?#@:\\]*)(?::([0-9]{0,5}))?((?:[/?][^#]*)?)(?:#(.*))?$', 'i');
	site := lower(part[1] || '://' || rtrim(part[3], '.')) || ':' ||
		coalesce(nullif(part[4], '')::int, CASE lower(part[1]) WHEN 'https' THEN 443 ELSE 80 END);
	IF what = 'site' THEN
		RETURN site;
	END IF;
	result := part[1] || '://' || coalesce(sitemap_schema._sitemap_percent(part[2], '!$&''()*+,;=:') || '@', '') || part[3] || coalesce(':' || part[4], '') ||
		sitemap_schema._sitemap_percent(part[5]) || coalesce('#' || sitemap_schema._sitemap_percent(part[6]), '');
	problem := CASE
		WHEN url IS NULL THEN '22004 it must not be NULL'
		WHEN url = '' THEN '22P02 it is empty'
		WHEN absolute <> url AND octet_length(url) > 4096 THEN '22001 relative, and longer than 4096 bytes'
		WHEN absolute <> url AND url ~ '^[^/?#]*:' THEN '22P02 no valid scheme before the first colon'
		WHEN absolute <> url AND (url ~* '^www\.[^/?#]' OR lower(substring(url FROM '^[^/?#]+')) = substring(lower(base) FROM '://(?:www\.)?([^/:]*)'))
			THEN '22P02 no scheme before the host name'
		WHEN absolute <> url AND url ~* '^(?!//)([^?#]*/)?(\.|%2e){1,2}([/?#]|$)' THEN '0A000 relative, with a segment "." or ".."'
		WHEN octet_length(concat(part[2] || '@', part[3], ':' || part[4])) > 1024 THEN '22001 user, host and port are longer than 1024 bytes'
		WHEN part IS NULL OR nullif(part[4], '')::int NOT BETWEEN 1 AND 65535 THEN '22P02 not an absolute URL with http or https, a host and a valid port'
		WHEN part[3] ~ '[^\x01-\x7f]' THEN '0A000 the host is not in its ASCII form (xn--...)'
		-- a name or an IPv6 address; and what ends with a number is an IPv4 address
		WHEN part[3] !~ '^(([A-Za-z0-9_~-]+\.)*[A-Za-z0-9_~-]+\.?|\[[0-9A-Fa-f:.]+\])$' OR
			(length(part[3]) > 63 AND (part[3] ~ '[^.]{64}' OR length(rtrim(part[3], '.')) > 253)) OR
			(part[3] ~* '(^|\.)(0x[0-9a-f]*|[0-9]+)\.?$' AND
			 part[3] !~ '^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\.(?=[0-9])|\.?$)){4}$') THEN '22P02 the host is not a valid name or address'
		WHEN what = 'loc' AND length(result) > 2047 THEN '22001 longer than 2047 characters after percent-encoding'
		WHEN what = 'loc' AND site <> sitemap_schema._sitemap_url(base, '', 'site', NULL)
			THEN '22023 scheme, host or port is not that of base_url; a path, such as "/page", is of the same site'
		END;
	IF what = 'base_url' THEN
		result := regexp_replace(result, '/?$', '/');
		-- Refused: user, query, fragment and dot segment; a file; what is too long for the names of files.
		IF problem !~ '^22004' OR result ~ '//[^/]*@|[?#]|/(\.|%2[Ee]){1,2}/' OR url ~* '//.*/.+\.(xml|txt)(\.gz)?$' OR length(result) > 1807 THEN
			problem := '22023 it is the URL of the directory that the files will be served from, such as "https://www.example.com/"';
		END IF;
	END IF;
	IF problem IS NULL THEN
		RETURN result;
	END IF;
	RETURN sitemap_schema._sitemap_refuse(left(problem, 5) || ' invalid ' || what || coalesce(' "' || left(given, 200) || '": ', ': ') || substr(problem, 7), place);
END
$$;
COMMENT ON FUNCTION _sitemap_url(text, text, text, text) IS 'check and percent-encode a URL';

CREATE OR REPLACE FUNCTION _sitemap_date(date text, place text) RETURNS timestamptz
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
	form constant text := '^[0-9]{4}(-[0-9]{2}(-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2}))?)?)?$';
	values constant text := '^(?!0000)....(-(0[1-9]|1[0-2])(-(0[1-9]|[12].|3[01])(T([01].|2[0-3]):[0-5].(:[0-5].*)?(Z|.(0.|1[0-3]):[0-5].|.14:00))?)?)?$';
	-- A year or a month is its first day.
	whole constant text := regexp_replace(date, '\.[0-9]+', '') || substr('yyyy-01-01T00:00Z', length(date) + 1);
	result timestamptz;
BEGIN
	IF date !~ form THEN
		PERFORM sitemap_schema._sitemap_refuse('22007 invalid lastmod "' || left(date, 200) || '": W3C datetimes look like 2026-01-02 or 2026-01-02T03:04:05Z', place);
	ELSIF date ~ values AND substr(whole, 9, 2)::int <= date_part('day', (left(whole, 8) || '01')::date + interval '1 month - 1 day') THEN
		result := whole::timestamptz;
	END IF;
	IF sitemap_schema._sitemap_time(result) IS NULL THEN
		PERFORM sitemap_schema._sitemap_refuse('22008 invalid lastmod "' || date || '": there is no such date or time in the years 0001 to 9999', place);
	END IF;
	RETURN result;
END
$$;
COMMENT ON FUNCTION _sitemap_date(text, text) IS 'check a W3C datetime, and return it as an instant';

CREATE OR REPLACE FUNCTION _sitemap_elements(alternates jsonb, images text[], base text, place text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
	elements text := '';
	language text;
	languages text[] := '{}';
	href jsonb;
	image text;
BEGIN
	IF jsonb_typeof(alternates) <> 'object' THEN
		PERFORM sitemap_schema._sitemap_refuse('22023 alternates must be a JSON object, such as {"en": "/en/page", "de": "/de/page"}', place);
	END IF;
	FOR language, href IN SELECT btrim(key, E' \t\n\v\f\r') COLLATE "C", value FROM jsonb_each(alternates) WHERE value <> 'null' LOOP
		elements := elements || CASE
			WHEN jsonb_typeof(href) <> 'string' THEN sitemap_schema._sitemap_refuse('22023 the value of "' || language || '" in alternates must be a string', place)
			WHEN language !~ '^(x-default|[A-Za-z]{2}(-[A-Za-z]{4})?(-[A-Za-z]{2})?)$' OR lower(language) = ANY (languages)
				THEN sitemap_schema._sitemap_refuse('22023 hreflang "' || left(language, 200) || '" is repeated, or neither x-default nor a language such as de-AT', place)
			ELSE '<xhtml:link rel="alternate" hreflang="' || language || '" href="' ||
				sitemap_schema._sitemap_escape(sitemap_schema._sitemap_url(href #>> '{}', base, 'href', place)) || '"/>' END;
		languages := languages || lower(language);
	END LOOP;
	images := array_remove(coalesce(images, '{}'), NULL);
	FOREACH image IN ARRAY images LOOP
		elements := elements || '<image:image><image:loc>' ||
			sitemap_schema._sitemap_escape(sitemap_schema._sitemap_url(image, base, 'image', place)) || '</image:loc></image:image>';
	END LOOP;
	IF greatest(cardinality(languages), cardinality(images)) > 1000 THEN
		PERFORM sitemap_schema._sitemap_refuse('54000 a page can have at most 1000 images and 1000 alternates', place);
	END IF;
	RETURN elements;
END
$$;
COMMENT ON FUNCTION _sitemap_elements(jsonb, text[], text, text) IS 'elements of the alternates and images of a page';

-- A "<" in entries always begins a tag, since all values are escaped.
CREATE OR REPLACE FUNCTION _sitemap_document(root text, entries text, stylesheet text) RETURNS bytea
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
	href text := btrim(stylesheet, E' \t\n\v\f\r') COLLATE "C";
	document bytea;
BEGIN
	IF href !~* '^[^?#]+\.css([?#]|$)' OR href ~ '\?>' OR octet_length(href) > 2047 THEN
		PERFORM sitemap_schema._sitemap_refuse('22023 invalid stylesheet "' || left(href, 200) || '": it must be a URL that ends with .css, without "?>"');
	END IF;
	href := sitemap_schema._sitemap_percent(substring(href FROM '^[^#]*')) || coalesce('#' || sitemap_schema._sitemap_percent(substring(href FROM '#(.*)')), '');
	document := convert_to('<?xml version="1.0" encoding="UTF-8"?>' ||
		coalesce('<?xml-stylesheet type="text/css" href="' || sitemap_schema._sitemap_escape(href) || '"?>', '') ||
		'<' || root || ' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"' ||
		CASE WHEN strpos(entries, '<image:') > 0 THEN ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"' ELSE '' END ||
		CASE WHEN strpos(entries, '<xhtml:') > 0 THEN ' xmlns:xhtml="http://www.w3.org/1999/xhtml"' ELSE '' END ||
		'>' || entries || '</' || root || '>', 'UTF8');
	IF length(document) > 52428800 THEN
		RAISE EXCEPTION 'a file would have % bytes', length(document) USING ERRCODE = '54000',
			DETAIL = 'A sitemap can have 52428800 bytes.', HINT = 'Lower max_urls.';
	END IF;
	RETURN document;
END
$$;
COMMENT ON FUNCTION _sitemap_document(text, text, text) IS 'sitemap or index with these entries';

CREATE OR REPLACE FUNCTION sitemap_files(query text, base_url text, section text DEFAULT 'sitemap',
	max_urls int DEFAULT 50000, index text DEFAULT 'auto', stylesheet text DEFAULT NULL)
RETURNS SETOF sitemap_file
LANGUAGE plpgsql STABLE COST 100000 ROWS 100 AS $$
DECLARE
	base constant text := sitemap_schema._sitemap_url(base_url, '', 'base_url', NULL);
	-- the line feed ends a comment
	subquery constant text := '(' || regexp_replace(query, '[\s;]+$', '') || E'\n) AS query';
	-- A column that the query does not have is that of missing.
	source constant text := $sql$(
		SELECT q.* FROM (SELECT NULL::timestamptz AS lastmod, NULL::text AS changefreq, NULL::float8 AS priority, NULL::text[] AS images, NULL::jsonb AS alternates) AS missing,
		       LATERAL (SELECT loc, lastmod, changefreq, priority, images, alternates FROM $sql$ || subquery || ') AS q) AS q';
	names text[];
	types text[];
	given text;
	written text;
	instant text;
BEGIN
	section := coalesce(section, 'sitemap') COLLATE "C";
	max_urls := coalesce(max_urls, 50000);
	index := lower(btrim(coalesce(index, 'auto')));
	PERFORM sitemap_schema._sitemap_refuse(CASE
		WHEN query IS NULL THEN '22004 query must not be null'
		WHEN section !~ '^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,199}$' OR section IN ('sitemap-index', 'sitemap.xml')
			THEN '22023 invalid section "' || left(section, 200) || '": it can have up to 200 letters, digits, "-", ".", "_" and "~"'
		WHEN max_urls NOT BETWEEN 1 AND 50000 THEN '22023 invalid max_urls ' || max_urls || ': it must be from 1 to 50000'
		WHEN index NOT IN ('auto', 'always', 'never') THEN '22023 invalid index "' || index || '": it must be auto, always or never'
		END);

	-- Names and types of the columns; the query is not executed.  With coalesce, a domain has the type beneath.
	EXECUTE 'SELECT ARRAY(SELECT json_object_keys(row_to_json(r))) FROM (SELECT query.* FROM (SELECT) AS one LEFT JOIN ' || subquery || ' ON false) AS r' INTO names;
	PERFORM sitemap_schema._sitemap_refuse(CASE
		WHEN name <> ALL ('{loc,lastmod,changefreq,priority,images,alternates}') THEN '42703 unrecognized column "' || name || '" in the query'
		WHEN count(*) > 1 THEN '42701 column "' || name || '" appears more than once in the query'
		WHEN 'loc' <> ALL (names) THEN '42703 the query has no column "loc"'
		END, 'The columns are loc, lastmod, changefreq, priority, images and alternates.') FROM unnest(names) AS name GROUP BY name;
	EXECUTE $sql$
		SELECT ARRAY(SELECT CASE WHEN typcategory IN ('S', 'E') THEN 'text' ELSE format_type(oid, NULL) END
		               FROM unnest(given) WITH ORDINALITY AS g (type, n) JOIN pg_type ON oid = type ORDER BY n)
		  FROM (SELECT ARRAY[pg_typeof(coalesce(q.loc, NULL)), pg_typeof(coalesce(q.lastmod, NULL)), pg_typeof(coalesce(q.changefreq, NULL)),
		                     pg_typeof(coalesce(q.priority, NULL)), pg_typeof(coalesce(q.images, NULL)), pg_typeof(coalesce(q.alternates, NULL))]::oid[]
		          FROM (SELECT) AS one LEFT JOIN $sql$ || source || ' ON false) AS t (given)' INTO types;
	PERFORM sitemap_schema._sitemap_refuse(format('42804 column "%s" of the query must be of type %s, not %s', name, expected, types[n]))
	   FROM (VALUES (1, 'loc', 'text'),
	                (2, 'lastmod', 'timestamp with time zone, timestamp without time zone, date or text'),
	                (3, 'changefreq', 'text'),
	                (4, 'priority', 'double precision, real, numeric, bigint, integer or smallint'),
	                (5, 'images', 'text[] or character varying[]'),
	                (6, 'alternates', 'jsonb')) AS c (n, name, expected)
	  WHERE types[n] <> ALL (regexp_split_to_array(expected, ', | or '));

	-- lastmod: its value, as it is written, and as an instant
	SELECT l.given, l.written, l.instant INTO given, written, instant
	  FROM (VALUES ('timestamp with time zone', 'q.lastmod', 'sitemap_schema._sitemap_time(lastmod)', 'lastmod'),
	               ('timestamp without time zone', 'q.lastmod AT TIME ZONE ''UTC''', 'sitemap_schema._sitemap_time(lastmod)', 'lastmod'),
	               ('date', 'CASE WHEN q.lastmod >= ''10000-01-01'' THEN ''infinity'' ELSE q.lastmod::timestamp AT TIME ZONE ''UTC'' END', 'left(sitemap_schema._sitemap_time(lastmod), 10)', 'lastmod'),
	               ('text', 'nullif(btrim(q.lastmod::text COLLATE "C", E'' \t\n\v\f\r''), '''')', 'lastmod', 'sitemap_schema._sitemap_date(lastmod, place)'))
	       AS l (type, given, written, instant)
	 WHERE type = types[2];

	-- $1 base, $2 section, $3 max_urls, $4 index, $5 stylesheet, $6 scheme and host, $7 what most URLs do not have
	RETURN QUERY EXECUTE $sql$
WITH page AS (
	SELECT row_number() OVER () AS n, q.loc::text COLLATE "C" AS loc, $sql$ || given || $sql$ AS lastmod,
	       nullif(lower(btrim(q.changefreq::text COLLATE "C", E' \t\n\v\f\r')), '') AS changefreq,
	       q.priority::float8 AS priority, q.images::text[] AS images, q.alternates::jsonb AS alternates
	  FROM $sql$ || source || $sql$
), entry AS (
	SELECT n, '<url><loc>' || sitemap_schema._sitemap_escape(
	           CASE WHEN starts_with(loc, $6 || '/') AND octet_length(loc) < 1500 AND loc !~ $7 THEN loc
	                WHEN starts_with(loc, '/') AND octet_length(loc) < 1500 AND loc !~ ($7 || '|^//|/\.') THEN $6 || loc
	                ELSE sitemap_schema._sitemap_url(loc, $1, 'loc', place) END) || '</loc>' ||
	       CASE WHEN lastmod IS NULL THEN ''
	            ELSE coalesce('<lastmod>' || $sql$ || written || $sql$ || '</lastmod>',
	                          sitemap_schema._sitemap_refuse('22008 invalid lastmod: infinity and years outside 0001 to 9999 cannot be written', place)) END ||
	       CASE WHEN changefreq IS NULL THEN ''
	            WHEN changefreq IN ('always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never') THEN '<changefreq>' || changefreq || '</changefreq>'
	            ELSE sitemap_schema._sitemap_refuse('22P02 invalid changefreq "' || left(changefreq, 200) || '"', place) END ||
	       CASE WHEN priority IS NULL THEN ''
	            WHEN priority BETWEEN 0 AND 1 THEN '<priority>' || to_char(abs(priority), 'FM0.099999') || '</priority>'
	            ELSE sitemap_schema._sitemap_refuse('22003 invalid priority ' || priority || ': must be from 0.0 to 1.0', place) END ||
	       CASE WHEN alternates IS NULL AND images IS NULL THEN '' ELSE sitemap_schema._sitemap_elements(alternates, images, $1, place) END ||
	       '</url>' AS element,
	       $sql$ || instant || $sql$ AS instant
	  FROM page, LATERAL (SELECT coalesce('Row ' || n || ' has the loc "' || left(loc, 200) || '".', 'It is row ' || n || '.')) AS p (place)
	-- so that rows are checked in their order
	OFFSET 0
), file AS MATERIALIZED (
	SELECT (n - 1) / $3 + 1 AS number, count(*)::int AS urls, date_trunc('second', max(instant), 'UTC') AS newest, string_agg(element, '' ORDER BY n) AS elements
	  FROM entry
	 GROUP BY (n - 1) / $3
), document AS (
	SELECT $2 || CASE WHEN $4 = 'always' OR (SELECT count(*) FROM file) > 1 THEN '-' || number ELSE '' END || '.xml' AS name,
	       'urlset' AS kind, newest, urls, sitemap_schema._sitemap_document('urlset', elements, $5) AS content
	  FROM file
	 UNION ALL
	SELECT 'sitemap.xml', 'index', max(newest), count(*)::int,
	       sitemap_schema._sitemap_document('sitemapindex', string_agg('<sitemap><loc>' || sitemap_schema._sitemap_escape($1 || $2 || '-' || number || '.xml') || '</loc>' ||
	           coalesce('<lastmod>' || sitemap_schema._sitemap_time(newest) || '</lastmod>', '') || '</sitemap>', '' ORDER BY number), $5)
	  FROM file
	 WHERE $4 <> 'never'
	HAVING count(*) > CASE $4 WHEN 'always' THEN 0 ELSE 1 END
)
SELECT $1, $2, name, kind, $1 || name, newest, urls, length(content)::bigint, encode(sha256(content), 'hex'), NULL::text, NULL::text, NULL::bytea, content
  FROM document$sql$
	USING base, section, max_urls, index, stylesheet, substring(base FROM '^[^/]*//[^/]*'), '[^A-Za-z0-9._~!$&''()*+,;=:@/?-]';
END
$$;
COMMENT ON FUNCTION sitemap_files(text, text, text, int, text, text) IS
'make the files of a sitemap set from the rows of a query, the index last';

CREATE OR REPLACE FUNCTION sitemap_publish(target regclass, query text, base_url text, section text DEFAULT 'sitemap',
	max_urls int DEFAULT 50000, index text DEFAULT 'auto', stylesheet text DEFAULT NULL, max_shrink float8 DEFAULT NULL)
RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint)
LANGUAGE plpgsql COST 100000 ROWS 100 AS $$
DECLARE
	base constant text := sitemap_schema._sitemap_url(base_url, '', 'base_url', NULL);
	of_section constant text := format('FROM %s WHERE base_url = $1 AND section = $2 AND kind <> ''index'' AND digest IS NOT NULL', target);
	columns constant text := 'base_url, section, name, kind, loc, lastmod, url_count, byte_count, digest, first_key, recipe, shown, content';
	run_at timestamptz;
	before bigint;
	after bigint;
	files int := 0;
	entries text;
	file sitemap_schema.sitemap_file;
	old record;
BEGIN
	section := coalesce(section, 'sitemap');
	index := lower(btrim(coalesce(index, 'auto')));
	PERFORM sitemap_schema._sitemap_refuse(CASE
		WHEN target IS NULL THEN '22004 target must not be NULL'
		WHEN NOT max_shrink BETWEEN 0 AND 1 THEN '22023 invalid max_shrink ' || max_shrink || ': it must be from 0 to 1'
		END);

	-- Runs of one site queue up here.  All later statements have newer snapshots.
	PERFORM pg_advisory_xact_lock(target::oid::int, hashtext(base));
	run_at := clock_timestamp();
	EXECUTE 'SELECT coalesce(sum(url_count), 0) ' || of_section INTO before USING base, section;

	-- the files of the section, and the index of the site
	FOR file IN
		SELECT f.* FROM sitemap_schema.sitemap_files(query, base, section, max_urls, CASE WHEN index IN ('auto', 'never') THEN 'always' ELSE index END, stylesheet) AS f
		 WHERE f.kind <> 'index'
		 UNION ALL
		SELECT (ROW(base, 'sitemap', 'sitemap.xml', 'index', base || 'sitemap.xml', NULL, 0, 0, NULL, NULL, NULL, NULL, NULL)::sitemap_schema.sitemap_file).*
	LOOP
		IF file.kind <> 'index' THEN
			files := files + 1;
		ELSE
			RETURN QUERY EXECUTE 'DELETE ' || of_section || ' AND name <> ALL (SELECT $2 || ''-'' || number || ''.xml'' FROM generate_series(1, $3) AS number)
				RETURNING name, kind, ''deleted'', url_count, byte_count' USING base, section, files;
			EXECUTE 'SELECT coalesce(sum(url_count), 0) ' || of_section INTO after USING base, section;
			IF before - after > coalesce(floor(before * max_shrink::numeric), greatest(floor(before * 0.2), 100)) OR
			   (after = 0 AND before > 0 AND max_shrink IS DISTINCT FROM 1) THEN
				RAISE EXCEPTION 'section "%" would shrink from % to % URLs', section, before, after USING ERRCODE = '55000',
					DETAIL = format('Nothing was changed in the target table "%s".', target),
					HINT = 'If the pages are really gone, publish with max_shrink => 1.';
			END IF;
			EXIT WHEN index = 'never';

			EXECUTE format($sql$
				SELECT count(*), string_agg('<sitemap><loc>' || sitemap_schema._sitemap_escape(sitemap_schema._sitemap_url(loc, $1, 'loc', NULL)) || '</loc>' ||
				       coalesce('<lastmod>' || sitemap_schema._sitemap_time(lastmod) || '</lastmod>', '') || '</sitemap>', ''
				       ORDER BY section COLLATE "C", octet_length(name), name COLLATE "C")
				  FROM %s WHERE base_url = $1 AND kind <> 'index' AND loc <> ''$sql$, target) INTO files, entries USING base;
			RETURN QUERY EXECUTE format('DELETE FROM %s WHERE base_url = $1 AND kind = ''index'' AND digest IS NOT NULL AND (name <> ''sitemap.xml'' OR $2 = 0)
				RETURNING name, kind, ''deleted'', url_count, byte_count', target) USING base, files;
			EXIT WHEN files = 0;
			file.content := sitemap_schema._sitemap_document('sitemapindex', entries, stylesheet);
			file.url_count := files;
			file.byte_count := length(file.content);
			file.digest := encode(sha256(file.content), 'hex');
		END IF;
		EXECUTE format('SELECT section, kind, digest, CASE WHEN isfinite(lastmod) THEN lastmod END AS lastmod,
			(section, kind, loc, digest, url_count, byte_count, content IS NOT NULL) IS NOT DISTINCT FROM
			($1.section, $1.kind, $1.loc, $1.digest, $1.url_count, $1.byte_count, true) AS same
			FROM %s WHERE base_url = $1.base_url AND name = $1.name', target) INTO old USING file;
		IF old.digest IS NULL AND old.section IS NOT NULL OR old.kind <> file.kind OR old.section <> file.section THEN
			PERFORM sitemap_schema._sitemap_refuse(format('42710 section "%s" cannot have a file named "%s"', file.section, file.name),
				format('In the target table "%s", section "%s" has a file of that name.', target, old.section));
		END IF;
		-- later than before, even if the clock is not
		file.lastmod := CASE WHEN old.digest = file.digest AND old.lastmod IS NOT NULL THEN old.lastmod
			ELSE greatest(run_at, old.lastmod + interval '1 second') END;
		action := CASE WHEN old.same THEN 'unchanged' WHEN old.same IS NULL THEN 'inserted' ELSE 'updated' END;
		IF action = 'inserted' THEN
			EXECUTE format('INSERT INTO %s (%s) SELECT $1.*', target, columns) USING file;
		ELSIF action = 'updated' THEN
			EXECUTE format('UPDATE %s SET (%s) = (SELECT $1.*) WHERE base_url = $1.base_url AND name = $1.name', target, columns) USING file;
		END IF;
		RETURN QUERY SELECT file.name, file.kind, action, file.url_count, file.byte_count;
	END LOOP;
END
$$;
COMMENT ON FUNCTION sitemap_publish(regclass, text, text, text, int, text, text, float8) IS
'make the files of a section from a query, and publish them in a table';

RESET check_function_bodies;

DO $$
DECLARE
	f record;
BEGIN
	FOR f IN SELECT pg_get_functiondef(oid) AS definition FROM pg_proc
	          WHERE pronamespace = quote_ident(current_schema)::regnamespace AND proname ~ '^_?sitemap_' AND prosrc ~ 'sitemap_schema\.' LOOP
		EXECUTE replace(f.definition, 'sitemap_schema.', quote_ident(current_schema) || '.');
	END LOOP;
END
$$;
