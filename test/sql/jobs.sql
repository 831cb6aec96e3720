--
-- sitemap_run: which jobs run, what is recorded, and what is refused.  Sessions beside
-- each other are in test/specs/jobs_concurrent.spec, faults in test/t/jobs.pl.
--
\set VERBOSITY default
CREATE TABLE job_page AS SELECT n AS id, '/page-' || n AS path FROM generate_series(1, 300) n;
CREATE TABLE job_queue (id int);
CREATE TABLE job_files OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE job OF sitemap_job (section WITH OPTIONS DEFAULT 'sitemap', PRIMARY KEY (base_url, section));
-- What the last call did, and what is to be done; times are compared, not shown.
CREATE VIEW job_state AS
SELECT section, started IS NOT NULL AS started, finished >= started AS success, full_at = finished AS "full", exported >= finished AS exported,
       urls, files, written, seconds >= 0 AS timed, reason, error, failures
  FROM job ORDER BY section;
CALL sitemap_run('job');

-- A job without a name of its section, and with all defaults.
INSERT INTO job (target, base_url, query) VALUES ('job_files', 'http://a/', 'SELECT path AS loc FROM public.job_page ORDER BY id');
CALL sitemap_run('job');
TABLE job_state;
SELECT section, kind, url_count FROM job_files ORDER BY name;
-- All options; the status is that of one section.
INSERT INTO job (target, base_url, section, query, format, compression, max_urls, max_bytes, split, index, on_invalid, scope, protocol, max_shrink)
VALUES ('job_files', 'http://a/', 'text', 'SELECT path AS loc FROM public.job_page UNION ALL SELECT ''no url: ''', 'txt', 0, 100, 5000, 'full', 'never', 'skip', 'path', '0.9', 0.1);
CALL sitemap_run('job');
TABLE job_state;
DELETE FROM job WHERE section = 'text';
DELETE FROM job_files;

-- Changes: the first run is a full one, and so is one that is due; both empty the queue.
UPDATE job SET query = 'SELECT path AS loc, id AS key FROM public.job_page ORDER BY id', max_urls = 50, changes = 'DELETE FROM public.job_queue RETURNING id', full_at = NULL;
INSERT INTO job_queue VALUES (1);
CALL sitemap_run('job');
TABLE job_state;
UPDATE job_page SET path = '/new' WHERE id = 7;
INSERT INTO job_queue VALUES (7);
CALL sitemap_run('job');
TABLE job_state;
UPDATE job SET full_every = '0';
INSERT INTO job_queue VALUES (8);
CALL sitemap_run('job');
TABLE job_state;
TABLE job_queue;
UPDATE job SET full_every = NULL, full_at = now() - interval '25 hours';
CALL sitemap_run('job');
SELECT "full" FROM job_state;
CALL sitemap_run('job');
SELECT "full" FROM job_state;
-- A run with changes that has to read all pages says why.
UPDATE job SET max_urls = 40;
CALL sitemap_run('job');
SELECT "full", reason FROM job_state;
CALL sitemap_run('job');
SELECT "full", reason FROM job_state;
-- Also where notices are not shown.
UPDATE job SET max_urls = 50;
SET client_min_messages = error;
CALL sitemap_run('job');
RESET client_min_messages;
SELECT "full", reason FROM job_state;

-- Due: never, once an hour, in the future; intervals and times that cannot be added.
UPDATE job SET changes = NULL, written = -1, every = '1 hour';
CALL sitemap_run('job');
SELECT written FROM job;
DELETE FROM job;
INSERT INTO job (target, base_url, section, query, index, written, finished, every, failures)
SELECT 'job_files', 'http://a/', section, 'SELECT path AS loc FROM public.job_page LIMIT 1', 'never', -1, finished, every, failures
  FROM (VALUES
    ('due-at-each-call', now(), NULL::interval, 0), ('due-by-hours', now() - interval '61 minutes', '1 hour', 0),
    ('due-zero', now(), '0', NULL), ('due-negative', now(), '-100000 years', 0),
    ('due-failed', now(), '1 hour', 1), ('due-never-finished', NULL, '100000 years', 0),
    ('due-future', now() + interval '1 day', '1 hour', 0), ('due-infinity', 'infinity', '1 hour', 0), ('due-long-ago', '-infinity', '1 hour', 0),
    ('not-yet', now(), '1 hour', 0), ('not-ever', now(), '170000000 years', 0), ('not-year', now(), '1 year', 0)) v (section, finished, every, failures);
CALL sitemap_run('job');
SELECT section, written FROM job ORDER BY section;

-- A job that fails: its work is gone, the error is recorded, all others run.  Its queue stays.
DELETE FROM job;
DELETE FROM job_files;
CREATE FUNCTION fail() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RAISE 'no such page' USING DETAIL = 'It is the twelfth.';
END
$$;
INSERT INTO job (target, base_url, section, query, changes) VALUES
  ('job_files', 'http://a/', 'good', 'SELECT path AS loc FROM public.job_page', NULL),
  ('job_files', 'http://a/', 'function', 'SELECT CASE WHEN id < 12 THEN path ELSE public.fail() END AS loc, id AS key FROM public.job_page ORDER BY id', 'DELETE FROM public.job_queue RETURNING id'),
  ('job_files', 'http://a/', 'syntax', 'SELEC', NULL),
  ('job_files', 'http://a/', 'two-changes', 'SELECT path AS loc, id AS key FROM public.job_page ORDER BY id', 'DELETE FROM public.job_queue; SELECT 1'),
  ('job_files', 'http://a/', 'no-rows', 'SELECT path AS loc, id AS key FROM public.job_page ORDER BY id', 'DELETE FROM public.job_queue'),
  (NULL, 'http://a/', 'no-target', 'SELECT path AS loc FROM public.job_page', NULL),
  (1, 'http://a/', 'lost-target', 'SELECT path AS loc FROM public.job_page', NULL),
  ('job_files', 'http://a/', 'no-query', NULL, NULL),
  ('job_files', 'no URL', 'sitemap', 'SELECT path AS loc FROM public.job_page', NULL);
INSERT INTO job_queue VALUES (1);
CALL sitemap_run('job');
TABLE job_state;
TABLE job_queue;
SELECT DISTINCT section FROM job_files ORDER BY 1;
CALL sitemap_run('job');
SELECT section, failures FROM job_state WHERE section IN ('good', 'function');
CREATE OR REPLACE FUNCTION fail() RETURNS text LANGUAGE sql AS $$ SELECT '/twelve' $$;
DELETE FROM job WHERE section NOT IN ('good', 'function');
CALL sitemap_run('job');
SELECT section, error, failures FROM job_state;

-- Export: after a change, or after an export that failed.  Two sections, one directory.
SELECT current_setting('data_directory') || '/sitemap_jobs/site' AS directory \gset
COPY (SELECT) TO PROGRAM 'rm -rf sitemap_jobs; cat >/dev/null';
DELETE FROM job WHERE section = 'function';
DELETE FROM job_files WHERE section = 'function';
UPDATE job SET directory = :'directory';
INSERT INTO job (target, base_url, section, query, every, directory) VALUES ('job_files', 'http://a/', 'rare', 'SELECT ''/rare'' AS loc', '1 day', :'directory');
CREATE VIEW job_exported AS
SELECT section, exported >= finished AS exported, error LIKE 'could not % directory %' AS no_directory, failures FROM job ORDER BY section;
\set VERBOSITY sqlstate
CALL sitemap_run('job');
\set VERBOSITY default
TABLE job_exported;
COPY (SELECT) TO PROGRAM 'mkdir sitemap_jobs; cat >/dev/null';
CALL sitemap_run('job');
TABLE job_exported;
SELECT pg_ls_dir(:'directory') ORDER BY 1;
UPDATE job SET exported = '2000-01-01';
CALL sitemap_run('job');
SELECT section, exported FROM job WHERE exported < '2001-01-01' ORDER BY 1;
DELETE FROM job_page WHERE id > 200;
CALL sitemap_run('job');
TABLE job_exported;
-- One site that its jobs spell in two ways, one of them in a job without a target.
INSERT INTO job (target, base_url, section, query, directory) VALUES
  ('job_files', 'http://a', 'spelt', 'SELECT ''/'' AS loc', :'directory'),
  (NULL, 'HTTP://a', 'without', NULL, :'directory');
UPDATE job SET exported = NULL;
CALL sitemap_run('job');
SELECT base_url, section, error, exported IS NOT NULL AS exported FROM job ORDER BY base_url COLLATE "C", section;
DELETE FROM job WHERE section IN ('spelt', 'without');
DELETE FROM job_files WHERE name LIKE 'spelt%';
-- Two sites in one directory, with and without a slash at its end, would remove each other's files.
CREATE TABLE job_other OF sitemap_file (PRIMARY KEY (base_url, name));
INSERT INTO job (target, base_url, section, query, directory) VALUES ('job_other', 'http://b/', 'sitemap', 'SELECT ''/'' AS loc', :'directory' || '/');
UPDATE job SET exported = NULL;
\set VERBOSITY sqlstate
CALL sitemap_run('job');
\set VERBOSITY default
SELECT base_url, section, replace(error, current_setting('data_directory'), '') AS error, exported FROM job ORDER BY 1, 2;
DELETE FROM job WHERE base_url = 'http://b/';
CALL sitemap_run('job');
TABLE job_exported;
COPY (SELECT) TO PROGRAM 'rm -r sitemap_jobs; cat >/dev/null';
DROP VIEW job_exported;
DROP TABLE job_other;

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
ALTER TABLE job_type ALTER every TYPE text;
CALL sitemap_run('job_type');
DROP TABLE job_type;

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

-- Times rounded to seconds, as some frameworks create the columns.
CREATE TABLE job_rounded (LIKE sitemap_job, PRIMARY KEY (base_url, section));
ALTER TABLE job_rounded ALTER started TYPE timestamptz(0), ALTER finished TYPE timestamptz(0), ALTER full_at TYPE timestamptz(0), ALTER exported TYPE timestamptz(0);
INSERT INTO job_rounded (target, base_url, section, query) SELECT 'job_files', 'http://d/', 'rounded-' || n, 'SELECT ''/'' AS loc' FROM generate_series(1, 3) n;
CALL sitemap_run('job_rounded');
SELECT section, urls, finished >= started AS success FROM job_rounded ORDER BY section;
DROP TABLE job_rounded;

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
-- A status that the table refuses: a success becomes a failure, without its files, and the
-- other jobs run.
UPDATE job SET finished = NULL, urls = NULL, error = NULL, failures = 0;
DELETE FROM job_checked;
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused: %', NEW.base_url; END $$;
CREATE TRIGGER refuse BEFORE UPDATE ON job FOR EACH ROW
  WHEN (NEW.base_url = 'http://a/' AND NEW.finished IS NOT NULL OR NEW.base_url = 'http://b/' AND NEW.error IS NOT NULL) EXECUTE FUNCTION refuse();
CALL sitemap_run('job');
SELECT base_url, finished IS NOT NULL AS success, urls, error, failures FROM job ORDER BY base_url;
SELECT base_url, url_count FROM job_checked WHERE kind = 'urlset' ORDER BY base_url;
DROP TRIGGER refuse ON job;
DROP FUNCTION refuse;
DROP VIEW job_state;
DROP TABLE job, job_files, job_page, job_queue, job_checked, job_tenant;
DROP FUNCTION fail;
