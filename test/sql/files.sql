--
-- sitemap_files: which files there are, and what is in them.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- A file without its content, in one line.
CREATE FUNCTION pg_temp.show(f sitemap_file) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' ', f.name, f.kind, f.loc,
                   coalesce(to_char(f.lastmod AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '-'),
                   f.url_count, f.byte_count, f.byte_count = octet_length(f.content))
$$;
CREATE TEMP TABLE page AS
SELECT n AS id,
       '/p/' || n AS loc,
       timestamptz '2026-01-02 03:04:05.678+00' + n * interval '1 day' AS lastmod
  FROM generate_series(1, 10) n;

-- One file.
SELECT section, pg_temp.show(f), digest, pg_temp.text(content)
  FROM sitemap_files('SELECT loc, lastmod FROM page WHERE id <= 2 ORDER BY id',
                     'https://www.example.com/') f;

-- No rows, no files; a row whose loc is NULL is none.
SELECT count(*)
  FROM sitemap_files('SELECT loc FROM page WHERE false', 'https://www.example.com/', index => 'always');
SELECT count(*)
  FROM sitemap_files('SELECT NULL::text AS loc FROM page', 'https://www.example.com/', index => 'always');
SELECT pg_temp.text(content)
  FROM sitemap_files($$
         SELECT CASE WHEN id <> 2 THEN loc END AS loc,
                CASE id WHEN 2 THEN 'nonsense' END AS changefreq
           FROM page
          WHERE id < 4
          ORDER BY id
       $$, 'https://www.example.com/');

-- Several files and their index.
SELECT pg_temp.show(f), pg_temp.text(content)
  FROM sitemap_files('SELECT loc, lastmod FROM page ORDER BY id', 'https://www.example.com/',
                     max_urls => 4) f;

-- section, gzip and txt show in their names, the directory in loc.
SELECT pg_temp.show(f), encode(substr(f.content, 1, 8), 'hex'), CASE WHEN f.name = 'sitemap-1.txt' THEN pg_temp.text(f.content) END
  FROM (VALUES ('products_1.a-b~c', 'xml', 0, 9), ('sitemap', 'xml', 9, 9), ('sitemap', 'txt', 0, 9), ('sitemap', 'txt', 1, 9),
               ('sitemap', 'txt', 0, NULL)) v (section, format, compression, max_urls),
       sitemap_files('SELECT loc, lastmod FROM page ORDER BY id', 'https://www.example.com/maps', v.section, v.format, v.compression, v.max_urls) f;

-- index: where there is more than one file, always, never, or always and named after the section.
SELECT i, m, string_agg(f.name || ' ' || f.kind, ', ' ORDER BY f.n)
  FROM unnest('{auto,always,never,section}'::text[]) i,
       unnest('{10,9}'::int[]) m,
       LATERAL (SELECT row_number() OVER () AS n, *
                  FROM sitemap_files('SELECT loc FROM page', 'https://www.example.com/',
                                     index => i, max_urls => m)) f
 GROUP BY i, m
 ORDER BY i, m DESC;
SELECT pg_temp.text(content)
  FROM sitemap_files('SELECT loc FROM page LIMIT 1', 'https://www.example.com/', index => 'always');
SELECT string_agg(name || ' ' || kind || ' ' || section || ' ' || loc, E'\n')
  FROM sitemap_files('SELECT loc FROM page', 'https://www.example.com/', index => 'Section', section => 'products',
                     max_urls => 9, compression => 1, split => 'stable');
SELECT name, section, pg_temp.text(content)
  FROM sitemap_files('SELECT loc FROM page LIMIT 1', 'https://www.example.com/', index => 'section', section => 'sitemap_index', format => 'txt');
SELECT name, kind, url_count
  FROM sitemap_files('SELECT ''/'' || n AS loc FROM generate_series(1, 2001) n', 'http://a/',
                     max_urls => 1, protocol => '0.84', section => 's', index => 'section')
 WHERE kind = 'index';
SELECT count(*) FROM sitemap_files('SELECT loc FROM page WHERE false', 'https://www.example.com/', index => 'section', section => 'products');

-- protocol 0.84: another namespace, 1,000 sitemaps in an index, 10,485,760 bytes.
SELECT pg_temp.show(f), pg_temp.text(content)
  FROM sitemap_files('SELECT loc, lastmod, ''daily'' AS changefreq, 0.5 AS priority FROM page WHERE id < 3',
                     'https://www.example.com/', max_urls => 1, protocol => '0.84') f;
SELECT name, url_count
  FROM sitemap_files('SELECT ''/'' || n AS loc FROM generate_series(1, 2001) n', 'http://a/',
                     max_urls => 1, protocol => '0.84', section => 's')
 WHERE kind = 'index';
SELECT kind, url_count, byte_count <= 10485760
  FROM sitemap_files('SELECT ''/'' || n || repeat(''x'', 1990) AS loc FROM generate_series(100001, 106000) n',
                     'http://a/', protocol => '0.84');

-- It has dates of 10 to 25 characters, and no extensions.
SELECT pg_temp.text(content)
  FROM sitemap_files($$
         SELECT '/' AS loc, t AS lastmod
           FROM (VALUES ('2026-01-02'), ('2026-01-02T03:04:05+00:00')) v (t)
       $$, 'http://a/', protocol => '0.84');
SELECT pg_temp.error(format('SELECT sitemap_files(%L, %L, protocol => %L)',
                            format('SELECT %L AS loc, %L AS lastmod', '/', t), 'http://a/', '0.84'))
  FROM unnest('{2026,2026-01,2026-01-02T03:04:05.6+00:00}'::text[]) t;
SELECT pg_temp.error($$
  SELECT sitemap_files('SELECT loc, ARRAY[sitemap_image(''http://i'')] AS extensions FROM page', 'http://a/',
                       protocol => '0.84')
$$);
-- News items that are left out do not count.
SELECT count(*)
  FROM sitemap_files('SELECT ''/'' || n AS loc, ''{"publication_name": "n", "publication_language": "en", "publication_date": "2026", "title": "t"}''::jsonb AS news FROM generate_series(1, 1001) n',
                     'http://a/', protocol => '0.84', on_invalid => 'skip');

-- stylesheet: every XML file names it.
SELECT s, left(pg_temp.text(content), 140)
  FROM unnest(ARRAY['style.css', '/a/style.CSS?v=1&w=2#x', ' https://www.example.com/ü b.css ', 'a''"<>{}.css',
                    'a.css?x=?>']) s,
  sitemap_files('SELECT loc FROM page', 'http://a/', stylesheet => s);
SELECT kind, pg_temp.text(content) LIKE '%?><?xml-stylesheet type="text/css" href="s.css"?><%'
  FROM sitemap_files('SELECT loc FROM page', 'http://a/', stylesheet => 's.css', max_urls => 5);
SELECT pg_temp.text(content)
  FROM sitemap_files('SELECT loc FROM page LIMIT 1', 'http://a/', format => 'txt', stylesheet => 's.css');
SELECT pg_temp.error(format('SELECT sitemap_files(%L, %L, stylesheet => %L)',
                            'SELECT loc FROM page', 'http://a/', s))
  FROM unnest(ARRAY['https://u:p@a/s.css', '', ' ', 'style', 'style.js', 'style.xsl', '/a/style.XSLT?v=1#x', '.css',
                    'a?>.css', 'css', repeat('x', 3000) || '.css']) s;

-- digest is that of the uncompressed bytes, whatever became of them.
SELECT count(DISTINCT digest), count(DISTINCT name), bool_and(digest ~ '^[0-9a-f]{16,}$')
  FROM unnest('{0,1,9}'::int[]) c,
       sitemap_files('SELECT loc FROM page ORDER BY id', 'http://a/', compression => c);
SELECT count(DISTINCT digest)
  FROM unnest('{9,10}'::int[]) n,
       sitemap_files('SELECT loc FROM page WHERE id <= ' || n, 'http://a/');

-- The same rows give the same bytes.
SELECT c, count(DISTINCT content)
  FROM unnest('{0,1,6,9}'::int[]) c,
       generate_series(1, 3),
       sitemap_files('SELECT loc FROM page ORDER BY id', 'http://a/', compression => c)
 GROUP BY c
 ORDER BY c;

-- A document is one line.
SELECT bool_and(pg_temp.text(content) !~ E'[\n\r\t\\\\]')
  FROM sitemap_files($$
         SELECT E'/\\\n\t\rx' AS loc, ARRAY[sitemap_image('http://i', E'\\\n\t\rx')] AS extensions
           FROM generate_series(1, 3)
       $$, 'http://a/', max_urls => 2, stylesheet => E'a\\\nb.css');
