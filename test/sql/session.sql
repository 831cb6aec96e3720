--
-- A call of a public function, successful or failed, leaves nothing in the session: settings,
-- role, locks, cursors, prepared statements, temporary tables, progress, memory, what functions
-- in PL/pgSQL return, and plans.  Only a watch keeps its plans.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql
\set SHOW_CONTEXT never
\set VERBOSITY terse

CREATE ROLE regress_sitemap_session;
GRANT CREATE ON SCHEMA public TO regress_sitemap_session;
GRANT pg_write_server_files, pg_monitor TO regress_sitemap_session;
SELECT current_setting('data_directory') || '/sitemap_session' AS directory \gset
SET ROLE regress_sitemap_session;
SET timezone = 'Asia/Tokyo';
SET datestyle = 'SQL, DMY';
SET intervalstyle = 'sql_standard';
SET extra_float_digits = 0;
SET jit = on;
-- With a sort, a query that fails has returned no row.
SET enable_indexscan = off;
SET enable_bitmapscan = off;

CREATE TABLE session_page AS SELECT n AS id, '/' || n AS loc FROM generate_series(1, 300) n;
ALTER TABLE session_page ADD PRIMARY KEY (id);
CREATE TABLE session_files OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE session_feed OF sitemap_change;
CREATE TABLE session_queue (id int);
CREATE TABLE session_job OF sitemap_job (PRIMARY KEY (base_url, section));
CREATE FUNCTION session_midnight(page int) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF page > 300 THEN
    RAISE division_by_zero;
  END IF;
  RETURN concat(timestamptz '01/03/2026 00:00', interval '-1 1:00', 0.1::float8 + 0.2::float8);
END
$$;
CREATE VIEW session_view AS SELECT loc, id AS key, session_midnight(id) AS shown FROM session_page ORDER BY id;
INSERT INTO session_job (target, base_url, section, query, changes, feed, directory, max_urls) VALUES
  ('session_files', 'http://a/', 'succeeds', 'TABLE session_view', 'DELETE FROM session_queue RETURNING id', 'session_feed', :'directory', 50),
  ('session_files', 'http://b/', 'fails', 'SELECT loc, id AS key, session_midnight(id + 1) AS shown FROM session_page ORDER BY id', NULL, NULL, NULL, 50);

CREATE FUNCTION pg_temp.state() RETURNS TABLE (what text, state text) LANGUAGE sql AS $$
  SELECT name, setting FROM pg_settings UNION ALL
  SELECT 'role', concat(session_user, ' ', current_user) UNION ALL
  SELECT 'locks', count(*)::text FROM pg_locks WHERE pid = pg_backend_pid() AND (locktype = 'advisory' OR relation >= 16384) UNION ALL
  SELECT 'cursors', count(*)::text FROM pg_cursors WHERE name <> '' UNION ALL
  SELECT 'prepared statements', count(*)::text FROM pg_prepared_statements UNION ALL
  SELECT 'temporary tables', count(*)::text FROM pg_class WHERE relnamespace = pg_my_temp_schema() UNION ALL
  SELECT 'progress', count(*)::text FROM pg_stat_progress_copy WHERE pid = pg_backend_pid() UNION ALL
  SELECT 'memory', count(*)::text FROM pg_backend_memory_contexts WHERE name ~ '^(sitemap|SPI (Proc|Exec|Tup))'
     AND NOT (name = 'sitemap statement' AND level = (SELECT level + 1 FROM pg_backend_memory_contexts WHERE name = 'TopMemoryContext')) UNION ALL
  SELECT 'plans', count(*)::text FROM pg_backend_memory_contexts
   WHERE name = 'CachedPlanSource' AND ident ~ '(INTO|UPDATE|FROM) public\.session_(files|job)' UNION ALL
  SELECT 'session_midnight', session_midnight(1)
$$;
CREATE TEMP TABLE state_before AS SELECT '' AS what, '' AS state;
TRUNCATE state_before;
INSERT INTO state_before SELECT * FROM pg_temp.state();
CREATE FUNCTION pg_temp.left_behind() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT format('%s: %s, was %s', what, s.state, b.state) FROM pg_temp.state() s FULL JOIN state_before b USING (what)
   WHERE s.state IS DISTINCT FROM b.state
$$;

-- Calls that succeed and calls that fail.
CREATE TABLE session_call (id serial, statement text);
INSERT INTO session_call (statement) VALUES
  ('SELECT sitemap_url(''http://a/'', ''2026-01-01''::date)'), ('SELECT sitemap_url(''ftp:'')'),
  ('SELECT sitemap_encode(''a b'')'), ('SELECT sitemap_encode(''a'', ''ü'')'),
  ('SELECT sitemap_image(''http://a/'')'), ('SELECT sitemap_image(''ftp:'')'),
  ('SELECT sitemap_video(''http://a/'', ''t'', ''d'', ''http://b/'')'), ('SELECT sitemap_video(''http://a/'', ''t'', ''d'')'),
  ('SELECT sitemap_news(''n'', ''en'', ''2026-01-01''::date, ''t'')'), ('SELECT sitemap_news(''n'', ''?'', ''2026-01-01''::date, ''t'')'),
  ('SELECT sitemap_alternate(''de'', ''http://a/'')'), ('SELECT sitemap_alternate(''?'', ''http://a/'')'),
  ('SELECT sitemap_alternates(''{"de": "http://a/"}'')'), ('SELECT sitemap_alternates(''{"de": "ftp:"}'')'),
  ('SELECT sitemap_agg(''http://a'' || loc) IS NULL FROM session_page'), ('SELECT sitemap_agg(loc) FROM session_page'),
  ('SELECT sitemap_index_agg(''http://a'' || loc) IS NULL FROM session_page'), ('SELECT sitemap_index_agg(loc) FROM session_page'),
  ('SELECT sitemap_text_agg(''http://a'' || loc) IS NULL FROM session_page'), ('SELECT sitemap_text_agg(loc) FROM session_page'),
  ('SELECT sitemap_kind(''http://a/''::text)'), ('SELECT sitemap_kind(''\x1f8b08''::bytea)'),
  ('SELECT count(*) FROM sitemap_parse(''http://a/''::text)'), ('SELECT sitemap_parse(''<urlset>''::text)'),
  ('SELECT count(*) FROM sitemap_columns(''{}'')'),
  ('SELECT count(*) FROM sitemap_files(''SELECT loc FROM session_view'', ''http://a/'', max_urls => 50)'),
  ('SELECT sitemap_files(''SELECT loc || session_midnight(id + 1) AS loc FROM session_page ORDER BY id'', ''http://a/'', max_urls => 50)'),
  ('SELECT count(*) FROM (SELECT sitemap_files(''SELECT loc FROM session_view'', ''http://a/'', max_urls => 50) LIMIT 1) f'),
  ('SELECT problem FROM sitemap_audit(''SELECT loc FROM session_page WHERE now() > ''''01/03/2026'''' ORDER BY id'', ''http://a/'')'),
  ('SELECT sitemap_audit(''SELECT loc || session_midnight(id + 1) AS loc FROM session_page'', ''http://a/'')'),
  ('SELECT sitemap_watch(''session_page'', ''id'', ''session_queue'')'), ('SELECT sitemap_watch(''session_page'', ''nothing'', ''session_queue'')'),
  ('SELECT count(*) > 4 FROM sitemap_publish(''session_files'', ''TABLE session_view'', ''http://c/'', max_urls => 50, feed => ''session_feed'')'),
  ('UPDATE session_page SET loc = loc || ''x'' WHERE id % 100 = 7'),
  ('SELECT count(*) > 2 FROM sitemap_publish(''session_files'', ''TABLE session_view'', ''http://c/'', max_urls => 50, changes => ''VALUES (7), (107), (207)'')'),
  ('SELECT sitemap_publish(''session_files'', ''TABLE session_view'', ''http://c/'', changes => ''SELECT session_midnight(301)'')'),
  ('SELECT sitemap_publish(''session_files'', ''SELECT loc, id AS key, session_midnight(id + 1) AS shown FROM session_page ORDER BY id'', ''http://c/'', max_urls => 50)'),
  ('SELECT sitemap_publish(''session_files'', ''SELECT loc, id AS key, session_midnight(id) AS shown FROM session_page WHERE false'', ''http://c/'')'),
  ('SELECT count(*) FROM sitemap_publish_index(''session_files'', ''http://c/'')'), ('SELECT sitemap_publish_index(''session_page'', ''http://c/'')'),
  ('CALL sitemap_run(''session_job'')'), ('SELECT section, error FROM session_job ORDER BY 1'), ('CALL sitemap_run(''session_page'')'),
  ('SELECT section, state FROM sitemap_status(''session_job'') ORDER BY 1'), ('SELECT sitemap_status(''session_page'')'),
  ('SELECT count(*) FROM sitemap_export(current_setting(''data_directory'') || ''/sitemap_session'', ''SELECT * FROM session_files WHERE false'', ''http://a/'')'),
  ('SELECT sitemap_export(''/nowhere/x'', ''SELECT * FROM session_files WHERE 1 / (length(name) - length(name)) = 1'')'),
  ('SELECT sitemap_unwatch(''session_page'', ''session_queue'')'), ('SELECT sitemap_unwatch(''session_view'', ''session_queue'')');
-- every function is among them
SELECT proname FROM pg_proc JOIN pg_depend ON objid = pg_proc.oid AND deptype = 'e'
 WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sitemap') AND proname !~ '^_' AND classid = 'pg_proc'::regclass
EXCEPT SELECT substring(statement, '(sitemap_\w+)\(') FROM session_call;
SELECT s FROM session_call, unnest(ARRAY['DISCARD PLANS', statement, 'SELECT * FROM pg_temp.left_behind()']) WITH ORDINALITY u (s, n) ORDER BY id, n \gexec
-- the test itself notices
PREPARE session_statement AS SELECT 1;
SET timezone = 'UTC';
SELECT * FROM pg_temp.left_behind() ORDER BY 1;
DEALLOCATE session_statement;
RESET ROLE;

SET client_min_messages = error;
DROP OWNED BY regress_sitemap_session CASCADE;
DROP ROLE regress_sitemap_session;
