--
-- sitemap_audit: every problem of every row.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TEMP TABLE page (
  id int GENERATED ALWAYS AS IDENTITY, loc text, lastmod text, changefreq text, priority numeric, images text[], alternates jsonb, news jsonb
);
CREATE FUNCTION pg_temp.news(published text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT jsonb_build_object('publication_name', 'n', 'publication_language', 'en', 'title', 't', 'publication_date', published)
$$;
\set query 'SELECT loc, lastmod, changefreq, priority, images, alternates, news FROM pg_temp.page ORDER BY id'

-- Nothing is wrong, nothing is said.
SELECT * FROM sitemap_audit(:'query', 'http://a.example/');
INSERT INTO page (loc, lastmod, changefreq, priority, images, alternates, news) VALUES
  ('/', '2026', 'daily', 0.5, NULL, NULL, NULL),
  (NULL, 'x', 'x', 9, NULL, NULL, NULL),
  ('/en', NULL, '', NULL, NULL, '{"en": "http://a.example/en", "de": "http://a.example/de", "x-default": "http://a.example/en"}', NULL),
  ('/de', NULL, '', NULL, NULL, '{"en": "http://a.example/en", "de": "http://a.example/de"}', NULL),
  ('/news', to_char(now(), 'YYYY-MM-DD'), NULL, NULL, '{http://b.example/i}', NULL, pg_temp.news((to_jsonb(now() - interval '47 hours'))->>0));
SELECT * FROM sitemap_audit(:'query', 'http://a.example/');
SELECT * FROM sitemap_audit('SELECT sitemap_url(loc, ''2026'') AS url FROM (VALUES (''http://a.example/1'')) v (loc)', 'http://a.example/');

-- A date without time is a day somewhere on Earth: not in the future where it has
-- begun anywhere, nor too old for news until it has ended everywhere.
CREATE TEMP TABLE day AS
SELECT n, lastmod, published
  FROM (SELECT now() AT TIME ZONE 'UTC' AS utc) t,
       LATERAL (VALUES
         (1, (utc + interval '14 hours')::date, (utc - interval '84 hours')::date + 1),
         (2, (utc + interval '14 hours')::date + 1, (utc - interval '84 hours 1 second')::date),
         (3, utc::date, utc::date - 2)) v (n, lastmod, published);
SELECT row_number, problem
  FROM sitemap_audit('SELECT ''/'' || n AS loc, lastmod, pg_temp.news(to_jsonb(published) ->> 0) AS news
                        FROM pg_temp.day ORDER BY n', 'http://a.example/')
 WHERE problem ~ 'future|too_old';
SET datestyle = 'ISO';
SELECT row_number, problem
  FROM sitemap_audit('SELECT ''/'' || n AS loc, lastmod::text, pg_temp.news(published::text) AS news
                        FROM pg_temp.day ORDER BY n', 'http://a.example/')
 WHERE problem ~ 'future|too_old';
RESET datestyle;

-- News of this month, which is not over in every time zone, and of a month long ago.
SELECT count(*) FILTER (WHERE date = '2025-01') AS old, count(*) AS all
  FROM (VALUES ('2025-01'), (to_char(now(), 'YYYY-MM'))) v (date),
       sitemap_audit(format('SELECT ''/'' AS loc, pg_temp.news(%L) AS news', date), 'http://a.example/')
 WHERE problem = 'news_too_old';

-- Dates that cannot be: before 1970, news and videos of the future, videos that have expired.
CREATE TEMP TABLE dated AS
SELECT n, lastmod, pg_temp.news(news) AS news,
       jsonb_build_object('thumbnail_loc', '/t.jpg', 'title', 't', 'description', 'd', 'content_loc', '/v.mp4',
                          'publication_date', published, 'expiration_date', expires) AS videos
  FROM (SELECT now() AT TIME ZONE 'UTC' AS utc) t,
       LATERAL (VALUES
         (1, '1969-12-31T23:59:59Z', NULL, '1969-12-31', '1969'),
         (2, '0001-01-01', '1960-01-01', NULL, NULL),
         (3, '1970-01-01', NULL, '1970-01-01T00:00:00Z', NULL),
         (4, NULL, to_jsonb(now() + interval '1 hour') ->> 0, to_jsonb(now() + interval '1 hour') ->> 0, to_jsonb(now() + interval '1 hour') ->> 0),
         (5, NULL, to_jsonb((utc + interval '14 hours')::date) ->> 0, to_jsonb((utc + interval '14 hours')::date) ->> 0, to_jsonb((utc - interval '12 hours')::date) ->> 0),
         (6, NULL, to_jsonb((utc + interval '14 hours')::date + 1) ->> 0, to_jsonb((utc + interval '14 hours')::date + 1) ->> 0, to_jsonb((utc - interval '12 hours')::date - 1) ->> 0),
         (7, NULL, to_jsonb(now() - interval '1 second') ->> 0, to_jsonb(now() - interval '1 second') ->> 0, to_jsonb(now() - interval '2 seconds') ->> 0),
         (8, NULL, NULL, to_char(utc + interval '2 months', 'YYYY-MM'), to_char(utc - interval '2 months', 'YYYY-MM'))) v (n, lastmod, news, published, expires);
SELECT row_number, problem,
       CASE WHEN row_number < 4 THEN detail ELSE regexp_replace(detail, '\d.*\d', '...') END AS detail
  FROM sitemap_audit('SELECT ''/'' || n AS loc, lastmod, CASE WHEN news ->> ''publication_date'' IS NOT NULL THEN news END AS news, videos FROM pg_temp.dated ORDER BY n', 'http://a.example/');

-- What sitemap_files refuses, all of it, and what it does not look at.
TRUNCATE page RESTART IDENTITY;
INSERT INTO page (loc, lastmod, changefreq, priority, images, alternates, news) VALUES
  ('/1', '2026-02-30', 'daily', 0.5, NULL, NULL, NULL),
  ('ftp://a/', 'yesterday', 'x', 2, '{http://i.example}', '{"de": "http://a.example/", "DE": "http://a.example/"}', pg_temp.news('2025')),
  ('http://b.example/', NULL, NULL, 7, NULL, NULL, NULL),
  ('/4', '2999-01-01T00:00:00+01:00', 'sometimes', 'NaN', NULL, NULL, NULL),
  (NULL, 'x', 'x', 9, NULL, NULL, NULL),
  ('/6', NULL, NULL, NULL, NULL, NULL, pg_temp.news('2020-02-03T04:05Z')),
  ('', 'infinity', NULL, NULL, NULL, NULL, NULL),
  ('/8?' || repeat('x', 2048), NULL, NULL, NULL, NULL, NULL, NULL),
  (E'/nine\n\u0001', NULL, NULL, NULL, NULL, NULL, NULL),
  (E'/ten\uFFFE', NULL, NULL, NULL, NULL, NULL, NULL),
  ('/1#again', NULL, NULL, NULL, NULL, NULL, NULL),
  ('/12', NULL, NULL, NULL, NULL, '{"de": "http://a.example/1"}', NULL);
SELECT row_number, left(loc, 4), length(loc), problem, detail FROM sitemap_audit(:'query', 'http://a.example/');

-- An entry too large for a file of its own, beside what else there is.
SELECT row_number, problem, detail FROM sitemap_audit(:'query', 'http://a.example/', max_bytes => 150) WHERE row_number = 1;

-- A text sitemap has loc and lastmod only.
SELECT row_number, left(loc, 4), problem FROM sitemap_audit(:'query', 'http://a.example/', format => 'txt');

-- Protocol 0.84.
SELECT row_number, problem, detail
  FROM sitemap_audit('SELECT ''/'' AS loc, ''2026''::text AS lastmod, ''{http://i.example}''::text[] AS images',
                     'http://a.example/', protocol => '0.84');

-- The names are no more than these, all others were above.
SELECT problem, count(*)
  FROM (SELECT problem FROM sitemap_audit(:'query', 'http://a.example/', max_bytes => 130)
         UNION ALL
        SELECT problem FROM sitemap_audit('SELECT public.sitemap_image(''http://i.example'') AS url', 'http://a.example/')
         UNION ALL
        SELECT problem FROM sitemap_audit('SELECT ''http://b.example/'' AS loc', 'https://a.example/', scope => 'any')
         UNION ALL
        SELECT problem FROM sitemap_audit('SELECT ''/null'' AS loc', 'https://a.example/')
         UNION ALL
        SELECT problem FROM sitemap_audit('SELECT ''/'' AS loc, public.sitemap_image(''http://i.example'') AS extensions', 'https://a.example/')) all_of_them
 GROUP BY problem
 ORDER BY problem COLLATE "C";

-- Duplicates: scheme and host in any case, the default port, no path, a fragment. The first one is named.
SELECT row_number, loc, problem, detail
  FROM sitemap_audit($$
         SELECT loc
           FROM (VALUES (1, '/'), (2, 'http://A.example'), (3, 'HTTP://a.example:80/#x'), (4, 'http://a.example:/'),
                        (5, '/a?b'), (6, NULL), (7, ' http://a.EXAMPLE/a?b '), (8, '/A?b'), (9, '/a/?b'), (10, '?x'),
                        (11, 'http://a.example?x#y'), (12, '/é'), (13, '/%C3%A9'), (14, '/%c3%a9')) v (id, loc)
          ORDER BY id$$, 'http://a.example/');

-- http among https.
SELECT base, scope, row_number, loc, problem, detail
  FROM (VALUES ('{http://b.example/1,https://b.example/1,http://a.example/2,/3}'::text[], 'http://a.example/', 'any'),
               ('{http://b.example/1,/2}', 'HTTPS://a.example/', 'any'), ('{http://b.example/1,/2}', 'http://a.example/', 'any'),
               ('{http://a.example/1,/2}', 'https://a.example/', 'host')) v (locs, base, scope),
       sitemap_audit(format('SELECT unnest(%L::text[]) AS loc', locs), base, scope => scope);

-- What an export writes for a value that is missing, and a path of another system.
SELECT loc, problem, detail
  FROM sitemap_audit($$
         SELECT unnest(ARRAY['/None', '/a/null/b?c', '/a/UNDEFINED/', '/nan#x', 'http://a.example', '/a\b', '/a%5cb', '/x/None/null',
                             '/none-such', '/nullable', '/a?undefined', '/?a=/null/\', '/a#\', '/%4Eone']) AS loc$$, 'http://a.example/');
SELECT loc, problem FROM sitemap_audit($$SELECT '/null' AS loc$$, 'https://null:8080/', format => 'txt');

-- scope.
SELECT scope, row_number, loc, problem
  FROM unnest('{host,path,any}'::text[]) scope,
       LATERAL sitemap_audit($$SELECT unnest('{http://b.example/,/b,/a/b,http://a.example:8080/a/}'::text[]) AS loc$$,
                             'http://a.example/a/', scope => scope);

-- Languages: a page lists itself, and pages list each other. What is not in the set cannot be told.
CREATE FUNCTION pg_temp.audit_languages(VARIADIC rows jsonb[])
RETURNS TABLE (row_number bigint, loc text, problem text, detail text)
LANGUAGE sql AS $$
  SELECT *
    FROM public.sitemap_audit(pg_catalog.format($q$
           SELECT r.value ->> 'loc' AS loc, r.value - 'loc' AS alternates
             FROM pg_catalog.jsonb_array_elements(%L) WITH ORDINALITY r
            ORDER BY r.ordinality$q$, pg_catalog.to_jsonb(rows)), 'http://a.example/')
$$;
SELECT * FROM pg_temp.audit_languages('{"loc": "/en", "de": "http://a.example/de"}',
                                      '{"loc": "/de", "de": "http://a.example/de", "en": "http://a.example/en"}');
SELECT * FROM pg_temp.audit_languages('{"loc": "/en", "en": "HTTP://A.example:80/en", "de": "http://a.example/de", "x-default": "http://a.example/de"}',
                                      '{"loc": "/de", "de": "http://a.example/de#top"}');
SELECT * FROM pg_temp.audit_languages('{"loc": "/en", "en": "http://a.example/en", "de": "http://a.example/de", "fr": "http://a.example/fr", "x-default": "http://b.example/"}',
                                      '{"loc": "/fr"}',
                                      '{"loc": "/de", "de": "http://a.example/de", "fr": "http://a.example/fr"}');
SELECT * FROM pg_temp.audit_languages('{"loc": "/?x=1&y", "en": "http://a.example/?x=1&y", "de": "http://a.example/''?x=1&y"}', '{"loc": "/''?x=1&y", "fr": null}');

-- A url column: from sitemap_url, and none at all.
SELECT row_number, loc, problem, detail
  FROM sitemap_audit($$
         SELECT url
           FROM (VALUES (1, public.sitemap_url('http://a.example/?x&y', '2999')),
                        (2, NULL),
                        (3, public.sitemap_url('http://b.example/', '2026', extensions => ARRAY[
                              public.sitemap_news('n', 'en', '2020', 't')])),
                        (4, public.sitemap_image('http://i.example')),
                        (5, public.sitemap_url('http://a.example/?x&y', '2026'))) v (id, url)
          ORDER BY id$$, 'http://a.example/');

-- loc is whole, as the query has it.
SELECT length(loc), left(loc, 1) = ' ', right(loc, 1) = 'z'
  FROM sitemap_audit('SELECT '' /'' || repeat(''x'', 100000) || ''z'' AS loc', 'http://a.example/');

-- The order is that of the rows, also where there are many.
SELECT count(*), min(row_number), max(row_number), bool_and(row_number > before), min(detail), max(detail)
  FROM (SELECT *, lag(row_number, 1, 0::bigint) OVER () AS before
          FROM sitemap_audit('SELECT ''/'' || n % 10000 AS loc FROM generate_series(0, 29999) n', 'http://a.example/')) a;

-- Arguments are those of sitemap_files, and checked so.
SELECT count(*)
  FROM sitemap_audit('SELECT ''x:'' AS loc', 'http://a.example/', 'section', 'xml', 9, 1, 1000, 'stable', 'never', 'skip', 'path',
                     'a.css', '0.9');
SELECT pg_temp.error('SELECT sitemap_audit(' || a || ')')
  FROM (VALUES
    ($$'SELECT 1 AS id', 'http://a.example/'$$),
    ($$'DELETE FROM pg_temp.page', 'http://a.example/'$$),
    ($$'SELECT ''/'' AS loc', '/'$$),
    ($$'SELECT ''/'' AS loc', 'http://a.example/', on_invalid => 'ignore'$$),
    ($$NULL, 'http://a.example/'$$)
  ) v (a);
-- The arguments are those of sitemap_files, and two more.
SELECT audit.names = files.names || '{robots,agents}' AS names, audit.arguments LIKE files.arguments || ', %' AS arguments
  FROM (SELECT oid, pg_get_function_arguments(oid) AS arguments, proargnames[:pronargs] AS names FROM pg_proc) audit,
       (SELECT oid, pg_get_function_arguments(oid) AS arguments, proargnames[:pronargs] AS names FROM pg_proc) files
 WHERE audit.oid = 'sitemap_audit'::regproc AND files.oid = 'sitemap_files'::regproc;

-- A key is welcome.
SELECT * FROM sitemap_audit('SELECT ''/a'' AS loc, 1 AS key', 'https://www.example.com/', section => 'news');

-- A fragment is no part of what search engines fetch; a "#" in a segment is %23.
SELECT row_number, loc, problem, detail
  FROM sitemap_audit($$SELECT unnest('{/a#b,/c%23,/#,"/ #é",./#x,/?q=#&r}'::text[]) AS loc$$, 'http://a.example/');
SELECT row_number, loc, problem FROM sitemap_audit('SELECT sitemap_url(''http://a.example/#!/b'') AS url', 'http://a.example/');
SELECT row_number, loc, problem FROM sitemap_audit('SELECT ''/#b'' AS loc', 'http://a.example/', format => 'txt');

-- A stable split without an order: neither in the query nor in the view or subquery in its place.
CREATE VIEW pg_temp.ordered AS SELECT loc FROM pg_temp.page ORDER BY id;
CREATE VIEW pg_temp.unordered AS SELECT loc FROM pg_temp.page;
CREATE VIEW pg_temp.twice AS SELECT loc FROM pg_temp.ordered;
TRUNCATE page;
SELECT * FROM sitemap_audit('SELECT loc FROM pg_temp.page', 'http://a.example/', split => 'stable');
SELECT * FROM sitemap_audit('SELECT loc FROM pg_temp.page', 'http://a.example/');
SELECT problem, query
  FROM unnest(ARRAY[
         'SELECT loc FROM pg_temp.page ORDER BY id',
         'SELECT loc, id AS key FROM pg_temp.page',
         'SELECT loc, id AS key FROM pg_temp.page WHERE id >= $1',
         'TABLE pg_temp.ordered',
         'TABLE pg_temp.twice',
         'SELECT ''/'' || loc AS loc FROM pg_temp.ordered o WHERE loc > ''''',
         'SELECT loc FROM (SELECT loc FROM pg_temp.page ORDER BY id) p',
         'WITH p AS (SELECT loc FROM pg_temp.page ORDER BY id) SELECT loc FROM p',
         'WITH p AS (SELECT loc FROM pg_temp.page ORDER BY id) SELECT loc FROM (SELECT loc FROM p) s',
         'WITH p AS (SELECT loc FROM pg_temp.page ORDER BY id) SELECT loc FROM (WITH q AS (SELECT loc FROM (SELECT loc FROM p) r) SELECT loc FROM q) s',
         'SELECT loc FROM pg_temp.page UNION ALL SELECT loc FROM pg_temp.page ORDER BY 1',
         'SELECT ''/'' AS loc',
         'TABLE pg_temp.unordered',
         'SELECT o.loc FROM pg_temp.ordered o, pg_temp.unordered',
         'SELECT o.loc FROM pg_temp.ordered o LEFT JOIN pg_temp.page p ON true',
         'SELECT loc FROM pg_temp.ordered UNION ALL TABLE pg_temp.ordered',
         'SELECT DISTINCT loc FROM pg_temp.ordered',
         'SELECT loc FROM pg_temp.ordered GROUP BY 1',
         'SELECT loc, row_number() OVER (ORDER BY loc)::int % 2 AS priority FROM pg_temp.ordered',
         'WITH p AS (SELECT loc FROM pg_temp.page) SELECT loc FROM p',
         'WITH p AS (SELECT loc FROM pg_temp.page) SELECT loc FROM (WITH p AS (SELECT loc FROM p ORDER BY loc) SELECT loc FROM (SELECT loc FROM pg_temp.page) r) s',
         'WITH RECURSIVE p AS (SELECT ''/'' AS loc UNION ALL SELECT loc || ''a'' FROM p WHERE loc < ''/aa'') SELECT loc FROM p',
         'SELECT loc FROM (SELECT loc FROM pg_temp.page) p',
         'SELECT loc FROM (VALUES (''/'')) v (loc) WHERE EXISTS (SELECT FROM pg_temp.page ORDER BY id)']) query
       LEFT JOIN LATERAL sitemap_audit(query, 'http://a.example/', split => 'stable') ON true;
