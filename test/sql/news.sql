--
-- sitemap_news, and files with news in them.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- publication_date is any kind of date.
SELECT sitemap_news('The "Times" & Co', 'en', timestamptz '2026-01-02 03:04:05.9+01', 'Müller < Maier');
SELECT sitemap_news('n', 'de', date '2026-01-02', 't'),
       sitemap_news('n', 'de', '2026-01-02T03:04+05:45', 't'),
       sitemap_news('n', 'de', timestamp '2026-01-02 03:04:05', 't');

-- Optional elements; what is blank is left out.
SELECT sitemap_news('n', 'zh-tw', '2026', 't', 'subscription', 'blog,Opinion , UserGenerated', 'a, b',
                    ' NASDAQ:AMAT,BOM:500325 ');
SELECT sitemap_news('n', 'en', '2026', 't', '', ' ', '', NULL);
SELECT sitemap_news('n', 'en', '2026', 't', keywords => E' \u0001');

-- No news of nothing.
SELECT sitemap_news(NULL, NULL, NULL::date, NULL), sitemap_news(NULL, NULL, NULL, NULL, 'Subscription');

-- publication_language.
SELECT l, pg_temp.brief(format('SELECT sitemap_news(%L, %L, %L, %L)', 'n', l, '2026', 't'))
  FROM unnest(ARRAY['en', 'eng', 'zh-cn', 'zh-tw', '', 'EN', 'en-GB', 'zh', 'zh-hk', 'german', 'e1', 'ü']) l;

-- What is required, and what each argument can be.
SELECT a, pg_temp.error('SELECT sitemap_news(' || a || ')')
  FROM (VALUES
    ($$NULL, 'en', '2026', 't'$$),
    ($$'', 'en', '2026', 't'$$),
    ($$'n', NULL, '2026', 't'$$),
    ($$'n', 'en', NULL::date, 't'$$),
    ($$'n', 'en', '', 't'$$),
    ($$'n', 'en', '2026', ' '$$),
    ($$'n', 'en', '2026', NULL$$),
    ($$'n', 'en', 'tomorrow', 't'$$),
    ($$'n', 'en', timestamptz 'infinity', 't'$$),
    ($$'n', 'en', date '10000-01-01', 't'$$),
    ($$'n', 'en', '2026', 't', access => 'free'$$),
    ($$'n', 'en', '2026', 't', genres => 'Blog,Rumour'$$),
    ($$'n', 'en', '2026', 't', genres => 'Blog,,Satire'$$),
    ($$'n', 'en', '2026', 't', stock_tickers => 'AMAT'$$),
    ($$'n', 'en', '2026', 't', stock_tickers => 'A:1,A:2,A:3,A:4,A:5,A:6'$$)
  ) v (a);

-- A name or title of nothing but characters that XML cannot carry is blank.
SELECT pg_temp.error($$ SELECT sitemap_news(E'\u0001', 'en', '2026', 't') $$);
SELECT pg_temp.error($$ SELECT sitemap_news('n', 'en', '2026', E' \uFFFE\u0001 ') $$);

-- Stock tickers are of ASCII letters and digits.
SELECT s, pg_temp.brief(format('SELECT sitemap_news(%L, %L, %L, %L, stock_tickers => %L)',
                               'n', 'en', '2026', 't', s))
  FROM unnest(ARRAY['NASDAQ:—', E'X:a\u00A0b', 'A:«', 'A:ü', ':A', 'A:', 'A:B:C', 'A:B,']) s;
SELECT pg_temp.brief($$ SELECT sitemap_news('n', 'en', '2026', 't', stock_tickers => E'A:\u200B') $$),
       pg_temp.brief($$ SELECT sitemap_news('n', 'en', '2026', 't', stock_tickers => E'A:\uFFFE') $$);

-- A page has one news element.
SELECT pg_temp.error($$
  SELECT sitemap_url('http://a/', extensions => ARRAY[sitemap_news('n', 'en', '2026', 't'),
                                                      sitemap_news('n', 'en', '2026', 't2')])
$$);

-- A file has at most 1,000 news items, and pages without news besides.
CREATE TEMP TABLE page AS
SELECT n AS id,
       '/' || n AS loc,
       CASE WHEN n BETWEEN 1500 AND 3000 THEN sitemap_news('n', 'en', '2026', 't' || n) END AS extensions
  FROM generate_series(1, 5000) n;
SELECT rows, max_urls, name, url_count, pg_temp.text(content) LIKE '%xmlns:news%'
  FROM (VALUES ('WHERE id BETWEEN 1501 AND 2500 ORDER BY id', NULL), ('WHERE id BETWEEN 1501 AND 2501 ORDER BY id', NULL),
               ('ORDER BY id', NULL), ('ORDER BY id DESC', 600)) v (rows, max_urls),
       sitemap_files('SELECT loc, extensions FROM page ' || rows, 'http://a/', max_urls => max_urls);
SELECT name, url_count
  FROM sitemap_files($$
         SELECT sitemap_url('http://a' || loc, extensions => ARRAY[extensions]) AS url
           FROM page
          WHERE id BETWEEN 1501 AND 2501
          ORDER BY id
       $$, 'http://a/');

-- One article does not close a file, and a stable split counts news as it counts URLs.
SELECT name, url_count FROM sitemap_files('SELECT loc, extensions FROM page WHERE id <= 1500 ORDER BY id', 'http://a/');
SELECT count(*) > 2 AS several, max(n) <= 1000 AS allowed, min(n) FILTER (WHERE NOT is_last) >= 500 AS half_full, sum(url_count)
  FROM (SELECT url_count, row_number() OVER () = count(*) OVER () AS is_last,
               (length(content) - octet_length(replace(pg_temp.text(content), '<news:news>', '0123456789')::bytea)) AS n
          FROM sitemap_files('SELECT loc, public.sitemap_news(''n'', ''en'', ''2026'', ''t'') AS extensions FROM page ORDER BY id',
                             'http://a/', split => 'stable', index => 'never')) f;
