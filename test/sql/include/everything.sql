-- Every public function that runs SQL, and jobs that succeed, fail and export, with the
-- search_path :path, as the owner of the schema victim.  Results go into victim.result as
-- those of run number :run.
TRUNCATE victim.page, victim.part, victim.files, victim.feed, victim.queue, victim.site;
INSERT INTO victim.page SELECT n, '/' || n, 'old' FROM generate_series(1, 30) n;
SET client_min_messages = error;
SET search_path = :path;

INSERT INTO victim.result SELECT :run, 'files', f.name, f.digest
  FROM public.sitemap_files('SELECT loc, id AS key FROM victim.page ORDER BY id', 'http://a/', max_urls => 7, split => 'stable', compression => 1) f;
INSERT INTO victim.result SELECT :run, 'audit', a.loc, a.problem
  FROM public.sitemap_audit('TABLE victim.odd', 'http://a/', robots => E'User-agent: *\nDisallow: /2\n') a;
INSERT INTO victim.result SELECT :run, 'parse', p.loc, p.lastmod FROM public.sitemap_parse('http://a/'::pg_catalog.text) p;
INSERT INTO victim.result SELECT :run, 'elements', public.sitemap_agg(public.sitemap_url(v.loc, '2026'::pg_catalog.text,
         extensions => ARRAY[public.sitemap_image(v.loc, 'ü'), public.sitemap_alternate('de', v.loc)]))
  FROM (VALUES ('http://a/'::pg_catalog.text)) v (loc);

-- A run inserts, updates and deletes files, writes the feed, keeps states of pages and reads ranges of keys.
SELECT public.sitemap_watch('victim.page', 'id', 'victim.queue', '{title}');
SELECT public.sitemap_watch('victim.page', 'id', 'victim.queue');
SELECT public.sitemap_watch('victim.part', 'id', 'victim.queue', '{loc}');
INSERT INTO victim.result SELECT :run, 'publish', p.* FROM (:publish) p;
UPDATE victim.page SET title = 'new' WHERE id OPERATOR(pg_catalog.=) 3;
UPDATE victim.page SET id = 100 WHERE id OPERATOR(pg_catalog.=) 4;
INSERT INTO victim.part VALUES (5), (6);
INSERT INTO victim.result SELECT :run, 'publish changes', p.* FROM (:publish) p;
DELETE FROM victim.page WHERE id OPERATOR(pg_catalog.>) 20;
INSERT INTO victim.result SELECT :run, 'publish all', p.* FROM (:publish) p;
INSERT INTO victim.result SELECT :run, 'publish text', p.name, p.action
  FROM public.sitemap_publish('victim.files', 'SELECT loc FROM victim.page ORDER BY id', 'http://a/', 'text', format => 'txt', split => 'full',
                              max_urls => 5, compression => 0, index => 'never') p;
INSERT INTO victim.result SELECT :run, 'publish text', p.name, p.action
  FROM public.sitemap_publish('victim.files', 'SELECT loc FROM victim.page ORDER BY id', 'http://a/', 'text', format => 'txt', split => 'full') p;
-- a query that sets the search_path for the rest of the run
INSERT INTO victim.result SELECT :run, 'publish set', p.name, p.action
  FROM public.sitemap_publish('victim.files', 'SELECT pg_catalog.concat(loc, pg_catalog.left(pg_catalog.set_config(''search_path'', ''attack, pg_catalog'', false), 0)) AS loc FROM victim.page ORDER BY id',
                              'http://e/', max_urls => 10) p;
SET search_path = :path;
-- refused
SELECT public.sitemap_publish('victim.files', 'SELECT loc FROM victim.page WHERE false', 'http://a/', 'text');
DELETE FROM victim.files WHERE name OPERATOR(pg_catalog.=) 'sitemap.xml';
INSERT INTO victim.result SELECT :run, 'index', p.name, p.action FROM public.sitemap_publish_index('victim.files', 'http://a/') p;
INSERT INTO victim.result SELECT :run, 'feed', f.loc, f.action FROM victim.feed f;
INSERT INTO victim.result SELECT :run, 'export', e.name, e.action FROM public.sitemap_export(:'directory', 'SELECT * FROM victim.files WHERE base_url OPERATOR(pg_catalog.=) ''http://a/''', 'http://a/') e;
INSERT INTO victim.result SELECT :run, 'export', e.name, e.action FROM public.sitemap_export(:'directory', 'SELECT * FROM victim.files LIMIT 0', 'http://a/') e;

-- A disabled trigger, a missing column, a queue that is gone for a while, and an end of watching.
ALTER TABLE victim.page DISABLE TRIGGER queue_id_insert;
SELECT public.sitemap_watch('victim.page', 'id', 'victim.queue');
SELECT public.sitemap_watch('victim.page', 'nokey', 'victim.queue');
ALTER TABLE victim.queue RENAME TO lost;
UPDATE victim.part SET loc = 'x';
ALTER TABLE victim.lost RENAME TO queue;
SELECT public.sitemap_unwatch('victim.page', 'victim.queue');
SELECT public.sitemap_unwatch('victim.part', 'victim.queue');

-- Jobs of each kind, then again with some of them requested.
INSERT INTO victim.site (target, base_url, section, query, changes, feed, directory, every, failures, error, started) VALUES
  ('victim.files', 'http://b/', 'succeeds', 'TABLE victim.tracked', 'DELETE FROM victim.queue RETURNING id', 'victim.feed', :'job_directory', NULL, NULL, NULL, NULL),
  ('victim.files', 'http://b/', 'fails', 'SELECT pg_catalog.format(NULL) AS loc', NULL, NULL, :'job_directory', NULL, NULL, NULL, NULL),
  ('victim.files', 'http://b/', 'waits', 'SELECT pg_catalog.format(NULL) AS loc', NULL, NULL, NULL, '1 hour', 5, 'failed', pg_catalog.clock_timestamp()),
  ('victim.odd', 'http://b/', 'no-target', 'TABLE victim.tracked', NULL, NULL, NULL, NULL, 2, 'failed', '2026-01-01'),
  (1, 'http://b/', 'lost-target', 'TABLE victim.tracked', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  ('victim.files', 'http://c/', 'no-directory', 'TABLE victim.tracked', NULL, NULL, '/nowhere/to/be/found', NULL, NULL, NULL, NULL),
  ('victim.files', 'http://d/', 'killed', 'SELECT ''/''::pg_catalog.text AS loc', NULL, NULL, NULL, NULL, NULL, NULL, '2026-01-01');
CALL public.sitemap_run('victim.site');
INSERT INTO victim.result SELECT :run, 'job', j.section, pg_catalog.split_part(j.error, E'\n', 1), j.failures, j.urls, j.files, j.written FROM victim.site j;
INSERT INTO victim.result SELECT :run, 'job status', s.section, s.state FROM public.sitemap_status('victim.site') s;
INSERT INTO victim.queue VALUES (2);
UPDATE victim.page SET title = 'newest' WHERE id OPERATOR(pg_catalog.=) 2;
UPDATE victim.site SET requested = pg_catalog.clock_timestamp() WHERE section OPERATOR(pg_catalog.=) 'waits';
CALL public.sitemap_run('victim.site');
INSERT INTO victim.result SELECT :run, 'job again', j.section, pg_catalog.split_part(j.error, E'\n', 1), j.failures, j.urls, j.files, j.written FROM victim.site j;
-- a full run after a change that no key announces
UPDATE victim.page SET title = 'unwatched' WHERE id OPERATOR(pg_catalog.=) 9;
UPDATE victim.site SET full_at = '2026-01-01' WHERE section OPERATOR(pg_catalog.=) 'succeeds';
CALL public.sitemap_run('victim.site');
INSERT INTO victim.result SELECT :run, 'job full', j.section, pg_catalog.split_part(j.error, E'\n', 1), j.failures, j.missed FROM victim.site j;
RESET search_path;
