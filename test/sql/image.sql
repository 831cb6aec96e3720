--
-- sitemap_image.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- URLs are encoded, texts are escaped.
SELECT sitemap_image('http://cdn.example.net/ü b.jpg?x=1&y=''2''');
SELECT sitemap_image(' http://i/ ', 'A "caption" & more', 'Limerick, Ireland', '<title>',
                     'https://license.example.com/ü');

-- What is blank is left out; blanks around a text stay.
SELECT sitemap_image('http://i/', '', ' ', E'\t', NULL);
SELECT sitemap_image('http://i/', '  blanks stay  ');

-- So is a text of nothing but characters that XML cannot carry.
SELECT sitemap_image('http://i/', E'\u0001', E' \u000B ', E'\uFFFE\uFFFF');

-- No image without loc; errors.
SELECT sitemap_image(NULL), sitemap_image(NULL, 'caption');

-- A caption of white space and of characters that XML does not allow is blank.
SELECT sitemap_image('http://i/', E'\x01\u00A0\x01\u2003');
SELECT pg_temp.error($$ SELECT sitemap_image('') $$),
       pg_temp.error($$ SELECT sitemap_image('/i.png') $$),
       pg_temp.error($$ SELECT sitemap_image('ftp://i/') $$);
SELECT pg_temp.error($$ SELECT sitemap_image('http://i/', license => 'Creative Commons') $$);

-- A page has up to 1,000 images, as xml_extension.sql shows.
CREATE FUNCTION pg_temp.images(n int) RETURNS xml[] LANGUAGE sql AS $$
  SELECT array_agg(sitemap_image('http://i/' || i)) FROM generate_series(1, n) i
$$;

-- A document can have more.
SELECT pg_temp.brief($$
  SELECT sitemap_agg(sitemap_url('http://a/' || p, extensions => pg_temp.images(600)))
    FROM generate_series(1, 2) p
$$) LIKE 'no error%';

-- on_invalid => 'skip' leaves out the images past it.
SET client_min_messages = notice;
SELECT (length(document) - length(replace(document, '<image:image>', ''))) / length('<image:image>')
  FROM sitemap_files('SELECT ''/'' AS loc, pg_temp.images(1003) AS extensions', 'http://a/',
                     on_invalid => 'skip') f,
       pg_temp.text(content) document;

-- No value is longer than a sitemap.
SELECT n, left(pg_temp.error(format('SELECT sitemap_image(''http://a/'', repeat(''x'', %s))', n)), 70) FROM unnest(ARRAY[52428800, 52428801]) n;
