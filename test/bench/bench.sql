-- Run by test/bench/run with the variables rows, rounds, long, what to call the
-- machine and the libraries, a path for a script, and, where there are two builds
-- to compare, other_module.
--
-- Each round runs every statement once; a ratio is that of two statements of
-- one round, and the median of the rounds is shown, so that a machine that is
-- slow for a while is slow for both.
\pset footer off
\pset tuples_only on
SET client_min_messages = warning;
CREATE EXTENSION sitemap;

-- The edition in SQL
CREATE SCHEMA managed;
BEGIN;
SET LOCAL search_path = managed;
\i managed/sitemap.sql
COMMIT;

\ir pages.sql

-- The build without libdeflate, beside the one that is installed.
CREATE SCHEMA zlib;
\if :{?other_module}
SELECT replace(replace(pg_get_functiondef('sitemap_files'::regproc), 'FUNCTION public.', 'FUNCTION zlib.'),
               '$libdir/sitemap', :'other_module') \gexec
\endif

-- Each statement returns the bytes that it made.
CREATE TABLE work (
	position serial,
	name     text,
	beside   text,
	goal     text,
	statement text,
	workers  int DEFAULT 0,			-- serial where nothing else is said, so that only the work differs
	memory_kb bigint
);
CREATE FUNCTION files(options text, query text DEFAULT 'SELECT loc, lastmod, changefreq, priority FROM public.page',
                      schema text DEFAULT 'public') RETURNS text
LANGUAGE sql AS $$
SELECT format('SELECT sum(octet_length(content)) FROM %I.sitemap_files(%L, %L%s)',
              schema, query, 'https://www.example.com/', options)
$$;

\set copy '`COPY (query) TO ''/dev/null''`'
\set string_agg '`string_agg` with nested `replace`, 50,000 rows a group'
INSERT INTO work (name, statement) VALUES
(:'copy',
 $$COPY (SELECT loc, lastmod, changefreq, priority FROM page) TO '/dev/null'$$);

INSERT INTO work (name, beside, goal, statement) VALUES
('`sitemap_files`', :'copy', '0.80', files('')),
('`sitemap_files`, an image on each page', :'copy', NULL, files('', 'TABLE public.page_with_image'));

INSERT INTO work (name, beside, goal, statement)
SELECT w.*
  FROM (VALUES ('a column `images`', 'an image in the column `images`', 'page_with_images'),
               ('columns `images` and `alternates`', 'an image and three languages in columns', 'page_with_languages'),
               ('a column `videos`', 'a video in the column `videos`', 'page_with_video'),
               ('a column `news`', 'a news article in the column `news`', 'page_with_news')) v (columns, content, source),
       LATERAL (VALUES ('`COPY` of a query with ' || columns, NULL, NULL, format($$COPY (TABLE %I) TO '/dev/null'$$, source)),
                       ('`sitemap_files`, ' || content, '`COPY` of a query with ' || columns, '1.0', files('', 'TABLE public.' || source))) w;

-- The audit, and 50 rules of a robots.txt.
CREATE FUNCTION audit(options text) RETURNS text
LANGUAGE sql AS $$
SELECT format('SELECT count(*) FROM sitemap_audit(%L, %L%s)',
              'SELECT loc, lastmod, changefreq, priority FROM public.page', 'https://www.example.com/', options)
$$;
INSERT INTO work (name, beside, goal, statement)
SELECT '`sitemap_audit`', '`sitemap_files`', '2.5', audit('')
 UNION ALL
SELECT '`sitemap_audit`, 50 rules of a robots.txt', '`sitemap_audit`', '1.6',
       audit(format(', robots => %L', E'User-agent: *\n' || string_agg(format(E'Disallow: /private-%s/\nDisallow: /*?filter-%s=\n', n, n), '')))
  FROM generate_series(1, 25) n;

\if :{?other_module}
\set library libdeflate
\else
\set library zlib
\endif
INSERT INTO work (name, beside, goal, statement)
SELECT format('`sitemap_files`, compression %s, %s', level, :'library'), :'copy',
       CASE WHEN :'library' = 'libdeflate' THEN goal END, files(', compression => ' || level)
  FROM (VALUES (1, '1.05'), (6, '1.4'), (9, NULL)) v (level, goal);
\if :{?other_module}
INSERT INTO work (name, beside, statement)
SELECT format('`sitemap_files`, compression %s, zlib', level), :'copy',
       files(', compression => ' || level, schema => 'zlib')
  FROM unnest('{1,6,9}'::int[]) level;
\endif

INSERT INTO work (name, beside, goal, statement) VALUES
('`sitemap_files` of `managed/sitemap.sql`', '`sitemap_files`', '48', files('', schema => 'managed'));

INSERT INTO work (name, statement) VALUES
(:'string_agg',
 $$SELECT sum(octet_length(d)) FROM (
     SELECT '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' ||
            string_agg('<url><loc>' ||
                       replace(replace(replace(replace(replace(loc, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&apos;') ||
                       '</loc><lastmod>' || to_char(lastmod AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') ||
                       '</lastmod><changefreq>' || changefreq || '</changefreq><priority>' || to_char(priority, 'FM0.0') ||
                       '</priority></url>', '') || '</urlset>' AS d
       FROM page GROUP BY part) s$$);
INSERT INTO work (name, beside, goal, statement, workers)
SELECT format('`sitemap_agg`, %s, %s', groups, CASE workers WHEN 0 THEN 'serial' ELSE '2 workers' END),
       CASE WHEN workers > 0 THEN format('`sitemap_agg`, %s, serial', groups)
            WHEN key = 'part' THEN :'string_agg' END,
       CASE WHEN workers > 0 THEN '1.0' WHEN key = 'part' THEN '0.2' END,
       format('SELECT sum(octet_length(d)) FROM (SELECT sitemap_agg(loc, lastmod, changefreq, priority) AS d FROM page GROUP BY %I) s', key),
       workers
  FROM (VALUES ('part', '50,000 rows a group'), ('shop', '1,000 groups')) k (key, groups),
       unnest('{0,2}'::int[]) workers
 ORDER BY key, workers;

INSERT INTO work (name, beside, statement)
SELECT format('`xmlagg`, %s rows', rows), CASE rows WHEN '20,000' THEN '`xmlagg`, 10,000 rows' END,
       format($$SELECT octet_length(xmlelement(name urlset, xmlagg(xmlelement(name url, xmlelement(name loc, loc),
                  xmlelement(name lastmod, lastmod), xmlelement(name changefreq, changefreq),
                  xmlelement(name priority, priority))))::text)
                FROM (SELECT * FROM page LIMIT %s) s$$, replace(rows, ',', ''))
  FROM (VALUES ('10,000'), ('20,000')) v (rows);

-- A short section in a target of its own, and in one whose other section is being published all the
-- time: its query does nothing but wait.
CREATE TABLE alone OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE shared OF sitemap_file (PRIMARY KEY (base_url, name));
\! psql -X -q -c "SELECT FROM sitemap_publish('shared', 'SELECT loc FROM public.page WHERE pg_sleep(86400) IS NULL', 'https://www.example.com/', section => 'long')" >/dev/null 2>&1 &
DO $$
BEGIN
    WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query ~ 'section => ''long''' AND pid <> pg_backend_pid()) LOOP
        PERFORM pg_stat_clear_snapshot();
    END LOOP;
END
$$;
INSERT INTO work (name, beside, goal, statement)
SELECT name, beside, goal,
       format($$SELECT sum(byte_count)
                  FROM generate_series(1, 20) n,
                       sitemap_publish(%L, format('SELECT ''/item-'' || i || %%L AS loc FROM generate_series(1, 1000) i ORDER BY i', '?' || n || random()),
                                       'https://www.example.com/', section => 'short')$$, target)
  FROM (VALUES ('20 runs of `sitemap_publish`, a short section alone', NULL, NULL, 'alone'),
               ('20 runs of `sitemap_publish`, a short section beside a long one', '20 runs of `sitemap_publish`, a short section alone', '1.1', 'shared')) v (name, beside, goal, target);

-- A statement in a session of its own, and the most memory that this had and did not share: all that
-- was resident at the most, less what is shared by now.  Linux tells it; NULL elsewhere.
CREATE PROCEDURE watch(which int) LANGUAGE plpgsql AS $$
DECLARE
    w work;
BEGIN
    SELECT * FROM work WHERE position = which INTO w;
    PERFORM set_config('max_parallel_workers_per_gather', w.workers::text, true);
    EXECUTE w.statement;
    UPDATE work
       SET memory_kb = (SELECT sum((regexp_match(status, line || ':\s+(\d+)'))[1]::bigint * sign)
                          FROM pg_read_file('/proc/self/status', 0, 10000, true) status,
                               (VALUES ('VmHWM', 1), ('RssShmem', -1), ('RssFile', -1)) v (line, sign))
     WHERE position = which;
END
$$;

CREATE TABLE result (round int, name text, seconds float8, bytes bigint);
CREATE PROCEDURE measure(rounds int) LANGUAGE plpgsql AS $$
DECLARE
    w work;
    started timestamptz;
    bytes bigint;
BEGIN
    -- round 0 warms up and is not counted
    FOR round IN 0 .. rounds LOOP
        FOR w IN SELECT * FROM work ORDER BY position LOOP
            PERFORM set_config('max_parallel_workers_per_gather', w.workers::text, true);
            started := clock_timestamp();
            IF w.statement ~ '^COPY' THEN
                EXECUTE w.statement;
            ELSE
                EXECUTE w.statement INTO bytes;
            END IF;
            IF round > 0 THEN
                INSERT INTO result
                VALUES (round, w.name, extract(epoch FROM clock_timestamp() - started),
                        CASE WHEN w.statement !~ '^COPY' THEN bytes END);
            END IF;
        END LOOP;
    END LOOP;
END
$$;

\if :long
INSERT INTO work (name, beside, goal, statement)
SELECT format('`sitemap_files`, %s million generated rows', millions),
       CASE WHEN millions > 1 THEN '`sitemap_files`, 1 million generated rows' END,
       CASE WHEN millions > 1 THEN millions || '.0' END,
       files('', format($$SELECT 'https://www.example.com/category-' || n %% 100 || '/item-' || n AS loc,
                                 timestamptz '2026-01-01 00:00:00Z' + n * interval '37 seconds' AS lastmod
                            FROM (SELECT generate_series(1, %s000000) AS n) s$$, millions))
  FROM unnest('{1,5,20,50}'::int[]) millions;
\endif

\pset format unaligned
SELECT E'\\connect -\nCALL watch(' || position || ');' FROM work ORDER BY position \g :script
\i :script
CALL measure(:rounds);

-- The run of the long section may have parallel workers, which end with it.
SELECT count(pg_terminate_backend(pid)) AS ended FROM pg_stat_activity
 WHERE backend_type = 'client backend' AND query ~ 'section => ''long''' AND pid <> pg_backend_pid() \gset

\echo '## ' :machine
\echo
SELECT format('%s, %s. %s rows, %s rounds, medians; %s.',
              substring(version() FROM 'PostgreSQL [^ ]+'), :'libraries', to_char(:rows, 'FM999,999,999'),
              :rounds, to_char(current_date, 'YYYY-MM-DD'));
\echo
\echo '| work | seconds | beside | ratio | goal | memory, MB | made, MB |'
\echo '|---|---|---|---|---|---|---|'
SELECT format('| %s | %s | %s | %s | %s | %s | %s |', w.name,
              round(m.seconds::numeric, CASE WHEN m.seconds < 0.1 THEN 4 WHEN m.seconds < 10 THEN 2 ELSE 1 END), w.beside,
              round(m.ratio::numeric, 2), '≤ ' || w.goal, round(w.memory_kb / 1024.0, 1),
              round(m.bytes / 1e6, 1))
  FROM work w
  JOIN LATERAL (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY r.seconds) AS seconds,
                       percentile_cont(0.5) WITHIN GROUP (ORDER BY r.seconds / b.seconds) AS ratio,
                       max(r.bytes) AS bytes
                  FROM result r LEFT JOIN result b ON b.round = r.round AND b.name = w.beside
                 WHERE r.name = w.name) m ON true
 ORDER BY w.position;
