--
-- sitemap_parse: documents that we have not written.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql
-- Most locs here have no scheme: parse_columns.sql shows the NOTICE about that.
SET client_min_messages = warning;

-- A text sitemap: a URL a line, as it stands.
SELECT loc, num_nulls(lastmod, changefreq, priority, extensions)
  FROM sitemap_parse(E'http://a/1\nhttp://a/2?x=&amp;%20\r\n\n \t\n  http://a/ü  \nHTTPS://not checked');
SELECT loc FROM sitemap_parse(convert_to(E'http://a/ü\nhttp://a/😀', 'UTF8'));
SELECT loc FROM sitemap_parse('\xEFBBBF'::bytea || 'http://a/1'::bytea);
SELECT loc FROM sitemap_parse('\xEFBBBFEFBBBF'::bytea || 'http://a/1'::bytea);
SELECT loc FROM sitemap_parse(repeat(' ', 100000) || E'\nhttp://a/\n');
SELECT count(*), count(DISTINCT loc), min(length(loc)), max(length(loc))
  FROM sitemap_parse((SELECT string_agg('http://a/' || repeat('ü', n), E'\n') FROM generate_series(1, 1000) n));

-- Lines may end in CR, too.
SELECT loc FROM sitemap_parse(E'http://a/1\rhttp://a/2\r\nhttp://a/3\n\rhttp://a/4\r');
SELECT pg_temp.error($$ SELECT sitemap_parse(E'http://a/1\rhttp://a/2\r\n\rx') $$);

-- What is neither text nor XML.
SELECT d, pg_temp.error(format('SELECT sitemap_parse(%L::bytea)', d))
  FROM unnest(ARRAY['\x0A'::bytea || 'http://a/\351\012', 'http://a/\012a\000b\012', '', E' \n\n', '\xEFBBBF']) d;
SELECT pg_temp.error($$ SELECT sitemap_parse('') $$);

-- Nor are messages, other formats, or what comes before XML.
SELECT pg_temp.error(format('SELECT sitemap_parse(%L)', d))
  FROM (VALUES ('Service temporarily unavailable'), ('{"urls": ["http://a/"]}'), (E'HTTP/1.1 200 OK\n\n<urlset/>'),
               ('://a/'), ('1st://a/'), ('/a'), ('www.example.com/'),
               (E'http://a/1\nhttp://a/2\n\nNotice: undefined\n')) v (d);

-- Marks of UTF-8 and blanks.
SELECT b, sitemap_parse(d || 'http://a/'::bytea)
  FROM (VALUES (1, '\xEFBBBF'::bytea), (2, '\xEFBBBFEFBBBF'), (3, '\x20EFBBBF0A'), (4, convert_to(repeat(' ', 65536), 'UTF8') || '\xEFBBBF')) v (b, d);

-- Arguments.
SELECT count(*) FROM sitemap_parse(NULL::text);
SELECT count(*) FROM sitemap_parse(NULL::bytea);
SELECT pg_temp.error($$ SELECT sitemap_parse('a', max_bytes => 0) $$);
SELECT pg_temp.error($$ SELECT sitemap_parse(E'http://a/\nb', max_bytes => NULL, on_invalid => NULL) $$);
SELECT pg_temp.error($$ SELECT sitemap_parse('http://a/' || repeat(' ', 52428791 + 1), max_bytes => NULL) $$);
SELECT sitemap_parse('http://a/', max_bytes => NULL, on_invalid => NULL);
SELECT pg_temp.error($$ SELECT sitemap_parse('a', on_invalid => 'partial') $$);

-- No more than max_bytes.
SELECT loc FROM sitemap_parse(E'a://a\nb://b\n', max_bytes => 12);
SELECT pg_temp.error($$ SELECT sitemap_parse(E'a://a\nb://b\n', max_bytes => 11) $$);
SELECT loc FROM sitemap_parse(E'a://a\nb://bc\n', max_bytes => 11, on_invalid => 'skip');

-- That is the fault also where it cuts a character in two, and others are found as well.
SELECT n, pg_temp.error(format('SELECT sitemap_parse(%L::bytea, max_bytes => %s)', document, n))
  FROM (VALUES ('\xfeff003c0061003e'::bytea, 5), ('\xfeff003cd83dde00', 7), ('\xfeff003cdc000061003e', 8)) v (document, n);
SELECT n, pg_temp.error(format('SELECT sitemap_parse(%L::bytea, max_bytes => %s)',
                               convert_to('<?xml version="1.0" encoding="GBK"?><urlset>', 'SQL_ASCII') || '\xd6d0d6d0'::bytea, n))
  FROM generate_series(44, 48) n;

-- Gzip: known by its content.
CREATE TEMP TABLE gz AS
SELECT content AS c, length(content) AS len
  FROM sitemap_files($$ SELECT '/' || n AS loc FROM generate_series(1, 3) n $$, 'http://a/',
                     format => 'txt', compression => 6);
SELECT loc FROM gz, sitemap_parse(c);

-- Several members are one file.
SELECT count(*) FROM gz, sitemap_parse(c || c || c);
SELECT pg_temp.error($$ SELECT sitemap_parse(c || 'x'::bytea) FROM gz $$);
SELECT pg_temp.error($$ SELECT sitemap_parse(c || '\x00001F8B'::bytea) FROM gz $$);
SELECT loc FROM gz, sitemap_parse(c || '\x1F'::bytea, on_invalid => 'skip');

-- Damaged, cut off, too large.
SELECT damaged, pg_temp.error(format('SELECT sitemap_parse(%s) FROM gz', damaged))
  FROM unnest(ARRAY['set_byte(c, 10, 255)', 'set_byte(c, len - 8, get_byte(c, len - 8) # 1)', 'set_byte(c, len - 1, 1)', 'substr(c, 1, 2)',
                    'substr(c, 1, 9)', 'substr(c, 1, 10)', 'substr(c, 1, len - 1)']) damaged;
SELECT loc FROM gz, sitemap_parse(substr(c, 1, len - 5), on_invalid => 'skip');
SELECT count(*) FROM gz, sitemap_parse(c, max_bytes => 33);
SELECT loc FROM gz, sitemap_parse(c, max_bytes => 32, on_invalid => 'skip');

-- A sitemap: children in any order, what is blank is NULL.
SELECT *
  FROM sitemap_parse($$<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="main.xsl"?>
<!-- made by hand -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
        xsi:schemaLocation="http://www.sitemaps.org/schemas/sitemap/0.9 http://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd">
  <url>
    <loc>
      http://a/?a=1&amp;b=%20&#xFC;&lt;<![CDATA[&amp;]]>
    </loc>
  </url>
  <url><priority> 0.80 </priority><changefreq>Daily</changefreq><lastmod>yesterday</lastmod><loc>/1</loc></url>
  <url><loc>/2</loc><lastmod/><changefreq> </changefreq><priority></priority></url>
  <url><loc>/3<!-- c -->/<?p i?>4<b>5</b></loc><priority>high</priority></url>
  text <other><loc>/5</loc></other>
  <url><loc>/6</loc><priority>-1.5</priority><unknown><loc>/7</loc></unknown></url>
</urlset>
$$);

-- A priority is a number without an exponent.
SELECT n, priority
  FROM unnest(ARRAY['0.5', '.5', '5.', '000', '-0.25', '+1.0', '123456789012345678901234567890', '0.' || repeat('0', 30) || '1', '0.' || repeat('3', 1000),
                    '.', '+', '-.', '1e5', 'inf', 'NaN', '0x1', '1,5', '1.2.3', '--1', '1-', repeat('9', 400)]) WITH ORDINALITY u (n, number),
       sitemap_parse(format('<urlset><url><loc>a</loc><priority>%s</priority></url></urlset>', n))
 ORDER BY number;

-- An index.
SELECT *
  FROM sitemap_parse('<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
                     '<sitemap><loc>http://a/1.xml</loc><lastmod>2026-01-02</lastmod></sitemap>'
                     '<sitemap><loc>http://a/2.xml.gz</loc></sitemap></sitemapindex>');

-- Namespaces: none, of 2005, of others, with a prefix.
SELECT n, p.*
  FROM (VALUES ('<urlset>%s</urlset>'),
               ('<urlset xmlns="http://www.google.com/schemas/sitemap/0.84">%s</urlset>'),
               ('<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9/">%s</urlset>')) v (n),
       sitemap_parse(format(n, '<url><loc>a</loc><lastmod>b</lastmod></url>')) p;
SELECT *
  FROM sitemap_parse('<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9">'
                     '<s:url><s:loc>a</s:loc><s:priority>1</s:priority></s:url></s:urlset>');
SELECT count(*) FROM sitemap_parse('<urlset/>');

-- Each extension element declares its own namespaces, and has no comments, instructions
-- or indentation.
SELECT loc, e
  FROM sitemap_parse($$<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
  xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
  xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"
  xmlns:xhtml="http://www.w3.org/1999/xhtml">
  <url>
    <loc>/1</loc>
    <image:image><!-- first -->
      <image:loc>http://i/?a&amp;b</image:loc>
      <?p i?><image:caption>"a\b" <![CDATA[<c>]]>&#9;&gt;</image:caption>
    </image:image>
    <xhtml:link rel="alternate" hreflang='de' href='http://a/?"de"&amp;&#x3c;'/>
    <i:image xml:lang="en"><i:loc/></i:image>
    <m:mobile xmlns:m="http://www.google.com/schemas/sitemap-mobile/1.0" xmlns:unused="urn:u"></m:mobile>
  </url>
  <url>
    <PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0"><DataObject i:a="b" type="x"/></PageMap>
    <loc>/2</loc>
    <a:a xmlns:a="urn:1"><a:a xmlns:a="urn:2"/><a:a> </a:a><a:a>
</a:a> <i:b/>
    <c xmlns="">x <d/> y<!-- c -->
      <!-- c -->z</c><e
        /></a:a>
  </url>
</urlset>$$), unnest(extensions) WITH ORDINALITY u (e, n)
 ORDER BY loc, n;

-- sitemap_files takes them back, and the document declares what it declares for ours.
SELECT pg_temp.text(content)
  FROM sitemap_files($$
         SELECT *
           FROM sitemap_parse('<urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
                                 <url><loc>/ü</loc>
                                   <image:image><image:loc>http://i/</image:loc></image:image>
                                   <m:mobile xmlns:m="http://www.google.com/schemas/sitemap-mobile/1.0"/>
                                 </url></urlset>')
       $$, 'http://a/');

-- Encodings.  A text is in the database's, whatever it says.
\set latin '<?xml version="1.0" encoding="ISO-8859-1"?><urlset><url><loc>é</loc></url></urlset>'
\set utf16 '<?xml version="1.0" encoding="UTF-16"?><urlset><url><loc>é😀</loc></url></urlset>'
CREATE FUNCTION pg_temp.utf16(t text, little bool) RETURNS bytea LANGUAGE sql AS $$
  SELECT string_agg(CASE WHEN little THEN set_byte(set_byte(b, 0, get_byte(b, 1)), 1, get_byte(b, 0))
                         ELSE b END, '' ORDER BY n)
    FROM (SELECT n, decode(lpad(to_hex(unit), 4, '0'), 'hex') AS b
            FROM (SELECT 2 * n AS n,
                         CASE WHEN code < 65536 THEN code ELSE 55296 + (code - 65536) / 1024 END AS unit
                    FROM string_to_table(t, NULL) WITH ORDINALITY c (c, n), ascii(c) code
                   UNION ALL
                  SELECT 2 * n + 1, 56320 + (code - 65536) % 1024
                    FROM string_to_table(t, NULL) WITH ORDINALITY c (c, n), ascii(c) code
                   WHERE code >= 65536) s) s
$$;
SELECT loc FROM sitemap_parse(:'latin');
SELECT loc FROM sitemap_parse(:'utf16');
SELECT name, loc
  FROM (VALUES ('ISO-8859-1', convert_to(:'latin', 'LATIN1')),
               ('UTF-8 with a mark, that says ISO-8859-1', '\xEFBBBF'::bytea || convert_to(:'latin', 'UTF8')),
               ('UTF-8 with a mark after a blank', '\x20EFBBBF'::bytea || convert_to('<urlset><url><loc>é</loc></url></urlset>', 'UTF8')),
               ('UTF-8 with two marks', '\xEFBBBFEFBBBF'::bytea || convert_to(:'latin', 'UTF8')),
               ('none, so UTF-8', convert_to('<urlset><url><loc>é</loc></url></urlset>', 'UTF8')),
               ('UTF-16, big', '\xFEFF'::bytea || pg_temp.utf16(:'utf16', false)),
               ('UTF-16, little', '\xFFFE'::bytea || pg_temp.utf16(:'utf16', true)),
               ('UTF-16, big, no mark', pg_temp.utf16(:'utf16', false)),
               ('UTF-16, little, no mark', pg_temp.utf16(:'utf16', true))) v (name, document),
       sitemap_parse(document);

-- An entry says the same in every encoding.
\set entry '<urlset><url>\r\n<loc>http://a/é?b&amp;c<![CDATA[&é]]]]><![CDATA[>]]>\r\n</loc><lastmod>2026-01-01</lastmod><a:b xmlns:a="urn:a" c="é&#10;&amp;''&#xE9;">é&#xE9;<!-- é --><?d é?><a:e/>\r\nf]] ></a:b></url></urlset>'
SELECT p.*
  FROM (VALUES (1, convert_to(:'entry', 'UTF8')),
               (2, convert_to('<?xml version="1.0" encoding="ISO-8859-1"?>' || :'entry', 'LATIN1')),
               (3, '\xFEFF'::bytea || pg_temp.utf16(:'entry', false))) d (n, document),
       sitemap_parse(document) p
 ORDER BY n;

-- Faults: the line, and what is wrong with it.  test/unit/test_xmlreader.c has those of XML.
SELECT pg_temp.brief(format('SELECT sitemap_parse(%L)', d))
  FROM (VALUES (E'<urlset>\n<url><loc>a</loc>\n</urlset>'),
               (repeat(' ', 65536) || '<?xml version="1.0"?><urlset/>'),
               (E'<urlset><url><loc>a</loc></url>\n<url>\n<lastmod>2026</lastmod>\n</url></urlset>'),
               (E'<urlset>\n<url><loc> </loc></url></urlset>'),
               (E'<urlset><url><loc>a</loc>\n<loc>a</loc></url></urlset>'),
               (E'<urlset><url><loc>a</loc><priority/>\n<priority/></url></urlset>'),
               (E'\n<html><head/></html>'),
               (E'<url><loc>a</loc></url>'),
               (E'<sitemapindex><url><loc>a</loc></url></sitemapindex>'),
               (E'<urlset><url><loc>a</loc></url>\n<sitemap><loc>b</loc></sitemap></urlset>'),
               (E'<urlset><URL><loc>a</loc></URL></urlset>'),
               (E'<urlset>\n<url><url><loc>a</loc></url></url></urlset>'),
               (E'<urlset>\n<url><loc>a</loc><x><url><loc>a</loc></url></x></url></urlset>'),
               (E'<urlset><url><loc/>\n<loc>x</loc></url></urlset>'),
               ('<' || repeat(' ', 300000)),
               ('<urlset><url><loc>a</loc>' || repeat('<b xmlns="urn:b">', 70)),
               ('<urlset><url><loc>a</loc><b xmlns="urn:a">'
                || (SELECT string_agg(format('<b xmlns:b%s="urn:b">', n), '') FROM generate_series(1, 62) n) || '<b xmlns:b63="u" xmlns:b64="u"/>')
       ) v (d);
SELECT pg_temp.brief(format('SELECT sitemap_parse(%L::bytea)', d))
  FROM unnest(ARRAY['<urlset><url><loc>'::bytea || '\xE9'::bytea || '</loc></url></urlset>'::bytea,
                    '<?xml version="1.0" encoding="klingon"?><urlset/>', '<?xml version="1.0" encoding="SQL_ASCII"?><urlset/>',
                    '<?xml version="1.0" encoding=klingon?><urlset/>', '\xFFFE00003C000000', '\x0000003C',
                    '\xFEFF003C00750072006C0073006500740020D83D', '\xFFFE3C0075007200'::bytea || '\x00DC'::bytea,
                    '<?xml version="1.0" encoding="Shift_JIS"?><urlset><url><loc>'::bytea || '\xFFFF'::bytea, '\x00', '<']) d;

-- What follows a short document in memory does not count.
CREATE TEMP TABLE short (document bytea, a "char", b "char", c "char", d "char");
INSERT INTO short VALUES ('a', '', '', '', ''), ('\x', '', '', '', 'a'), ('\x00', '', '', 'a', '');
SELECT document, pg_temp.brief(format('SELECT sitemap_parse(document) FROM short WHERE document = %L', document)) FROM short;

-- UTF-8 that is longer than it has to be: a database that took it could not be restored.
SELECT overlong, place, pg_temp.brief(format('SELECT sitemap_parse(%L::bytea)', begin || overlong || ending))
  FROM unnest(ARRAY['\xC181', '\xE08181', '\xF0808181']::bytea[]) overlong,
       (VALUES ('text', '<urlset><url><loc>'::bytea, '</loc></url></urlset>'::bytea),
               ('section', '<urlset><url><loc><![CDATA[', ']]></loc></url></urlset>'),
               ('section of an extension', '<urlset><url><loc>a</loc><b xmlns="urn:b"><![CDATA[', ']]></b></url></urlset>'),
               ('attribute', '<urlset><url><loc>a</loc><b xmlns="urn:b" c="', '"/></url></urlset>'),
               ('name', '<urlset><url><loc>a</loc><b', ' xmlns="urn:b"/></url></urlset>')
       ) v (place, begin, ending);
SELECT length(loc), loc LIKE 'aé日😀é日%' FROM sitemap_parse(format('<urlset><url><loc>a<![CDATA[%s]]></loc></url></urlset>', repeat('é日😀', 30000)));

-- The lines of a section and of a loc end as others do.
SELECT count(*), bool_and(e[1] = e[2]), min(length(e[1])), max(length(e[1])),
       bool_and(loc = btrim(replace(replace(lines, E'\r\n', E'\n'), E'\r', E'\n'), E'\n'))
  FROM generate_series(0, 330) n,
       concat(repeat('x', n), repeat(E'\r\n\r', 300), E'y\r') lines,
       sitemap_parse(format('<urlset xmlns:b="urn:b"><url><loc>%1$s</loc><b:c><![CDATA[%1$s]]></b:c><b:c>%1$s</b:c></url></urlset>', lines)),
       LATERAL (SELECT array_agg(sitemap_url('http://a/', extensions => ARRAY[x])::text) AS e FROM unnest(extensions) x) u;

-- What could take time or memory beyond the document's length.
SELECT pg_temp.brief(format('SELECT sitemap_parse(%L)', d))
  FROM (VALUES ((SELECT '<urlset ' || string_agg(format('a%s=""', n), ' ') || '/>' FROM generate_series(1, 65) n)),
               ((SELECT '<urlset><a ' || string_agg(format('xmlns:b%s="urn:b"', n), ' ') || '/>' FROM generate_series(1, 65) n)),
               ((SELECT '<urlset xmlns:b="urn:b" ' || string_agg(format('xmlns:b%s="urn:%s"', n, repeat('b', 250)), ' ')
                        || '><url><loc>a</loc>' || repeat('<b:c>' || string_agg(format('<b%s:d/>', n), '') || '</b:c>', 3500)
                        || '</url></urlset>'
                   FROM generate_series(1, 60) n)),
               ('<urlset xmlns:b="' || repeat('''', 256) || '">' || repeat('<url><loc>a</loc>' || repeat('<b:c/>', 100) || '</url>', 100) || '</urlset>')
       ) v (d);
-- What is only long or of many names takes no more.
SELECT count(*), count(DISTINCT extensions::text)
  FROM sitemap_parse((SELECT '<urlset xmlns:c="urn:' || repeat('c', 250) || '">'
                             || string_agg(format('<b%s/><?b%s?><url><loc>a</loc><b xmlns="urn:b%s"/></url>', n, n, n % 5000), '') || '</urlset>'
                        FROM generate_series(1, 20000) n));

-- No internal subset of a document type declaration: neither files nor bombs come in by that way.
SELECT loc
  FROM unnest(ARRAY['<!DOCTYPE urlset><urlset>', E'<?xml version="1.0"?>\n<!-- a --><!DOCTYPE urlset SYSTEM "http://a.invalid/sitemap.dtd" >\n<urlset>',
                    E'<!DOCTYPE\nurlset\tPUBLIC ''-//a//[<!ENTITY>]'' "a.dtd"><urlset>']) start,
       sitemap_parse(start || '<url><loc>1</loc></url></urlset>');
SELECT pg_temp.error(format('SELECT sitemap_parse(%L)', d))
  FROM (VALUES ('<!DOCTYPE urlset SYSTEM "a.dtd"><urlset><url><loc>&a;</loc></url></urlset>'),
               ('<urlset/><!DOCTYPE urlset>'),
               ('<!DOCTYPE urlset [<!ENTITY f SYSTEM "file:///etc/passwd">]><urlset><url><loc>&f;</loc></url></urlset>'),
               ('<!DOCTYPE urlset [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;]><urlset/>')
       ) v (d);

-- What stands before a fault.
\set VERBOSITY terse
SELECT loc
  FROM sitemap_parse(E'<urlset><url><loc>a</loc></url>\n<url><loc>b</loc></url><url><loc>c</urlset>',
                     on_invalid => 'skip');
SELECT loc FROM sitemap_parse('<html/>', on_invalid => 'skip');
SELECT loc FROM sitemap_parse('', on_invalid => 'skip');
\set VERBOSITY default
SELECT loc FROM sitemap_parse(E'<urlset><url><loc>a</loc></url>\n<url/></urlset>', on_invalid => 'skip');
SELECT loc
  FROM sitemap_parse('<urlset><url><loc>a</loc></url><url><loc>b</loc></url></urlset>', max_bytes => 40,
                     on_invalid => 'skip');

-- One inside of another.
SELECT count(*), min(pg_temp.brief($$ SELECT sitemap_parse('<urlset>') $$))
  FROM sitemap_parse('<urlset><url><loc>a</loc></url><url><loc>b</loc></url></urlset>');

-- Nobody gets memory for a size that a document only claims: in a new session, where the
-- system tells how much it has had.
\c -
CREATE FUNCTION pg_temp.peak() RETURNS bigint LANGUAGE sql AS $$
  SELECT substring(pg_read_file('/proc/self/status', 0, 10000, true) FROM 'VmPeak:\s+(\d+) kB')::bigint
$$;
SELECT pg_temp.peak() AS before \gset
SELECT sitemap_kind('\x1f8b0800000000000003'::bytea || decode(repeat('00', 100) || '00000004', 'hex'));
SELECT coalesce(pg_temp.peak() - :before < 32768, true) AS little;
