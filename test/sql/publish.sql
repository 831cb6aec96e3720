--
-- sitemap_publish: a set in a table, and what a run changes in it.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir /sql/include/helpers.sql
\i :helpers

CREATE TABLE publish_target OF sitemap_file (PRIMARY KEY (name));
ALTER TABLE publish_target ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE TABLE publish_page AS
SELECT n AS id, '/p/' || n AS loc, timestamptz '2026-01-01 00:00Z' + n * interval '1 hour' AS lastmod
  FROM generate_series(1, 25) n;
CREATE TABLE publish_article AS SELECT n AS id, '/a/' || n AS loc FROM generate_series(1, 3) n;

-- $1: the rest of the arguments.
CREATE FUNCTION pg_temp.pages(options text DEFAULT '') RETURNS TABLE (name text, action text, url_count int, byte_count bigint)
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE
    'SELECT * FROM sitemap_publish(''publish_target'', ''SELECT loc, lastmod FROM publish_page ORDER BY id'', ''http://www.example.com/'''
    || options || ')';
END
$$;
CREATE FUNCTION pg_temp.articles(options text DEFAULT '') RETURNS TABLE (name text, action text, url_count int, byte_count bigint)
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE
    'SELECT * FROM sitemap_publish(''publish_target'', ''SELECT loc FROM publish_article ORDER BY id'', ''http://www.example.com/'', section => ''articles'''
    || options || ')';
END
$$;
-- What there is, and whether an index lists just that.
CREATE VIEW publish_state AS
SELECT section, name, kind, replace(loc, 'http://www.example.com/', '') AS file, url_count
  FROM publish_target;
CREATE FUNCTION pg_temp.listed(index bytea) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(replace(m[1], 'http://www.example.com/', ''), ' ' ORDER BY n)
    FROM regexp_matches(pg_temp.text(index), '<loc>(.*?)</loc>', 'g') WITH ORDINALITY r (m, n)
$$;

-- Files are new, the index is last; by default they are gzipped, and split by content.
SELECT * FROM pg_temp.pages(', max_urls => 10');
SELECT * FROM publish_state ORDER BY name;
SELECT bool_and(digest ~ '^[0-9a-f]{16}$'), bool_and(get_byte(content, 0) = 31), bool_and(pg_column_compression(content) IS NULL)
  FROM publish_target;
TRUNCATE publish_target;

-- Nothing changes: nothing is written, not even in the same transaction.
SELECT count(*) FROM pg_temp.pages(', compression => 0, max_urls => 10');
CREATE TABLE publish_before AS SELECT ctid AS place, * FROM publish_target;
SELECT * FROM pg_temp.pages(', compression => 0, max_urls => 10');
SELECT count(*), count(*) FILTER (WHERE t.ctid = b.place AND t.lastmod = b.lastmod)
  FROM publish_target t JOIN publish_before b USING (name);

-- lastmod is when the content changed, and that is what the index says.
UPDATE publish_target SET lastmod = '2001-02-01 00:00Z';
UPDATE publish_page SET lastmod = '2026-03-01 00:00Z' WHERE id = 15;
SELECT * FROM pg_temp.pages(', compression => 0, max_urls => 10');
SELECT name, lastmod > '2001-02-01 00:00Z' FROM publish_target ORDER BY name;
SELECT t.name, pg_temp.text(i.content)
               LIKE '%<loc>' || t.loc || '</loc><lastmod>' || to_char(t.lastmod AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z') || '</lastmod>%'
  FROM publish_target i, publish_target t
 WHERE i.kind = 'index' AND t.kind <> 'index'
 ORDER BY t.name;

-- The content is that of sitemap_files.
SELECT count(*), bool_and(t.content = f.content AND t.digest = f.digest)
  FROM publish_target t
  JOIN sitemap_files('SELECT loc, lastmod FROM publish_page ORDER BY id', 'http://www.example.com/',
                     max_urls => 10, split => 'stable', index => 'never') f USING (section, name, kind, loc, url_count, byte_count);

-- A row less, and files that go.
DELETE FROM publish_page WHERE id > 20;
SELECT * FROM pg_temp.pages(', compression => 0, max_urls => 10');
SELECT name, pg_temp.listed(content) FROM publish_target WHERE kind = 'index';

-- Another section has the same index.
SELECT * FROM pg_temp.articles(', compression => 0');
SELECT pg_temp.listed(content) FROM publish_target WHERE kind = 'index';
SELECT * FROM pg_temp.pages(', compression => 0');
SELECT * FROM publish_state ORDER BY name;
SELECT pg_temp.listed(content) FROM publish_target WHERE kind = 'index';

-- It keeps its form while another section is in it, whatever this one has.
SELECT * FROM pg_temp.articles(', compression => 1');
SELECT pg_temp.listed(content) FROM publish_target WHERE kind = 'index';

-- An empty section goes, where max_shrink says that it may.
DELETE FROM publish_article;
SELECT * FROM pg_temp.articles(', max_shrink => 1');
-- One file with the name of the index needs no index.
SELECT * FROM pg_temp.pages(', compression => 0');
SELECT * FROM publish_state ORDER BY name;
-- Until another section comes.
INSERT INTO publish_article SELECT n, '/a/' || n FROM generate_series(1, 3) n;
SELECT * FROM pg_temp.articles(', compression => 0');
SELECT * FROM publish_state ORDER BY name;
SELECT * FROM pg_temp.pages(', compression => 0');
SELECT pg_temp.listed(content) FROM publish_target WHERE kind = 'index';

-- index => 'never' has none, 'always' has one for one file, numbered names come with a full split.
SELECT * FROM pg_temp.articles(', compression => 0, index => ''never''');
TRUNCATE publish_target;
SELECT * FROM pg_temp.pages(', compression => 0, index => ''always'', split => ''full''');
SELECT * FROM pg_temp.pages(', compression => 0, max_urls => 15, split => ''full''');
SELECT * FROM pg_temp.pages(', compression => 0, split => ''full''');
SELECT * FROM pg_temp.pages(', compression => 0, max_urls => 15, split => ''full''');
-- A section by another name has its index from the first file on.
TRUNCATE publish_target;
SELECT * FROM pg_temp.articles(', compression => 0, format => ''txt''');
SELECT * FROM publish_state ORDER BY name;

-- A set of nothing in an empty table.
TRUNCATE publish_target;
DELETE FROM publish_article;
SELECT * FROM pg_temp.articles();
SELECT count(*) FROM publish_target;

-- What is left out is said under this function's name.
SET client_min_messages = notice;
INSERT INTO publish_article VALUES (1, '/a'), (2, 'ftp://a/');
SELECT * FROM pg_temp.articles(', compression => 0, on_invalid => ''skip''');
SET client_min_messages = warning;

-- The index keeps the URL of the file that was there before it.
TRUNCATE publish_target;
DELETE FROM publish_article WHERE loc ~ '^ftp';
SELECT * FROM pg_temp.pages(', compression => 0');
SELECT name, action FROM pg_temp.articles(', compression => 1');
SELECT * FROM publish_state ORDER BY name;
SELECT name, action FROM pg_temp.pages(', compression => 0');

-- A file that the index takes the name of is not in the index: where one becomes several, where
-- there was none, and where a section goes.
TRUNCATE publish_target;
SELECT name, action FROM pg_temp.pages(', compression => 0');
SELECT name, action FROM pg_temp.pages(', compression => 0, max_urls => 15');
SELECT pg_temp.listed(content) FROM publish_target WHERE kind = 'index';
TRUNCATE publish_target;
SELECT name, action FROM pg_temp.pages(', compression => 0');
SELECT name, action FROM pg_temp.pages(', compression => 0, index => ''always''');
SELECT pg_temp.listed(content) FROM publish_target WHERE kind = 'index';
TRUNCATE publish_target;
SELECT name, action FROM pg_temp.pages(', compression => 0, index => ''never''');
SELECT name, action FROM pg_temp.articles(', compression => 0, index => ''never''');
SELECT name, action FROM pg_temp.pages(', compression => 0');
SELECT pg_temp.listed(content) FROM publish_target WHERE kind = 'index';
TRUNCATE publish_target;
SELECT name, action FROM pg_temp.pages(', compression => 0, index => ''never''');
SELECT name, action FROM pg_temp.articles(', compression => 0, index => ''never''');
SELECT name, action
  FROM sitemap_publish('publish_target', 'SELECT loc FROM publish_page WHERE false', 'http://www.example.com/',
                       compression => 0, max_shrink => 1);
SELECT name, kind, pg_temp.listed(content) FROM publish_target ORDER BY name;
-- The state for what follows.
TRUNCATE publish_target;
SELECT count(*) FROM pg_temp.pages(', compression => 0');
SELECT count(*) FROM pg_temp.articles(', compression => 1');

-- lastmod: it does not go back, and stays where the document does.
UPDATE publish_target SET lastmod = '2100-01-01 00:00Z' WHERE section = 'sitemap' AND kind <> 'index';
UPDATE publish_target SET lastmod = '2001-01-01 00:00Z' WHERE section = 'articles';
UPDATE publish_page SET lastmod = '2026-04-01 00:00Z' WHERE id = 1;
SELECT name, action FROM pg_temp.pages(', compression => 0');
SELECT name, action
  FROM sitemap_publish('publish_target', 'SELECT ''http://www.example.com'' || loc AS loc FROM publish_article ORDER BY id',
                       'http://files.example.com/', section => 'articles', compression => 1, scope => 'any');
SELECT name, loc, lastmod AT TIME ZONE 'UTC' FROM publish_target WHERE kind <> 'index' ORDER BY name;
-- What has lost its content, or its kind, gets it back; with the lastmod that it has.
UPDATE publish_target SET content = NULL WHERE section = 'sitemap' AND kind <> 'index';
UPDATE publish_target SET kind = NULL WHERE section = 'articles';
SELECT name, action FROM pg_temp.pages(', compression => 0') WHERE action <> 'unchanged';
SELECT count(*) FROM publish_target WHERE content IS NULL;

-- Targets of other kinds: with more columns, partitioned, temporary; names that need quotes.
CREATE TABLE "publish ""target" (
  id int GENERATED ALWAYS AS IDENTITY, content bytea, recipe text, digest text, first_key text, byte_count bigint, url_count int,
  lastmod timestamptz, loc text, kind text, name text, section text, note text DEFAULT 'ours'
) PARTITION BY HASH (name);
CREATE TABLE publish_part0 PARTITION OF "publish ""target" FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE publish_part1 PARTITION OF "publish ""target" FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TEMP TABLE publish_temp OF sitemap_file;
SELECT t, p.name, p.action
  FROM (VALUES ('"publish ""target"'::regclass), ('publish_temp'), ('"publish ""target"'), ('publish_temp')) v (t),
       sitemap_publish(t, 'SELECT loc, lastmod FROM publish_page ORDER BY id', 'http://www.example.com/', max_urls => 15) p;
SELECT count(*), min(note) FROM "publish ""target";
-- A temporary one may be written to in a transaction that is read only.
BEGIN READ ONLY;
SELECT count(*) FROM sitemap_publish('publish_temp', 'SELECT ''/1''::text AS loc', 'http://www.example.com/', section => 'more');
ROLLBACK;
-- A change leaves a name as it is: where names spread rows over a sharded cluster, it must not be set.
CREATE FUNCTION publish_named() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'name is set'; END$$;
CREATE TRIGGER named BEFORE UPDATE OF name ON "publish ""target" FOR EACH ROW EXECUTE FUNCTION publish_named();
UPDATE publish_page SET lastmod = '2026-03-02' WHERE id = 1;
SELECT name, action
  FROM sitemap_publish('"publish ""target"', 'SELECT loc, lastmod FROM publish_page ORDER BY id', 'http://www.example.com/', max_urls => 15)
 WHERE name <> 'sitemap.xml.gz';

-- Names of a search_path do not count.
CREATE SCHEMA publish_trap;
CREATE FUNCTION publish_trap.never(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR publish_trap.= (LEFTARG = text, RIGHTARG = text, FUNCTION = publish_trap.never);
CREATE FUNCTION publish_trap.length(text) RETURNS int LANGUAGE sql AS 'SELECT 1 / 0';
CREATE TABLE publish_trap.publish_temp (a int);
SET search_path = publish_trap, public, pg_catalog;
UPDATE publish_page SET lastmod = '2026-03-03' WHERE id = 1;
SELECT name, action
  FROM sitemap_publish('pg_temp.publish_temp', 'SELECT loc, lastmod FROM publish_page ORDER BY id',
                       'http://www.example.com/', max_urls => 15)
 WHERE name <> 'sitemap.xml.gz';
SELECT name, action
  FROM sitemap_publish('pg_temp.publish_temp', 'SELECT loc, lastmod FROM publish_page ORDER BY id',
                       'http://www.example.com/', max_urls => 30);
RESET search_path;
DROP SCHEMA publish_trap CASCADE;

DROP TABLE publish_target, publish_page, publish_article, publish_before, "publish ""target" CASCADE;
