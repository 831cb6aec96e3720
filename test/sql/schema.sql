--
-- The extension in any schema, and out of the database.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- Dropped, it leaves nothing.
DROP EXTENSION sitemap;
SELECT count(*) FROM pg_proc WHERE proname ~ '^sitemap_';

-- It works in a schema that no search_path has.
CREATE SCHEMA "Odd schema";
CREATE EXTENSION sitemap SCHEMA "Odd schema";
SELECT "Odd schema".sitemap_agg('http://a/', date '2026-01-02');
SET search_path = '';
SELECT name FROM "Odd schema".sitemap_files('SELECT ''/''::pg_catalog.text AS loc', 'http://a/');
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

ALTER EXTENSION sitemap SET SCHEMA public;
DROP SCHEMA "Odd schema", other;
DROP EXTENSION sitemap;
CREATE EXTENSION sitemap;
