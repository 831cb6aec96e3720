--
-- The extension in any schema, and out of the database.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- Dropped, it leaves nothing.
DROP EXTENSION sitemap;
SELECT count(*) FROM pg_proc WHERE proname ~ '^sitemap_';

-- It works in a schema that no search_path has.
CREATE SCHEMA "odd @table";
CREATE EXTENSION sitemap SCHEMA "odd @table";
SELECT "odd @table".sitemap_agg('http://a/', date '2026-01-02');
SET search_path = '';
SELECT name FROM "odd @table".sitemap_files('SELECT ''/''::pg_catalog.text AS loc', 'http://a/');

-- So do tables there, and the statements on them.
CREATE TABLE "odd @table".files OF "odd @table".sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE "odd @table".feed OF "odd @table".sitemap_change;
CREATE TABLE "odd @table".page (id int, loc text);
CREATE TABLE "odd @table".queue (id int);
SELECT "odd @table".sitemap_watch('"odd @table".page', 'id', '"odd @table".queue');
INSERT INTO "odd @table".page VALUES (1, '/a'), (2, '/b');
SELECT count(*) FROM "odd @table".sitemap_publish('"odd @table".files', 'SELECT loc, id AS key FROM "odd @table".page ORDER BY id', 'http://a/');
DELETE FROM "odd @table".page WHERE id = 1;
SELECT name, action FROM "odd @table".sitemap_publish('"odd @table".files', 'SELECT loc, id AS key FROM "odd @table".page ORDER BY id', 'http://a/',
  changes => 'DELETE FROM "odd @table".queue RETURNING id', feed => '"odd @table".feed', max_shrink => 1);
SELECT action, loc FROM "odd @table".feed;
CREATE TABLE "odd @table".job OF "odd @table".sitemap_job (section WITH OPTIONS DEFAULT 'sitemap', PRIMARY KEY (base_url, section));
INSERT INTO "odd @table".job (target, base_url, query) VALUES ('"odd @table".files', 'http://b/', 'SELECT loc FROM "odd @table".page ORDER BY id');
CALL "odd @table".sitemap_run('"odd @table".job');
SELECT state, urls FROM "odd @table".sitemap_status('"odd @table".job');
RESET search_path;

-- It moves to another.
CREATE SCHEMA other;
ALTER EXTENSION sitemap SET SCHEMA other;
SELECT other.sitemap_agg(other.sitemap_url('http://a/'));
SELECT (f).name FROM other.sitemap_files('SELECT ''/'' AS loc', 'http://a/') f;
SELECT DISTINCT pronamespace::regnamespace FROM pg_proc WHERE proname ~ '^sitemap_';

-- What uses it holds it back.
CREATE VIEW uses_it AS SELECT other.sitemap_url('http://a/');
SELECT pg_temp.brief('DROP EXTENSION sitemap');
DROP VIEW uses_it;

DROP TABLE "odd @table".job, "odd @table".files, "odd @table".feed, "odd @table".page, "odd @table".queue;
ALTER EXTENSION sitemap SET SCHEMA public;
DROP SCHEMA "odd @table", other;
DROP EXTENSION sitemap;
CREATE EXTENSION sitemap;
