--
-- split => 'stable': files end where their content says.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TEMP TABLE page AS
SELECT n AS id, '/p/' || n AS loc, date '2026-01-01' + n AS lastmod FROM generate_series(1, 2000) n;
CREATE FUNCTION pg_temp.files(query text, options text DEFAULT '') RETURNS SETOF sitemap_file
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT * FROM sitemap_files(%L, %L, split => ''stable'' %s)',
                              query, 'http://www.example.com/', options);
END
$$;

-- Names come from the row that a file begins with, and from nothing for the first.
SELECT name, kind, url_count, substring(pg_temp.text(content) FROM '<loc>(.*?)</loc>'), lastmod AT TIME ZONE 'UTC'
  FROM pg_temp.files('SELECT loc, lastmod FROM page ORDER BY id', ', max_urls => 300');
SELECT pg_temp.text(content)
  FROM pg_temp.files('SELECT loc, lastmod FROM page ORDER BY id', ', max_urls => 300')
 WHERE kind = 'index';

-- The rows are those of a full split, in the same order, in every format.
SELECT f.format,
       string_agg(l.loc, ' ' ORDER BY f.ordinality, l.ordinality)
       = (SELECT string_agg('http://www.example.com' || loc, ' ' ORDER BY id) FROM page)
  FROM (SELECT 'xml' AS format, '<loc>(.*?)</loc>' AS pattern, f.*
          FROM pg_temp.files('SELECT loc FROM page ORDER BY id', ', max_urls => 70, index => ''never''')
               WITH ORDINALITY f
        UNION ALL
        SELECT 'txt', '([^\n]+)', f.*
          FROM pg_temp.files('SELECT loc FROM page ORDER BY id', ', max_urls => 70, index => ''never'', format => ''txt''')
               WITH ORDINALITY f) f,
       regexp_matches(pg_temp.text(content), pattern, 'g') WITH ORDINALITY m (loc, ordinality),
       LATERAL (SELECT m.loc[1], m.ordinality) l
 GROUP BY f.format
 ORDER BY f.format;

-- All files but the last are at least half full, and 90 percent on average, by URLs or by bytes.
SELECT limits, count(*) > 20, min(share) >= 0.5, max(share) <= 1, avg(share) BETWEEN 0.88 AND 0.96
  FROM (SELECT limits, greatest(url_count / max_urls::float8, byte_count / max_bytes::float8) AS share,
               lead(name) OVER (PARTITION BY limits ORDER BY ordinality) IS NULL AS is_last
          FROM (VALUES (', max_urls => 50', 50, NULL), (', max_bytes => 5000', NULL, 5000)) v (limits, max_urls, max_bytes),
               pg_temp.files('SELECT loc, lastmod FROM page ORDER BY id', limits || ', index => ''never''')
               WITH ORDINALITY f) s
 WHERE NOT is_last
 GROUP BY limits
 ORDER BY limits;

-- The largest files.
SELECT count(*) > 8, count(*) FILTER (WHERE url_count < 25000) <= 1, max(url_count) <= 50000, avg(url_count) > 42500
  FROM pg_temp.files('SELECT ''/p/'' || n AS loc FROM generate_series(1, 500000) n', ', index => ''never''');

-- A row more, a row less and another lastmod change one file and its line in the index.
SET split.options = ', max_urls => 300';
CREATE TEMP VIEW present AS
SELECT name, digest FROM pg_temp.files('SELECT loc, lastmod FROM page ORDER BY id, loc', current_setting('split.options'));
CREATE TEMP TABLE base AS TABLE present;
CREATE FUNCTION pg_temp.changed(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  BEGIN
    EXECUTE statement;
    SELECT string_agg(name, ' ' ORDER BY name)
      INTO result
      FROM base b FULL JOIN present p USING (name)
     WHERE b.digest IS DISTINCT FROM p.digest;
    RAISE EXCEPTION 'undo';
  EXCEPTION WHEN raise_exception THEN
    RETURN result;
  END;
END
$$;
SELECT pg_temp.changed($$ DELETE FROM page WHERE id = 1000 $$);
SELECT pg_temp.changed($$ INSERT INTO page VALUES (1000, '/another', '2026-01-01') $$);
SELECT pg_temp.changed($$ INSERT INTO page VALUES (0, '/first', '2026-01-01') $$);
SELECT pg_temp.changed($$ UPDATE page SET lastmod = '2040-01-01' WHERE id = 1000 $$);
SELECT pg_temp.changed($$ UPDATE page SET lastmod = NULL $$) LIKE '% % %';
-- What follows many rows that go is split as before.
SELECT pg_temp.changed($$ DELETE FROM page WHERE id < 300 AND id % 8 = 1 $$);
-- Edits change few files, also where bytes limit these.
SET split.options = ', max_bytes => 5000, index => ''never''';
TRUNCATE base;
INSERT INTO base TABLE present;
SELECT count(*), avg(files) < 2
  FROM page,
       LATERAL (SELECT CASE id % 4 WHEN 0 THEN 'DELETE FROM page WHERE id = %s'
                                   WHEN 1 THEN 'INSERT INTO page VALUES (%s, ''/new'', ''2026-01-01'')'
                                   WHEN 2 THEN 'UPDATE page SET lastmod = ''2040-01-01'' WHERE id = %s'
                                   ELSE 'UPDATE page SET loc = ''/moved'' WHERE id = %s' END) e (edit),
       regexp_count(pg_temp.changed(format(edit, id)), '\S+') files
 WHERE id % 15 = 0;

-- One file has the name of the section, or with an index its own.
SELECT name FROM pg_temp.files('SELECT loc FROM page WHERE id < 10');
SELECT name FROM pg_temp.files('SELECT loc FROM page WHERE id < 10', ', index => ''always''');
SELECT name FROM pg_temp.files('SELECT loc FROM page WHERE id < 10', ', format => ''txt'', index => ''always'', compression => 1');

-- Files that begin with the same loc are told apart.
SELECT name, url_count
  FROM pg_temp.files('SELECT ''/the/same''::text AS loc FROM page WHERE id <= 25', ', max_urls => 10, index => ''never''');

-- The smallest files.
SELECT name, url_count
  FROM pg_temp.files('SELECT loc FROM page WHERE id <= 3 ORDER BY id', ', max_urls => 1, index => ''never''');

-- An entry as large as a file, and one too large for any.
SELECT url_count, byte_count
  FROM pg_temp.files($$
         SELECT CASE WHEN id IN (3, 4, 6) THEN '/' || repeat('x', 800) ELSE loc END AS loc FROM page WHERE id < 9 ORDER BY id
       $$, ', max_bytes => 1000, index => ''never''');
SELECT pg_temp.error($$
  SELECT count(*)
    FROM pg_temp.files('SELECT loc || CASE WHEN id = 100 THEN repeat(''x'', 990) ELSE '''' END AS loc FROM page ORDER BY id',
                       ', max_bytes => 1000')
$$);
SELECT sum(url_count)
  FROM pg_temp.files('SELECT loc || CASE WHEN id = 100 THEN repeat(''x'', 990) ELSE '''' END AS loc FROM page ORDER BY id',
                     ', max_bytes => 1000, index => ''never'', on_invalid => ''skip''');

-- The limit of news holds, wherever the news come.
SELECT url_count, regexp_count(pg_temp.text(content), '<news:news>') AS news,
       pg_temp.text(content) LIKE '%xmlns:news=%' AS declared, lastmod AT TIME ZONE 'UTC'
  FROM pg_temp.files($$
         SELECT loc, CASE WHEN id < 1500 THEN lastmod END AS lastmod,
                CASE WHEN id > 500 AND id % 4 > 0 THEN public.sitemap_news('n', 'en', '2026-01-01', 't') END AS extensions
           FROM page ORDER BY id
       $$, ', index => ''never''');
