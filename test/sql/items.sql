--
-- Columns images, videos and news as jsonb: objects become the elements that
-- sitemap_image, sitemap_video and sitemap_news make.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- What stands after <loc>, and the error of a value of a column.
CREATE FUNCTION pg_temp.url(query text) RETURNS text LANGUAGE sql AS $$
  SELECT regexp_replace(pg_temp.text(content), '^.*?</loc>|</url>.*$', '', 'g') FROM sitemap_files(query, 'http://a/b/')
$$;
CREATE FUNCTION pg_temp.refused(name text, value jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.refused(format('SELECT ''/'' AS loc, %L::jsonb AS %I', value, name))
$$;

-- All columns, in the order of the documents.
SELECT pg_temp.url($$
  SELECT '/' AS loc,
         sitemap_image('http://i/4') AS extensions,
         '{"publication_name": "n", "publication_language": "en", "publication_date": "2026-01-02", "title": "t"}'::jsonb AS news,
         '[{"thumbnail_loc": "http://t/", "title": "t", "description": "d", "content_loc": "http://c/"},
           {"thumbnail_loc": "/t2", "title": 2, "description": "d", "player_loc": "./p"}]'::jsonb AS videos,
         '["http://i/1", {"loc": "./i2?a&b", "title": "<2>"}, null, "//i/3"]'::jsonb AS images,
         '{"de": "/de", "x-default": ""}'::jsonb - 'x-default' AS alternates
$$);

-- One instead of an array; nothing.
SELECT pg_temp.url($$SELECT '/' AS loc, to_jsonb('http://i/'::text) AS images$$),
       pg_temp.url($$SELECT '/' AS loc, '{"loc": "http://i/"}'::jsonb AS images$$);
SELECT v, pg_temp.url(format('SELECT ''/'' AS loc, %1$L::jsonb AS images, %1$L::jsonb AS videos', v))
  FROM unnest(ARRAY['[]', '[null]', '{}', 'null', '{"title": null}']) v;
SELECT v, pg_temp.url(format('SELECT ''/'' AS loc, %1$L::jsonb AS news', v))
  FROM unnest(ARRAY['{}', 'null', '{"title": " "}', '[]']) v;
SELECT pg_temp.url($$SELECT '/' AS loc, NULL::jsonb AS images, NULL::jsonb AS videos, NULL::jsonb AS news$$);

-- Numbers, flags and dates of any kind; one value for an array.
SELECT pg_temp.url(format($$
         SELECT '/' AS loc,
                '{"thumbnail_loc": "http://t/", "title": "t", "description": "d", "content_loc": "http://c/"}'::jsonb || %L AS videos
       $$, v))
  FROM unnest(ARRAY['{"duration": 90, "rating": 4.5, "view_count": 12345678901}',
                    '{"duration": "90.00", "rating": " 4.50", "view_count": 9e2}',
                    '{"live": true, "family_friendly": "No", "requires_subscription": "FALSE"}',
                    '{"tag": "one", "price": 1.50, "price_currency": "EUR", "id": 7, "id_type": "url"}',
                    '{"tag": [1, null, "two", " "], "content_segment_loc": ["/1", "/2"], "content_segment_loc_duration": [null, 2]}',
                    '{"publication_date": "2026"}', '{"publication_date": "2026-01"}',
                    '{"publication_date": "2026-01-02"}', '{"publication_date": "2026-01-02T03:04"}',
                    '{"publication_date": "2026-01-02T03:04:05.999"}',
                    '{"publication_date": "2026-01-02T03:04:05.999-05:30"}',
                    '{"publication_date": "1880-01-01T00:00:00+00:53:28"}',
                    '{"publication_date": " 2026-01-02T03:04:05Z "}']) v;
SELECT pg_temp.url(format($$
         SELECT '/' AS loc, jsonb_build_object('publication_name', 'n', 'publication_language', 'en', 'title', 't', 'publication_date', %s) AS news
       $$, v))
  FROM unnest('{timestamptz ''2026-01-02 03:04:05.6+01'',timestamp ''2026-01-02 03:04:05.6'',date ''2026-01-02'',timestamptz ''1969-12-31 23:59:59.5Z''}'::text[]) v;

-- What is not valid.
SELECT v, pg_temp.refused('videos', '{"thumbnail_loc": "http://t/", "title": "t", "description": "d", "content_loc": "http://c/"}'::jsonb || v)
  FROM unnest(ARRAY['{"titel": "t"}', '{"publicationDate": "2026"}', '{"x": 1}', '{"title": null}', '{"title": true}', '{"title": ["t"]}', '{"title": {"a": [1]}}',
                    '{"tag": {"a": 1}}', '{"tag": [["a"]]}', '{"tag": [true]}', '{"live": 1}', '{"live": []}',
                    '{"duration": 1.5}', '{"duration": "long"}', '{"duration": "PT1H17M57S"}', '{"duration": "01:17:57"}', '{"content_segment_loc": "/s", "content_segment_loc_duration": "PT1M"}', '{"view_count": "1,234"}', '{"duration": 99999999999999999999}', '{"view_count": 99999999999999999999}', '{"view_count": -99999999999999999999}', '{"duration": 0}', '{"rating": "good"}', '{"rating": 6}',
                    '{"price": "1.", "price_currency": "EUR"}', '{"price": "1e3", "price_currency": "EUR"}', '{"price": -1, "price_currency": "EUR"}', '{"price": [1, 2], "price_currency": "EUR"}', '{"price": 1}',
                    '{"restriction": "DE"}', '{"gallery_loc_title": "t"}',
                    '{"publication_date": "2026-01-02 03:04:05+01"}', '{"publication_date": "infinity"}', '{"publication_date": "2026-02-30"}', '{"publication_date": 1767225600}', '{"publication_date": "2026-01-02T03:04:05+17"}', '{"publication_date": "2026-01-02T03:04:05+16:00"}',
                    '{"content_loc": "ftp://c/"}', '{"content_loc": "http://a/"}', '{"player_loc": "/"}', '{"uploader": "u", "uploader_info": "http://b/"}']::jsonb[]) v;
SELECT regexp_replace(pg_temp.refused('videos', jsonb_build_object('thumbnail_loc', '/t', 'title', repeat('x', 101), 'description', 'd', 'content_loc', '/c')), 'x+', 'x');
SELECT left(pg_temp.refused('videos', jsonb_build_object(repeat('ü', 300), 1)), 60);
SELECT n, v, pg_temp.refused(n, v::jsonb)
  FROM (VALUES ('videos', '"http://t/"'), ('videos', '1'), ('videos', '[[]]'), ('videos', '[1]'), ('videos', '{"title": "t"}'),
               ('news', '[{}]'), ('news', '"t"'), ('news', 'true'), ('news', '{"title": "t"}'), ('news', '{"tiitle": "t"}'),
               ('images', '[["http://i/"]]'), ('images', '[{"loc": "http://i/"}, 2]'), ('images', '{"url": "http://i/"}'), ('images', '[""]'), ('images', '{"loc": {}}')) v (n, v);
SELECT pg_temp.error($$SELECT sitemap_files('SELECT ''/'' AS loc, ''{}''::json AS videos', 'http://a/')$$),
       pg_temp.error($$SELECT sitemap_files('SELECT ''/'' AS loc, ''{}''::text AS news', 'http://a/')$$);
-- One page has one news element, and 1,000 images, whichever column they are in.
SELECT pg_temp.error($$
  SELECT sitemap_files('SELECT ''/'' AS loc, sitemap_news(''n'', ''en'', ''2026'', ''t'') AS extensions,
                               ''{"publication_name": "n", "publication_language": "en", "publication_date": "2026", "title": "t"}''::jsonb AS news', 'http://a/')
$$);
SELECT pg_temp.error($$
  SELECT sitemap_files('SELECT ''/'' AS loc, to_jsonb(array_fill(''http://i/''::text, ''{1001}'')) AS images', 'http://a/')
$$);

-- Skipped, each item by itself, and found by the audit.
CREATE TEMP TABLE bad (id int GENERATED ALWAYS AS IDENTITY, images jsonb, videos jsonb, news jsonb);
INSERT INTO bad (images, videos, news) VALUES
  ('["http://i/1", "ftp:1", {"loc": "http://i/2", "titel": 1, "capton": 2}, {"loc": "http://i/3"}, {"loc": "http://i/4", "alt": "t"}]', NULL, NULL),
  (NULL, '[{"title": "t"}, {"thumbnail_loc": "/t", "title": "t", "description": "d", "content_loc": "/2"}, {"thumbnail_loc": "/t", "title": "t", "description": "d", "content_loc": "/c"}]', NULL),
  (NULL, NULL, '{"publication_name": "n", "publication_language": "EN", "publication_date": "2026", "title": "t"}'),
  (NULL, NULL, '{"publication_name": "n", "publication_language": "en", "publication_date": "2026-01-02T03:04:05", "title": "t"}');
\set query 'SELECT ''/'' || id AS loc, images, videos, news FROM pg_temp.bad ORDER BY id'
\set VERBOSITY default
SELECT url_count, regexp_replace(convert_from(content, 'UTF8'), '></', E'>\n</', 'g')
  FROM sitemap_files(:'query', 'http://a/', on_invalid => 'skip');
SELECT row_number, problem, detail FROM sitemap_audit(:'query', 'http://a.example/') WHERE problem <> 'news_too_old';
SELECT row_number, problem FROM sitemap_audit(:'query', 'http://a.example/') WHERE problem = 'news_too_old';
-- The audit looks at URLs of items as robots.txt does, relative ones too.
SELECT row_number, problem, detail
  FROM sitemap_audit('SELECT ''/'' AS loc, ''["/private/i", "http://b.example/private/i"]''::jsonb AS images,
                             ''{"thumbnail_loc": "/private/t", "title": "t", "description": "d", "content_loc": "/private/c", "player_loc": "/p"}''::jsonb AS videos',
                     'http://a.example/x/', agents => '{x}', robots => E'User-agent: *\nDisallow: /private\nSitemap: http://a.example/x/sitemap.xml');
-- Text sitemaps and protocol 0.84 have none.
SELECT pg_temp.text(content) FROM sitemap_files('SELECT ''/'' AS loc, ''[1]''::jsonb AS videos, ''[1]''::jsonb AS news', 'http://a/', format => 'txt');
SELECT v, pg_temp.brief(format('SELECT FROM sitemap_files(%L, ''http://a/'', protocol => ''0.84'')', 'SELECT ''/'' AS loc, ' || v))
  FROM unnest(ARRAY['jsonb ''[]'' AS videos', 'jsonb ''null'' AS news', 'jsonb ''{}'' AS images', 'jsonb ''[null, {"caption": null}]'' AS images', 'jsonb ''[1]'' AS videos', 'jsonb ''["/i"]'' AS images']) v;

-- Whatever the values, a query is read to its end, and what is written is well-formed.
CREATE TEMP TABLE odd AS
SELECT row_number() OVER (ORDER BY c, k, v) AS id, c AS col, jsonb_build_object('thumbnail_loc', '/t', 'title', 't', 'description', 'd', 'content_loc', '/c') || jsonb_build_object(k, v) AS video,
       jsonb_build_object('publication_name', 'n', 'publication_language', 'en', 'publication_date', '2025', 'title', 't') || jsonb_build_object(k, v) AS news,
       jsonb_build_object('loc', '/i') || jsonb_build_object(k, v) AS image
  FROM (SELECT p.proname AS c, a.k
          FROM pg_proc p, unnest(p.proargnames) a (k)
         WHERE p.proname IN ('sitemap_image', 'sitemap_video', 'sitemap_news')
         GROUP BY 1, 2) f,
       unnest(ARRAY['null', 'true', 'false', '""', '" "', '"\u0001"', '"\uffff x"', '"a\\b"', '"<&\"''>"', '"http://a/?x&y"', '"//b/c"', '"/x"', '0', '-1', '1', '1.0', '1e300', '0.1',
                    '12345678901234567890', '"2026-01-02T03:04:05.6"', '"DE"', '"allow"', '"web tv"', '[]', '[null]', '["", null]', '["a", "b"]', '[1, [2]]', '[{}]', '{}', '{"a": {"b": []}}']::jsonb[]) v;
SELECT col, count(*), count(*) FILTER (WHERE extensions IS NOT NULL) AS written
  FROM odd JOIN (SELECT e.*
                   FROM sitemap_files('SELECT ''/'' || id AS loc, CASE col WHEN ''sitemap_video'' THEN video END AS videos, CASE col WHEN ''sitemap_news'' THEN news END AS news,
                                              CASE col WHEN ''sitemap_image'' THEN image END AS images
                                         FROM pg_temp.odd ORDER BY id', 'http://a/', on_invalid => 'skip') f, sitemap_parse(f.content) e
                  WHERE kind = 'urlset') e ON e.loc = 'http://a/' || odd.id
 GROUP BY col ORDER BY col;
SELECT problem, count(*)
  FROM sitemap_audit('SELECT ''/'' || id AS loc, CASE col WHEN ''sitemap_video'' THEN video END AS videos, CASE col WHEN ''sitemap_news'' THEN news END AS news,
                             CASE col WHEN ''sitemap_image'' THEN image END AS images
                        FROM pg_temp.odd ORDER BY id', 'http://a/')
 GROUP BY problem ORDER BY problem;

-- A file has at most 1,000 news items.
CREATE TEMP TABLE article AS
SELECT '/' || n AS loc,
       jsonb_build_object('publication_name', 'n', 'publication_language', 'en', 'publication_date', date '2026-01-02', 'title', n) AS news
  FROM generate_series(1, 1001) n;
SELECT name, url_count FROM sitemap_files('TABLE pg_temp.article', 'http://a/') WHERE kind = 'urlset';

-- The same bytes as with the functions, whatever the values, and whatever the time zone.
SET TimeZone = 'Asia/Kathmandu';
CREATE TEMP TABLE page AS
SELECT n AS id, '/' || n AS loc,
       'http://i/' || n || chr(32 + n % 500) AS image,
       CASE WHEN n % 3 > 0 THEN format(' <%s> "&\%s', n, chr(1 + n % 300)) END AS title,
       CASE WHEN n % 4 > 0 THEN E'a\tb\r\nc' || chr(8200 + n) END AS description,
       CASE WHEN n % 5 > 0 THEN 1 + n % 28800 END AS duration,
       CASE WHEN n % 2 > 0 THEN n % 50 / 10.0 END AS rating,
       CASE WHEN n % 7 > 0 THEN n::bigint * n * n * n END AS view_count,
       timestamptz '1950-01-01 00:00:00.5Z' + n * interval '17 days 3 hours 7 minutes 11.3 seconds' AS moment,
       CASE WHEN n % 6 > 0 THEN date '1990-01-01' + n * 11 END AS day,
       CASE WHEN n % 4 > 1 THEN ARRAY(SELECT CASE WHEN i % 3 > 0 THEN 'tag ' || i END FROM generate_series(1, n % 9) i) END AS tags,
       ARRAY(SELECT (n * i) / 100.0 FROM generate_series(1, n % 4) i) AS prices,
       ARRAY(SELECT (ARRAY['EUR', 'USD'])[1 + i % 2] FROM generate_series(1, n % 4) i) AS currencies,
       n % 2 = 0 AS flag,
       (ARRAY['DE AT', 'US', NULL])[1 + n % 3] AS restriction,
       (ARRAY['allow', 'Deny'])[1 + n % 2] AS relationship,
       (ARRAY['Blog', 'Blog,  OpEd', NULL])[1 + n % 3] AS genres
  FROM generate_series(1, 3000) n;
SELECT count(*) AS files, sum(c.url_count) AS urls, bool_and(c.content = f.content AND c.name = f.name) AS same
  FROM sitemap_files($$
         SELECT loc,
                jsonb_build_array(image, jsonb_build_object('loc', image, 'title', title, 'caption', description, 'license', image)) AS images,
                CASE WHEN id % 10 > 0 THEN
                  jsonb_build_object('thumbnail_loc', image, 'title', coalesce(title, 't'), 'description', coalesce(description, 'd'),
                                     'content_loc', image, 'duration', duration, 'rating', rating, 'view_count', view_count,
                                     'expiration_date', day, 'publication_date', moment, 'tag', tags, 'family_friendly', flag,
                                     'restriction', restriction, 'restriction_relationship', CASE WHEN restriction IS NOT NULL THEN relationship END,
                                     'price', prices, 'price_currency', currencies, 'uploader', title, 'live', flag::text)
                END AS videos,
                CASE WHEN id % 3 = 0 THEN
                  jsonb_build_object('publication_name', 'n' || id, 'publication_language', 'en', 'publication_date', moment AT TIME ZONE 'UTC',
                                     'title', id, 'genres', genres, 'keywords', description)
                END AS news
           FROM pg_temp.page ORDER BY id
       $$, 'http://a/') c
  FULL JOIN sitemap_files($$
         SELECT loc,
                ARRAY[sitemap_image(image), sitemap_image(image, title => title, caption => description, license => image),
                      CASE WHEN id % 10 > 0 THEN
                        sitemap_video(image, coalesce(title, 't'), coalesce(description, 'd'), image, duration => duration, rating => rating,
                                      view_count => view_count, expiration_date => day, publication_date => moment, tag => tags,
                                      family_friendly => flag, restriction => restriction,
                                      restriction_relationship => CASE WHEN restriction IS NOT NULL THEN relationship END,
                                      price => prices, price_currency => currencies, uploader => title, live => flag)
                      END,
                      CASE WHEN id % 3 = 0 THEN
                        sitemap_news('n' || id, 'en', moment, id::text, genres => genres, keywords => description)
                      END] AS extensions
           FROM pg_temp.page ORDER BY id
       $$, 'http://a/') f USING (name);
-- sitemap_parse reads back what they are.
SELECT count(*), count(*) FILTER (WHERE array_length(extensions, 1) = 2 + (id % 10 > 0)::int + (id % 3 = 0)::int)
  FROM pg_temp.page p
  JOIN (SELECT e.*
          FROM sitemap_files($$
                 SELECT loc, jsonb_build_array(image, image) AS images,
                        CASE WHEN id % 10 > 0 THEN jsonb_build_object('thumbnail_loc', image, 'title', id, 'description', id, 'content_loc', image) END AS videos,
                        CASE WHEN id % 3 = 0 THEN jsonb_build_object('publication_name', 'n', 'publication_language', 'en', 'publication_date', moment, 'title', id) END AS news
                   FROM pg_temp.page
               $$, 'http://a/') f, sitemap_parse(f.content) e
         WHERE f.kind = 'urlset') e ON e.loc = 'http://a' || p.loc;
RESET TimeZone;
-- The page itself, ignoring the case of scheme and host; characters that XML drops do not count.
SELECT pg_temp.refused('videos', '{"thumbnail_loc": "/t", "title": "t", "description": "d", "content_loc": "HTTP://A/"}');
SELECT pg_temp.refused('videos', jsonb_build_object('thumbnail_loc', '/t', 'title', repeat('x', 100) || E'\x01', 'description', 'd', 'content_loc', '/c'));
