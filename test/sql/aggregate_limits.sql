--
-- What the aggregates refuse: rows that are not valid, and documents too large.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- An error says which row it is.
SELECT pg_temp.error($$
  SELECT sitemap_agg(loc) FROM (VALUES ('http://a/'), (NULL), ('/b')) v (loc)
$$);
SELECT pg_temp.error($$
  SELECT sitemap_index_agg(loc) FROM (VALUES ('http://a/'), ('ftp://a/')) v (loc)
$$);
SELECT pg_temp.error($$
  SELECT sitemap_text_agg(loc) FROM (VALUES ('http://a/'), ('')) v (loc)
$$);

-- A document has up to 50,000 entries.
SELECT length(sitemap_agg('http://a/')),
       length(sitemap_index_agg('http://a/')),
       length(sitemap_text_agg('http://a/'))
  FROM generate_series(1, 50000);
SELECT pg_temp.error($$ SELECT sitemap_agg('http://a/') FROM generate_series(1, 50001) $$);
SELECT pg_temp.error($$ SELECT sitemap_index_agg('http://a/') FROM generate_series(1, 50001) $$);
SELECT pg_temp.error($$ SELECT sitemap_text_agg('http://a/') FROM generate_series(1, 50001) $$);

-- Up to 1,000 of them have news.
SELECT length(sitemap_agg(sitemap_url('http://a/',
                                      extensions => ARRAY[sitemap_news('n', 'en', '2026', 't')]))) > 0
  FROM generate_series(1, 1000);
SELECT pg_temp.error($$
  SELECT sitemap_agg(sitemap_url('http://a/',
                                 extensions => ARRAY[sitemap_news('n', 'en', '2026', 't')]))
    FROM generate_series(1, 1001)
$$);
SELECT length(sitemap_agg(sitemap_url('http://a/',
                                      extensions => CASE WHEN n > 1000
                                                         THEN ARRAY[sitemap_news('n', 'en', '2026', 't')]
                                                    END))) > 0
  FROM generate_series(1, 2000) n;

-- And up to 52,428,800 bytes, with header and footer: the first of two statements is exactly that.
SELECT octet_length(sitemap_text_agg(
         'http://a/' || repeat('x', CASE WHEN n <= 28800 THEN 1039 ELSE 1038 END)))
  FROM generate_series(1, 50000) n;
SELECT pg_temp.error($$
  SELECT sitemap_text_agg('http://a/' || repeat('x', CASE WHEN n <= 28801 THEN 1039 ELSE 1038 END))
    FROM generate_series(1, 50000) n
$$);
SELECT octet_length(sitemap_agg(
         'http://a/' || repeat('x', CASE WHEN n <= 28693 THEN 1018 ELSE 1017 END)))
  FROM generate_series(1, 50000) n;
SELECT pg_temp.error($$
  SELECT sitemap_agg('http://a/' || repeat('x', CASE WHEN n <= 28694 THEN 1018 ELSE 1017 END))
    FROM generate_series(1, 50000) n
$$);
SELECT pg_temp.error($$
  SELECT sitemap_index_agg('http://a/' || repeat('x', 1018)) FROM generate_series(1, 50000) n
$$);

-- One entry that fits into no document is not valid, and named.
SELECT pg_temp.error($$
  SELECT sitemap_agg(sitemap_url('http://a/' || n, extensions => ARRAY[image]))
    FROM (VALUES (1, NULL), (2, sitemap_image('http://i/', repeat('x', 52428700)))) v (n, image)
$$);
