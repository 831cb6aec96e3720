/*
 * managed/sitemap.sql
 *	  sitemap in plain SQL, for PostgreSQL 15 and later on services without our extension; see doc/managed.md.
 *
 * Run the file after SET LOCAL search_path, in one transaction.  Run it again after the schema was renamed.
 *
 * For rows that both accept, sitemap_publish writes what the extension's
 * sitemap_publish(..., split => 'full', compression => 0) writes, byte for byte.
 *
 * Nobody else's functions, operators or types are used, whatever search_path is: bodies with RETURN or
 * BEGIN ATOMIC are parsed here, with a search_path of pg_catalog; all others qualify their names, or set
 * search_path.  "here" stands for the schema of the functions.
 */

DO $install$
DECLARE
	schema constant pg_catalog.text := (SELECT current_schema FROM pg_catalog.pg_settings	-- no row without SET
		WHERE name OPERATOR(pg_catalog.=) 'search_path' AND source OPERATOR(pg_catalog.=) 'session');
	path constant pg_catalog.text := pg_catalog.current_setting('search_path');
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true), pg_catalog.set_config('standard_conforming_strings', 'on', true);
	IF current_setting('server_encoding') <> 'UTF8' THEN
		RAISE EXCEPTION 'the encoding of the database must be UTF8' USING ERRCODE = '0A000';
	ELSIF schema IS NULL OR schema ~ '["$''\\]' THEN
		RAISE EXCEPTION 'no schema has been selected to create in, or its name has a character of "$''\'
			USING ERRCODE = '3F000', HINT = 'Run BEGIN, CREATE SCHEMA IF NOT EXISTS sitemap, SET LOCAL search_path = sitemap, the whole file, and COMMIT.';
	ELSIF to_regtype(quote_ident(schema) || '.sitemap_file') IS NULL THEN
		EXECUTE format('CREATE TYPE %I.sitemap_file AS (
			base_url text, section text, name text, kind text, loc text, lastmod timestamptz, url_count int,
			byte_count bigint, digest text, first_key text, recipe text, shown bytea, content bytea)', schema);
	END IF;
	-- Earlier helpers are dropped at the end, when nothing calls them any more.
	EXECUTE coalesce((SELECT string_agg(format('ALTER FUNCTION %s RENAME TO %I', oid::regprocedure, proname || '_old'), ';')
		FROM pg_proc WHERE pronamespace = quote_ident(schema)::regnamespace AND starts_with(proname, '_sitemap_')), '');

	EXECUTE regexp_replace($file$
-- Raises an error, or a WARNING if SQLSTATE is 01000, unless problem, SQLSTATE and message, is NULL.
CREATE FUNCTION here._sitemap_refuse(problem text, detail text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
	IF pg_catalog.starts_with(problem, '01000') THEN
		RAISE WARNING USING MESSAGE = pg_catalog.substr(problem, 7), DETAIL = detail;
		RETURN NULL;
	END IF;
	RAISE EXCEPTION USING ERRCODE = pg_catalog.left(problem, 5), MESSAGE = pg_catalog.substr(problem, 7), DETAIL = detail;
END
$$;

CREATE FUNCTION here._sitemap_trim(value text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN btrim(value, E' \t\n\x0b\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a'
                    '\u2028\u2029\u202f\u205f\u3000');

-- A word in lower case and without blanks; NULL if it is none of words.
CREATE FUNCTION here._sitemap_word(value text, words text[]) RETURNS text LANGUAGE sql IMMUTABLE
RETURN words[array_position(words, lower(here._sitemap_trim(value) COLLATE "C"))];

-- A value in a message: one line, not too long, without the user and password of a URL.
CREATE FUNCTION here._sitemap_shown(value text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN left(regexp_replace(translate(left(value, 5000), E'\n\r', '  ') COLLATE "C",
	'^(\W*([a-z]+:)?[/\\]*)([^/\\?#]*|[^/\\?#]*:.*)(@|%40|&#64;|\uff20|\ufe6b)', '\1***\4', 'i'), 200) ||
	CASE WHEN length(value) > 200 THEN '...' ELSE '' END;

-- The W3C datetime of a lastmod; NULL if it cannot be written.
CREATE FUNCTION here._sitemap_time(lastmod timestamp) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN lastmod >= '0001-01-01' AND lastmod < '10000-01-01' THEN to_char(lastmod, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') END;
CREATE FUNCTION here._sitemap_time(lastmod timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN here._sitemap_time(lastmod AT TIME ZONE 'UTC');
CREATE FUNCTION here._sitemap_time(lastmod date) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN lastmod >= '0001-01-01' AND lastmod < '10000-01-01' THEN to_char(lastmod::timestamp, 'YYYY-MM-DD') END;

-- The same for text, or its problem, as of _sitemap_fault.  The last pattern has all that a date or a time cannot be.
CREATE FUNCTION here._sitemap_time(lastmod text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce('!lastmod_invalid ' || replace(CASE
	WHEN octet_length(here._sitemap_trim(lastmod)) > 255 THEN '54000: more than 255 bytes'
	WHEN here._sitemap_trim(lastmod) COLLATE "C" !~ '^(\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?)?)?)?$'
		THEN E'22007: not a W3C datetime\n'
			'W3C datetimes look like 2026-01-02 or 2026-01-02T03:04:05Z; a time needs its zone. Or give a timestamptz.'
	WHEN here._sitemap_trim(lastmod) ~ ('^0000|^.{5}(00|1[3-9]|[2-9])|^.{8}(00|3[2-9]|[4-9])|^.{5}(02-3|(0[2469]|11)-31)|'
		'^(..([02468][1235679]|[13579][01345789])|([02468][1235679]|[13579][01345789])00)-02-29|T(2[4-9]|[3-9])|:[6-9]|'
		'[+-](14:(?!00)|1[5-9]:|[2-9].:)|^0001-01-01T.*[+](?!00:00)|^9999-12-31T.*-(?!00:00)')
		THEN '22008: there is no such date or time in the years 0001 to 9999'
	END, ': ', ' invalid lastmod "' || here._sitemap_shown(here._sitemap_trim(lastmod)) || '": '), here._sitemap_trim(lastmod));

-- The URLs of images.  What is neither a URL nor an object with one stays as JSON, which _sitemap_fault refuses.
CREATE FUNCTION here._sitemap_images(images text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN images;
CREATE FUNCTION here._sitemap_images(images jsonb) RETURNS text[] LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN ARRAY(
	SELECT CASE value WHEN jsonb_build_object('loc', value ->> 'loc') THEN nullif(here._sitemap_trim(value ->> 'loc'), '') ELSE value #>> '{}' END
	  FROM jsonb_array_elements('[]' || images) AS value WHERE value <> '{}');

CREATE FUNCTION here._sitemap_text(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN value;
CREATE FUNCTION here._sitemap_text(value anyenum) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT pg_catalog.concat(value)';

CREATE FUNCTION here._sitemap_escape(url text) RETURNS text LANGUAGE sql IMMUTABLE RETURN replace(replace(url, '&', '&amp;'), '''', '&apos;');
CREATE FUNCTION here._sitemap_bytes(value text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN regexp_replace(upper(encode(convert_to(value, 'UTF8'), 'hex') COLLATE "C"), '..', '%\&', 'g');

-- Percent-encodes the letters outside ASCII.  A run of them can have "-" and "/" in it.
CREATE FUNCTION here._sitemap_letters(url text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
	run pg_catalog.text;
BEGIN
	LOOP
		run := pg_catalog.substring(url COLLATE pg_catalog."C", '[^\x01-\x7f](?:[-/]*[^\x01-\x7f])*');
		IF run IS NULL THEN RETURN url; END IF;
		url := pg_catalog.replace(url, run, pg_catalog.replace(pg_catalog.replace(here._sitemap_bytes(run), '%2D', '-'), '%2F', '/'));
	END LOOP;
END
$$;

-- Percent-encodes all characters but letters and digits of ASCII, -._~ and kept.  Escapes such as %C3 stay.
CREATE FUNCTION here._sitemap_percent(value text, kept text DEFAULT '!$&''()*+,;=:@/?') RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
	SELECT string_agg(part[1] || here._sitemap_bytes(part[2]), '')
	  FROM regexp_matches(regexp_replace(value, '%(?![0-9A-Fa-f]{2})', '%25', 'g'),
	           replace('([A-Za-z0-9._~%kept-]*)([^A-Za-z0-9._~%kept-]*)', 'kept', kept), 'g') AS part);

CREATE OR REPLACE FUNCTION here.sitemap_encode(segment text, keep text DEFAULT '') RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
	WHEN keep ~ '[^]:/?#[@!$&''()*+,;=A-Za-z0-9._~-]'
		THEN here._sitemap_refuse('22023 invalid keep "' || keep || '"', 'Only :/?#[]@!$&''()*+,;= can be kept.')
	WHEN segment COLLATE "C" IN ('.', '..') THEN here._sitemap_bytes(segment)
	WHEN octet_length(segment) <= 590 AND segment COLLATE "C" !~ '[\x01-,/:-@[-^`{-\x7f]' THEN here._sitemap_letters(segment)
	ELSE here._sitemap_percent(replace(segment, '%', '%25'), regexp_replace(coalesce(keep, ''), '([][-])', '\\\1', 'g'))
	END;
COMMENT ON FUNCTION here.sitemap_encode IS 'percent-encode one segment of a path or one value of a query string';

-- The site of a URL in one form: in lower case, without a final dot and a default port.
CREATE FUNCTION here._sitemap_site(url text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN regexp_replace(regexp_replace(regexp_replace(
	substring(lower(url COLLATE "C") FROM '^https?://[^/?#]*'), ':0+(?=[1-9][0-9]*$)', ':'),
	'^(https:.*):(443)?$|^(http:.*):(80)?$', '\1\3'), '\.(:[0-9]+)?$', '\1');

-- What is wrong with a URL, or NULL: "!", the problem's name in an audit, SQLSTATE and message,
-- and on a second line perhaps advice.  given: as it was given; authority: its host and port
CREATE FUNCTION here._sitemap_fault(given text, url text, authority text, site text, origin text, what text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN '!' || CASE what WHEN 'loc' THEN 'loc_' WHEN 'image' THEN 'image_' ELSE 'extension_' END || replace(CASE
	WHEN given IS NULL THEN E'null 22004 loc is NULL\nLeave out rows without a page with WHERE ... IS NOT NULL.'
	WHEN given = '' THEN 'invalid 22P02: the URL is empty'
	WHEN given COLLATE "C" ~* '^(?!https?:)[a-z][a-z0-9+.-]*:(?!\d+/)' THEN 'invalid 22P02: the scheme is neither http nor https'
	WHEN what = 'image' AND given COLLATE "C" ~ '^([[{0-9-]|true$|false$)' THEN 'invalid 22023: must be a URL, or in jsonb an object with only a loc'
	WHEN url COLLATE "C" !~* '^https?://' THEN 'invalid 22P02: neither an absolute URL nor a path that begins with "/"'
	WHEN authority ~ '\\' THEN 'invalid 22P02: backslash before the path, which browsers read as a slash'
	WHEN authority ~ '@' THEN E'invalid 22P02: a user name or password before the host\n'
		'Everybody could read it. Remove what stands before the "@".'
	WHEN authority ~ '^(:|$)' THEN 'invalid 22P02: the host is missing'
	WHEN split_part(site, ':', 2) COLLATE "C" !~ '^//(?!.{254})(?!.*[a-z0-9_-]{64})([a-z0-9_-]+\.)*[a-z_-][a-z0-9_-]*$'
		THEN 'invalid 22P02: the host is not a valid name'
	WHEN substring(authority FROM ':.*') COLLATE "C" !~ ('^:(?!.{6})(0*([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|'
		'65[0-4]\d{2}|655[0-2]\d|6553[0-5]))?$') THEN 'invalid 22P02: the port is not a number from 1 to 65535'
	WHEN substring(url FROM '^[^?#]*') COLLATE "C" ~* '/(\.?%2e|%2e\.|%2e%2e)(/|$)'
		THEN 'invalid 22P02: the path has a segment "%2E" or "%2E%2E", which browsers read as "." or ".."'
	WHEN url COLLATE "C" ~ '^[^?#]*/\.{1,2}([/?#]|$)' THEN 'invalid 0A000: the path has a segment "." or ".."'
	WHEN what <> 'loc' AND length(url) > 4096 THEN 'invalid 22001: longer than 4096 characters after percent-encoding'
	WHEN what = 'loc' AND length(url) > 2047 THEN 'too_long 22001: longer than 2047 characters after percent-encoding'
	WHEN what = 'loc' AND site <> origin THEN 'outside 22023: the site is "' || site || '", not "' || origin || '" as in base_url'
	END, ': ', concat(' invalid ', what, CASE WHEN what IN ('image', 'href') THEN ' "' || here._sitemap_shown(given) || '"' END, ': '));

-- Percent-encodes a URL, or a path of the site origin, or returns what is wrong.  what: base_url, loc, image or href
CREATE FUNCTION here._sitemap_url(given text, origin text, what text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	trimmed constant pg_catalog.text := here._sitemap_trim(given);
	-- What is cut off is too long.
	whole constant pg_catalog.text := pg_catalog.concat(CASE
		WHEN pg_catalog.starts_with(trimmed, '//') THEN pg_catalog.split_part(origin, '/', 1)
		WHEN pg_catalog.starts_with(trimmed, '/') THEN origin END, pg_catalog.left(trimmed, 5000));
	-- A second "#" is encoded.
	url constant pg_catalog.text := pg_catalog.concat(here._sitemap_percent(pg_catalog.split_part(whole, '#', 1)),
		'#' OPERATOR(pg_catalog.||) here._sitemap_percent(pg_catalog.substring(whole, '#(.*)')));
BEGIN
	RETURN COALESCE(here._sitemap_fault(trimmed, url, pg_catalog.substring(whole, '^[^:]*://([^/?#]*)'),
		here._sitemap_site(whole), origin, what), url);
END
$$;

-- The value of _sitemap_url.  For most URLs, this is faster.
CREATE FUNCTION here._sitemap_value(given text, origin text, what text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(here._sitemap_letters(CASE
	WHEN octet_length(given) > 590 OR starts_with(given, '//') OR given COLLATE "C" ~ ('[]\x01-\x20"#<>[\\^`{|}\x7f]|/\.|/%2[Ee]|'
		'%(?![0-9A-Fa-f]{2})|[\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$') THEN NULL
	WHEN starts_with(given, '/') THEN origin || given
	WHEN starts_with(given, origin || '/') THEN given
	WHEN what <> 'loc' AND starts_with(given, 'https://') AND octet_length(split_part(given, '/', 3)) < 64 AND
		split_part(given, '/', 3) COLLATE "C" ~ '^([a-z0-9-]+\.)+[a-z]+$' THEN given END), here._sitemap_url(given, origin, what));

CREATE FUNCTION here._sitemap_columns(names text[]) RETURNS text LANGUAGE sql IMMUTABLE
RETURN (SELECT max(here._sitemap_refuse(CASE
	WHEN name <> ALL ('{loc,lastmod,changefreq,priority,images,alternates}') THEN '42703 unrecognized column "' || name || '" in the query'
	WHEN cardinality(array_positions(names, name)) > 1 THEN '42701 column "' || name || '" appears more than once in the query'
	WHEN 'loc' <> ALL (names) THEN '42703 the query has no column "loc"'
	END, 'The columns are loc, lastmod, changefreq, priority, images and alternates.')) FROM unnest(names) AS name);

-- The rows of a query.  This is the only statement with names that are not ours.
CREATE FUNCTION here._sitemap_rows(query text)
RETURNS TABLE (loc text, lastmod text, changefreq text, priority float8, alternates jsonb, images text[])
LANGUAGE plpgsql STABLE AS $$
DECLARE
	source constant pg_catalog.text := pg_catalog.concat('(SELECT * FROM (', pg_catalog.regexp_replace(query, '[\s;]+$', ''),
		E'\n) AS query OFFSET 0) AS query');	-- the line feed ends a comment
	-- A column that the query does not have is that of missing.  COALESCE refuses other types.
	statement constant pg_catalog.text := pg_catalog.concat($sql$
		SELECT page.*
		  FROM (SELECT NULL::pg_catalog.timestamptz AS lastmod, NULL::pg_catalog.text AS changefreq,
		               NULL::pg_catalog.float8 AS priority, NULL::pg_catalog.jsonb AS alternates,
		               NULL::pg_catalog.text[] AS images) AS missing, LATERAL (
			SELECT here._sitemap_text(loc) AS loc, CASE WHEN lastmod IS NOT NULL THEN COALESCE(here._sitemap_time(lastmod),
			           '!lastmod_invalid 22008 invalid lastmod: infinity and years outside 0001 to 9999 cannot be written') END AS lastmod,
			       here._sitemap_text(changefreq) AS changefreq, COALESCE(NULL::pg_catalog.float8, priority) AS priority,
			       COALESCE(NULL::pg_catalog.jsonb, alternates) AS alternates, here._sitemap_images(images) AS images
			  FROM $sql$, source, ') AS page');
BEGIN
	PERFORM here._sitemap_refuse(CASE WHEN query IS NULL THEN '22004 query must not be null' END, 'Nothing was changed.');
	-- names of the columns; the query is not executed
	EXECUTE pg_catalog.concat('SELECT here._sitemap_columns(pg_catalog.array_agg(key.name)) FROM (
		SELECT query.* FROM (SELECT) AS one LEFT JOIN ', source, ' ON false) AS query,
		pg_catalog.json_object_keys(pg_catalog.row_to_json(query.*)) AS key (name)');
	BEGIN
		EXECUTE pg_catalog.concat(statement, ' LIMIT 0');
	EXCEPTION WHEN datatype_mismatch OR cannot_coerce OR undefined_function THEN
		PERFORM here._sitemap_refuse('42804 loc and changefreq must be text or an enum, lastmod timestamptz, timestamp, date or text, '
			'priority a number, images text[] or jsonb, alternates jsonb', SQLERRM);
	END;
	RETURN QUERY EXECUTE statement;
END
$$;

-- The elements of a row for URLs in other languages and images, and their problems, with an empty line between two.
CREATE FUNCTION here._sitemap_items(alternates jsonb, images text[], origin text) RETURNS TABLE (items text[]) LANGUAGE sql STABLE
BEGIN ATOMIC
	SELECT ARRAY[string_agg(CASE what
	           WHEN 'alternates' THEN '<xhtml:link rel="alternate" hreflang="' || lang || '" href="' || here._sitemap_escape(url) || '"/>'
	           ELSE '<image:image><image:loc>' || here._sitemap_escape(url) || '</image:loc></image:image>' END, '' ORDER BY what, i)
	           FILTER (WHERE problem IS NULL), string_agg(problem, E'\n\n' ORDER BY what, i)]
	  FROM (
		SELECT *, CASE WHEN starts_with(url, '!') THEN url
			WHEN row_number() OVER (PARTITION BY what, starts_with(url, '!') ORDER BY i) > 1000
				THEN CASE what WHEN 'images' THEN '!image' ELSE '!extension' END || '_invalid 54000 invalid extensions: a url can have at most 1000 ' || what
			WHEN row_number() OVER (PARTITION BY what, starts_with(url, '!'), lower(lang COLLATE "C") ORDER BY i) > 1 AND what = 'alternates'
				THEN '!extension_invalid 22023 invalid hreflang "' || lang || '": a url can have one alternate for each language'
			END AS problem
		  FROM (
			SELECT 'alternates' AS what, i, here._sitemap_trim(key) AS lang, coalesce('!extension_invalid 22023 ' || CASE
				WHEN jsonb_typeof(alternates) <> 'object' THEN E'alternates must be a JSON object\n'
					'An example is {"en": "https://www.example.com/en", "x-default": "https://www.example.com/"}.'
				WHEN jsonb_typeof(value) <> 'string' THEN 'the value of "' || here._sitemap_shown(key) || '" in alternates must be a string'
				WHEN here._sitemap_trim(key) !~ '^(x-default|[A-Za-z]{2,3}(-[A-Za-z]{4})?(-[A-Za-z]{2})?)$'
					THEN 'invalid hreflang "' || here._sitemap_shown(key) || E'": must be x-default or a language code\n'
						'A language code is such as de, de-AT, zh-Hant or zh-Hant-TW. A country alone is not a language.'
				END, here._sitemap_value(value #>> '{}', origin, 'href')) AS url
			  FROM jsonb_each(CASE jsonb_typeof(alternates) WHEN 'object' THEN alternates ELSE jsonb_set('{"": 0}', '{""}', alternates) END)
			           WITH ORDINALITY AS link (key, value, i)
			 WHERE value <> ALL (ARRAY[jsonb 'null', '[]'])
			 UNION ALL
			SELECT 'images', i, NULL, here._sitemap_value(url, origin, 'image')
			  FROM unnest(images) WITH ORDINALITY AS image (url, i) WHERE url IS NOT NULL
			OFFSET 0) AS item) AS item;
END;

-- The rows of a query with their entries and problems, which follow each other in the entry's order.
-- mode: error raises the first problem, skip returns those that count, audit all
CREATE FUNCTION here._sitemap_entries(query text, origin text, mode text)
RETURNS TABLE (n bigint, loc text, url text, lastmod text, problems text[], entry text) LANGUAGE sql STABLE
BEGIN ATOMIC
	SELECT n, loc, url, lastmod, CASE WHEN problems IS NULL THEN NULL
	           WHEN mode = 'error' THEN ARRAY[here._sitemap_refuse(substring(split_part(problems[1], E'\n', 1) FROM ' (.*)'),
	               concat_ws(' ', coalesce('Row ' || n || ' has the loc "' || here._sitemap_shown(loc) || '".', 'It is row ' || n || '.'),
	                         nullif(split_part(problems[1], E'\n', 2), '')))]
	           WHEN loc IS NULL OR mode = 'skip' AND starts_with(url, '!') THEN problems[1:1]
	           ELSE problems END,
	       CASE WHEN NOT starts_with(url, '!') THEN concat('<url><loc>', here._sitemap_escape(url), '</loc>',
	           '<lastmod>' || lastmod || '</lastmod>', '<changefreq>' || word || '</changefreq>', '<priority>' || CASE WHEN priority BETWEEN 0 AND 1 THEN
	           -- n/128 with an odd n is a tie in the seventh decimal, which is rounded up
	           to_char(abs(priority) + (priority * 128 = floor(priority * 128))::int * 1e-9, 'FM0.099999') END || '</priority>',
	           items[1], '</url>') END
	  FROM (
		SELECT *, string_to_array(nullif(concat_ws(E'\n\n', CASE WHEN starts_with(url, '!') THEN url END,
			CASE WHEN lastmod IS NULL THEN nullif(date, '') END,
			CASE WHEN word IS NULL AND here._sitemap_trim(changefreq) <> ''
				THEN '!changefreq_invalid 22P02 invalid changefreq "' || here._sitemap_shown(changefreq) ||
					E'"\nIt can be always, hourly, daily, weekly, monthly, yearly or never.' END,
			CASE WHEN priority NOT BETWEEN 0 AND 1
				THEN '!priority_invalid 22003 invalid priority ' || priority || ': must be from 0.0 to 1.0' END,
			items[2]), ''), E'\n\n') AS problems
		  FROM (
			SELECT *, here._sitemap_word(changefreq, '{always,hourly,daily,weekly,monthly,yearly,never}') AS word,
			       here._sitemap_value(loc, origin, 'loc') AS url, CASE WHEN date COLLATE "C" >= '0' THEN date END AS lastmod,
			       CASE WHEN alternates IS NOT NULL OR images IS NOT NULL
			            THEN (SELECT items FROM here._sitemap_items(alternates, images, origin)) END AS items
			  FROM here._sitemap_rows(query) WITH ORDINALITY AS page (loc, date, changefreq, priority, alternates, images, n)
			OFFSET 0) AS page	-- a value is computed once
		OFFSET 0) AS page;
END;

CREATE FUNCTION here._sitemap_listed(loc text, origin text, lastmod timestamptz) RETURNS text LANGUAGE sql STABLE
RETURN concat(here._sitemap_refuse(substring(here._sitemap_url(loc, origin, 'loc') FROM '^!\S+ ([^\n]*)'),
                                   'The loc is "' || here._sitemap_shown(loc) || '".'),
	'<sitemap><loc>', here._sitemap_escape(here._sitemap_url(loc, origin, 'loc')), '</loc>',
	'<lastmod>' || here._sitemap_time(lastmod) || '</lastmod>', '</sitemap>');

-- A sitemap or an index with these entries.  Their values are escaped, so each "<" begins a tag.
CREATE FUNCTION here._sitemap_document(root text, entries text, stylesheet text) RETURNS bytea LANGUAGE sql STABLE
RETURN convert_to(concat('<?xml version="1.0" encoding="UTF-8"?>',
	'<?xml-stylesheet type="text/css" href="' || stylesheet || '"?>', '<', root, ' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"',
	CASE WHEN strpos(entries, '<image:') > 0 THEN ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"' END,
	CASE WHEN strpos(entries, '<xhtml:') > 0 THEN ' xmlns:xhtml="http://www.w3.org/1999/xhtml"' END,
	'>') || entries || concat('</', root, '>'), 'UTF8');	-- concat would copy the entries three times

CREATE FUNCTION here._sitemap_file(base text, section text, name text, kind text, lastmod timestamptz, urls bigint, document bytea)
RETURNS here.sitemap_file LANGUAGE sql STABLE
RETURN CASE WHEN here._sitemap_refuse(CASE
	WHEN urls > 50000 THEN '54000 an index would have ' || urls || ' sitemaps, more than 50000: raise max_urls'
	WHEN length(document) > 52428800 THEN '54000 a file would have ' || length(document) || ' bytes, more than 52428800: lower max_urls'
	END, 'Nothing was changed.') IS NULL THEN ROW(base, section, name, kind, base || name, lastmod, urls, length(document),
		encode(sha256(document), 'hex'), NULL, NULL, NULL, document)::here.sitemap_file END;

-- Checks arguments, and returns their values; base has one form.  index_from: with more files than this, there is an index
CREATE FUNCTION here._sitemap_arguments(base_url text, INOUT section text, INOUT max_urls int, index text, on_invalid text,
	INOUT stylesheet text, max_shrink float8, OUT base text, OUT origin text, OUT index_from int, OUT mode text) LANGUAGE sql STABLE
BEGIN ATOMIC
	SELECT coalesce(section, 'sitemap'), coalesce(max_urls, 50000), here._sitemap_escape(here._sitemap_percent(href)),
	       site || path, site, index_from, mode
	  FROM here._sitemap_url(base_url, '', 'base_url') AS url,
	       here._sitemap_site(url) AS site, concat(regexp_replace(url, '^[^/]*//[^/]*|/?$', '', 'g'), '/') AS path,
	       array_position('[0:2]={always,auto,never}', here._sitemap_word(coalesce(index, 'auto'), '{always,auto,never}')) AS index_from,
	       here._sitemap_trim(stylesheet) AS href, here._sitemap_word(coalesce(on_invalid, 'error'), '{error,skip}') AS mode
	 WHERE here._sitemap_refuse(CASE
		WHEN base_url IS NULL THEN '22004 base_url must not be null'
		WHEN site IS NULL OR path ~ '[?#]' OR path COLLATE "C" ~* '\.(xml|txt)(\.gz)?/$' OR length(site || path) > 1807
		    THEN '22023 invalid base_url "' || here._sitemap_shown(base_url) || '"' || coalesce(substring(url FROM '^![^:]*(: [^\n]*)'), '') ||
		        ': it must be the URL of the directory of the files, such as "https://www.example.com/"'
		WHEN section !~ '^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,199}$' THEN '22023 invalid section "' || left(section, 200) ||
		    '": it must be 1 to 200 letters, digits, "-", ".", "_" and "~", and not begin with a dot'
		WHEN section COLLATE "C" ~* '\.(xml|txt)(\.gz)?$' THEN '22023 invalid section "' || section || '": ".xml" is added to it'
		WHEN section = 'sitemap-index' THEN '22023 invalid section "sitemap-index": such names are of further files of the index'
		WHEN max_urls NOT BETWEEN 1 AND 50000 THEN '22023 invalid max_urls ' || max_urls || ': it must be from 1 to 50000'
		WHEN index_from IS NULL THEN '22023 invalid index "' || index || '": it must be auto, always or never'
		WHEN href COLLATE "C" !~* '^[^\s?#][^?#]*\.css(\?[^\s>#]*)?$' OR octet_length(href) > 2047
		    THEN '22023 invalid stylesheet "' || here._sitemap_shown(stylesheet) || '": it must be a URL that ends with .css'
		WHEN mode IS NULL THEN '22023 invalid on_invalid "' || on_invalid || '": it must be error or skip'
		WHEN max_shrink NOT BETWEEN 0 AND 1 THEN '22023 invalid max_shrink ' || max_shrink || ': it must be from 0 to 1'
		END, 'Nothing was changed.') IS NULL;
END;

-- The files of a set.  name: of the function in the WARNING
CREATE FUNCTION here._sitemap_set(name text, query text, base text, origin text, section text, max_urls int, index_from int,
	stylesheet text, mode text) RETURNS SETOF here.sitemap_file LANGUAGE sql STABLE
SET jit = off SET standard_conforming_strings = on
BEGIN ATOMIC
	WITH numbered AS (
		SELECT n, entry, lastmod, cardinality(problems) AS lost,
		       greatest(count(entry) OVER (ROWS UNBOUNDED PRECEDING) - 1, 0) / max_urls + 1 AS number,
		       CASE WHEN problems IS NOT NULL AND count(problems) OVER (ROWS UNBOUNDED PRECEDING) <= 5 THEN (
		           SELECT string_agg(concat('Row ', n, ', loc "' || here._sitemap_shown(loc) || '"', ': ',
		                                    substring(problem FROM '^\S+ .{6}([^\n]*)'), '.'), E'\n')
		             FROM unnest(problems) AS problem) END AS reasons
		  FROM here._sitemap_entries(query, origin, mode)
	), file AS MATERIALIZED (
		SELECT number, count(entry) AS urls, string_agg(entry, '' ORDER BY n) AS entries,
		       rpad(max(CASE WHEN octet_length(lastmod) = 20 THEN lastmod WHEN octet_length(lastmod) < 11 THEN overlay('0000-01-01' PLACING lastmod FROM 1)
		           ELSE here._sitemap_time(regexp_replace(lastmod, '\.\d+', '')::timestamptz) END COLLATE "C")
		           FILTER (WHERE entry IS NOT NULL), 20, 'T00:00:00Z')::timestamptz AS newest,
		       count(*) FILTER (WHERE entry IS NULL) AS lost_rows, sum(lost) FILTER (WHERE entry IS NOT NULL) AS lost,
		       string_agg(reasons, E'\n' ORDER BY n) AS reasons
		  FROM numbered GROUP BY number
	), document AS (
		SELECT concat(section, CASE WHEN index_from = 0 OR EXISTS (SELECT FROM file WHERE number > 1) THEN '-' || number END, '.xml')
		           AS file_name, 'urlset' AS kind, newest, urls, here._sitemap_document('urlset', entries, stylesheet) AS content
		  FROM file WHERE entries IS NOT NULL
		 UNION ALL
		SELECT 'sitemap.xml', 'index', max(newest), count(*), here._sitemap_document('sitemapindex', string_agg(
		           here._sitemap_listed(concat(base, section, '-', number, '.xml'), origin, newest), '' ORDER BY number), stylesheet)
		  FROM file WHERE entries IS NOT NULL HAVING count(*) > index_from AND index_from < 2
		 UNION ALL
		SELECT NULL, NULL, NULL, NULL, NULL FROM file
		HAVING here._sitemap_refuse('01000 ' || name || ' left out ' || nullif(concat_ws(' and ',
		           nullif(sum(lost_rows), 0) || CASE sum(lost_rows) WHEN 1 THEN ' row' ELSE ' rows' END,
		           sum(lost) || CASE sum(lost) WHEN 1 THEN ' optional element' ELSE ' optional elements' END), ''),
		       concat_ws(E'\n', array_to_string((string_to_array(string_agg(reasons, E'\n' ORDER BY number), E'\n'))[1:5], E'\n'),
		           'And ' || nullif(greatest(sum(lost_rows) + coalesce(sum(lost), 0) - 5, 0), 0) || ' more.')) <> ''
	)
	SELECT here._sitemap_file(base, section, file_name, kind, newest, urls, content) FROM document;
END;

CREATE OR REPLACE FUNCTION here.sitemap_files(query text, base_url text, section text DEFAULT 'sitemap', max_urls int DEFAULT 50000,
	index text DEFAULT 'auto', stylesheet text DEFAULT NULL, on_invalid text DEFAULT 'error')
RETURNS SETOF here.sitemap_file LANGUAGE sql STABLE COST 100000 ROWS 100
BEGIN ATOMIC
	SELECT file.* FROM here._sitemap_arguments(base_url, section, max_urls, index, on_invalid, stylesheet, NULL) AS given,
	       here._sitemap_set('sitemap_files', query, base, origin, given.section, given.max_urls, index_from,
	                         given.stylesheet, mode) AS file;
END;
COMMENT ON FUNCTION here.sitemap_files IS 'make the files of a set of sitemaps';

-- The dates and times in a query's text under these settings, or an error.  They are taken from a view, which is rolled back.
CREATE FUNCTION here._sitemap_literals(query text, zone text, style text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE pg_catalog.format(E'SET LOCAL TimeZone = %L; SET LOCAL DateStyle = %L; CREATE TEMP VIEW _sitemap_query AS SELECT FROM (%s
		) AS query; SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL TimeZone = GMT', zone, style, pg_catalog.regexp_replace(query, '[\s;]+$', ''));
	RAISE EXCEPTION USING MESSAGE = (SELECT concat(string_agg(part[1], ', ')) FROM regexp_matches(
		pg_get_viewdef('_sitemap_query'::regclass), '(''[^'']*''::(date|time|ts|interval)\w*( with\w* time zone)?)', 'g') AS part);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END
$$;

CREATE OR REPLACE FUNCTION here.sitemap_audit(query text, base_url text)
RETURNS TABLE (row_number bigint, loc text, problem text, detail text) LANGUAGE sql STABLE COST 100000 ROWS 100
SET jit = off SET standard_conforming_strings = on
BEGIN ATOMIC
	SELECT n, CASE WHEN starts_with(url, '!') AND loc ~ '@|%40|&#64;|\uff20|\ufe6b' THEN here._sitemap_shown(loc) ELSE loc END,
	       substring(found FROM '^!(\w+)'), concat_ws(' ', upper(substring(found FROM '^\S+ .{6}(.)') COLLATE "C") ||
	           substring(found FROM '^\S+ .{7}([^\n]*)') || '.', substring(found FROM '\n(.*)'))
	  FROM here._sitemap_arguments(base_url, NULL, NULL, NULL, NULL, NULL, NULL),
	       here._sitemap_entries(query, origin, 'audit') AS page, unnest(problems) AS found
	 UNION ALL
	SELECT NULL, NULL, 'depends_on_session', concat('Settings of the session, such as TimeZone and DateStyle, decide between ', a, ' and ', b,
	           '. Write dates as in 2026-03-01, and in a timestamptz also the zone, as in 2026-03-01 00:00Z.')
	  FROM here._sitemap_literals(query, 'Etc/GMT+12', 'ISO, MDY') AS a, here._sitemap_literals(query, 'Pacific/Kiritimati', 'ISO, DMY') AS b WHERE a <> b;
END;
COMMENT ON FUNCTION here.sitemap_audit IS 'list the problems of the rows of a query';

-- Writes a file if it changed, and returns the action.  path: search_path of the caller, for the triggers of the target
CREATE FUNCTION here._sitemap_put(target regclass, file here.sitemap_file, path text) RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	old record;
	written bool;
BEGIN
	EXECUTE format('SELECT section, kind, digest, CASE WHEN isfinite(lastmod) THEN lastmod END AS lastmod,
			content IS NOT NULL AND (loc, digest, url_count, byte_count) IS NOT DISTINCT FROM ($3, $4, $5, $6) AS same
		FROM %s WHERE base_url = $1 AND name = $2', target) INTO old
		USING file.base_url, file.name, file.loc, file.digest, file.url_count, file.byte_count;
	PERFORM here._sitemap_refuse(CASE
		WHEN old.same IS NOT NULL AND (old.digest IS NULL OR (old.section, old.kind) IS DISTINCT FROM (file.section, file.kind))
			THEN format('42710 section "%s" cannot have a file named "%s"', file.section, file.name) END,
		format('In the target table "%s", section "%s" or another program has a file of that name.', target, old.section));
	file.lastmod := CASE WHEN old.digest = file.digest AND old.lastmod IS NOT NULL THEN old.lastmod
		ELSE greatest(clock_timestamp(), old.lastmod + interval '1 second') END;
	PERFORM set_config('search_path', path, true);
	IF old.same IS NOT TRUE THEN	-- ON CONFLICT: 40001 if the snapshot does not show a file that is there
		EXECUTE pg_catalog.format(CASE WHEN NOT old.same THEN 'UPDATE %s SET (%s) = (%s)
				WHERE base_url OPERATOR(pg_catalog.=) $2 AND name OPERATOR(pg_catalog.=) $3 RETURNING true'
			ELSE 'INSERT INTO %s (%s) %s ON CONFLICT DO NOTHING RETURNING true' END, target,
			'base_url, section, name, kind, loc, lastmod, url_count, byte_count, digest, first_key, recipe, shown, content',
			'SELECT (file).* FROM (SELECT $1 AS file OFFSET 0) AS one') INTO written USING file, file.base_url, file.name;
		PERFORM here._sitemap_refuse(CASE WHEN written IS NULL
			THEN '55000 a trigger, rule, function or other session interfered: 1 row expected, 0 changed' END,
			pg_catalog.format('It kept the file "%s" from being written in the target table "%s".', file.name, target));
	END IF;
	RETURN CASE WHEN old.same THEN 'unchanged' WHEN NOT old.same THEN 'updated' ELSE 'inserted' END;
END
$$;

CREATE FUNCTION here._sitemap_check(section text, files int, found bigint, before bigint, after bigint, max_shrink float8) RETURNS text LANGUAGE sql
RETURN here._sitemap_refuse(CASE
	WHEN found <> files THEN '55000 a trigger, rule, function or other session interfered: ' || files || ' files expected, ' || found || ' found'
	WHEN before - coalesce(after, 0) > coalesce(floor(before * max_shrink::numeric), greatest(floor(before * 0.2), 100)) OR
			before > 0 AND coalesce(after, 0) = 0 AND max_shrink IS DISTINCT FROM 1
		THEN format('55000 section "%s" would shrink from %s to %s URLs', section, before, coalesce(after, 0)) END,
	'Nothing was changed.' || CASE WHEN found = files THEN ' If the pages are really gone, set max_shrink to 1 for one run.' ELSE '' END);

CREATE OR REPLACE FUNCTION here.sitemap_publish(target regclass, query text, base_url text, section text DEFAULT 'sitemap',
	max_urls int DEFAULT 50000, index text DEFAULT 'auto', stylesheet text DEFAULT NULL, on_invalid text DEFAULT 'error',
	max_shrink float8 DEFAULT NULL)
RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint) LANGUAGE plpgsql COST 100000 ROWS 100 AS $$
DECLARE
	given pg_catalog.record;
	path constant pg_catalog.text := pg_catalog.current_setting('search_path');
	-- The indexes are those of all sections.
	own constant pg_catalog.text := pg_catalog.format('FROM %s WHERE base_url OPERATOR(pg_catalog.=) $1 AND digest IS NOT NULL AND
		CASE WHEN kind OPERATOR(pg_catalog.=) ''index'' THEN '''' ELSE section END OPERATOR(pg_catalog.=) $2', target);
	prune constant pg_catalog.text := pg_catalog.concat('DELETE ', own, ' AND name OPERATOR(pg_catalog.<>) ALL ($3)
		RETURNING name, kind, ''deleted'', url_count, byte_count');
	first constant pg_catalog.text := pg_catalog.format('SELECT name FROM %s WHERE base_url OPERATOR(pg_catalog.=) $1 ORDER BY name LIMIT 1', target);
	top pg_catalog.text;
	locked pg_catalog.text;
	before bigint;
	files int;
	document pg_catalog.bytea;
BEGIN
	given := here._sitemap_arguments(base_url, section, max_urls, index, on_invalid, stylesheet, max_shrink);
	PERFORM here._sitemap_refuse(CASE WHEN target IS NULL THEN '22004 target must not be null'
		WHEN pg_catalog.row_security_active(target) THEN '0A000 cannot publish in a table whose row security applies to you'
		END, 'Nothing was changed.');
	-- Runs of one site queue up for the site's first row or, while it has none, for the target: for what only
	-- publishers can lock.  The target's lock comes first, so that nobody waits for it who has locked the row.
	LOOP	-- since another run can have removed the row, or added one before it; all later statements have newer snapshots
		EXECUTE first INTO top USING given.base;
		EXIT WHEN top OPERATOR(pg_catalog.=) locked;
		EXECUTE pg_catalog.format('LOCK TABLE %s IN %s MODE', target, CASE WHEN top IS NULL THEN 'SHARE ROW EXCLUSIVE' ELSE 'ROW EXCLUSIVE' END);
		EXIT WHEN top IS NULL;
		EXECUTE pg_catalog.concat(first, ' FOR UPDATE') INTO locked USING given.base;
	END LOOP;
	EXECUTE pg_catalog.concat('SELECT pg_catalog.sum(url_count) ', own) INTO before USING given.base, given.section;
	RETURN QUERY SELECT f.name, f.kind, here._sitemap_put(target, f, path), f.url_count, f.byte_count
	  FROM here._sitemap_set('sitemap_publish', query, given.base, given.origin, given.section, given.max_urls, 0,
	                         given.stylesheet, given.mode) AS f
	 WHERE f.kind OPERATOR(pg_catalog.<>) 'index';
	GET DIAGNOSTICS files = ROW_COUNT;
	RETURN QUERY EXECUTE prune USING given.base, given.section, ARRAY(
		SELECT pg_catalog.concat(given.section, '-', number, '.xml') FROM pg_catalog.generate_series(1, files) AS number);
	EXECUTE pg_catalog.concat('SELECT here._sitemap_check($2, $3, pg_catalog.count(*), $4, pg_catalog.sum(url_count), $5) ', own)
		USING given.base, given.section, files, before, max_shrink;
	IF given.index_from OPERATOR(pg_catalog.=) 2 THEN RETURN; END IF;
	EXECUTE pg_catalog.concat($sql$
		SELECT pg_catalog.count(*), here._sitemap_document('sitemapindex', pg_catalog.string_agg(here._sitemap_listed(loc, $3, lastmod), ''
		           ORDER BY section COLLATE pg_catalog."C", pg_catalog.octet_length(name), name COLLATE pg_catalog."C"), $2)
		  FROM $sql$, target, $sql$ WHERE base_url OPERATOR(pg_catalog.=) $1 AND kind OPERATOR(pg_catalog.<>) 'index' AND
		       loc OPERATOR(pg_catalog.<>) ''$sql$) INTO files, document USING given.base, given.stylesheet, given.origin;
	RETURN QUERY EXECUTE prune USING given.base, '', (ARRAY['sitemap.xml'])[1:files];
	RETURN QUERY SELECT f.name, f.kind, here._sitemap_put(target, f, path), f.url_count, f.byte_count
	  FROM here._sitemap_file(given.base, 'sitemap', 'sitemap.xml', 'index', NULL, files, document) AS f
	 WHERE files OPERATOR(pg_catalog.>) 0;
END
$$;
COMMENT ON FUNCTION here.sitemap_publish IS 'make the files of a section from a query, and publish them in a table';
$file$, '\mhere\.', quote_ident(schema) || '.', 'g');
	EXECUTE coalesce((SELECT 'DROP FUNCTION ' || string_agg(oid::regprocedure::text, ', ')
		FROM pg_proc WHERE pronamespace = quote_ident(schema)::regnamespace AND proname ~ '^_sitemap_.*_old$'), '');
	PERFORM set_config('search_path', path, true);
END
$install$;
