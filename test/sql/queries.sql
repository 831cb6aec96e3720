--
-- The queries that sitemap_files takes.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TABLE query_page (id int PRIMARY KEY, loc text);
INSERT INTO query_page SELECT n, '/' || n FROM generate_series(1, 3) n;
CREATE VIEW query_view AS SELECT loc FROM query_page ORDER BY id;
CREATE MATERIALIZED VIEW query_matview AS SELECT loc, date '2026-01-02' AS lastmod FROM query_page;

-- The locs that a query gives, one after the other.
CREATE FUNCTION pg_temp.locs(query text) RETURNS text LANGUAGE sql AS $$
  SELECT regexp_replace(pg_temp.text(content), E'http://a|\n', '', 'g')
    FROM sitemap_files(query, 'http://a/', format => 'txt')
$$;

-- Any query is fine.
SELECT q, pg_temp.locs(q)
  FROM (VALUES
    ($$SELECT loc FROM query_page ORDER BY id DESC$$),
    ($$TABLE query_view$$),
    ($$TABLE query_matview$$),
    ($$TABLE query_view;$$),
    ($$ /* a */ SELECT loc FROM query_view -- b$$),
    ($$WITH w AS (SELECT loc FROM query_page WHERE id = 2) SELECT * FROM w$$),
    ('WITH RECURSIVE w (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM w WHERE n < 3) '
     'SELECT ''/r'' || n AS loc FROM w'),
    ($$SELECT * FROM (VALUES ('/v')) v (loc)$$),
    ($$(SELECT loc FROM query_page WHERE id = 1) UNION ALL (SELECT loc FROM query_page WHERE id = 3)$$),
    ($$SELECT loc FROM query_page ORDER BY id LIMIT 1$$),
    ($$SELECT sitemap_url('http://a/' || id) AS url FROM query_page ORDER BY id$$),
    ($$SELECT '/' || current_setting('server_version_num')::int / 1000000 AS loc$$)
  ) v (q);

-- It sees what the caller sees.
BEGIN;
INSERT INTO query_page VALUES (4, '/4');
SELECT pg_temp.locs('SELECT loc FROM query_page ORDER BY id');
ROLLBACK;

-- sitemap_files can stand in a larger query, be nested, and be called twice.
SELECT s.section, f.name, f.url_count
  FROM (VALUES ('a', 1), ('b', 2)) s (section, n)
 CROSS JOIN LATERAL sitemap_files(format('SELECT loc FROM query_page WHERE id <= %s', n),
                                  'http://a/', s.section) f;
SELECT sitemap_index_agg(f.loc, f.lastmod)
  FROM sitemap_files($$
         SELECT f.loc, f.lastmod FROM sitemap_files('TABLE query_matview', 'http://a/') f
       $$, 'http://a/', 'outer') f;
SELECT (sitemap_files('TABLE query_view', 'http://a/', max_urls => 2)).name;

-- In a cursor, while a subtransaction fails.
BEGIN;
DECLARE files CURSOR FOR SELECT name FROM sitemap_files('TABLE query_view', 'http://a/', max_urls => 1);
FETCH 2 FROM files;
SAVEPOINT s;
SELECT name FROM sitemap_files('SELECT 1 / 0 || '''' AS loc', 'http://a/');
ROLLBACK TO s;
FETCH ALL FROM files;
COMMIT;

-- Temporary files that are begun while the query runs are read after it.
SET work_mem = '64kB';
SELECT problem, count(*)
  FROM sitemap_audit('SELECT ''/'' || n % 15000 AS loc FROM generate_series(1, 20000) n', 'http://a.example/')
 GROUP BY problem;
SELECT sum(url_count), count(*)
  FROM sitemap_files('SELECT ''/'' || md5(n::text) AS loc FROM generate_series(1, 20000) n', 'http://a/', max_urls => 100);
RESET work_mem;

-- Its rows go into a table of their type.
CREATE TABLE query_files OF sitemap_file (PRIMARY KEY (base_url, name));
INSERT INTO query_files
SELECT * FROM sitemap_files('TABLE query_view', 'http://a/', max_urls => 2);
SELECT name, pg_temp.text(content) FROM query_files ORDER BY name;
DROP TABLE query_files;

-- Columns are filled by name: an older version's type lacks some, and a newer version's has more.
BEGIN;
ALTER TYPE sitemap_file ALTER ATTRIBUTE url_count TYPE text;
SELECT pg_temp.error($$ SELECT * FROM sitemap_files('TABLE query_view', 'http://a/') $$);
ROLLBACK;
BEGIN;
ALTER TYPE sitemap_file ADD ATTRIBUTE etag text;
SELECT name, etag, pg_temp.text(content) FROM sitemap_files('TABLE query_view', 'http://a/');
ROLLBACK;
BEGIN;
ALTER TYPE sitemap_file DROP ATTRIBUTE digest, DROP ATTRIBUTE shown;
SELECT * FROM sitemap_files('TABLE query_view', 'http://a/', max_urls => 2);
ALTER TYPE sitemap_file ADD ATTRIBUTE digest text;
SELECT name, digest FROM sitemap_files('TABLE query_view', 'http://a/', max_urls => 2);
ROLLBACK;
SELECT name, url_count FROM sitemap_files('TABLE query_view', 'http://a/');

DROP MATERIALIZED VIEW query_matview;
DROP VIEW query_view;
DROP TABLE query_page;
