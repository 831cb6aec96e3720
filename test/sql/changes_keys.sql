--
-- sitemap_publish with changes: keys as text, under any settings; and what the statement
-- or somebody else alters.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE SCHEMA changes_keys;
CREATE TABLE changes_keys.target OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE changes_keys.page AS SELECT n AS id, '/' || n AS loc FROM generate_series(1, 100) n;
-- How many files a run wrote.  A notice says why it read all rows.
CREATE FUNCTION pg_temp.run(query text, changes text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
  SELECT count(*) FILTER (WHERE action <> 'unchanged')::text
    FROM public.sitemap_publish('changes_keys.target', query, 'http://a/', max_urls => 10, max_shrink => 1, changes => changes)
$$;
CREATE FUNCTION pg_temp.try(query text, changes text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.error(format('SELECT pg_temp.run(%L, %L)', query, changes))
$$;
-- A statement, as a function for changes; the result is what to return.
CREATE FUNCTION changes_keys.execute(statement text, result text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  RETURN result;
END
$$;

-- A run with changes does the same, whatever the settings of the session were when the
-- files were made, and whatever they are now.
CREATE FUNCTION pg_temp.set(n int) RETURNS void LANGUAGE sql AS $$
  SELECT set_config(name, value[n], true)
    FROM (VALUES ('DateStyle', '{"ISO, MDY","SQL, DMY",German}'::text[]), ('TimeZone', '{UTC,Asia/Kathmandu,America/New_York}')) v (name, value)
$$;
CREATE FUNCTION pg_temp.look(key text, change text, first int, second int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  query text := format('SELECT loc, %s AS key FROM changes_keys.page ORDER BY key', key);
  result text := '';
BEGIN
  TRUNCATE changes_keys.target;
  UPDATE changes_keys.page SET loc = '/' || id;
  PERFORM pg_temp.set(first), pg_temp.run(query), pg_temp.set(second);
  FOR changed IN 20 .. 100 BY 40 LOOP
    UPDATE changes_keys.page SET loc = loc || '/' WHERE id = changed;
    result := result || pg_temp.run(query, format('SELECT %s FROM changes_keys.page WHERE id = %s', change, changed)) || '; ';
  END LOOP;
  RETURN result || pg_temp.run(query);
END
$$;
SELECT looked, count(*)
  FROM (VALUES ('id', 'id::bigint'), ('id::smallint', 'id::text'),
               ('date ''2026-01-01'' + id * 10', 'date ''2026-01-01'' + id * 10'),
               ('date ''2026-01-01'' + id * 10', '(date ''2026-01-01'' + id * 10)::text'),
               ('timestamptz ''2026-01-01Z'' + id * interval ''1 minute''', 'timestamptz ''2026-01-01Z'' + id * interval ''1 minute'''),
               ('timestamptz ''2026-01-01Z'' + id * interval ''1 minute''', 'to_json(timestamptz ''2026-01-01Z'' + id * interval ''1 minute'')#>>''{}'''),
               ('timestamp ''2026-01-01'' + id * interval ''1 hour''', '(timestamp ''2026-01-01'' + id * interval ''1 hour'')::text'),
               ('to_char(id, ''000'') COLLATE "POSIX"', 'to_char(id, ''000'')::varchar'),
               ('lpad(id::text, 32, ''0'')::uuid', 'lpad(id::text, 32, ''0'')')) v (key, change),
       (VALUES (1, 1), (1, 2), (1, 3), (2, 1), (3, 1)) s (first, second),
       pg_temp.look(key, change, first, second) looked
 GROUP BY looked;
RESET ALL;

-- A column of the statement has the type of the key, or is text.
CREATE TYPE changes_keys.word AS ENUM ('a', 'b');
CREATE DOMAIN changes_keys.number AS bigint;
SELECT key, change, pg_temp.try(format('SELECT loc, %s AS key FROM changes_keys.page ORDER BY key', key), 'SELECT ' || change)
  FROM (VALUES ('id', '5.0'), ('id', '5::float8'), ('id', '5, 7.5'), ('id', '''5''::char(5)'), ('id', 'ROW(5)'), ('id', 'pg_sleep(0)'),
               ('date ''2026-01-01'' + id', 'now()'), ('timestamptz ''2026-01-01Z'' + id * interval ''1 day''', 'timestamp ''2026-02-03'''),
               ('to_char(id, ''000'')', '5'), ('to_char(id, ''000'')', '''a''::changes_keys.word'), ('to_char(id, ''000'')', '''a''::name'),
               ('id', '5::changes_keys.number'), ('id', '3000000000'), ('id', '''x''')) v (key, change);
-- It can be a statement that runs another one.
PREPARE changes_keys AS SELECT 5;
BEGIN;
DECLARE changes_cursor CURSOR FOR SELECT id FROM changes_keys.page WHERE id IN (5, 50);
SELECT statement, pg_temp.try('SELECT loc, id AS key FROM changes_keys.page ORDER BY id', statement)
  FROM (VALUES ('SELECT 5'), ('EXECUTE changes_keys'), ('FETCH ALL FROM changes_cursor'), ('EXPLAIN (COSTS OFF) SELECT 1')) v (statement);
ROLLBACK;
DEALLOCATE changes_keys;

-- A view that is replaced makes a full run, which names the view: the query's, and one inside of it.
SET search_path = changes_keys, public;
CREATE VIEW "inner" AS SELECT loc, id, date '2026-02-01' AS lastmod FROM page;
CREATE VIEW "outer" AS SELECT loc, id AS key, lastmod FROM "inner" WHERE id < 100 AND lastmod > '2026-01-31' ORDER BY id;
CREATE VIEW beside AS SELECT 1 AS one;
RESET search_path;
\set view 'SELECT v.* FROM changes_keys."outer" v, changes_keys.beside ORDER BY key'
TRUNCATE changes_keys.target;
SELECT pg_temp.run(:'view');
-- Settings do not change a view's text, nor does a view that is created again.
SET search_path = changes_keys, public;
SET quote_all_identifiers = on;
SET DateStyle = German;
SELECT pg_temp.run(:'view', 'SELECT 5');
RESET ALL;
BEGIN;
DROP VIEW changes_keys.beside;
CREATE VIEW changes_keys.beside AS SELECT 1 AS one;
SELECT pg_temp.run(:'view', 'SELECT 5');
CREATE OR REPLACE VIEW changes_keys."outer" AS SELECT loc, id AS key, lastmod FROM changes_keys."inner" WHERE id < 90 ORDER BY id;
SELECT pg_temp.run(:'view', 'SELECT 5');
SELECT pg_temp.run(:'view', 'SELECT 5');
CREATE OR REPLACE VIEW changes_keys."inner" AS SELECT loc || '/' AS loc, id, date '2026-02-01' AS lastmod FROM changes_keys.page;
SELECT pg_temp.run(:'view', 'SELECT 5');
SELECT pg_temp.run(:'view', 'SELECT 5');
CREATE OR REPLACE VIEW changes_keys.beside AS SELECT 1 AS one UNION SELECT 1;
SELECT pg_temp.run(:'view', 'SELECT 5');
-- By the statement itself; but the query's columns stay.
SELECT pg_temp.run(:'view', $$ SELECT changes_keys.execute('CREATE OR REPLACE VIEW changes_keys."inner" AS SELECT ''/new'' || loc AS loc, id, date ''2026-02-01'' AS lastmod FROM changes_keys.page', '5') $$);
SELECT bool_and(p.loc LIKE 'http://a/new/%') AS new FROM changes_keys.target, sitemap_parse(content) p WHERE kind <> 'index';
SELECT pg_temp.try(:'view', $$ SELECT changes_keys.execute('DROP VIEW changes_keys."outer"; CREATE VIEW changes_keys."outer" AS SELECT loc, id::text AS key FROM changes_keys.page', '5') $$);
-- A table in the view's place.
CREATE TABLE changes_keys.kept AS TABLE changes_keys.beside;
DROP VIEW changes_keys.beside;
ALTER TABLE changes_keys.kept RENAME TO beside;
SELECT pg_temp.run(:'view', 'SELECT 5');
ROLLBACK;

-- Several ranges of long keys.
TRUNCATE changes_keys.target;
\set long 'SELECT loc, repeat(''k'', 300) || to_char(id, ''000'') COLLATE "C" AS key FROM changes_keys.page ORDER BY id'
SELECT pg_temp.run(:'long');
UPDATE changes_keys.page SET loc = loc || '?' WHERE id IN (15, 95);
SELECT pg_temp.run(:'long', 'SELECT repeat(''k'', 300) || to_char(id, ''000'') FROM unnest(''{15,95}''::int[]) id');
SELECT pg_temp.run(:'long');

-- A first key that is no value of the type means all files.
\set ids 'SELECT loc, id AS key FROM changes_keys.page ORDER BY id'
CREATE FUNCTION pg_temp.unread(query text, first_key text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE changes_keys.target;
  PERFORM pg_temp.run(query);
  UPDATE changes_keys.target t SET first_key = $2 WHERE name = (SELECT max(name) FROM changes_keys.target WHERE kind <> 'index');
  RETURN pg_temp.run(query, 'SELECT ''20''');
END
$$;
SELECT pg_temp.unread(:'ids', 'x'), pg_temp.unread(:'ids', '3000000000');

-- Of a long key a message shows the beginning.
SELECT length(pg_temp.try('SELECT loc, loc AS key FROM changes_keys.page ORDER BY loc', $$ SELECT repeat('b', 1000000), repeat('a', 1000000) $$));

SET client_min_messages = warning;
DROP SCHEMA changes_keys CASCADE;
