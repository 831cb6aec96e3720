--
-- sitemap_publish: a set in a table, and what a run changes in it.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TABLE publish_target OF sitemap_file (PRIMARY KEY (base_url, name));
ALTER TABLE publish_target ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE TABLE publish_page AS
SELECT n AS id, '/p/' || n AS loc, timestamptz '2026-01-01 00:00Z' + n * interval '1 hour' AS lastmod
  FROM generate_series(1, 25) n;
CREATE TABLE publish_article AS SELECT n AS id, '/a/' || n AS loc FROM generate_series(1, 3) n;

-- $1: the rest of the arguments.
CREATE FUNCTION pg_temp.pages(options text DEFAULT '') RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint)
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE
    'SELECT * FROM sitemap_publish(''publish_target'', ''SELECT loc, lastmod FROM publish_page ORDER BY id'', ''http://www.example.com/'''
    || options || ')';
END
$$;
CREATE FUNCTION pg_temp.articles(options text DEFAULT '') RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint)
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
SELECT bool_and(digest ~ '^[0-9a-f]{16}$'), bool_and(get_byte(content, 0) = 31 OR kind = 'index'), bool_and(pg_column_compression(content) IS NULL)
  FROM publish_target;
TRUNCATE publish_target;

-- Nothing changes: nothing is written, not even in the same transaction.
SELECT count(*) FROM pg_temp.pages(', compression => 0, max_urls => 10');
CREATE TABLE publish_before AS SELECT ctid AS place, * FROM publish_target;
SELECT * FROM pg_temp.pages(', compression => 0, max_urls => 10');
SELECT count(*), count(*) FILTER (WHERE t.ctid = b.place AND t.lastmod = b.lastmod)
  FROM publish_target t JOIN publish_before b USING (name);

-- lastmod does not change, even if it is NULL, if only a file's key does.
UPDATE publish_target SET lastmod = NULL WHERE kind <> 'index';
SELECT action, count(*)
  FROM sitemap_publish('publish_target', 'SELECT loc, lastmod, id AS key FROM publish_page ORDER BY id',
                       'http://www.example.com/', compression => 0, max_urls => 10)
 GROUP BY action ORDER BY action;
SELECT count(*) FROM publish_target WHERE first_key IS NOT NULL AND lastmod IS NULL;

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

-- Another section has the same index, which is never compressed.
SELECT * FROM pg_temp.articles(', compression => 0');
SELECT pg_temp.listed(content) FROM publish_target WHERE kind = 'index';
SELECT * FROM pg_temp.pages(', compression => 0');
SELECT * FROM publish_state ORDER BY name;
SELECT pg_temp.listed(content) FROM publish_target WHERE kind = 'index';
SELECT * FROM pg_temp.articles(', compression => 1, format => ''txt''');
SELECT pg_temp.listed(content) FROM publish_target WHERE kind = 'index';

-- An empty section goes, where max_shrink says that it may.
DELETE FROM publish_article;
SELECT * FROM pg_temp.articles(', max_shrink => 1');
SELECT * FROM publish_state ORDER BY name;
-- A section of one file, whatever its name, has the index, and its file is named as a part.
INSERT INTO publish_article SELECT n, '/a/' || n FROM generate_series(1, 3) n;
TRUNCATE publish_target;
SELECT * FROM pg_temp.articles(', compression => 0, format => ''txt'', index => ''auto''');
TRUNCATE publish_target;
SELECT * FROM pg_temp.pages(', compression => 0, split => ''full'', index => ''always''');
SELECT * FROM pg_temp.pages(', compression => 0, max_urls => 15, split => ''full''');
SELECT * FROM pg_temp.pages(', compression => 0, split => ''full''');

-- index => 'never' leaves the index as it is.
SELECT * FROM pg_temp.pages(', compression => 0, max_urls => 15, split => ''full'', index => ''never''');
SELECT * FROM pg_temp.articles(', compression => 0, index => ''never''');
SELECT pg_temp.listed(content) FROM publish_target WHERE kind = 'index';
-- sitemap_publish_index brings it up to date, and does so once.
SELECT * FROM sitemap_publish_index('publish_target', 'http://www.example.com/');
SELECT pg_temp.listed(content) FROM publish_target WHERE kind = 'index';
SELECT * FROM sitemap_publish_index('publish_target', 'http://www.example.com');
-- The index has the files that are there, whoever makes them, in the order of sections and numbers; of this site.
DELETE FROM publish_target WHERE name = 'sitemap-1.xml';
INSERT INTO publish_target (base_url, section, name, kind, loc, lastmod)
VALUES ('http://www.example.com/', 'sitemap', 'sitemap-10.xml', 'urlset', 'http://www.example.com/sitemap-10.xml', '2026-01-01 00:00Z'),
       ('http://www.example.com/', NULL, 'mine.xml', 'urlset', 'http://www.example.com/mine.xml', NULL),
       ('http://www.example.com/', NULL, 'nowhere.xml', NULL, NULL, NULL),
       ('http://www.example.org/', NULL, 'mine.xml', 'urlset', 'http://www.example.org/mine.xml', NULL);
UPDATE publish_target SET lastmod = '2026-01-02 00:00Z' WHERE lastmod > '2026-01-02 00:00Z';
SELECT * FROM sitemap_publish_index('publish_target', 'http://www.example.com/', '/map.css');
SELECT pg_temp.text(content) FROM publish_target WHERE kind = 'index';
-- A lastmod that cannot be written is left out.
UPDATE publish_target SET lastmod = v.lastmod
  FROM (VALUES ('mine.xml', timestamptz 'infinity'), ('sitemap-2.xml', '-infinity'), ('sitemap-10.xml', '10000-01-01 00:00Z')) v (name, lastmod)
 WHERE publish_target.name = v.name AND base_url = 'http://www.example.com/';
SELECT name, action FROM sitemap_publish_index('publish_target', 'http://www.example.com/', '/map.css');
SELECT pg_temp.text(content) FROM publish_target WHERE kind = 'index';
-- A second index, and one of another name, are deleted when they are not needed.
INSERT INTO publish_target (base_url, section, name, kind, loc, digest) VALUES
  ('http://www.example.com/', 'sitemap', 'sitemap-index-2.xml', 'index', 'http://www.example.com/sitemap-index-2.xml', 'old'),
  ('http://www.example.com/', 'sitemap', 'old.xml.gz', 'index', 'http://www.example.com/old.xml.gz', 'old');
SELECT * FROM sitemap_publish_index('publish_target', 'http://www.example.com/', '/map.css');
-- A sitemap that another program makes: no run touches it, and no section can have its name.
SELECT name, action FROM pg_temp.pages(', compression => 0, split => ''full'', max_shrink => 1') ORDER BY name;
SELECT name, action, kind FROM sitemap_publish('publish_target', 'SELECT loc FROM publish_article WHERE false', 'http://www.example.com/', section => 'sitemap', max_shrink => 1);
SELECT name, loc FROM publish_target WHERE digest IS NULL ORDER BY base_url, name COLLATE "C";
SELECT pg_temp.error($$ SELECT sitemap_publish('publish_target', 'SELECT loc FROM publish_page', 'http://www.example.com/', max_urls => 2, split => 'full', compression => 0) $$);
-- It must be on the site that lists it, and be no index.
UPDATE publish_target SET loc = 'https://www.example.com/mine.xml' WHERE name = 'mine.xml' AND base_url = 'http://www.example.com/';
SELECT pg_temp.error($$ SELECT sitemap_publish_index('publish_target', 'http://www.example.com/') $$);
UPDATE publish_target SET loc = 'http://www.example.com/mine.xml', kind = 'index' WHERE name = 'mine.xml' AND base_url = 'http://www.example.com/';
SELECT pg_temp.error($$ SELECT sitemap_publish_index('publish_target', 'http://www.example.com/') $$);
UPDATE publish_target SET kind = 'text', loc = 'http://editor:s3cret@www.example.com/mine.xml' WHERE name = 'mine.xml' AND base_url = 'http://www.example.com/';
SELECT pg_temp.error($$ SELECT sitemap_publish_index('publish_target', 'http://www.example.com/') $$);
UPDATE publish_target SET loc = 'HTTP://www.example.com:80/blog/mine.txt' WHERE name = 'mine.xml' AND base_url = 'http://www.example.com/';
SELECT name, action FROM sitemap_publish_index('publish_target', 'http://www.example.com/');
SELECT pg_temp.listed(content) FROM publish_target WHERE kind = 'index';
-- All spellings of a base_url are one site.
SELECT base_url, string_agg(action, ' ')
  FROM unnest('{HTTP://WWW.Example.COM,http://www.example.com:80/,http://www.example.com./}'::text[]) base_url,
       sitemap_publish_index('publish_target', base_url) GROUP BY base_url ORDER BY base_url;
SELECT action FROM sitemap_publish('publish_target', 'SELECT loc, lastmod FROM publish_page ORDER BY id', 'HTTP://WWW.Example.COM:80', compression => 0, split => 'full');
SELECT DISTINCT base_url FROM publish_target ORDER BY base_url;
-- A site without files has no index.
DELETE FROM publish_target WHERE kind IS DISTINCT FROM 'index';
SELECT * FROM sitemap_publish_index('publish_target', 'http://www.example.com/');
SELECT * FROM sitemap_publish_index('publish_target', 'http://www.example.com/');
-- Where one index cannot hold all files, there are more; protocol 0.84 allows 1,000 files each.
INSERT INTO publish_target (base_url, section, name, kind, loc)
SELECT 'http://www.example.com/', 'many', 'many-' || n || '.xml', 'urlset', 'http://www.example.com/many-' || n || '.xml' FROM generate_series(1, 2001) n;
SELECT * FROM sitemap_publish_index('publish_target', 'http://www.example.com/', protocol => '0.84');
SELECT name, section, (SELECT count(*) FROM regexp_matches(pg_temp.text(content), '<sitemap>', 'g'))
  FROM publish_target WHERE kind = 'index' ORDER BY name COLLATE "C";
SELECT * FROM sitemap_publish_index('publish_target', 'http://www.example.com/');

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
DELETE FROM publish_article WHERE loc ~ '^ftp';

-- The state for what follows.
TRUNCATE publish_target;
SELECT count(*) FROM pg_temp.pages(', compression => 0');
SELECT count(*) FROM pg_temp.articles(', compression => 1');

-- lastmod: it does not go back, and stays where the document does.
UPDATE publish_target SET lastmod = '2100-01-01 00:00Z' WHERE section = 'sitemap' AND kind <> 'index';
UPDATE publish_target SET lastmod = '2001-01-01 00:00Z' WHERE section = 'articles';
UPDATE publish_page SET lastmod = '2026-04-01 00:00Z' WHERE id = 1;
SELECT name, action FROM pg_temp.pages(', compression => 0');
SELECT name, loc, lastmod AT TIME ZONE 'UTC' FROM publish_target WHERE kind <> 'index' ORDER BY name;
-- A new base_url: that of the files first, by hand, then each section. The documents stay, and so does their lastmod.
BEGIN;
UPDATE publish_target SET base_url = 'http://files.example.com/', loc = 'http://files.example.com/' || name;
SELECT name, action
  FROM sitemap_publish('publish_target', 'SELECT ''http://www.example.com'' || loc AS loc FROM publish_article ORDER BY id',
                       'http://files.example.com/', section => 'articles', compression => 1, scope => 'any');
SELECT name, loc, lastmod AT TIME ZONE 'UTC' FROM publish_target WHERE kind <> 'index' ORDER BY name;
SELECT name, action
  FROM sitemap_publish('publish_target', 'SELECT ''http://www.example.com'' || loc AS loc, lastmod FROM publish_page ORDER BY id',
                       'http://files.example.com/', compression => 0, scope => 'any');
ROLLBACK;
-- Without that, it is another site: the old set stays until it is deleted.
BEGIN;
SELECT name, action
  FROM sitemap_publish('publish_target', 'SELECT ''http://www.example.com'' || loc AS loc, lastmod FROM publish_page ORDER BY id',
                       'http://files.example.com/', compression => 0, scope => 'any');
SELECT base_url, name, replace(loc, base_url || name, '') FROM publish_target ORDER BY base_url, name;
SELECT pg_temp.listed(content) FROM publish_target WHERE kind = 'index' ORDER BY base_url;
ROLLBACK;
-- What has lost its content, or its kind, gets it back; with the lastmod that it has.
UPDATE publish_target SET content = NULL WHERE section = 'sitemap' AND kind <> 'index';
UPDATE publish_target SET kind = NULL WHERE section = 'articles' OR kind = 'index';
SELECT name, action FROM pg_temp.pages(', compression => 0') WHERE action <> 'unchanged';
SELECT name, action FROM pg_temp.articles(', compression => 1') WHERE action <> 'unchanged';
SELECT count(*) FROM publish_target WHERE content IS NULL;

-- Targets of other kinds: with more columns, partitioned, temporary; names that need quotes.
CREATE TABLE "publish ""target" (
  id int GENERATED ALWAYS AS IDENTITY, content bytea, recipe text, digest text, first_key text, byte_count bigint, url_count int,
  lastmod timestamptz, loc text, kind text, name text, section text, base_url text, note text DEFAULT 'ours'
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
 WHERE kind <> 'index';

-- Each file that differs is written by a statement of its own, also in a target without an index.
CREATE TEMP TABLE publish_statement (operation text);
CREATE FUNCTION publish_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO publish_statement VALUES (TG_OP);
  RETURN NULL;
END
$$;
CREATE TABLE publish_many (LIKE sitemap_file, note text DEFAULT 'ours');
CREATE TRIGGER count AFTER UPDATE OR DELETE ON publish_many FOR EACH STATEMENT EXECUTE FUNCTION publish_count();
CREATE FUNCTION pg_temp.many(page text, pages int, urls int DEFAULT 1) RETURNS TABLE (action text, count bigint) LANGUAGE sql AS $$
  SELECT action, count(*)
    FROM sitemap_publish('publish_many', format('SELECT ''/'' || n || %L AS loc FROM generate_series(1, %s) n', page, pages), 'http://www.example.com/',
                         compression => 0, max_urls => urls, split => 'full', max_shrink => 1, index => 'never')
   GROUP BY action ORDER BY action
$$;
SELECT * FROM pg_temp.many('', 150);
UPDATE publish_many SET note = 'mine';
TRUNCATE publish_statement;
SELECT * FROM pg_temp.many('?', 150);
SELECT * FROM pg_temp.many('?', 1);
SELECT operation, count(*) FROM publish_statement GROUP BY operation ORDER BY operation;
SELECT name, note, pg_temp.text(content) FROM publish_many;
-- Files of 2 MB.
SELECT * FROM pg_temp.many(repeat('x', 1900), 6000, 1000);
TRUNCATE publish_statement;
SELECT * FROM pg_temp.many(repeat('y', 1900), 6000, 1000);
SELECT operation, count(*) FROM publish_statement GROUP BY operation ORDER BY operation;
DROP TABLE publish_many;
DROP FUNCTION publish_count;

-- Publishing is DML: a deferred trigger of a target can wait while another section is published.
CREATE FUNCTION publish_late() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''% of %'', tg_op, NEW.name; RETURN NULL; END';
CREATE CONSTRAINT TRIGGER late AFTER INSERT OR UPDATE ON publish_target DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.kind <> 'index') EXECUTE FUNCTION publish_late();
TRUNCATE publish_target;
BEGIN;
SELECT name, action FROM pg_temp.pages(', compression => 0');
SELECT name, action FROM pg_temp.articles(', compression => 0');
COMMIT;
DROP TRIGGER late ON publish_target;
-- A file that changes twice within a second has another second in the index.
BEGIN;
UPDATE publish_article SET loc = loc || '?1';
SELECT name, action FROM pg_temp.articles(', compression => 0');
SELECT max(lastmod) AS before FROM publish_target WHERE section = 'articles' \gset
UPDATE publish_article SET loc = loc || '?2';
SELECT name, action FROM pg_temp.articles(', compression => 0');
SELECT lastmod >= :'before'::timestamptz + interval '1 s' FROM publish_target WHERE section = 'articles';
COMMIT;

-- The times of a feed grow, though files are ahead of the clock, and no index tells of a run.
CREATE TABLE publish_feed OF sitemap_change;
CREATE FUNCTION pg_temp.fed(pages int) RETURNS bigint LANGUAGE sql AS $$
  SELECT count(*) FILTER (WHERE action <> 'unchanged')
    FROM sitemap_publish('publish_target', format('SELECT ''/f/'' || n AS loc FROM generate_series(1, %s) n', pages), 'http://www.example.com/',
                         section => 'fed', max_urls => 1, split => 'full', index => 'never', feed => 'publish_feed')
$$;
SELECT pg_temp.fed(3);
UPDATE publish_target SET lastmod = now() + interval '1 day' WHERE section = 'fed';
SELECT pg_temp.fed(2);
SELECT pg_temp.fed(1);
INSERT INTO publish_feed (base_url, at) VALUES ('http://www.example.com/', 'infinity'), ('http://www.example.org/', now() + interval '2 days');
SELECT pg_temp.fed(2);
SELECT count(*), count(DISTINCT at), max(at) < now() + interval '25 hours' FROM publish_feed WHERE section = 'fed';
-- The next time is later than the newest, not equal to it.
INSERT INTO publish_feed (base_url, at) VALUES ('http://www.example.com/', '2100-01-01 00:00Z');
SELECT pg_temp.fed(1);
SELECT count(*), bool_and(at > '2100-01-01 00:00Z') FROM publish_feed WHERE section = 'fed' AND at >= '2100-01-01 00:00Z';

-- An option that is NULL has its default.
SELECT name, action
  FROM sitemap_publish('publish_target', 'SELECT loc, lastmod FROM publish_page ORDER BY id', 'http://www.example.com/', section => 'null');
SELECT name, action
  FROM sitemap_publish('publish_target', 'SELECT loc, lastmod FROM publish_page ORDER BY id', 'http://www.example.com/', section => 'null', format => NULL,
                       compression => NULL, max_urls => NULL, max_bytes => NULL, split => NULL, index => NULL, on_invalid => NULL, scope => NULL,
                       stylesheet => NULL, protocol => NULL, max_shrink => NULL, changes => NULL, feed => NULL);

DROP TABLE publish_target, publish_feed, publish_page, publish_article, publish_before, "publish ""target" CASCADE;
DROP FUNCTION publish_late;

-- An index of the section's own files, at a URL that stays.
CREATE TABLE publish_index OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE FUNCTION pg_temp.indexed(section text, index text, pages int DEFAULT 3, options text DEFAULT '')
RETURNS TABLE (name text, kind text, action text, urls int) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT name, kind, action, url_count FROM sitemap_publish(''publish_index'', %L, ''http://a/'', section => %L, index => %L, split => ''full'', compression => 0, max_urls => 2, max_shrink => 1 %s)',
                              format('SELECT ''/'' || n AS loc FROM generate_series(1, %s) n', pages), section, index, options);
END
$$;
CREATE VIEW publish_listed AS
SELECT i.section, i.name, count(l), string_agg(l[1], ' ' ORDER BY n) FILTER (WHERE n <= 6) AS lists
  FROM publish_index i LEFT JOIN LATERAL regexp_matches(convert_from(content, 'UTF8'), '<loc>http://a/(.*?)</loc>', 'g') WITH ORDINALITY m (l, n) ON true
 WHERE kind = 'index' GROUP BY i.section, i.name ORDER BY i.name COLLATE "C";
SELECT * FROM pg_temp.indexed('news', 'always');
SELECT * FROM pg_temp.indexed('products', 'section');
TABLE publish_listed;
SELECT * FROM pg_temp.indexed('products', 'section');
-- Another section's run, and the index alone, leave it; its own run updates it.
SELECT * FROM pg_temp.indexed('news', 'auto', 1);
INSERT INTO publish_index (base_url, section, name, kind, loc) VALUES ('http://a/', 'products', 'theirs', 'urlset', 'http://a/theirs.xml');
SELECT name, action FROM sitemap_publish_index('publish_index', 'http://a/');
SELECT * FROM pg_temp.indexed('products', 'section', 5);
TABLE publish_listed;
-- It does not count as a file of the section, and has no name of another section.
SELECT pg_temp.error($$ SELECT sitemap_publish('publish_index', 'SELECT ''/'' AS loc', 'http://a/', section => 'products', index => 'section', max_shrink => 0.5) $$);
SELECT pg_temp.error($$ SELECT pg_temp.indexed('a-index', 'never'), pg_temp.indexed('a', 'section', 2002, ', protocol => ''0.84''') $$);
-- Another value of index removes it.
SELECT * FROM pg_temp.indexed('products', 'never', 5);
SELECT * FROM pg_temp.indexed('products', 'section', 5);
SELECT * FROM pg_temp.indexed('products', 'auto', 5);
SELECT * FROM pg_temp.indexed('products', 'section', 5);
SELECT * FROM pg_temp.indexed('products', 'section', 0);
TABLE publish_listed;
-- A section named "sitemap" has the site's.
SELECT * FROM pg_temp.indexed('sitemap', 'section', 1);
-- More files than an index can list.
SELECT kind, action, count(*) FROM pg_temp.indexed('many', 'section', 2002, ', protocol => ''0.84''') GROUP BY kind, action ORDER BY kind, action;
TABLE publish_listed;
SELECT name, action, urls FROM pg_temp.indexed('many', 'section', 2) WHERE kind = 'index';
-- A run that reads only what changed keeps it, too.
\set keys 'SELECT ''/'' || n AS loc, n AS key FROM generate_series(1, 100) n ORDER BY n'
SELECT name, action FROM sitemap_publish('publish_index', :'keys', 'http://k/', section => 'keys', index => 'section', max_urls => 50);
SELECT name, action FROM sitemap_publish('publish_index', :'keys', 'http://k/', section => 'keys', index => 'section', max_urls => 50, changes => 'SELECT 1 WHERE false');
DROP TABLE publish_index CASCADE;

-- The first run of a stable split whose query has no ORDER BY says so.
CREATE TABLE publish_order AS SELECT n AS id, '/' || n AS loc FROM generate_series(1, 100) n;
CREATE TABLE publish_ordered OF sitemap_file (PRIMARY KEY (base_url, name));
SELECT count(*) FROM sitemap_publish('publish_ordered', 'SELECT loc FROM publish_order', 'http://a/');
SELECT count(*) FROM sitemap_publish('publish_ordered', 'SELECT loc FROM publish_order', 'http://a/');
SELECT count(*) FROM sitemap_publish('publish_ordered', 'SELECT loc, id AS key FROM publish_order', 'http://a/', section => 'key');
-- Not so with an order, a full split, one row, or none.
SELECT count(*) FROM sitemap_publish('publish_ordered', 'SELECT loc FROM publish_order ORDER BY id', 'http://b/');
SELECT count(*) FROM sitemap_publish('publish_ordered', 'SELECT loc FROM publish_order', 'http://c/', split => 'full');
SELECT count(*) FROM sitemap_publish('publish_ordered', 'SELECT ''/'' AS loc', 'http://d/');
SELECT count(*) FROM sitemap_publish('publish_ordered', 'SELECT loc FROM publish_order WHERE false', 'http://e/');
DROP TABLE publish_order, publish_ordered;

-- An index that a trigger deletes while the run writes another; a sitemap of the section where its index belongs; two indexes of one name.
CREATE TABLE publish_stale OF sitemap_file (PRIMARY KEY (base_url, name));
SELECT name, action FROM sitemap_publish('publish_stale', 'SELECT ''/1'' AS loc', 'http://a/', section => 'a');
INSERT INTO publish_stale (base_url, section, name, kind, loc, digest) VALUES
	('http://a/', 'sitemap', 'sitemap-index-2.xml', 'index', 'http://a/sitemap-index-2.xml', '00'),
	('http://a/', 'a', 'a.xml', 'urlset', 'http://a/a.xml', '00');
CREATE FUNCTION publish_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM publish_stale WHERE name = 'sitemap-index-2.xml';
	RETURN NULL;
END $$;
CREATE TRIGGER stale AFTER UPDATE ON publish_stale FOR EACH ROW WHEN (NEW.name = 'sitemap.xml') EXECUTE FUNCTION publish_delete();
SELECT name, action FROM sitemap_publish('publish_stale', 'SELECT ''/2'' AS loc', 'http://a/', section => 'a', index => 'section');
SELECT name, kind FROM publish_stale ORDER BY name;
CREATE TABLE publish_twice (LIKE sitemap_file);
INSERT INTO publish_twice SELECT f.* FROM publish_stale f, generate_series(1, 2) WHERE name = 'sitemap.xml';
SELECT name, action FROM sitemap_publish('publish_twice', 'SELECT ''/2'' AS loc', 'http://a/', section => 'a');
DROP TABLE publish_stale, publish_twice;
DROP FUNCTION publish_delete;
