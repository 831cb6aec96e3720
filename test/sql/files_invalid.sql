--
-- sitemap_files: rows that are not valid, with on_invalid => 'error' and 'skip'.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TEMP TABLE odd (id serial, loc text, lastmod text, changefreq text, priority numeric, extensions xml[]);
INSERT INTO odd (loc, lastmod, changefreq, priority, extensions) VALUES
  ('/1', '2026', 'daily', 0.5, NULL),
  ('/2', '2026-02-30', 'daily', 0.5, NULL),
  ('ftp://a/', '2027', 'x', 2, NULL),
  ('/4', '2026-01', 'sometimes', 7, NULL),
  (NULL, 'x', 'x', 9, NULL),
  ('/6', NULL, NULL, 'NaN', ARRAY[sitemap_image('http://i'),
                                  sitemap_news('n', 'en', '2026', 't'),
                                  sitemap_news('n', 'en', '2026', 't')]),
  ('/7', 'infinity', '', NULL, NULL),
  ('http://b/', NULL, NULL, NULL, NULL),
  ('/9' || repeat('x', 2048), NULL, NULL, NULL, NULL);

-- 'skip' leaves out the optional element or else the row. One warning says how many, and shows five.
SET client_min_messages = notice;
SELECT name, kind, loc, to_char(lastmod AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'),
       url_count, byte_count, octet_length(content), pg_temp.text(content)
  FROM sitemap_files('SELECT loc, lastmod, changefreq, priority, extensions FROM odd ORDER BY id', 'http://a/',
                     on_invalid => 'skip') f;
SELECT pg_temp.text(content)
  FROM sitemap_files('SELECT loc FROM odd WHERE id IN (1, 3) ORDER BY id', 'http://a/',
                     on_invalid => 'skip') f;
SELECT pg_temp.text(content)
  FROM sitemap_files('SELECT loc, changefreq FROM odd WHERE id IN (1, 4) ORDER BY id', 'http://a/',
                     on_invalid => 'skip') f;

-- No row is left, no file is made.
SELECT count(*)
  FROM sitemap_files('SELECT loc FROM odd WHERE id IN (3, 8)', 'http://a/', on_invalid => 'skip') f;

-- Nothing is wrong, nothing is said.
SELECT count(*)
  FROM sitemap_files('SELECT loc FROM odd WHERE id = 1', 'http://a/', on_invalid => 'skip') f;
SET client_min_messages = warning;

-- 'error' ends with the first.
SELECT pg_temp.error(format('SELECT sitemap_files(%L, %L)', query, 'http://a/'))
  FROM odd,
       format('SELECT loc, lastmod, changefreq, priority, extensions FROM odd WHERE id IN (1, %s) ORDER BY id',
              odd.id) query
 WHERE id BETWEEN 2 AND 8
 ORDER BY id;
