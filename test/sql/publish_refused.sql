--
-- sitemap_publish: what it refuses, and that nothing has changed then.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TABLE refused_target OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE refused_page AS SELECT n AS id, '/p/' || n AS loc FROM generate_series(1, 100) n;
CREATE FUNCTION pg_temp.publish(target text, query text, options text DEFAULT '') RETURNS text
LANGUAGE sql AS $$
  SELECT pg_temp.error(format('SELECT count(*) FROM sitemap_publish(%L, %L, ''http://www.example.com/'', max_urls => 20 %s)',
                              target, query, options))
$$;
SELECT sum(url_count) FROM sitemap_publish('refused_target', 'SELECT loc FROM refused_page ORDER BY id', 'http://www.example.com/', max_urls => 20);
CREATE TABLE refused_before AS SELECT ctid AS place, xmin AS writer, * FROM refused_target;

-- A set that loses too much.
SELECT pg_temp.publish('refused_target', 'SELECT loc FROM refused_page WHERE false');
SELECT pg_temp.publish('refused_target', 'SELECT loc FROM refused_page WHERE id <= 49', ', max_shrink => 0.5');
SELECT pg_temp.publish('refused_target', 'SELECT loc FROM refused_page WHERE id <= 99', ', max_shrink => 0');
SELECT pg_temp.publish('refused_target', 'SELECT loc FROM refused_page WHERE false', ', max_shrink => 0.999');
SELECT pg_temp.publish('refused_target', 'SELECT loc FROM refused_page WHERE false', ', max_shrink => 0.9999999999');
-- As much as it may lose.
CREATE FUNCTION pg_temp.publish_and_undo(query text, options text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RAISE '%', pg_temp.publish('refused_target', query, options);
EXCEPTION WHEN raise_exception THEN
  RETURN left(SQLERRM, 8);
END
$$;
SELECT max_shrink, pg_temp.publish_and_undo('SELECT loc FROM refused_page WHERE id <= ' || pages, ', max_shrink => ' || max_shrink)
  FROM (VALUES (50, 0.5), (0, 1), (30, 0.7)) v (pages, max_shrink);
SELECT pg_temp.publish('refused_target', 'SELECT loc FROM refused_page WHERE id <= 29', ', max_shrink => 0.7');
SELECT pg_temp.publish('refused_target', 'SELECT loc FROM refused_page', ', max_shrink => ' || m)
  FROM (VALUES ('-0.1'), ('1.1'), ('''NaN''')) v (m);

-- By default it may lose 100 URLs, but not all, or a fifth.
BEGIN;
SELECT count(*) > 0 FROM sitemap_publish('refused_target', 'SELECT loc FROM refused_page LIMIT 1', 'http://www.example.com/', max_urls => 20);
SELECT pg_temp.publish('refused_target', 'SELECT loc FROM refused_page WHERE false');
SELECT count(*) > 0 FROM sitemap_publish('refused_target', 'SELECT ''/'' || n AS loc FROM generate_series(1, 501) n', 'http://www.example.com/');
SELECT pg_temp.publish('refused_target', 'SELECT ''/'' || n AS loc FROM generate_series(1, 400) n');
SELECT pg_temp.publish('refused_target', 'SELECT ''/'' || n AS loc FROM generate_series(1, 401) n', ', max_shrink => 0.199');
SELECT count(*) > 0 FROM sitemap_publish('refused_target', 'SELECT ''/'' || n AS loc FROM generate_series(1, 401) n', 'http://www.example.com/');
SELECT count(*) > 0 FROM sitemap_publish('refused_target', 'SELECT ''/'' || n AS loc FROM generate_series(1, 1000) n', 'http://www.example.com/');
SELECT pg_temp.publish('refused_target', 'SELECT ''/'' || n AS loc FROM generate_series(1, 799) n');
SELECT count(*) > 0 FROM sitemap_publish('refused_target', 'SELECT ''/'' || n AS loc FROM generate_series(1, 800) n', 'http://www.example.com/');
ROLLBACK;

-- A row that is not valid, in the last file.
SELECT pg_temp.publish('refused_target', 'SELECT CASE id WHEN 100 THEN ''ftp://a/'' ELSE loc || ''x'' END AS loc FROM refused_page ORDER BY id');
-- A query that is none, or writes.
SELECT pg_temp.publish('refused_target', 'DELETE FROM refused_page RETURNING loc');
SELECT pg_temp.publish('refused_target', 'SELECT loc FROM refused_page; SELECT 1');
-- Options.
SELECT pg_temp.error($$ SELECT sitemap_publish(NULL, 'SELECT 1', 'http://a/') $$);
SELECT pg_temp.error($$ SELECT sitemap_publish('refused_target', NULL, 'http://a/') $$);
SELECT pg_temp.publish('refused_target', 'SELECT loc FROM refused_page', ', compression => 10');

-- Targets that are none.
CREATE VIEW refused_view AS TABLE refused_target;
CREATE TABLE refused_columns AS SELECT base_url, section, name, kind, loc, lastmod, url_count, byte_count, digest, first_key, recipe FROM refused_target;
CREATE TABLE refused_types AS SELECT base_url, section, name, kind, loc, lastmod, url_count, byte_count, digest, first_key, recipe, ''::text AS content FROM refused_target;
SELECT pg_temp.publish(t, 'SELECT loc FROM refused_page')
  FROM (VALUES ('refused_view'), ('refused_columns'), ('refused_types'), ('refused_nowhere'), ('0')) v (t);
-- A collation by which the files of one site are those of another.
SELECT EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i') AS has_icu \gset
\set refused '0A000 without ICU'
\if :has_icu
CREATE COLLATION refused_collation (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE refused_collated (LIKE sitemap_file, PRIMARY KEY (base_url, name));
ALTER TABLE refused_collated ALTER base_url TYPE text COLLATE refused_collation;
SELECT pg_temp.publish('refused_collated', 'SELECT loc FROM refused_page') AS refused \gset
DROP TABLE refused_collated;
DROP COLLATION refused_collation;
\endif
SELECT split_part(:'refused', ' ', 1);

-- A name that another section's file has; one that an index has; and the index's, which a file has.
CREATE TABLE refused_names OF sitemap_file (PRIMARY KEY (base_url, name));
INSERT INTO refused_names (base_url, section, name, kind, loc, digest) VALUES
  ('http://www.example.com/', 'other', 'sitemap-51d8e999.xml.gz', 'urlset', 'http://www.example.com/sitemap-51d8e999.xml.gz', 'x'),
  ('http://www.example.com/', 'sitemap', 'new-1.xml', 'index', 'http://www.example.com/new-1.xml', 'x'),
  ('http://www.example.com/', 'other', 'sitemap.xml', 'urlset', 'http://www.example.com/sitemap.xml', 'x');
SELECT pg_temp.publish('refused_names', 'SELECT loc FROM refused_page LIMIT 1');
SELECT pg_temp.publish('refused_names', 'SELECT loc FROM refused_page LIMIT 1', ', section => ''new'', split => ''full'', compression => 0');
SELECT pg_temp.publish('refused_names', 'SELECT loc FROM refused_page LIMIT 1', ', section => ''new''');
SELECT pg_temp.error($$ SELECT sitemap_publish_index('refused_names', 'http://www.example.com/') $$);
-- The names of further indexes, which this section's files would have.
SELECT pg_temp.publish('refused_names', 'SELECT loc FROM refused_page LIMIT 1', ', section => ''sitemap-index''');
-- Names of files, which are not the names of sections.
SELECT pg_temp.publish('refused_names', 'SELECT loc FROM refused_page LIMIT 1', format(', section => %L', section))
  FROM (VALUES ('sitemap.xml'), ('pages.XML.gz'), ('pages.txt'), ('pages.txt.gz')) v (section);
SELECT section, name FROM refused_names ORDER BY name COLLATE "C";
-- With unique names, a table is for one site: another is refused before the query runs, whether or not the index is written.
ALTER TABLE refused_target ADD UNIQUE (name);
SELECT pg_temp.error($$ SELECT sitemap_publish('refused_target', 'SELECT 1 / 0 AS loc', 'http://www.example.org/') $$);
SELECT pg_temp.error($$ SELECT sitemap_publish('refused_target', 'SELECT loc FROM refused_page', 'http://www.example.com/shop/', section => 'shop') $$);
SELECT pg_temp.error($$ SELECT sitemap_publish('refused_target', 'SELECT loc FROM refused_page', 'https://www.example.com/', section => 'shop', index => 'never') $$);
SELECT pg_temp.error($$ SELECT sitemap_publish_index('refused_target', 'http://www.example.org/') $$);
ALTER TABLE refused_target DROP CONSTRAINT refused_target_name_key;
-- Unlike these indexes: one that is partial, not unique, or on another column.
CREATE UNIQUE INDEX refused_partial ON refused_target (name) WHERE base_url = 'http://www.example.com/';
CREATE INDEX refused_many ON refused_target (name);
CREATE UNIQUE INDEX refused_loc ON refused_target (loc);
BEGIN;
SELECT count(*) FROM sitemap_publish('refused_target', 'SELECT ''/1'' AS loc', 'http://www.example.org/');
ROLLBACK;
DROP INDEX refused_partial, refused_many, refused_loc;
-- Other arguments of sitemap_publish_index.
SELECT pg_temp.error($$ SELECT sitemap_publish_index('refused_target', 'http://www.example.com/', 'x') $$);
SELECT pg_temp.error($$ SELECT sitemap_publish_index('refused_target', 'http://www.example.com/', protocol => '1') $$);
SELECT pg_temp.error($$ SELECT sitemap_publish_index(NULL, 'http://www.example.com/') $$);
SELECT pg_temp.error($$ SELECT sitemap_publish_index('refused_target', NULL) $$);
SELECT pg_temp.error($$ SELECT sitemap_publish_index('refused_page', 'http://www.example.com/') $$);
-- A file twice, or without a name.
CREATE TABLE refused_twice OF sitemap_file;
INSERT INTO refused_twice TABLE refused_target;
INSERT INTO refused_twice SELECT * FROM refused_target LIMIT 1;
SELECT pg_temp.publish('refused_twice', 'SELECT loc FROM refused_page');
TRUNCATE refused_twice;
INSERT INTO refused_twice (base_url, section) VALUES ('http://www.example.com/', 'sitemap');
SELECT pg_temp.publish('refused_twice', 'SELECT loc FROM refused_page');
-- Names that go away: by a trigger, and by the query, which can write to a temporary table.
CREATE TABLE refused_nameless OF sitemap_file;
CREATE FUNCTION refused_name() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.name := NULL; RETURN NEW; END';
CREATE TRIGGER nameless BEFORE INSERT ON refused_nameless FOR EACH ROW EXECUTE FUNCTION refused_name();
SELECT pg_temp.brief($$ SELECT sitemap_publish('refused_nameless', 'SELECT loc FROM refused_page', 'http://a/', index => 'always') $$);
CREATE TEMP TABLE refused_temp OF sitemap_file;
INSERT INTO refused_temp (base_url, section, name, kind, loc) VALUES ('http://a/', 'other', 'other.xml', 'urlset', 'http://a/other.xml');
CREATE FUNCTION refused_forget(loc text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  UPDATE refused_temp SET name = NULL;
  RETURN loc;
END
$$;
SELECT pg_temp.brief($$ SELECT sitemap_publish('refused_temp', 'SELECT refused_forget(loc) AS loc FROM refused_page', 'http://a/') $$);
SELECT name FROM refused_temp;
-- A trigger that publishes in its own table.
CREATE FUNCTION refused_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM sitemap_publish('refused_target', 'SELECT ''/1''::text AS loc', 'http://www.example.com/', section => 'again');
  RETURN NULL;
END
$$;
CREATE TRIGGER again AFTER UPDATE ON refused_target FOR EACH ROW EXECUTE FUNCTION refused_again();
SELECT pg_temp.publish('refused_target', 'SELECT loc || ''x'' AS loc FROM refused_page ORDER BY id');
DROP TRIGGER again ON refused_target;
-- A trigger that has its own mind.
CREATE FUNCTION refused_nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER nothing BEFORE UPDATE ON refused_target FOR EACH ROW EXECUTE FUNCTION refused_nothing();
SELECT pg_temp.publish('refused_target', 'SELECT loc || ''x'' AS loc FROM refused_page ORDER BY id');
DROP TRIGGER nothing ON refused_target;

-- Transactions that must not write.
BEGIN READ ONLY;
SELECT pg_temp.publish('refused_target', 'SELECT loc FROM refused_page');
SELECT pg_temp.error($$ SELECT sitemap_publish_index('refused_target', 'http://www.example.com/') $$);
ROLLBACK;

-- Roles: the index alone takes the privileges of a run, which privileges.sql has.
CREATE ROLE regress_sitemap_publisher;
GRANT SELECT, INSERT, UPDATE ON refused_target TO regress_sitemap_publisher;
SET ROLE regress_sitemap_publisher;
SELECT pg_temp.error($$ SELECT sitemap_publish_index('refused_target', 'http://www.example.com/') $$);
RESET ROLE;
-- Policies may hide no rows of the feed.
GRANT DELETE ON refused_target TO regress_sitemap_publisher;
GRANT SELECT ON refused_page TO regress_sitemap_publisher;
CREATE TABLE refused_changes OF sitemap_change;
GRANT SELECT, INSERT ON refused_changes TO regress_sitemap_publisher;
ALTER TABLE refused_changes ENABLE ROW LEVEL SECURITY;
SET ROLE regress_sitemap_publisher;
SELECT pg_temp.error($$SELECT sitemap_publish('refused_target', 'SELECT loc FROM refused_page ORDER BY id', 'http://www.example.com/', feed => 'refused_changes')$$);
RESET ROLE;
DROP TABLE refused_changes;

-- All is as it was.
SELECT count(*), count(*) FILTER (WHERE t.ctid = b.place AND t.xmin = b.writer)
  FROM refused_target t FULL JOIN refused_before b USING (name);

DROP TABLE refused_target, refused_page, refused_before, refused_columns, refused_types, refused_twice, refused_names, refused_nameless, refused_temp CASCADE;
DROP FUNCTION refused_nothing, refused_again, refused_name, refused_forget;
DROP ROLE regress_sitemap_publisher;
