--
-- Text in elements.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- XML is escaped; what XML cannot carry is dropped; what COPY would escape is a reference.
SELECT sitemap_image('http://i', title => t)
  FROM (VALUES
    ('<a href="x">Tom & Jerry''s</a>'),
    ('a]]>b'),
    (E'U+0001: \x01, U+000B: \x0B, U+FFFE: \uFFFE, U+FFFF: \uFFFF.'),
    (E'line\nfeed, carriage\rreturn, \ttab, back\\slash'),
    ('&amp; &#10; &nbsp;'),
    ('100% ümläut')
  ) v (t);

-- DEL, U+0085 and characters outside the BMP are as they are.
SELECT encode(convert_to(substring(image::text FROM '<image:title>(.*)</image:title>'), 'UTF8'), 'hex')
  FROM sitemap_image('http://i', title => E'\u007F\u0085\U0001F600') image;
