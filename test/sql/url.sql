--
-- What becomes of a URL: the text of <loc>.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- Each character that its component cannot have is percent-encoded, then XML is escaped; a text
-- sitemap has the same without that, and what was encoded once stays as it is.  Blanks around
-- it are dropped.  test/unit/test_url.c has the cases of each component.
SELECT sitemap_url(url), once, sitemap_text_agg(once) = once || E'\n' AS same
  FROM (SELECT url, rtrim(sitemap_text_agg(url), E'\n') AS once
          FROM unnest(ARRAY['http://www.example.com/ümlat.php&q=name', 'http://www.example.com/?a=1&amp;b=2', 'http://www.example.com/%C3%BC?q=a%26b',
                            'http://www.example.com/100%/50%off?d=%zz&e=%4', 'HTTP://WWW.Example.COM//a//b/../c#d#e', U&'http://[2001:db8::1]:8080/\+01F600''',
                            E' \t\r\n\u00A0\u2003\u3000http://www.example.com/a\x01\x7F\\b\u2029\u0085\n']) url
         GROUP BY url) s
 GROUP BY url, once ORDER BY url COLLATE "C";

-- The longest URL has 2,047 characters after percent-encoding, before XML escaping.
SELECT length(rtrim(sitemap_text_agg(url), E'\n')), length(sitemap_url(url)::text)
  FROM unnest(ARRAY['http://www.example.com/' || repeat('&', 2024), 'http://www.example.com/' || repeat('ü', 337) || 'ab']) url GROUP BY url ORDER BY url;
SELECT left(pg_temp.error(format('SELECT sitemap_url(%L)', 'http://www.example.com/' || tail)), 70)
  FROM unnest(ARRAY[repeat('a', 2025), repeat('ü', 338), repeat('x', 1000000)]) tail;

-- Nothing comes of nothing.
SELECT sitemap_url(NULL), sitemap_url(NULL, date '2026-01-02', 'daily', 0.5);
SELECT sitemap_url('http://www.example.com/', NULL, NULL, NULL, NULL);

-- What is not an absolute http or https URL is refused.
SELECT pg_temp.brief(format('SELECT sitemap_url(%L)', url)), quote_literal(url)
  FROM unnest(ARRAY['/path', 'www.h/a', '?q', 'ftp://h/a', 'mailto:a@h', 'http:///a', E'\u3000', 'http://a..b/', 'http://[::g]/', 'http://a:0/', 'localhost:8080/a']) url;
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
    ('><x:b/>https://editor:s3cret@www.example.com/a<x:b/>'),
    (' href="https://editor:s3cret@www.example.com/a">'),
    ('><x:b href="https://editor:s3cret@www.example.com/a"/>'),
    (' href="https://editor&#58;s3cret&#64;www.example.com/a">'),
    (' href="https:/editor:s3cret@www.example.com/a">'),
    (' href="https:\\editor:s3cret@www.example.com/a">'),
    ('>see https://editor:s3cret@www.example.com/a'),
    ('><x:by>https://www.example.com:8080 by editor@www.example.com</x:by>'),
    (' by="editor@www.example.com">')
  ) v (xml);
SELECT pg_temp.brief(format('SELECT sitemap_agg(%L::xml)', '<url><loc>https://editor:s3cret@www.example.com/a</loc></url>'));
SELECT pg_temp.error($$ SELECT FROM sitemap_files('SELECT ''https://editor:s3cret@a/'' COLLATE "C" AS key, ''ftp://a'' AS loc', 'http://a/', split => 'stable') $$);

-- Of a long value a message shows the beginning.
SELECT pg_temp.error(format('SELECT sitemap_url(%L)', 'ftp://' || repeat('ü', 200)));

-- What looks like a relative reference and was never meant as one, or what a
-- browser cannot open: refused as an element and in a set, and audited.
CREATE TEMP TABLE refused (id serial, url text);
INSERT INTO refused (url) VALUES (U&'\FEFFhttps://www.example.com/a'), ('"https://www.example.com/a"'), ('://www.example.com/a'),
  ('127.0.0.1:8080/a'), ('https://evil.example\@www.example.com/'), ('//evil.example\@www.example.com/'), ('https://192.168.0.257/');
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
INSERT INTO dots (url) VALUES ('/%2E'), ('%2e./a'), ('https://www.example.com/a/%2E%2E#b'), ('/a/%2E%2E%2E/b'), ('/a?b=/%2E/');
SELECT id, url, pg_temp.brief(format('SELECT FROM sitemap_files(%L, ''https://www.example.com/'')', format('SELECT %L AS loc', url))) FROM dots ORDER BY id;
SELECT row_number, problem, detail FROM sitemap_audit('SELECT url AS loc FROM dots ORDER BY id', 'https://www.example.com/');
SELECT pg_temp.text(content) FROM sitemap_files('SELECT url AS loc FROM dots ORDER BY id', 'https://www.example.com/', format => 'txt', on_invalid => 'skip');
SELECT pg_temp.brief($$ SELECT sitemap_image('https://www.example.com/%2E/a') $$), pg_temp.brief($$ SELECT sitemap_alternate('en', 'https://www.example.com/a/%2E%2e') $$),
       pg_temp.brief($$ SELECT FROM sitemap_files('SELECT ''/'' AS loc', 'https://www.example.com/a/%2E%2E/') $$);
SELECT problem, detail FROM sitemap_audit($$ SELECT '/' AS loc, '{/%2E}'::text[] AS images, '{"en": "/", "de": "/a/%2E%2E"}'::jsonb AS alternates $$, 'https://www.example.com/');
