--
-- sitemap_audit: robots.txt, and what only the set as a whole shows.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

\set robots 'User-agent: *\nDisallow: /cart # never\nDisallow: /*?sort=\nAllow: /cart/help\n\nUser-agent: bingbot\nUser-agent: Slow-Bot/2\nDisallow: /\nAllow: /$\nAllow: /sitemap.xml$\n\nSitemap: https://a.example/sitemap.xml\n'
\set query 'SELECT unnest(''{/,/cart,/cart/help,/a?sort=x,/%63art,//cart,HTTPS://A.example:443/cart#top}''::text[]) AS loc'
SELECT E:'robots' AS robots \gset

-- Nothing is said without a robots.txt, and each agent is asked for with one.
SELECT * FROM sitemap_audit(:'query', 'https://a.example/') WHERE problem ~ 'robots';
SELECT row_number, loc, problem, detail
  FROM sitemap_audit(:'query', 'https://a.example/', robots => :'robots')
 WHERE problem ~ 'robots';
SELECT row_number, loc, detail
  FROM sitemap_audit(:'query', 'https://a.example/', robots => :'robots', agents => '{SLOW-bot,x,Googlebot-Image,y}')
 WHERE problem = 'robots_disallowed';

-- Other hosts, ports and schemes have a robots.txt of their own.
SELECT row_number, loc, detail
  FROM sitemap_audit($$SELECT unnest('{https://b.example/cart,http://a.example/cart,https://a.example:8443/cart,https://a.example.b/cart,/cart}'::text[]) AS loc$$,
                     'https://a.example/', scope => 'any', robots => :'robots', agents => '{x}')
 WHERE problem ~ 'robots';

-- A final dot of the host and zeros before the port make no other origin.
SELECT row_number, loc, problem
  FROM sitemap_audit($$SELECT unnest('{https://a.example./cart,https://a.example:0443/cart}'::text[]) AS loc$$,
                     'https://a.example/', scope => 'any', robots => :'robots', agents => '{x}')
 WHERE problem ~ 'robots' ORDER BY row_number;
SELECT count(*) FROM sitemap_audit('SELECT ''/'' AS loc', 'https://a.example.:08443/', agents => '{x}',
                                   robots => E'User-agent: *\nSitemap: https://a.example:8443/sitemap.xml');

-- Images, videos and alternates of a page, on its host.
SELECT row_number, detail
  FROM sitemap_audit($$
         SELECT '/' AS loc,
                '[{"loc": "https://a.example/cart/1.jpg"}, "https://cdn.example/cart/1.jpg"]'::jsonb AS images,
                '{"thumbnail_loc": "https://a.example/cart/t.jpg", "title": "t", "description": "d",
                  "content_loc": "https://a.example/cart/v.mp4?a=1&sort=x", "player_loc": "https://a.example/player?a&b?sort="}'::jsonb AS videos,
                '{"de": "https://a.example/cart?a&amp;b", "fr": "https://b.example/cart", "en": "https://a.example/"}'::jsonb AS alternates
          UNION ALL
         SELECT '/cart/self', NULL, NULL, '{"en": "https://a.example/cart/self"}'$$,
         'https://a.example/', robots => :'robots', agents => '{x}')
 WHERE problem ~ 'robots';

-- An ampersand is one in XML and in a text sitemap.
SELECT format, row_number, loc, problem
  FROM unnest('{xml,txt}'::text[]) format,
       LATERAL sitemap_audit($$SELECT unnest('{/?a&b,/?a&amp;b,/?a''b}'::text[]) AS loc$$, 'http://a.example/', format => format,
                             robots => E'User-agent: *\nDisallow: /?a&b\nDisallow: /?a\'b\nSitemap: http://a.example/sitemap.xml\nSitemap: http://a.example/sitemap.txt')
 WHERE problem ~ 'robots';

-- The set's own files: index and parts, and the lines that name it.
CREATE FUNCTION pg_temp.files(robots text, options text DEFAULT '')
RETURNS TABLE (row_number bigint, loc text, problem text, detail text)
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT * FROM public.sitemap_audit(''SELECT ''''/'''' AS loc'', ''HTTPS://A.example/dir'', robots => %L, agents => ''{x,y}''%s)',
                              E'User-agent: *\n' || robots, options);
END $$;
SELECT * FROM pg_temp.files('');
SELECT * FROM pg_temp.files('Sitemap: https://a.example/dir/sitemap.xml');
SELECT * FROM pg_temp.files(E'disallow: /dir/sitemap\nsitemap: HTTPS://a.EXAMPLE:443/dir/sitemap.xml#x # all');
SELECT * FROM pg_temp.files(E'Disallow: /dir/\nAllow: /dir/*.xml$\nUser-agent: y\nDisallow: /*-1.xml\nSitemap: https://a.example/dir/sitemap.xml');
SELECT * FROM pg_temp.files(E'Disallow: /*.gz$\nSitemap: https://a.example/dir/sitemap.xml', ', compression => 1');
SELECT * FROM pg_temp.files(E'Disallow: /dir/news.xml$\nSitemap: https://a.example/dir/news.xml', ', section => ''news''');
SELECT n, index, problem
  FROM (VALUES (1, 'auto'), (1, 'always'), (2, 'auto')) v (n, index),
       sitemap_audit(format('SELECT ''/'' || n AS loc FROM generate_series(1, %s) n', n), 'http://a.example/', section => 'news', max_urls => 1, index => index,
                     robots => E'User-agent: *\nDisallow: /news.xml$\nSitemap: http://a.example/news.xml') a
 ORDER BY n, index, problem;
SELECT detail FROM pg_temp.files('Sitemap: /dir/sitemap.xml');
SELECT detail FROM pg_temp.files(E'Sitemap: https://a.example/sitemap.xml\nSitemap: http://a.example/dir/sitemap.xml\nSitemap:');
SELECT detail FROM pg_temp.files(E'Sitemap: https://a.example/dir/sitemap.xml', ', section => ''news''');
SELECT detail FROM pg_temp.files(E'Sitemap: https://a.example/dir/news.xml', ', section => ''news''');
SELECT detail FROM pg_temp.files(E'Sitemap: https://a.example/dir/sitemap.txt', ', format => ''txt''');

-- A robots.txt with anything in it, and none.
SELECT robots, count(*)
  FROM unnest(ARRAY['', '<html>', E'\n\r\n\t:', chr(65279) || 'User-agent:*' || E'\rDisallow:/', repeat('*', 1000)]) robots,
       LATERAL sitemap_audit('SELECT ''/a'' AS loc', 'http://a.example/', robots => robots) a
 WHERE problem = 'robots_disallowed' GROUP BY robots;

-- What a program gets that asks for a robots.txt which is not there.
SELECT to_json(robots), row_number, problem, detail
  FROM unnest(ARRAY['', E' \r\n\t', chr(65279), chr(65279) || E'\n', '<!DOCTYPE html><title>404</title>', E'\n <HTML>', chr(65279) || '<html>',
                    '#', 'a', E'User-agent: *\nDisallow: /<a']) robots,
       LATERAL sitemap_audit('SELECT ''/a'' AS loc', 'http://a.example/', robots => robots) a;

-- Arguments.
SELECT pg_temp.error(format('SELECT * FROM sitemap_audit(''SELECT 1'', ''http://a.example/'', agents => %s)', agents))
  FROM unnest(ARRAY['''{}''', '''{NULL}''', '''{Googlebot,NULL}''', '''{""}''', '''{*}''', '''{Googlebot/2.1}''',
                    '''{"Google bot"}''', '''{é}''', '''{{Googlebot},{bot1}}''']) agents;
SELECT loc, problem, detail FROM sitemap_audit('SELECT ''/a''::text AS loc', 'http://a.example/', robots => E'User-agent: Bingbot\nDisallow: /', agents => NULL);
SELECT length(pg_temp.error('SELECT * FROM sitemap_audit(''SELECT 1'', ''http://a.example/'', agents => ARRAY[repeat(''1'', 1000)])')) < 400 AS clipped;
SELECT count(*) FROM sitemap_audit('SELECT ''/'' AS loc', 'http://a.example/', agents => array_fill('a'::text, '{50}'));
SELECT pg_temp.error('SELECT * FROM sitemap_audit(''SELECT 1'', ''http://a.example/'', agents => array_fill(''a''::text, ''{51}''))');
-- The rules of a group are there once, however many agents obey it.
SELECT count(*)
  FROM sitemap_audit('SELECT ''/"""'' AS loc', 'http://a.example/', agents => array_fill('a'::text, '{49}') || '{b}',
                     robots => E'user-agent:a\nuser-agent:b\ndisallow:/' || repeat('"', 500000));
SELECT count(*) FROM sitemap_audit('SELECT ''/a'' AS loc', 'http://a.example/', robots => repeat(E'#\n', 250000) || E'user-agent:*\ndisallow:/a', agents => '{{a,b},{c,d}}');

-- Many rules cost a row little.
SELECT count(*), min(detail), max(detail)
  FROM sitemap_audit('SELECT ''/a/'' || n || ''/b.pdf'' AS loc FROM generate_series(1, 20000) n', 'http://a.example/', agents => '{x}',
                     robots => (SELECT E'User-agent: *\n' || string_agg(format(E'Disallow: /*/%s/*.pdf$\n', n * 2000), '')
                                  FROM generate_series(1, 20000) n))
 WHERE problem = 'robots_disallowed';

-- One lastmod for all pages, from 100 on.
SELECT n, lastmod, a.*
  FROM (VALUES (99, '''2026-01-02'''), (100, '''2026-01-02'''), (100, 'timestamptz ''2026-01-02T03:04:05Z'''),
               (100, 'CASE WHEN n = 50 THEN ''2026-01-02T00:00:01Z'' ELSE ''2026-01-02'' END'),
               (100, 'CASE WHEN n = 1 THEN NULL ELSE ''2026-01-02'' END'),
               (100, 'CASE WHEN n = 100 THEN NULL ELSE ''2026-01-02'' END'),
               (100, 'CASE WHEN n = 2 THEN ''2026-01-02T01:00:00+01:00'' ELSE ''2026-01-02'' END'),
               (101, 'CASE WHEN n = 1 THEN ''2026-01-03'' ELSE ''2026-01-02'' END'),
               (200, 'NULL::text')) v (n, lastmod),
       LATERAL sitemap_audit(format('SELECT CASE WHEN n > 0 THEN ''/'' || n END AS loc, %s AS lastmod FROM generate_series(0, %s) n', lastmod, n), 'http://a.example/') a
 WHERE problem <> 'loc_null'
 ORDER BY n, lastmod COLLATE "C";

-- A time of day is no accident with fewer pages.
SELECT n, lastmod, a.problem, a.detail
  FROM (VALUES (9, '''2026-01-02T03:04:05Z'''), (10, '''2026-01-02T03:04:05Z'''), (10, 'timestamptz ''2026-01-02T10:00:00Z'''), (99, '''2026-01-02T00:00:00Z'''),
               (10, 'CASE WHEN n = 5 THEN ''2026-01-02'' ELSE ''2026-01-02T03:04:05Z'' END')) v (n, lastmod),
       LATERAL sitemap_audit(format('SELECT ''/'' || n AS loc, %s AS lastmod FROM generate_series(1, %s) n', lastmod, n), 'http://a.example/') a
 ORDER BY n, lastmod COLLATE "C";

-- The directory of base_url has no pages.
SELECT base, page, scope, a.problem, a.detail
  FROM (VALUES ('http://a.example/x/', '/a', 'host'), ('http://a.example/x/', './b', 'host'), ('http://a.example/x/', '/x', 'host'), ('http://a.example/x/', '/x/', 'host'), ('http://a.example/x/', '/%78/a', 'host'),
               ('http://a.example/', '/a', 'host'), ('http://a.example/x/', 'http://b.example/a', 'any'),
               ('http://a.example/%c3%bc/', './a', 'host'), ('http://a.example/%7ex/', '/~x/a', 'host'), ('http://a.example/%c3%bc/', '/%c3%bd/a', 'host')) v (base, page, scope)
       LEFT JOIN LATERAL sitemap_audit(format('SELECT %L AS loc', page), base, scope => scope) a ON true;
SELECT problem FROM sitemap_audit('SELECT unnest(''{/a,/x/a}''::text[]) AS loc', 'http://a.example/x/');
SELECT problem FROM sitemap_audit('SELECT ''/a'' AS loc', 'http://a.example/x/', robots => E'User-agent: *\nSitemap: http://a.example/x/sitemap.xml');
SELECT problem FROM sitemap_audit('SELECT ''ftp:'' AS loc', 'http://a.example/x/');

-- Row security that does not apply to the caller.
CREATE SCHEMA robots;
CREATE TABLE robots.post (id int PRIMARY KEY, slug text, public boolean);
INSERT INTO robots.post VALUES (1, 'open', true), (2, 'secret', false);
CREATE TABLE robots.tag AS SELECT 1 AS post, 'a' AS name;
CREATE VIEW robots.listed AS SELECT slug FROM robots.post;
CREATE POLICY visitors ON robots.post USING (public);
\set query 'SELECT ''/'' || slug AS loc FROM robots.post, robots.tag ORDER BY id'
SELECT problem FROM sitemap_audit(:'query', 'http://a.example/');
ALTER TABLE robots.post ENABLE ROW LEVEL SECURITY;
SELECT query, problem, detail
  FROM unnest(ARRAY[:'query', 'SELECT ''/'' || slug AS loc FROM robots.listed', 'SELECT ''/'' || name AS loc FROM robots.tag']) query,
       LATERAL sitemap_audit(query, 'http://a.example/');
CREATE ROLE regress_sitemap_visitor;
GRANT USAGE ON SCHEMA robots TO regress_sitemap_visitor;
GRANT SELECT ON robots.post, robots.tag TO regress_sitemap_visitor;
SET ROLE regress_sitemap_visitor;
SELECT problem FROM public.sitemap_audit(:'query', 'http://a.example/');
RESET ROLE;
DROP SCHEMA robots CASCADE;
DROP ROLE regress_sitemap_visitor;

-- A directory and its index.
SELECT row_number, loc, problem, detail
  FROM sitemap_audit($$SELECT unnest('{/docs/,/docs/index.html,/a/index.php?x=1,/a/?x=1,/b/index.htm,/b,/index.html,/,http://a.example/docs/index.html,
                                       /c/index.html,/c/index.htm,/d/index.html,/d/xindex.html,/d/index.html/,/e/index.htmlx,/e/,/f/index.html,/f/?x,/INDEX.html,/g/index.html,/g/index.html}'::text[]) AS loc$$, 'https://a.example/', scope => 'any')
 WHERE problem LIKE 'loc_%duplicate';

-- One page in two languages.
SELECT alternates, a.problem, a.detail
  FROM unnest(ARRAY['{"en": "/a", "de": "/a", "fr": "/a"}', '{"en": "/a", "en-GB": "/a", "EN-us": "/a", "x-default": "/a"}', '{"en": "/a"}', '{"en": "/a", "de": "/%61"}',
                    '{"en": "/a", "de": "/de", "fr": "/de"}', '{"no": "/a", "nb": "/a", "nn-NO": "/a"}', '{"tl": "/a", "fil-PH": "/a"}', '{"xh": "/a", "en": "/a"}', '{"zh-Hans": "/a", "zh-Hant": "/a"}', '{"en": "/a", "ast": "/b"}']) alternates
       LEFT JOIN LATERAL sitemap_audit(format('SELECT ''/a'' AS loc, %L::jsonb AS alternates', alternates), 'https://a.example/') a ON true;

-- Without an index, a robots.txt can name the parts; a row with an invalid loc is in no file.
SELECT index, max_urls, array_agg(problem)
  FROM (VALUES ('auto', 1), ('auto', 2), ('never', 1)) v (index, max_urls),
       sitemap_audit('SELECT unnest(''{/a,/b}''::text[]) AS loc', 'http://a.example/', index => index, max_urls => max_urls, agents => '{x}',
                     robots => E'user-agent: *\nsitemap: http://a.example/sitemap-1.xml')
 GROUP BY 1, 2 ORDER BY 1, 2;
SELECT array_agg(problem)
  FROM sitemap_audit('SELECT unnest(''{/a,ftp://x/}''::text[]) AS loc', 'http://a.example/', section => 's', max_urls => 1, on_invalid => 'skip', agents => '{x}',
                     robots => E'user-agent: *\nsitemap: http://a.example/s.xml');
-- A section's index is enough, and so is the site's.
SELECT section, sitemap, array_agg(detail)
  FROM (VALUES ('news', 'news'), ('news', 'sitemap'), ('news', 'news-1'), ('sitemap', 'sitemap'), ('sitemap', 'news')) v (section, sitemap)
       LEFT JOIN LATERAL sitemap_audit('SELECT ''/a'' AS loc', 'http://a.example/', section => section, index => 'section', agents => '{x}',
                                       robots => format(E'user-agent: *\nsitemap: http://a.example/%s.xml', sitemap)) ON true
 GROUP BY 1, 2 ORDER BY 1, 2;
SELECT section, detail
  FROM unnest('{news,sitemap}'::text[]) section,
       sitemap_audit('SELECT ''/a'' AS loc', 'http://a.example/', section => section, index => 'section', agents => '{x}',
                     robots => E'user-agent: *\nsitemap: http://a.example/sitemap.xml\ndisallow: /news.xml\ndisallow: /sitemap.xml');

-- They come after the problems of the rows.
SELECT row_number, loc, problem
  FROM sitemap_audit('SELECT ''/'' || least(n, 99) AS loc, ''2026-01-02''::text AS lastmod FROM generate_series(1, 100) n', 'http://a.example/', agents => '{x}',
                     robots => E'user-agent: *\ndisallow: /sitemap');

-- Google's crawlers: images, videos and news have crawlers of their own, which obey the groups of Googlebot if they have none.
SELECT E'User-agent: *\nDisallow: /all\nUser-agent: Googlebot\nDisallow: /google\nUser-agent: Googlebot-Image\nDisallow: /image\nUser-agent: Googlebot-News\nDisallow: /news\nSitemap: https://a.example/sitemap.xml' AS robots \gset
CREATE FUNCTION pg_temp.fetched(path text) RETURNS TABLE (loc text, images text[], videos jsonb, news jsonb) LANGUAGE sql AS $$
  SELECT path, ARRAY[path || '.jpg'],
         jsonb_build_object('thumbnail_loc', path || '.png', 'title', 't', 'description', 'd', 'content_loc', path || '.mp4', 'player_loc', path || '-player',
                            'content_segment_loc', ARRAY[path || '-1'], 'gallery_loc', path || '-gallery', 'uploader', 'u', 'uploader_info', path || '-u'), NULL::jsonb
   UNION ALL
  SELECT path || '-news', NULL, NULL,
         jsonb_build_object('publication_name', 'n', 'publication_language', 'en', 'title', 't', 'publication_date', to_jsonb(now()))
$$;
SELECT detail
  FROM unnest('{all,google,image,news}'::text[]) path,
       LATERAL sitemap_audit(format('SELECT f.* FROM pg_temp.fetched(%L) f', '/' || path), 'https://a.example/', agents => '{Googlebot,Bingbot}', robots => :'robots')
 WHERE problem = 'robots_disallowed'
 ORDER BY detail COLLATE "C";
SELECT agents, string_agg(detail, ' ' ORDER BY detail COLLATE "C")
  FROM unnest('{Googlebot-Image,Googlebot-Video,GoogleBot-news,Google-InspectionTool,Storebot-Google,AdsBot-Google,"Googlebot,Googlebot-Image"}'::text[]) agents,
       LATERAL sitemap_audit('SELECT unnest(''{/all,/google,/image,/news}''::text[]) AS loc, ARRAY[''/image.jpg''] AS images', 'https://a.example/',
                             agents => ('{' || agents || '}')::text[], robots => :'robots')
 WHERE problem = 'robots_disallowed'
 GROUP BY agents
 ORDER BY agents COLLATE "C";

-- 500 KiB, which end in the middle of a rule.
SELECT E'User-agent: *\n' || repeat(E'#\n', 255987) || E'Disallow: /abc\nDisallow: /d\nSitemap: http://a.example/sitemap.xml' AS robots \gset
SELECT octet_length(:'robots') - length(E'bc\nDisallow: /d\nSitemap: http://a.example/sitemap.xml') AS read;
SELECT row_number, problem, detail
  FROM sitemap_audit('SELECT unnest(''{/a,/abc,/d}''::text[]) AS loc', 'http://a.example/', robots => :'robots', agents => '{Googlebot,x,Googlebot-Image}');
SELECT problem FROM sitemap_audit('SELECT ''/'' AS loc', 'http://a.example/', robots => E'User-agent: *\nSitemap: http://a.example/sitemap.xml\n#' || repeat('x', 512000 - 53));

-- Some crawlers ignore misspelled rules.  The audit applies them.
SELECT row_number, problem, detail
  FROM sitemap_audit('SELECT unnest(''{/cart,/b}''::text[]) AS loc', 'http://a.example/', agents => '{x}',
                     robots => E'User-agent: *\nDisallow /cart # never\nDisalow: /b\ncrawl-delay: 1\nSitemap: http://a.example/sitemap.xml');
-- Of the lines that name other sitemaps, ten are quoted.
SELECT detail
  FROM sitemap_audit('SELECT ''/'' AS loc', 'http://a.example/', robots => (SELECT string_agg(format(E'Sitemap: /%s\n', n), '') FROM generate_series(1, 13) n));

-- Crawlers skip markup before the rules.
SELECT row_number, loc, problem, detail
  FROM sitemap_audit($$SELECT unnest('{/cgi-bin/x,/a}'::text[]) AS loc$$, 'https://a.example/', agents => '{Googlebot,x}',
                     robots => E'<!-- generated -->\nUser-agent: *\nDisallow: /cgi-bin/\nSitemap: https://a.example/sitemap.xml');
SELECT problem FROM sitemap_audit('SELECT ''/a'' AS loc', 'https://a.example/', robots => E'<pre>\nSitemap: https://a.example/sitemap-2.xml\n</pre>');

-- Crawlers that do more or less than RFC 9309 says; test/unit/test_robotstxt.c has their rules.
SELECT loc, detail
  FROM sitemap_audit('SELECT unnest(''{/tea,/cart,/my%20folder/x}''::text[]) AS loc', 'https://a.example/', agents => '{YandexBot,YandexImages,Applebot,Googlebot,x}',
                     robots => E'User-agent: yandex\nDisallow: /cart\nUser-agent: *\nDissallow: /tea\nDisallow: /my folder/\nSitemap: https://a.example/sitemap.xml')
 WHERE problem = 'robots_disallowed'
 ORDER BY row_number, detail COLLATE "C";
-- Many images of two pages are not most of the set.
SELECT count(*)
  FROM sitemap_audit($$SELECT '/' || n AS loc, CASE WHEN n < 3 THEN ARRAY(SELECT '/i/' || n || '-' || i FROM generate_series(1, 31) i) END AS images
                         FROM generate_series(1, 100) n$$, 'https://www.example.com/', robots => E'User-agent: *\nDisallow: /i/')
 WHERE problem = 'robots_disallowed';
