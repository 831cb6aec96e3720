--
-- Aggregates in parallel plans.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TABLE parallel_page AS
SELECT n AS id,
       n % 7 AS grp,
       'http://a/' || n AS loc,
       timestamp '2026-01-01' + n * interval '1 minute' AS ts
  FROM generate_series(1, 20000) n;
ALTER TABLE parallel_page SET (parallel_workers = 2);
ANALYZE parallel_page;

-- Two workers, each of which gets something to do.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;

-- catalog.sql shows that each aggregate can be split between workers.
SELECT pg_temp.plan('SELECT sitemap_agg(loc) FROM parallel_page');

-- The entries of a document, in an order that does not matter: their number, a hash, the least.
CREATE FUNCTION pg_temp.entries(document text) RETURNS text LANGUAGE sql AS $$
  SELECT count(*) || ' ' || md5(string_agg(entry, '' ORDER BY entry COLLATE "C")) || ' '
         || min(entry COLLATE "C")
    FROM regexp_split_to_table(document, '<(url|sitemap|/urlset|/sitemapindex)>|\n') entry
$$;

-- They are the same with workers and without.
CREATE TEMP VIEW documents AS
SELECT sitemap_agg(loc) AS agg,
       sitemap_agg(loc, ts, 'daily', 0.5) AS agg4,
       sitemap_agg(sitemap_url(loc, ts,
         extensions => CASE grp
                         WHEN 1 THEN ARRAY[sitemap_image(loc)]
                         WHEN 2 THEN sitemap_alternates('{"de": "http://a/"}')
                       END)) AS url,
       sitemap_index_agg(loc, ts) AS index,
       sitemap_text_agg(loc) AS text
  FROM parallel_page;
SELECT pg_temp.plan('SELECT * FROM documents');
CREATE TEMP TABLE parallel_result AS SELECT * FROM documents;
SET max_parallel_workers_per_gather = 0;
SELECT pg_temp.plan('SELECT * FROM documents');
CREATE TEMP TABLE serial_result AS SELECT * FROM documents;

CREATE TEMP VIEW result AS
SELECT 'parallel' AS how, * FROM parallel_result
 UNION ALL
SELECT 'serial', * FROM serial_result;
SELECT how, pg_temp.entries(document)
  FROM result, LATERAL (VALUES (1, agg), (2, agg4), (3, url), (4, index), (5, text)) v (n, document)
 ORDER BY n, how;

-- Groups, some of which only one worker sees.
SET max_parallel_workers_per_gather = 2;
SELECT count(*)
  FROM pg_temp.plan('SELECT grp, sitemap_agg(loc) FROM parallel_page GROUP BY grp') line
 WHERE line ~ 'Partial .*Aggregate';
CREATE TEMP TABLE parallel_groups AS
SELECT grp, sitemap_agg(loc, ts) AS document FROM parallel_page GROUP BY grp;
SET max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE serial_groups AS
SELECT grp, sitemap_agg(loc, ts) AS document FROM parallel_page GROUP BY grp;
SELECT count(*),
       count(*) FILTER (WHERE pg_temp.entries(p.document) = pg_temp.entries(s.document))
  FROM parallel_groups p
  JOIN serial_groups s USING (grp);
SET max_parallel_workers_per_gather = 2;

-- Nothing in any worker, or in all but one.
SELECT sitemap_agg(loc) IS NULL FROM parallel_page WHERE id < 0;
SELECT sitemap_text_agg(CASE WHEN id < 0 THEN loc END) IS NULL FROM parallel_page;
SELECT format('SELECT sitemap_text_agg(loc) FROM parallel_page WHERE id = %s', n) FROM generate_series(2500, 20000, 2500) n \gexec

-- The limits hold for the sum: 50,000 entries, 1,000 with news, 52,428,800 bytes.
CREATE TEMP VIEW tripled AS
SELECT sitemap_agg(p.loc)
  FROM parallel_page p
  JOIN (VALUES (1), (2), (3)) v (n) ON p.id > n;
SELECT pg_temp.plan('SELECT * FROM tripled');
SELECT pg_temp.error('SELECT * FROM tripled');
SELECT pg_temp.error($$
  SELECT sitemap_agg(sitemap_url(loc, ts, extensions => ARRAY[sitemap_news('n', 'en', ts, 't')]))
    FROM parallel_page
   WHERE id % 19 = 0
$$);
SELECT pg_temp.error($$
  SELECT sitemap_text_agg(rpad(p.loc, 2047, 'x'))
    FROM parallel_page p
    JOIN (VALUES (1), (2)) v (n) ON p.id > n
$$);
SELECT octet_length(sitemap_text_agg(rpad(loc, 1747, 'x'))),
       octet_length(sitemap_text_agg(rpad(loc, 2047, 'x')))
  FROM parallel_page;

-- An error in a worker.
SELECT pg_temp.error('SELECT sitemap_agg(CASE id WHEN 12345 THEN ''/'' ELSE loc END) FROM parallel_page');

DROP VIEW documents, tripled;
DROP TABLE parallel_page;
