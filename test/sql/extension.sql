-- Ready-made XML among the extensions, and all kinds together.
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir /sql/include/helpers.sql
\i :helpers
CREATE FUNCTION pg_temp.extend(x xml) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(sitemap_url('http://a/', extensions => ARRAY[x])::text, '^<url><loc>http://a/</loc>|</url>$', '', 'g') $$;
CREATE FUNCTION pg_temp.refused(x text) RETURNS text LANGUAGE sql AS $$
	SELECT pg_temp.error(format('SELECT sitemap_url(%L, extensions => ARRAY[%L]::xml[])', 'http://a/', x)) $$;
-- it goes in untouched
SELECT pg_temp.extend(xmlelement(name "mobile:mobile", xmlattributes('http://www.google.com/schemas/sitemap-mobile/1.0' AS "xmlns:mobile")));
SELECT pg_temp.extend('<PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0"><DataObject type="document" id="hibachi"><Attribute name="name">Dragon &amp; &#x201C;Co&#x201D;</Attribute></DataObject></PageMap>');
SELECT pg_temp.extend('<rs:md xmlns:rs="http://www.openarchives.org/rs/terms/" hash="md5:1584abdf8ebdc9802ac0c6a7402c03b6" length=''8876'' type="text/html"/><rs:ln xmlns:rs="http://www.openarchives.org/rs/terms/" rel="duplicate" href="http://b/"/>');
SELECT pg_temp.extend('<image:image><image:loc>http://i/</image:loc></image:image>'), pg_temp.extend('<i:image xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><i:loc>http://i/</i:loc></i:image>');
SELECT pg_temp.extend('<a xmlns="urn:a"><b xmlns=""><![CDATA[<&>]]></b><!-- c --><?pi d?></a>'), pg_temp.extend('<a xmlns="urn:a" b=">" c="''"/>');
SELECT pg_temp.extend('<ü:ü xmlns:ü="urn:ü" ü="ü">ü</ü:ü>');
SELECT pg_temp.extend(''), btrim(pg_temp.extend('  ')), pg_temp.extend('<!-- only a comment -->'), pg_temp.extend(NULL);
-- on one line
SELECT pg_temp.extend(E'<a:a xmlns:a="urn:a"\n\tb="x\ty\nz">\n\tc\\d\r\n</a:a>'::xml), pg_temp.extend(E'<a:a xmlns:a="urn:a"><![CDATA[<\n&]]><!-- x\ny --></a:a>'::xml);
-- what would make the file unreadable, or say something else
SELECT pg_temp.refused('<mobile:mobile/>');
SELECT x, pg_temp.brief(format('SELECT sitemap_url(%L, extensions => ARRAY[%L]::xml[])', 'http://a/', x)) FROM unnest(ARRAY['<a:a/>', '<image:image x:y="z"/>', '<a xmlns="urn:a"><b:b/></a>', '<a/>', '<a xmlns=""/>', '<loc>http://b/</loc>', '<lastmod>2026</lastmod>',
	'<url xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>', '<s:priority xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9">1</s:priority>', '<s:priority xmlns:s="http://www.google.com/schemas/sitemap/0.84">1</s:priority>', 'text', '<a xmlns="urn:a"/>text', '<![CDATA[x]]>', '&amp;']) x;
-- xmlelement passes control characters on
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', extensions => ARRAY[xmlelement(name "a:a", xmlattributes('urn:a' AS "xmlns:a"), E'x\u0001y')]) $$);
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', extensions => ARRAY[xmlelement(name "a:a", xmlattributes('urn:a' AS "xmlns:a"), E'x\uFFFEy')]) $$);
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', extensions => ARRAY[xmlelement(name "a:a", xmlattributes('urn:a' AS "xmlns:a", E'\u0008' AS b))]) $$);
-- DOCTYPE needs xmloption DOCUMENT, and entities of its own are none of a document's
SET xmloption = document;
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', extensions => ARRAY['<!DOCTYPE a [<!ENTITY b "c">]><a xmlns="urn:a">&b;</a>'::xml]) $$);
RESET xmloption;
-- entities that XML does not have; xml's own input may see them first
SELECT e, left(pg_temp.error(format('SELECT sitemap_url(%L, extensions => ARRAY[format(%L, %L)::xml])', 'http://a/', '<a:a xmlns:a="urn:a">%s</a:a>', e)), 5) FROM unnest(ARRAY['&nbsp;', '&', '&;', '&#0;', '&#1;', '&#xFFFE;', '&#xD800;', '&#x110000;', '&foo', '<b>', '</a:a>', '<!DOCTYPE a>', '<?xml version="1.0"?>', '<', '<b c=d/>', '<b c="d" c="e"/>']) e;
SELECT e, pg_temp.extend(format('<a:a xmlns:a="urn:a">%s</a:a>', e)::xml) FROM unnest('{&lt;,&#9;,&#x10FFFF;,&#xE000;,&apos;,&quot;}'::text[]) e;
-- an element of ours that was spoilt
SELECT pg_temp.refused('<image:image>&lt;<image:loc>x</image:loc></image:image><video:video/>') LIKE 'no error%';
-- entries larger than max_bytes are invalid and named; extension bytes count exactly
CREATE TEMP TABLE page AS SELECT n AS id, '/' || n AS loc, array_agg(sitemap_image('http://i/' || m)) AS extensions FROM generate_series(1, 3) n, generate_series(1, n) m GROUP BY n;
SELECT d, string_agg(f.url_count || ' ' || (f.byte_count - s.size), ', ' ORDER BY f.name) FROM (SELECT byte_count AS size FROM sitemap_files('SELECT loc, extensions FROM page ORDER BY id', 'http://a/')) s, unnest('{0,-1}'::int[]) d,
	sitemap_files('SELECT loc, extensions FROM page ORDER BY id', 'http://a/', max_bytes => size + d, index => 'never') f GROUP BY d ORDER BY d DESC;
SELECT pg_temp.error($$ SELECT sitemap_files('SELECT loc, extensions FROM page ORDER BY id', 'http://a/', max_bytes => 360) $$);
SET client_min_messages = notice;
SELECT name, url_count, byte_count FROM sitemap_files('SELECT loc, extensions FROM page ORDER BY id', 'http://a/', max_bytes => 360, on_invalid => 'skip');
SET client_min_messages = warning;
-- all kinds in one file, as columns and as <url> elements
CREATE TEMP VIEW mixed AS SELECT n, '/' || n AS loc, CASE n WHEN 1 THEN ARRAY[sitemap_image('http://i/ü', 'Ü')] WHEN 2 THEN ARRAY[sitemap_video('http://t/', 'Ü', 'd', 'http://c/')] WHEN 3 THEN ARRAY[sitemap_news('n', 'en', '2026', 'Ü')]
	WHEN 4 THEN sitemap_alternates('{"de": "http://a/ü", "en": "http://a/"}') WHEN 5 THEN ARRAY['<m:mobile xmlns:m="http://www.google.com/schemas/sitemap-mobile/1.0"/>'::xml]
	WHEN 6 THEN sitemap_alternates('{"de": "http://a/ü", "en": "http://a/"}') || sitemap_news('n', 'en', '2026', 'Ü') || sitemap_video('http://t/', 'Ü', 'd', 'http://c/') || sitemap_image('http://i/ü', 'Ü') END AS extensions FROM generate_series(1, 7) n;
SELECT pg_temp.text(content) FROM sitemap_files('SELECT loc, extensions FROM mixed ORDER BY n', 'http://a/');
SELECT count(DISTINCT d) FROM (SELECT pg_temp.text(content) AS d FROM sitemap_files('SELECT loc, extensions FROM mixed ORDER BY n', 'http://a/')
	UNION ALL SELECT pg_temp.text(content) FROM sitemap_files('SELECT sitemap_url(''http://a'' || loc, extensions => extensions) AS url FROM mixed ORDER BY n', 'http://a/')
	UNION ALL SELECT sitemap_agg(sitemap_url('http://a' || loc, extensions => extensions) ORDER BY n) FROM mixed) s;
-- a text sitemap has none
SELECT pg_temp.text(content) FROM sitemap_files('SELECT loc, extensions FROM mixed WHERE n < 3 ORDER BY n', 'http://a/', format => 'txt');
