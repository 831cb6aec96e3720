-- The queries that sitemap_files takes, and those that it refuses.
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir /sql/include/helpers.sql
\i :helpers
CREATE TABLE query_page (id int PRIMARY KEY, loc text);
INSERT INTO query_page SELECT n, '/' || n FROM generate_series(1, 3) n;
CREATE VIEW query_view AS SELECT loc FROM query_page ORDER BY id;
CREATE MATERIALIZED VIEW query_matview AS SELECT loc, date '2026-01-02' AS lastmod FROM query_page;
CREATE FUNCTION pg_temp.locs(query text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(pg_temp.text(content), E'http://a|\n', '', 'g') FROM sitemap_files(query, 'http://a/', format => 'txt') $$;
CREATE FUNCTION pg_temp.refused(query text) RETURNS text LANGUAGE sql AS $$
	SELECT pg_temp.error(format('SELECT sitemap_files(%L, %L)', query, 'http://a/')) $$;
CREATE FUNCTION pg_temp.state(query text) RETURNS text LANGUAGE sql AS $$
	SELECT left(pg_temp.refused(query), 5) $$;
SELECT q, pg_temp.locs(q) FROM unnest(ARRAY['SELECT loc FROM query_page ORDER BY id DESC', 'TABLE query_view', 'TABLE query_matview', 'TABLE query_view;', ' /* a */ SELECT loc FROM query_view -- b',
	'WITH w AS (SELECT loc FROM query_page WHERE id = 2) SELECT * FROM w', 'WITH RECURSIVE w (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM w WHERE n < 3) SELECT ''/r'' || n AS loc FROM w', 'SELECT * FROM (VALUES (''/v'')) v (loc)',
	'(SELECT loc FROM query_page WHERE id = 1) UNION ALL (SELECT loc FROM query_page WHERE id = 3)', 'SELECT loc FROM query_page ORDER BY id LIMIT 1', 'SELECT sitemap_url(''http://a/'' || id) AS url FROM query_page ORDER BY id',
	'SELECT current_setting(''server_version_num'')::int / 1000000 || '''' AS loc']) q;
-- any number of statements but one
SELECT q, pg_temp.refused(q) FROM unnest(ARRAY['', ' ', ';', '-- nothing', 'SELECT loc FROM query_page; SELECT loc FROM query_page', 'SELECT loc FROM query_page; DELETE FROM query_page', ';;SELECT 1 AS loc;;SELECT 2 AS loc']) q;
-- statements that write, or are no query
SELECT q, pg_temp.state(q) FROM unnest(ARRAY['INSERT INTO query_page VALUES (4, ''/4'') RETURNING loc', 'INSERT INTO query_page VALUES (4, ''/4'')', 'UPDATE query_page SET loc = ''/x'' RETURNING loc', 'DELETE FROM query_page RETURNING loc', 'DELETE FROM query_page',
	'WITH d AS (DELETE FROM query_page RETURNING loc) SELECT loc FROM d', 'WITH d AS (DELETE FROM query_page RETURNING loc) TABLE query_view', 'SELECT loc FROM query_page FOR UPDATE', 'SELECT loc FROM query_page FOR KEY SHARE', 'SELECT loc FROM (SELECT loc FROM query_page FOR UPDATE) s', 'WITH w AS (SELECT loc FROM query_page FOR SHARE) SELECT loc FROM w',
	'SELECT loc FROM query_page WHERE id = (SELECT id FROM query_page LIMIT 1 FOR UPDATE)', 'EXPLAIN SELECT loc FROM query_page', 'EXPLAIN ANALYZE SELECT loc FROM query_page', 'SHOW ALL', 'SHOW TimeZone',
	'CREATE TABLE query_other (loc text)', 'SELECT loc INTO query_other FROM query_page', 'CREATE TABLE query_other AS SELECT loc FROM query_page', 'DROP TABLE query_page', 'TRUNCATE query_page', 'BEGIN', 'COMMIT', 'ROLLBACK', 'SET TimeZone = 0', 'LOCK query_page',
	'COPY query_page TO STDOUT', 'COPY (SELECT loc FROM query_page) TO STDOUT', 'FETCH ALL FROM c', 'DECLARE c CURSOR FOR SELECT loc FROM query_page', 'CALL p()', 'DO ''''', 'PREPARE p AS SELECT 1', 'EXECUTE p', 'VACUUM', 'NOTIFY x', 'REFRESH MATERIALIZED VIEW query_matview',
	'MERGE INTO query_page USING query_view v ON false WHEN NOT MATCHED THEN DO NOTHING']) q;
SELECT pg_temp.refused('DELETE FROM query_page RETURNING loc');
SELECT pg_temp.refused('WITH d AS (DELETE FROM query_page RETURNING loc) SELECT loc FROM d');
SELECT count(*), string_agg(loc, ' ' ORDER BY id) FROM query_page;
SELECT to_regclass('query_other') IS NULL;
-- not a query at all; an error of the query is its own
SELECT q, pg_temp.refused(q) FROM unnest(ARRAY['SELEKT', 'SELECT loc FROM nowhere', 'SELECT nothing FROM query_page', 'SELECT $1 AS loc']) q;
SELECT pg_temp.refused('SELECT ''/'' || 1 / (3 - id) AS loc FROM query_page ORDER BY id');
SELECT * FROM sitemap_files('SELECT ''/'' || 1 / (3 - id) AS loc FROM query_page ORDER BY id', 'http://a/', max_urls => 1);
-- columns
SELECT pg_temp.refused('SELECT id, loc FROM query_page');
SELECT pg_temp.refused('SELECT id AS loc FROM query_page');
SELECT q, pg_temp.state(q) FROM unnest(ARRAY['SELECT', 'SELECT 1', 'VALUES (''/'')', 'SELECT id, loc FROM query_page', 'SELECT loc AS "LOC" FROM query_page', 'SELECT loc, loc FROM query_page', 'SELECT now() AS lastmod', 'SELECT loc, 1 AS foo FROM query_page',
	'SELECT loc, 1 AS lastmod FROM query_page', 'SELECT loc, time ''03:04'' AS lastmod FROM query_page', 'SELECT loc, 1 AS changefreq FROM query_page', 'SELECT loc, ''0.5''::text AS priority FROM query_page', 'SELECT loc, true AS priority FROM query_page',
	'SELECT loc, ''<a/>''::text AS extensions FROM query_page', 'SELECT loc, ARRAY[''<a/>''] AS extensions FROM query_page', 'SELECT id AS loc FROM query_page', 'SELECT NULL::bytea AS loc', 'SELECT ARRAY[loc] AS loc FROM query_page', 'SELECT ''x''::text AS url',
	'SELECT loc, sitemap_url(loc) AS url FROM query_page', 'SELECT sitemap_url(loc) AS url, now() AS lastmod FROM query_page', 'SELECT sitemap_url(''http://a/'') AS url, sitemap_url(''http://a/'') AS url', 'SELECT ROW(loc) AS loc FROM query_page', 'SELECT p AS loc FROM query_page p',
	'SELECT ''{}''::json AS loc', 'SELECT ''<a/>''::xml AS loc']) q;
-- loc and lastmod in whatever text there is
CREATE TYPE query_enum AS ENUM ('/enum');
CREATE DOMAIN query_text AS text CHECK (VALUE LIKE '/%');
CREATE DOMAIN query_deep AS query_text;
CREATE DOMAIN query_stamp AS timestamptz;
CREATE DOMAIN query_xml AS xml[];
-- a type of category S that is not binary coercible from text but has text's input and output, as citext
CREATE TYPE query_citext;
CREATE FUNCTION query_citext_in(cstring) RETURNS query_citext LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION query_citext_out(query_citext) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE query_citext (INPUT = query_citext_in, OUTPUT = query_citext_out, INTERNALLENGTH = variable, STORAGE = extended, CATEGORY = 'S');
SELECT t, pg_temp.locs(format('SELECT %L::%s AS loc', '/enum', t)) FROM unnest('{text,varchar,varchar(20),char(20),name,query_enum,query_text,query_deep,query_citext}'::text[]) t;
SELECT t, regexp_replace((SELECT pg_temp.text(content) FROM sitemap_files(format('SELECT ''/'' AS loc, %L::%s AS lastmod', '2026-01-02', t), 'http://a/')), '^.*<lastmod>|</lastmod>.*$', '', 'g')
  FROM unnest('{text,varchar,char(12),name,query_citext,date,timestamp}'::text[]) t;
SET TimeZone = 'UTC';
SELECT regexp_replace((SELECT pg_temp.text(content) FROM sitemap_files('SELECT ''/'' AS loc, ''2026-01-02''::query_stamp AS lastmod, ARRAY[sitemap_image(''http://i'')]::query_xml AS extensions', 'http://a/')), '^.*<loc>', '');
RESET TimeZone;
SELECT regexp_replace((SELECT pg_temp.text(content) FROM sitemap_files('SELECT ''/'' AS loc, sitemap_image(''http://i'') AS extensions', 'http://a/')), '^.*<loc>', '');
-- the query sees what the caller sees
BEGIN;
INSERT INTO query_page VALUES (4, '/4');
SELECT pg_temp.locs('SELECT loc FROM query_page ORDER BY id');
ROLLBACK;
-- as a set in a larger query, nested, twice
SELECT s.section, f.name, f.url_count FROM (VALUES ('a', 1), ('b', 2)) s (section, n) CROSS JOIN LATERAL sitemap_files(format('SELECT loc FROM query_page WHERE id <= %s', n), 'http://a/', s.section) f;
SELECT sitemap_index_agg(f.loc, f.lastmod) FROM sitemap_files('SELECT f.loc, f.lastmod FROM sitemap_files(''TABLE query_matview'', ''http://a/'') f', 'http://a/', 'outer') f;
SELECT (sitemap_files('TABLE query_view', 'http://a/', max_urls => 2)).name;
PREPARE files(text) AS SELECT name, url_count FROM sitemap_files($1, 'http://a/');
EXECUTE files('TABLE query_view');
DEALLOCATE files;
BEGIN;
DECLARE files CURSOR FOR SELECT name FROM sitemap_files('TABLE query_view', 'http://a/', max_urls => 1);
FETCH 2 FROM files;
SAVEPOINT s;
SELECT name FROM sitemap_files('SELECT 1 / 0 || '''' AS loc', 'http://a/');
ROLLBACK TO s;
FETCH ALL FROM files;
COMMIT;
-- files keep their own table
CREATE TABLE query_files OF sitemap_file (PRIMARY KEY (name));
INSERT INTO query_files SELECT * FROM sitemap_files('TABLE query_view', 'http://a/', max_urls => 2);
SELECT name, pg_temp.text(content) FROM query_files ORDER BY name;
DROP TABLE query_files;
DROP MATERIALIZED VIEW query_matview;
DROP VIEW query_view;
DROP TABLE query_page;
DROP TYPE query_citext CASCADE;
DROP TYPE query_enum, query_deep, query_text, query_stamp, query_xml;
