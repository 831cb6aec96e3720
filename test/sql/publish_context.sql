--
-- sitemap_publish: what an error says of the place where it arose.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE SCHEMA place;
CREATE TABLE place.target OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE place.page AS SELECT n AS id, '/' || n AS loc FROM generate_series(1, 5000) n;
ALTER TABLE place.page ADD PRIMARY KEY (id);
CREATE FUNCTION place.fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''the trigger fails''; END';

-- SQLSTATE and message, the lines of context that say where, and the hint, but for one that differs between versions.
CREATE FUNCTION pg_temp.place_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  message text;
  hint text;
  context text;
BEGIN
  EXECUTE statement;
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT, context = PG_EXCEPTION_CONTEXT;
  RETURN concat_ws(E'\n    ', SQLSTATE || ' ' || message,
                   (SELECT string_agg(line[1], ' + ')
                      FROM regexp_matches(context, '(?n)^(after \d+ rows? of the query|in the (query|statement of changes|target ".*"))$', 'g') line),
                   CASE WHEN hint NOT LIKE '%type casts.' THEN nullif(hint, '') END);
END
$$;
CREATE FUNCTION pg_temp.place(query text, options text DEFAULT '', target text DEFAULT 'place.target') RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.place_of(format('SELECT public.sitemap_publish(%L, %L, ''http://a/'', max_urls => 100 %s)', target, query, options))
$$;
\set ordered 'SELECT loc, id AS key FROM place.page ORDER BY id'
-- The query: before it runs, before its first row, later; by its own error and by ours.
SELECT pg_temp.place('SELECT');
SELECT pg_temp.place('SELECT loc FRO place.page');
SELECT pg_temp.place('SELECT loc, 1 AS lastmd FROM place.page');
SELECT pg_temp.place('SELECT loc, point(1, 1) AS key FROM place.page');
SELECT pg_temp.place('SELECT (1 / 0)::text AS loc FROM place.page');
SELECT pg_temp.place('SELECT ''/'' || (1 / (9 - n)) AS loc FROM generate_series(8, 10) n');
SELECT pg_temp.place('SELECT CASE WHEN n < 3000 THEN ''/''::text ELSE ''/'' || (1 / (n - 3000)) END AS loc FROM generate_series(1, 3001) n');
SELECT pg_temp.place('SELECT CASE WHEN id < 10 THEN loc END AS loc FROM place.page ORDER BY id');
SELECT pg_temp.place('SELECT loc, id % 10 AS key FROM place.page ORDER BY id');
-- The changes: the target is filled first.
SELECT pg_temp.place(:'ordered');
SELECT pg_temp.place(:'ordered', ', changes => ''SELECT 1 / 0''');
SELECT pg_temp.place(:'ordered', ', changes => ''SELECT 1 FROM page''');
SELECT pg_temp.place(:'ordered', ', changes => ''SELECT 2, 1''');
-- A row that is not valid is named with its key.
UPDATE place.page SET loc = NULL WHERE id = 4000;
SELECT pg_temp.error(format('SELECT sitemap_publish(''place.target'', %L, ''http://a/'')', :'ordered'));
SELECT pg_temp.place(:'ordered', ', changes => ''SELECT 4000''') ~ 'after \d+ rows? of the query';
SET client_min_messages = notice;
SELECT pg_temp.place(:'ordered', ', on_invalid => ''skip''');
SET client_min_messages = warning;
UPDATE place.page SET loc = '/' || id WHERE id = 4000;
-- The target, before and after the query.
SELECT pg_temp.place(:'ordered', target => 'place.page');
SELECT pg_temp.place(:'ordered', target => '12');
SELECT pg_temp.place('SELECT loc FROM place.page WHERE id < 9');
CREATE TRIGGER fail BEFORE UPDATE OR INSERT ON place.target FOR EACH ROW EXECUTE FUNCTION place.fail();
SELECT pg_temp.place('SELECT loc || ''?'' AS loc, id AS key FROM place.page ORDER BY id');
DROP TRIGGER fail ON place.target;
-- The target, which is read while the query runs.
CREATE ROLE regress_place;
CREATE TABLE place.shown OF sitemap_file (PRIMARY KEY (base_url, name));
\set shown 'SELECT loc, id AS key, %s AS shown FROM place.page WHERE id < 9 ORDER BY id'
SELECT pg_temp.place(format(:'shown', '''1''::text'), target => 'place.shown');
-- What the target remembers is read before the query fails.
SELECT pg_temp.place('SELECT CASE WHEN n < 9 THEN ''/'' || n ELSE (1 / (n - 9))::text END AS loc, n AS key, ''1''::text AS shown FROM generate_series(1, 9) n', target => 'place.shown');
SELECT pg_temp.place(format(:'shown', 'set_config(''role'', ''regress_place'', true)'), target => 'place.shown');
DROP ROLE regress_place;
-- Names that the search_path does not find.
SET search_path = pg_catalog;
SELECT pg_temp.place('SELECT loc FROM page');
SELECT pg_temp.place('SELECT slug(loc) AS loc FROM place.page');
SELECT pg_temp.place('SELECT loc FROM place.page WHERE id = ''x''::text');
RESET search_path;
-- A base_url that is not written as it is published: two jobs would be one site.
CREATE TABLE place.job OF sitemap_job (PRIMARY KEY (base_url, section));
INSERT INTO place.job (target, query, base_url, section)
SELECT 'place.target', :'ordered', base_url, 'sitemap'
  FROM (VALUES ('http://a'), ('HTTP://A/'), (' http://a/'), ('http://a:80/'), ('http://a/shop'), ('http://a/ä/')) v (base_url);
SET client_min_messages = error;
CALL sitemap_run('place.job');
SET client_min_messages = warning;
SELECT error FROM place.job ORDER BY error COLLATE "C";
-- A text key that is not in order, with and without ORDER BY key.
CREATE FUNCTION place.sorted_elsewhere() RETURNS TABLE (loc text, key text) LANGUAGE sql AS $$ VALUES ('/1', 'b'), ('/2', 'A') $$;
SELECT pg_temp.place(query)
  FROM (VALUES ('SELECT loc, key COLLATE "C" AS key FROM place.sorted_elsewhere()'),
               ('SELECT loc, loc COLLATE "C" AS key FROM place.page ORDER BY id'),
               ('SELECT loc, loc COLLATE "C" AS key FROM place.page ORDER BY key DESC'),
               ('SELECT loc, id AS key FROM place.page ORDER BY key DESC')) v (query);
DROP SCHEMA place CASCADE;
