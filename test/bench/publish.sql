-- Run by test/bench/run with the variables pages, rows, rounds, and what to call the machine:
-- what a run with changes costs in comparison with a full run, what the columns "key" and
-- "shown" cost a full run, and what sitemap_watch adds to the statements of a table.
--
-- Each round edits pages that no round before has edited.  The medians of the rounds are
-- shown.
\pset footer off
\pset tuples_only on
\pset format unaligned
SET client_min_messages = warning;
CREATE EXTENSION sitemap;

CREATE TABLE page (id bigint PRIMARY KEY, changed timestamptz NOT NULL, description text);
CREATE TABLE queue (id bigint);
CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE shown_target OF sitemap_file (PRIMARY KEY (base_url, name));
ALTER TABLE target ALTER content SET STORAGE EXTERNAL;
ALTER TABLE shown_target ALTER content SET STORAGE EXTERNAL;
SELECT sitemap_watch('page', 'id', 'queue');

-- Fill the tables anew.  length: of a description, in units of 32 bytes; 0 for none.
CREATE PROCEDURE fill(pages bigint, length int) LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE page, target, shown_target;
  INSERT INTO page
  SELECT n, timestamptz '2026-01-01 00:00:00Z' + n * interval '37 seconds', repeat(md5(n::text), nullif(length, 0))
    FROM generate_series(1, pages) n;
  TRUNCATE queue;
  COMMIT;
END
$$;

CREATE TABLE result (target regclass, max_urls int, run text, seconds float8, files int, written int, wal numeric);
CREATE PROCEDURE publish(target regclass, max_urls int, run text, columns text, changes text DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
  started timestamptz := clock_timestamp();
  wal pg_lsn := pg_current_wal_insert_lsn();
  query text := format('SELECT ''/category-'' || id %% 100 || ''/item-'' || id AS loc, changed AS lastmod %s FROM page ORDER BY id', columns);
  parts record;
BEGIN
  SELECT count(*) AS files, count(*) FILTER (WHERE action <> 'unchanged') AS written INTO parts
    FROM sitemap_publish(target, query, 'https://www.example.com/', max_urls => max_urls, changes => changes)
   WHERE kind <> 'index';
  INSERT INTO result
  VALUES (target, max_urls, run, extract(epoch FROM clock_timestamp() - started), parts.files, parts.written,
          pg_current_wal_insert_lsn() - wal);
  COMMIT;
END
$$;

CREATE PROCEDURE measure_changes(max_urls int, pages bigint, rounds int) LANGUAGE plpgsql AS $$
DECLARE
  run text;
BEGIN
  TRUNCATE target;
  COMMIT;
  CALL publish('target', max_urls, 'first', '');
  FOR round IN 1 .. rounds LOOP
    -- the first of these updates first_key and recipe
    FOREACH run IN ARRAY '{"full, no key","","full, key"}'::text[] LOOP
      CALL publish('target', max_urls, run, CASE WHEN run <> 'full, no key' THEN ', id AS key' ELSE '' END);
    END LOOP;
    FOREACH run IN ARRAY '{1 page,100 in a row,100 scattered,10000 scattered}'::text[] LOOP
      UPDATE page SET changed = changed + interval '1 second'
       WHERE id = ANY (ARRAY(SELECT CASE WHEN run ~ 'in a row' THEN pages / 20 * round + n
                                    ELSE 1 + (n * 7919 + round * 104729) * greatest(pages / 10007, 1) % pages END
                               FROM generate_series(1, substring(run FROM '\d+')::int) n));
      COMMIT;
      CALL publish('target', max_urls, run, ', id AS key', 'DELETE FROM queue RETURNING id');
    END LOOP;
  END LOOP;
END
$$;

-- Two targets of the same values: "shown", and a changefreq that is always NULL.
CREATE PROCEDURE measure_shown(pages bigint, rounds int) LANGUAGE plpgsql AS $$
DECLARE
  run text;
  target record;
BEGIN
  FOR round IN 1 .. rounds LOOP
    FOREACH run IN ARRAY '{first,nothing,1 page,2% of the pages}'::text[] LOOP
      CONTINUE WHEN run = 'first' AND round > 1;
      IF run ~ 'page' THEN
        UPDATE page SET changed = now(), description = 'x' || description
         WHERE id % CASE run WHEN '1 page' THEN pages ELSE 50 END = round;
        COMMIT;
      END IF;
      FOR target IN VALUES ('target', ', id AS key, CASE WHEN concat_ws('','', id, description) IS NULL THEN ''never'' END AS changefreq'),
                           ('shown_target', ', id AS key, concat_ws('','', id, description) AS shown') LOOP
        CALL publish(target.column1, 50000, run, target.column2, CASE run WHEN '1 page' THEN 'SELECT id FROM queue' END);
      END LOOP;
      TRUNCATE queue;
      COMMIT;
    END LOOP;
  END LOOP;
END
$$;

CREATE VIEW median AS
SELECT target, max_urls, run, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)::numeric AS seconds, round(avg(files)) AS files,
       round(avg(written)) AS written, percentile_cont(0.5) WITHIN GROUP (ORDER BY wal::float8)::numeric AS wal
  FROM result
 GROUP BY target, max_urls, run;

\echo
\echo '## A run with changes'
\echo
SET max_parallel_workers_per_gather = 0;
CALL fill(:pages, 0);
VACUUM ANALYZE page;
CALL measure_changes(50000, :pages, :rounds);
CALL measure_changes(10000, :pages, :rounds);
CALL measure_changes(2000, :pages, :rounds);
SELECT format('%s. %s pages by primary key, compression 6; %s rounds, medians; %s.', :'machine', to_char(:pages, 'FM999,999,999'), :rounds,
              to_char(current_date, 'YYYY-MM-DD'));
\echo
\echo '| max_urls | run | files made | written | seconds | of a full run | goal | WAL, MB |'
\echo '|---|---|---|---|---|---|---|---|'
SELECT format('| %s | %s | %s | %s | %s | %s%% | %s | %s |', to_char(max_urls, 'FM99,999'), run, files, written,
              round(seconds, CASE WHEN seconds < 1 THEN 3 ELSE 1 END),
              round(100 * seconds / max(seconds) FILTER (WHERE run = 'full, key') OVER (PARTITION BY max_urls), 1),
              CASE WHEN run IN ('1 page', '100 in a row') AND max_urls = 50000 THEN '≤ 5%'
                   WHEN run = '100 scattered' AND max_urls = 2000 THEN '≤ 15%' END,
              round(wal / 1e6, 1))
  FROM median WHERE run NOT IN ('', 'first')
 ORDER BY max_urls DESC, seconds;
\echo
SELECT format('A full run with a key takes %s of the time of one without, goal ≤ 1.05.', round(percentile_cont(0.5) WITHIN GROUP (ORDER BY k.seconds / n.seconds)::numeric, 2))
  FROM (SELECT *, row_number() OVER (PARTITION BY max_urls) FROM result WHERE run = 'full, key') k
  JOIN (SELECT *, row_number() OVER (PARTITION BY max_urls) FROM result WHERE run = 'full, no key') n USING (max_urls, row_number);

\echo
\echo '## A column shown'
\echo
RESET max_parallel_workers_per_gather;
TRUNCATE result;
CALL fill(:rows, 6);
VACUUM ANALYZE page;
CALL measure_shown(:rows, :rounds);
SELECT format('%s. %s pages, each with 200 bytes of text, compression 6; %s rounds, medians; %s.', :'machine', to_char(:rows, 'FM999,999,999'), :rounds,
              to_char(current_date, 'YYYY-MM-DD'));
\echo
\echo '| what changed | seconds without | with | ratio | goal | WAL without, MB | with |'
\echo '|---|---|---|---|---|---|---|'
SELECT format('| %s | %s | %s | %s | %s | %s | %s |', run, round(o.seconds, 3), round(s.seconds, 3), round(s.seconds / o.seconds, 2),
              CASE run WHEN 'nothing' THEN '≤ 1.1' END, round(o.wal / 1e6, 1), round(s.wal / 1e6, 1))
  FROM (SELECT * FROM median WHERE target = 'target'::regclass) o
  JOIN (SELECT * FROM median WHERE target = 'shown_target'::regclass) s USING (run)
 ORDER BY s.wal;
\echo
SELECT format('The column has %s bytes a page, goal ≤ 16, and 16 a file.', round((sum(length(shown)) - 16.0 * count(shown)) / sum(url_count) FILTER (WHERE kind <> 'index'), 1))
  FROM shown_target;

CREATE TABLE plain (id bigint PRIMARY KEY, title text, views int);
CREATE TABLE watched (LIKE plain INCLUDING ALL);
SELECT sitemap_watch('watched', 'id', 'queue', '{title}');
CREATE TABLE statement (source regclass, what text, seconds float8);
CREATE PROCEDURE measure_watch(rounds int) LANGUAGE plpgsql AS $$
DECLARE
  started timestamptz;
  source text;
  work record;
BEGIN
  FOR round IN 1 .. rounds LOOP
    FOREACH source IN ARRAY '{plain,watched}'::text[] LOOP
      FOR work IN VALUES ('INSERT', 'INSERT INTO %I SELECT n, ''title '' || n, 0 FROM generate_series(1, 300000) n'),
                         ('UPDATE of a column not watched', 'UPDATE %I SET views = views + 1'),
                         ('UPDATE of a watched column', 'UPDATE %I SET title = title || ''x'''), ('DELETE', 'DELETE FROM %I') LOOP
        started := clock_timestamp();
        EXECUTE format(work.column2, source);
        INSERT INTO statement VALUES (source, work.column1, extract(epoch FROM clock_timestamp() - started));
        COMMIT;
      END LOOP;
      EXECUTE format('TRUNCATE %I, queue', source);
      COMMIT;
    END LOOP;
  END LOOP;
END
$$;
CALL measure_watch(:rounds);
\echo
\echo '## Watched tables'
\echo
\echo 'Statements of 300,000 rows, in microseconds a row; medians.'
\echo
\echo '| statement | not watched | sitemap_watch adds | goal |'
\echo '|---|---|---|---|'
SELECT format('| %s | %s | %s | ≤ %s |', what, round(plain / 0.3, 2), round((watched - plain) / 0.3, 2), CASE WHEN what ~ 'not watched' THEN 0.3 WHEN what ~ 'UPDATE' THEN 1.0 ELSE 0.5 END)
  FROM (SELECT what, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE source = 'plain'::regclass)::numeric AS plain,
               percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE source = 'watched'::regclass)::numeric AS watched
          FROM statement GROUP BY what) s
 ORDER BY what;
