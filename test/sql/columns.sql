--
-- The columns of a query for sitemap_files, and their types.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TABLE query_page (id int PRIMARY KEY, loc text);
INSERT INTO query_page SELECT n, '/' || n FROM generate_series(1, 3) n;

-- What stands in <url>, and what in one of its elements.
CREATE FUNCTION pg_temp.url(query text) RETURNS text LANGUAGE sql AS $$
  SELECT regexp_replace(pg_temp.text(content), '^.*<loc>', '') FROM sitemap_files(query, 'http://a/')
$$;

-- A hint says how a value of another type becomes one that is taken.
CREATE TYPE query_video AS (title text);
SELECT given, replace(pg_temp.refused('SELECT ''/'' AS loc, ' || given), E'\n   ', '')
  FROM unnest(ARRAY['''x.jpg''::text AS images', '''x.jpg''::varchar AS images', '''{}''::int[] AS images', '''{}''::json AS images', '''{}''::jsonb[] AS images',
                    'sitemap_image(''http://a/'') AS images', 'sitemap_alternates(''{}'') AS alternates', '''{}''::text[] AS alternates', '''{}''::text AS alternates',
                    'ROW(1) AS videos', '''{}''::query_video[] AS videos', '''{}''::json[] AS videos', '''{}''::text AS news',
                    '1767225600::bigint AS lastmod', '1.5 AS lastmod', '1::float8 AS lastmod', 'jsonb ''"2026-01-01"'' AS lastmod', 'json ''1'' AS lastmod',
                    'true AS lastmod', 'interval ''1 s'' AS lastmod', '''0.5''::text AS priority', '1 AS changefreq', '''{}''::text[] AS extensions',
                    '1 AS shown, 1 AS key']) given;
SELECT given, regexp_replace(pg_temp.error(format('SELECT sitemap_url(''http://a/'', %L)', given)), '.*\n *', '')
  FROM unnest('{1767225600,1767225600000,1767225600.25,20260102,2026-01-02 03:04,1.5e9}'::text[]) given;
SELECT pg_temp.error($$ SELECT sitemap_video('http://t/', 't', 'd', 'http://c/', publication_date => 1767225600) $$);
-- A path with a colon in its first segment.
SELECT loc, replace(pg_temp.refused(format('SELECT %L AS loc', loc)), E'\n   ', '')
  FROM unnest('{Category:Tea,File:x.jpg,Help:Contents,File:x.jpg?a,C:/x,./Category:Tea,a/b:c,foo://x/,ftp://a/,localhost:80/,Help_talk:Contents}'::text[]) loc;

-- Other columns, other types, and columns that exclude each other.
SELECT pg_temp.refused('SELECT id, loc FROM query_page');
SELECT pg_temp.refused('SELECT id AS loc FROM query_page');
SELECT q, left(pg_temp.refused(q), 5)
  FROM (VALUES
    ($$SELECT$$),
    ($$SELECT 1$$),
    ($$VALUES ('/')$$),
    ($$SELECT loc AS "LOC" FROM query_page$$),
    ($$SELECT loc, loc FROM query_page$$),
    ($$SELECT now() AS lastmod$$),
    ($$SELECT loc, 1 AS foo FROM query_page$$),
    ($$SELECT loc, time '03:04' AS lastmod FROM query_page$$),
    ($$SELECT loc, NULL AS priority FROM query_page$$),
    ($$SELECT loc, '<a/>'::text AS extensions FROM query_page$$),
    ($$SELECT NULL::bytea AS loc$$),
    ($$SELECT ARRAY[loc] AS loc FROM query_page$$),
    ($$SELECT 'x'::text AS url$$),
    ($$SELECT loc, sitemap_url(loc) AS url FROM query_page$$),
    ($$SELECT sitemap_url(loc) AS url, now() AS lastmod FROM query_page$$),
    ($$SELECT sitemap_url('http://a/') AS url, sitemap_url('http://a/') AS url$$),
    ($$SELECT ROW(loc) AS loc FROM query_page$$),
    ($$SELECT p AS loc FROM query_page p$$),
    ($$SELECT '{}'::json AS loc$$),
    ($$SELECT NULL::xml AS loc$$)
  ) v (q);

-- loc and lastmod are whatever text there is: enums, domains over domains, and a type of
-- category S that has text's input and output but no cast to it, as citext.
CREATE TYPE column_enum AS ENUM ('/enum');
CREATE DOMAIN column_text AS text CHECK (VALUE LIKE '/%');
CREATE DOMAIN column_deep AS column_text;
CREATE DOMAIN column_stamp AS timestamptz;
CREATE DOMAIN column_xml AS xml;
CREATE DOMAIN column_xmls AS xml[];
CREATE TYPE column_citext;
CREATE FUNCTION column_citext_in(cstring) RETURNS column_citext LANGUAGE internal IMMUTABLE STRICT
AS 'textin';
CREATE FUNCTION column_citext_out(column_citext) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT
AS 'textout';
CREATE TYPE column_citext (INPUT = column_citext_in, OUTPUT = column_citext_out, INTERNALLENGTH = variable, STORAGE = extended, CATEGORY = 'S');
SELECT t, regexp_replace(pg_temp.text(content), E'http://a|\n', '', 'g')
  FROM unnest(ARRAY['text', 'varchar', 'varchar(20)', 'char(20)', 'name', 'column_enum', 'column_text', 'column_deep',
                    'column_citext']) t,
  sitemap_files(format('SELECT %L::%s AS loc', '/enum', t), 'http://a/', format => 'txt');
SELECT t, regexp_replace(pg_temp.text(content), '^.*<lastmod>|</lastmod>.*$', '', 'g')
  FROM unnest(ARRAY['text', 'varchar', 'char(12)', 'name', 'column_citext', 'date', 'timestamp']) t,
  sitemap_files(format('SELECT ''/'' AS loc, %L::%s AS lastmod', '2026-01-02', t), 'http://a/');

-- Domains over the other types.
SET TimeZone = 'UTC';
SELECT pg_temp.url($$
  SELECT '/' AS loc,
         '2026-01-02'::column_stamp AS lastmod,
         ARRAY[sitemap_image('http://i')]::column_xmls AS extensions
$$);
SELECT pg_temp.url($$ SELECT ARRAY['/i.png'] AS images, '/' AS loc $$);
SELECT pg_temp.url($$ SELECT '/' AS loc, ARRAY[sitemap_image('http://i')]::column_xml[] AS extensions $$);
RESET TimeZone;

-- extensions can be a single xml.
SELECT pg_temp.url($$ SELECT '/' AS loc, sitemap_image('http://i') AS extensions $$);

DROP TABLE query_page;
DROP TYPE column_citext CASCADE;
DROP TYPE column_enum, column_deep, column_text, column_stamp, column_xml, column_xmls;
