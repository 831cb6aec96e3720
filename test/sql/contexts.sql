--
-- Where the functions can be called: blocks, cursors, prepared statements, and
-- all that keeps an expression.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TABLE context_page AS SELECT n AS id, '/' || n AS loc FROM generate_series(1, 5) n;
CREATE TABLE context_target (LIKE sitemap_file, PRIMARY KEY (base_url, name));
SELECT count(*) FROM sitemap_publish('context_target', 'SELECT loc FROM context_page', 'http://a/');

-- 10,000 calls that fail, each in a subtransaction of one transaction: memory stays as it is.
CREATE FUNCTION context_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a trigger of the target';
END
$$;
CREATE TRIGGER refuse AFTER INSERT OR UPDATE ON context_target FOR EACH ROW EXECUTE FUNCTION context_refuse();
CREATE FUNCTION pg_temp.fail(times int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  failed int := 0;
  calls text[] := ARRAY[
    $c$SELECT count(*) FROM sitemap_files('SELECT ''/'' || 1 / (3 - id) AS loc FROM context_page', 'http://a/', max_urls => 1, compression => 1)$c$,
    $c$SELECT count(*) FROM sitemap_files('SELECT loc FROM context_page UNION ALL SELECT ''ftp:''', 'http://a/')$c$,
    $c$SELECT count(*) FROM sitemap_audit('SELECT ''/'' || 1 / (3 - id) AS loc FROM context_page', 'http://a.example/')$c$,
    $c$SELECT count(*) FROM sitemap_publish('context_target', 'SELECT ''/'' || 1 / (3 - id) AS loc FROM context_page', 'http://a/', max_urls => 1)$c$,
    $c$SELECT count(*) FROM sitemap_publish('context_target', 'SELECT ''/x'' || id AS loc FROM context_page', 'http://a/')$c$,
    $c$SELECT sitemap_agg('http://a/' || 1 / (3 - id)) FROM context_page$c$,
    $c$SELECT count(*) FROM sitemap_parse(E'http://a/\nhttp://b/', 12)$c$,
    $c$SELECT sitemap_url('ftp://a/')$c$];
BEGIN
  FOR i IN 1 .. times LOOP
    BEGIN
      EXECUTE calls[i % cardinality(calls) + 1];
    EXCEPTION WHEN OTHERS THEN
      failed := failed + 1;
    END;
  END LOOP;
  IF failed <> times THEN
    RAISE '% of % failed', failed, times;
  END IF;
  RETURN (SELECT sum(total_bytes) FROM pg_backend_memory_contexts);
END
$$;
BEGIN;
SELECT pg_temp.fail(400) AS before \gset
SELECT pg_temp.fail(10000) - :before < 262144 AS is_flat;
COMMIT;
DROP TRIGGER refuse ON context_target;
-- The same session, and the same transaction, can publish then.
DO $$
BEGIN
  BEGIN
    PERFORM sitemap_publish('context_target', 'SELECT ''/'' || 1 / (3 - id) AS loc FROM context_page', 'http://a/');
  EXCEPTION WHEN division_by_zero THEN
    PERFORM sitemap_publish('context_target', 'SELECT ''/y'' || id AS loc FROM context_page', 'http://a/');
  END;
END
$$;
SELECT name, url_count, byte_count FROM context_target ORDER BY name;
-- What a subtransaction has published goes with it.
BEGIN;
SAVEPOINT s;
SELECT name, action FROM sitemap_publish('context_target', 'SELECT ''/z'' || id AS loc FROM context_page', 'http://a/', max_urls => 2) ORDER BY name COLLATE "C";
ROLLBACK TO s;
SELECT name, url_count FROM context_target ORDER BY name;
SELECT action FROM sitemap_publish('context_target', 'SELECT ''/y'' || id AS loc FROM context_page', 'http://a/');
COMMIT;

-- A cursor: forward and back, closed before its end, after ROLLBACK TO, and after the transaction.
BEGIN;
DECLARE c SCROLL CURSOR FOR
 SELECT name, url_count FROM sitemap_files('SELECT loc FROM context_page ORDER BY id', 'http://a/', max_urls => 2);
FETCH 2 FROM c;
DELETE FROM context_page WHERE id > 2;
FETCH 1 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH ABSOLUTE -1 FROM c;
FETCH FIRST FROM c;
CLOSE c;
SAVEPOINT s;
DECLARE c CURSOR FOR SELECT name FROM sitemap_files('SELECT loc FROM context_page ORDER BY id', 'http://a/', max_urls => 1);
FETCH 2 FROM c;
ROLLBACK TO s;
FETCH 1 FROM c;
ROLLBACK;
BEGIN;
DECLARE kept CURSOR WITH HOLD FOR
 SELECT name, url_count FROM sitemap_files('SELECT loc FROM context_page ORDER BY id', 'http://a/', max_urls => 2);
FETCH 1 FROM kept;
DECLARE audit CURSOR WITH HOLD FOR SELECT problem FROM sitemap_audit('SELECT ''/'' AS loc FROM context_page', 'http://a.example/');
DECLARE parse CURSOR WITH HOLD FOR SELECT loc FROM sitemap_parse(E'http://a/1\nhttp://a/2\nhttp://a/3');
FETCH 1 FROM parse;
COMMIT;
FETCH ALL FROM kept;
FETCH ALL FROM audit;
FETCH ALL FROM parse;
CLOSE ALL;
-- One of sitemap_publish publishes the whole set when its first row is asked for, and not before.
BEGIN;
DECLARE c CURSOR FOR
 SELECT name, action FROM sitemap_publish('context_target', 'SELECT ''/c'' || id AS loc FROM context_page ORDER BY id', 'http://a/', max_urls => 2, split => 'full');
SELECT count(*) FROM context_target;
FETCH 1 FROM c;
CLOSE c;
SELECT name, url_count FROM context_target ORDER BY name;
ROLLBACK;

-- LIMIT, in FROM and in the list of columns, does not cut off the work.
BEGIN;
SELECT name FROM sitemap_publish('context_target', 'SELECT ''/c'' || id AS loc FROM context_page ORDER BY id', 'http://a/', max_urls => 2, split => 'full') LIMIT 1;
SELECT sum(url_count) FROM context_target WHERE kind <> 'index';
SELECT (sitemap_publish('context_target', 'SELECT ''/d'' || id AS loc FROM context_page ORDER BY id', 'http://a/', max_urls => 1, split => 'full')).name LIMIT 1;
SELECT sum(url_count) FROM context_target WHERE kind <> 'index';
SELECT loc FROM sitemap_parse(E'http://a/1\nhttp://a/2') LIMIT 1;
ROLLBACK;

-- A prepared statement with a generic plan: the query inside is planned each time.
SET plan_cache_mode = force_generic_plan;
PREPARE files (text, int) AS SELECT name, url_count FROM sitemap_files($1, 'http://a/', max_urls => $2);
PREPARE publish (text) AS SELECT action FROM sitemap_publish('context_target', $1, 'http://a/') WHERE kind <> 'index';
PREPARE url (text) AS SELECT sitemap_url(loc) FROM (VALUES ($1)) v (loc);
EXECUTE files('SELECT loc FROM context_page ORDER BY id', 3);
EXECUTE publish('SELECT loc FROM context_page ORDER BY id');
ALTER TABLE context_page ALTER loc TYPE varchar(10);
EXECUTE files('SELECT loc FROM context_page ORDER BY id', 5);
EXECUTE publish('SELECT loc FROM context_page ORDER BY id');
ALTER TABLE context_page RENAME loc TO path;
SELECT pg_temp.brief($$EXECUTE files('SELECT loc FROM context_page ORDER BY id', 3)$$);
SELECT pg_temp.brief($$EXECUTE publish('SELECT loc FROM context_page ORDER BY id')$$);
ALTER TABLE context_page RENAME path TO loc;
ALTER TABLE context_page ALTER loc TYPE int USING id;
SELECT pg_temp.brief($$EXECUTE files('SELECT loc FROM context_page ORDER BY id', 3)$$);
ALTER TABLE context_page ALTER loc TYPE text USING '/' || id;
EXECUTE publish('SELECT loc FROM context_page ORDER BY id');
EXECUTE url('http://a/');
ALTER TABLE context_target ADD note text DEFAULT 'ours', ALTER name TYPE varchar;
SELECT pg_temp.brief($$EXECUTE publish('SELECT loc FROM context_page ORDER BY id')$$);
ALTER TABLE context_target ALTER name TYPE text;
EXECUTE publish('SELECT loc || ''x'' AS loc FROM context_page ORDER BY id');
DEALLOCATE ALL;
RESET plan_cache_mode;

-- A table whose column, constraint, domain, index and trigger are made with them; what is no URL stays out.
CREATE DOMAIN context_url AS text CHECK (sitemap_url(VALUE) IS NOT NULL);
CREATE TABLE context_kept (
  id int PRIMARY KEY,
  loc context_url,
  image text CHECK (sitemap_image(image) IS NOT NULL OR image IS NULL),
  changed timestamptz,
  url xml GENERATED ALWAYS AS (sitemap_url(loc, changed)) STORED,
  document text
);
CREATE INDEX context_index ON context_kept ((sitemap_url(loc, changed)::text));
CREATE FUNCTION context_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.document := (SELECT sitemap_agg(NEW.loc, NEW.changed));
  RETURN NEW;
END
$$;
CREATE TRIGGER document BEFORE INSERT OR UPDATE ON context_kept FOR EACH ROW EXECUTE FUNCTION context_document();
INSERT INTO context_kept (id, loc, changed) VALUES (1, 'http://a/ü', '2026-01-02 03:04+00'), (2, 'http://a/2', NULL);
SELECT id, url, document = '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' || url || '</urlset>' FROM context_kept ORDER BY id;
SELECT statement, pg_temp.brief(statement)
  FROM unnest(ARRAY['INSERT INTO context_kept (id, loc) VALUES (3, ''ftp://a/'')',
                    'INSERT INTO context_kept (id, loc, image) VALUES (3, ''http://a/'', ''/'')',
                    'INSERT INTO context_kept (id, loc, changed) VALUES (3, ''http://a/'', ''infinity'')',
                    'UPDATE context_kept SET loc = ''http://a b/'' WHERE id = 1']) statement;
SELECT count(*) FROM context_kept;
UPDATE context_kept SET loc = 'http://a/new' WHERE id = 2;
SELECT url FROM context_kept WHERE id = 2;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT pg_temp.plan($$SELECT id FROM context_kept WHERE sitemap_url(loc, changed)::text = 'x'$$, 'Index Scan using context_index');
SELECT id FROM context_kept WHERE sitemap_url(loc, changed)::text = '<url><loc>http://a/new</loc></url>';
RESET enable_seqscan;
RESET enable_bitmapscan;
REINDEX TABLE context_kept;

-- A view, and a rule that asks them.
CREATE VIEW context_view AS SELECT name, url_count FROM sitemap_files('SELECT loc FROM context_page ORDER BY id', 'http://a/', max_urls => 2);
CREATE TABLE context_log (name text, url_count int);
CREATE RULE context_rule AS ON INSERT TO context_page
   DO ALSO INSERT INTO context_log SELECT v.name, v.url_count FROM context_view v;
INSERT INTO context_page VALUES (6, '/6');
TABLE context_log;
TABLE context_view;

-- A materialized view, refreshed where search_path is empty: only the file that changed is written.
CREATE MATERIALIZED VIEW context_site AS
SELECT name, url_count, digest FROM sitemap_files('SELECT loc FROM public.context_page ORDER BY id', 'http://a/', max_urls => 2);
CREATE UNIQUE INDEX ON context_site (name);
CREATE TABLE context_before AS SELECT name, digest, ctid AS place FROM context_site;
UPDATE context_page SET loc = '/changed' WHERE id = 3;
SET search_path = '';
REFRESH MATERIALIZED VIEW CONCURRENTLY public.context_site;
RESET search_path;
SELECT name, url_count, f.digest = b.digest AS same, f.ctid = place AS kept
  FROM context_site f JOIN context_before b USING (name) ORDER BY name COLLATE "C";
DROP MATERIALIZED VIEW context_site;
DROP TABLE context_before;

-- A partitioned source, with a partition that comes.
CREATE TABLE context_parts (id int, loc text) PARTITION BY RANGE (id);
CREATE TABLE context_parts_1 PARTITION OF context_parts FOR VALUES FROM (1) TO (10);
INSERT INTO context_parts VALUES (1, '/p1');
SELECT name, url_count FROM sitemap_files('SELECT loc FROM context_parts ORDER BY id', 'http://a/');
CREATE TABLE context_parts_2 PARTITION OF context_parts FOR VALUES FROM (10) TO (20);
INSERT INTO context_parts VALUES (11, '/p11');
SELECT name, url_count FROM sitemap_files('SELECT loc FROM context_parts ORDER BY id', 'http://a/');
SELECT problem FROM sitemap_audit('SELECT ''/'' AS loc FROM context_parts', 'http://a.example/');

-- Parallel workers parse, and make elements.
CREATE TABLE context_document AS
SELECT n AS id, 'http://a/' || n || E'\nhttp://b/' || n AS content FROM generate_series(1, 1000) n;
ALTER TABLE context_document SET (parallel_workers = 2);
BEGIN;
SET LOCAL max_parallel_workers_per_gather = 2;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL parallel_leader_participation = off;
SELECT pg_temp.plan('SELECT count(p) FROM context_document, sitemap_parse(content) p', 'Gather|Partial Aggregate|Function Scan on sitemap_parse');
SELECT count(*), count(DISTINCT p.loc), sum(length(sitemap_url(p.loc)::text)) FROM context_document, sitemap_parse(content) p;
COMMIT;

-- Transactions of all kinds.
BEGIN;
SELECT 1 / 0;
SELECT sitemap_url('http://a/');
SELECT name FROM sitemap_files('SELECT ''/'' AS loc', 'http://a/');
SELECT name FROM sitemap_publish('context_target', 'SELECT ''/'' AS loc', 'http://a/');
ROLLBACK;
BEGIN TRANSACTION ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT name, url_count FROM sitemap_files('SELECT loc FROM context_page ORDER BY id', 'http://a/');
SELECT count(*) FROM sitemap_audit('SELECT loc FROM context_page ORDER BY id', 'http://a.example/');
SELECT length(sitemap_agg('http://a' || loc)) > 0 FROM context_page;
SELECT loc FROM sitemap_parse('http://a/');
SELECT name, action FROM sitemap_publish('context_target', 'SELECT loc FROM context_page', 'http://a/');
ROLLBACK;
BEGIN TRANSACTION ISOLATION LEVEL SERIALIZABLE;
SELECT name, action FROM sitemap_publish('context_target', 'SELECT ''/s'' || id AS loc FROM context_page', 'http://a/') WHERE kind <> 'index';
SELECT name, action FROM sitemap_publish('context_target', 'SELECT ''/s'' || id AS loc FROM context_page', 'http://a/') WHERE kind <> 'index';
COMMIT;

DROP VIEW context_view CASCADE;
DROP TABLE context_page, context_target, context_kept, context_log, context_parts, context_document;
DROP DOMAIN context_url;
DROP FUNCTION context_refuse, context_document;
