--
-- Columns images and alternates: plain values become the elements that sitemap_image
-- and sitemap_alternates make.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE FUNCTION pg_temp.content(query text) RETURNS text
LANGUAGE sql AS $$
  SELECT pg_temp.text(content) FROM public.sitemap_files(query, 'http://a/')
$$;

-- Alternates first, then images, then extensions.
SELECT pg_temp.content($$
  SELECT '/' AS loc, public.sitemap_image('http://i/3', 'c') AS extensions, ARRAY['http://i/1?a&b', NULL, ' http://i/2 '] AS images,
         '{"de": "http://a/de", "x-default": "http://a/", "fr": null, " zh-Hant-TW ": "http://a/é"}'::jsonb AS alternates$$);

-- Nothing there: no namespace is declared.
SELECT pg_temp.content($$SELECT '/' AS loc, NULL::text[] AS images, NULL::jsonb AS alternates UNION ALL
                         SELECT '/2', '{}', '{}' UNION ALL
                         SELECT '/3', '{NULL}', '{"de": null}'$$);

-- The same bytes as with the functions, whatever the values.
CREATE TEMP TABLE page AS
SELECT n AS id, '/' || n AS loc, extract(day FROM date '2026-01-01' + n)::float8 / 31 AS priority,
       CASE WHEN n % 7 > 0 THEN ARRAY(SELECT CASE WHEN (n * i) % 5 > 0 THEN format('%s/%s?a=%s&b=''%s''', CASE WHEN i % 2 = 0 THEN 'https://cdn.example' ELSE ' HTTP://i:80' END, chr(32 + n % 200), i, n) END
                                        FROM generate_series(1, n % 6) i) END AS images,
       CASE WHEN n % 3 > 0 THEN (SELECT jsonb_object_agg(l, CASE WHEN n % 11 > 0 THEN 'http://a/' || l || '/é?' || n END)
                                   FROM unnest((ARRAY['de', 'EN-gb', 'x-default', 'zh-hant'])[1:n % 5]) l) END AS alternates,
       CASE WHEN n % 4 = 0 THEN ARRAY[sitemap_video('http://t/' || n, 't', 'd', 'http://v/' || n)] END AS extensions
  FROM generate_series(1, 500) n;
SELECT count(*) AS files, sum(p.url_count) AS urls, bool_and(p.content = e.content AND p.digest = e.digest AND p.name = e.name) AS same
  FROM sitemap_files('SELECT loc, priority, images, alternates, extensions FROM pg_temp.page ORDER BY id', 'http://a/', max_urls => 100) p
  FULL JOIN sitemap_files($$
         SELECT loc, priority, public.sitemap_alternates(alternates) ||
                               ARRAY(SELECT public.sitemap_image(i) FROM unnest(images) WITH ORDINALITY u (i, n) ORDER BY n) ||
                               extensions AS extensions
           FROM pg_temp.page ORDER BY id$$, 'http://a/', max_urls => 100) e USING (name);

-- Types: arrays of text, also of domains and of varchar; jsonb, also a domain.
CREATE DOMAIN image_url AS text;
CREATE DOMAIN image_urls AS image_url[];
CREATE DOMAIN hrefs AS jsonb;
SELECT pg_temp.content($$SELECT '/' AS loc, '{http://i/}'::varchar(20)[] AS images, '{"de": "http://a/"}'::public.hrefs AS alternates$$);
SELECT pg_temp.content($$SELECT '/' AS loc, '{{http://i/1},{http://i/2}}'::public.image_urls AS images$$);
SELECT pg_temp.content($$SELECT '/' AS loc, array_fill('http://i/'::public.image_url, '{2}', '{0}') AS images$$);
SELECT pg_temp.error($$SELECT * FROM sitemap_files('SELECT ''/'' AS loc, ''http://i/''::text AS images', 'http://a/')$$);
SELECT pg_temp.error($$SELECT * FROM sitemap_files('SELECT ''/'' AS loc, ''{1}''::int[] AS images', 'http://a/')$$);
SELECT pg_temp.error($$SELECT * FROM sitemap_files('SELECT ''/'' AS loc, ''{}''::json AS alternates', 'http://a/')$$);
SELECT pg_temp.error($$SELECT * FROM sitemap_files('SELECT NULL::xml AS url, ''{}''::text[] AS images', 'http://a/')$$);

-- JSON null, as programs store a missing value, counts as absent, wherever it is.
SELECT given, rtrim(replace(regexp_replace(pg_temp.text(content), '^.*<url><loc>http://a/</loc>|</url>.*$', '', 'g'), 'http://a/', '/'))
  FROM (VALUES
    (1, 'jsonb ''null'' AS alternates, jsonb ''null'' AS images, jsonb ''null'' AS videos, jsonb ''null'' AS news'),
    (2, 'jsonb ''{"de": null}'' AS alternates, jsonb ''[null]'' AS images, jsonb ''[null]'' AS videos, jsonb ''{"title": null}'' AS news'),
    (3, 'jsonb ''{"xx": null, "de": "/"}'' AS alternates, jsonb ''[null, "/i", null, {"loc": "/j", "title": null}, {"loc": null, "title": "t"}]'' AS images'),
    (4, 'jsonb ''[{"thumbnail_loc": "/t", "title": "t", "description": "d", "content_loc": "/c", "player_loc": null, "duration": null, "tag": null, "live": null,
                  "content_segment_loc": [null], "price": [null, 1], "price_currency": [null, "EUR"]}, null, {"title": null}]'' AS videos'),
    (5, 'jsonb ''[{"thumbnail_loc": "/t", "title": "t", "description": "d", "content_loc": "/c", "tag": ["a", null]}]'' AS videos'),
    (6, 'jsonb ''{"publication_name": "n", "publication_language": "en", "publication_date": "2026", "title": "t", "keywords": null, "genres": null}'' AS news'),
    (7, 'ARRAY[NULL, ''/i'', NULL]::text[] AS images, ARRAY[NULL]::xml[] AS extensions'),
    (8, 'NULL::text[] AS images, NULL::xml AS extensions, NULL::jsonb AS alternates')
  ) v (id, given), sitemap_files('SELECT ''/'' AS loc, ' || given, 'http://a/')
 ORDER BY id;
SELECT count(*) FROM sitemap_audit('SELECT ''/'' AS loc, jsonb ''null'' AS alternates, jsonb ''null'' AS images, jsonb ''[null]'' AS videos, jsonb ''null'' AS news', 'http://a.example/');
SELECT sitemap_url('http://a/', extensions => sitemap_alternates('null') || sitemap_alternates('{"de": null}') || ARRAY[NULL, sitemap_image(NULL)]);

-- What is not valid: an error, with the row.
CREATE TEMP TABLE bad (id int GENERATED ALWAYS AS IDENTITY, images text[], alternates jsonb, extensions xml);
INSERT INTO bad (images, alternates, extensions) VALUES
  ('{ftp:/relative}', NULL, NULL),
  ('{"",cdn.example.com/a.jpg," "}', '{"de": "cdn.example.com/de", "fr": " "}', NULL),
  ('{http://i/1,ftp://i/2,http://i/3}', NULL, NULL),
  (NULL, '["http://a/"]', NULL),
  (NULL, '{"de": 1, "en": "http://a/en", "fr": {"a": ["b"]}}', NULL),
  (NULL, '{"us": "http://a/us", "en": "ftp:/en", "": "http://a/", "fr": ""}', NULL),
  (NULL, '{"de": "http://a/de", "DE": "http://a/DE"}', NULL),
  (NULL, '{"de": "ftp://a/de", "De": "http://a/De"}', NULL),
  ((SELECT array_agg('http://i/' || n) FROM generate_series(1, 1002) n), NULL, NULL),
  ((SELECT array_agg('http://i/' || n) FROM generate_series(1, 1000) n), NULL, sitemap_image('http://i/1001'));
SELECT id, pg_temp.error(format($$SELECT * FROM sitemap_files('SELECT ''/'' AS loc, images, alternates, extensions FROM pg_temp.bad WHERE id = %s', 'http://a/')$$, id))
  FROM bad ORDER BY id;

-- Skipped, each one by itself, and found by the audit.
\set query 'SELECT ''/'' || id AS loc, images, alternates, extensions FROM pg_temp.bad ORDER BY id'
\set VERBOSITY default
SELECT url_count, regexp_replace(regexp_replace(convert_from(content, 'UTF8'), '(<image:image>[^m]*mage:loc>http://i/[0-9]{2,}</image:loc></image:image>)+', '(many)', 'g'), '></', E'>\n</', 'g')
  FROM sitemap_files(:'query', 'http://a/', on_invalid => 'skip');
SELECT row_number, problem, detail FROM sitemap_audit(:'query', 'http://a.example/') WHERE problem <> 'hreflang_lacks_itself';
SELECT count(*) FROM sitemap_files(:'query', 'http://a/', format => 'txt');
SELECT pg_temp.text(content)
  FROM sitemap_files($$SELECT '/' AS loc, 'x' AS changefreq, 7 AS priority, '[]'::jsonb AS alternates, array_fill(''::text, '{1048577}') AS images, array_fill(public.sitemap_image('http://i/'), '{1048577}') AS extensions$$,
                     'http://a/', format => 'txt');
SELECT count(*) FROM sitemap_audit($$SELECT '/' AS loc, 'x' AS changefreq, 7 AS priority, array_fill(''::text, '{1048577}') AS images$$, 'http://a.example/', format => 'txt');

-- A relative URL has at most 4,096 bytes; an absolute one is limited only by the document.
SELECT pg_temp.brief(format('SELECT FROM sitemap_files(%L, ''http://a/'')', format('SELECT ''/'' AS loc, ARRAY[%s || repeat(''i'', %s)] AS images', prefix, n)))
  FROM (VALUES ('''/''', 4095), ('''/''', 4096), ('''http://a/''', 4096)) v (prefix, n);

-- Protocol 0.84 has neither; a row without any keeps to it.
SELECT value, pg_temp.brief(format('SELECT FROM sitemap_files(%L, ''http://a/'', protocol => ''0.84'')', 'SELECT ''/'' AS loc, ' || value))
  FROM unnest(ARRAY['jsonb ''{}'' AS alternates', 'jsonb ''{"de": null}'' AS alternates', 'jsonb ''{"de": "http://a/"}'' AS alternates',
                    'ARRAY[NULL::text] AS images', 'ARRAY[''http://a/1.jpg''] AS images']) value;
SELECT row_number, problem, left(detail, 60) FROM sitemap_audit('SELECT ''/'' AS loc, ''{http://i.example/}''::text[] AS images', 'http://a.example/', protocol => '0.84');

-- The audit sees links between pages, and what robots.txt forbids.
SELECT row_number, problem, detail
  FROM sitemap_audit($$
         SELECT *
           FROM (VALUES ('/en', '{"en": "http://a.example/en", "de": "http://a.example/de?a&amp;b"}'::jsonb, ARRAY['http://a.example/private/1', 'http://b.example/private/1']),
                        ('/de?a&amp;b', '{"de": "http://a.example/de?a&amp;b"}', NULL),
                        ('/fr', '{"en": "http://a.example/private/en", "fr": "HTTP://A.example:80/fr#top"}', NULL)) v (loc, alternates, images)$$,
         'http://a.example/', agents => '{x}', robots => E'User-agent: *\nDisallow: /private\nSitemap: http://a.example/sitemap.xml');

-- Published: one changed image changes one file.
CREATE TEMP TABLE files OF sitemap_file (PRIMARY KEY (base_url, name));
SELECT action, sum(url_count) FROM sitemap_publish('files', 'SELECT loc, images, alternates FROM pg_temp.page ORDER BY id', 'http://a/', max_urls => 100) WHERE kind = 'urlset' GROUP BY action;
UPDATE page SET images[1] = 'http://i/new' WHERE id = 250;
SELECT action, kind, count(*) FROM sitemap_publish('files', 'SELECT loc, images, alternates FROM pg_temp.page ORDER BY id', 'http://a/', max_urls => 100) WHERE kind = 'urlset' GROUP BY action, kind ORDER BY action, kind;
DROP DOMAIN image_urls, image_url, hrefs;
