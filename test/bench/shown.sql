-- Run by test/bench/run with the variables rows, rounds, and what to call the machine:
-- what a column "shown" costs.  Both queries select the same values, once as "shown".
--
-- Each round changes pages that no round before has changed; the medians of the rounds
-- are shown.
\pset footer off
\pset tuples_only on
\pset format unaligned
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 2;
CREATE EXTENSION IF NOT EXISTS sitemap;
CREATE SCHEMA shown;
SET search_path = shown, public;

-- a title and a description of 200 bytes
CREATE TABLE page (id bigint, changed timestamptz NOT NULL, title text, description text);
INSERT INTO page
SELECT n, timestamptz '2026-01-01 00:00:00Z' + n * interval '37 seconds', 'Item ' || n, repeat(md5(n::text), 6)
  FROM generate_series(1, :rows) n;
ALTER TABLE page ADD PRIMARY KEY (id);
VACUUM ANALYZE page;
CREATE TABLE queue (id bigint);
CREATE TABLE without_shown OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE with_shown OF sitemap_file (PRIMARY KEY (base_url, name));
ALTER TABLE without_shown ALTER content SET STORAGE EXTERNAL;
ALTER TABLE with_shown ALTER content SET STORAGE EXTERNAL;

CREATE TABLE result (target regclass, what text, seconds float8, wal numeric);
CREATE PROCEDURE publish(target regclass, what text, changes text) LANGUAGE plpgsql AS $$
DECLARE
  started timestamptz := clock_timestamp();
  wal pg_lsn := pg_current_wal_insert_lsn();
  -- no description is NULL, so no page has a changefreq
  query text := 'SELECT ''/category-'' || id % 100 || ''/item-'' || id AS loc, changed AS lastmod, id AS key, '
                || CASE target::text WHEN 'with_shown' THEN 'concat_ws('','', title, description) AS shown'
                   ELSE 'CASE WHEN concat_ws('','', title, description) IS NULL THEN ''never'' END AS changefreq' END
                || ' FROM shown.page ORDER BY id';
BEGIN
  PERFORM FROM sitemap_publish(target, query, 'https://www.example.com/', changes => changes);
  INSERT INTO result
  VALUES (target, what, extract(epoch FROM clock_timestamp() - started), pg_current_wal_insert_lsn() - wal);
  COMMIT;
END
$$;
CREATE PROCEDURE measure(pages bigint, rounds int) LANGUAGE plpgsql AS $$
DECLARE
  target regclass;
  what text;
BEGIN
  FOR round IN 1 .. rounds LOOP
    FOREACH what IN ARRAY '{first,nothing,1 page,2% of the pages}'::text[] LOOP
      CONTINUE WHEN what = 'first' AND round > 1;
      IF what IN ('1 page', '2% of the pages') THEN
        UPDATE page SET changed = now(), title = title || 'x' WHERE id % CASE what WHEN '1 page' THEN pages ELSE 50 END = round;
        COMMIT;
      END IF;
      FOREACH target IN ARRAY '{without_shown,with_shown}'::regclass[] LOOP
        IF what = '1 page' THEN
          INSERT INTO queue VALUES (round);
          COMMIT;
          CALL publish(target, what, 'DELETE FROM shown.queue RETURNING id');
        ELSE
          CALL publish(target, what, NULL);
        END IF;
      END LOOP;
    END LOOP;
  END LOOP;
END
$$;
CALL measure(:rows, :rounds);

\echo
\echo '## A column shown'
\echo
SELECT format('%s. %s pages, each with 200 bytes of text, compression 6; %s rounds, medians; %s.', :'machine', to_char(:rows, 'FM999,999,999'), :rounds,
              to_char(current_date, 'YYYY-MM-DD'));
\echo
\echo '| what changed | seconds without | with | ratio | goal | WAL without, MB | with |'
\echo '|---|---|---|---|---|---|---|'
SELECT format('| %s | %s | %s | %s | %s | %s | %s |', what, round(min(seconds) FILTER (WHERE NOT has)::numeric, 3), round(min(seconds) FILTER (WHERE has)::numeric, 3),
              round((min(seconds) FILTER (WHERE has) / min(seconds) FILTER (WHERE NOT has))::numeric, 2),
              CASE what WHEN 'nothing' THEN '≤ 1.1' END,
              round(min(wal) FILTER (WHERE NOT has) / 1e6, 1), round(min(wal) FILTER (WHERE has) / 1e6, 1))
  FROM (SELECT what, target::text = 'with_shown' AS has, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS seconds,
               percentile_cont(0.5) WITHIN GROUP (ORDER BY wal::float8)::numeric AS wal
          FROM result GROUP BY what, target) r
 GROUP BY what ORDER BY max(wal);
\echo
SELECT format('The column has %s bytes a page, goal ≤ 16, and 16 a file.', round((sum(length(shown)) - 16.0 * count(shown)) / sum(url_count) FILTER (WHERE kind <> 'index'), 1))
  FROM with_shown;
DROP SCHEMA shown CASCADE;
