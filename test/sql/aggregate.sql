--
-- The aggregates: rows in, one document out.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TEMP TABLE page (id int, loc text, ts timestamp, tstz timestamptz, d date, t text, freq text, priority float8);
INSERT INTO page VALUES
  (1, 'http://www.example.com/',
   '2026-01-02 03:04:05.6', '2026-01-02 03:04:05.6+00', '2026-01-02', '2026-01',
   'daily', 1),
  (2, NULL,
   'infinity', 'infinity', 'infinity', 'nonsense',
   'nonsense', 7),
  (3, 'http://www.example.com/?a=1&b=2',
   NULL, NULL, NULL, NULL,
   NULL, NULL),
  (4, ' http://www.example.com/ümlaut ',
   '1999-12-31 23:59:59', '1999-12-31 23:59:59+00', '1999-12-31', '1999-12-31T23:59:59+05:45',
   ' Never', 0.25);

-- Each overload; a row whose loc is NULL is left out, whatever else it has.
SELECT sitemap_agg(loc ORDER BY id) FROM page;
SELECT sitemap_agg(loc, tstz ORDER BY id), sitemap_agg(loc, tstz ORDER BY id) = sitemap_agg(loc, ts ORDER BY id) FROM page;
SELECT sitemap_agg(loc, d ORDER BY id) FROM page;
SELECT sitemap_agg(loc, t ORDER BY id) FROM page;
SELECT sitemap_agg(loc, tstz, freq, priority ORDER BY id),
       sitemap_agg(loc, tstz, freq, priority ORDER BY id) = sitemap_agg(loc, ts, freq, priority ORDER BY id)
  FROM page;
SELECT sitemap_agg(loc, d, freq, priority ORDER BY id) FROM page;
SELECT sitemap_agg(loc, t, freq, priority ORDER BY id) FROM page;

-- The same document comes from <url> elements.
SELECT sitemap_agg(loc, tstz, freq, priority ORDER BY id)
       = sitemap_agg(sitemap_url(loc, tstz, freq, priority) ORDER BY id)
  FROM page WHERE id <> 2;
SELECT sitemap_agg(CASE WHEN id <> 2 THEN sitemap_url(loc, d, freq, priority) END ORDER BY id)
       = sitemap_agg(loc, d, freq, priority ORDER BY id)
  FROM page;

-- Indexes and text sitemaps.
SELECT sitemap_index_agg(loc ORDER BY id) FROM page;
SELECT sitemap_index_agg(loc, tstz ORDER BY id) FROM page;
SELECT sitemap_index_agg(loc, tstz ORDER BY id) = sitemap_index_agg(loc, ts ORDER BY id) FROM page;
SELECT sitemap_index_agg(loc, d ORDER BY id) FROM page;
SELECT sitemap_index_agg(loc, t ORDER BY id) FROM page;
SELECT sitemap_text_agg(loc ORDER BY id) FROM page;

-- A literal for lastmod is a W3C datetime.
SELECT sitemap_agg(loc, '2026') FROM page WHERE id = 1;

-- NULL comes of nothing: of no rows, of NULLs only, of a filter that leaves none.
SELECT sitemap_agg(loc), sitemap_agg(loc, tstz), sitemap_agg(loc, d, freq, priority),
       sitemap_index_agg(loc), sitemap_text_agg(loc)
  FROM page WHERE false;
SELECT sitemap_agg(loc), sitemap_agg(loc, t), sitemap_agg(loc, t, freq, priority),
       sitemap_agg(NULL::xml), sitemap_index_agg(loc, t), sitemap_text_agg(loc)
  FROM page WHERE id = 2;
SELECT sitemap_agg(loc) FILTER (WHERE id > 4) FROM page;

-- They are used as any aggregate: with FILTER, DISTINCT, GROUP BY, ROLLUP.
SELECT sitemap_text_agg(loc ORDER BY id DESC) FILTER (WHERE id > 1) FROM page;
SELECT sitemap_text_agg(DISTINCT loc ORDER BY loc)
  FROM (SELECT loc FROM page UNION ALL SELECT loc FROM page) s;
SELECT id % 2, sitemap_text_agg(loc ORDER BY id)
  FROM page
 GROUP BY id % 2
 ORDER BY 1;
SELECT id % 2, id, sitemap_text_agg(loc ORDER BY id)
  FROM page
 WHERE id <> 2
 GROUP BY ROLLUP (id % 2, id)
 ORDER BY 1, 2;

-- And as window functions, which ask for a result after each row.
SELECT id, replace(sitemap_text_agg(loc) OVER (ORDER BY id), E'\n', ' ')
  FROM page
 ORDER BY id;
SELECT id, replace(sitemap_text_agg(loc) OVER last_two, E'\n', ' ')
  FROM page
WINDOW last_two AS (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
 ORDER BY id;
SELECT n, length(sitemap_agg('http://a/' || n, date '2026-01-02', 'daily', 0.5) OVER (ORDER BY n))
  FROM generate_series(1, 5) n;

-- A frame that grows has the document of its rows each time, whatever namespaces they add.
WITH page (n, url) AS (
	SELECT n, sitemap_url('http://a/' || n, extensions => CASE n % 4
	           WHEN 1 THEN ARRAY[sitemap_image('http://a/image')]
	           WHEN 2 THEN ARRAY[sitemap_alternate('en', 'http://a/en')]
	           WHEN 3 THEN ARRAY[sitemap_news('A', 'en', date '2026-01-02', 'B')] END)
	  FROM generate_series(0, 7) n
)
SELECT orders, count(*), bool_and(framed = (SELECT sitemap_agg(url ORDER BY p.n * sign) FROM page p WHERE p.n * sign <= f.n * sign))
  FROM (SELECT 'ascending' AS orders, 1 AS sign, n, sitemap_agg(url) OVER (ORDER BY n) AS framed FROM page
         UNION ALL
        SELECT 'descending', -1, n, sitemap_agg(url) OVER (ORDER BY n DESC) FROM page) f
 GROUP BY orders ORDER BY orders;

-- And in a subquery that runs several times.
SELECT id, a.doc IS NULL
  FROM page,
       LATERAL (SELECT sitemap_agg(p.loc) AS doc FROM page p WHERE p.id = page.id) a
 ORDER BY id;

-- A document is one line, without a character that COPY would escape.
SELECT doc !~ E'[\n\r\t\\\\]'
  FROM (SELECT sitemap_agg(sitemap_url('http://a/' || chr(n),
                                       extensions => ARRAY[sitemap_image('http://i', chr(n))])) AS doc
          FROM generate_series(1, 255) n) s;

-- It declares only the namespaces that it uses, always in the same order.
SELECT n, substring(sitemap_agg(sitemap_url('http://a/', extensions => e)) FROM '<urlset.*?>')
  FROM (VALUES
    (1, NULL::xml[]),
    (2, '{}'),
    (3, ARRAY[NULL::xml]),
    (4, ARRAY[sitemap_image('http://i')]),
    (5, ARRAY[sitemap_video('http://t', 't', 'd', 'http://c')]),
    (6, ARRAY[sitemap_news('n', 'en', '2026', 't')]),
    (7, sitemap_alternates('{"de": "http://a/"}')),
    (8, sitemap_alternates('{"de": "http://a/"}')
        || sitemap_news('n', 'en', '2026', 't')
        || sitemap_video('http://t', 't', 'd', 'http://c')
        || sitemap_image('http://i'))
  ) v (n, e)
 GROUP BY n
 ORDER BY n;
SELECT sitemap_agg(sitemap_url('http://a/' || n,
                               extensions => CASE n WHEN 2 THEN ARRAY[sitemap_image('http://i')]
                                                    WHEN 3 THEN sitemap_alternates('{"de": "http://a/"}')
                                             END)
                   ORDER BY n)
  FROM generate_series(1, 3) n;
