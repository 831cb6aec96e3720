--
-- What becomes of a URL: the text of <loc>.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE FUNCTION pg_temp.loc(url text) RETURNS text LANGUAGE sql AS $$
  SELECT substr(element, 11, length(element) - 22)
    FROM (SELECT sitemap_url(url)::text AS element) s
$$;

-- Each character that its component cannot have is percent-encoded, then XML is escaped.
CREATE TEMP TABLE example (id serial, url text, loc text);
INSERT INTO example (url, loc) VALUES
  ('http://www.example.com/ümlat.php&q=name',
   'http://www.example.com/%C3%BCmlat.php&amp;q=name'),
  ('http://www.example.com/o''brien?x=''1''',
   'http://www.example.com/o&apos;brien?x=&apos;1&apos;'),
  ('http://www.example.com/?a=1&amp;b=2',
   'http://www.example.com/?a=1&amp;amp;b=2'),
  ('http://www.example.com/%C3%BC?q=a%26b',
   'http://www.example.com/%C3%BC?q=a%26b'),
  ('http://www.example.com/%c3%bc',
   'http://www.example.com/%c3%bc'),
  ('http://www.example.com/100%/50%off?d=%zz&e=%4',
   'http://www.example.com/100%25/50%25off?d=%25zz&amp;e=%254'),
  ('http://www.example.com/a b?q=x y',
   'http://www.example.com/a%20b?q=x%20y'),
  ('http://www.example.com/a+b?q=c++',
   'http://www.example.com/a+b?q=c++'),
  ('http://www.example.com/say"hi"',
   'http://www.example.com/say%22hi%22'),
  ('http://www.example.com/<b>x</b>',
   'http://www.example.com/%3Cb%3Ex%3C/b%3E'),
  ('http://www.example.com/?x[y]=1',
   'http://www.example.com/?x%5By%5D=1'),
  ('http://www.example.com/{}|^`\',
   'http://www.example.com/%7B%7D%7C%5E%60%5C'),
  ('http://www.example.com/?{}|^`\',
   'http://www.example.com/?%7B%7D%7C%5E%60%5C'),
  (U&'http://www.example.com/\+01F600',
   'http://www.example.com/%F0%9F%98%80'),
  (U&'http://www.example.com/cafe\0301',
   'http://www.example.com/cafe%CC%81'),
  (U&'http://www.example.com/caf\00E9',
   'http://www.example.com/caf%C3%A9'),
  ('http://[2001:db8::1]:8080/a[1]',
   'http://[2001:db8::1]:8080/a%5B1%5D'),
  ('http://www.example.com/page#Swiss Goats',
   'http://www.example.com/page#Swiss%20Goats'),
  (E'http://www.example.com/a\x01b\x7Fc\r\nd',
   'http://www.example.com/a%01b%7Fc%0D%0Ad'),
  (E'http://www.example.com/a\tb', 'http://www.example.com/a%09b'),
  ('http://www.example.com/x]]>y',
   'http://www.example.com/x%5D%5D%3Ey'),
  (E' \t\r\n\u00A0\u2003\u3000http://www.example.com/a\u2029\u0085\n',
   'http://www.example.com/a'),
  (E'http://www.example.com/a\u00A0b',
   'http://www.example.com/a%C2%A0b'),
  ('http://www.example.com',
   'http://www.example.com'),
  ('HTTP://WWW.Example.COM/A', 'HTTP://WWW.Example.COM/A'),
  ('http://www.example.com//a//b/../c',
   'http://www.example.com//a//b/../c'),
  ('http://www.example.com/?',
   'http://www.example.com/?'),
  ('http://www.example.com/#',
   'http://www.example.com/#'),
  ('http://www.example.com?q=/?:@',
   'http://www.example.com?q=/?:@'),
  ('http://www.example.com/a#b#c',
   'http://www.example.com/a#b%23c'),
  ('http://www.example.com/-._~!$()*+,;=:@',
   'http://www.example.com/-._~!$()*+,;=:@'),
  ('https://127.0.0.1:8443/',
   'https://127.0.0.1:8443/'),
  ('http://a/',
   'http://a/'),
  ('http://www.example.com/' || repeat('a', 2024),
   'http://www.example.com/' || repeat('a', 2024)),
  ('http://www.example.com/' || repeat('&', 2024),
   'http://www.example.com/' || repeat('&amp;', 2024)),
  ('http://www.example.com/' || repeat('ü', 337) || 'ab',
   'http://www.example.com/' || repeat('%C3%BC', 337) || 'ab');

SELECT CASE WHEN loc = want THEN 'as wanted' ELSE 'NOT AS WANTED' END,
       left(regexp_replace(url, '[[:cntrl:]]', '.', 'g'), 50),
       left(loc, 70)
  FROM (SELECT id, url, loc AS want, pg_temp.loc(url) AS loc FROM example) s
 ORDER BY id;

-- What was encoded once stays as it is.
SELECT string_agg(once, E'\n' ORDER BY id) || E'\n' = sitemap_text_agg(once ORDER BY id), count(*)
  FROM (SELECT id, rtrim(sitemap_text_agg(url), E'\n') AS once FROM example GROUP BY id) s;

-- The longest URL has 2,047 characters after percent-encoding, before XML escaping.
SELECT length(loc)
  FROM (SELECT rtrim(sitemap_text_agg(url), E'\n') AS loc
          FROM example
         WHERE length(loc) > 1000
         GROUP BY id
         ORDER BY id) s;
SELECT left(error, 70)
  FROM (VALUES
    ('http://www.example.com/' || repeat('a', 2025)),
    ('http://www.example.com/' || repeat('ü', 338)),
    ('http://www.example.com/' || repeat('x', 1000000))
  ) v (url),
  pg_temp.error(format('SELECT sitemap_url(%L)', url)) AS error;

-- Nothing comes of nothing.
SELECT sitemap_url(NULL), sitemap_url(NULL, date '2026-01-02', 'daily', 0.5);
SELECT sitemap_url('http://www.example.com/', NULL, NULL, NULL, NULL);

-- What is not an absolute http or https URL is refused.
SELECT pg_temp.brief(format('SELECT sitemap_url(%L)', url)), quote_literal(url)
  FROM (VALUES
    ('/path'),
    ('path'),
    ('//h/a'),
    ('www.h/a'),
    ('ftp://h/a'),
    ('mailto:a@h'),
    ('javascript:alert(1)'),
    ('http:///a'),
    ('http://'),
    ('http:'),
    ('http:/a'),
    ('https//a'),
    ('http//a'),
    ('?q'),
    ('#f'),
    (''),
    ('  '),
    (E'\u3000'),
    ('http://?q'),
    ('http://:80/'),
    ('http://a b/'),
    ('http://a<b/'),
    ('http://a%zz/'),
    ('http://a..b/'),
    ('http://[::1/'),
    ('http://[::g]/'),
    ('http://[]/'),
    ('http://a:99999/'),
    ('http://a:8x/'),
    ('http://a:-1/'),
    ('http://:80'),
    ('localhost:8080/a'),
    ('http://a:0/')
  ) v (url);
SELECT pg_temp.error($$ SELECT sitemap_url('/path') $$);

-- A user name or a password is refused in every URL, and no message, WARNING or finding
-- repeats it.
CREATE TEMP TABLE secret (id serial, url text);
INSERT INTO secret (url) VALUES
  ('https://editor:s3cret@www.example.com/a'),
  ('https://s3cret@www.example.com/a'),
  ('https://:s3cret@www.example.com'),
  ('https://@www.example.com/s3cret'),
  ('HTTPS://editor:s3cr@t@WWW.Example.com:443/?a@b'),
  ('//editor:s3cret@www.example.com/a'),
  (U&'https://r\00E9dacteur:s3cret@www.example.com/\00E9'),
  ('https://editor:s3cret@[2001:db8::1]/'),
  ('https://editor:s3cret@'),
  (E' \thttps://editor:s3cret@www.example.com/a\n'),
  ('https://s3cret@www.example.com@evil.example/'),
  -- refused for other reasons
  ('editor:s3cret@www.example.com/a'),
  ('ftp://editor:s3cret@www.example.com/a'),
  ('https:/editor:s3cret@www.example.com/a'),
  ('https:\\editor:s3cret@www.example.com/a'),
  ('"https://editor:s3cret@www.example.com/a"'),
  ('https://editor:s3cret\@www.example.com/a'),
  ('https://editor:s3cret%40www.example.com/a'),
  ('https://editor:s3cret&#64;www.example.com/a'),
  ('https://editor:s3cret/2@www.example.com/a'),
  ('https://editor:s3cret#2@www.example.com/a'),
  (U&'https://editor:s3cret\FF20www.example.com/a'),
  ('https://editor:s3cret' || repeat('x', 300) || '@www.example.com/a');
SELECT left(pg_temp.error(format('SELECT FROM sitemap_files($q$SELECT %L AS loc$q$, ''https://www.example.com/'')', url)), 230)
  FROM secret ORDER BY id;
CREATE FUNCTION pg_temp.attempts(url text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT format(statement, url)
    FROM (VALUES
      ('SELECT sitemap_url(%L)'), ('SELECT sitemap_agg(%L)'), ('SELECT sitemap_index_agg(%L)'), ('SELECT sitemap_text_agg(%L)'),
      ('SELECT sitemap_image(%L)'), ('SELECT sitemap_image(''http://a/'', license => %L)'),
      ('SELECT sitemap_video(%L, ''t'', ''d'', ''http://a/'')'), ('SELECT sitemap_video(''http://a/'', ''t'', ''d'', %L)'),
      ('SELECT sitemap_video(''http://a/'', ''t'', ''d'', player_loc => %L)'),
      ('SELECT sitemap_video(''http://a/'', ''t'', ''d'', ''http://a/'', content_segment_loc => ARRAY[%L])'),
      ('SELECT sitemap_video(''http://a/'', ''t'', ''d'', ''http://a/'', gallery_loc => %L)'),
      ('SELECT sitemap_video(''http://a/'', ''t'', ''d'', ''http://a/'', uploader => ''u'', uploader_info => %L)'),
      ('SELECT sitemap_alternate(''de'', %L)'), ('SELECT sitemap_alternates(jsonb_build_object(''de'', %L))'),
      ('SELECT FROM sitemap_files(''SELECT 1'', %L)'), ('SELECT FROM sitemap_audit(''SELECT 1'', %L)'),
      ('SELECT FROM sitemap_files(''SELECT 1'', ''http://a/'', stylesheet => %L || ''.css'')')) v (statement)
   UNION ALL
  SELECT format('SELECT FROM sitemap_files(%L, ''https://www.example.com/'')', format(query, url))
    FROM (VALUES
      ('SELECT ''/'' AS loc, ARRAY[%L] AS images'), ('SELECT ''/'' AS loc, to_jsonb(%L::text) AS images'),
      ('SELECT ''/'' AS loc, jsonb_build_object(''loc'', ''/'', ''license'', %L) AS images'),
      ('SELECT ''/'' AS loc, jsonb_build_object(''de'', %L) AS alternates'),
      ('SELECT ''/'' AS loc, jsonb_build_object(''thumbnail_loc'', ''/'', ''title'', ''t'', ''description'', ''d'', ''player_loc'', %L) AS videos')) v (query)
$$;
SELECT count(*), count(*) FILTER (WHERE error ~ 's3cret|no error')
  FROM secret, pg_temp.attempts(url) statement, pg_temp.error(statement) error
 WHERE url NOT LIKE '%/s3cret';
SELECT pg_temp.error(statement) FROM secret, pg_temp.attempts(url) statement WHERE id = 1;
SELECT count(*) FROM sitemap_files('SELECT url AS loc FROM pg_temp.secret ORDER BY id', 'https://www.example.com/', on_invalid => 'skip');
SELECT row_number, loc, problem FROM sitemap_audit('SELECT url AS loc FROM pg_temp.secret WHERE id < 23 ORDER BY id', 'https://www.example.com/');
-- Ready-made XML, and an "@" that is not before a host.
SELECT xml, pg_temp.brief(format('SELECT sitemap_url(''http://a/'', extensions => ARRAY[%L::xml])', format('<x:a xmlns:x="urn:x"%s</x:a>', xml)))
  FROM (VALUES
    ('><x:loc>https://editor:s3cret@www.example.com/a</x:loc>'),
    ('><x:loc> //s3cret@www.example.com/a </x:loc>'),
    ('><x:loc>https://editor:s3cret&#64;www.example.com/a</x:loc>'),
    ('><x:loc>https://editor:s3cret&#x40;www.example.com/a</x:loc>'),
    ('><x:loc><![CDATA[https://editor:s3cret@www.example.com/a]]></x:loc>'),
    ('><x:loc>https://editor:s3cret<!-- -->@<![CDATA[www]]>.example.com/a</x:loc>'),
    ('><x:b/>https://editor:s3cret@www.example.com/a<x:b/>'),
    (' href="https://editor:s3cret@www.example.com/a">'),
    (' href="https://editor&#58;s3cret&#64;www.example.com/a">'),
    (' href="https://editor:s3 cret@www.example.com/a">'),
    (' href="https:/editor:s3cret@www.example.com/a">'),
    (' href="https:\\editor:s3cret@www.example.com/a">'),
    ('><!-- https://editor:s3cret@www.example.com/a -->'),
    ('><?x see https://www.example.com/, https://editor:s3cret@www.example.com/a?>'),
    ('>see https://editor:s3cret@www.example.com/a'),
    ('><x:loc>https://www.example.com/@editor</x:loc>'),
    ('><!-- by editor@www.example.com, see https://www.example.com/ -->'),
    ('><x:by>https://www.example.com:8080 by editor@www.example.com</x:by>'),
    ('><x:by>https://www.example.com: editor@www.example.com</x:by>'),
    ('><x:by>editor:s3cret@www.example.com</x:by>'),
    ('><x:by>a:\b@c</x:by>'),
    ('><x:by>https://www.example.com、editor@www.example.com</x:by>'),
    ('><x:by>https://www.example.com, by editor@www.example.com</x:by>'),
    (' by="editor@www.example.com">')
  ) v (xml);
SELECT pg_temp.brief(format('SELECT sitemap_agg(%L::xml)', '<url><loc>https://editor:s3cret@www.example.com/a</loc></url>'));
SELECT pg_temp.error($$ SELECT FROM sitemap_files('SELECT ''https://editor:s3cret@a/'' COLLATE "C" AS key, ''ftp://a'' AS loc', 'http://a/', split => 'stable') $$);
SELECT sitemap_text_agg(url) FROM unnest('{http://a/@b,http://a/c:d@e,http://a?b:c@d,http://a#b:c@d,http://a/?b=https://c:d@e/}'::text[]) url;

-- Of a long value a message shows the beginning.
SELECT pg_temp.error(format('SELECT sitemap_url(%L)', 'ftp://' || repeat('ü', 200)));

-- What looks like a relative reference and was never meant as one, or what a
-- browser cannot open: refused as an element and in a set, and audited.
CREATE TEMP TABLE refused (id serial, url text);
INSERT INTO refused (url) VALUES
  (U&'\FEFFhttps://www.example.com/a'),
  (U&'\200Bhttps://www.example.com/a'),
  (U&'\200Ehttps://www.example.com/a'),
  (U&'\202Ahttps://www.example.com/a'),
  ('"https://www.example.com/a"'),
  ('<https://www.example.com/a>'),
  ('(https://www.example.com/a)'),
  ('://www.example.com/a'),
  (U&'\FEFF://www.example.com/a'),
  ('127.0.0.1:8080/a'),
  ('https://evil.example\@www.example.com/'),
  ('//evil.example\@www.example.com/'),
  ('https://192.168.0.257/'),
  ('https://www.example.1/');
SELECT id, pg_temp.error(format('SELECT sitemap_url(%L)', url))
  FROM refused
 ORDER BY id;
SELECT id, pg_temp.error(format('SELECT FROM sitemap_files(%L, ''https://www.example.com/b/'', scope => ''any'')',
                                format('SELECT %L AS loc', url)))
  FROM refused
 ORDER BY id;
SELECT row_number, problem, detail
  FROM sitemap_audit('SELECT url AS loc FROM refused ORDER BY id', 'https://www.example.com/b/', scope => 'any');

-- Browsers read "%2E" as a dot, RFC 3986 does not: refused as a segment of a path.
CREATE TEMP TABLE dots (id serial, url text);
INSERT INTO dots (url) VALUES ('/%2E'), ('/a/%2e%2e/b'), ('/a/.%2E?b'), ('%2e./a'), ('https://www.example.com/a/%2E%2E#b'), ('//www.example.com/%2E/../a'),
  ('/a/%2E%2E%2E/b'), ('/a%2E/b'), ('/a?b=/%2E/'), ('/a#/%2E/'), ('/a/../%2Fb'), ('https://www.example.com/a/../b/.');
SELECT id, url, pg_temp.brief(format('SELECT FROM sitemap_files(%L, ''https://www.example.com/'')', format('SELECT %L AS loc', url))) FROM dots ORDER BY id;
SELECT row_number, problem, detail FROM sitemap_audit('SELECT url AS loc FROM dots ORDER BY id', 'https://www.example.com/');
SELECT pg_temp.text(content) FROM sitemap_files('SELECT url AS loc FROM dots ORDER BY id', 'https://www.example.com/', format => 'txt', on_invalid => 'skip');
SELECT pg_temp.brief($$ SELECT sitemap_image('https://www.example.com/%2E/a') $$), pg_temp.brief($$ SELECT sitemap_alternate('en', 'https://www.example.com/a/%2E%2e') $$),
       pg_temp.brief($$ SELECT FROM sitemap_files('SELECT ''/'' AS loc', 'https://www.example.com/a/%2E%2E/') $$);
SELECT problem, detail FROM sitemap_audit($$ SELECT '/' AS loc, '{/%2E}'::text[] AS images, '{"en": "/", "de": "/a/%2E%2E"}'::jsonb AS alternates $$, 'https://www.example.com/');

-- A path may have a colon behind a slash; the case of hex digits does not matter.
SELECT pg_temp.text(content)
  FROM sitemap_files($$ SELECT unnest('{./1:2,/a:b,1?:,https://www.example.com/\\@x}'::text[]) AS loc $$,
                     'https://www.example.com/b/', format => 'txt');
SELECT pg_temp.text(content)
  FROM sitemap_files($$ SELECT unnest('{/é/x,/%C3%A9/x,/%c3%a9/x,x}'::text[]) AS loc $$,
                     'https://www.example.com/%c3%a9/', format => 'txt', scope => 'path');
