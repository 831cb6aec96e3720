-- Run by test/bench/run with the variables rows and rounds.
--
-- Each round runs every statement once; a ratio is that of two statements of
-- one round, and the median of the rounds is shown, so that a machine that is
-- slow for a while is slow for both.
\pset footer off
SET client_min_messages = warning;
CREATE EXTENSION sitemap;

CREATE TABLE page AS
SELECT 'https://www.example.com/category-' || n % 100 || '/item-' || n AS loc,
       timestamptz '2026-01-01 00:00:00Z' + n * interval '37 seconds' AS lastmod,
       (ARRAY['daily', 'weekly', 'monthly'])[n % 3 + 1] AS changefreq,
       (n % 11 / 10.0)::float8 AS priority,
       (n - 1) / 50000 AS part
  FROM generate_series(1, :rows) n;
CREATE VIEW page_with_image AS
SELECT loc, lastmod, changefreq, priority,
       ARRAY[sitemap_image(loc || '.jpg', title => 'Tom & Jerry')] AS extensions
  FROM page;
VACUUM ANALYZE page;

-- Serial but for the last, so that only the work differs.
CREATE TABLE work (position int, name text, beside text, goal text, statement text, workers int DEFAULT 0);
INSERT INTO work VALUES
(1, 'COPY TO /dev/null', NULL, NULL,
 $$COPY (SELECT loc, lastmod, changefreq, priority FROM page) TO '/dev/null'$$),
(2, 'sitemap_files', 'COPY TO /dev/null', '<= 0.85',
 $$SELECT sum(byte_count) FROM sitemap_files('SELECT loc, lastmod, changefreq, priority FROM page', 'https://www.example.com/')$$),
(3, 'sitemap_files, compression 1', 'COPY TO /dev/null', '<= 1.0',
 $$SELECT sum(byte_count) FROM sitemap_files('SELECT loc, lastmod, changefreq, priority FROM page', 'https://www.example.com/', compression => 1)$$),
(4, 'sitemap_files, compression 6', 'COPY TO /dev/null', '<= 2.8, zlib 5.0',
 $$SELECT sum(byte_count) FROM sitemap_files('SELECT loc, lastmod, changefreq, priority FROM page', 'https://www.example.com/', compression => 6)$$),
(5, 'sitemap_files, one image a page', 'COPY TO /dev/null', NULL,
 $$SELECT sum(byte_count) FROM sitemap_files('SELECT * FROM page_with_image', 'https://www.example.com/')$$),
(6, 'string_agg, 50,000 rows a group', NULL, NULL,
 $$SELECT sum(octet_length(d)) FROM (
     SELECT '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' ||
            string_agg('<url><loc>' ||
                       replace(replace(replace(replace(replace(loc, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&apos;') ||
                       '</loc><lastmod>' || to_char(lastmod AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') ||
                       '</lastmod><changefreq>' || changefreq || '</changefreq><priority>' || to_char(priority, 'FM0.0') ||
                       '</priority></url>', '') || '</urlset>' AS d
       FROM page GROUP BY part) s$$),
(7, 'sitemap_agg, 50,000 rows a group', 'string_agg, 50,000 rows a group', '<= 0.2',
 $$SELECT sum(octet_length(d)) FROM (
     SELECT sitemap_agg(loc, lastmod, changefreq, priority) AS d
       FROM page GROUP BY part) s$$);
INSERT INTO work
SELECT 8, name || ', 2 workers', name, NULL, statement, 2 FROM work WHERE position = 7;

CREATE TABLE result (round int, name text, seconds float8);
CREATE PROCEDURE measure(rounds int) LANGUAGE plpgsql AS $$
DECLARE
    w work;
    started timestamptz;
BEGIN
    -- round 0 warms up and is not counted
    FOR round IN 0 .. rounds LOOP
        FOR w IN SELECT * FROM work ORDER BY position LOOP
            PERFORM set_config('max_parallel_workers_per_gather', w.workers::text, true);
            started := clock_timestamp();
            EXECUTE w.statement;
            IF round > 0 THEN
                INSERT INTO result
                VALUES (round, w.name, extract(epoch FROM clock_timestamp() - started));
            END IF;
        END LOOP;
    END LOOP;
END
$$;
CALL measure(:rounds);

\echo :rows rows, :rounds rounds, medians
SELECT w.name, round(median::numeric, 3) AS seconds, w.beside,
       round(ratio::numeric, 2) AS ratio, w.goal
  FROM work w
  JOIN LATERAL (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY r.seconds) AS median,
                       percentile_cont(0.5) WITHIN GROUP (ORDER BY r.seconds / b.seconds) AS ratio
                  FROM result r LEFT JOIN result b ON b.round = r.round AND b.name = w.beside
                 WHERE r.name = w.name) m ON true
 ORDER BY w.position;
