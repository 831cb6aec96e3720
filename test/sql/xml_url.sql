--
-- <url> elements that are not from sitemap_url.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- A server without libxml has no such values: xml_url_1.out is what it says.
\if :has_libxml
\else
\quit
\endif

-- They are read, and written anew: other order, comments, CDATA, blanks.
SELECT sitemap_agg('
  <url xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    <!-- x -->
    <priority>0.50</priority>
    <loc>http://a/?x=1&amp;y=<![CDATA[<b>&]]>&#10;</loc>
    <lastmod> 2026 </lastmod>
    <changefreq> DAILY</changefreq>
  </url>'::xml);

-- What is blank is left out; a decimal may be long.
SELECT sitemap_agg('
  <url>
    <loc>http://a/</loc>
    <lastmod> </lastmod>
    <changefreq/>
    <priority> </priority>
  </url>'::xml);
SELECT sitemap_agg(format('<url><loc>http://a/</loc><priority>0.5%s</priority></url>',
                          repeat('0', 100))::xml);

-- Anything else than one <url> element, with the children that it can have, is refused.
SELECT pg_temp.brief(format('SELECT sitemap_agg(%L::xml)', url)), url
  FROM (VALUES
    (''),
    ('text'),
    ('<url/>'),
    ('<url></url>'),
    ('<url><loc/></url>'),
    ('<url><loc>/a</loc></url>'),
    ('<urlset><url><loc>http://a/</loc></url></urlset>'),
    ('<url><loc>http://a/</loc></url><url><loc>http://b/</loc></url>'),
    ('<url><loc>http://a/</loc></url>text'),
    ('<url>text<loc>http://a/</loc></url>'),
    ('<url><loc>http://a/</loc><loc>http://b/</loc></url>'),
    ('<url><loc>http://a/</loc><priority>1e0</priority></url>'),
    ('<url><loc>http://a/</loc><priority>2</priority></url>'),
    ('<url><loc>http://a/</loc><priority>inf</priority></url>'),
    ('<url><loc>http://a/</loc><lastmod>yesterday</lastmod></url>'),
    ('<url><loc>http://a/</loc><title>x</title></url>'),
    ('<url><loc>http://a/<b/></loc></url>'),
    ('<url xmlns="http://example.com/"><loc>http://a/</loc></url>'),
    ('<url id="1"><loc>http://a/</loc></url>'),
    ('<sitemap><loc>http://a/</loc></sitemap>')
  ) v (url);

-- In sitemap_files a row has such a value in the column url; on_invalid holds for it.
SET client_min_messages = notice;
SELECT pg_temp.text(content)
  FROM sitemap_files($$
         SELECT url
           FROM (VALUES (NULL::xml),
                        ('<url><loc>/1</loc><priority>x</priority></url>'),
                        ('<url/>'),
                        ('<a/>'),
                        ('<url><loc>/5</loc></url>')) v (url)
       $$, 'http://a/', on_invalid => 'skip');

-- sitemap_audit goes on where others end, as far as the element can be read.
SET client_min_messages = warning;
SELECT row_number, loc, problem, detail
  FROM sitemap_audit($$
         SELECT unnest(ARRAY['<url><a/><loc>ftp:/1</loc><b><c/></b><loc>/</loc><lastmod>x</lastmod><priority>y</priority></url>',
                             '<url x="y" z=""><loc>/2</loc><changefreq>z</changefreq></url>',
                             '<url><lastmod>2999</lastmod><priority>7</priority></url>',
                             '<url><loc>/4</loc><lastmod>x</lastmod>text</url>',
                             '<url><loc>/5</loc></url>',
                             '<url><loc> /5&#35; </loc></url>']::xml[]) AS url
       $$, 'http://a.example/');

-- An error names the loc, once it was read.
SELECT pg_temp.error(format('SELECT sitemap_files(%L, ''http://a/'')', format('SELECT %L::xml AS url', url)))
  FROM unnest('{<url><loc>/1</loc><a/></url>,<url><a/><loc>/1</loc></url>,<url><loc>/1</loc><priority>x</priority></url>}'::text[]) url;
-- Comments and instructions can stand around the element.
SELECT sitemap_agg('<!-- a --> <?b c?><url><loc>http://a/</loc></url><?d e?>
<!-- f -->'::xml);
