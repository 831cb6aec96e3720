-- Run by test/load/run when all clients are gone, with the variables latency and
-- log, two files, kinds, the scripts' names in their order, seconds,
-- clients, and what to call the machine.  It ends with an error if anything does
-- not hold that should.
\pset footer off
\pset tuples_only on
\pset format unaligned

-- What pgbench has of each transaction: its time, or why it failed.
CREATE TABLE load.latency (client int, number bigint, result text, kind int, epoch bigint, us int);
\set copy '\\copy load.latency FROM ' :'latency' ' (DELIMITER '' '')'
:copy
CREATE TABLE load.log (sqlstate text, backend text, severity text, message text);
\set copy '\\copy load.log FROM ' :'log'
:copy
CREATE VIEW load.transaction AS
SELECT k.name, k.place, l.result, CASE WHEN l.result ~ '^\d+$' THEN l.result::bigint / 1000.0 END AS ms
  FROM unnest(string_to_array(:'kinds', ' ')) WITH ORDINALITY k (name, place)
  LEFT JOIN load.latency l ON l.kind = k.place - 1;

-- The errors that the documentation speaks of: those of clients, and those that a client caught.
CREATE VIEW load.error AS
SELECT sqlstate FROM load.log WHERE backend = 'client backend' AND severity = 'ERROR'
 UNION ALL
SELECT sqlstate FROM load.refused;

-- Autovacuum waits for no lock, and is cancelled where somebody waits for its own.
CREATE VIEW load.put_off AS
SELECT * FROM load.log
 WHERE backend = 'autovacuum worker' AND
       message ~ '^(skipping (vacuum|analyze) of "target_.*" --- lock not available|canceling autovacuum task)$';

-- What else is in the log, apart from a server's ordinary life, and from a warning that small
-- sections get when edits rename most of their few files.
CREATE VIEW load.unexpected AS
SELECT * FROM load.log
 WHERE NOT (severity = 'ERROR' AND backend = 'client backend') AND
       NOT (severity = 'WARNING' AND message ~ '^[0-9]+ of [0-9]+ files of section "[a-z]+" get other names$') AND
       NOT (severity = 'LOG' AND message ~ '^(starting |listening |database system (was|is) |.* (still waiting for|acquired) .* after )')
EXCEPT ALL
TABLE load.put_off;

-- Memory, in the middle third of the time, when everything has been cached, and in the last.
CREATE VIEW load.memory_of_third AS
SELECT third, percentile_disc(0.5) WITHIN GROUP (ORDER BY kb) AS median, max(kb) AS most
  FROM (SELECT kb, ntile(3) OVER (ORDER BY at) AS third FROM load.memory WHERE kb IS NOT NULL) m
 GROUP BY third;

-- Once more, alone: each target has what sitemap_files makes.
SELECT count(*) AS sets FROM load.set s, load.publish(s.target, s.section) \gset
CREATE VIEW load.difference AS
SELECT target, name
  FROM (SELECT s.target, f.name, f.digest
          FROM load.set s
         CROSS JOIN LATERAL sitemap_files(s.query, 'https://www.example.com/', section => s.name, format => s.format,
                                          max_urls => 100, split => s.split, compression => s.compression, index => 'never') f) f
  FULL JOIN (SELECT 1 AS target, * FROM load.target_1 UNION ALL SELECT 2, * FROM load.target_2
             UNION ALL SELECT 3, * FROM load.target_3) t USING (target, name)
 WHERE t.digest IS DISTINCT FROM f.digest AND t.kind IS DISTINCT FROM 'index';

CREATE TABLE load.verdict (position serial, what text, figure text, holds boolean);
INSERT INTO load.verdict (what, figure, holds)
SELECT 'sets that readers checked', count(*)::text, count(*) > 0 FROM load.checked
 UNION ALL
SELECT 'files that they read', sum(files)::text, sum(files) > 0 FROM load.checked
 UNION ALL
SELECT 'sets whose index, files and pages were not of one moment', count(*)::text, count(*) = 0
  FROM load.checked WHERE agrees IS NOT true
 UNION ALL
SELECT 'kinds of transactions of which none succeeded', count(*)::text, count(*) = 0
  FROM (SELECT name FROM load.transaction GROUP BY name HAVING count(ms) = 0) t
 UNION ALL
SELECT 'failed transactions, apart from `publish_repeatable`', count(*)::text, count(*) = 0
  FROM load.transaction WHERE result IS NOT NULL AND ms IS NULL AND name <> 'publish_repeatable'
 UNION ALL
SELECT 'errors 40001 in the server''s log', count(*)::text, true FROM load.error WHERE sqlstate = '40001'
 UNION ALL
SELECT 'errors 55P03, which `publish_impatient` catches', count(*)::text, true FROM load.error WHERE sqlstate = '55P03'
 UNION ALL
SELECT 'other errors' || coalesce(': ' || string_agg(DISTINCT sqlstate, ', '), ''), count(*)::text, count(*) = 0
  FROM load.error WHERE sqlstate NOT IN ('40001', '55P03')
 UNION ALL
SELECT 'deadlocks', deadlocks::text, deadlocks = 0 FROM pg_stat_database WHERE datname = current_database()
 UNION ALL
SELECT 'unexpected lines in the server''s log', count(*)::text, count(*) = 0 FROM load.unexpected
 UNION ALL
SELECT 'runs of autovacuum on the targets, and those put off', sum(autovacuum_count) || ', ' || (SELECT count(*) FROM load.put_off), true
  FROM pg_stat_user_tables WHERE relname ~ '^target_'
 UNION ALL
SELECT 'temporary files written', temp_files::text, temp_files > 0 FROM pg_stat_database WHERE datname = current_database()
 UNION ALL
SELECT 'temporary files left', count(*)::text, count(*) = 0 FROM pg_ls_tmpdir()
 UNION ALL
SELECT 'sections whose stored totals are not the totals of their pages', count(*)::text, count(*) = 0
  FROM load.section s LEFT JOIN load.total t ON t.section = s.id
 WHERE (t.pages, t.numbers, t.seconds) IS DISTINCT FROM (s.pages, s.numbers, s.seconds)
 UNION ALL
SELECT 'files that differ from those of sitemap_files after a last run', count(*)::text, count(*) = 0 FROM load.difference;
-- No memory where the system does not tell it.  The slack is for what malloc has not given back,
-- and for caches that some seconds do not fill.
SELECT CASE WHEN :seconds >= 60 THEN 256 ELSE 1024 END AS slack \gset
INSERT INTO load.verdict (what, figure, holds)
SELECT 'median memory of a backend, kB: in the middle third of the time, in the last',
       m.median || ', ' || l.median, l.median <= 1.02 * m.median + :slack
  FROM load.memory_of_third m, load.memory_of_third l
 WHERE m.third = 2 AND l.third = 3
 UNION ALL
SELECT 'highest memory of a backend, kB: in the middle third of the time, in the last',
       m.most || ', ' || l.most, l.most <= 1.1 * m.most + 2 * :slack
  FROM load.memory_of_third m, load.memory_of_third l
 WHERE m.third = 2 AND l.third = 3;

\echo '## ' :machine
\echo
SELECT format('%s. %s clients for %s seconds; %s.', substring(version() FROM 'PostgreSQL [^ ]+'), :'clients', :'seconds',
              to_char(current_date, 'YYYY-MM-DD'));
\echo
\echo '| transaction | number | per second | median, ms | p99, ms | failed |'
\echo '|---|---|---|---|---|---|'
SELECT format('| `%s` | %s | %s | %s | %s | %s |', name, count(ms), round(count(ms) / :seconds::numeric, 1),
              round(percentile_disc(0.5) WITHIN GROUP (ORDER BY ms), 1),
              round(percentile_disc(0.99) WITHIN GROUP (ORDER BY ms), 1), count(result) - count(ms))
  FROM load.transaction
 GROUP BY name, place
 ORDER BY place;
\echo
\echo '| what | figure |'
\echo '|---|---|'
SELECT format('| %s | %s |', what, figure) FROM load.verdict ORDER BY position;

SELECT format('unexpected: %s %s %s: %s', sqlstate, backend, severity, message) FROM load.unexpected LIMIT 20;
DO $$
DECLARE
	broken text := (SELECT string_agg(what || ': ' || figure, E'\n' ORDER BY position) FROM load.verdict WHERE holds IS NOT true);
BEGIN
	IF broken IS NOT NULL THEN
		RAISE EXCEPTION 'what should hold does not' USING DETAIL = broken;
	END IF;
END
$$;
