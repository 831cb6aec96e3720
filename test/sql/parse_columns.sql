--
-- sitemap_columns: the extension elements of a document as values, and the faults that the
-- audit finds in them.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql
-- A server without libxml has no such values: parse_columns_1.out is what it says.
\if :has_libxml
\else
\quit
\endif

CREATE FUNCTION pg_temp.entries(elements text)
RETURNS TABLE (loc text, images jsonb, videos jsonb, news jsonb, alternates jsonb, extensions xml[])
LANGUAGE sql AS $$
  SELECT e.loc, c.*
    FROM public.sitemap_parse('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" '
                              'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:m="http://www.google.com/schemas/sitemap-mobile/1.0">'
                              '<url><loc>https://www.example.com/1</loc>' || elements || '</url></urlset>') e,
         public.sitemap_columns(e.extensions) c
$$;
SELECT * FROM sitemap_columns(NULL);
SELECT * FROM sitemap_columns('{}');
SELECT * FROM pg_temp.entries('<m:mobile/><xhtml:link rel="alternate" media="only screen and (max-width: 640px)" href="https://m.example.com/1"/>');
SELECT pg_temp.error($$SELECT sitemap_columns(ARRAY['text'::xml])$$);

-- Every key, and back again.
CREATE TEMP TABLE page AS
SELECT 'https://www.example.com/1' AS loc,
       '[{"loc": "https://a.example/?a&b", "caption": "c", "geo_location": "g", "title": "<t>", "license": "https://a.example/l"}, {"loc": "https://a.example/2"}]'::jsonb AS images,
       '[{"thumbnail_loc": "https://a.example/t", "title": "t", "description": "d", "content_loc": "https://a.example/c", "player_loc": "https://a.example/p", "player_loc_allow_embed": "yes", "player_loc_autoplay": "ap=1",
          "duration": 60, "expiration_date": "2030-01-02", "rating": 4.5, "content_segment_loc": ["https://a.example/s1", "https://a.example/s2"], "content_segment_loc_duration": [null, 9],
          "view_count": 10, "publication_date": "2026-01-02T03:04:05Z", "tag": ["a", "b"], "category": "c", "family_friendly": "no", "restriction": "DE AT", "restriction_relationship": "allow",
          "gallery_loc": "https://a.example/g", "gallery_loc_title": "g", "price": [1, 2.5], "price_currency": ["EUR", "USD"], "price_type": ["rent", null], "price_resolution": [null, "HD"],
          "requires_subscription": "yes", "uploader": "u", "uploader_info": "https://www.example.com/u", "platform": "web tv", "platform_relationship": "deny", "live": "no", "id": "1", "id_type": "url"},
         {"thumbnail_loc": "https://a.example/t", "title": "2", "description": "d", "content_loc": "https://a.example/c"}]'::jsonb AS videos,
       '{"publication_name": "n", "publication_language": "en", "access": "Subscription", "genres": "Blog, OpEd", "publication_date": "2026-01-02", "title": "t", "keywords": "k", "stock_tickers": "NASDAQ:A"}'::jsonb AS news,
       '{"de": "https://a.example/de", "en-GB": "https://a.example/?a&b"}'::jsonb AS alternates;
CREATE TEMP TABLE document AS SELECT content FROM sitemap_files('TABLE pg_temp.page', 'https://www.example.com/');
SELECT c.* FROM document, sitemap_parse(content) e, sitemap_columns(e.extensions) c;
CREATE TEMP TABLE again AS SELECT e.loc, c.* FROM document, sitemap_parse(content) e, sitemap_columns(e.extensions) c;
SELECT f.content = d.content AS same FROM document d, sitemap_files('TABLE pg_temp.again', 'https://www.example.com/') f;

-- Faults that a reader of the document sees.
CREATE FUNCTION pg_temp.audited(elements text) RETURNS TABLE (problem text, detail text) LANGUAGE sql AS $$
  SELECT problem, detail
    FROM public.sitemap_audit(format('SELECT * FROM pg_temp.entries(%L)', elements), 'https://www.example.com/',
                              agents => '{Googlebot}', robots => E'User-agent: *\nDisallow: /private\nSitemap: https://www.example.com/sitemap.xml')
$$;
\set video '<video:thumbnail_loc>https://a.example/t</video:thumbnail_loc><video:title>t</video:title><video:description>d</video:description><video:content_loc>https://a.example/c</video:content_loc>'
\set news '<news:publication><news:name>n</news:name><news:language>en</news:language></news:publication><news:publication_date>2026-01-02</news:publication_date><news:title>t</news:title>'
SELECT n, coalesce(problem, 'NOTHING') AS problem, detail
  FROM (VALUES
    ('01 image without loc', '<image:image><image:title>t</image:title></image:image>'),
    ('02 image outside of an image', '<image:loc>https://a.example/i</image:loc>'),
    ('03 relative scheme', '<image:image><image:loc>ftp://a.example/i</image:loc></image:image>'),
    ('04 misspelled tag', '<image:image><image:loc>https://a.example/i</image:loc><image:titel>t</image:titel></image:image>'),
    ('05 placeholder', '<image:image><image:loc>https://a.example/{{ image }}</image:loc></image:image>'),
    ('06 forbidden image', '<image:image><image:loc>https://www.example.com/private/i</image:loc></image:image>'),
    ('07 two locs', '<image:image><image:loc>https://a.example/i</image:loc><image:loc>https://a.example/j</image:loc></image:image>'),
    ('08 video without thumbnail', '<video:video><video:title>t</video:title><video:description>d</video:description><video:content_loc>https://a.example/c</video:content_loc></video:video>'),
    ('09 video without content', '<video:video><video:thumbnail_loc>https://a.example/t</video:thumbnail_loc><video:title>t</video:title><video:description>d</video:description></video:video>'),
    ('10 empty video', '<video:video/>'),
    ('11 duration', '<video:video>' || :'video' || '<video:duration>PT1M</video:duration></video:video>'),
    ('12 rating', '<video:video>' || :'video' || '<video:rating>9</video:rating></video:video>'),
    ('13 expired', '<video:video>' || :'video' || '<video:expiration_date>2020-01-02</video:expiration_date></video:video>'),
    ('14 two titles', '<video:video>' || :'video' || '<video:title>u</video:title></video:video>'),
    ('15 price without currency', '<video:video>' || :'video' || '<video:price>1</video:price></video:video>'),
    ('16 news without publication', '<news:news><news:publication_date>2026-01-02</news:publication_date><news:title>t</news:title></news:news>'),
    ('17 language of news', replace('<news:news>' || :'news' || '</news:news>', '>en<', '>english<')),
    ('18 old news', '<news:news>' || :'news' || '</news:news>'),
    ('19 two news', '<news:news>' || :'news' || '</news:news><news:news>' || :'news' || '</news:news>'),
    ('20 hreflang', '<xhtml:link rel="alternate" hreflang="en_US" href="https://www.example.com/1"/>'),
    ('21 hreflang twice', '<xhtml:link rel="alternate" hreflang="de" href="https://www.example.com/1"/><xhtml:link rel="alternate" hreflang="de" href="https://www.example.com/2"/>'),
    ('22 lacks itself', '<xhtml:link rel="alternate" hreflang="de" href="https://www.example.com/2"/>'),
    ('23 link without href', '<xhtml:link rel="alternate" hreflang="de"/>'),
    ('24 one page in two languages', '<xhtml:link rel="alternate" hreflang="de" href="https://www.example.com/1"/><xhtml:link rel="alternate" hreflang="en" href="https://www.example.com/1"/>'),
    ('25 namespace', '<i:image xmlns:i="http://www.google.com/schemas/sitemap-image/1.0"><i:loc>https://a.example/i</i:loc></i:image>')) v (n, elements)
       LEFT JOIN LATERAL pg_temp.audited(elements) a ON true
 ORDER BY 1, 2, 3;

-- Locs without a scheme.
SET client_min_messages = notice;
CREATE TABLE pg_temp.old_site AS
SELECT * FROM sitemap_parse('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/paris/</loc></url><url><loc>https://www.example.com/</loc></url><url><loc>abc</loc></url></urlset>');
SELECT loc FROM sitemap_parse('<sitemapindex><sitemap><loc> //www.example.com/a.xml </loc></sitemap></sitemapindex>'::bytea);

-- Elements that search engines do not know, or know in another namespace.
SELECT * FROM sitemap_parse('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://www.example.com/1</loc><lastMod>2026-01-01</lastMod><video><title>T</title></video></url></urlset>');
SELECT count(*) FROM sitemap_parse('<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9" xmlns:x="http://www.w3.org/TR/xhtml11/xhtml11_schema.html" xmlns:m="http://www.google.com/schemas/sitemap-mobile/1.0"><url>
  <loc>https://www.example.com/1</loc><x:link rel="alternate" hreflang="de" href="https://www.example.com/de"/><x:link href="/a"/><m:mobile/></url></urlset>');
