--
-- What the functions of a query do: they raise, change what is being worked on,
-- or call what called them.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TABLE nest_page AS SELECT n AS id, '/' || n AS loc FROM generate_series(1, 9) n;
CREATE TABLE nest_target OF sitemap_file (PRIMARY KEY (base_url, name));
SELECT count(*) FROM sitemap_publish('nest_target', 'SELECT loc FROM nest_page WHERE id < 9 ORDER BY id', 'http://a/', max_urls => 2);
CREATE TABLE nest_before AS SELECT ctid AS place, xmin AS writer, name FROM nest_target;

-- One row, once the statement has been run.
CREATE FUNCTION nest_run(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  RETURN '/';
END
$$;
CREATE FUNCTION pg_temp.query(statement text) RETURNS text LANGUAGE sql AS $$
  SELECT format('SELECT nest_run(%L) AS loc', statement)
$$;

-- The error of a call of each function that takes a query, and the place in it.
CREATE FUNCTION pg_temp.raised(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  context text;
BEGIN
  EXECUTE statement;
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS context = PG_EXCEPTION_CONTEXT;
  RETURN concat_ws(' / ', SQLSTATE || ' ' || SQLERRM,
                   split_part(split_part(context, E'\nSQL statement "SELECT count', 1), E'\nPL/pgSQL function pg_temp', 1));
END
$$;
CREATE FUNCTION pg_temp.calls(query text) RETURNS TABLE (function text, error text) LANGUAGE sql AS $$
  SELECT function, pg_temp.raised(format('SELECT count(*) FROM ' || call, query))
    FROM (VALUES
      ('sitemap_files', 'sitemap_files(%L, ''http://a/'', max_urls => 2)'),
      ('sitemap_audit', 'sitemap_audit(%L, ''http://a/'')'),
      ('sitemap_publish', 'sitemap_publish(''nest_target'', %L, ''http://a/'', max_urls => 2, max_shrink => 0.5)')
    ) v (function, call)
$$;

-- An error in the first row, in the middle of the first file, right after it, and in the last row.
SELECT n, c.*
  FROM unnest('{1,2,3,9}'::int[]) n,
       pg_temp.calls(format('SELECT ''/'' || 1 / (%s - id) AS loc FROM nest_page ORDER BY id', n)) c;
-- The row is known where it is ours to refuse, the query's function where it raises.
SELECT * FROM pg_temp.calls('SELECT CASE id WHEN 9 THEN ''ftp://a/'' ELSE loc END AS loc FROM nest_page ORDER BY id');
SELECT * FROM pg_temp.calls($$SELECT sitemap_image('/' || id) AS url FROM nest_page ORDER BY id$$);
SELECT * FROM pg_temp.calls(pg_temp.query($$DO 'BEGIN RAISE ''a word'' USING ERRCODE = ''ABCDE''; END'$$));

-- DDL, on the target, on the source, on anything: the query runs as in a read-only transaction,
SELECT statement, split_part(c.error, ' / ', 1)
  FROM unnest(ARRAY['DROP TABLE nest_target', 'ALTER TABLE nest_target ADD note text', 'TRUNCATE nest_target',
                    'ALTER TABLE nest_target RENAME TO nest_other', 'DELETE FROM nest_target',
                    'DROP TABLE nest_page', 'ALTER TABLE nest_page ALTER loc TYPE varchar',
                    'CREATE TABLE nest_other ()', 'CREATE TEMP TABLE nest_other ()',
                    'DROP EXTENSION sitemap CASCADE']) statement,
       pg_temp.calls(pg_temp.query(statement)) c
 WHERE c.function = 'sitemap_publish';
-- which a function cannot leave,
SELECT statement, split_part(c.error, ' / ', 1)
  FROM unnest(ARRAY['SET transaction_read_only = off', 'SET LOCAL transaction_read_only = off',
                    'SET TRANSACTION READ WRITE', 'SELECT set_config(''transaction_read_only'', ''off'', true)',
                    'COMMIT', 'ROLLBACK']) statement,
       pg_temp.calls(pg_temp.query(statement)) c
 WHERE c.function = 'sitemap_publish';
-- and which ends with the query, unless a function asks for it itself.
BEGIN;
SELECT name FROM sitemap_files(pg_temp.query('SET LOCAL work_mem = ''3MB'''), 'http://a/');
SHOW transaction_read_only;
SHOW work_mem;
DELETE FROM nest_page WHERE false;
SAVEPOINT before;
SELECT name FROM sitemap_files(pg_temp.query('SET LOCAL transaction_read_only = on'), 'http://a/');
SHOW transaction_read_only;
DELETE FROM nest_page WHERE false;
ROLLBACK TO before;
SHOW transaction_read_only;
SELECT name FROM sitemap_files(pg_temp.query('SET TRANSACTION READ ONLY'), 'http://a/');
SHOW transaction_read_only;
COMMIT;
SHOW transaction_read_only;

-- In some versions RESET leaves it.  Nothing stays of that.
BEGIN;
DO $$
BEGIN
  PERFORM FROM public.sitemap_files(pg_temp.query('RESET transaction_read_only'), 'http://a/');
EXCEPTION WHEN OTHERS THEN
END $$;
SHOW transaction_read_only;
DELETE FROM nest_page WHERE false;
COMMIT;

-- A temporary target can be written to even there.  What counts is the state after the query.
CREATE TEMP TABLE nest_temp OF sitemap_file (PRIMARY KEY (base_url, name));
SELECT name, action FROM sitemap_publish('nest_temp', 'SELECT loc FROM nest_page ORDER BY id', 'http://a/');
SELECT statement, pg_temp.error(format('SELECT sitemap_publish(''nest_temp'', %L, ''http://a/'', max_shrink => 1)',
                                       pg_temp.query(statement)))
  FROM unnest(ARRAY['DELETE FROM nest_temp', 'UPDATE nest_temp SET name = ''other-'' || name', 'UPDATE nest_temp SET digest = NULL',
                    'DROP TABLE nest_temp', 'TRUNCATE nest_temp', 'ALTER TABLE nest_temp DROP content']) statement;
SELECT name, url_count FROM nest_temp ORDER BY name COLLATE "C";

-- Calls inside of calls, of each in each.
SELECT outer_function, inner_call, split_part(c.error, ' / ', 1)
  FROM unnest(ARRAY['sitemap_files(''SELECT loc FROM nest_page'', ''http://a/'')',
                    'sitemap_audit(''SELECT loc FROM nest_page'', ''http://a/'')',
                    'sitemap_publish(''nest_target'', ''SELECT loc FROM nest_page'', ''http://a/'')',
                    'sitemap_publish(''nest_temp'', ''SELECT loc FROM nest_page WHERE id > 1'', ''http://a/'')']) inner_call,
       pg_temp.calls(pg_temp.query('SELECT * FROM ' || inner_call)) c (outer_function, error)
 WHERE outer_function <> 'sitemap_publish' OR inner_call !~ 'nest_temp';
-- The last of these has published in the temporary table, as it would have by itself.
SELECT name, url_count FROM nest_temp ORDER BY name COLLATE "C";
SELECT pg_temp.brief(format('SELECT sitemap_publish(''nest_temp'', %L, ''http://a/'', max_shrink => 0.5)',
                            pg_temp.query('SELECT sitemap_publish(''nest_temp'', ''SELECT loc FROM nest_page'', ''http://a/'')')));

-- Several levels, each with what the level below gives.
CREATE FUNCTION nest_level(level int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF level = 0 THEN
    RETURN '/';
  END IF;
  RETURN (SELECT loc FROM sitemap_files(format('SELECT nest_level(%s) || %s AS loc', level - 1, level), 'http://a/',
                                        'level' || level));
END
$$;
SELECT name, loc, pg_temp.text(content) FROM sitemap_files('SELECT nest_level(5) AS loc', 'http://a/');

-- Without end: an error, and the session goes on.
CREATE FUNCTION nest_files() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT loc FROM sitemap_files('SELECT nest_files() AS loc', 'http://a/'));
END
$$;
CREATE FUNCTION nest_audit() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT loc FROM sitemap_audit('SELECT nest_audit() AS loc', 'http://a/'));
END
$$;
CREATE FUNCTION nest_agg() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT sitemap_agg('http://a/' || nest_agg()));
END
$$;
SELECT f, pg_temp.brief(format('SELECT %s()', f)) FROM unnest('{nest_files,nest_audit,nest_agg}'::text[]) f;
SELECT split_part(c.error, ' / ', 1) FROM pg_temp.calls('SELECT nest_files() AS loc') c WHERE c.function = 'sitemap_publish';
SELECT name FROM sitemap_files('SELECT ''/'' AS loc', 'http://a/');

-- After all that the target has each row as it was.
SELECT count(*), count(*) FILTER (WHERE t.ctid = b.place AND t.xmin = b.writer)
  FROM nest_target t FULL JOIN nest_before b USING (name);

DROP FUNCTION nest_run, nest_level, nest_files, nest_audit, nest_agg;
DROP TABLE nest_page, nest_target, nest_before, nest_temp;
