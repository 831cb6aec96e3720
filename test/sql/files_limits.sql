--
-- sitemap_files: where one file ends and the next begins.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TEMP TABLE page AS
SELECT n AS id,
       '/p/' || n AS loc,
       timestamptz '2026-01-02 03:04:05.678+00' + n * interval '1 day' AS lastmod
  FROM generate_series(1, 10) n;

-- A file of exactly max_urls is whole.
SELECT m, string_agg(f.url_count::text, ' ' ORDER BY f.n)
  FROM unnest('{1,2,3,5,9,10,11}'::int[]) m,
       LATERAL (SELECT row_number() OVER () AS n, *
                  FROM sitemap_files('SELECT loc FROM page', 'https://www.example.com/', max_urls => m)) f
 GROUP BY m
 ORDER BY m;

-- So is one of 50,000.
SELECT string_agg(url_count || ' ' || kind, ', ' ORDER BY name)
  FROM sitemap_files('SELECT ''/'' || n AS loc FROM generate_series(1, 50000) n', 'http://a/');
SELECT string_agg(url_count || ' ' || kind, ', ' ORDER BY name)
  FROM sitemap_files('SELECT ''/'' || n AS loc FROM generate_series(1, 50001) n', 'http://a/');

-- A file of exactly max_bytes is whole: header and footer count, gzip does not.
SELECT format, compression, d,
       string_agg(f.kind || ' ' || f.url_count || ' '
                  || CASE WHEN f.byte_count <= size + d THEN 'fits' ELSE 'TOO LARGE' END, ', ' ORDER BY f.n)
  FROM (SELECT format, byte_count AS size
          FROM unnest('{xml,txt}'::text[]) format,
               sitemap_files('SELECT loc, lastmod FROM page ORDER BY id', 'https://www.example.com/',
                             format => format)) s,
       unnest('{0,6}'::int[]) compression,
       unnest('{1,0,-1}'::int[]) d,
       LATERAL (SELECT row_number() OVER () AS n, *
                  FROM sitemap_files('SELECT loc, lastmod FROM page ORDER BY id', 'https://www.example.com/',
                                     format => format, compression => compression,
                                     max_bytes => size + d, index => 'never')) f
 GROUP BY format, compression, d
 ORDER BY format, compression, d DESC;

-- The declaration of a namespace counts too, here that of the last entry's.
CREATE TEMP VIEW image_page AS
SELECT loc, CASE id WHEN 3 THEN ARRAY[sitemap_image('http://i/')] END AS extensions
  FROM page
 WHERE id <= 3
 ORDER BY id;
SELECT d, string_agg(f.url_count || ' ' || (f.byte_count <= size + d), ', ' ORDER BY f.n)
  FROM (SELECT byte_count AS size FROM sitemap_files('TABLE image_page', 'https://www.example.com/')) s,
       unnest('{0,-1}'::int[]) d,
       LATERAL (SELECT row_number() OVER () AS n, *
                  FROM sitemap_files('TABLE image_page', 'https://www.example.com/',
                                     max_bytes => size + d, index => 'never')) f
 GROUP BY d
 ORDER BY d DESC;

-- An entry that fits into no file is not valid.
SELECT pg_temp.error($$
  SELECT sitemap_files('SELECT loc FROM page ORDER BY id', 'https://www.example.com/', max_bytes => 156)
$$);
SELECT name, kind, loc, url_count, byte_count, octet_length(content), pg_temp.text(content)
  FROM sitemap_files('SELECT loc FROM page ORDER BY id', 'https://www.example.com/',
                     max_bytes => 156, index => 'never', on_invalid => 'skip')
 WHERE name LIKE '%-9.xml';

-- 52,428,800 bytes end a file before max_urls does.
SELECT kind, url_count, byte_count, length(content) = byte_count
  FROM sitemap_files('SELECT ''/'' || n || repeat(''x'', 1990) AS loc FROM generate_series(100001, 130000) n',
                     'http://a/');

-- An index has up to 50,000 sitemaps; more need further ones.
CREATE TEMP TABLE many AS
SELECT row_number() OVER () AS n, *
  FROM sitemap_files($$
         SELECT '/' || n AS loc, date '2026-01-01' AS lastmod FROM generate_series(1, 50001) n
       $$, 'http://a/', max_urls => 1);
SELECT kind, count(*), min(name), max(name), sum(url_count) FROM many GROUP BY kind ORDER BY kind;
SELECT name, url_count,
       substring(pg_temp.text(content) FROM '<sitemap>.*?</sitemap>'),
       right(pg_temp.text(content), 70),
       n
  FROM many
 WHERE kind = 'index'
 ORDER BY n;

-- And up to 52,428,800 bytes, to the last entry that fits.
SELECT name, url_count, byte_count
  FROM sitemap_files('SELECT ''/'' || n AS loc FROM generate_series(1, 30000) n',
                     'http://a/' || repeat('y', 1700) || '/', scope => 'any', max_urls => 1)
 WHERE kind = 'index';
