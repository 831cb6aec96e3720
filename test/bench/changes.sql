-- Run by test/bench/run with the variables pages, rounds, and what to call the
-- machine: what a run with changes costs beside a full run on unchanged data, and
-- what a column "key" and triggers cost.
--
-- Each round changes pages that no round before has changed; the median of the
-- rounds is shown.
\pset footer off
\pset tuples_only on
\pset format unaligned
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
CREATE EXTENSION IF NOT EXISTS sitemap;
CREATE SCHEMA changes;
SET search_path = changes, public;

CREATE TABLE page (id bigint, changed timestamptz NOT NULL);
INSERT INTO page SELECT n, timestamptz '2026-01-01 00:00:00Z' + n * interval '37 seconds' FROM generate_series(1, :pages) n;
ALTER TABLE page ADD PRIMARY KEY (id);
VACUUM ANALYZE page;
CREATE TABLE queue (id bigint);
CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));
ALTER TABLE target ALTER content SET STORAGE EXTERNAL;

CREATE TABLE result (max_urls int, name text, seconds float8, files int, written int, wal numeric);
CREATE PROCEDURE publish(max_urls int, what text, changes text) LANGUAGE plpgsql AS $$
DECLARE
  started timestamptz := clock_timestamp();
  wal pg_lsn := pg_current_wal_insert_lsn();
  query text := 'SELECT ''/category-'' || id % 100 || ''/item-'' || id AS loc, changed AS lastmod'
                || CASE WHEN what <> 'full, no key' THEN ', id AS key' ELSE '' END || ' FROM changes.page ORDER BY id';
  run record;
BEGIN
  SELECT count(*) FILTER (WHERE kind <> 'index') AS files,
         count(*) FILTER (WHERE kind <> 'index' AND action <> 'unchanged') AS written INTO run
    FROM sitemap_publish('changes.target', query, 'https://www.example.com/', max_urls => max_urls, changes => changes);
  INSERT INTO result
  VALUES (max_urls, what, extract(epoch FROM clock_timestamp() - started), run.files, run.written,
          pg_current_wal_insert_lsn() - wal);
  COMMIT;
END
$$;
CREATE PROCEDURE measure(max_urls int, pages bigint, rounds int, cases text[]) LANGUAGE plpgsql AS $$
DECLARE
  what text;
BEGIN
  TRUNCATE target;
  TRUNCATE queue;
  COMMIT;
  CALL publish(max_urls, 'first', NULL);
  FOR round IN 1 .. rounds LOOP
    -- the first of these updates first_key and recipe
    FOREACH what IN ARRAY '{"full, no key", "", "full, key"}'::text[] LOOP
      CALL publish(max_urls, what, NULL);
    END LOOP;
    FOREACH what IN ARRAY cases LOOP
      WITH changed AS (
        UPDATE page SET changed = changed + interval '1 second'
         WHERE id = ANY (ARRAY(SELECT CASE WHEN what ~ 'in a row' THEN pages / 20 * round + n
                                      ELSE 1 + (n * 7919 + round * 104729) * greatest(pages / 10007, 1) % pages END
                                 FROM generate_series(1, substring(what FROM '\d+')::int) n))
         RETURNING id)
      INSERT INTO queue SELECT id FROM changed;
      COMMIT;
      CALL publish(max_urls, what, 'DELETE FROM changes.queue RETURNING id');
    END LOOP;
  END LOOP;
END
$$;
CALL measure(50000, :pages, :rounds, '{1 page,100 in a row,100 scattered,10000 scattered}');
CALL measure(10000, :pages, :rounds, '{1 page,100 in a row,100 scattered,10000 scattered}');
CALL measure(2000, :pages, :rounds, '{1 page,100 in a row,100 scattered,10000 scattered}');

\echo
\echo '## A run with changes'
\echo
SELECT format('%s. %s pages by primary key, compression 6; %s rounds, medians; %s.', :'machine', to_char(:pages, 'FM999,999,999'), :rounds,
              to_char(current_date, 'YYYY-MM-DD'));
\echo
\echo '| max_urls | run | files made | written | seconds | of a full run | goal | WAL, MB |'
\echo '|---|---|---|---|---|---|---|---|'
SELECT format('| %s | %s | %s | %s | %s | %s%% | %s | %s |', to_char(max_urls, 'FM99,999'), name, files, written,
              round(seconds::numeric, CASE WHEN seconds < 1 THEN 3 ELSE 1 END),
              round(100 * (seconds / max(seconds) FILTER (WHERE name = 'full, key') OVER (PARTITION BY max_urls))::numeric, 1),
              CASE WHEN name = '1 page' AND max_urls = 50000 OR name = '100 in a row' AND max_urls = 50000 THEN '≤ 5%'
                   WHEN name = '100 scattered' AND max_urls = 2000 THEN '≤ 15%' END,
              round(wal / 1e6, 1))
  FROM (SELECT max_urls, name, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS seconds,
               round(avg(files)) AS files, round(avg(written)) AS written, percentile_cont(0.5) WITHIN GROUP (ORDER BY wal::float8)::numeric AS wal
          FROM result WHERE name NOT IN ('', 'first') GROUP BY max_urls, name) r
 ORDER BY max_urls DESC, seconds;
\echo
SELECT format('A full run with a key takes %s of the time of one without, goal ≤ 1.05.', round(percentile_cont(0.5) WITHIN GROUP (ORDER BY k.seconds / n.seconds)::numeric, 2))
  FROM (SELECT *, row_number() OVER (PARTITION BY max_urls) FROM result WHERE name = 'full, key') k
  JOIN (SELECT *, row_number() OVER (PARTITION BY max_urls) FROM result WHERE name = 'full, no key') n USING (max_urls, row_number);

-- Triggers: 100,000 rows inserted, updated, deleted.
CREATE TABLE plain (id bigint PRIMARY KEY, title text, views int);
CREATE TABLE statement_trigger (LIKE plain INCLUDING ALL);
CREATE TABLE row_trigger (LIKE plain INCLUDING ALL);
CREATE FUNCTION note_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO changes.queue SELECT id FROM old_rows;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO changes.queue SELECT id FROM new_rows;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER insert AFTER INSERT ON statement_trigger REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_rows();
CREATE TRIGGER update AFTER UPDATE ON statement_trigger REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_rows();
CREATE TRIGGER delete AFTER DELETE ON statement_trigger REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_rows();
CREATE FUNCTION note_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes.queue VALUES (coalesce(NEW.id, OLD.id));
  RETURN NULL;
END
$$;
CREATE TRIGGER insert_delete AFTER INSERT OR DELETE ON row_trigger FOR EACH ROW EXECUTE FUNCTION note_row();
CREATE TRIGGER update AFTER UPDATE OF title ON row_trigger FOR EACH ROW WHEN (OLD.title IS DISTINCT FROM NEW.title) EXECUTE FUNCTION note_row();
CREATE TABLE cost (name text, what text, seconds float8);
CREATE PROCEDURE measure_triggers(rounds int) LANGUAGE plpgsql AS $$
DECLARE
  started timestamptz;
  relation text;
  statement text;
BEGIN
  FOR round IN 1 .. rounds LOOP
    FOREACH relation IN ARRAY '{plain,statement_trigger,row_trigger}'::text[] LOOP
      TRUNCATE queue;
      FOREACH statement IN ARRAY ARRAY['INSERT INTO %I SELECT n, ''title '' || n, 0 FROM generate_series(1, 100000) n',
                                       'UPDATE %I SET title = title || ''x''', 'UPDATE %I SET views = views + 1', 'DELETE FROM %I'] LOOP
        started := clock_timestamp();
        EXECUTE format(statement, relation);
        INSERT INTO cost VALUES (relation, regexp_replace(statement, '^([A-Z]+) (%I SET ([a-z]+))?.*', '\1 \3'), extract(epoch FROM clock_timestamp() - started));
        COMMIT;
      END LOOP;
      EXECUTE format('TRUNCATE %I', relation);
      COMMIT;
    END LOOP;
  END LOOP;
END
$$;
CALL measure_triggers(:rounds);
\echo
\echo 'What noting a change costs, in microseconds a row; statements of 100,000 rows.'
\echo
\echo '| statement | without triggers | statement triggers add | row triggers add |'
\echo '|---|---|---|---|'
SELECT format('| %s | %s | %s | %s |', trim(what), round((p * 10)::numeric, 1), round(((s - p) * 10)::numeric, 1),
              round(((r - p) * 10)::numeric, 1))
  FROM (SELECT what, min(seconds) FILTER (WHERE name = 'plain') AS p,
               min(seconds) FILTER (WHERE name = 'statement_trigger') AS s,
               min(seconds) FILTER (WHERE name = 'row_trigger') AS r
          FROM (SELECT name, what, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS seconds
                  FROM cost GROUP BY name, what) c
         GROUP BY what) t
 ORDER BY what;
