-- Mistakes of new users: the message says what to do next.
\set VERBOSITY terse
SET client_min_messages = error;
CREATE SCHEMA mistakes;
CREATE TABLE mistakes.page (id int PRIMARY KEY, path text, changed timestamptz, category int);
INSERT INTO mistakes.page SELECT n, '/page/' || n, '2026-03-01Z', n / 10 FROM generate_series(1, 30) n;
CREATE TABLE mistakes.files OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE mistakes.site OF sitemap_job (section WITH OPTIONS DEFAULT 'pages', PRIMARY KEY (base_url, section));
INSERT INTO mistakes.site (target, base_url, max_urls, query)
VALUES ('mistakes.files', 'https://www.example.com/', 10, 'SELECT path AS loc, id AS key FROM mistakes.page ORDER BY id');
CALL sitemap_run('mistakes.site');
\set run 'CALL sitemap_run(''mistakes.site''); SELECT error FROM mistakes.site;'

-- "changes" returns something else than keys, or a range by mistake
UPDATE mistakes.site SET changes = 'SELECT id, changed FROM mistakes.page WHERE id = 5', full_at = NULL;
:run
UPDATE mistakes.site SET changes = 'SELECT id, id::numeric FROM mistakes.page WHERE id = 5', failures = 0;
:run
UPDATE mistakes.site SET changes = 'SELECT id::numeric FROM mistakes.page WHERE id = 5', failures = 0;
:run
UPDATE mistakes.site SET changes = 'SELECT id, category FROM mistakes.page WHERE id = 5', failures = 0;
:run

-- Tables without their schema
UPDATE mistakes.site SET changes = NULL, query = 'SELECT path AS loc FROM page';
:run
UPDATE mistakes.site SET query = 'SELECT path AS loc, id AS key FROM mistakes.page ORDER BY id', changes = 'DELETE FROM queue RETURNING id', failures = 0;
:run

-- Directories
UPDATE mistakes.site SET changes = NULL, directory = '/nowhere/below/this', failures = 0;
:run
UPDATE mistakes.site SET directory = 'sitemaps', failures = 0;
:run

-- A target that was dropped and created again
UPDATE mistakes.site SET directory = NULL, failures = 0;
DROP TABLE mistakes.files;
CREATE TABLE mistakes.files OF sitemap_file (PRIMARY KEY (base_url, name));
CALL sitemap_run('mistakes.site');
SELECT regexp_replace(error, '"\d+"', '"OID"') AS error FROM mistakes.site;
UPDATE mistakes.site SET target = 'mistakes.files', failures = 0;
CALL sitemap_run('mistakes.site');
SELECT urls, error FROM mistakes.site;

DROP SCHEMA mistakes CASCADE;
