-- What memory each client's backend has of its own.  Linux tells it.
\sleep 1 s
INSERT INTO load.memory
SELECT clock_timestamp(), pid, (regexp_match(pg_read_file('/proc/' || pid || '/status', 0, 10000, true), 'RssAnon:\s+(\d+)'))[1]::bigint
  FROM pg_stat_activity
 WHERE application_name = 'pgbench' AND backend_type = 'client backend' AND pid <> pg_backend_pid();
