/*
 * managed/sitemap.sql
 *	  sitemap in plain SQL, for PostgreSQL 15 and later on services without our extension; see doc/managed.md.
 *
 * Run the file after SET LOCAL search_path, in one transaction.  Run it again after the schema was renamed.
 *
 * For rows that both accept, sitemap_publish writes what the extension's
 * sitemap_publish(..., split => 'full', compression => 0) writes, byte for byte.
 *
 * Nobody else's functions, operators or types are used, whatever search_path is: bodies with RETURN or BEGIN ATOMIC
 * are parsed now, all others set search_path or qualify their names.  "here" stands for the schema of the functions.
 *
 * A problem is a text: "!", its name in an audit, the SQLSTATE and the message.
 * A function that returns a value or its problem returns either text: no value begins with "!".
 */

DO $install$
DECLARE
	schema constant pg_catalog.text := (SELECT current_schema FROM pg_catalog.pg_settings	-- no row without SET
		WHERE name OPERATOR(pg_catalog.=) 'search_path' AND source OPERATOR(pg_catalog.=) 'session');
	place pg_catalog.regnamespace;
	others pg_catalog.text;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true), pg_catalog.set_config('standard_conforming_strings', 'on', true);
	IF current_setting('server_encoding') <> 'UTF8' THEN
		RAISE EXCEPTION 'the encoding of the database must be UTF8' USING ERRCODE = '0A000';
	ELSIF schema IS NULL OR schema ~ '["$''\\]' THEN
		RAISE EXCEPTION 'no schema has been selected to create in, or its name has a character of "$''\'
			USING ERRCODE = '3F000', HINT = 'Run BEGIN, CREATE SCHEMA IF NOT EXISTS sitemap, SET LOCAL search_path = sitemap, the whole file, and COMMIT.';
	END IF;
	place := quote_ident(schema);
	-- Owners may be superusers, the current role and roles of which it is a member: pg_has_role, which is true for any superuser.
	SELECT string_agg(DISTINCT coalesce(quote_ident(rolname), 'PUBLIC'), ', ') INTO others
	  FROM (SELECT nspowner AS role, true AS owns FROM pg_namespace WHERE oid = place
	         UNION ALL SELECT typowner, true FROM pg_type WHERE typnamespace = place AND typname = 'sitemap_file'
	         UNION ALL SELECT proowner, true FROM pg_proc WHERE pronamespace = place AND proname ~ '^_sitemap_|^sitemap_(audit|encode|files|publish)$'
	         UNION ALL SELECT grantee, false FROM pg_namespace, aclexplode(nspacl)
	         WHERE pg_namespace.oid = place AND privilege_type = 'CREATE' AND grantee <> nspowner) AS holder
	  LEFT JOIN pg_roles ON oid = role
	 WHERE (rolsuper OR rolname = current_user OR owns AND pg_has_role(role, 'USAGE') AND (rolname = 'pg_database_owner' OR
	        NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user))) IS NOT TRUE;
	IF others IS NOT NULL THEN
		RAISE EXCEPTION 'other roles could replace the functions in the schema "%"', schema USING ERRCODE = '42501',
			HINT = format('Create a schema of your own. If they own nothing there, but have the right to create, run REVOKE CREATE ON SCHEMA %I FROM %s.', schema, others);
	END IF;
	IF to_regtype(quote_ident(schema) || '.sitemap_file') IS NULL THEN
		EXECUTE format('CREATE TYPE %I.sitemap_file AS (
			base_url text, section text, name text, kind text, loc text, lastmod timestamptz, url_count int,
			byte_count bigint, digest text, first_key text, recipe text, shown bytea, content bytea)', schema);
	END IF;
	-- An earlier version's helpers make room for those of this version, and are dropped when nothing depends on them
	-- any more: sitemap_files and so on are replaced, so that views and other objects of users can go on using them.
	EXECUTE coalesce((SELECT string_agg(format('ALTER FUNCTION %s RENAME TO %I', oid::regprocedure, proname || '_old'), ';')
		FROM pg_proc WHERE pronamespace = place AND starts_with(proname, '_sitemap_')), '');

	PERFORM set_config('search_path', quote_ident(schema) || ', pg_temp', true);	-- pg_catalog comes before it
	EXECUTE regexp_replace($file$
-- Raises a problem, which needs no name here: an error or, if its SQLSTATE is 01000, a WARNING.  Returns NULL.
CREATE FUNCTION _sitemap_raise(problem text, detail text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path FROM CURRENT AS $$
DECLARE
	part constant text[] := regexp_match(problem, '^(?:!\w+ )?(.{5}) (.*)$');
BEGIN
	IF part[1] <> '01000' THEN
		RAISE EXCEPTION USING ERRCODE = part[1], MESSAGE = part[2], DETAIL = detail;
	END IF;
	RAISE WARNING USING MESSAGE = part[2], DETAIL = detail;
	RETURN NULL;
END
$$;

CREATE FUNCTION _sitemap_trim(value text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN btrim(value, E' \t\n\x0b\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a'
                    '\u2028\u2029\u202f\u205f\u3000');

-- A word in lower case and without blanks; NULL if it is none of words.
CREATE FUNCTION _sitemap_word(value text, words text[]) RETURNS text LANGUAGE sql IMMUTABLE
RETURN words[array_position(words, lower(_sitemap_trim(value) COLLATE "C"))];

-- A URL without its user and password, which stand between "//" and "@", or between the colon of "user:password@host"
-- and "@".  In a password, there can be a slash: what follows the colon is then no port.
CREATE FUNCTION _sitemap_masked(url text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN regexp_replace(url COLLATE "C", '^(\s*(?:[^/\\?#:]*:[/\\]*|[/\\]{2,}))(?:[^/\\?#]*|[^/\\?#:@[]*:(?!\d*[/\\?#])[^/\\?#@]*[/\\?#].*)(@|%40|&#64;|\uff20|\ufe6b)',
	'\1***\2', 'i');

-- A value in a message: one line, and not too long.
CREATE FUNCTION _sitemap_shown(value text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN left(translate(_sitemap_masked(left(value, 5000)), E'\n\r', '  '), 200) || CASE WHEN length(value) > 200 THEN '...' ELSE '' END;

-- The W3C datetime of a lastmod; NULL if it cannot be written.
CREATE FUNCTION _sitemap_time(lastmod timestamp) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN lastmod >= '0001-01-01' AND lastmod < '10000-01-01' THEN to_char(lastmod, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') END;
CREATE FUNCTION _sitemap_time(lastmod timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN _sitemap_time(lastmod AT TIME ZONE 'UTC');
CREATE FUNCTION _sitemap_time(lastmod date) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN lastmod >= '0001-01-01' AND lastmod < '10000-01-01' THEN to_char(lastmod::timestamp, 'YYYY-MM-DD') END;

-- A W3C datetime, or its problem
CREATE FUNCTION _sitemap_w3c(date text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce('!lastmod_invalid ' || replace(CASE
	WHEN date COLLATE "C" !~ '^(\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?)?)?)?$'
		THEN '22007: not a W3C datetime such as 2026-01-02 or 2026-01-02T03:04:05Z'
	WHEN date ~ ('^0000|^.{4}-(00|1[3-9]|[2-9])|^.{7}-(00|3[2-9]|[4-9])|T(2[4-9]|[3-9])|:[6-9]|T.*[+-](14:(?!00)|1[5-9]|[2-9])|'
			'^0001-01-01T.*[+](?!00:00)|^9999-12-31T.*-(?!00:00)') OR	-- the last two: in UTC, perhaps in another year
		length(date) > 9 AND substr(date, 9, 2)::int > date_part('days', make_date(left(date, 4)::int, substr(date, 6, 2)::int, 1) + interval '1 month - 1 day')
		THEN '22008: there is no such date or time in the years 0001 to 9999'
	END, ': ', ' invalid lastmod "' || _sitemap_shown(date) || '": '), date);
CREATE FUNCTION _sitemap_time(lastmod text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN _sitemap_w3c(_sitemap_trim(lastmod));

CREATE FUNCTION _sitemap_text(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN value;
CREATE FUNCTION _sitemap_text(value anyenum) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT pg_catalog.concat(value)';

CREATE FUNCTION _sitemap_escape(url text) RETURNS text LANGUAGE sql IMMUTABLE RETURN replace(replace(url, '&', '&amp;'), '''', '&apos;');

-- Percent-encodes all characters but letters and digits of ASCII, -._~ and kept.  Escapes such as %C3 stay.
CREATE FUNCTION _sitemap_percent(value text, kept text DEFAULT '!$&''()*+,;=:@/?') RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
	class constant pg_catalog.text := pg_catalog.concat('A-Za-z0-9._~%', kept, '-]+');
	-- begins with what is kept, so that each run of others follows a part
	url constant pg_catalog.text := pg_catalog.concat('.', pg_catalog.regexp_replace(value, '%(?![0-9A-Fa-f]{2})', '%25', 'g'));
	parts pg_catalog.text[] := pg_catalog.regexp_split_to_array(url COLLATE pg_catalog."C", pg_catalog.concat('[^', class));
	others constant pg_catalog.text[] := pg_catalog.regexp_split_to_array(url COLLATE pg_catalog."C", pg_catalog.concat('[', class));
BEGIN
	FOR i IN 1 .. pg_catalog.cardinality(parts) LOOP
		parts[i] := pg_catalog.concat(parts[i], pg_catalog.regexp_replace(pg_catalog.upper(pg_catalog.encode(pg_catalog.convert_to(
			others[i OPERATOR(pg_catalog.+) 1], 'UTF8'), 'hex') COLLATE pg_catalog."C"), '..', E'%\\&', 'g'));
	END LOOP;
	RETURN pg_catalog.substr(pg_catalog.array_to_string(parts, ''), 2);
END
$$;

CREATE OR REPLACE FUNCTION sitemap_encode(segment text, keep text DEFAULT '') RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
	WHEN keep ~ '[^]:/?#[@!$&''()*+,;=A-Za-z0-9._~-]'
		THEN _sitemap_raise('22023 invalid keep "' || keep || '"', 'Only :/?#[]@!$&''()*+,;= can be kept.')
	WHEN segment COLLATE "C" IN ('.', '..') THEN replace(segment, '.', '%2E')
	WHEN segment COLLATE "C" !~ '[^A-Za-z0-9._~-]' THEN segment
	ELSE _sitemap_percent(replace(segment, '%', '%25'), regexp_replace(coalesce(keep, ''), '([][-])', '\\\1', 'g'))
	END;
COMMENT ON FUNCTION sitemap_encode IS 'percent-encode one segment of a path or one value of a query string';

-- The site of a URL in one form: in lower case, without a final dot and a default port.
CREATE FUNCTION _sitemap_site(url text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN regexp_replace(regexp_replace(regexp_replace(
	substring(lower(url COLLATE "C") FROM '^https?://[^/?#]*'), ':0+(?=[1-9][0-9]*$)', ':'),
	'^(https:.*):(443)?$|^(http:.*):(80)?$', '\1\3'), '\.(:[0-9]+)?$', '\1');

-- Percent-encodes a URL, or returns its problem.  what: base_url, loc, image or href; blanks are no image and no href
CREATE FUNCTION _sitemap_url(given text, base text, origin text, what text) RETURNS text LANGUAGE sql IMMUTABLE
RETURN (
	SELECT coalesce('!' || CASE what WHEN 'loc' THEN 'loc_' WHEN 'image' THEN 'image_' ELSE 'extension_' END || replace(CASE
		WHEN trimmed IS NULL THEN 'null 22004 loc is NULL'
		WHEN trimmed = '' THEN 'invalid 22P02: the URL is empty'
		WHEN url COLLATE "C" !~* '^https?://' THEN 'invalid 22P02: neither "http://", "https://", "/", "./", "../" nor "?" at the beginning'
		WHEN url ~ '^[^:]*://[^/?#]*@' THEN 'invalid 22P02: a user name or password before the host'
		WHEN split_part(site, ':', 2) COLLATE "C" !~ '^//(?!.{254})(?!.*[a-z0-9_~-]{64})([a-z0-9_~-]+\.)*(?!\d+$)[a-z0-9_~-]+$'
			THEN 'invalid 22P02: the host is not a valid name'
		WHEN port !~ '^[0-9]{1,5}$' OR port::int NOT BETWEEN 1 AND 65535 THEN 'invalid 22P02: the port is not a number from 1 to 65535'
		WHEN url COLLATE "C" ~* '^[^?#]*/(\.?%2e|%2e\.|%2e%2e)([/?#]|$)' THEN 'invalid 22P02: the path has a segment "%2E" or "%2E%2E"'
		WHEN url COLLATE "C" ~ '^[^?#]*/\.{1,2}([/?#]|$)' THEN 'invalid 0A000: the path has a segment "." or ".."'
		WHEN what <> 'loc' AND length(url) > 4096 THEN 'invalid 22001: longer than 4096 characters after percent-encoding'
		WHEN what = 'loc' AND length(url) > 2047 THEN 'too_long 22001: longer than 2047 characters after percent-encoding'
		WHEN what = 'loc' AND site <> origin THEN 'outside 22023: the site is "' || site || '", not "' || origin || '" as in base_url'
		END, ': ', concat(' invalid ', what, CASE WHEN what IN ('image', 'href') THEN ' "' || _sitemap_shown(trimmed) || '"' END, ': ')), url)
	  FROM (
		SELECT *, substring(whole FROM '^[^:]*://[^/?#:]*:([^/?#]+)') AS port, _sitemap_site(whole) AS site,
		       -- A second "#" is encoded.
		       concat(_sitemap_percent(split_part(whole, '#', 1)), '#' || _sitemap_percent(substring(whole FROM '#(.*)'))) AS url
		  FROM (
			SELECT trimmed, concat(CASE
				WHEN starts_with(trimmed, '//') THEN split_part(origin, '/', 1)
				WHEN starts_with(trimmed, '/') THEN origin
				WHEN trimmed ~ '^(\.\.?/|\?)' THEN base END,
				regexp_replace(left(trimmed, 5000), '^\./', '')) AS whole	-- what is cut off is too long
			  FROM _sitemap_trim(given) AS trimmed
			 WHERE trimmed <> '' OR what IN ('base_url', 'loc')
			OFFSET 0) AS place
		OFFSET 0) AS page);

-- The value of _sitemap_url.  For most URLs, this is faster.
CREATE FUNCTION _sitemap_value(given text, base text, origin text, what text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(CASE
		WHEN starts_with(given, '/') THEN origin
		WHEN starts_with(given, origin || '/') THEN ''
		WHEN what <> 'loc' AND starts_with(given, 'https://') AND octet_length(split_part(given, '/', 3)) < 64 AND
			split_part(given, '/', 3) COLLATE "C" ~ '^([a-z0-9-]+\.)+[a-z]+$' THEN '' END || CASE
		WHEN octet_length(given) > 590 OR starts_with(given, '//') OR strpos(given, '/.') > 0 THEN NULL
		WHEN given COLLATE "C" !~ '[^!$&-;=?-Z_a-z~]' THEN given
		WHEN given COLLATE "C" !~ '#|/%2[Ee]|[\x01-\x20\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$' THEN _sitemap_percent(given) END,
	_sitemap_url(given, base, origin, what));

-- The rows of a query.  This is the only statement with names that are not ours.
CREATE FUNCTION _sitemap_rows(query text)
RETURNS TABLE (loc text, lastmod text, changefreq text, priority float8, alternates jsonb, images text[])
LANGUAGE plpgsql STABLE AS $$
DECLARE
	-- A name means the query's column or, if there is none, the NULL in missing, since the inner FROM comes first.
	-- COALESCE refuses columns of other types.  The line feed ends a comment of the query.
	statement constant pg_catalog.text := pg_catalog.concat($sql$
		SELECT page.*
		  FROM (SELECT NULL::pg_catalog.timestamptz AS lastmod, NULL::pg_catalog.text AS changefreq,
		               NULL::pg_catalog.float8 AS priority, NULL::pg_catalog.jsonb AS alternates,
		               NULL::pg_catalog.text[] AS images) AS missing, LATERAL (
			SELECT here._sitemap_text(loc) AS loc, CASE WHEN lastmod IS NOT NULL THEN COALESCE(here._sitemap_time(lastmod),
			           '!lastmod_invalid 22008 invalid lastmod: infinity and years outside 0001 to 9999 cannot be written') END AS lastmod,
			       here._sitemap_text(changefreq) AS changefreq, COALESCE(NULL::pg_catalog.float8, priority) AS priority,
			       COALESCE(NULL::pg_catalog.jsonb, alternates) AS alternates, COALESCE(NULL::pg_catalog.text[], images) AS images
			  FROM (SELECT * FROM ($sql$, pg_catalog.regexp_replace(query, '[\s;]+$', ''), E'\n) AS query OFFSET 0) AS query) AS page');
	alone pg_catalog.refcursor;
	page pg_catalog.record;
BEGIN
	-- A query that is valid by itself cannot close the parenthesis around it.
	OPEN alone FOR EXECUTE query;
	FETCH RELATIVE 0 FROM alone INTO page;	-- NULLs, since this runs no query; the keys of their JSON are the columns
	CLOSE alone;
	PERFORM here._sitemap_raise(pg_catalog.format('42703 unrecognized column "%s" in the query', name),
		'The columns are loc, lastmod, changefreq, priority, images and alternates.')
	   FROM pg_catalog.json_object_keys(pg_catalog.row_to_json(page)) AS name
	  WHERE name OPERATOR(pg_catalog.<>) ALL ('{loc,lastmod,changefreq,priority,images,alternates}');
	BEGIN
		EXECUTE pg_catalog.concat(statement, ' LIMIT 0');
	EXCEPTION WHEN datatype_mismatch OR cannot_coerce OR undefined_function THEN
		PERFORM here._sitemap_raise('42804 loc and changefreq must be text or an enum, lastmod timestamptz, timestamp, date or text, '
			'priority a number, images text[], alternates jsonb', SQLERRM);
	END;
	RETURN QUERY EXECUTE statement;
END
$$;

-- The alternates and images of a row: all elements in one text, and after it their problems
CREATE FUNCTION _sitemap_items(alternates jsonb, images text[], base text, origin text) RETURNS SETOF text[] LANGUAGE sql STABLE
BEGIN ATOMIC
	SELECT concat(string_agg(CASE what WHEN 'image' THEN '<image:image><image:loc>' || _sitemap_escape(url) || '</image:loc></image:image>'
	           ELSE '<xhtml:link rel="alternate" hreflang="' || lang || '" href="' || _sitemap_escape(url) || '"/>' END, '')
	           FILTER (WHERE NOT starts_with(url, '!'))) || array_agg(url) FILTER (WHERE starts_with(url, '!'))
	  FROM (
		SELECT what, lang, CASE
			WHEN type <> 'string' THEN '!extension_invalid 22023 alternates must be a JSON object of strings, unlike "' || _sitemap_shown(given) || '"'
			WHEN lang COLLATE "C" !~ '^(x-default|[A-Za-z]{2,3}(-[A-Za-z]{4})?(-[A-Za-z]{2})?)$'
				THEN '!extension_invalid 22023 invalid hreflang "' || _sitemap_shown(key) || '": must be x-default or a language code such as de, de-AT or zh-Hant-TW'
			ELSE _sitemap_value(given, base, origin, what) END AS url
		  FROM (
			SELECT 'href' AS what, key, _sitemap_trim(key) AS lang, jsonb_typeof(value) AS type, value #>> '{}' AS given
			  FROM jsonb_each(CASE jsonb_typeof(alternates) WHEN 'object' THEN alternates ELSE jsonb_build_object('', alternates) END)
			 WHERE _sitemap_trim(value #>> '{}') <> '' AND value <> '[]'
			 UNION ALL
			SELECT 'image', NULL, NULL, 'string', image FROM unnest(images) AS image) AS given
		OFFSET 0) AS value;
END;

-- The rows of a query with their entries and problems, which follow each other in the entry's order
CREATE FUNCTION _sitemap_entries(query text, base text, origin text)
RETURNS TABLE (n bigint, loc text, lastmod text, problems text[], entry text) LANGUAGE sql STABLE
BEGIN ATOMIC
	SELECT n, loc, lastmod, nullif(array_remove(ARRAY[
			CASE WHEN starts_with(url, '!') THEN url END,
			CASE WHEN lastmod IS NULL THEN nullif(date, '') END,
			CASE WHEN word IS NULL AND _sitemap_trim(changefreq) <> ''
				THEN '!changefreq_invalid 22P02 invalid changefreq "' || _sitemap_shown(changefreq) || '"' END,
			CASE WHEN priority NOT BETWEEN 0 AND 1
				THEN '!priority_invalid 22003 invalid priority ' || priority || ': must be from 0.0 to 1.0' END], NULL) || items[2:], '{}'),
	       CASE WHEN NOT starts_with(url, '!') THEN concat('<url><loc>', _sitemap_escape(url), '</loc>',
	           '<lastmod>' || lastmod || '</lastmod>', '<changefreq>' || word || '</changefreq>',
	           '<priority>' || CASE WHEN priority BETWEEN 0 AND 1 THEN
	           -- up to six decimals; to_char rounds ties, n/128 with an odd n, to even, but the extension rounds them up
	           to_char(abs(priority) + (priority * 128 = floor(priority * 128))::int * 1e-9, 'FM0.099999') END || '</priority>', items[1], '</url>') END
	  FROM (
		SELECT *, _sitemap_word(changefreq, '{always,hourly,daily,weekly,monthly,yearly,never}') AS word,
		       _sitemap_value(loc, base, origin, 'loc') AS url, CASE WHEN date COLLATE "C" >= '0' THEN date END AS lastmod,
		       (SELECT items FROM _sitemap_items(alternates, images, base, origin) AS items WHERE alternates IS NOT NULL OR images IS NOT NULL) AS items
		  FROM _sitemap_rows(query) WITH ORDINALITY AS page (loc, date, changefreq, priority, alternates, images, n)
		OFFSET 0) AS page	-- a value is computed once
	OFFSET 0;
END;

CREATE FUNCTION _sitemap_listed(loc text, origin text, lastmod timestamptz) RETURNS text LANGUAGE sql STABLE
RETURN (SELECT concat(_sitemap_raise(substring(url FROM '^!.*'), 'The loc is "' || _sitemap_shown(loc) || '".'),
		'<sitemap><loc>', _sitemap_escape(url), '</loc>', '<lastmod>' || _sitemap_time(lastmod) || '</lastmod>', '</sitemap>')
	  FROM _sitemap_url(loc, NULL, origin, 'loc') AS url);

-- A sitemap or an index with these entries.  Their values are escaped, so each "<" begins a tag.
CREATE FUNCTION _sitemap_file(base text, section text, name text, kind text, lastmod timestamptz, urls bigint, entries text, stylesheet text)
RETURNS sitemap_file LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT AS $$
DECLARE
	root constant text := CASE kind WHEN 'index' THEN 'sitemapindex' ELSE kind END;
	-- concat would copy the entries three times
	document constant bytea := convert_to(concat('<?xml version="1.0" encoding="UTF-8"?>',
		'<?xml-stylesheet type="text/css" href="' || stylesheet || '"?>', '<', root, ' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"',
		CASE WHEN strpos(entries, '<image:') > 0 THEN ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"' END,
		CASE WHEN strpos(entries, '<xhtml:') > 0 THEN ' xmlns:xhtml="http://www.w3.org/1999/xhtml"' END,
		'>') || entries || concat('</', root, '>'), 'UTF8');
BEGIN
	PERFORM _sitemap_raise(CASE
		WHEN urls > 50000 THEN '54000 an index would have ' || urls || ' sitemaps, more than 50000: raise max_urls'
		WHEN length(document) > 52428800 THEN '54000 a file would have ' || length(document) || ' bytes, more than 52428800: lower max_urls'
		END, 'Nothing was changed.');
	RETURN ROW(base, section, name, kind, base || name, lastmod, urls, length(document), encode(sha256(document), 'hex'), NULL, NULL, NULL,
		document)::sitemap_file;
END
$$;

-- Checks arguments, and returns their values; base has one form.  index_from: with more files than this, there is an index
CREATE FUNCTION _sitemap_arguments(base_url text, INOUT section text, INOUT max_urls int, index text, on_invalid text,
	INOUT stylesheet text, max_shrink float8, OUT base text, OUT origin text, OUT index_from int, OUT mode text) LANGUAGE sql STABLE
BEGIN ATOMIC
	SELECT coalesce(section, 'sitemap'), coalesce(max_urls, 50000), _sitemap_escape(_sitemap_percent(href)),
	       site || path, site, index_from, mode
	  FROM _sitemap_url(base_url, '', '', 'base_url') AS url,
	       _sitemap_site(url) AS site, concat(regexp_replace(url, '^[^/]*//[^/]*|/?$', '', 'g'), '/') AS path,
	       array_position('[0:2]={always,auto,never}', _sitemap_word(coalesce(index, 'auto'), '{always,auto,never}')) AS index_from,
	       _sitemap_trim(stylesheet) AS href, _sitemap_word(coalesce(on_invalid, 'error'), '{error,skip}') AS mode
	 WHERE _sitemap_raise(CASE
		WHEN base_url IS NULL THEN '22004 base_url must not be null'
		WHEN site IS NULL OR path ~ '[?#]' OR path COLLATE "C" ~* '\.(xml|txt)(\.gz)?/$' OR length(site || path) > 1807
		    THEN '22023 invalid base_url "' || _sitemap_shown(base_url) || '": it must be the URL of the directory of the files, such as "https://www.example.com/"'
		WHEN section COLLATE "C" !~ '^(?!sitemap-index$|\.)[A-Za-z0-9._~-]{1,200}$' OR section COLLATE "C" ~* '\.(xml|txt)(\.gz)?$'
		    THEN '22023 invalid section "' || left(section, 200) || '": it must be 1 to 200 letters, digits, "-", ".", "_" and "~", '
		        'not begin with a dot, not end with ".xml" or ".txt", and not be "sitemap-index"'
		WHEN max_urls NOT BETWEEN 1 AND 50000 THEN '22023 invalid max_urls ' || max_urls || ': it must be from 1 to 50000'
		WHEN index_from IS NULL THEN '22023 invalid index "' || index || '": it must be auto, always or never'
		WHEN href COLLATE "C" !~* '^[^\s?#][^?#]*\.css(\?[^\s>#]*)?$' OR octet_length(href) > 2047
		    THEN '22023 invalid stylesheet "' || _sitemap_shown(stylesheet) || '": it must be a URL that ends with .css'
		WHEN mode IS NULL THEN '22023 invalid on_invalid "' || on_invalid || '": it must be error or skip'
		WHEN max_shrink NOT BETWEEN 0 AND 1 THEN '22023 invalid max_shrink ' || max_shrink || ': it must be from 0 to 1'
		END, 'Nothing was changed.') IS NULL;
END;

CREATE OR REPLACE FUNCTION sitemap_files(query text, base_url text, section text DEFAULT 'sitemap', max_urls int DEFAULT 50000,
	index text DEFAULT 'auto', stylesheet text DEFAULT NULL, on_invalid text DEFAULT 'error')
RETURNS SETOF sitemap_file LANGUAGE sql STABLE COST 100000 ROWS 100
SET jit = off SET standard_conforming_strings = on
BEGIN ATOMIC
	WITH given AS MATERIALIZED (
		SELECT * FROM _sitemap_arguments(base_url, section, max_urls, index, on_invalid, stylesheet, NULL)
	), numbered AS (
		SELECT greatest(count(entry) OVER (ROWS UNBOUNDED PRECEDING) - 1, 0) / given.max_urls + 1 AS number, n, entry, lastmod, problems
		  FROM given, _sitemap_entries(query, base, origin)
		 WHERE mode = 'skip' OR problems IS NULL OR
		       _sitemap_raise(problems[1], 'It is row ' || n || coalesce(', with the loc "' || _sitemap_shown(loc) || '".', '.')) IS NULL
		 ORDER BY number, n	-- the order in which entries are joined
	), file AS MATERIALIZED (
		SELECT number, count(entry) AS urls, string_agg(entry, '') AS entries,
		       -- as a time in UTC, whose missing parts are the earliest ones
		       max(CASE WHEN octet_length(lastmod) IN (4, 7, 10, 20) THEN overlay('0001-01-01T00:00:00Z' PLACING lastmod FROM 1)
		           ELSE _sitemap_time(regexp_replace(lastmod, '\.\d+', '')::timestamptz) END COLLATE "C")
		           FILTER (WHERE entry IS NOT NULL)::timestamptz AS newest,
		       count(*) FILTER (WHERE entry IS NULL) AS lost_rows, sum(cardinality(problems)) FILTER (WHERE entry IS NOT NULL) AS lost
		  FROM numbered GROUP BY number
	)
	SELECT _sitemap_file(base, given.section, concat(given.section, CASE WHEN index_from = 0 OR EXISTS (SELECT FROM file WHERE number > 1)
	           THEN '-' || number END, '.xml'), 'urlset', newest, urls, entries, given.stylesheet)
	  FROM given, file WHERE entries IS NOT NULL
	 UNION ALL
	SELECT _sitemap_file(base, given.section, 'sitemap.xml', 'index', newest, files, entries, given.stylesheet)
	  FROM given, LATERAL (
		SELECT max(newest) AS newest, count(*) AS files, string_agg(
		           _sitemap_listed(concat(base, given.section, '-', number, '.xml'), origin, newest), '' ORDER BY number) AS entries
		  FROM file WHERE entries IS NOT NULL) AS list
	 WHERE files > index_from AND index_from < 2
	 UNION ALL
	SELECT NULL FROM (SELECT sum(lost_rows) AS rows, sum(lost) AS elements FROM file) AS left_out
	 WHERE _sitemap_raise('01000 sitemap_files left out ' || nullif(concat_ws(' and ', nullif(rows, 0) || ' rows',
	       nullif(elements, 0) || ' optional elements'), ''), 'sitemap_audit lists them.') IS NOT NULL;
END;
COMMENT ON FUNCTION sitemap_files IS 'make the files of a set of sitemaps';

CREATE OR REPLACE FUNCTION sitemap_audit(query text, base_url text)
RETURNS TABLE (row_number bigint, loc text, problem text, detail text) LANGUAGE sql STABLE COST 100000 ROWS 100
SET jit = off SET standard_conforming_strings = on
BEGIN ATOMIC
	SELECT n, _sitemap_masked(loc), part[1], upper(part[2] COLLATE "C") || part[3] || '.'
	  FROM _sitemap_arguments(base_url, NULL, NULL, NULL, NULL, NULL, NULL),
	       _sitemap_entries(query, base, origin) AS page, unnest(CASE WHEN loc IS NULL THEN problems[:1] ELSE problems END) AS found,
	       regexp_match(found, '^!(\w+) .{5} (.)(.*)$') AS part;
END;
COMMENT ON FUNCTION sitemap_audit IS 'list the problems of the rows of a query';

-- Writes a file if it changed, and returns the action.  path: search_path of the caller, for the triggers of the target
CREATE FUNCTION _sitemap_put(target text, file sitemap_file, path text) RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
	old record;
	written bool;
BEGIN
	EXECUTE format('SELECT section, kind, digest, CASE WHEN isfinite(lastmod) THEN lastmod END AS lastmod,
			content IS NOT NULL AND (loc, digest, url_count, byte_count) IS NOT DISTINCT FROM ($3, $4, $5, $6) AS same
		FROM %s WHERE base_url = $1 AND name = $2', target) INTO old
		USING file.base_url, file.name, file.loc, file.digest, file.url_count, file.byte_count;
	PERFORM _sitemap_raise(CASE
		WHEN old.same IS NOT NULL AND (old.digest IS NULL OR (old.section, old.kind) IS DISTINCT FROM (file.section, file.kind))
			THEN format('42710 section "%s" cannot have a file named "%s": section "%s" or another program has it', file.section, file.name, old.section)
		END, 'Nothing was changed.');
	file.lastmod := CASE WHEN old.digest = file.digest AND old.lastmod IS NOT NULL THEN old.lastmod
		ELSE greatest(clock_timestamp(), old.lastmod + interval '1 second') END;
	PERFORM set_config('search_path', path, true);
	IF old.same IS NOT TRUE THEN	-- ON CONFLICT: 40001 if the snapshot does not show a file that is there
		EXECUTE pg_catalog.format(CASE WHEN NOT old.same THEN 'UPDATE %s SET (%s) = (%s)
				WHERE base_url OPERATOR(pg_catalog.=) $2 AND name OPERATOR(pg_catalog.=) $3 RETURNING true'
			ELSE 'INSERT INTO %s (%s) %s ON CONFLICT DO NOTHING RETURNING true' END, target,
			'base_url, section, name, kind, loc, lastmod, url_count, byte_count, digest, first_key, recipe, shown, content',
			'SELECT (file).* FROM (SELECT $1 AS file OFFSET 0) AS one') INTO written USING file, file.base_url, file.name;
		PERFORM here._sitemap_raise(CASE WHEN written IS NULL
			THEN '55000 a trigger, rule, function or other session interfered: 1 row expected, 0 changed' END,
			pg_catalog.format('It kept the file "%s" from being written in the target table "%s".', file.name, target));
	END IF;
	RETURN CASE WHEN old.same THEN 'unchanged' WHEN NOT old.same THEN 'updated' ELSE 'inserted' END;
END
$$;

CREATE FUNCTION _sitemap_check(section text, files int, found bigint, before bigint, after bigint, max_shrink float8) RETURNS text LANGUAGE sql
RETURN _sitemap_raise(CASE
	WHEN found <> files THEN '55000 a trigger, rule, function or other session interfered: ' || files || ' files expected, ' || found || ' found'
	WHEN before - coalesce(after, 0) > coalesce(floor(before * max_shrink::numeric), greatest(floor(before * 0.2), 100)) OR
			before > 0 AND coalesce(after, 0) = 0 AND max_shrink IS DISTINCT FROM 1
		THEN format('55000 section "%s" would shrink from %s to %s URLs', section, before, coalesce(after, 0)) END,
	'Nothing was changed.' || CASE WHEN found = files THEN ' If the pages are really gone, set max_shrink to 1 for one run.' ELSE '' END);

CREATE OR REPLACE FUNCTION sitemap_publish(target regclass, query text, base_url text, section text DEFAULT 'sitemap',
	max_urls int DEFAULT 50000, index text DEFAULT 'auto', stylesheet text DEFAULT NULL, on_invalid text DEFAULT 'error',
	max_shrink float8 DEFAULT NULL)
RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint) LANGUAGE plpgsql COST 100000 ROWS 100 AS $$
DECLARE
	given pg_catalog.record;
	path constant pg_catalog.text := pg_catalog.current_setting('search_path');
	-- with its schema, since the query can change search_path
	target_name constant pg_catalog.text := (pg_catalog.pg_identify_object('pg_catalog.pg_class'::pg_catalog.regclass, target, 0)).identity;
	-- The indexes are those of all sections.
	own constant pg_catalog.text := pg_catalog.format('FROM %s WHERE base_url OPERATOR(pg_catalog.=) $1 AND digest IS NOT NULL AND
		CASE WHEN kind OPERATOR(pg_catalog.=) ''index'' THEN '''' ELSE section END OPERATOR(pg_catalog.=) $2', target_name);
	prune constant pg_catalog.text := pg_catalog.concat('DELETE ', own, ' AND name OPERATOR(pg_catalog.<>) ALL ($3)
		RETURNING name, kind, ''deleted'', url_count, byte_count');
	first constant pg_catalog.text := pg_catalog.format('SELECT name FROM %s WHERE base_url OPERATOR(pg_catalog.=) $1 ORDER BY name LIMIT 1', target_name);
	top pg_catalog.text;
	locked pg_catalog.text;
	before bigint;
	files int;
	entries pg_catalog.text;
BEGIN
	given := here._sitemap_arguments(base_url, section, max_urls, index, on_invalid, stylesheet, max_shrink);
	PERFORM here._sitemap_raise(CASE WHEN target IS NULL THEN '22004 target must not be null'
		WHEN target_name IS NULL THEN '42P01 the target table does not exist: if it was created again, set it again, since a regclass is an OID'
		WHEN pg_catalog.row_security_active(target) THEN '0A000 cannot publish in a table whose row security applies to you'
		END, 'Nothing was changed.');
	-- Runs of one site queue up for the site's first row or, while it has none, for the target: for what only
	-- publishers can lock.  The target's lock comes first, so that nobody waits for it who has locked the row.
	LOOP	-- since another run can have removed the row, or added one before it; all later statements have newer snapshots
		EXECUTE first INTO top USING given.base;
		EXIT WHEN top OPERATOR(pg_catalog.=) locked;
		EXECUTE pg_catalog.format('LOCK TABLE %s IN %s MODE', target_name, CASE WHEN top IS NULL THEN 'SHARE ROW EXCLUSIVE' ELSE 'ROW EXCLUSIVE' END);
		EXIT WHEN top IS NULL;
		EXECUTE pg_catalog.concat(first, ' FOR UPDATE') INTO locked USING given.base;
	END LOOP;
	EXECUTE pg_catalog.concat('SELECT pg_catalog.sum(url_count) ', own) INTO before USING given.base, given.section;
	RETURN QUERY SELECT f.name, f.kind, here._sitemap_put(target_name, f, path), f.url_count, f.byte_count
	  FROM here.sitemap_files(query, base_url, section, max_urls, 'always', stylesheet, on_invalid) AS f
	 WHERE f.kind OPERATOR(pg_catalog.<>) 'index';
	GET DIAGNOSTICS files = ROW_COUNT;
	RETURN QUERY EXECUTE prune USING given.base, given.section, ARRAY(
		SELECT pg_catalog.concat(given.section, '-', number, '.xml') FROM pg_catalog.generate_series(1, files) AS number);
	EXECUTE pg_catalog.concat('SELECT here._sitemap_check($2, $3, pg_catalog.count(*), $4, pg_catalog.sum(url_count), $5) ', own)
		USING given.base, given.section, files, before, max_shrink;
	IF given.index_from OPERATOR(pg_catalog.=) 2 THEN RETURN; END IF;
	EXECUTE pg_catalog.concat($sql$
		SELECT pg_catalog.count(*), pg_catalog.string_agg(here._sitemap_listed(loc, $2, lastmod), ''
		           ORDER BY section COLLATE pg_catalog."C", pg_catalog.octet_length(name), name COLLATE pg_catalog."C")
		  FROM $sql$, target_name, $sql$ WHERE base_url OPERATOR(pg_catalog.=) $1 AND kind OPERATOR(pg_catalog.<>) 'index' AND
		       loc OPERATOR(pg_catalog.<>) ''$sql$) INTO files, entries USING given.base, given.origin;
	RETURN QUERY EXECUTE prune USING given.base, '', (ARRAY['sitemap.xml'])[1:files];
	RETURN QUERY SELECT f.name, f.kind, here._sitemap_put(target_name, f, path), f.url_count, f.byte_count
	  FROM here._sitemap_file(given.base, 'sitemap', 'sitemap.xml', 'index', NULL, files, entries, given.stylesheet) AS f
	 WHERE files OPERATOR(pg_catalog.>) 0;
END
$$;
COMMENT ON FUNCTION sitemap_publish IS 'make the files of a section from a query, and publish them in a table';
$file$, '\mhere\.', quote_ident(schema) || '.', 'g');
	EXECUTE coalesce((SELECT 'DROP FUNCTION ' || string_agg(oid::regprocedure::text, ', ')
		FROM pg_proc WHERE pronamespace = place AND proname ~ '^_sitemap_.*_old$'), '');
END
$install$;
