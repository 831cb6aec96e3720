-- Run by test/demo/run, which feeds the list of files to \copy.  The job exports to
-- the folder "sitemaps" beside the server's socket.
\pset footer off
\getenv host PGHOST
SET client_min_messages = warning;
CREATE EXTENSION sitemap;

CREATE TABLE file (modified float8, path text);
\copy file FROM pstdin
SELECT count(*) = 0 AS is_empty FROM file \gset
\if :is_empty
	\quit
\endif

-- A path is no URL yet: "%", "?" and "#" have a meaning in one.  Whatever else
-- a URL or XML cannot have, sitemap_publish takes care of.
CREATE TABLE page AS
SELECT '/' || replace(replace(replace(path, '%', '%25'), '?', '%3F'), '#', '%23') AS loc,
       to_timestamp(modified) AS lastmod
  FROM file;
CREATE INDEX ON page (loc);
ANALYZE page;

CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE site OF sitemap_job (PRIMARY KEY (base_url, section));
INSERT INTO site (target, base_url, section, query, max_urls, directory)
VALUES ('site_files', 'https://www.example.com/', 'files',
        'SELECT loc, lastmod, loc AS key FROM public.page ORDER BY loc', 2500, :'host' || '/sitemaps');

-- The runs, for the plots of the report.
CREATE TABLE site_history (LIKE site);
CREATE FUNCTION keep_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO public.site_history SELECT * FROM jsonb_populate_record(NULL::public.site_history, to_jsonb(NEW));
	RETURN NULL;
END $$;
CREATE TRIGGER history AFTER UPDATE ON site FOR EACH ROW
	WHEN (NEW.finished IS DISTINCT FROM OLD.finished) EXECUTE FUNCTION keep_history();
CALL sitemap_run('site');

\echo
SELECT name, kind, url_count, byte_count AS bytes, length(content) AS compressed
  FROM site_files
 ORDER BY kind, first_key;

SELECT urls, files, round(seconds::numeric, 3) AS seconds, round(urls / seconds) AS urls_per_second
  FROM site;

-- One page changes, and the next run reads no more than it has to.
CREATE TABLE page_change (loc text);
SELECT sitemap_watch('page', 'loc', 'page_change') \g /dev/null
UPDATE site SET changes = 'DELETE FROM public.page_change RETURNING loc';
UPDATE page SET lastmod = now()
 WHERE loc = (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY loc) FROM page);
CALL sitemap_run('site');

\echo One page changes:
SELECT urls, files, written, round(seconds::numeric, 3) AS seconds
  FROM site;
