--
-- Extension elements of all kinds in one set of files.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- Their bytes count: a file of exactly max_bytes is whole, one byte less makes two.
CREATE TEMP TABLE page AS
SELECT n AS id, '/' || n AS loc, array_agg(sitemap_image('http://i/' || m)) AS extensions
  FROM generate_series(1, 3) n, generate_series(1, n) m
 GROUP BY n;
SELECT d, string_agg(f.url_count || ' ' || (f.byte_count - s.size), ', ' ORDER BY f.name)
  FROM (SELECT byte_count AS size
          FROM sitemap_files('SELECT loc, extensions FROM page ORDER BY id', 'http://a/')) s,
       unnest('{0,-1}'::int[]) d,
       sitemap_files('SELECT loc, extensions FROM page ORDER BY id', 'http://a/',
                     max_bytes => size + d, index => 'never') f
 GROUP BY d
 ORDER BY d DESC;

-- An entry that is larger than max_bytes is not valid, and named.
SELECT pg_temp.error($$
  SELECT sitemap_files('SELECT loc, extensions FROM page ORDER BY id', 'http://a/', max_bytes => 360)
$$);
SET client_min_messages = notice;
SELECT name, url_count, byte_count
  FROM sitemap_files('SELECT loc, extensions FROM page ORDER BY id', 'http://a/',
                     max_bytes => 360, on_invalid => 'skip');

-- So is one that is larger than any file could be.
SELECT name, url_count
  FROM sitemap_files($$
         SELECT '/' || n AS loc,
                CASE n WHEN 2 THEN array_fill(sitemap_image('http://i/', repeat(E'\\', 2000000)), '{7}') END
                  AS extensions
           FROM generate_series(1, 3) n
       $$, 'http://a/', on_invalid => 'skip');
SET client_min_messages = warning;

-- All kinds in one file, as a column and as <url> elements.
CREATE TEMP VIEW mixed AS
SELECT n, '/' || n AS loc,
       CASE n
         WHEN 1 THEN ARRAY[sitemap_image('http://i/ü', 'Ü')]
         WHEN 2 THEN ARRAY[sitemap_video('http://t/', 'Ü', 'd', 'http://c/')]
         WHEN 3 THEN ARRAY[sitemap_news('n', 'en', '2026', 'Ü')]
         WHEN 4 THEN sitemap_alternates('{"de": "http://a/ü", "en": "http://a/"}')
         WHEN 5 THEN sitemap_alternates('{"de": "http://a/ü", "en": "http://a/"}')
                     || sitemap_news('n', 'en', '2026', 'Ü')
                     || sitemap_video('http://t/', 'Ü', 'd', 'http://c/')
                     || sitemap_image('http://i/ü', 'Ü')
       END AS extensions
  FROM generate_series(1, 6) n;
SELECT pg_temp.text(content)
  FROM sitemap_files('SELECT loc, extensions FROM mixed ORDER BY n', 'http://a/');
SELECT count(DISTINCT document)
  FROM (SELECT pg_temp.text(content) AS document
          FROM sitemap_files('SELECT loc, extensions FROM mixed ORDER BY n', 'http://a/')
         UNION ALL
        SELECT pg_temp.text(content)
          FROM sitemap_files($$
                 SELECT sitemap_url('http://a' || loc, extensions => extensions) AS url
                   FROM mixed
                  ORDER BY n
               $$, 'http://a/')
         UNION ALL
        SELECT sitemap_agg(sitemap_url('http://a' || loc, extensions => extensions) ORDER BY n)
          FROM mixed) s;

-- NULLs in an array of extensions are left out, however many there are.
SELECT sitemap_url('http://a/', extensions => array_fill(NULL::xml, '{70000000}'));
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', extensions => array_fill(sitemap_image('http://i/'), '{1000000}')) $$);
SELECT name, url_count
  FROM sitemap_files($$ SELECT 'http://a/' AS loc, array_fill('x'::text, '{1000000}') AS images $$, 'http://a/', on_invalid => 'skip');
SELECT pg_temp.error($$ SELECT sitemap_video('http://a/', 't', 'd', 'http://b/', tag => array_fill(NULL::text, '{2000000}')) $$);
