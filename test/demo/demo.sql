-- Run by test/demo/run, which feeds the list of files to \copy and sets the
-- environment variable "out", the folder to write to.
\pset footer off
CREATE EXTENSION sitemap;

CREATE TABLE file (modified float8, path text);
\copy file FROM pstdin

-- A path is no URL yet: "%", "?" and "#" have a meaning in one.  Whatever else
-- a URL or XML cannot have, sitemap_files takes care of.
CREATE TABLE page AS
SELECT '/' || replace(replace(replace(path, '%', '%25'), '?', '%3F'), '#', '%23') AS loc,
       to_timestamp(modified) AS lastmod
  FROM file;
ANALYZE page;

SELECT clock_timestamp() AS started \gset

CREATE TABLE site_files AS
SELECT *
  FROM sitemap_files(query => 'SELECT loc, lastmod FROM public.page ORDER BY loc',
                     base_url => 'https://www.example.com/',
                     compression => 6,
                     max_urls => 2500);

SELECT extract(epoch FROM clock_timestamp() - :'started') AS seconds \gset

\echo
SELECT name, kind, url_count, lastmod, byte_count AS bytes, length(content) AS compressed
  FROM site_files;

SELECT sum(url_count) AS urls, round(:seconds, 3) AS seconds,
       round(sum(url_count) / :seconds) AS urls_per_second
  FROM site_files WHERE kind = 'urlset';

SELECT name, translate(encode(content, 'base64'), E'\n', '') AS base64
  FROM site_files
\g (format=unaligned tuples_only=on fieldsep=' ') | while read -r name base64; do echo "$base64" | base64 -d >"$out/$name"; done

-- Published into a table, which knows what each file begins with: then one page
-- changes, and a run looks at no more than it takes.
CREATE INDEX ON page (loc);
CREATE TABLE published OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE page_change (loc text);
\set query 'SELECT loc, lastmod, loc AS key FROM public.page ORDER BY loc'

SELECT clock_timestamp() AS started \gset
SELECT count(*) AS files
  FROM sitemap_publish('published', :'query', 'https://www.example.com/', max_urls => 500) \gset
SELECT extract(epoch FROM clock_timestamp() - :'started') AS seconds \gset

WITH changed AS (
	UPDATE page SET lastmod = now()
	 WHERE loc = (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY loc) FROM page)
	RETURNING loc)
INSERT INTO page_change SELECT loc FROM changed;

SELECT clock_timestamp() AS started \gset
CREATE TABLE second_run AS
SELECT *
  FROM sitemap_publish('published', :'query', 'https://www.example.com/', max_urls => 500,
                       changes => 'DELETE FROM public.page_change RETURNING loc');
SELECT extract(epoch FROM clock_timestamp() - :'started') AS seconds_changed \gset

\echo One page changes:
SELECT name, kind, action, url_count FROM second_run;

SELECT :files AS "files of the full run", round(:seconds, 3) AS seconds,
       count(*) AS "files looked at after the change", round(:seconds_changed, 3) AS "seconds then"
  FROM second_run;
