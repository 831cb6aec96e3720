--
-- sitemap_parse: what strangers write, with on_invalid => 'error' and 'skip'; sitemap_kind.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql
-- Most locs here have no scheme: parse_columns.sql shows the NOTICE about that.
SET client_min_messages = warning;

-- The locs of a document in both ways; notices of the second come first.
CREATE FUNCTION pg_temp.read(document bytea) RETURNS TABLE (error text, skip text[])
LANGUAGE plpgsql AS $$
BEGIN
  error := pg_temp.error(format('SELECT sitemap_parse(%L::bytea)', document));
  error := regexp_replace(error, '^no error: .*', 'no error');
  skip := ARRAY(SELECT loc FROM sitemap_parse(document, on_invalid => 'skip'));
  RETURN NEXT;
END
$$;

-- An entry that cannot be read costs itself.
SELECT * FROM pg_temp.read(E'<urlset>
<url><loc>1</loc></url>
<url><lastmod>2026</lastmod></url>
<url><loc>3</loc><loc>3</loc></url>
<url><loc> </loc></url>
<url><loc>5</loc><lastmod>a</lastmod><x/><lastmod>b</lastmod></url>
<url><loc>6</loc></url>
</urlset>'::bytea);
SELECT * FROM pg_temp.read(E'http://a/1\nnot a URL\n\n  http://a/2\r\nhttp://a/3\nwww.a/4\n'::bytea);
SELECT * FROM pg_temp.read('http://a/1'::bytea || '\x0A'::bytea || 'http://a/'::bytea || '\xE9'::bytea || '\x0A'::bytea || 'http://a/3'::bytea);

-- The warning has the first five, and counts all.
SELECT count(*) FROM sitemap_parse('<urlset>' || repeat(E'\n<url/>\n<url><loc>a</loc></url>', 1000) || '</urlset>', on_invalid => 'skip');

-- What stands before a fault of the document; and what was left out before it.
SELECT * FROM pg_temp.read(E'<urlset>\n<url><loc>1</loc></url>\n<url/>\n<url><loc>2</loc></url>\n<url><loc>3</urlset>'::bytea);
SELECT * FROM pg_temp.read(E'<urlset>\n<url><loc>1</loc></url>\n<url><loc>/?a=1&b=2</loc></url>'::bytea || convert_to(repeat(' &amp; ', 100000), 'UTF8'));
SELECT * FROM pg_temp.read('<urlset><url><loc>1</loc></url><url><image:image/></url></urlset>'::bytea);
SELECT * FROM pg_temp.read('<html><body/></html>'::bytea);

-- A prefix that nobody declared costs its element, and not the entry: of a child, deeper, of an attribute.
SELECT loc, extensions
  FROM sitemap_parse(E'<urlset xmlns:v="urn:v">
<url><loc>1</loc><image:image><image:loc>http://i/</image:loc></image:image><v:a/></url>
<url><loc>2</loc><v:a><b:b/><c:c/></v:a><v:a b:c="d"/><v:d/></url>
<url><loc>3</loc></url>
</urlset>', on_invalid => 'skip');
-- Nothing is lost with an attribute, or with an element around entries.
SELECT loc, lastmod
  FROM sitemap_parse(E'<urlset xsi:schemaLocation="http://www.sitemaps.org/schemas/sitemap/0.9 sitemap.xsd">
<x:header><x:title/></x:header>
<url a:b="c"><loc a:b="c">1</loc><lastmod>2026<a:b/></lastmod></url>
<x:list><url><loc>2</loc></url></x:list>
</urlset>', on_invalid => 'skip');
-- The root element says what its document is.
SELECT * FROM pg_temp.read('<x:urlset><url><loc>1</loc></url></x:urlset>'::bytea);
-- In each place it is an error.
SELECT pg_temp.error(format('SELECT sitemap_parse(%L)', d))
  FROM (VALUES (E'<urlset\na:b="c"/>'), (E'<urlset>\n<a:b/></urlset>'), (E'<urlset>\n<url a:b="c"><loc>1</loc></url></urlset>'),
               (E'<urlset><url>\n<loc a:b="c">1</loc></url></urlset>'), (E'<urlset><url><loc>1</loc>\n<a:b/></url></urlset>'),
               (E'<urlset><url><loc>1\n<a:b/></loc></url></urlset>'), (E'<urlset><url><loc>1</loc>\n<a:b xmlns:a="urn:a"><a:b><c:c/></a:b></a:b></url></urlset>'),
               (E'<urlset><url><loc>1</loc><x>\n<a:b/></x></url></urlset>')) v (d);

-- An ampersand that should be a reference, or is one to nothing.
SELECT a, (pg_temp.read(convert_to(format(E'<urlset>\n<url><loc>1</loc></url>\n<url>\n<loc>/?%s</loc></url></urlset>', a), 'UTF8'))).*
  FROM unnest('{a=1&b=2,&,&;,&amp,&nbsp;,&#0;,&#xD800;,&#x41}'::text[]) a;

-- Blanks before the declaration, also after a mark, in UTF-16 and in gzip.
\set document '<?xml version="1.0"?>\n<urlset><url><loc>1</loc></url></urlset>'
SELECT n, (pg_temp.read(start || convert_to(:'document', 'UTF8'))).*
  FROM (VALUES (1, '\x'::bytea), (2, '\x20'), (3, '\x0D0A0D0A'), (4, '\xEFBBBF'), (5, '\xEFBBBF0A'), (6, '\x0AEFBBBF')) v (n, start);
SELECT * FROM pg_temp.read('\xFEFF000A003C003F0078006D006C002000760065007200730069006F006E003D00270031002E00300027003F003E003C00750072006C007300650074002F003E');
SELECT * FROM pg_temp.read('\x1f8b0800000000000203e3b2b1afc8cd51284b2d2acecccfb35532d43350b2b7b3292dca294e2d01d3763639f9c9768636fa20ca461f2ca20f95070002ad99763e000000');
SELECT * FROM pg_temp.read('\x0a'::bytea || convert_to('<urlset><url><loc>no declaration</loc></url></urlset>', 'UTF8'));

-- gzip, with bytes behind its data.
CREATE TEMP TABLE gz AS
SELECT content AS c
  FROM sitemap_files($$ SELECT '/' || n AS loc FROM generate_series(1, 3) n $$, 'http://a/', compression => 6);
SELECT (pg_temp.read(c || 'x'::bytea)).* FROM gz;
SELECT (pg_temp.read(c || c)).* FROM gz;
SELECT (pg_temp.read(substr(c, 1, length(c) / 2))).error FROM gz;
-- gzip in gzip: of XML, of text, three times, with more bytes inside or outside, cut off inside.
SELECT n, (pg_temp.read(d)).*, sitemap_kind(d)
  FROM unnest(ARRAY['\x1f8b080000000000020393efe660000126e6cd9abaa734fd74376e66bc546666f9f364599bd92f85536ef23a8bf8a7b233fce3ba23a00154070094a1453130000000',
                    '\x1f8b080000000000020393efe660000126e6d31a9a9a1b2e5df7bff29c89a16251d55b2ea0280027e9509b1e000000',
                    '\x1f8b080000000000020393efe660000126e6c9ef9f253030aa3d3b3b6bd77293bf25e679697b42d2d27e7e4e899c7d53bf3538ef9355f78fe59b8cff3cdea5bc8031849d61ca42574303a04e00c561b43942000000',
                    '\x1f8b080000000000020393efe660000126e6cd9abaa734fd74376e66bc546666f9f364599bd92f85536ef23a8bf8a7b233fce3ba23a001545701007f048f7b31000000',
                    '\x1f8b080000000000020393efe660000126e6cd9abaa734fd74376e66bc546666f9f364599bd92f85536ef23a8bf8a7b233fce3ba23a00154070094a145313000000078',
                    '\x1f8b080000000000020393efe660000126e6cd9abaa734fd74376e66bc546666f9f364599bd92f85536ef23a8b00ae46b9c324000000']::bytea[]) WITH ORDINALITY v (d, n);
SELECT pg_temp.error(format('SELECT sitemap_parse(%L::bytea, 30)', '\x1f8b080000000000020393efe660000126e6cd9abaa734fd74376e66bc546666f9f364599bd92f85536ef23a8bf8a7b233fce3ba23a00154070094a1453130000000'::bytea));

-- Pages in a wrapper, or in another urlset.
SELECT * FROM pg_temp.read(E'<urlset>\n<urls>\n<url><loc>1</loc></url>\n<url><loc>2</loc></url></urls>\n<url><loc>3</loc></url></urlset>'::bytea);
SELECT * FROM pg_temp.read(E'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n<urlset>\n<url><loc>1</loc></url></urlset></urlset>'::bytea);
SELECT * FROM pg_temp.read(E'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><x:list xmlns:x="urn:x">\n<url><loc>1</loc></url></x:list></urlset>'::bytea);
SELECT * FROM pg_temp.read(E'<urlset>\n<url><loc>1</loc><url><loc>2</loc></url></url><url><loc>3</loc></url></urlset>'::bytea);
SELECT * FROM pg_temp.read(E'<urlset><Url><loc>1</loc></Url>\n<sitemap><loc>2</loc></sitemap><url><loc>3</loc></url></urlset>'::bytea);
SELECT * FROM pg_temp.read(E'<sitemapindex><sitemap><loc>1</loc></sitemap>\n<url><loc>2</loc></url></sitemapindex>'::bytea);
SELECT * FROM pg_temp.read(E'<urlset xmlns:x="urn:x">\n<url xmlns="urn:x"><loc>1</loc></url><x:url><x:loc>2</x:loc></x:url>\n<url><loc>3</loc></url></urlset>'::bytea);
SELECT * FROM pg_temp.read('<urlset><metadata><title>no page</title></metadata><url><loc>1</loc></url></urlset>'::bytea);

-- Text in UTF-16, with marks and without.
SELECT d, (pg_temp.read(d)).* FROM unnest('{"\\xFEFF0068007400740070","\\xFFFE68007400740070","\\x0068007400740070","\\x6800740074007000"}'::bytea[]) d;

-- Encodings that PostgreSQL converts, by the names that XML has for them.
SELECT name, loc
  FROM (VALUES ('ISO-8859-1', 'LATIN1', 'é'), ('iso-8859-15', 'LATIN9', '€'), ('windows-1251', 'WIN1251', 'ж'), ('Windows-1252', 'WIN1252', '€'),
               ('KOI8-R', 'KOI8R', 'ж'), ('Shift_JIS', 'SJIS', '日'), ('EUC-JP', 'EUC_JP', '日'), ('EUC-KR', 'EUC_KR', '한'), ('GBK', 'GBK', '中'),
               ('gb2312', 'EUC_CN', '中'), ('GB18030', 'GB18030', '中'), ('Big5', 'BIG5', '中'), ('us-ascii', 'UTF8', 'a'), ('UTF-8', 'UTF8', '日'),
               ('utf-16', 'UTF8', '日'), ('ks_c_5601-1987', 'UHC', '똠'), ('X-SJIS', 'SJIS', '日'),
               ('cp1251', 'WIN1251', 'ж'), ('CP1252', 'WIN1252', '€'), ('latin-1', 'LATIN1', 'é'), ('Windows-31J', 'SJIS', '日')) v (name, encoding, c),
       sitemap_parse(convert_to(format('<?xml version=''1.0'' encoding = "%s" standalone="yes" ?><urlset><url><loc>%s</loc></url></urlset>', name, c), encoding));
-- UTF-32, with marks and without.
SELECT d, (pg_temp.read(d)).* FROM unnest('{"\\x0000FEFF0000003C","\\xFFFE00003C000000","\\x0000003C00000075","\\x6800000074000000"}'::bytea[]) d;
SELECT pg_temp.error($$ SELECT sitemap_parse('\xFFFE00003C000000'::bytea) $$);
-- An HTML page.
SELECT d, pg_temp.error(format('SELECT sitemap_parse(%L)', d)), sitemap_kind(d)
  FROM unnest(ARRAY['<!DOCTYPE html>', E'\n<!doctype HTML>\n<html lang=en>', '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">',
                    '<html>', '<HTML lang=en><br>', '<html/>', '<!-- a > b --><!-- --><html><head>', '<?xml version="1.0"?><!DOCTYPE html PUBLIC "a" "b"><html xmlns="http://www.w3.org/1999/xhtml">',
                    '<htmlx/>', '<!DOCTYPE htmlx><urlset/>', '<!--']) d;
SELECT pg_temp.error(format('SELECT sitemap_parse(%L::bytea)', format('<?xml version="1.0" encoding="%s"?><urlset/>', name)))
  FROM unnest(ARRAY['UTF-7', 'macintosh', repeat('a', 64)]) name;
-- What stands before bytes that are not of the encoding.
SELECT * FROM pg_temp.read('<?xml version="1.0" encoding="EUC-JP"?>'::bytea || E'\n<urlset><url><loc>1</loc></url>\n<url><loc>'::bytea || '\xFFFF'::bytea
                           || '</loc></url></urlset>'::bytea);

-- Syndication feeds are no sitemaps.
SELECT d, (pg_temp.read(convert_to(d, 'UTF8'))).*
  FROM unnest(ARRAY['<rss version="2.0"><channel><item><link>http://a/1</link></item></channel></rss>',
                    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="http://a/1"/></entry></feed>']) d;

-- sitemap_kind.
SELECT d, sitemap_kind(d), sitemap_kind(convert_to(d, 'UTF8')) = sitemap_kind(d) AS same
  FROM unnest(ARRAY['<urlset/>', '<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9">', '<sitemapindex', '<sitemapindex>', '<rss version="2.0">',
                    '<feed xmlns="http://www.w3.org/2005/Atom"/>', E'\uFEFF\n<?xml version="1.0"?><!-- <urlset> --><?a <urlset>?>\n<sitemapindex>', 'http://a/',
                    E'\n\n  https://a/', '', ' ', 'Not Found', '{"urls": []}', '<html>', '<!DOCTYPE urlset><urlset/>', '<Urlset/>', '<x:urlset/>', '<urlset>&nbsp;',
                    'text <urlset/>', '<urlset a=1>', '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>']) d;
SELECT sitemap_kind(c), sitemap_kind(substr(c, 1, length(c) - 9)), sitemap_kind(substr(c, 1, 12)), sitemap_kind(c || 'x'::bytea) FROM gz;
SELECT kind, sitemap_kind(content)
  FROM sitemap_files($$ SELECT '/' || n AS loc FROM generate_series(1, 3) n $$, 'http://a/', max_urls => 2);
SELECT sitemap_kind('\xFFFE3C00750072006C007300650074002F003E00'::bytea), sitemap_kind('\xFEFF0068007400740070'::bytea), sitemap_kind('\x00'::bytea), sitemap_kind('\xFF'::bytea),
       sitemap_kind('<?xml version="1.0" encoding="klingon"?><urlset/>'::bytea), sitemap_kind(NULL::text), sitemap_kind(NULL::bytea);
SELECT sitemap_kind('<urlset>' || repeat(' ', 3000000)), sitemap_kind(convert_to(E'http://a/\n' || repeat('x', 3000000), 'UTF8'));
SELECT sitemap_kind('http://a/' || repeat('x', 3000000)), sitemap_kind(convert_to('http://a/' || repeat('x', 3000000), 'UTF8'));
