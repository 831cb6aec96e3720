--
-- sitemap_audit: what the pages of a set have in common.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql
CREATE FUNCTION pg_temp.audit(query text) RETURNS TABLE (row_number bigint, problem text, detail text) LANGUAGE sql AS
  $$ SELECT row_number, problem, detail FROM public.sitemap_audit(query, 'https://www.example.com/') $$;

-- Invented dates: now(), of a transaction or a statement, as a time or as text.
BEGIN;
SELECT 1;
SELECT problem, replace(detail, to_char(now(), 'YYYY'), 'YYYY')
  FROM pg_temp.audit($$SELECT '/' || n AS loc, CASE n WHEN 1 THEN now() WHEN 2 THEN statement_timestamp() WHEN 3 THEN now() - interval '1 us'
                                                      ELSE '2026-01-01 12:00+00'::timestamptz + n * interval '1 hour' END AS lastmod FROM generate_series(1, 9) n$$);
COMMIT;
SELECT problem, detail FROM pg_temp.audit($$SELECT '/' AS loc, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS lastmod UNION ALL SELECT '/2', to_char(now(), 'YYYY-MM-DD')$$);
-- A set with news has times of now, and close together.
SELECT count(*) FROM pg_temp.audit($$SELECT '/' || n AS loc, now() AS lastmod, CASE n WHEN 5 THEN '{"publication_name": "n", "publication_language": "en", "title": "t"}'::jsonb || jsonb_build_object('publication_date', now()) END AS news
                                       FROM generate_series(1, 200) n$$);

-- More than half of at least 100 times within ten minutes, wherever these begin, and whatever the others are.
SELECT v.n, lastmod, a.problem, a.detail
  FROM (VALUES (1, 200, 'CASE WHEN n > 99 THEN base ELSE base + n * interval ''1 hour'' END'), (2, 200, 'CASE WHEN n > 100 THEN base ELSE base + n * interval ''1 hour'' END'),
               (3, 100, 'base + n * interval ''6 s'''), (4, 99, 'base'), (5, 101, 'CASE WHEN n > 1 THEN base END'), (6, 1000, 'CASE WHEN n <= 99 THEN base END'),
               (7, 200, 'base + n * interval ''5 s'''), (8, 200, 'base + n * interval ''6 s'''), (9, 200, 'base::date'), (10, 200, 'date_trunc(''day'', base)'),
               (11, 400, 'CASE WHEN n % 2 = 0 OR n < 4 THEN base + n % 599 * interval ''1 s'' ELSE base - n * interval ''1 day'' END'),
               (12, 400, 'CASE WHEN n % 2 = 0 THEN base + n % 599 * interval ''1 s'' ELSE base - n * interval ''1 day'' END'),
               (13, 200, 'to_char(base, ''YYYY-MM-DD"T"HH24:MI:SS"Z"'')')) v (n, pages, lastmod)
       LEFT JOIN LATERAL pg_temp.audit(format('SELECT ''/'' || n AS loc, %s AS lastmod FROM generate_series(1, %s) n, (VALUES (''2026-03-01 03:14:09+00''::timestamptz)) b (base)', lastmod, pages)) a ON true
 ORDER BY v.n;
-- A date that is cast is midnight, which is no time; in another time zone it would be one.
SELECT zone, a.problem
  FROM unnest('{Europe/Berlin,Asia/Kathmandu,America/Sao_Paulo}'::text[]) zone, set_config('TimeZone', zone, false),
       LATERAL pg_temp.audit($$SELECT '/' || n AS loc, '2018-11-04'::date::timestamptz AS lastmod FROM generate_series(1, 200) n$$) a;
SET TimeZone = 'Europe/Berlin';
SELECT * FROM pg_temp.audit($$SELECT '/' || n AS loc, to_jsonb('2026-03-01'::date::timestamptz) ->> 0 AS lastmod FROM generate_series(1, 200) n$$);
SELECT * FROM pg_temp.audit($$SELECT '/' || n AS loc, '2026-03-01 00:00+02'::timestamptz AS lastmod FROM generate_series(1, 200) n$$);
RESET TimeZone;
-- The epoch is a missing date.
SELECT * FROM pg_temp.audit($$SELECT '/' || n AS loc, to_timestamp(n - 1) AS lastmod FROM generate_series(0, 2) n$$);

-- Alternates that no row lists: of a language of which the set lists pages.
CREATE FUNCTION pg_temp.linked(page text, alternates text) RETURNS TABLE (loc text, alternates jsonb) LANGUAGE sql AS
  $$ SELECT page, (SELECT jsonb_object_agg(split_part(a, '=', 1), split_part(a, '=', 2)) FROM unnest(string_to_array(alternates, ' ')) a) $$;
SELECT * FROM pg_temp.audit($$SELECT l.* FROM generate_series(1, 20) n, LATERAL pg_temp.linked('/en/' || n, format('en=/en/%1$s de=/de/%1$s', n)) l UNION ALL
                              SELECT l.* FROM generate_series(1, 18) n, LATERAL pg_temp.linked('/de/' || n, format('en=/en/%1$s de=/de/%1$s', n)) l$$);
-- The same where x-default is one of them, for any number of pages.
SELECT count(*) FROM generate_series(2, 40) size, LATERAL pg_temp.audit(format($$
  SELECT l.* FROM generate_series(1, %1$s) n, LATERAL pg_temp.linked('/en/' || n, concat('en=/en/', n, ' de=/de/', n, ' x-default=/de/', n)) l UNION ALL
  SELECT l.* FROM generate_series(2, %1$s) n, LATERAL pg_temp.linked('/de/' || n, concat('en=/en/', n, ' de=/de/', n, ' x-default=/de/', n)) l$$, size)) a
 WHERE problem = 'hreflang_unlisted';
SELECT * FROM pg_temp.audit($$SELECT l.* FROM unnest('{en,de}'::text[]) c, LATERAL pg_temp.linked('/' || c, 'en=/en de=/de fr=/fr x-default=/en') l$$);
-- Another section's pages, another host's, and x-default.
SELECT * FROM pg_temp.audit($$SELECT l.* FROM generate_series(1, 20) n, LATERAL pg_temp.linked('/en/' || n, format('en-US=/en/%1$s de=/de/%1$s en-GB=/gb/%1$s x-default=/x', n)) l$$);
SELECT problem, detail FROM sitemap_audit($$SELECT l.* FROM generate_series(1, 2) n, LATERAL pg_temp.linked('/en/' || n, format('en=/en/%1$s de=https://www.example.de/', n)) l$$, 'https://www.example.com/', scope => 'any');
-- One home page for all; the page with a query, unless each language has one; a page in two languages has one alternate.
SELECT * FROM pg_temp.audit($$SELECT l.* FROM generate_series(1, 3) n, LATERAL pg_temp.linked('/en/' || n, format('en=/en/%s DE=/de/', n)) l$$);
SELECT * FROM pg_temp.audit($$SELECT * FROM pg_temp.linked('/a', 'en=/a fr=/a?fr de=/b?de') UNION ALL SELECT * FROM pg_temp.linked('/c?en', 'en=/c?en it=/c?it')$$);
SELECT * FROM pg_temp.audit($$SELECT * FROM pg_temp.linked('/en', 'en=/en de=/de fr=/fr') UNION ALL SELECT * FROM pg_temp.linked('/de', 'en=/en de=/de fr=/fr')$$);
-- A country without pages, where the set has most of the others.
SELECT * FROM pg_temp.audit($$SELECT l.* FROM unnest('{en-US,en-GB,de-DE}'::text[]) c, LATERAL pg_temp.linked('/' || c, 'en-US=/en-US en-GB=/en-GB de-DE=/de-DE en-AU=/en-AU fr=/fr') l$$);

-- A cause is told once: an unsupported or rare code.  Links with an invalid code count nevertheless.
SELECT * FROM pg_temp.audit($$SELECT l.* FROM generate_series(1, 3) n, LATERAL pg_temp.linked('/en/' || n, format('english=/en/%1$s fil=/fil/%1$s', n)) l UNION ALL
                              SELECT l.* FROM generate_series(1, 3) n, LATERAL pg_temp.linked('/fil/' || n, format('en=/en/%1$s fil=/fil/%1$s', n)) l$$);
SELECT row_number, problem, left(detail, 60) FROM pg_temp.audit($$SELECT * FROM pg_temp.linked('/', 'kr=/ english=/ us=/en')$$);
SELECT count(*) FROM pg_temp.audit($$SELECT '/' AS loc, (SELECT jsonb_object_agg('english' || n, '/' || n) FROM generate_series(1, 3000) n) AS alternates$$) WHERE problem = 'extension_invalid';
-- A column or expression is wrong in more than half of the rows, and more than twenty.
SELECT count(*), min(row_number), problem, min(detail)
  FROM pg_temp.audit($$SELECT '/' || n || '#a' AS loc, to_timestamp(0) AS lastmod, 'often' AS changefreq FROM generate_series(1, 30) n UNION ALL SELECT '/a', NULL, NULL$$)
 GROUP BY problem;
-- More than half of the pages, and more than twenty: none is an alternate of itself, has the scheme, or is allowed.
SELECT * FROM pg_temp.audit($$SELECT l.* FROM generate_series(1, 21) n, LATERAL pg_temp.linked('/' || n, 'fr=https://www.example.fr/' || n) l$$);
SELECT pages, count(*), min(detail) FROM (VALUES (20), (21), (42)) v (pages), LATERAL sitemap_audit(format($$SELECT CASE WHEN n < 22 THEN 'http:' ELSE '' END || '//www.example.com/' || n AS loc FROM generate_series(1, %s) n$$, pages),
       'https://www.example.com/', scope => 'any') GROUP BY pages ORDER BY pages;
SELECT pages, row_number IS NULL AS whole, count(*), min(detail)
  FROM (VALUES (20), (21), (42)) v (pages),
       LATERAL sitemap_audit(format($$SELECT CASE WHEN n < 22 THEN '/x' ELSE '/y' END || n AS loc, ARRAY['/i/' || n, '/i/a'] AS images FROM generate_series(1, %s) n$$, pages), 'https://www.example.com/',
                             agents => '{a,b,c,Googlebot}', robots => E'User-agent: a\nUser-agent: b\nDisallow: /x\nUser-agent: *\nDisallow: /i/\nSitemap: https://www.example.com/sitemap.xml') a
 GROUP BY pages, whole, detail LIKE '%Googlebot%' ORDER BY 1, 2, 3, 4;
-- An alternate that is a row speaks for itself.
SELECT row_number, detail FROM sitemap_audit($$SELECT l.* FROM unnest('{en,de}'::text[]) c, LATERAL pg_temp.linked('/' || c, 'en=/en de=/de fr=/fr') l$$, 'https://www.example.com/', agents => '{a}',
                                             robots => E'User-agent: *\nDisallow: /de\nDisallow: /fr\nSitemap: https://www.example.com/sitemap.xml');
-- A robots.txt that does not apply to the pages.
SELECT * FROM sitemap_audit($$SELECT unnest('{https://www.example.com/a,https://bucket.example.net/b,https://www.example.com/c}'::text[]) AS loc$$, 'https://bucket.example.net/s/', index => 'always', scope => 'any',
                            robots => E'User-agent: *\nDisallow: /a\nSitemap: https://bucket.example.net/s/sitemap.xml\n');
SELECT detail FROM sitemap_audit($$SELECT '/' AS loc$$, 'https://www.example.com/', robots => E'Sitemap: sitemap.xml\nSitemap: ftp://a/\nSitemap: https://a.example/sitemap.xml\nSitemap: http://www.example.com/sitemap.xml\nSitemap: https://www.example.com/sitemap_index.xml');
