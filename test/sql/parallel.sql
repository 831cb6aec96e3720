-- Aggregates in parallel plans.
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir /sql/include/helpers.sql
\i :helpers
CREATE TABLE parallel_page AS SELECT n AS id, n % 7 AS grp, 'http://a/' || n AS loc, timestamp '2026-01-01' + n * interval '1 minute' AS ts FROM generate_series(1, 20000) n;
ALTER TABLE parallel_page SET (parallel_workers = 2);
ANALYZE parallel_page;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
-- each worker must get something to do
SET parallel_leader_participation = off;
CREATE FUNCTION pg_temp.plan(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
		IF line ~ 'Aggregate|Gather' THEN
			RETURN NEXT trim(line, ' ->');
		END IF;
	END LOOP;
END
$$;
SELECT pg_temp.plan('SELECT sitemap_agg(loc) FROM parallel_page');
-- every one of them can be split between workers
SELECT a, string_agg(line, ', ') FROM unnest('{sitemap_agg(loc),"sitemap_agg(loc, ts)","sitemap_agg(loc, ts::timestamptz)","sitemap_agg(loc, ts::date)","sitemap_agg(loc, ''2026''::text)",
	"sitemap_agg(loc, ts, ''daily'', 0.5)","sitemap_agg(loc, ts::timestamptz, ''daily'', 0.5)","sitemap_agg(loc, ts::date, ''daily'', 0.5)","sitemap_agg(loc, ''2026''::text, ''daily'', 0.5)",
	"sitemap_agg(sitemap_url(loc, ts))",sitemap_index_agg(loc),"sitemap_index_agg(loc, ts)","sitemap_index_agg(loc, ts::timestamptz)","sitemap_index_agg(loc, ts::date)","sitemap_index_agg(loc, ''2026''::text)",
	sitemap_text_agg(loc)}'::text[]) WITH ORDINALITY AS u (a, n), pg_temp.plan('SELECT ' || a || ' FROM parallel_page') line GROUP BY n, a ORDER BY n;
-- the same entries as without workers, in an order that nobody promised
CREATE FUNCTION pg_temp.entries(document text) RETURNS text LANGUAGE sql AS $$
	SELECT count(*) || ' ' || md5(string_agg(entry, '' ORDER BY entry COLLATE "C")) || ' ' || min(entry COLLATE "C")
	  FROM string_to_table(regexp_replace(document, '<(url|sitemap|/urlset|/sitemapindex)>', E'\n', 'g'), E'\n') entry $$;
CREATE TEMP TABLE result AS SELECT 'parallel' AS how, (SELECT sitemap_agg(loc) FROM parallel_page) AS agg, (SELECT sitemap_agg(loc, ts, 'daily', 0.5) FROM parallel_page) AS agg4,
	(SELECT sitemap_agg(sitemap_url(loc, ts, extensions => CASE grp WHEN 1 THEN ARRAY[sitemap_image(loc)] WHEN 2 THEN sitemap_alternates('{"de": "http://a/"}') END)) FROM parallel_page) AS url,
	(SELECT sitemap_index_agg(loc, ts) FROM parallel_page) AS index, (SELECT sitemap_text_agg(loc) FROM parallel_page) AS text;
SET max_parallel_workers_per_gather = 0;
SELECT pg_temp.plan('SELECT sitemap_agg(loc) FROM parallel_page');
INSERT INTO result SELECT 'serial', (SELECT sitemap_agg(loc) FROM parallel_page), (SELECT sitemap_agg(loc, ts, 'daily', 0.5) FROM parallel_page),
	(SELECT sitemap_agg(sitemap_url(loc, ts, extensions => CASE grp WHEN 1 THEN ARRAY[sitemap_image(loc)] WHEN 2 THEN sitemap_alternates('{"de": "http://a/"}') END)) FROM parallel_page),
	(SELECT sitemap_index_agg(loc, ts) FROM parallel_page), (SELECT sitemap_text_agg(loc) FROM parallel_page);
SELECT how, pg_temp.entries(agg) FROM result ORDER BY how;
SELECT how, pg_temp.entries(agg4) FROM result ORDER BY how;
SELECT how, pg_temp.entries(url) FROM result ORDER BY how;
SELECT how, pg_temp.entries(index) FROM result ORDER BY how;
SELECT how, pg_temp.entries(text) FROM result ORDER BY how;
-- groups, some of which only one worker sees
SET max_parallel_workers_per_gather = 2;
SELECT count(*) FROM pg_temp.plan('SELECT grp, sitemap_agg(loc) FROM parallel_page GROUP BY grp') line WHERE line ~ 'Partial .*Aggregate';
CREATE TEMP TABLE groups AS SELECT grp, sitemap_agg(loc, ts) AS doc FROM parallel_page GROUP BY grp;
SET max_parallel_workers_per_gather = 0;
SELECT count(*), count(*) FILTER (WHERE pg_temp.entries(g.doc) = pg_temp.entries(s.doc)) FROM groups g JOIN (SELECT grp, sitemap_agg(loc, ts) AS doc FROM parallel_page GROUP BY grp) s USING (grp);
SET max_parallel_workers_per_gather = 2;
-- nothing in any worker, or in all but one
SELECT sitemap_agg(loc) IS NULL FROM parallel_page WHERE id < 0;
SELECT sitemap_text_agg(CASE WHEN id < 0 THEN loc END) IS NULL FROM parallel_page;
SELECT sitemap_text_agg(loc) FROM parallel_page WHERE id = 20000;
-- the limits hold for the sum: 50,000 entries, 1,000 with news
SELECT pg_temp.plan('SELECT sitemap_agg(p.loc) FROM parallel_page p JOIN (VALUES (1), (2), (3)) v (n) ON p.id > n');
SELECT pg_temp.error('SELECT sitemap_agg(p.loc) FROM parallel_page p JOIN (VALUES (1), (2), (3)) v (n) ON p.id > n');
SELECT pg_temp.error($$ SELECT sitemap_agg(sitemap_url(loc, ts, extensions => ARRAY[sitemap_news('n', 'en', ts, 't')])) FROM parallel_page WHERE id % 19 = 0 $$);
-- 52,428,800 bytes in sum
SELECT pg_temp.error('SELECT sitemap_text_agg(rpad(p.loc, 2047, ''x'')) FROM parallel_page p JOIN (VALUES (1), (2)) v (n) ON p.id > n');
SELECT octet_length(sitemap_text_agg(rpad(loc, 1747, 'x'))), octet_length(sitemap_text_agg(rpad(loc, 2047, 'x'))) FROM parallel_page;
-- an error in a worker
SELECT pg_temp.error('SELECT sitemap_agg(CASE id WHEN 12345 THEN ''/'' ELSE loc END) FROM parallel_page');
DROP TABLE parallel_page;
