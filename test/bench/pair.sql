-- Run by test/bench/pair with the variable rows: the statements whose CPU time it compares.
SET client_min_messages = warning;
CREATE EXTENSION sitemap;
\ir pages.sql
CREATE TABLE path AS SELECT substr(loc, 24) AS loc, lastmod, changefreq, priority FROM page;
CREATE TABLE russian_path AS SELECT '/каталог/раздел-' || n % 100 || '/товар-' || n AS loc FROM generate_series(1, :rows) n;
CREATE TABLE document AS SELECT sitemap_agg(loc, lastmod, changefreq, priority) AS content FROM page WHERE part = 0;
CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE job OF sitemap_job (section WITH OPTIONS DEFAULT 'sitemap', PRIMARY KEY (base_url, section));
INSERT INTO job (target, base_url, query)
SELECT 'target', format('https://www.example.com/%s/', n), 'SELECT ''/'' || n AS loc FROM generate_series(1, 20) n ORDER BY n'
  FROM generate_series(1, 400) n;
VACUUM ANALYZE;

CREATE FUNCTION files(query text, options text DEFAULT '') RETURNS text LANGUAGE sql AS $$
SELECT format('SELECT count(content) FROM sitemap_files(%L, %L%s)', query, 'https://www.example.com/', options)
$$;
CREATE FUNCTION publish(query text) RETURNS text LANGUAGE sql AS $$
SELECT format('SELECT count(*) FROM sitemap_publish(%L, %L, %L, max_urls => 300, split => %L)', 'target', query, 'https://www.example.com/', 'full')
$$;
CREATE TABLE work (position int GENERATED ALWAYS AS IDENTITY, name text, preparation text, statement text);
INSERT INTO work (name, preparation, statement) VALUES
('COPY of paths', '', $$COPY path TO '/dev/null'$$),
('plain, paths', files('TABLE path'), files('TABLE path')), -- the first call loads the library
('plain, URLs', '', files('SELECT loc, lastmod, changefreq, priority FROM page')),
('level 6, paths', '', files('TABLE path', ', compression => 6')),
('column images', '', files('TABLE page_with_images')),
('columns images, alternates', '', files('TABLE page_with_languages')),
('column news', '', files('TABLE page_with_news')),
('Russian paths', '', files('TABLE russian_path')),
('files of 300 URLs: first run', 'TRUNCATE target', publish('TABLE path')),
('nothing changed', '', publish('TABLE path')),
('all changed', '', publish('SELECT loc || ''x'' AS loc, lastmod, changefreq, priority FROM path')),
('400 jobs: first run', 'TRUNCATE target', $$CALL sitemap_run('job')$$),
('nothing changed', '', $$CALL sitemap_run('job')$$),
('audit', '', $$SELECT count(*) FROM sitemap_audit('TABLE path', 'https://www.example.com/')$$),
('parse, 50,000 entries', '', $$SELECT count(*) FROM sitemap_parse((SELECT convert_to(content, 'UTF8') FROM document))$$);

-- CPU time of the backend, in nanoseconds.
CREATE FUNCTION cpu() RETURNS bigint LANGUAGE sql AS $$
SELECT split_part(pg_read_file('/proc/self/schedstat', 0, 100), ' ', 1)::bigint
$$;
CREATE TABLE result (position int, cpu bigint);
