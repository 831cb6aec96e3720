--
-- Functions that run while a query is analysed and planned, ranges of keys, limits, and what
-- functions of the session keep.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TABLE planned_page AS SELECT n AS id, '/' || n AS path FROM generate_series(1, 1000) n;
ALTER TABLE planned_page ADD PRIMARY KEY (id);
CREATE TABLE planned_files OF sitemap_file (PRIMARY KEY (base_url, name));

--
-- Analysis and planning cannot write
--
CREATE TABLE planned_log (what text);
CREATE FUNCTION planned_insert(what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.planned_log VALUES (what);
EXCEPTION WHEN read_only_sql_transaction THEN
  NULL;
END
$$;
CREATE FUNCTION planned_write(what text) RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
  PERFORM public.planned_insert(what);
  RETURN 900;
END
$$;
CREATE DOMAIN planned_text AS text CHECK (planned_write(concat('domain ', VALUE)) > 0);
CREATE VIEW limited AS SELECT path AS loc, id AS key FROM planned_page ORDER BY id LIMIT planned_write('LIMIT');
CREATE VIEW filtered AS SELECT path AS loc, id AS key FROM planned_page WHERE planned_write('WHERE') > 0 ORDER BY id;
CREATE FUNCTION pg_temp.publish(query text, changes text DEFAULT NULL) RETURNS bigint LANGUAGE sql AS $$
  SELECT count(*) FROM sitemap_publish('planned_files', query, 'http://a/', max_urls => 100, changes => changes) WHERE kind <> 'index'
$$;
SELECT q, pg_temp.publish(q) > 1 AS published, pg_temp.publish(q, 'VALUES (5), (500), (800)') AS files
  FROM (VALUES ('TABLE limited'), ('TABLE filtered'),
               ('SELECT path || left((''{x}''::planned_text[])[1], 0) AS loc, id AS key FROM planned_page ORDER BY id'),
               ('SELECT path || left((''{x}''::planned_text[])[1], 0) AS loc, id AS key FROM planned_page WHERE ($1 IS NULL OR id >= $1) AND ($2 IS NULL OR id < $2) ORDER BY id')) v (q);
SELECT count(*) FROM sitemap_audit('SELECT loc || left((''{x}''::planned_text[])[1], 0) AS loc FROM limited', 'http://a.example/');
SELECT count(*) FROM sitemap_files('SELECT loc || left((''{x}''::planned_text[])[1], 0) AS loc FROM limited', 'http://a/');
SELECT * FROM planned_log;

--
-- Ranges of keys are planned once each, but for the smallest, and read without JIT
--
CREATE TEMP TABLE planning (jit text, executed bool);
CREATE FUNCTION note(executed bool) RETURNS bool LANGUAGE sql AS $$
  INSERT INTO pg_temp.planning VALUES (current_setting('jit'), executed) RETURNING true
$$;
CREATE FUNCTION note_planning() RETURNS bool IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.note(false); END';
SET jit = on;
\set query 'SELECT path AS loc, id AS key FROM planned_page WHERE note_planning() AND (SELECT note(true)) ORDER BY id'
SELECT pg_temp.publish(:'query') > 1;
TRUNCATE planning;
-- to compare the costs, all rows and the smallest range are planned
SELECT pg_temp.publish(:'query', 'VALUES (5), (500), (800)');
SELECT executed, jit, count(*) FROM planning GROUP BY 1, 2 ORDER BY 1, 2;
SHOW jit;
RESET jit;

--
-- Limits decide about rows of other keys, also in a part of a join
--
CREATE TABLE planned_path AS TABLE planned_page;
SET client_min_messages = notice;
\set SHOW_CONTEXT never
CREATE FUNCTION pg_temp.publish_all(queries text[], OUT q text, OUT files bigint) RETURNS SETOF record LANGUAGE plpgsql AS $$
BEGIN
  FOREACH q IN ARRAY queries LOOP
    DELETE FROM planned_files;
    PERFORM pg_temp.publish(q);
    files := pg_temp.publish(q, 'VALUES (5)');
    RETURN NEXT;
  END LOOP;
END
$$;
SELECT * FROM pg_temp.publish_all('{
  SELECT path AS loc\, id AS key FROM planned_page ORDER BY id LIMIT 900,
  SELECT x.path AS loc\, x.id AS key FROM (SELECT * FROM planned_page ORDER BY id LIMIT 900) x JOIN planned_path USING (id) ORDER BY x.id,
  SELECT x.path AS loc\, x.id AS key FROM (SELECT * FROM planned_page ORDER BY id OFFSET 9) x LEFT JOIN planned_path USING (id) ORDER BY x.id,
  SELECT x.path AS loc\, x.id AS key FROM (SELECT * FROM planned_page ORDER BY id FETCH FIRST 900 ROWS ONLY) x\, planned_path y WHERE y.id = x.id ORDER BY x.id,
  WITH x AS (SELECT * FROM planned_page ORDER BY id LIMIT 900) SELECT x.path AS loc\, x.id AS key FROM x JOIN planned_path USING (id) ORDER BY x.id,
  SELECT loc\, key FROM limited JOIN planned_path ON id = key ORDER BY key}'::text[]);
-- no limits, and those of each row
SELECT * FROM pg_temp.publish_all('{
  SELECT path AS loc\, id AS key FROM planned_page ORDER BY id LIMIT ALL OFFSET 0,
  SELECT path AS loc\, id AS key FROM planned_page ORDER BY id LIMIT NULL::int,
  SELECT x.path AS loc\, x.id AS key FROM (SELECT * FROM planned_page OFFSET 0) x JOIN planned_path USING (id) ORDER BY x.id,
  SELECT x.path AS loc\, x.id AS key FROM planned_page x\, LATERAL (SELECT FROM planned_path WHERE id = x.id ORDER BY path LIMIT 1) y ORDER BY x.id,
  SELECT path AS loc\, (SELECT path FROM planned_path WHERE id = p.id LIMIT 1)::date AS lastmod\, id AS key FROM planned_page p WHERE false}'::text[]);
SET client_min_messages = warning;

--
-- Functions of the session and runs with fixed settings keep their own literals
--
CREATE FUNCTION midnight_1() RETURNS timestamptz LANGUAGE plpgsql STABLE AS 'BEGIN RETURN timestamptz ''2026-03-01 00:00''; END';
CREATE FUNCTION midnight_2() RETURNS timestamptz LANGUAGE plpgsql STABLE AS 'BEGIN RETURN timestamptz ''2026-03-01 00:00''; END';
CREATE FUNCTION midnight_3() RETURNS timestamptz LANGUAGE plpgsql STABLE AS 'BEGIN RETURN timestamptz ''2026-03-01 00:00''; END';
CREATE DOMAIN tokyo_text AS text CHECK (VALUE < midnight_3()::text);
SET datestyle = ISO;
SET timezone = 'Asia/Tokyo';
CREATE FUNCTION pg_temp.publish_shown(shown text) RETURNS TABLE (loc text) LANGUAGE sql AS $$
  DELETE FROM planned_files;
  SELECT sitemap_publish('planned_files', format('SELECT ''/'' || extract(epoch FROM %1$s)::bigint AS loc, 1 AS key, %1$s::text AS shown', shown), 'http://a/');
  SELECT p.loc FROM planned_files f, sitemap_parse(f.content) p WHERE f.kind <> 'index'
$$;
-- first called by the session; first called by a run
SELECT midnight_2();
SELECT * FROM pg_temp.publish_shown('midnight_2()');
SELECT * FROM pg_temp.publish_shown('midnight_1()');
SELECT midnight_1(), midnight_2();
-- by a run that fails, and when the audit analyses a literal a second time
SELECT pg_temp.brief(format('SELECT sitemap_publish(%L, %L, %L)', 'planned_files',
       'SELECT ''/'' AS loc, 1 AS key, (1 / (midnight_3() < ''epoch'')::int)::text AS shown', 'http://a/'));
SELECT midnight_3();
DISCARD PLANS;
SELECT row_number, problem FROM sitemap_audit('SELECT (''{/}''::tokyo_text[])[1] AS loc', 'http://a.example/');
SELECT midnight_3();
-- Immutable functions whose results depend on settings.
CREATE FUNCTION written_1() RETURNS text LANGUAGE plpgsql STABLE AS 'BEGIN RETURN ''\x41''::bytea::text || quote_ident(''a''); END';
CREATE FUNCTION written_2() RETURNS text LANGUAGE plpgsql STABLE AS 'BEGIN RETURN ''\x41''::bytea::text || quote_ident(''a''); END';
SET timezone = 'Etc/UTC';
SET bytea_output = escape;
SELECT sitemap_publish('planned_files', 'SELECT ''/'' AS loc, 1 AS key, written_1() AS shown', 'http://a/');
SELECT written_1();
RESET bytea_output;
SET quote_all_identifiers = on;
SELECT sitemap_publish('planned_files', 'SELECT ''/'' AS loc, 1 AS key, written_2() AS shown', 'http://a/');
SELECT written_2();
RESET quote_all_identifiers;
SET timezone = 'Asia/Tokyo';
-- Plans are discarded only where settings differ.
TRUNCATE planning;
PREPARE planned AS SELECT note_planning();
EXECUTE planned;
SELECT * FROM pg_temp.publish_shown('midnight_1()');
EXECUTE planned;
SELECT count(*) AS planned FROM planning;
SET timezone = 'Etc/UTC';
EXECUTE planned;
SELECT * FROM pg_temp.publish_shown('midnight_1()');
EXECUTE planned;
SELECT count(*) AS planned FROM planning;
DEALLOCATE planned;
RESET timezone;
RESET datestyle;

DROP TABLE planned_page, planned_files, planned_log, planned_path CASCADE;
DROP DOMAIN planned_text, tokyo_text;
DROP FUNCTION planned_write, planned_insert, note_planning, note, midnight_1, midnight_2, midnight_3, written_1, written_2;
