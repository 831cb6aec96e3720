--
-- Host names outside ASCII; idna_1.out is that of a build without libidn2.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- They are written in their ASCII form.
SELECT CASE WHEN error LIKE 'no error%' THEN sitemap_url(url)::text ELSE error END
  FROM unnest('{http://bücher.de/straße,https://нэб.рф:8443/путь,http://user@bücher.de/,http://xn--bcher-kva.de/}'::text[]) url,
       pg_temp.error(format('SELECT sitemap_url(%L)', url)) AS error;
SELECT pg_temp.error($$ SELECT sitemap_url(E'http://a\u2028b.de/') $$);

-- A symbol is outside IDNA2008: its host has to be given in its ASCII form.
SELECT pg_temp.error($$ SELECT sitemap_url('http://♥.net/') $$);
SELECT sitemap_url('http://xn--g6h.net/');

-- Only Punycode can follow xn--; without libidn2 it is not checked.
SELECT host, pg_temp.brief(format('SELECT sitemap_url(%L)', 'http://' || host || '/'))
  FROM unnest('{xn--zzzz.example,xn--.example,xn--bcher-kv.de}'::text[]) AS host;

-- Both forms are the same host, also in base_url.
SELECT name, loc, pg_temp.text(content)
  FROM sitemap_files($$
         SELECT loc
           FROM (VALUES ('/a'),
                        ('http://bücher.de/b'),
                        ('HTTP://xn--bcher-kva.DE/c')) v (loc)
       $$, 'http://bücher.de');

-- Both are the domain of the page.
SELECT page, info, split_part(pg_temp.brief(format('SELECT FROM sitemap_files(%L, ''http://a/'', scope => ''any'')',
                              format('SELECT %L AS loc, %L::jsonb AS videos', page,
                                     jsonb_build_object('thumbnail_loc', '/t', 'title', 't', 'description', 'd', 'content_loc', '/c', 'uploader', 'u', 'uploader_info', info)))),
                              ': SELECT', 1)
  FROM (VALUES ('http://bücher.de/', 'http://bücher.de/u'), ('http://xn--bcher-kva.de/', 'http://bücher.de/u'),
               ('http://bücher.de/', 'http://xn--bcher-kva.de/u'), ('http://xn--bcher-kva.de/', 'http://faß.de/u')) v (page, info);
