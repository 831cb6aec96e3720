--
-- The queries that sitemap_files refuses.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TABLE query_page (id int PRIMARY KEY, loc text);
INSERT INTO query_page SELECT n, '/' || n FROM generate_series(1, 3) n;
CREATE VIEW query_view AS SELECT loc FROM query_page ORDER BY id;
CREATE MATERIALIZED VIEW query_matview AS SELECT loc FROM query_page;

-- The SQLSTATE of a query's error.
CREATE FUNCTION pg_temp.state(query text) RETURNS text LANGUAGE sql AS $$
  SELECT left(pg_temp.refused(query), 5)
$$;

-- The name of a table alone, and one of none.
SELECT q, pg_temp.refused(q)
  FROM (VALUES ('query_page'), ('public.query_page'), ('"query_page"'), ('"public".query_page'), ('query_nowhere'),
               ('query_page.loc'), ('"query_page'), ('""'), ('""""'), ('.'), ('a.'), ('.a'), ('a..b'), ('a.b.c'), ('"a"b')) v (q);

-- With parameters a query is prepared again, for those of the key's type.
CREATE FUNCTION query_columns(text) RETURNS TABLE (loc text, key int) LANGUAGE sql AS $$ SELECT '/', 1 $$;
CREATE FUNCTION query_columns(int) RETURNS TABLE (loc text, key int, lastmod date) LANGUAGE sql AS $$ SELECT '/', 1, '2026-01-02'::date $$;
SELECT q, pg_temp.refused(q)
  FROM (VALUES ('SELECT coalesce($1, ''123456'') AS loc, 1 AS key'),
               ('SELECT ''/'' AS loc, coalesce($2, ''7'') AS changefreq, 1::bigint AS key'),
               ('SELECT ''/'' AS loc, ARRAY[$1, ''7''] AS images, 1::smallint AS key'),
               ('SELECT * FROM query_columns($1)'),
               ('SELECT * FROM query_columns($1::text)')) v (q);
SELECT pg_temp.error(format('SELECT FROM sitemap_audit(%L, %L)', 'SELECT ''/'' AS loc, coalesce($1, ''7'') AS changefreq, 1 AS key', 'http://a/'));
DROP FUNCTION query_columns(text), query_columns(int);

-- Any number of statements but one.
SELECT q, pg_temp.refused(q)
  FROM unnest(ARRAY['', ' ', ';', '-- nothing', 'SELECT loc FROM query_page; SELECT loc FROM query_page',
                    'SELECT loc FROM query_page; DELETE FROM query_page', ';;SELECT 1 AS loc;;SELECT 2 AS loc']) q;

-- Statements that write, lock, or are no query.
SELECT q, pg_temp.state(q)
  FROM (VALUES
    ('INSERT INTO query_page VALUES (4, ''/4'') RETURNING loc'),
    ('UPDATE query_page SET loc = ''/x'' RETURNING loc'),
    ('DELETE FROM query_page'),
    ('WITH d AS (DELETE FROM query_page RETURNING loc) TABLE query_view'),
    ('SELECT loc FROM query_page FOR UPDATE'),
    ('SELECT loc FROM (SELECT loc FROM query_page FOR KEY SHARE) s'),
    ('WITH w AS (SELECT loc FROM query_page FOR SHARE) SELECT loc FROM w'),
    ('SELECT loc FROM query_page WHERE id = (SELECT id FROM query_page LIMIT 1 FOR UPDATE)'),
    ('EXPLAIN ANALYZE SELECT loc FROM query_page'),
    ('SHOW TimeZone'),
    ('SELECT loc INTO query_other FROM query_page'),
    ('CREATE TABLE query_other AS SELECT loc FROM query_page'),
    ('TRUNCATE query_page'),
    ('COMMIT'),
    ('SET TimeZone = 0'),
    ('COPY (SELECT loc FROM query_page) TO STDOUT'),
    ('FETCH ALL FROM c'),
    ('CALL p()'),
    ('EXECUTE p'),
    ('REFRESH MATERIALIZED VIEW query_matview'),
    ('MERGE INTO query_page USING query_view v ON false WHEN NOT MATCHED THEN DO NOTHING')
  ) v (q);
SELECT pg_temp.refused('DELETE FROM query_page RETURNING loc');
SELECT pg_temp.refused('WITH d AS (DELETE FROM query_page RETURNING loc) SELECT loc FROM d');

-- None of them has done anything.
SELECT count(*), string_agg(loc, ' ' ORDER BY id) FROM query_page;
SELECT to_regclass('query_other') IS NULL;

-- What is not a query at all, or one that fails, is an error of its own.
SELECT q, pg_temp.refused(q)
  FROM unnest(ARRAY['SELEKT', 'SELECT loc FROM nowhere', 'SELECT nothing FROM query_page', 'SELECT $1 AS loc']) q;
SELECT pg_temp.refused('SELECT ''/'' || 1 / (3 - id) AS loc FROM query_page ORDER BY id');
SELECT *
  FROM sitemap_files('SELECT ''/'' || 1 / (3 - id) AS loc FROM query_page ORDER BY id', 'http://a/',
                     max_urls => 1);

-- A function that the query calls must not write either.
CREATE TABLE query_log (id serial, what text);
CREATE FUNCTION query_insert() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO query_log (what) VALUES ('by a function');
  RETURN '/';
END
$$;
SELECT pg_temp.refused('SELECT loc FROM query_page WHERE query_insert() <> loc');

-- Nor a sitemap_files inside of it.
SELECT pg_temp.refused($$
  SELECT f.loc FROM sitemap_files('SELECT query_insert() AS loc', 'http://a/') f
$$);

-- After such an error the session can write: in its transaction after ROLLBACK TO SAVEPOINT,
BEGIN;
INSERT INTO query_log (what) VALUES ('before');
SAVEPOINT s;
SELECT name FROM sitemap_files('SELECT query_insert() AS loc', 'http://a/');
ROLLBACK TO s;
SHOW transaction_read_only;
INSERT INTO query_log (what) VALUES ('after ROLLBACK TO SAVEPOINT');
COMMIT;

-- in a block of PL/pgSQL with EXCEPTION,
DO $$
BEGIN
  BEGIN
    PERFORM * FROM sitemap_files('SELECT query_insert() AS loc', 'http://a/');
  EXCEPTION WHEN read_only_sql_transaction THEN
    INSERT INTO query_log (what) VALUES ('in EXCEPTION');
  END;
  INSERT INTO query_log (what) VALUES ('after EXCEPTION');
END
$$;

-- and in the next transaction.
SELECT name FROM sitemap_files('SELECT query_insert() AS loc', 'http://a/');
INSERT INTO query_log (what) VALUES ('after an error');

-- It can write after a query that was fine, and between two rows of a result as well.
BEGIN;
SELECT name FROM sitemap_files('TABLE query_view', 'http://a/');
INSERT INTO query_log (what) VALUES ('after a query');
DECLARE files CURSOR FOR SELECT name FROM sitemap_files('TABLE query_view', 'http://a/', max_urls => 2);
FETCH 1 FROM files;
INSERT INTO query_log (what) VALUES ('between two rows');
FETCH ALL FROM files;
COMMIT;
SELECT what FROM query_log ORDER BY id;

-- A transaction that is read-only stays so.
BEGIN READ ONLY;
SELECT name FROM sitemap_files('TABLE query_view', 'http://a/');
SHOW transaction_read_only;
ROLLBACK;

DROP FUNCTION query_insert;
DROP TABLE query_log;
DROP MATERIALIZED VIEW query_matview;
DROP VIEW query_view;
DROP TABLE query_page;
