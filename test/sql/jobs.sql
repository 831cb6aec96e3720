--
-- sitemap_run: which jobs run, what is recorded, and what is refused.  Sessions beside
-- each other are in test/specs/jobs_concurrent.spec, faults in test/t/jobs.pl.
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE TABLE job_page AS SELECT n AS id, '/page-' || n AS path FROM generate_series(1, 300) n;
CREATE TABLE job_queue (id int);
CREATE TABLE job_files OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE job OF sitemap_job (section WITH OPTIONS DEFAULT 'sitemap', PRIMARY KEY (base_url, section));
-- What the last call did, and what is to be done; times are compared, not shown.
CREATE VIEW job_state AS
SELECT section, started IS NOT NULL AS started, finished >= started AS success, full_at >= started AS "full", urls, files, written, seconds >= 0 AS timed, reason, error, failures
  FROM job ORDER BY section;
\set run 'CALL sitemap_run(''job''); TABLE job_state;'
\set run_full 'CALL sitemap_run(''job''); SELECT "full", reason FROM job_state;'
CALL sitemap_run('job');

-- A job without a name of its section, and with all defaults.
INSERT INTO job (target, base_url, query) VALUES ('job_files', 'http://a/', 'SELECT path AS loc FROM public.job_page ORDER BY id');
:run
SELECT section, kind, url_count FROM job_files ORDER BY name;
-- All options; the status is that of one section.
INSERT INTO job (target, base_url, section, query, format, compression, max_urls, max_bytes, split, index, on_invalid, scope, protocol, max_shrink)
VALUES ('job_files', 'http://a/', 'text', 'SELECT path AS loc FROM public.job_page UNION ALL SELECT ''no url: ''', 'txt', 0, 100, 5000, 'full', 'never', 'skip', 'path', '0.9', 0.1);
:run
DELETE FROM job WHERE section = 'text';
DELETE FROM job_files;

-- Changes: the first run is a full one, and so is one that is due; both empty the queue.
UPDATE job SET query = 'SELECT path AS loc, id AS key FROM public.job_page ORDER BY id', max_urls = 50, changes = 'DELETE FROM public.job_queue RETURNING id', full_at = NULL;
INSERT INTO job_queue VALUES (1);
:run
UPDATE job_page SET path = '/new' WHERE id = 7;
INSERT INTO job_queue VALUES (7);
:run
UPDATE job SET full_every = '0';
INSERT INTO job_queue VALUES (8);
:run
TABLE job_queue;
UPDATE job SET full_every = NULL, full_at = now() - interval '25 hours';
:run_full
:run_full
-- A run with changes that has to read all pages says why.
UPDATE job SET max_urls = 40;
:run_full
:run_full
-- Also where notices are not shown.
UPDATE job SET max_urls = 50;
SET client_min_messages = error;
:run_full
RESET client_min_messages;

-- Changes that can never work: an error in the first run.
INSERT INTO job (target, base_url, section, query, changes) VALUES ('job_files', 'http://a/', 'no-key', 'SELECT ''/'' AS loc', 'SELECT 1');
CALL sitemap_run('job');
DELETE FROM job WHERE section = 'no-key';

-- Due: never, once an hour, in the future; intervals and times that cannot be added.  sitemap_status says the same.
UPDATE job SET changes = NULL, written = -1, every = '1 hour';
CALL sitemap_run('job');
SELECT written FROM job;
DELETE FROM job;
INSERT INTO job (target, base_url, section, query, index, written, finished, every, failures, started, requested, error)
SELECT 'job_files', 'http://a/', section, 'SELECT path AS loc FROM public.job_page ORDER BY id LIMIT 1', 'never', -1, finished, every, failures, started, requested, error
  FROM (VALUES
    ('due-at-each-call', now(), NULL::interval, 0, NULL::timestamptz, NULL::timestamptz, NULL),
    ('due-by-hours', now() - interval '61 minutes', '1 hour', 0, NULL, NULL, NULL),
    ('due-zero', now(), '0', NULL, NULL, NULL, NULL), ('due-negative', now(), '-100000 years', 0, NULL, NULL, NULL),
    ('due-failed', now(), '1 hour', 1, NULL, NULL, 'refused'), ('due-never-finished', NULL, '100000 years', 0, NULL, NULL, NULL),
    ('due-future', now() + interval '1 day', '1 hour', 0, NULL, NULL, NULL), ('due-infinity', 'infinity', '1 hour', 0, NULL, NULL, NULL),
    ('due-long-ago', '-infinity', '1 hour', 0, NULL, NULL, NULL),
    ('not-yet', now(), '1 hour', 0, NULL, NULL, NULL), ('not-ever', now(), '170000000 years', 0, NULL, NULL, NULL), ('not-year', now(), '1 year', 0, NULL, NULL, NULL),
    -- parts that cannot be added one by one
    ('due-months', now(), '-71582788 months 2147483640 days', 0, NULL, NULL, NULL), ('due-days', now(), '-100000000 days 2400000000 hours', 0, NULL, NULL, NULL),
    ('not-months', now(), '71582788 months -2147483633 days', 0, NULL, NULL, NULL), ('not-days', now(), '106751000 days -2562023999 hours', 0, NULL, NULL, NULL),
    ('not-hours', now(), '-100000000 days 2400000168 hours', 0, NULL, NULL, NULL),
    -- requested, whenever that was
    ('due-requested', now(), '1 day', 0, now() - interval '2 minutes', now() - interval '1 minute', NULL),
    ('due-requested-first', now(), '1 day', 0, NULL, '2000-01-01', NULL),
    ('due-requested-before', now(), '1 day', 0, now() - interval '2 minutes', now() - interval '3 minutes', NULL),
    ('due-requested-later', now(), '1 day', 0, now() - interval '2 minutes', 'infinity', NULL),
    -- a run of a session that was killed, and a failure whose number was reset
    ('due-interrupted', now() - interval '1 minute', '1 day', 0, now() - interval '30 seconds', NULL, NULL),
    ('due-reset', now() - interval '1 minute', '1 day', 0, now() - interval '30 seconds', NULL, 'refused'),
    -- the clock was set back: a start in the future does not count
    ('due-start-in-future', now() - interval '2 hours', '1 hour', 3, now() + interval '1 year', NULL, NULL),
    -- from the third failure on, a job waits, unless it is requested
    ('due-two-failures', now(), '1 day', 2, now(), NULL, 'refused'),
    ('due-three-failures-requested', NULL, NULL, 3, now() - interval '1 minute', now(), 'refused'),
    ('not-three-failures', NULL, NULL, 3, now() - interval '1 minute', NULL, 'refused'),
    ('due-three-failures', NULL, NULL, 3, now() - interval '2 minutes', NULL, 'refused'),
    ('not-four-failures', NULL, NULL, 4, now() - interval '3 minutes', NULL, 'refused'),
    ('due-four-failures', NULL, NULL, 4, now() - interval '4 minutes', NULL, 'refused'),
    ('not-most-failures', NULL, NULL, 2147483647, now() - interval '59 minutes', NULL, 'refused'),
    ('due-most-failures', NULL, NULL, 2147483647, now() - interval '60 minutes', NULL, 'refused')) v (section, finished, every, failures, started, requested, error);
SELECT section, state, next_run <= clock_timestamp() AS now, next_run BETWEEN now() - interval '1 minute' AND now() + interval '3 minutes' AS soon, extract(minute FROM age) AS minutes, detail
  FROM sitemap_status('job') ORDER BY section;
CALL sitemap_run('job');
SELECT section, written, requested FROM job ORDER BY section;
UPDATE job SET failures = 0 WHERE failures > 2;
CALL sitemap_run('job');
SELECT section, written FROM job WHERE written < 0 ORDER BY section;
SELECT state, count(*), count(*) FILTER (WHERE next_run > clock_timestamp()) AS later FROM sitemap_status('job') GROUP BY state ORDER BY state;
CALL sitemap_run('job');
SELECT * FROM sitemap_status(1);
SELECT * FROM sitemap_status(NULL);
-- States that look after the run itself: late, which nothing is while a job runs (jobs.pl); missed changes; a section without
-- a job, told only of tables that can be a target and that the caller may read; sections without URLs.
TRUNCATE job, job_files;
INSERT INTO job (target, base_url, section, query, every, finished, started, requested, missed, changes, on_invalid)
SELECT 'job_files', 'http://a/', section, 'SELECT ''/'' AS loc, 1 AS key', every, finished, finished - interval '1 second', requested, missed, changes, 'skip'
  FROM (VALUES ('late', now() - interval '15.1 minutes', NULL::interval, NULL::timestamptz, 1, NULL), ('not-late', now() - interval '14.5 minutes', NULL, NULL, 0, NULL),
               ('late-by-hours', now() - interval '75.1 minutes', '1 hour', NULL, NULL, NULL), ('not-late-by-hours', now() - interval '74.5 minutes', '1 hour', NULL, NULL, NULL),
               ('late-request', now(), '1 hour', now() - interval '16 minutes', NULL, NULL), ('unwatched', now(), NULL, NULL, 2, NULL),
               ('all-rows', now(), NULL, NULL, NULL, 'SELECT 2 WHERE false'), ('skipped', now(), NULL, NULL, NULL, NULL)) v (section, finished, every, requested, missed, changes);
SELECT section, state, detail FROM sitemap_status('job');
UPDATE job SET query = 'SELECT ''ftp://a/'' AS loc, 1 AS key' WHERE section = 'skipped';
CALL sitemap_run('job');
UPDATE job SET reason = 'a reason' WHERE section = 'all-rows';
INSERT INTO job_files (base_url, section, name, kind, digest, url_count) VALUES
  ('http://a/', 'gone', 'gone-1.xml', 'urlset', 'x', 3), ('http://a/', 'gone', 'gone-2.xml', 'text', 'x', 4), ('http://a/', 'gone', 'gone.xml', 'index', 'x', 2),
  ('http://a/', 'theirs', 'theirs.xml', 'urlset', NULL, 1), ('http://other/', 'gone', 'gone.xml', 'urlset', 'x', 1);
CREATE TABLE job_moved OF sitemap_file (PRIMARY KEY (base_url, name));
UPDATE job SET target = 'job_moved' WHERE section = 'late';
UPDATE job SET target = 'job_page' WHERE section = 'late-request';
SELECT section, state, urls, age IS NULL AS ageless, next_run IS NULL AS never, pid, detail FROM sitemap_status('job');
CREATE ROLE regress_status;
GRANT SELECT ON job TO regress_status;
SET ROLE regress_status;
SELECT section FROM sitemap_status('job') WHERE state = 'no job';
RESET ROLE;
GRANT SELECT ON job_files TO regress_status;
ALTER TABLE job_files ENABLE ROW LEVEL SECURITY;
CREATE POLICY job_policy ON job_files USING (1 / 0 > 0);
SET ROLE regress_status;
SELECT section FROM sitemap_status('job') WHERE state = 'no job';
RESET ROLE;
DROP POLICY job_policy ON job_files;
ALTER TABLE job_files DISABLE ROW LEVEL SECURITY;
SET ROLE regress_status;
SELECT section FROM sitemap_status('job') WHERE state = 'no job';
RESET ROLE;
REVOKE ALL ON job, job_files FROM regress_status;
DROP ROLE regress_status;
UPDATE job SET target = NULL;
DROP TABLE job_moved;
SELECT DISTINCT section FROM sitemap_status('job') WHERE state = 'no job';
TRUNCATE job_files;
-- A job without rows in its first run, and in the second.
DELETE FROM job;
INSERT INTO job (target, base_url, section, query) VALUES ('job_files', 'http://a/', 'empty', 'SELECT path AS loc FROM public.job_page LIMIT 0');
CALL sitemap_run('job');
CALL sitemap_run('job');
SELECT section, state, urls, detail FROM sitemap_status('job');

-- A job that fails: its work is gone, the error is recorded, all others run.  Its queue stays.
DELETE FROM job;
DELETE FROM job_files;
CREATE FUNCTION fail() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RAISE 'no such page' USING DETAIL = 'It is the twelfth.';
END
$$;
-- Lines of the failing statement are not taken for the place of the error, although they look like one.
CREATE FUNCTION fail_in_lines() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE E'SELECT 1 / 0 /*\nafter noon\nrows in the query */';
END
$$;
INSERT INTO job (target, base_url, section, query, changes) VALUES
  ('job_files', 'http://a/', 'good', 'SELECT path AS loc FROM public.job_page ORDER BY id', NULL),
  ('job_files', 'http://a/', 'function', 'SELECT CASE WHEN id < 12 THEN path ELSE public.fail() END AS loc, id AS key FROM public.job_page ORDER BY id', 'DELETE FROM public.job_queue RETURNING id'),
  ('job_files', 'http://a/', 'lines', 'SELECT public.fail_in_lines() AS loc', NULL),
  ('job_files', 'http://a/', 'syntax', 'SELEC', NULL),
  ('job_files', 'http://a/', 'two-changes', 'SELECT path AS loc, id AS key FROM public.job_page ORDER BY id', 'DELETE FROM public.job_queue; SELECT 1'),
  ('job_files', 'http://a/', 'no-rows', 'SELECT path AS loc, id AS key FROM public.job_page ORDER BY id', 'DELETE FROM public.job_queue'),
  (NULL, 'http://a/', 'no-target', 'SELECT path AS loc FROM public.job_page', NULL),
  (1, 'http://a/', 'lost-target', 'SELECT path AS loc FROM public.job_page', NULL),
  ('job_files', 'http://a/', 'no-query', NULL, NULL),
  ('job_files', 'no URL', 'sitemap', 'SELECT path AS loc FROM public.job_page', NULL);
INSERT INTO job_queue VALUES (1);
:run
TABLE job_queue;
SELECT DISTINCT section FROM job_files ORDER BY 1;
CALL sitemap_run('job');
SELECT section, failures FROM job_state WHERE section IN ('good', 'function');
CREATE OR REPLACE FUNCTION fail() RETURNS text LANGUAGE sql AS $$ SELECT '/twelve' $$;
DELETE FROM job WHERE section NOT IN ('good', 'function');
CALL sitemap_run('job');
SELECT section, error, failures FROM job_state;

-- Export, the end of each run.  Two sections, one directory.
\set VERBOSITY sqlstate
SELECT current_setting('data_directory') || '/sitemap_jobs/site' AS directory \gset
COPY (SELECT) TO PROGRAM 'rm -rf sitemap_jobs; cat >/dev/null';
DELETE FROM job WHERE section = 'function';
DELETE FROM job_files WHERE section = 'function';
UPDATE job SET directory = :'directory';
INSERT INTO job (target, base_url, section, query, every, directory) VALUES ('job_files', 'http://a/', 'rare', 'SELECT ''/rare'' AS loc', '1 day', :'directory');
\set export 'CALL sitemap_run(''job''); SELECT pg_ls_dir(:''directory'') ORDER BY 1;'
CREATE VIEW job_exported AS
SELECT section, finished > started AS success, error LIKE 'could not % directory %' AS no_directory, failures FROM job ORDER BY section;
CALL sitemap_run('job');
TABLE job_exported;
COPY (SELECT) TO PROGRAM 'mkdir sitemap_jobs; cat >/dev/null';
CALL sitemap_run('job');
TABLE job_exported;
SELECT pg_ls_dir(:'directory') ORDER BY 1;
-- A directory belongs to a site, however it is spelled: a job of another site fails alone.
CREATE TABLE job_other OF sitemap_file (PRIMARY KEY (base_url, name));
INSERT INTO job (target, base_url, section, query, directory) VALUES ('job_other', 'http://b/', 'sitemap', 'SELECT ''/'' AS loc', :'directory' || '/../site/.');
UPDATE job SET requested = now();
CALL sitemap_run('job');
SELECT base_url, section, split_part(error, E'\n', 1) AS error, urls, failures FROM job ORDER BY 1, 2;
-- A site in another spelling than it is published in.
UPDATE job SET base_url = 'HTTP://a', finished = NULL WHERE base_url = 'http://b/';
CALL sitemap_run('job');
SELECT section, split_part(error, E'\n', 1) AS error FROM job WHERE base_url = 'HTTP://a';
DELETE FROM job WHERE base_url = 'HTTP://a';
DROP TABLE job_other;
-- Any run brings lost files back; a section that is gone takes its files along.
COPY (SELECT) TO PROGRAM 'rm sitemap_jobs/site/*; cat >/dev/null';
:export
DELETE FROM job WHERE section = 'rare';
DELETE FROM job_files WHERE section = 'rare';
:export
-- A site has one directory, whichever of its jobs has it.  Two, in whatever spelling, are an error of each job.
INSERT INTO job (target, base_url, section, query, every) VALUES ('job_files', 'http://a/', 'rare', 'SELECT ''/rare'' AS loc', '1 day');
:export
UPDATE job SET directory = :'directory' || '//./', requested = now() WHERE section = 'rare';
CALL sitemap_run('job');
TABLE job_exported;
UPDATE job SET directory = :'directory' || '2', requested = now() WHERE section = 'rare';
CALL sitemap_run('job');
SELECT section, replace(error, :'directory', '...') AS error, failures FROM job ORDER BY section;
UPDATE job SET directory = NULL, requested = now() WHERE section = 'rare';
CALL sitemap_run('job');
\set VERBOSITY default
DROP VIEW job_exported;

-- Refused.
BEGIN;
CALL sitemap_run('job');
ROLLBACK;
CREATE PROCEDURE atomic(jobs regclass) LANGUAGE plpgsql SET work_mem = '1MB' AS $$ BEGIN CALL sitemap_run(jobs); END $$;
CALL atomic('job');
DROP PROCEDURE atomic;
CREATE FUNCTION atomic() RETURNS void LANGUAGE plpgsql AS $$ BEGIN CALL sitemap_run('job'); END $$;
SELECT atomic();
DROP FUNCTION atomic;
CALL sitemap_run(NULL);
CALL sitemap_run(1);
CALL sitemap_run('job_state');
CALL sitemap_run('job_page');
SET default_transaction_read_only = on;
CALL sitemap_run('job');
RESET default_transaction_read_only;
CREATE TABLE job_no_key OF sitemap_job;
CALL sitemap_run('job_no_key');
ALTER TABLE job_no_key ADD PRIMARY KEY (section);
CALL sitemap_run('job_no_key');
DROP TABLE job_no_key;
CREATE TABLE job_type (LIKE sitemap_job, PRIMARY KEY (section, base_url));
CALL sitemap_run('job_type');
ALTER TABLE job_type ADD job int, ADD listed int;	-- names that statements of sitemap_run have, too
INSERT INTO job_type (target, base_url, section, query) VALUES ('job_files', 'http://type/', 'type', 'SELECT ''/'' AS loc');
CALL sitemap_run('job_type');
SELECT urls, error, finished >= started AS success FROM job_type;
ALTER TABLE job_type ALTER every TYPE text;
CALL sitemap_run('job_type');
DROP TABLE job_type;

CREATE FOREIGN DATA WRAPPER job_wrapper;
CREATE SERVER job_server FOREIGN DATA WRAPPER job_wrapper;
CREATE FOREIGN TABLE job_foreign (base_url text, section text) SERVER job_server;
CALL sitemap_run('job_foreign');
DROP FOREIGN DATA WRAPPER job_wrapper CASCADE;
-- The caller must own the table: neither a superuser nor a member of the role may call.
CREATE ROLE "regress_job Owner";
CREATE ROLE regress_job_member IN ROLE "regress_job Owner";
CREATE ROLE regress_job_superuser SUPERUSER;
GRANT CREATE ON SCHEMA public TO "regress_job Owner";
SET ROLE "regress_job Owner";
CREATE TABLE job_owned OF sitemap_job (PRIMARY KEY (base_url, section));
SET ROLE regress_job_superuser;
CALL sitemap_run('job_owned');
SET ROLE regress_job_member;
CALL sitemap_run('job_owned');
SET ROLE "regress_job Owner";
CALL sitemap_run('job_owned');
ALTER TABLE job_owned ENABLE ROW LEVEL SECURITY;
CALL sitemap_run('job_owned');
ALTER TABLE job_owned FORCE ROW LEVEL SECURITY;
CALL sitemap_run('job_owned');
ALTER TABLE job_owned NO FORCE ROW LEVEL SECURITY;
-- A job that changes the role ends the call.
CREATE TABLE job_owned_files OF sitemap_file (PRIMARY KEY (base_url, name));
INSERT INTO job_owned (target, base_url, section, query, changes, full_at, started)
VALUES ('job_owned_files', 'http://a/', 'a', 'SELECT ''/'' AS loc, 1 AS key', 'SELECT 1 FROM set_config(''role'', ''regress_job_member'', false)', NULL, NULL),
       ('job_owned_files', 'http://a/', 'b', 'SELECT ''/'' AS loc', NULL, NULL, now());
CALL sitemap_run('job_owned');
SELECT section, urls FROM job_owned ORDER BY section;
RESET ROLE;
DROP TABLE job_owned, job_owned_files;
-- The lock of a section is for those who can publish it: the target's owner has it when the row is written, but no other role.
CREATE TABLE job_locked (jobs regclass, started bool, locks bigint);
GRANT INSERT ON job_locked TO PUBLIC;
CREATE FUNCTION job_locked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.job_locked SELECT TG_RELID, NEW.finished IS NULL, count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND objsubid = 1001;
  RETURN NEW;
END
$$;
GRANT INSERT ON job_files TO "regress_job Owner";
CREATE TABLE job_own OF sitemap_job (PRIMARY KEY (base_url, section));
SET ROLE "regress_job Owner";
CREATE TABLE job_inserters OF sitemap_job (PRIMARY KEY (base_url, section));
RESET ROLE;
SELECT format('CREATE TRIGGER lock BEFORE UPDATE ON %1$s FOR EACH ROW EXECUTE FUNCTION job_locked();
  INSERT INTO %1$s (target, base_url, section, query) VALUES (''job_files'', ''http://locked/'', ''locked'', ''SELECT ''''/'''' AS loc'')', t)
  FROM unnest('{job_own,job_inserters}'::text[]) t \gexec
CALL sitemap_run('job_own');
SET ROLE "regress_job Owner";
CALL sitemap_run('job_inserters');
RESET ROLE;
SELECT * FROM job_locked;
DROP TABLE job_own, job_inserters, job_locked;
DROP FUNCTION job_locked;
DROP OWNED BY "regress_job Owner";
REVOKE CREATE ON SCHEMA public FROM "regress_job Owner";
DROP ROLE regress_job_member, regress_job_superuser, "regress_job Owner";

-- Other isolation levels, names that need quotes, more columns, partitions, triggers.
SET default_transaction_isolation = serializable;
CALL sitemap_run('job');
RESET default_transaction_isolation;
CREATE SCHEMA "a ""b""";
CREATE TABLE "a ""b"""."JOB" (LIKE sitemap_job, "more" int DEFAULT 1, PRIMARY KEY (section, base_url)) PARTITION BY LIST (base_url);
CREATE TABLE job_part PARTITION OF "a ""b"""."JOB" DEFAULT;
CREATE TABLE "a ""b"""."FILES" OF sitemap_file (PRIMARY KEY (base_url, name));
INSERT INTO "a ""b"""."JOB" (target, base_url, section, query) VALUES ('"a ""b"""."FILES"', 'http://a/', 'its', 'SELECT ''/'' AS loc');
CALL sitemap_run('"a ""b"""."JOB"');
SELECT section, urls, files, error FROM "a ""b"""."JOB";
DROP SCHEMA "a ""b""" CASCADE;
-- Columns in another order.
SELECT format('CREATE TABLE job_reversed (%s, PRIMARY KEY (base_url, section))', string_agg(format('%I %s', attname, format_type(atttypid, NULL)), ', ' ORDER BY attnum DESC))
  FROM pg_attribute WHERE attrelid = 'sitemap_job'::regclass \gset reversed_
:reversed_format;
INSERT INTO job_reversed (target, base_url, section, query, max_urls, changes, full_every)
VALUES ('job_files', 'http://reversed/', 'all', 'SELECT path AS loc, id AS key FROM public.job_page ORDER BY id', 40, 'DELETE FROM public.job_queue RETURNING id', '1 hour');
CALL sitemap_run('job_reversed');
SELECT section, urls, files, written, error, full_at > started AS "full" FROM job_reversed;
DROP TABLE job_reversed;
-- The extension in another schema, and a failure of a table whose name has quotes and percent signs: a notice says how to try again.
CREATE SCHEMA "%s ""'";
ALTER EXTENSION sitemap SET SCHEMA "%s ""'";
CREATE TABLE "%s ""'"."job %L'" OF "%s ""'".sitemap_job (PRIMARY KEY (base_url, section));
INSERT INTO "%s ""'"."job %L'" (target, base_url, section, query, failures) VALUES ('job_files', 'http://a/', 'a''s %', 'SELECT 1 / 0', 2);
CALL "%s ""'".sitemap_run('"%s ""''"."job %L''"');
CALL "%s ""'".sitemap_run('"%s ""''"."job %L''"');
SELECT section, state, detail FROM "%s ""'".sitemap_status('"%s ""''"."job %L''"');
DROP TABLE "%s ""'"."job %L'";
ALTER EXTENSION sitemap SET SCHEMA public;
DROP SCHEMA "%s ""'";
UPDATE job SET directory = NULL;
COPY (SELECT) TO PROGRAM 'rm -r sitemap_jobs; cat >/dev/null';

-- Times that are rounded would not be found again, or lose pages that became due.
CREATE TABLE job_rounded (LIKE sitemap_job, PRIMARY KEY (base_url, section));
ALTER TABLE job_rounded ALTER since TYPE timestamptz(0);
CALL sitemap_run('job_rounded');
ALTER TABLE job_rounded ALTER since TYPE timestamptz, ALTER started TYPE timestamptz(6);
CALL sitemap_run('job_rounded');
DROP TABLE job_rounded;
-- A collation by which one site's jobs are those of another.
SELECT EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i') AS has_icu \gset
\set refused '0A000 without ICU'
\if :has_icu
CREATE COLLATION job_collation (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE job_collated (LIKE sitemap_job, PRIMARY KEY (base_url, section));
ALTER TABLE job_collated ALTER base_url TYPE text COLLATE job_collation;
CREATE FUNCTION job_refused() RETURNS text LANGUAGE plpgsql AS $$ BEGIN CALL sitemap_run('job_collated'); EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END $$;
SELECT job_refused() AS refused \gset
DROP FUNCTION job_refused;
DROP TABLE job_collated;
DROP COLLATION job_collation;
\endif
SELECT split_part(:'refused', ' ', 1);

-- A full run that is requested during a full run comes after it.  A time in the future, by a
-- clock that went back, is forgotten.
CREATE TABLE job_asked OF sitemap_job (PRIMARY KEY (base_url, section));
INSERT INTO job_asked (target, base_url, section, query, changes, finished, requested)
VALUES ('job_files', 'http://e/', 'asked', 'SELECT ''/'' AS loc, 1 AS key', 'SELECT 1', 'infinity', now());
CREATE FUNCTION job_ask() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE public.job_asked SET full_at = NULL, since = '2026-01-01 00:00+00', requested = now();
  RETURN NULL;
END
$$;
CREATE TRIGGER ask AFTER INSERT ON job_files FOR EACH ROW WHEN (NEW.section = 'asked') EXECUTE FUNCTION job_ask();
CALL sitemap_run('job_asked');
SELECT full_at, since, requested IS NOT NULL AS requested, isfinite(finished) AS finished, urls, error FROM job_asked;
CALL sitemap_run('job_asked');
SELECT full_at IS NOT NULL AS "full", since = started AS since, requested FROM job_asked;
DROP TRIGGER ask ON job_files;
DROP FUNCTION job_ask();
DROP TABLE job_asked;

-- A DO block is a statement of its own.
DO $$ BEGIN CALL sitemap_run('job'); END $$;

-- A deferred constraint is checked before the run is recorded.
CREATE TABLE job_tenant (base_url text PRIMARY KEY);
INSERT INTO job_tenant VALUES ('http://a/'), ('http://c/');
CREATE TABLE job_checked OF sitemap_file (PRIMARY KEY (base_url, name), FOREIGN KEY (base_url) REFERENCES job_tenant DEFERRABLE INITIALLY DEFERRED);
TRUNCATE job;
INSERT INTO job (target, query, base_url) SELECT 'job_checked', 'SELECT ''/'' AS loc', 'http://' || site || '/' FROM unnest('{a,b,c}'::text[]) site;
CALL sitemap_run('job');
SELECT base_url, finished IS NOT NULL AS success, urls, error, failures FROM job ORDER BY base_url;
SELECT base_url, url_count FROM job_checked WHERE kind = 'urlset' ORDER BY base_url;
-- A status that the table refuses: the job has failed, although its pages are published, and
-- the other jobs run.
UPDATE job SET started = NULL, finished = NULL, urls = NULL, error = NULL, failures = 0;
DELETE FROM job_checked;
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused: %', NEW.base_url; END $$;
CREATE TRIGGER refuse BEFORE UPDATE ON job FOR EACH ROW
  WHEN (NEW.base_url = 'http://a/' AND NEW.finished IS NOT NULL OR NEW.base_url = 'http://b/' AND NEW.error IS NOT NULL) EXECUTE FUNCTION refuse();
CALL sitemap_run('job');
SELECT base_url, finished IS NOT NULL AS success, urls, error, failures FROM job ORDER BY base_url;
SELECT base_url, url_count FROM job_checked WHERE kind = 'urlset' ORDER BY base_url;
DROP TRIGGER refuse ON job;
DROP FUNCTION refuse;

-- Errors that EXCEPTION WHEN others does not catch, and others, wherever they arise: all are recorded, and the other jobs run.
TRUNCATE job, job_files, job_queue;
CREATE FUNCTION job_raise(state text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  ASSERT state <> 'P0004', 'not so';
  RAISE 'raised' USING ERRCODE = state;
END
$$;
CREATE FUNCTION job_raise() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM public.job_raise(left(NEW.section, 5));
  RETURN NEW;
END
$$;
CREATE TRIGGER raise BEFORE INSERT ON job_files FOR EACH ROW WHEN (NEW.section LIKE '%-target') EXECUTE FUNCTION job_raise();
INSERT INTO job (target, base_url, section, query, changes)
SELECT 'job_files', 'http://a/', state || '-' || place,
       CASE place WHEN 'query' THEN format('SELECT public.job_raise(%L) AS loc, 1 AS key', state) ELSE 'SELECT ''/'' AS loc, 1 AS key' END,
       CASE place WHEN 'changes' THEN format('SELECT 1 FROM public.job_raise(%L)', state) END
  FROM unnest('{57014,P0004,53100,40001}'::text[]) state, unnest('{query,changes,target}'::text[]) place;
INSERT INTO job (target, base_url, section, query) VALUES ('job_files', 'http://a/', 'zzzzz', 'SELECT ''/'' AS loc');
\set VERBOSITY sqlstate
CALL sitemap_run('job');
SELECT section, urls, split_part(error, E'\n', 1) AS error, failures FROM job ORDER BY section;
-- The same of a run with changes.
UPDATE job SET full_at = now(), started = NULL, urls = NULL, failures = 0, error = NULL;
CALL sitemap_run('job');
SELECT section, urls, split_part(error, E'\n', 1) AS error, failures FROM job ORDER BY section;
-- The third failure is at once, then the job waits.
CALL sitemap_run('job');
\set VERBOSITY default
CALL sitemap_run('job');
\set VERBOSITY sqlstate
UPDATE job SET requested = now() WHERE section = '57014-query';
CALL sitemap_run('job');
SELECT failures, count(*) FROM job GROUP BY 1 ORDER BY 1;
\set VERBOSITY default
DROP TRIGGER raise ON job_files;
-- The greatest number of failures stays.
UPDATE job SET failures = 2147483647, started = now() - interval '2 hours', query = 'SELECT 1 / 0' WHERE section = 'zzzzz';
CALL sitemap_run('job');
SELECT failures, error FROM job WHERE section = 'zzzzz';
-- An attempt without a result is counted by the next one, a failure that was recorded is not counted again.
TRUNCATE job;
CREATE TABLE job_claim (section text, error text, failures int);
CREATE FUNCTION job_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.job_claim VALUES (NEW.section, NEW.error, NEW.failures);
  RETURN NULL;
END
$$;
CREATE TRIGGER claim AFTER UPDATE ON job FOR EACH ROW WHEN (NEW.started IS DISTINCT FROM OLD.started) EXECUTE FUNCTION job_claim();
INSERT INTO job (target, base_url, section, query, started, finished, failures, error)
SELECT 'job_files', 'http://a/', section, 'SELECT ''/'' AS loc', started, finished, failures, error
  FROM (VALUES
    ('first', NULL::timestamptz, NULL::timestamptz, NULL::int, NULL),
    ('never-finished', now() - interval '1 hour', NULL, NULL, NULL),
    ('no-result', now() - interval '1 hour', now() - interval '2 hours', 0, NULL),
    ('no-result-twice', now() - interval '1 hour', now() - interval '2 hours', 1, NULL),
    ('no-result-most', now() - interval '1 hour', now() - interval '2 hours', 2147483647, NULL),
    ('failed', now() - interval '1 hour', now() - interval '2 hours', 1, 'refused'),
    ('failed-reset', now() - interval '1 hour', now() - interval '2 hours', 0, 'refused'),
    ('succeeded', now() - interval '2 hours', now() - interval '1 hour', 0, NULL)) v (section, started, finished, failures, error);
SELECT section, state, detail FROM sitemap_status('job');
CALL sitemap_run('job');
SELECT * FROM job_claim ORDER BY section;
SELECT count(*), max(failures) AS failures, max(error) AS error FROM job;
DROP TRIGGER claim ON job;
DROP FUNCTION job_claim;
DROP TABLE job_claim;

-- Triggers of the table of jobs: one that unsets "started", and one that hinders the UPDATE.
TRUNCATE job, job_files;
INSERT INTO job (target, base_url, section, query) VALUES
  ('job_files', 'http://a/', 'hindered', 'SELECT ''/'' AS loc'), ('job_files', 'http://a/', 'other', 'SELECT ''/'' AS loc'), ('job_files', 'http://a/', 'unset', 'SELECT ''/'' AS loc');
CREATE FUNCTION job_unset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.started := NULL;
  RETURN CASE NEW.section WHEN 'unset' THEN NEW END;
END
$$;
CREATE TRIGGER unset BEFORE UPDATE ON job FOR EACH ROW WHEN (NEW.section <> 'other') EXECUTE FUNCTION job_unset();
CALL sitemap_run('job');
SELECT section, urls, started IS NULL AS unset, error, failures FROM job ORDER BY section;
DROP TRIGGER unset ON job;
-- One that raises 57014, which is no cancel request: the other jobs run.
CREATE FUNCTION job_canceled() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'a remote statement was canceled' USING ERRCODE = '57014'; END $$;
CREATE TRIGGER canceled BEFORE UPDATE ON job FOR EACH ROW WHEN (NEW.section = 'hindered') EXECUTE FUNCTION job_canceled();
UPDATE job SET urls = NULL, started = NULL WHERE section <> 'hindered';
CALL sitemap_run('job');
SELECT section, urls, started IS NULL AS unset, error, failures FROM job ORDER BY section;
DROP TRIGGER canceled ON job;
-- One that hinders the UPDATE at the end of a job, and that of a failure.
INSERT INTO job (target, base_url, section, query) VALUES
  ('job_files', 'http://a/', 'no-end', 'SELECT ''/'' AS loc'), ('job_files', 'http://a/', 'no-failure', 'SELECT (1 / 0)::text AS loc');
CREATE FUNCTION job_hinder() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER hinder BEFORE UPDATE ON job FOR EACH ROW
  WHEN (NEW.section = 'no-end' AND NEW.finished IS NOT NULL OR NEW.section = 'no-failure' AND NEW.failures > 0) EXECUTE FUNCTION job_hinder();
CALL sitemap_run('job');
SELECT section, finished IS NOT NULL AS success, error, failures FROM job WHERE section LIKE 'no-%' ORDER BY section;
DROP TRIGGER hinder ON job;
DROP FUNCTION job_hinder;
DELETE FROM job WHERE section LIKE 'no-%';
-- Triggers have the search_path of the caller, in the table of jobs and in the target.
CREATE TABLE job_path (place text, path text);
CREATE FUNCTION job_path() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.job_path VALUES (TG_TABLE_NAME, current_setting('search_path'));
  RETURN NULL;
END
$$;
CREATE TRIGGER path AFTER UPDATE ON job FOR EACH ROW EXECUTE FUNCTION job_path();
CREATE TRIGGER path AFTER INSERT ON job_files FOR EACH ROW EXECUTE FUNCTION job_path();
TRUNCATE job_files;
SET search_path = public, pg_temp;
CALL sitemap_run('job');
SHOW search_path;
DO $$ BEGIN CALL sitemap_run('job'); PERFORM FROM job_files; END $$;
RESET search_path;
SELECT DISTINCT * FROM job_path ORDER BY 1;
DROP TRIGGER path ON job;
DROP TRIGGER path ON job_files;
DROP FUNCTION job_path, job_canceled;
DROP TABLE job_path;
-- What a job sets for the session does not reach the next job, nor does it outlast the call; a long query outlasts a transaction.
TRUNCATE job, job_files;
CREATE SCHEMA job_other;
CREATE TABLE job_other.job_page AS SELECT 1 AS id, '/other'::text AS path;
INSERT INTO job (target, base_url, section, query, changes, max_shrink, started) VALUES
  ('job_files', 'http://a/', 'sets', 'SELECT ''/'' AS loc, 1 AS key', 'SELECT 1 FROM set_config(''search_path'', ''job_other, public'', false)', 1, '2026-01-01'),
  ('job_files', 'http://a/', 'uses', 'SELECT path AS loc FROM job_page ORDER BY id -- ' || (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 3200) n), NULL, 1, '2026-01-02');
CALL sitemap_run('job');
SHOW search_path;
SELECT section, urls, error, length(query) > 100000 AS long FROM job ORDER BY section;
DO $$ BEGIN SET LOCAL search_path = job_other, public; CALL sitemap_run('job'); END $$;
SHOW search_path;
SELECT section, urls, split_part(error, E'\n', 1) AS error FROM job ORDER BY section;
UPDATE job SET failures = -1, changes = 'SELECT 1 FROM set_config(''transaction_read_only'', ''on'', false)' WHERE section = 'sets';
CALL sitemap_run('job');
SELECT section, error, failures FROM job ORDER BY section;
DROP TABLE job_other.job_page;
DROP SCHEMA job_other;
-- The first run of a job, of which the feed hears nothing, is the one without "since", also where readers empty the feed.  Skipped
-- rows are counted by full runs.
CREATE TABLE job_feed OF sitemap_change;
TRUNCATE job, job_files;
INSERT INTO job (target, base_url, section, query, feed, max_shrink, on_invalid) VALUES ('job_files', 'http://a/', 'news', 'SELECT loc FROM public.job_news', 'job_feed', 1, 'skip');
CREATE TABLE job_news AS SELECT unnest('{/1,ftp:}'::text[]) AS loc;
CALL sitemap_run('job');
SELECT skipped, since = started AS since FROM job;
DELETE FROM job_news;
CALL sitemap_run('job');
SELECT action, loc FROM job_feed;
DELETE FROM job_feed;
INSERT INTO job_news VALUES ('/3');
CALL sitemap_run('job');
SELECT action, loc FROM job_feed;
SELECT skipped FROM job;
-- The clock was set back: what became due is not known, so all pages are read.
UPDATE job SET query = 'SELECT loc, 1 AS key FROM public.job_news', feed = NULL, changes = 'SELECT 1 WHERE $1 > ''-infinity''';
CALL sitemap_run('job');
INSERT INTO job_news VALUES ('/4');
UPDATE job SET since = now() + interval '1 hour', requested = now(), changes = 'SELECT 1 WHERE $1 = ''-infinity''';
CALL sitemap_run('job');
SELECT urls, since = started AS since FROM job;
DROP TABLE job_news, job_feed;
-- Triggers of the table of jobs at the start of a job: a deferred one that raises an error, and one that changes base_url and section.
TRUNCATE job, job_files;
INSERT INTO job (target, base_url, section, query) SELECT 'job_files', 'http://a/', section, 'SELECT ''/'' AS loc' FROM unnest('{deferred,renamed}'::text[]) section;
CREATE FUNCTION job_start() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.section = 'deferred' THEN RAISE 'refused'; END IF;
  NEW.base_url := 'http://b/';
  NEW.section := 'new';
  RETURN NEW;
END $$;
CREATE CONSTRAINT TRIGGER deferred AFTER UPDATE ON job DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.section = 'deferred' AND NEW.started IS DISTINCT FROM OLD.started) EXECUTE FUNCTION job_start();
CREATE TRIGGER renamed BEFORE UPDATE ON job FOR EACH ROW WHEN (NEW.section = 'renamed') EXECUTE FUNCTION job_start();
CALL sitemap_run('job');
SELECT base_url, section, urls, error, failures FROM job ORDER BY base_url;
DROP FUNCTION job_start CASCADE;
-- A password in base_url is refused, and not repeated.
TRUNCATE job, job_files;
INSERT INTO job (target, base_url, query) SELECT 'job_files', base_url, 'SELECT ''/'' AS loc' FROM unnest(ARRAY['https://editor:s3cret@www.example.com/', 'https:editor:s3cret@a/', 'editor:s3cret@a/',
  'https://editor:s3cret%40a/', 'https://editor:s3cret&#64;a/']) base_url;
CALL sitemap_run('job');
SELECT error FROM job;
DROP FUNCTION job_unset, job_raise(), job_raise(text);
DROP VIEW job_state;
DROP TABLE job, job_files, job_page, job_queue, job_checked, job_tenant;
DROP FUNCTION fail, fail_in_lines;
