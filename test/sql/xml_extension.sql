--
-- Ready-made XML among the extensions.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- A server without libxml has none: xml_extension_1.out is what it says.
\if :has_libxml
\else
\quit
\endif

-- What becomes of it in <url>, and how it is refused there.
CREATE FUNCTION pg_temp.extend(x xml) RETURNS text LANGUAGE sql AS $$
  SELECT regexp_replace(sitemap_url('http://a/', extensions => ARRAY[x])::text,
                        '^<url><loc>http://a/</loc>|</url>$', '', 'g')
$$;
CREATE FUNCTION pg_temp.not_extended(x text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.error(format('SELECT sitemap_url(%L, extensions => ARRAY[%L]::xml[])', 'http://a/', x))
$$;

-- Elements with namespaces of their own go in untouched: mobile, PageMap, ResourceSync.
SELECT pg_temp.extend(
  xmlelement(name "mobile:mobile",
             xmlattributes('http://www.google.com/schemas/sitemap-mobile/1.0' AS "xmlns:mobile")));
SELECT pg_temp.extend(
  '<PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0">'
  '<DataObject type="document" id="hibachi">'
  '<Attribute name="name">Dragon &amp; &#x201C;Co&#x201D;</Attribute>'
  '</DataObject>'
  '</PageMap>');
SELECT pg_temp.extend(
  '<rs:md xmlns:rs="http://www.openarchives.org/rs/terms/"'
  ' hash="md5:1584abdf8ebdc9802ac0c6a7402c03b6" length=''8876'' type="text/html"/>'
  '<rs:ln xmlns:rs="http://www.openarchives.org/rs/terms/" rel="duplicate" href="http://b/"/>');
SELECT pg_temp.extend('<a xmlns="urn:a"><b><![CDATA[<&>]]></b><!-- c --><?pi d?></a>'),
       pg_temp.extend('<a xmlns="urn:a" b=">" c="''"/>');
SELECT pg_temp.extend('<a:b xmlns:a="urn:a" a:xmlns="c:\d"/>');
SELECT pg_temp.extend('<ü:ü xmlns:ü="urn:ü" ü="ü">ü</ü:ü>');

-- The prefixes of the document itself need no declaration.
SELECT pg_temp.extend('<image:image><image:loc>http://i/</image:loc></image:image>'),
       pg_temp.extend('<i:image xmlns:i="http://www.google.com/schemas/sitemap-image/1.1">'
                      '<i:loc>http://i/</i:loc></i:image>');

-- One that declares such a prefix itself leaves that to the document, but no other declaration.
SELECT sitemap_agg(sitemap_url('http://a/', extensions => ARRAY[
         xmlelement(name "image:image",
                    xmlattributes('http://www.google.com/schemas/sitemap-image/1.1' AS "xmlns:image"),
                    xmlelement(name "image:loc", 'http://i'))]));
SELECT pg_temp.extend(E'<image:image a="\\"\n xmlns:image=\'http://www.google.com/schemas/sitemap-image/1.1\'\n'
                      ' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"/><image:image b="c"/>'),
       pg_temp.extend('<a:a xmlns:a="urn:a" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" >'
                      '<image:image xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"/></a:a>'),
       pg_temp.extend('<image:image xmlns:image="urn:i" image="http://www.google.com/schemas/sitemap-image/1.1"/>');

-- Nothing is fine too.
SELECT pg_temp.extend(''),
       btrim(pg_temp.extend('  ')),
       pg_temp.extend('<!-- only a comment -->'),
       pg_temp.extend(NULL);

-- It comes out on one line.
SELECT pg_temp.extend(E'<a:a xmlns:a="urn:a"\n\tb="x\ty\nz">\n\tc\\d\r\n</a:a>'::xml),
       pg_temp.extend(E'<a:a xmlns:a="urn:a"><![CDATA[<\n&]]><!-- x\ny --></a:a>'::xml);

-- Comments and CDATA sections that go leave no "]]>" behind, which text cannot have.
SELECT pg_temp.extend('<a xmlns="urn:a"><![CDATA[\]]]]>></a>'),
       pg_temp.extend('<a xmlns="urn:a">]]<!-- \ -->></a>'),
       pg_temp.extend(E'<a xmlns="urn:a">]<?p \n?>]></a>'),
       pg_temp.extend(E'<a xmlns="urn:a"><![CDATA[a\n]]]>]></a>');

-- Nothing in an entry looks like its end.
SELECT pg_temp.extend('<a xmlns="urn:a"><url>b</url><url/><x:url xmlns:x="urn:x"></x:url></a>'),
       pg_temp.extend('<a xmlns="urn:a"><!-- <url></url> --><?p </url>?><![CDATA[</url>]]></a>'),
       pg_temp.extend('<url xmlns="urn:a"></url>');

-- Blanks between elements are dropped, those inside of them stay.
SELECT pg_temp.extend(E' <a xmlns="urn:a"> </a> \n <b xmlns="urn:b"/> ');

-- What would make the file unreadable, or say something else, is refused.
SELECT pg_temp.not_extended('<mobile:mobile/>');
SELECT x, pg_temp.brief(format('SELECT sitemap_url(%L, extensions => ARRAY[%L]::xml[])', 'http://a/', x))
  FROM (VALUES
    ('<a:a/>'),
    ('<image:image x:y="z"/>'),
    ('<a xmlns="urn:a"><b:b/></a>'),
    ('<a/>'),
    ('<a xmlns=""/>'),
    ('<a:a xmlns:a="urn:a"><b/></a:a>'),
    ('<a xmlns="urn:a"><b xmlns=""/></a>'),
    ('<loc>http://b/</loc>'),
    ('<lastmod>2026</lastmod>'),
    ('<url xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>'),
    ('<s:priority xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9">1</s:priority>'),
    ('<s:priority xmlns:s="http://www.google.com/schemas/sitemap/0.84">1</s:priority>'),
    ('text'),
    ('<a xmlns="urn:a"/>text'),
    ('<![CDATA[x]]>'),
    ('&amp;')
  ) v (x);

-- xmlelement passes on characters that XML cannot have.
SELECT pg_temp.error($$
  SELECT sitemap_url('http://a/', extensions => ARRAY[
           xmlelement(name "a:a", xmlattributes('urn:a' AS "xmlns:a"), E'x\u0001y')])
$$);
SELECT pg_temp.error($$
  SELECT sitemap_url('http://a/', extensions => ARRAY[
           xmlelement(name "a:a", xmlattributes('urn:a' AS "xmlns:a"), E'x\uFFFEy')])
$$);
-- From 2.15 on, libxml2 writes U+FFFD in its place.
CREATE TEMP TABLE control AS
SELECT xmlelement(name "a:a", xmlattributes('urn:a' AS "xmlns:a", E'\u0008' AS b)) AS x;
SELECT x::text LIKE '%b="&#xFFFD;"%' OR
       pg_temp.error('SELECT sitemap_url(''http://a/'', extensions => ARRAY[x]) FROM pg_temp.control') LIKE
       '2200N invalid extension: character that XML does not allow%'
  FROM control;

-- A DOCTYPE needs xmloption DOCUMENT; the entities that it defines are not there in a sitemap.
SET xmloption = document;
SELECT pg_temp.error($$
  SELECT sitemap_url('http://a/', extensions => ARRAY[
           '<!DOCTYPE a [<!ENTITY b "c">]><a xmlns="urn:a">&b;</a>'::xml])
$$);
RESET xmloption;

-- Valid references.  test/unit/test_xmlreader.c has all of them, and invalid ones.
SELECT e, pg_temp.extend(format('<a:a xmlns:a="urn:a">%s</a:a>', e)::xml) FROM unnest('{&lt;,&#9;,&#x10FFFF;,&apos;}'::text[]) e;

-- Elements like ours are not checked as ours are.
SELECT pg_temp.not_extended('<image:image>&lt;<image:loc>x</image:loc></image:image><video:video/>')
       LIKE 'no error%';

-- Their values are not read: the same language twice, a video that is its own page, and the
-- uploader of another site, which the columns refuse.
SELECT pg_temp.not_extended(x) LIKE 'no error%'
  FROM (VALUES
    ('<xhtml:link rel="alternate" hreflang="de" href="http://a/1"/><xhtml:link rel="alternate" hreflang="DE" href="http://a/2"/>'),
    ('<video:video><video:content_loc>http://a/</video:content_loc></video:video>'),
    ('<video:video><video:uploader info="http://b/">U</video:uploader></video:video>')
  ) v (x);

-- But they are counted: one news element, and 1,000 images, whatever their prefix.
SELECT pg_temp.brief(format('SELECT sitemap_url(%L, extensions => ARRAY[%L::xml])', 'http://a/',
                            '<news:news/><n:news xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"/>'));
SELECT n, left(pg_temp.brief(format('SELECT sitemap_url(%L, extensions => ARRAY[repeat(%L, %s)::xml])', 'http://a/',
                                    '<i:image xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"/>', n)), 80)
  FROM unnest('{1000,1001}'::int[]) n;
-- One that is left out counts for nothing.
SELECT pg_temp.text(content) LIKE '%>' || repeat('<image:image/>', 1000) || '<news:news/></url>%'
  FROM sitemap_files($$ SELECT '/' AS loc, ARRAY['<news:news/><image:image/><a/>', repeat('<image:image/>', 1000) || '<news:news/>']::xml[] AS extensions $$,
                     'http://a/', on_invalid => 'skip');

-- In files it stands beside elements of ours.
CREATE TEMP TABLE page AS
SELECT '/' AS loc,
       ARRAY['<m:mobile xmlns:m="http://www.google.com/schemas/sitemap-mobile/1.0"/>'::xml,
             sitemap_image('http://i/ü', 'Ü')] AS extensions;
SELECT pg_temp.text(content) FROM sitemap_files('TABLE page', 'http://a/');

-- An element that is not valid is left out by on_invalid => 'skip', the row stays.
SET client_min_messages = notice;
SELECT pg_temp.text(content)
  FROM sitemap_files($$ SELECT '/' AS loc, ARRAY['<a/>', sitemap_image('http://i')]::xml[] AS extensions $$,
                     'http://a/', on_invalid => 'skip');

-- sitemap_audit has each one that is not valid, and says once what it does not read.
SET client_min_messages = warning;
SELECT row_number, loc, problem, detail
  FROM sitemap_audit($$
         SELECT *
           FROM (VALUES
             ('/1', ARRAY['<a/>', '<b:b/>', 'text', '<news:news><news:publication_date>2020</news:publication_date></news:news>']::xml[]),
             ('ftp:/2', ARRAY['<a/>']::xml[]),
             ('/3', ARRAY['<xhtml:link hreflang="de" href="http://a.example/1"/>']::xml[])) v (loc, extensions)
       $$, 'http://a.example/');
SELECT count(*)
  FROM sitemap_audit($$ SELECT '/' AS loc, '<m:mobile xmlns:m="http://www.google.com/schemas/sitemap-mobile/1.0"/>'::xml AS extensions $$, 'http://a.example/');

-- An element in another namespace than its own, by its name and attribute; once for a cause.
SELECT row_number, problem, detail
  FROM sitemap_audit($$
         SELECT '/' || n AS loc, format('<x:%s xmlns:x="%s"/>', element, uri)::xml AS extensions
           FROM (VALUES (1, 'link hreflang="de" href="/de"', 'http://www.w3.org/TR/xhtml11/xhtml11_schema.html'), (2, 'link hreflang="de"', 'http://www.w3.org/1999/xlink'),
                        (3, 'link', 'http://www.w3.org/2005/Atom'), (4, 'link hreflang="de" rel="alternate" href="/de"', 'http://www.w3.org/1999/xhtml'),
                        (5, 'image', 'http://www.google.com/schemas/sitemap-image/1.0'), (6, 'image', 'http://www.google.com/schemas/sitemap-image/1.1'),
                        (7, 'video', 'http://www.google.com/schemas/sitemap-image/1.1'), (8, 'news', 'urn:a'), (9, 'newspaper', 'urn:a'),
                        (10, 'mobile', 'http://www.google.com/schemas/sitemap-mobile/1.0'), (11, 'image', 'urn:b')) v (n, element, uri)
          ORDER BY n$$, 'http://a.example/');

-- What a comment separates stays well-formed without it; a namespace whose name is written in another way is refused.
SELECT sitemap_url('http://a/', NULL::timestamptz, NULL, NULL, ARRAY['<x:a xmlns:x="urn:x">]]<!-- c -->>d</x:a>'::xml]);
SELECT sitemap_url('http://a/', NULL::timestamptz, NULL, NULL, ARRAY[E'<x:a xmlns:x="urn:a\\b"/>'::xml]);
