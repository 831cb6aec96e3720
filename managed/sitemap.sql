/*
 * managed/sitemap.sql
 *	  sitemap in plain SQL, for PostgreSQL 15 and later on services that take no extension
 *	  of ours.  doc/managed.md explains it.
 *
 * Run the file in an SQL console, by psql or in a migration.  It needs no superuser.
 * Everything goes into the current schema, the first one of search_path.  Run the file
 * again to update the functions, or after the schema was renamed.
 *
 * For rows that both accept, sitemap_publish writes what the extension's
 * sitemap_publish(..., split => 'full', compression => 0) writes, byte for byte.
 *
 * The functions call each other as sitemap_schema.name.  The block at the end of the file
 * replaces sitemap_schema by the schema that they are in, so they work whatever
 * search_path is, and leave it to the query.
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

-- Percent-encode.  kept: characters that stay, for a regular expression; with "%" among
-- them, escapes such as %C3 stay.
CREATE OR REPLACE FUNCTION _sitemap_percent(value text, kept text DEFAULT 'A-Za-z0-9._~!$&''()*+,;=:@/?%-') RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
	next text;
BEGIN
	IF kept !~ '%' THEN
		value := replace(value, '%', '%25');
	ELSIF strpos(value, '%') > 0 THEN
		value := regexp_replace(value COLLATE "C", '%(?![0-9A-Fa-f]{2})', '%25', 'g');
	END IF;
	LOOP
		next := substring(value COLLATE "C" FROM '[^%' || kept || ']');
		IF next IS NULL THEN
			RETURN value;
		END IF;
		value := replace(value COLLATE "C", next, upper(regexp_replace(encode(convert_to(next, 'UTF8'), 'hex'), '(..)', '%\1', 'g')));
	END LOOP;
END
$$;
COMMENT ON FUNCTION _sitemap_percent(text, text) IS 'percent-encode all but some characters';

CREATE OR REPLACE FUNCTION sitemap_encode(segment text, keep text DEFAULT '') RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
	IF keep COLLATE "C" ~ '[^!-~]|["<>\\^`{|}%]' THEN
		RAISE EXCEPTION 'invalid keep "%"', keep USING ERRCODE = '22023',
			DETAIL = 'It can have the ASCII characters that are allowed in URLs, except "%".';
	END IF;
	RETURN sitemap_schema._sitemap_percent(segment,
		'A-Za-z0-9._~' || regexp_replace(keep COLLATE "C", '([^A-Za-z0-9])', '\\\1', 'g') || '-');
END
$$;
COMMENT ON FUNCTION sitemap_encode(text, text) IS 'percent-encode one segment of a path or one value of a query string';

-- Refuse a row.  The statement of sitemap_files calls this as an expression.
CREATE OR REPLACE FUNCTION _sitemap_refuse(message text, code text, hint text, n bigint, loc text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
	RAISE EXCEPTION USING MESSAGE = message, ERRCODE = code, HINT = hint,
		DETAIL = coalesce('Row ' || n || ' has the loc "' || left(loc, 200) || '".', 'It is row ' || n || '.', '');
END
$$;
COMMENT ON FUNCTION _sitemap_refuse(text, text, text, bigint, text) IS 'raise an error about a row';

/*
 * Check and percent-encode a URL, RFC 3986.  base: base_url as it is published; what:
 * base_url, loc, image or href; n and loc: the row, for errors.  What is 'site' returns
 * scheme, host and port in canonical form.
 */
CREATE OR REPLACE FUNCTION _sitemap_url(given text, base text, what text, n bigint, loc text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
	blank constant text := '[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+';
	origin constant text := split_part(base, '/', 1) || '//' || split_part(base, '/', 3);
	url text := given COLLATE "C";
	segment text;			-- the first one
	part text[];
	site text;
	code text := '22P02';
	problem text;
	hint text := 'Write it with its scheme, such as "https://www.example.com/page".';
BEGIN
	-- most URLs: on the site, a path, or on another host and in need of nothing
	IF base <> '' AND octet_length(url) < 500 AND url !~ ('#|' || blank || '$') THEN
		IF starts_with(url, base) THEN
			RETURN base || sitemap_schema._sitemap_percent(substr(url, length(base) + 1));
		ELSIF starts_with(url, '/') AND url !~ '^//|/\.|%2[Ee]' THEN
			RETURN origin || sitemap_schema._sitemap_percent(url);
		ELSIF what IN ('image', 'href') AND url !~ '[^A-Za-z0-9._~!$&''()*+,;=:@/?-]' AND
			  url ~ '^https?://([a-z][a-z0-9-]{0,30}\.){1,6}[a-z]{2,20}([/?]|$)' THEN
			RETURN url;
		END IF;
	END IF;

	url := regexp_replace(url, '^' || blank || '|' || blank || '$', '', 'g');
	segment := substring(url FROM '^[^/?#]*');
	IF base <> '' AND url <> '' AND url !~ '^[A-Za-z][A-Za-z0-9+.-]*:' THEN
		IF segment ~ ':' THEN
			problem := 'no valid scheme before the first colon';
		ELSIF octet_length(url) > 4096 THEN
			problem := 'relative, and longer than 4096 bytes';
			code := '22001';
		ELSIF url ~ '^//' THEN
			url := split_part(base, '/', 1) || url;
		ELSIF segment ~* '^www\..' OR lower(segment) = substring(lower(base) FROM '://(?:www\.)?([^/:]*)') THEN
			problem := 'no scheme before the host name';
		ELSIF url ~* '^([^?#]*/)?(\.|%2e){1,2}([/?#]|$)' THEN
			problem := 'relative, with a segment "." or ".."';
			code := '0A000';
			hint := 'Write the path without such segments.';
		ELSE
			url := CASE WHEN url ~ '^/' THEN origin ELSE base END || url;
		END IF;
	END IF;

	-- 1 scheme, 2 authority, 3 path and query, 4 fragment; then 1 user, 2 host, 3 port
	part := regexp_match(url, '^(https?)://([^/?#]*)([^#]*)(?:#(.*))?$', 'i');
	part := part || regexp_match(part[2], '^(?:(.*)@)?(\[[^]@]*\]|[^:@]*)(?::([^@]*))?$');
	IF problem IS NOT NULL THEN
		NULL;
	ELSIF url = '' THEN
		problem := 'the URL is empty';
	ELSIF octet_length(part[2]) > 1024 THEN
		problem := 'user, host and port are longer than 1024 bytes';
		code := '22001';
	ELSIF part[2] ~ '\\' THEN
		problem := 'backslash before the path, which browsers read as a slash';
	ELSIF cardinality(part) IS DISTINCT FROM 7 THEN
		problem := 'not an absolute URL with http or https';
	ELSIF part[6] ~ '[^\x01-\x7f]' THEN
		problem := 'the host is not in ASCII';
		code := '0A000';
		hint := 'Give the host in its ASCII form (xn--...).';
	ELSIF part[6] !~ '^(([A-Za-z0-9_~-]{1,63}\.)*[A-Za-z0-9_~-]{1,63}\.?|\[[0-9A-Fa-f:.]+\])$' OR
		length(rtrim(part[6], '.')) > 253 OR
		(part[6] ~* '(^|\.)(0x[0-9a-f]*|[0-9]+)\.?$' AND
		 part[6] !~ '^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\.(?=[0-9])|\.?$)){4}$') THEN
		problem := 'the host is not a valid name or address';
	ELSIF part[7] !~ '^[0-9]{0,5}$' OR nullif(part[7], '')::int NOT BETWEEN 1 AND 65535 THEN
		problem := 'the port is not a number from 1 to 65535';
	ELSE
		site := lower(part[1] || ' ' || rtrim(part[6], '.')) || ' ' ||
			coalesce(nullif(part[7], '')::int, CASE lower(part[1]) WHEN 'https' THEN 443 ELSE 80 END);
		IF what = 'site' THEN
			RETURN site;
		END IF;
		url := part[1] || '://' || coalesce(sitemap_schema._sitemap_percent(part[5], 'A-Za-z0-9._~!$&''()*+,;=:%-') || '@', '') || part[6] ||
			coalesce(':' || part[7], '') || sitemap_schema._sitemap_percent(part[3]) || coalesce('#' || sitemap_schema._sitemap_percent(part[4]), '');
		IF what IN ('loc', 'base_url') AND length(url) > 2047 THEN
			problem := 'longer than 2047 characters after percent-encoding';
			code := '22001';
		ELSIF what = 'loc' AND site <> sitemap_schema._sitemap_url(base, '', 'site', n, loc) THEN
			problem := 'scheme, host or port is not that of base_url';
			code := '22023';
			hint := 'If both mean the same site, write the loc as a path, such as "/page", or correct base_url.';
		END IF;
	END IF;
	IF problem IS NULL THEN
		RETURN url;
	END IF;
	RETURN sitemap_schema._sitemap_refuse('invalid ' || what || CASE what WHEN 'loc' THEN '' ELSE ' "' || left(given, 200) || '"' END || ': ' || problem,
		CASE what WHEN 'base_url' THEN '22023' ELSE code END, hint, n, loc);
END
$$;
COMMENT ON FUNCTION _sitemap_url(text, text, text, bigint, text) IS 'check and percent-encode a URL';

CREATE OR REPLACE FUNCTION _sitemap_base(base_url text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
	url text;
BEGIN
	IF base_url IS NULL THEN
		RAISE EXCEPTION 'base_url must not be null' USING ERRCODE = '22004';
	END IF;
	url := regexp_replace(sitemap_schema._sitemap_url(base_url, '', 'base_url', NULL, NULL), '/?$', '/');
	-- query, fragment, user, dot segment; a file; too long for the names of files
	IF url ~ '[?#]|//[^/]*@|/(\.|%2[Ee]){1,2}/' OR (url ~* '//.*/.+\.(xml|txt)(\.gz)?/$' AND base_url !~ '/\s*$') OR length(url) > 1807 THEN
		RAISE EXCEPTION 'invalid base_url "%"', left(base_url, 200) USING ERRCODE = '22023',
			HINT = 'It is the URL of the directory that the files will be served from, such as "https://www.example.com/".';
	END IF;
	RETURN url;
END
$$;
COMMENT ON FUNCTION _sitemap_base(text) IS 'check a base_url, and return it as it is published';

-- A W3C datetime as an instant
CREATE OR REPLACE FUNCTION _sitemap_date(date text, n bigint, loc text) RETURNS timestamptz
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
	form constant text := '^[0-9]{4}(-[0-9]{2}(-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2}))?)?)?$';
	year int;
	month int;
	day int;
	clock text := '00:00:00';
	zone text := '+00:00';
	result timestamptz;
BEGIN
	IF date IS NULL THEN
		RETURN NULL;
	ELSIF date !~ form THEN
		PERFORM sitemap_schema._sitemap_refuse('invalid lastmod "' || left(date, 200) || '": not a W3C datetime', '22007',
			'W3C datetimes look like 2026-01-02 or 2026-01-02T03:04:05Z; a time needs its zone. Or give a timestamptz.', n, loc);
	END IF;
	year := left(date, 4);
	month := coalesce(nullif(substr(date, 6, 2), ''), '1');
	day := coalesce(nullif(substr(date, 9, 2), ''), '1');
	IF date ~ 'T' THEN
		clock := substring(date FROM 'T([0-9:]+)') || CASE WHEN date ~ 'T.{5}:' THEN '' ELSE ':00' END;
		zone := coalesce(substring(date FROM '[+-][0-9]{2}:[0-9]{2}$'), zone);
	END IF;
	IF year > 0 AND month BETWEEN 1 AND 12 AND clock ~ '^([01].|2[0-3]):[0-5].:[0-5]' AND zone ~ '^.(14:00|(0.|1[0-3]):[0-5])' AND
	   day BETWEEN 1 AND date_part('day', make_date(year, month, 1) + interval '1 month - 1 day') THEN
		result := make_timestamptz(year, month, day, 0, 0, 0, 'UTC') + clock::interval - zone::interval;
	END IF;
	IF result >= '0001-01-01 00:00Z' AND result < '10000-01-01 00:00Z' THEN
		RETURN result;
	END IF;
	PERFORM sitemap_schema._sitemap_refuse('invalid lastmod "' || left(date, 200) || '": there is no such date or time in the years 0001 to 9999',
		'22008', 'Give a timestamptz, which has no such values.', n, loc);
END
$$;
COMMENT ON FUNCTION _sitemap_date(text, bigint, text) IS 'check a W3C datetime, and return it as an instant';

-- The elements of a page's alternates and images
CREATE OR REPLACE FUNCTION _sitemap_elements(alternates jsonb, images text[], base text, n bigint, loc text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
	elements text := '';
	link record;
	image text;
	languages text[] := '{}';
BEGIN
	IF jsonb_typeof(alternates) <> 'object' THEN
		PERFORM sitemap_schema._sitemap_refuse('alternates must be a JSON object', '22023',
			'An example is {"en": "https://www.example.com/en", "x-default": "https://www.example.com/"}.', n, loc);
	END IF;
	FOR link IN SELECT btrim(key, E' \t\n\v\f\r') COLLATE "C" AS hreflang, jsonb_typeof(value) AS type, value #>> '{}' AS href
	              FROM jsonb_each(alternates) WHERE value <> 'null' LOOP
		IF link.type <> 'string' THEN
			PERFORM sitemap_schema._sitemap_refuse('the value of "' || link.hreflang || '" in alternates must be a string', '22023',
				'It is the URL of the page in that language.', n, loc);
		ELSIF link.hreflang !~ '^(x-default|[A-Za-z]{2}(-[A-Za-z]{4})?(-[A-Za-z]{2})?)$' OR lower(link.hreflang) = ANY (languages) THEN
			PERFORM sitemap_schema._sitemap_refuse('invalid hreflang "' || left(link.hreflang, 200) || '"', '22023',
				'It must be x-default or a language code, such as de, de-AT or zh-Hant-TW, and occur once.', n, loc);
		END IF;
		languages := languages || lower(link.hreflang);
		elements := elements || '<xhtml:link rel="alternate" hreflang="' || link.hreflang || '" href="' ||
			replace(replace(sitemap_schema._sitemap_url(link.href, base, 'href', n, loc), '&', '&amp;'), '''', '&apos;') || '"/>';
	END LOOP;
	images := array_remove(coalesce(images, '{}'), NULL);
	FOREACH image IN ARRAY images LOOP
		elements := elements || '<image:image><image:loc>' ||
			replace(replace(sitemap_schema._sitemap_url(image, base, 'image', n, loc), '&', '&amp;'), '''', '&apos;') || '</image:loc></image:image>';
	END LOOP;
	IF greatest(cardinality(languages), cardinality(images)) > 1000 THEN
		PERFORM sitemap_schema._sitemap_refuse('a url can have at most 1000 images and 1000 alternates', '54000', 'Leave some of them out.', n, loc);
	END IF;
	RETURN elements;
END
$$;
COMMENT ON FUNCTION _sitemap_elements(jsonb, text[], text, bigint, text) IS 'elements of the alternates and images of a page';

-- A document.  A "<" in entries always begins a tag, since all values are escaped.
CREATE OR REPLACE FUNCTION _sitemap_document(root text, entries text, stylesheet text) RETURNS bytea
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
	href text := btrim(stylesheet, E' \t\n\v\f\r') COLLATE "C";
	document bytea;
BEGIN
	IF href !~* '^[^?#]+\.css([?#]|$)' OR href ~ '\?>' OR octet_length(href) > 2047 THEN
		RAISE EXCEPTION 'invalid stylesheet "%"', left(href, 200) USING ERRCODE = '22023',
			DETAIL = 'It must be a URL that ends with .css, and have no "?>" in it.';
	END IF;
	href := sitemap_schema._sitemap_percent(substring(href FROM '^[^#]*')) || coalesce('#' || sitemap_schema._sitemap_percent(substring(href FROM '#(.*)')), '');
	document := convert_to('<?xml version="1.0" encoding="UTF-8"?>' ||
		coalesce('<?xml-stylesheet type="text/css" href="' || replace(replace(href, '&', '&amp;'), '''', '&apos;') || '"?>', '') ||
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
	base constant text := sitemap_schema._sitemap_base(base_url);
	-- the line feed ends a comment
	subquery constant text := '(' || regexp_replace(query, '[\s;]+$', '') || E'\n) AS q';
	-- has the query's columns, and does not execute it
	no_rows constant text := 'FROM (SELECT) AS one LEFT JOIN ' || subquery || ' ON false';
	cursor refcursor;
	names text[];
	types oid[];
	name text;
	expected text;
	value text;
	type oid;
	type_name text;
	columns text := '';
	-- of a lastmod: whether it can be written, as it is written, and as an instant
	is_valid text := 'lastmod >= ''0001-01-01 00:00Z'' AND lastmod < ''10000-01-01 00:00Z''';
	written text := 'to_char(lastmod AT TIME ZONE ''UTC'', ''YYYY-MM-DD"T"HH24:MI:SS"Z"'')';
	instant text := 'lastmod';
	origin constant text := split_part(base, '/', 1) || '//' || split_part(base, '/', 3);
	-- in a path or query: what has to be encoded, or looked at by _sitemap_url
	odd constant text := '[^A-Za-z0-9._~!$&''()*+,;=:@/?%-]|%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)';
BEGIN
	section := coalesce(section, 'sitemap') COLLATE "C";
	max_urls := coalesce(max_urls, 50000);
	index := lower(btrim(coalesce(index, 'auto')));
	IF query IS NULL THEN
		RAISE EXCEPTION 'query must not be null' USING ERRCODE = '22004';
	ELSIF section !~ '^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,199}$' OR section IN ('sitemap-index', 'sitemap.xml') THEN
		RAISE EXCEPTION 'invalid section "%"', left(section, 200) USING ERRCODE = '22023',
			DETAIL = 'It must be 1 to 200 letters, digits, "-", ".", "_" and "~", not begin with a dot, and not be "sitemap-index" or "sitemap.xml".';
	ELSIF max_urls NOT BETWEEN 1 AND 50000 THEN
		RAISE EXCEPTION 'invalid max_urls %', max_urls USING ERRCODE = '22023', DETAIL = 'It must be from 1 to 50000.';
	ELSIF index NOT IN ('auto', 'always', 'never') THEN
		RAISE EXCEPTION 'invalid index "%"', index USING ERRCODE = '22023', DETAIL = 'It must be auto, always or never.';
	END IF;

	-- PostgreSQL opens nothing but one SELECT in a STABLE function.
	OPEN cursor NO SCROLL FOR EXECUTE query;
	CLOSE cursor;

	-- The columns of the query
	EXECUTE 'SELECT ARRAY(SELECT json_object_keys(row_to_json(r))) FROM (SELECT q.* ' || no_rows || ') AS r' INTO names;
	FOREACH name IN ARRAY names LOOP
		IF name NOT IN ('loc', 'lastmod', 'changefreq', 'priority', 'images', 'alternates') THEN
			RAISE EXCEPTION 'unrecognized column "%" in the query', name USING ERRCODE = '42703',
				HINT = 'The columns are loc, lastmod, changefreq, priority, images and alternates.';
		ELSIF cardinality(array_positions(names, name)) > 1 THEN
			RAISE EXCEPTION 'column "%" appears more than once in the query', name USING ERRCODE = '42701';
		END IF;
	END LOOP;
	IF 'loc' <> ALL (names) THEN
		RAISE EXCEPTION 'the query has no column "loc"' USING ERRCODE = '42703',
			HINT = 'The columns are loc, lastmod, changefreq, priority, images and alternates.';
	END IF;

	-- Their types.  A column that the query does not have is NULL.
	EXECUTE 'SELECT ARRAY[' || (SELECT string_agg('pg_typeof(q.' || given || ')::oid', ', ' ORDER BY n) FROM unnest(names) WITH ORDINALITY AS c (given, n)) || '] ' || no_rows INTO types;
	FOR name, expected, value IN
		VALUES ('loc', 'text', '%s::text COLLATE "C"'),
		       ('lastmod', 'timestamp with time zone, timestamp without time zone, date or text', '%s::timestamptz'),
		       ('changefreq', 'text', 'nullif(lower(btrim(%s::text COLLATE "C", E'' \t\n\v\f\r'')), '''')'),
		       ('priority', 'double precision, real, numeric, bigint, integer or smallint', '%s::double precision'),
		       ('images', 'text[] or character varying[]', '%s::text[]'),
		       ('alternates', 'jsonb', '%s::jsonb')
	LOOP
		type := types[array_position(names, name)];
		WHILE EXISTS (SELECT FROM pg_type WHERE oid = type AND typtype = 'd') LOOP
			type := (SELECT typbasetype FROM pg_type WHERE oid = type);
		END LOOP;
		type_name := (SELECT CASE WHEN typcategory IN ('S', 'E') THEN 'text' ELSE format_type(type, NULL) END FROM pg_type WHERE oid = type);
		IF type_name <> ALL (regexp_split_to_array(expected, ', | or ')) THEN
			RAISE EXCEPTION 'column "%" of the query must be of type %, not %', name, expected, type_name USING ERRCODE = '42804',
				HINT = 'Cast it to such a type. A NULL without a cast is of type text.';
		ELSIF name = 'lastmod' AND type_name = 'text' THEN
			value := 'nullif(btrim(%s::text COLLATE "C", E'' \t\n\v\f\r''), '''')';
			is_valid := 'sitemap_schema._sitemap_date(lastmod, n, loc) IS NOT NULL';
			written := 'lastmod';
			instant := 'sitemap_schema._sitemap_date(lastmod, n, loc)';
		ELSIF name = 'lastmod' AND type_name = 'date' THEN
			value := '%s::date';
			written := 'to_char(lastmod::timestamp, ''YYYY-MM-DD'')';
			instant := 'lastmod::timestamp AT TIME ZONE ''UTC''';
		ELSIF name = 'lastmod' AND type_name = 'timestamp without time zone' THEN
			value := '(%s::timestamp AT TIME ZONE ''UTC'')';
		END IF;
		columns := columns || ', ' || pg_catalog.format(value, CASE WHEN type IS NULL THEN 'NULL' ELSE 'q.' || name END) || ' AS ' || name;
	END LOOP;

	-- $1 base, $2 section, $3 max_urls, $4 index, $5 stylesheet, $6 origin, $7 and $8 what is odd in a URL and in a path
	RETURN QUERY EXECUTE $sql$
WITH page AS (
	SELECT row_number() OVER () AS n $sql$ || columns || ' FROM ' || subquery || $sql$
), entry AS (
	SELECT n, '<url><loc>' ||
	       replace(replace(CASE WHEN starts_with(loc, $6 || '/') AND octet_length(loc) < 1500 AND loc !~ $7 THEN loc
	                            WHEN starts_with(loc, '/') AND octet_length(loc) < 1500 AND loc !~ $8 THEN $6 || loc
	                            WHEN loc IS NULL THEN sitemap_schema._sitemap_refuse('loc is NULL', '22004', 'Leave out rows without a page with WHERE ... IS NOT NULL.', n, loc)
	                            ELSE sitemap_schema._sitemap_url(loc, $1, 'loc', n, loc) END, '&', '&amp;'), '''', '&apos;') ||
	       '</loc>' ||
	       CASE WHEN lastmod IS NULL THEN ''
	            WHEN $sql$ || is_valid || $sql$ THEN '<lastmod>' || $sql$ || written || $sql$ || '</lastmod>'
	            ELSE sitemap_schema._sitemap_refuse('invalid lastmod: infinity and years outside 0001 to 9999 cannot be written', '22008', 'Give NULL for a page whose time is not known.', n, loc) END ||
	       CASE WHEN changefreq IS NULL THEN ''
	            WHEN changefreq IN ('always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never') THEN '<changefreq>' || changefreq || '</changefreq>'
	            ELSE sitemap_schema._sitemap_refuse('invalid changefreq "' || left(changefreq, 200) || '"', '22P02', 'It can be always, hourly, daily, weekly, monthly, yearly or never.', n, loc) END ||
	       CASE WHEN priority IS NULL THEN ''
	            WHEN priority BETWEEN 0 AND 1 THEN '<priority>' || to_char(abs(priority), 'FM0.099999') || '</priority>'
	            ELSE sitemap_schema._sitemap_refuse('invalid priority ' || priority || ': must be from 0.0 to 1.0', '22003', 'Leave it out: search engines ignore it.', n, loc) END ||
	       CASE WHEN alternates IS NULL AND images IS NULL THEN '' ELSE sitemap_schema._sitemap_elements(alternates, images, $1, n, loc) END ||
	       '</url>' AS element,
	       $sql$ || instant || $sql$ AS instant
	  FROM page
	-- so that rows are checked in their order
	OFFSET 0
), file AS MATERIALIZED (
	SELECT (n - 1) / $3 + 1 AS number, count(*)::int AS urls, date_trunc('second', max(instant), 'UTC') AS newest, string_agg(element, '' ORDER BY n) AS elements
	  FROM entry
	 GROUP BY (n - 1) / $3
), document AS (
	SELECT CASE WHEN $4 = 'always' OR (SELECT count(*) FROM file) > 1 THEN $2 || '-' || number || '.xml' ELSE $2 || '.xml' END AS name,
	       'urlset' AS kind, newest, urls, sitemap_schema._sitemap_document('urlset', elements, $5) AS content
	  FROM file
	 UNION ALL
	SELECT 'sitemap.xml', 'index', max(newest), count(*)::int,
	       sitemap_schema._sitemap_document('sitemapindex', string_agg('<sitemap><loc>' || replace(replace($1, '&', '&amp;'), '''', '&apos;') || $2 || '-' || number || '.xml</loc>' ||
	           coalesce('<lastmod>' || to_char(newest AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || '</lastmod>', '') || '</sitemap>', '' ORDER BY number), $5)
	  FROM file
	 WHERE $4 <> 'never'
	HAVING count(*) > CASE $4 WHEN 'always' THEN 0 ELSE 1 END
)
SELECT $1, $2, name, kind, $1 || name, newest, urls, length(content)::bigint, encode(sha256(content), 'hex'), NULL::text, NULL::text, NULL::bytea, content
  FROM document$sql$
	USING base, section, max_urls, index, stylesheet, origin, odd, odd || '|^//|/\.|%2[Ee]';
END
$$;
COMMENT ON FUNCTION sitemap_files(text, text, text, int, text, text) IS
'make the files of a sitemap set from the rows of a query, the index last';

-- Write a file to a target if it differs.  run_at: time of the run
CREATE OR REPLACE FUNCTION _sitemap_put(target regclass, file sitemap_file, run_at timestamptz) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	old record;
BEGIN
	EXECUTE pg_catalog.format('SELECT section, kind, digest, CASE WHEN isfinite(lastmod) THEN lastmod END AS lastmod,
		(section, kind, loc, digest, url_count, byte_count, true) IS NOT DISTINCT FROM
		($1.section, $1.kind, $1.loc, $1.digest, $1.url_count, $1.byte_count, content IS NOT NULL) AS same
		FROM %s WHERE base_url = $1.base_url AND name = $1.name', target) INTO old USING file;
	IF old.same THEN
		RETURN 'unchanged';
	ELSIF old.digest IS NULL AND old.section IS NOT NULL OR old.kind <> file.kind OR old.section <> file.section THEN
		RAISE EXCEPTION 'section "%" cannot have a file named "%"', file.section, file.name USING ERRCODE = '42710',
			DETAIL = pg_catalog.format('In the target table "%s", section "%s" has a file of that name.', target, old.section),
			HINT = 'Publish one of the sections under another name.';
	END IF;
	-- later than before, even if the clock is not
	file.lastmod := CASE WHEN old.digest = file.digest AND old.lastmod IS NOT NULL THEN old.lastmod
		ELSE greatest(run_at, old.lastmod + interval '1 second') END;
	IF old.same IS NULL THEN
		EXECUTE pg_catalog.format('INSERT INTO %s (base_url, section, name, kind, loc, lastmod, url_count, byte_count, digest, content)
			VALUES ($1.base_url, $1.section, $1.name, $1.kind, $1.loc, $1.lastmod, $1.url_count, $1.byte_count, $1.digest, $1.content)', target) USING file;
		RETURN 'inserted';
	END IF;
	EXECUTE pg_catalog.format('UPDATE %s SET section = $1.section, kind = $1.kind, loc = $1.loc, lastmod = $1.lastmod, url_count = $1.url_count,
		byte_count = $1.byte_count, digest = $1.digest, first_key = NULL, recipe = NULL, shown = NULL, content = $1.content
		WHERE base_url = $1.base_url AND name = $1.name', target) USING file;
	RETURN 'updated';
END
$$;
COMMENT ON FUNCTION _sitemap_put(regclass, sitemap_file, timestamptz) IS 'write a file to a target if it differs';

CREATE OR REPLACE FUNCTION sitemap_publish(target regclass, query text, base_url text, section text DEFAULT 'sitemap',
	max_urls int DEFAULT 50000, index text DEFAULT 'auto', stylesheet text DEFAULT NULL, max_shrink float8 DEFAULT NULL)
RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint)
LANGUAGE plpgsql COST 100000 ROWS 100 AS $$
DECLARE
	base constant text := sitemap_schema._sitemap_base(base_url);
	of_section constant text := 'base_url = $1 AND section = $2 AND kind <> ''index'' AND digest IS NOT NULL';
	run_at timestamptz;
	before bigint;
	after bigint;
	files int;
	entries text;
BEGIN
	section := coalesce(section, 'sitemap');
	index := lower(btrim(coalesce(index, 'auto')));
	IF target IS NULL THEN
		RAISE EXCEPTION 'target must not be null' USING ERRCODE = '22004';
	ELSIF NOT max_shrink BETWEEN 0 AND 1 THEN
		RAISE EXCEPTION 'invalid max_shrink %', max_shrink USING ERRCODE = '22023', DETAIL = 'It must be from 0 to 1.';
	END IF;

	-- Runs of one site queue up here.  All later statements have newer snapshots.
	PERFORM pg_advisory_xact_lock(target::oid::int, hashtext(base));
	run_at := clock_timestamp();

	EXECUTE pg_catalog.format('SELECT coalesce(sum(url_count), 0) FROM %s WHERE ' || of_section, target) INTO before USING base, section;
	RETURN QUERY
	SELECT f.name, f.kind, sitemap_schema._sitemap_put(target, f, run_at), f.url_count, f.byte_count
	  FROM sitemap_schema.sitemap_files(query, base, section, max_urls, CASE WHEN index IN ('auto', 'never') THEN 'always' ELSE index END, stylesheet) AS f
	 WHERE f.kind <> 'index';
	GET DIAGNOSTICS files = ROW_COUNT;
	RETURN QUERY EXECUTE pg_catalog.format('DELETE FROM %s WHERE ' || of_section ||
		' AND name <> ALL (SELECT $2 || ''-'' || number || ''.xml'' FROM generate_series(1, $3) AS number)
		RETURNING name, kind, ''deleted'', url_count, byte_count', target) USING base, section, files;

	EXECUTE pg_catalog.format('SELECT coalesce(sum(url_count), 0) FROM %s WHERE ' || of_section, target) INTO after USING base, section;
	IF before - after > coalesce(floor(before * max_shrink::numeric), greatest(floor(before * 0.2), 100)) OR
	   (after = 0 AND before > 0 AND max_shrink IS DISTINCT FROM 1) THEN
		RAISE EXCEPTION 'section "%" would shrink from % to % URLs', section, before, after USING ERRCODE = '55000',
			DETAIL = pg_catalog.format('Nothing was changed in the target table "%s".', target),
			HINT = 'If the pages are really gone, publish with max_shrink => 1.';
	END IF;

	IF index = 'never' THEN
		RETURN;
	END IF;
	EXECUTE pg_catalog.format($sql$
		SELECT count(*), string_agg('<sitemap><loc>' || replace(replace(sitemap_schema._sitemap_url(loc, $1, 'loc', NULL, loc), '&', '&amp;'), '''', '&apos;') || '</loc>' ||
		       CASE WHEN isfinite(lastmod) THEN '<lastmod>' || to_char(lastmod AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || '</lastmod>' ELSE '' END ||
		       '</sitemap>', '' ORDER BY section COLLATE "C", octet_length(name), name COLLATE "C")
		  FROM %s WHERE base_url = $1 AND kind <> 'index' AND loc <> ''$sql$, target) INTO files, entries USING base;
	IF files > 0 THEN
		RETURN QUERY
		SELECT 'sitemap.xml', 'index', sitemap_schema._sitemap_put(target,
		       ROW(base, 'sitemap', 'sitemap.xml', 'index', base || 'sitemap.xml', NULL, files, length(content), encode(sha256(content), 'hex'), NULL, NULL, NULL, content)::sitemap_schema.sitemap_file,
		       run_at), files, length(content)::bigint
		  FROM sitemap_schema._sitemap_document('sitemapindex', entries, stylesheet) AS content;
	END IF;
	RETURN QUERY EXECUTE pg_catalog.format('DELETE FROM %s WHERE base_url = $1 AND kind = ''index'' AND digest IS NOT NULL AND (name <> ''sitemap.xml'' OR $2 = 0)
		RETURNING name, kind, ''deleted'', url_count, byte_count', target) USING base, files;
END
$$;
COMMENT ON FUNCTION sitemap_publish(regclass, text, text, text, int, text, text, float8) IS
'make the files of a section from a query, and publish them in a table';

-- Let the functions find each other and the type whatever search_path is.
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
