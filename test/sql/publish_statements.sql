--
-- The statements of a run on its tables: how much they read, and what their errors say.
--
CREATE TABLE statements_files OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE statements_feed OF sitemap_change;
CREATE FUNCTION pg_temp.publish(query text, section text DEFAULT 'sitemap') RETURNS bigint LANGUAGE sql AS $$
  SELECT count(*) FROM public.sitemap_publish('public.statements_files', query, 'https://www.example.com/', section => section,
                                              max_urls => 1, split => 'full', compression => 0, max_shrink => 1, feed => 'public.statements_feed')
$$;

-- Rows that are read grow with the number of files, also if the table was analyzed when it was empty.
VACUUM ANALYZE statements_files;
BEGIN;
SELECT pg_temp.publish('SELECT ''/'' || n AS loc FROM generate_series(1, 1000) n');
SELECT pg_stat_get_xact_tuples_returned('statements_files'::regclass) < 5000 AS is_linear;
COMMIT;
BEGIN;
SELECT pg_temp.publish('SELECT ''/x'' || n AS loc FROM generate_series(1, 1000) n');
SELECT pg_stat_get_xact_tuples_returned('statements_files'::regclass) < 10000 AS is_linear;
COMMIT;

-- A section without files does not look for its rows in the feed.
BEGIN;
SELECT pg_temp.publish('SELECT ''/'' || n AS loc FROM generate_series(1, 0) n', 'empty');
SELECT pg_stat_get_xact_tuples_returned('statements_feed'::regclass) AS returned;
SELECT count(*) FROM statements_feed;
COMMIT;

-- Old contents are read for many files at a time: the feed tells of each page once.
BEGIN;
SELECT pg_temp.publish('SELECT ''/'' || n AS loc FROM generate_series(1, 250) n', 'many');
SELECT pg_temp.publish('SELECT ''/'' || n || repeat(''x'', n % 2) AS loc FROM generate_series(1, 130) n', 'many');
SELECT action, count(*), min(loc), max(loc) FROM statements_feed WHERE section = 'many' GROUP BY 1 ORDER BY 1;
ROLLBACK;

-- A feed can be a view.
BEGIN;
CREATE VIEW statements_view AS TABLE statements_feed;
SELECT pg_temp.publish('SELECT ''/v'' AS loc', 'view');
SELECT name, action FROM sitemap_publish('statements_files', 'SELECT ''/w'' AS loc', 'https://www.example.com/', section => 'view', split => 'full', compression => 0,
                                         index => 'never', feed => 'statements_view');
SELECT loc, action FROM statements_feed WHERE section = 'view' ORDER BY 1;
ROLLBACK;

-- Errors in the feed say so.
CREATE FUNCTION statements_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON statements_feed FOR EACH ROW EXECUTE FUNCTION statements_refuse();
\set VERBOSITY default
SELECT pg_temp.publish('SELECT ''/y'' AS loc');
CREATE TABLE statements_site OF sitemap_job (section WITH OPTIONS DEFAULT 'sitemap', PRIMARY KEY (base_url, section));
INSERT INTO statements_site (target, base_url, query, feed, max_shrink) VALUES ('statements_files', 'https://www.example.com/', 'SELECT ''/y'' AS loc', 'statements_feed', 1);
\set SHOW_CONTEXT never
CALL sitemap_run('statements_site');
\set SHOW_CONTEXT errors
SELECT error FROM statements_site;
DROP TRIGGER refuse ON statements_feed;
-- A trigger that closes all cursors does not take away the rows that wait to be inserted.
BEGIN;
CREATE FUNCTION statements_close() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'CLOSE ALL'; RETURN NULL; END $$;
CREATE TRIGGER close AFTER INSERT ON statements_feed EXECUTE FUNCTION statements_close();
SELECT pg_temp.publish('SELECT ''/y'' AS loc');
SELECT action, count(*), min(loc), max(loc) FROM statements_feed GROUP BY 1 ORDER BY 1;
ROLLBACK;

-- A row that a trigger protects; one that it deletes.
CREATE FUNCTION statements_skip() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER skip BEFORE UPDATE OR DELETE ON statements_files FOR EACH ROW WHEN (OLD.name = 'sitemap-7.xml') EXECUTE FUNCTION statements_skip();
SELECT pg_temp.publish('SELECT ''/z'' || n AS loc FROM generate_series(1, 5) n');
SELECT pg_temp.publish('SELECT ''/z'' || n AS loc FROM generate_series(1, 10) n');
DROP TRIGGER skip ON statements_files;
CREATE FUNCTION statements_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM public.statements_files WHERE name = 'sitemap-8.xml'; RETURN NULL; END $$;
CREATE TRIGGER also AFTER UPDATE ON statements_files FOR EACH ROW WHEN (OLD.name = 'sitemap-1.xml') EXECUTE FUNCTION statements_delete();
SELECT pg_temp.publish('SELECT ''/z'' || n AS loc FROM generate_series(1, 7) n');
SELECT kind, count(*), sum(url_count) FROM statements_files GROUP BY 1 ORDER BY 1;

-- After each file, the target's schema gets another name, and its old name another table.
CREATE SCHEMA statements_1;
CREATE TABLE statements_1.files OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE FUNCTION statements_rename() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER SCHEMA %I RENAME TO statements_%s', TG_TABLE_SCHEMA, substr(TG_TABLE_SCHEMA, 12)::int + 1);
  EXECUTE format('CREATE SCHEMA %I CREATE TABLE files OF public.sitemap_file', TG_TABLE_SCHEMA);
  RETURN NULL;
END $$;
CREATE TRIGGER rename AFTER INSERT OR UPDATE OR DELETE ON statements_1.files EXECUTE FUNCTION statements_rename();
SELECT name, action FROM sitemap_publish('statements_1.files', 'SELECT ''/'' || n AS loc FROM generate_series(1, 3) n', 'http://a/', max_urls => 1, split => 'full');
SELECT name, action FROM sitemap_publish('statements_5.files', 'SELECT ''/x'' || n AS loc FROM generate_series(1, 2) n', 'http://a/', max_urls => 1, split => 'full', max_shrink => 1);
SELECT tableoid::regclass, name FROM statements_1.files UNION ALL SELECT tableoid::regclass, name FROM statements_2.files UNION ALL
SELECT tableoid::regclass, name FROM statements_5.files UNION ALL SELECT tableoid::regclass, name FROM statements_9.files ORDER BY 1, 2;

SET client_min_messages = warning;
DO $$ BEGIN FOR i IN 1 .. 9 LOOP EXECUTE format('DROP SCHEMA statements_%s CASCADE', i); END LOOP; END $$;
DROP TABLE statements_files, statements_feed, statements_site;
DROP FUNCTION statements_refuse, statements_skip, statements_delete, statements_rename;
