--
-- sitemap_status: what it says of jobs, of sections without a job, and of broken watches.  When a
-- job is due is in jobs.sql, rights in privileges.sql, other sessions in test/t/status.pl.
--
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE TABLE status_files OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE status_site OF sitemap_job (PRIMARY KEY (base_url, section));
\set status 'SELECT section, state, urls, detail FROM sitemap_status(''status_site'')'

-- The whole error, and what to do about it; skipped rows; a job that may lose all URLs; a paused job.
INSERT INTO status_site (target, base_url, section, query, on_invalid, max_shrink, every)
SELECT 'status_files', 'https://a.example/', section, query, on_invalid, max_shrink, every
  FROM (VALUES ('fails', 'SELECT ''/'' AS path', NULL, NULL, NULL::interval), ('skips', 'SELECT unnest(''{/1,ftp://a,ftp://b}''::text[]) AS loc', 'skip', NULL, NULL),
               ('shrinks', 'SELECT ''/2'' AS loc', NULL, 1, NULL), ('pauses', 'SELECT ''/3'' AS loc', NULL, NULL, '100 years'),
               ('rare', 'SELECT ''/4'' AS loc', NULL, 0.9, '9 years 364 days')) v (section, query, on_invalid, max_shrink, every);
CALL sitemap_run('status_site');
:status;
SELECT detail = error FROM sitemap_status('status_site') JOIN status_site USING (base_url, section) WHERE state = 'failing';
UPDATE status_site SET failures = 3, started = now() WHERE section = 'fails';
UPDATE status_site SET skipped = 1, max_shrink = 1 WHERE section = 'skips';
UPDATE status_site SET started = NULL, finished = NULL WHERE section = 'pauses';
:status;
SELECT detail = error || E'\nTo run it at the next call: UPDATE public.status_site SET requested = now() WHERE (base_url, section) = (''https://a.example/'', ''fails'')'
  FROM sitemap_status('status_site') JOIN status_site USING (base_url, section) WHERE state = 'waiting';

-- What a target has and no job publishes: the advice never removes files, which a job of another table may have
-- published.  The guide's steps end with the call in it.  Other sites are one row a target.
TRUNCATE status_site, status_files;
INSERT INTO status_site (target, base_url, section, query, every)
SELECT 'status_files', base_url, section, format('SELECT %L AS loc', '/' || section), '1 day'
  FROM unnest('{https://a.example/,https://b.example/,https://c.example/}'::text[]) base_url, unnest('{a,b}'::text[]) section;
CALL sitemap_run('status_site');
DELETE FROM status_site WHERE base_url ~ '//b' OR base_url ~ '//a' AND section = 'b';
UPDATE status_site SET base_url = 'https://d.example/' WHERE base_url ~ '//c';
SELECT base_url, section, state, urls, detail FROM sitemap_status('status_site');
SELECT detail ~* 'delete|truncate' AS removes, substring(detail, 'SELECT FROM.*') AS index FROM sitemap_status('status_site') WHERE state = 'no job' \gset
\echo :removes
DELETE FROM status_files WHERE (base_url, section) = ('https://a.example/', 'b');
:index;
SELECT section, state, urls FROM sitemap_status('status_site');
SELECT name, kind, section FROM status_files WHERE base_url = 'https://a.example/' ORDER BY name;
SELECT e.loc FROM status_files f, sitemap_parse(f.content) e WHERE f.base_url = 'https://a.example/' AND f.kind = 'index';

-- Targets that are partitioned or have children, whose columns are in another order; a section of which there is
-- only an index, or a file of another program, or a file without a section, is none.
TRUNCATE status_site, status_files;
CREATE TABLE status_child (digest text, extra int, url_count int, kind text, section text, name text NOT NULL, loc text, lastmod timestamptz,
                           byte_count bigint, first_key text, recipe text, shown bytea, content bytea, base_url text NOT NULL);
CREATE TABLE status_parent (LIKE status_files);
ALTER TABLE status_parent ADD extra int;
ALTER TABLE status_child INHERIT status_parent;
INSERT INTO status_site (target, base_url, section) VALUES ('status_parent', 'https://a.example/', 'a');
INSERT INTO status_child (base_url, section, name, kind, digest, url_count) VALUES
  ('https://a.example/', 'child', '1', 'urlset', 'x', 1), ('https://a.example/', 'child', '2', 'text', 'x', 2), ('https://a.example/', 'child', '3', 'text', 'x', NULL),
  ('https://a.example/', 'index', '1', 'index', 'x', 1), ('https://a.example/', 'theirs', '1', 'urlset', NULL, 1), ('https://a.example/', NULL, '1', 'urlset', 'x', 1);
INSERT INTO status_parent (base_url, section, name, kind, digest, url_count) VALUES ('https://a.example/', repeat('p', 3000), '1', 'urlset', 'x', 4);
SELECT left(section, 5), state, urls, length(section) FROM sitemap_status('status_site');
CREATE TABLE status_partitioned (LIKE status_files) PARTITION BY LIST (base_url);
ALTER TABLE status_child NO INHERIT status_parent;
ALTER TABLE status_partitioned ADD extra int;
DELETE FROM status_child WHERE section IS NULL;
ALTER TABLE status_partitioned ATTACH PARTITION status_child FOR VALUES IN ('https://a.example/');
UPDATE status_site SET target = 'status_partitioned';
BEGIN;
SELECT section, state, urls FROM sitemap_status('status_site');
-- There can be more targets than the server has room for locks, so none is kept.
SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN ('status_partitioned'::regclass, 'status_child'::regclass);
COMMIT;
-- A job whose target is no table of files, or none at all.
CREATE VIEW status_view AS TABLE status_files;
CREATE SEQUENCE status_sequence;
INSERT INTO status_site (target, base_url, section)
SELECT target, 'https://a.example/', target::text
  FROM unnest('{status_view,status_sequence,status_site,status_files_pkey,pg_class,1,0}'::regclass[]) target;
INSERT INTO status_site (base_url, section) VALUES ('https://a.example/', 'without');
SELECT section, state FROM sitemap_status('status_site');
-- A table of jobs that is partitioned and has no key: of equal rows, one is told.
CREATE TABLE status_jobs OF sitemap_job PARTITION BY LIST (section);
CREATE TABLE status_jobs_a PARTITION OF status_jobs FOR VALUES IN ('a');
CREATE TABLE status_jobs_b PARTITION OF status_jobs DEFAULT;
INSERT INTO status_jobs (base_url, section, target) VALUES ('https://a.example/', 'b', 'status_files'), ('https://a.example/', 'a', 'status_files'),
  (NULL, 'c', 'status_files'), ('https://a.example/', NULL, 'status_files'), ('https://a.example/', 'a', 'status_files');
SELECT base_url, section, state FROM sitemap_status('status_jobs');
DROP TABLE status_jobs, status_parent, status_partitioned;
DROP VIEW status_view;
DROP SEQUENCE status_sequence;
TRUNCATE status_site;

-- Broken watches.  Each fault is undone, and what the detail says repairs it.
CREATE TABLE status_page (id int PRIMARY KEY, path text, part int);
CREATE TABLE status_change (id int);
CREATE TABLE status_parts (id int, part int) PARTITION BY LIST (part);
CREATE TABLE status_part_1 PARTITION OF status_parts FOR VALUES IN (1);
CREATE TABLE status_part_2 PARTITION OF status_parts FOR VALUES IN (2);
CREATE ROLE regress_status_other;
SELECT sitemap_watch('status_page', 'id', 'status_change', '{path}'), sitemap_watch('status_parts', 'id', 'status_change');
\set watches 'SELECT base_url, section, urls, age, next_run, pid, detail FROM sitemap_status(''status_site'') WHERE state = ''broken watch'''
:watches;
-- A new partition, and one that is taken away with its triggers.
CREATE TABLE status_part_3 PARTITION OF status_parts FOR VALUES IN (3);
ALTER TABLE status_parts DETACH PARTITION status_part_2;
:watches;
ALTER TABLE status_page DISABLE TRIGGER status_change_id_update;
ALTER TABLE status_page ENABLE REPLICA TRIGGER status_change_id_delete;
:watches;
SELECT substring(detail, 'ALTER [^;]*') AS enable FROM sitemap_status('status_site') WHERE state = 'broken watch' \gset
:enable;
ALTER TABLE status_page ENABLE ALWAYS TRIGGER status_change_id_delete;
:watches;
DROP TRIGGER status_change_id_insert ON status_page;
DROP TRIGGER status_change_id_truncate ON status_page;
:watches;
SELECT substring(detail, 'SELECT .*') AS repeated FROM sitemap_status('status_site') WHERE state = 'broken watch' \gset
:repeated;
:watches;
DROP TRIGGER status_change_id_delete ON status_part_1;
:watches;
SELECT format('DROP TRIGGER %I ON status_parts', tgname) FROM pg_trigger WHERE tgrelid = 'status_parts'::regclass \gexec
:watches;
SELECT substring(detail, 'SELECT .*') AS repeated FROM sitemap_status('status_site') WHERE state = 'broken watch' \gset
:repeated;
:watches;
ALTER TABLE status_part_1 OWNER TO regress_status_other;
:watches;
ALTER TABLE status_part_1 OWNER TO current_user;
-- The queue.
\set break 'BEGIN; :fault; SELECT detail FROM sitemap_status(''status_site'') WHERE state = ''broken watch'' ORDER BY detail COLLATE "C"; ROLLBACK'
\set fault 'ALTER TABLE status_change RENAME TO status_lost'
:break;
\set fault 'DROP TABLE status_change'
:break;
\set fault 'CREATE UNIQUE INDEX ON status_change (id)'
:break;
\set fault 'ALTER TABLE status_change OWNER TO regress_status_other'
:break;
\set fault 'ALTER TABLE status_change ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; ALTER TABLE status_change OWNER TO regress_status_other; ALTER TABLE status_page OWNER TO regress_status_other; ALTER TABLE status_site OWNER TO regress_status_other'
:break;
\set fault 'CREATE RULE nothing AS ON INSERT TO status_change DO INSTEAD NOTHING'
:break;
-- NULL, which stands for all keys, is added where the key does not fit: nothing is lost.  Neither does a rule beside do harm.
\set fault 'ALTER TABLE status_page RENAME id TO number; CREATE RULE also AS ON INSERT TO status_change DO ALSO NOTIFY status'
:break;
-- Only tables of the owner of the jobs; triggers that somebody has made by hand need not be those of a watch.
ALTER TABLE status_page DISABLE TRIGGER ALL;
ALTER TABLE status_page OWNER TO regress_status_other;
:watches;
ALTER TABLE status_page OWNER TO current_user;
ALTER TABLE status_page ENABLE TRIGGER ALL;
CREATE TRIGGER by_hand BEFORE INSERT ON status_page EXECUTE FUNCTION _sitemap_watch();
CREATE TRIGGER by_hand_too AFTER INSERT ON status_page EXECUTE FUNCTION _sitemap_watch('id', 'no name');
:watches;
DROP TABLE status_site, status_files, status_page, status_change, status_parts, status_part_2;
DROP ROLE regress_status_other;
