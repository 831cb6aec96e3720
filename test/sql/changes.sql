--
-- sitemap_publish with changes: which files are made again, and when all are.
-- test/t/publish_changes.pl shows that they end up as a full run leaves them.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TABLE changes_page AS SELECT n * 10 AS id, '/p/' || n AS loc FROM generate_series(1, 1000) n;
ALTER TABLE changes_page ADD PRIMARY KEY (id);
CREATE TABLE changes_queue (id int);
CREATE TABLE changes_target OF sitemap_file (PRIMARY KEY (base_url, name));
-- What a run did, without names and without the index, which has times; the options are in SQL.
CREATE FUNCTION pg_temp.run(options text DEFAULT '', query text DEFAULT 'SELECT loc, id AS key FROM changes_page ORDER BY id')
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  EXECUTE format('SELECT coalesce(string_agg(actions, '', '' ORDER BY action) FILTER (WHERE kind <> ''index''), ''nothing'')
                    FROM (SELECT kind, action, count(*) || '' '' || action AS actions
                            FROM sitemap_publish(''changes_target'', %L, ''http://a/'', max_urls => 60 %s) GROUP BY kind, action) s', query, options)
     INTO result;
  RETURN result;
END
$$;
\set queue ', changes => ''DELETE FROM changes_queue RETURNING id'''

-- The first run makes all files, and the statement runs as well.
INSERT INTO changes_queue VALUES (50);
SELECT pg_temp.run(:'queue');
SELECT count(*) FROM changes_queue;
SELECT count(DISTINCT recipe), count(first_key), min(first_key::int) FROM changes_target WHERE kind <> 'index';

-- Nothing changed, a page, and a page and one beside it in the queue.
SELECT pg_temp.run(:'queue');
UPDATE changes_page SET loc = '/changed' WHERE id = 5000;
INSERT INTO changes_queue VALUES (5000);
SELECT pg_temp.run(:'queue');
INSERT INTO changes_queue VALUES (5000), (5001), (5000);
SELECT pg_temp.run(:'queue');
SELECT pg_temp.run();
-- Keys before the first row and behind the last.
INSERT INTO changes_page VALUES (1, '/before'), (99999, '/behind');
INSERT INTO changes_queue VALUES (1), (99999);
SELECT pg_temp.run(:'queue');
SELECT pg_temp.run();
-- A file's rows, the first file's, and the last one's.
DELETE FROM changes_page WHERE id BETWEEN 4000 AND 4600 RETURNING id \g /dev/null
SELECT pg_temp.run(', changes => ''SELECT 4000, 4600''');
DELETE FROM changes_page WHERE id < 700;
SELECT pg_temp.run(', changes => ''SELECT NULL, 699''');
DELETE FROM changes_page WHERE id > 9000;
SELECT pg_temp.run(', changes => ''SELECT 9001, NULL''');
SELECT pg_temp.run();
-- Many new pages at the end.
INSERT INTO changes_page SELECT n * 10, '/p/' || n FROM generate_series(1001, 3000) n;
SELECT pg_temp.run(', changes => ''SELECT 10001, 30000''');
SELECT pg_temp.run();

-- The statement's columns, and what they say.
INSERT INTO changes_page VALUES (20001, '/new');
SELECT pg_temp.run(', changes => ''SELECT ''''20001''''::text''');
INSERT INTO changes_page VALUES (20002, '/new');
SELECT pg_temp.run(', changes => ''SELECT 20000::bigint, ''''20003''''::varchar''');
SELECT pg_temp.run(', changes => ''VALUES (NULL::int)''');
SELECT pg_temp.run(', changes => ''VALUES (NULL::int, NULL::int)''');
SELECT pg_temp.run(', changes => ''SELECT 1 WHERE false''');
SELECT pg_temp.run();
SELECT o, pg_temp.error(format('SELECT pg_temp.run(%L)', ', changes => ' || quote_literal(o)))
  FROM (VALUES (''), ('SELECT'), ('SELECT 1, 2, 3'), ('SELECT 1; SELECT 2'), ('DELETE FROM changes_queue'), ('CHECKPOINT'),
               ('SELECT 2, 1'), ('SELECT ''x'''), ('SELECT 1 / 0'), ('SELEKT'), ('SELECT $1')) v (o);
SELECT pg_temp.error(format('SELECT pg_temp.run(%L, %L)', ', changes => ''SELECT 1''', 'SELECT loc FROM changes_page ORDER BY id'));
SELECT pg_temp.error(format('SELECT pg_temp.run(%L)', ', split => ''full'', changes => ''SELECT 1'''));
-- The statement can say what changed by a column, and clear it.
ALTER TABLE changes_page ADD changed bool;
UPDATE changes_page SET changed = true, loc = loc || '/' WHERE id = 15000;
SELECT pg_temp.run(', changes => ''UPDATE changes_page SET changed = NULL WHERE changed RETURNING id''');
SELECT count(changed), bool_or(loc = '/p/1500/') FROM changes_page;
SELECT pg_temp.run();

-- What makes all files by itself.
\set spaces 'SELECT loc, id AS key FROM changes_page ORDER BY  id'
SELECT pg_temp.run(:'queue', :'spaces'), pg_temp.run(:'queue', :'spaces'), pg_temp.run(:'queue');
CREATE FUNCTION pg_temp.run_after(change text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('UPDATE changes_target SET %s WHERE first_key = (SELECT max(first_key) FROM changes_target)', change);
  RETURN pg_temp.run(', changes => ''DELETE FROM changes_queue RETURNING id''');
END
$$;
SELECT change, pg_temp.run_after(change) FROM unnest('{first_key = NULL,first_key = ''x'',recipe = NULL,content = NULL}'::text[]) change;
SELECT pg_temp.run(', max_bytes => 52428799' || :'queue'), pg_temp.run(:'queue');
-- More than half of them.
SELECT pg_temp.run(', changes => ''SELECT min(id), max(id) * 45 / 100 FROM changes_page''');
SELECT pg_temp.run(', changes => ''SELECT min(id), max(id) * 55 / 100 FROM changes_page''');
-- A run that finds nothing new writes nothing, but what a file was made with.
CREATE TABLE changes_before AS SELECT name, ctid AS place FROM changes_target;
SELECT pg_temp.run(', changes => ''SELECT 5000''');
SELECT pg_temp.run();
SELECT count(*) FROM changes_before b JOIN changes_target t USING (name) WHERE b.place <> t.ctid;

-- A first key alone is corrected.
UPDATE changes_target SET first_key = '0' WHERE first_key = (SELECT min(first_key::int)::text FROM changes_target);
SELECT pg_temp.run();
SELECT count(*) FROM changes_target WHERE first_key = '0';

-- The queue is emptied if and only if the run is.
INSERT INTO changes_queue VALUES (15000);
SELECT pg_temp.error($$ SELECT pg_temp.run(', changes => ''DELETE FROM changes_queue RETURNING id''',
                                           'SELECT loc || 1 / (15000 - id) AS loc, id AS key FROM changes_page ORDER BY id') $$);
BEGIN;
SELECT pg_temp.run(:'queue');
SELECT count(*) FROM changes_queue;
ROLLBACK;
DELETE FROM changes_page WHERE id > 12000;
SELECT pg_temp.error($$ SELECT pg_temp.run(', changes => ''DELETE FROM changes_queue RETURNING id, NULL''') $$);
SELECT pg_temp.error($$ SELECT pg_temp.run(', max_shrink => 0.1, changes => ''WITH gone AS (DELETE FROM changes_queue) SELECT 12000, NULL''') $$);
SELECT count(*) FROM changes_queue;
SELECT pg_temp.run(', max_shrink => 1, changes => ''WITH gone AS (DELETE FROM changes_queue) SELECT 12000, NULL''');
SELECT count(*) FROM changes_queue;
SELECT pg_temp.run();

-- Two files whose names differ only by a number: without the first, the second gets another
-- name, and all files are made.
TRUNCATE changes_target;
CREATE TEMP TABLE changes_same AS SELECT n AS id, '/same/' || n AS loc FROM generate_series(1, 600) n;
\set same 'SELECT loc, id AS key FROM changes_same ORDER BY id'
SELECT pg_temp.run('', :'same');
SELECT first_key AS first FROM changes_target ORDER BY first_key::int OFFSET 3 LIMIT 1 \gset
SELECT first_key AS second FROM changes_target ORDER BY first_key::int OFFSET 6 LIMIT 1 \gset
UPDATE changes_same SET loc = '/same/' || :first WHERE id = :second;
SELECT pg_temp.run(format(', changes => ''SELECT %s''', :second), :'same');
SELECT count(*) FROM changes_target WHERE name LIKE '%-2.xml.gz';
DELETE FROM changes_same WHERE id = :first;
SELECT pg_temp.run(format(', changes => ''SELECT %s''', :first), :'same');
SELECT pg_temp.run('', :'same');

-- Several sections, a text format, problems that are skipped; all of it in the caller's name.
TRUNCATE changes_target;
SELECT pg_temp.run(', section => ''a'', format => ''txt''');
SELECT pg_temp.run(', section => ''b'', on_invalid => ''skip''');
UPDATE changes_page SET loc = 'ftp:' WHERE id = 5000;
SELECT pg_temp.run(', section => ''b'', on_invalid => ''skip'', changes => ''SELECT 5000''');
SELECT pg_temp.error($$ SELECT pg_temp.run(', section => ''a'', format => ''txt'', changes => ''SELECT 5000''') $$);
SELECT section, sum(url_count) FROM changes_target WHERE kind <> 'index' GROUP BY section ORDER BY section;
CREATE ROLE regress_changes;
GRANT ALL ON changes_target TO regress_changes;
GRANT SELECT ON changes_page TO regress_changes;
SET ROLE regress_changes;
SELECT pg_temp.brief($$ SELECT pg_temp.run(', section => ''b'', on_invalid => ''skip'', changes => ''DELETE FROM changes_queue RETURNING id''') $$);
SELECT pg_temp.run(', section => ''b'', on_invalid => ''skip'', changes => ''SELECT 400''');
RESET ROLE;
-- A query whose own bounds are wrong would put rows into two files.
CREATE TABLE changes_bounds AS SELECT n AS key, '/' || n AS loc FROM generate_series(1, 1000) n;
TRUNCATE changes_target;
SELECT count(*) FROM sitemap_publish('changes_target', 'TABLE changes_bounds ORDER BY key', 'https://e.com/', max_urls => 20);
\set bounded 'SELECT * FROM changes_bounds WHERE ($1 IS NULL OR key >= $1) AND ($2 IS NULL OR key <= $2) ORDER BY key'
SELECT count(*) FROM sitemap_publish('changes_target', :'bounded', 'https://e.com/', max_urls => 20);
DELETE FROM changes_bounds WHERE key BETWEEN 30 AND 32;
SELECT pg_temp.error($$ SELECT count(*) FROM sitemap_publish('changes_target', '$$ || :'bounded' || $$', 'https://e.com/', max_urls => 20, changes => 'SELECT 30, 32') $$);
\set bounded 'SELECT * FROM changes_bounds WHERE $1 IS NULL OR key >= $1 - 1 ORDER BY key'
SELECT count(*) FROM sitemap_publish('changes_target', :'bounded', 'https://e.com/', max_urls => 20);
SELECT pg_temp.error($$ SELECT count(*) FROM sitemap_publish('changes_target', '$$ || :'bounded' || $$', 'https://e.com/', max_urls => 20, changes => 'SELECT 50') $$);
DROP TABLE changes_bounds;

-- The query has the columns that it had, whatever the statement changes.
CREATE SCHEMA changes_a;
CREATE SCHEMA changes_b;
CREATE TABLE changes_a.page AS SELECT '/' || n AS path, n AS id FROM generate_series(1, 100) n;
CREATE TABLE changes_a.site AS SELECT path AS loc, id AS key FROM changes_a.page;
CREATE TABLE changes_a.wide AS SELECT *, date '2026-01-01' AS lastmod FROM changes_a.site;
CREATE TABLE changes_a.text_key AS SELECT path AS loc, path COLLATE "C" AS key FROM changes_a.page;
CREATE TABLE changes_b.page AS SELECT n AS path, n AS id FROM generate_series(1, 100) n;
CREATE FUNCTION changes_a.alter(command text) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'ALTER TABLE changes_a.' || command;
  RETURN 50;
END $$;
TRUNCATE changes_target;
SET search_path = changes_a, public;
CREATE FUNCTION pg_temp.publish(query text, changes text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.error(format('SELECT FROM public.sitemap_publish(''public.changes_target'', %L, ''https://e.com/'', max_urls => 10, changes => %L)', query, changes))
$$;
SELECT pg_temp.publish(query, NULL) LIKE 'no error%' AS published, pg_temp.publish(query, 'SELECT ' || changes)
  FROM (VALUES ('SELECT path AS loc, id AS key FROM page ORDER BY id', '50 FROM (SELECT set_config(''search_path'', ''changes_b,public'', true)) x'),
               ('SELECT path AS loc, id AS key FROM page WHERE ($1 IS NULL OR id >= $1) AND ($2 IS NULL OR id < $2) ORDER BY id',
                '50 FROM (SELECT set_config(''search_path'', ''changes_b,public'', true)) x'),
               ('SELECT path AS loc, id AS key FROM page ORDER BY id', 'changes_a.alter(''page ALTER path TYPE int USING id'')'),
               ('TABLE site ORDER BY key', 'changes_a.alter(''site ADD lastmod date'')'),
               ('TABLE site ORDER BY key', 'changes_a.alter(''site RENAME loc TO changefreq'')'),
               ('TABLE wide ORDER BY key', 'changes_a.alter(''wide DROP lastmod'')'),
               ('TABLE text_key ORDER BY key', '''/50'' FROM changes_a.alter(''text_key ALTER key TYPE text COLLATE "POSIX"'')')) v (query, changes);
RESET search_path;
DROP SCHEMA changes_a, changes_b CASCADE;

-- A run that reads all rows says why.
SET client_min_messages = notice;
TRUNCATE changes_target;
UPDATE changes_page SET loc = '/5000' WHERE id = 5000;
SELECT pg_temp.run(', changes => ''SELECT 5000''');
SELECT pg_temp.run(', changes => ''SELECT 5000''');
SELECT pg_temp.run(', max_bytes => 52428799, changes => ''SELECT 5000''');
SELECT pg_temp.run(', max_bytes => 52428799, changes => ''SELECT min(id), max(id) * 55 / 100 FROM changes_page''');
SELECT pg_temp.run(', max_bytes => 52428799, changes => ''VALUES (5000), (NULL)''');
UPDATE changes_target SET first_key = 'x' WHERE first_key = (SELECT max(first_key) FROM changes_target);
SELECT pg_temp.run(', max_bytes => 52428799, changes => ''SELECT 5000''');
TRUNCATE changes_target;
\set window 'SELECT loc, id AS key, 0.5 * least(count(*) OVER (), 1) AS priority FROM changes_page ORDER BY id'
SELECT pg_temp.run('', :'window');
SELECT pg_temp.run(', changes => ''VALUES (1000), (6000)''', :'window');
SELECT pg_temp.run(', changes => ''VALUES (1000), (6000), (11000)''', :'window');
-- One range is read, though it costs as much as all rows.
SELECT pg_temp.run(', changes => ''VALUES (1000)''', :'window');
CREATE FUNCTION pg_temp.slow(loc text) RETURNS text LANGUAGE plpgsql COST 1000 AS 'BEGIN RETURN loc; END';
\set slow 'SELECT pg_temp.slow(loc) AS loc, id AS key, 0.5 * least(count(*) OVER (), 1) AS priority FROM changes_page ORDER BY id'
SELECT pg_temp.run('', :'slow');
SELECT pg_temp.run(', changes => ''VALUES (1000)''', :'slow');
-- Nothing is said of a section of one file.
SELECT pg_temp.run(', section => ''one''', 'SELECT loc, id AS key FROM changes_page WHERE id BETWEEN 5000 AND 5300 ORDER BY id');
SELECT pg_temp.run(', section => ''one'', changes => ''VALUES (5100)''', 'SELECT loc, id AS key FROM changes_page WHERE id BETWEEN 5000 AND 5300 ORDER BY id');

-- A full run counts the files that changed although no key announced them.
CREATE TABLE changes_page_before AS TABLE changes_page;
CREATE TABLE changes_target_before AS TABLE changes_target;
TRUNCATE changes_target, changes_queue;
CREATE TABLE changes_job OF sitemap_job (PRIMARY KEY (base_url, section));
-- The pages "edited" change before.
CREATE PROCEDURE changes_full(changes text, options jsonb DEFAULT '{}', edited int[] DEFAULT '{}', INOUT missed bigint DEFAULT NULL, INOUT written int DEFAULT NULL)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE changes_page SET loc = loc || 'x' WHERE id = ANY (edited);
  DELETE FROM changes_job;
  INSERT INTO changes_job
  SELECT * FROM jsonb_populate_record(NULL::sitemap_job, jsonb_build_object(
    'target', 'changes_target', 'query', 'SELECT loc, id AS key FROM public.changes_page ORDER BY id', 'base_url', 'http://a/', 'section', 'sitemap',
    'max_urls', 60, 'index', 'never', 'full_at', '2026-01-01', 'changes', changes) || options);
  CALL sitemap_run('changes_job');
  SELECT j.missed, j.written INTO missed, written FROM changes_job j;
END
$$;
\set emptied '''DELETE FROM changes_queue RETURNING id'''
CALL changes_full(:emptied);
CALL changes_full(:emptied);
INSERT INTO changes_queue VALUES (5000);
CALL changes_full(:emptied, edited => '{5000}');
-- One file, then two places beside an announced one, then all files.
CALL changes_full(:emptied, edited => '{5000}');
INSERT INTO changes_queue VALUES (9000);
CALL changes_full(:emptied, edited => '{1000,5000,9000}');
UPDATE changes_page SET loc = loc || 'x';
CALL changes_full('SELECT 1 WHERE false');
-- NULL announces everything; so does a range.
CALL changes_full('SELECT NULL::int', edited => '{5000}');
CALL changes_full('SELECT 4000, 6000', edited => '{5000}');
-- A row behind the last one of a file moves the beginning of the next.
INSERT INTO changes_page SELECT first_key::int - 1, '/behind' FROM changes_target ORDER BY first_key::int OFFSET 4 LIMIT 1 RETURNING 0;
INSERT INTO changes_queue SELECT first_key::int - 1 FROM changes_target ORDER BY first_key::int OFFSET 4 LIMIT 1;
CALL changes_full(:emptied);
-- So does a row that itself begins the next file, while the file before it stays as it is.
SELECT first_key::int - 1 AS key FROM changes_target ORDER BY first_key::int OFFSET 9 LIMIT 1 \gset
INSERT INTO changes_page VALUES (:key, '/first9');
INSERT INTO changes_queue VALUES (:key);
CALL changes_full(:emptied);
SELECT count(*) FROM changes_target WHERE first_key = :'key';
DELETE FROM changes_page WHERE id = :key;
CALL changes_full('SELECT 1 WHERE false') \g /dev/null
-- Not counted: after a volatile statement, with LIMIT, with another recipe, and where somebody expects it.
CALL changes_full('SELECT 1 WHERE random() < 0', edited => '{5000}');
PREPARE changes_none AS SELECT 1 WHERE false;
CALL changes_full('EXECUTE changes_none', edited => '{5000}');
DEALLOCATE changes_none;
CALL changes_full('SELECT 1 WHERE false', '{"full_at": null}', edited => '{5000}');
CALL changes_full('SELECT 1 WHERE false', '{"max_bytes": 52428799}', edited => '{5000}');
CALL changes_full('SELECT 1 WHERE false', '{"section": "limit", "query": "SELECT loc, id AS key FROM public.changes_page ORDER BY id LIMIT 2000"}');
CALL changes_full('SELECT 1 WHERE false', '{"section": "limit", "query": "SELECT loc, id AS key FROM public.changes_page ORDER BY id LIMIT 2000"}', edited => '{5000}');
CALL changes_full('SELECT 1 WHERE false') \g /dev/null
-- A run that max_shrink refuses says nothing else.
CREATE TABLE changes_gone AS SELECT * FROM changes_page WHERE id > 9000;
DELETE FROM changes_page WHERE id > 9000;
CALL changes_full('SELECT 1 WHERE false');
INSERT INTO changes_page TABLE changes_gone;
-- A run that reads all rows by itself counts, too.
UPDATE changes_page SET loc = loc || 'x' WHERE id = 12000;
SELECT pg_temp.run(', index => ''never'', changes => ''SELECT min(id), max(id) * 6 / 10 FROM changes_page''', 'SELECT loc, id AS key FROM public.changes_page ORDER BY id');
-- In a job, $1 is the time at which the last run that published began.  The second execution has the same.
TRUNCATE changes_target, changes_queue;
CREATE SEQUENCE changes_execution;
CREATE TABLE changes_since (since text);
CREATE FUNCTION changes_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE 'execution % of changes: %', nextval('changes_execution'), NEW.since;
  RETURN NEW;
END
$$;
CREATE TRIGGER log BEFORE INSERT ON changes_since FOR EACH ROW EXECUTE FUNCTION changes_log();
\set logged '''WITH since AS (INSERT INTO changes_since SELECT $1 AT TIME ZONE ''''UTC'''') SELECT 1 WHERE false'''
CALL changes_full(:logged);
CALL changes_full(:logged, '{"since": "2026-01-02T03:04:05.678901+00"}', edited => '{5000}');
DROP TABLE changes_since;
DROP FUNCTION changes_log;
DROP SEQUENCE changes_execution;
-- An error of the second execution prevents the count, not the run.
TRUNCATE changes_target, changes_queue;
CREATE TABLE changes_done (id int PRIMARY KEY);
\set done '''INSERT INTO changes_done SELECT id FROM changes_queue RETURNING id'''
\set invalid '''{"on_invalid": "skip", "query": "SELECT loc, id AS key FROM public.changes_page UNION ALL SELECT chr(58), 200000 ORDER BY key"}'''
CALL changes_full(:done, :invalid);
INSERT INTO changes_queue VALUES (50);
\set SHOW_CONTEXT always
CALL changes_full(:done, :invalid, edited => '{5000}');	-- the warning's context is not "changes"
\set SHOW_CONTEXT errors
SELECT count(*) FROM changes_done;
TRUNCATE changes_page, changes_target, changes_queue;
INSERT INTO changes_page TABLE changes_page_before;
INSERT INTO changes_target TABLE changes_target_before;
DROP PROCEDURE changes_full;
DROP TABLE changes_job, changes_done, changes_gone, changes_page_before, changes_target_before;

-- $1 is the time since which changes count: the argument "since", -infinity by default.
BEGIN;
TRUNCATE changes_target;
CREATE TABLE changes_since (n int GENERATED ALWAYS AS IDENTITY, since text);
\set since ', changes => ''WITH since AS (INSERT INTO changes_since (since) VALUES ($1 AT TIME ZONE ''''UTC'''') RETURNING n) SELECT n FROM since WHERE n > 1'''
SELECT pg_temp.run(:'since');
SELECT pg_temp.run(', since => ''2026-01-02 03:04:05.678901+00''' || :'since');
SELECT pg_temp.run(', since => NULL' || :'since');
TABLE changes_since;
-- A page that becomes due.
ALTER TABLE changes_page ADD due timestamptz DEFAULT '2026-01-01 00:00+00';
\set due_page 'SELECT loc, id AS key FROM changes_page WHERE due <= now() ORDER BY id'
SELECT pg_temp.run('', :'due_page');
INSERT INTO changes_page VALUES (5005, '/due', NULL, '2026-03-01 00:00+00');
SELECT pg_temp.run(', since => ''2026-03-01 00:00+00'', changes => ''SELECT id FROM changes_page WHERE due > $1 AND due <= now()''', :'due_page');
SELECT pg_temp.run(', since => ''2026-02-28 23:59:59.999999+00'', changes => ''SELECT id FROM changes_page WHERE due > $1 AND due <= now()''', :'due_page');
-- $2 is none, and $1 is no key.
SELECT pg_temp.error(format('SELECT pg_temp.run(%L)', ', changes => ''SELECT id FROM changes_queue WHERE $1 < $2'''));
SELECT split_part(pg_temp.error(format('SELECT pg_temp.run(%L)', ', changes => ''SELECT id FROM changes_queue WHERE id > $1''')), E'\n', 1);
ROLLBACK;

-- A LIMIT or OFFSET moves rows that nobody announces: all rows are read, and the pages are
-- those of a full run.  It can be in the only view or subquery, or in a part of a UNION.
CREATE FUNCTION pg_temp.limited(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  PERFORM pg_temp.run(', section => ''limited'', index => ''never''', query);
  INSERT INTO changes_page VALUES (5555, '/new');
  result := pg_temp.run(', section => ''limited'', index => ''never'', changes => ''SELECT 5555''', query);
  RAISE '%, then %', result, pg_temp.run(', section => ''limited'', index => ''never''', query);
EXCEPTION WHEN raise_exception THEN
  RETURN SQLERRM;
END
$$;
CREATE VIEW changes_limited AS SELECT loc, id AS key FROM changes_page ORDER BY id OFFSET 30;
SELECT pg_temp.limited('SELECT loc, id AS key FROM changes_page ORDER BY id LIMIT 600');
SELECT pg_temp.limited('SELECT loc, id AS key FROM changes_page ORDER BY id FETCH FIRST 600 ROWS ONLY');
SELECT pg_temp.limited('SELECT loc, key FROM changes_limited WHERE key > 0');
SELECT pg_temp.limited('WITH p AS (SELECT loc, id AS key FROM changes_page ORDER BY id LIMIT (SELECT 600)) SELECT DISTINCT loc, key FROM p ORDER BY key');
SELECT pg_temp.limited('(SELECT loc, id AS key FROM changes_page ORDER BY id LIMIT 600) UNION ALL SELECT ''/last'', 1000000 ORDER BY key');
SELECT pg_temp.limited('WITH a AS (SELECT 1000000 AS id), b AS (SELECT loc, id FROM changes_page ORDER BY id LIMIT 600) SELECT ''/last'' AS loc, id AS key FROM a UNION ALL SELECT loc, id FROM b ORDER BY key');
-- A single file as well.
SELECT pg_temp.limited('SELECT loc, id AS key FROM changes_page ORDER BY id LIMIT 50');
-- Not without an effect, nor where each page has its own.
SELECT pg_temp.limited('SELECT loc, id AS key FROM changes_page ORDER BY id LIMIT ALL OFFSET 0');
SELECT pg_temp.limited('SELECT p.loc, p.id AS key FROM changes_page p, LATERAL (SELECT FROM changes_page q WHERE q.id = p.id LIMIT 1) q WHERE (SELECT p.id OFFSET 0 LIMIT 1) > 0 ORDER BY p.id');
-- Each CTE is looked at once, not once for each of the 2 ^ 40 ways to it.
SELECT format('WITH c0 AS (SELECT loc, id FROM public.changes_page), %s SELECT loc, id AS key FROM c40 ORDER BY id',
              string_agg(format('c%s AS (SELECT * FROM c%s WHERE false UNION ALL SELECT * FROM c%2$s WHERE false)', n, n - 1), ', ' ORDER BY n)) AS query
  FROM generate_series(1, 40) n \gset
SET statement_timeout = '1min';
SELECT count(*) FROM sitemap_publish('changes_target', :'query', 'http://c/', section => 'ctes', changes => 'SELECT 1 WHERE false');
RESET statement_timeout;
DROP VIEW changes_limited;
SET client_min_messages = warning;

-- A rule can add another statement.
CREATE TABLE changes_ruled AS SELECT 5000 AS key;
CREATE RULE changes_rule AS ON DELETE TO changes_ruled DO ALSO NOTIFY changes;
SELECT pg_temp.run(', changes => ''DELETE FROM changes_ruled RETURNING key''');
DROP TABLE changes_ruled;

-- Not in a transaction that is read-only.
BEGIN READ ONLY;
SELECT pg_temp.brief($$ SELECT pg_temp.run(', changes => ''SELECT 1''') $$);
ROLLBACK;

-- The section's first file is missing in the target: a run with changes reads all rows and writes the file again.
CREATE TABLE changes_first OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE changes_rows AS SELECT n AS id, '/' || n AS loc FROM generate_series(1, 100) n;
SELECT count(*) FROM sitemap_publish('changes_first', 'SELECT loc, id AS key FROM changes_rows ORDER BY id', 'http://a/', max_urls => 10);
DELETE FROM changes_first WHERE first_key = '1';
SELECT count(*) FROM sitemap_publish('changes_first', 'SELECT loc, id AS key FROM changes_rows ORDER BY id', 'http://a/', max_urls => 10, changes => 'SELECT 55');
SELECT sum(url_count) FROM changes_first WHERE kind = 'urlset';
DROP TABLE changes_first, changes_rows;

DROP TABLE changes_page, changes_queue, changes_target, changes_before;
DROP ROLE regress_changes;
