-- sitemap_files: names, splitting, indexes, each option.
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir /sql/include/helpers.sql
\i :helpers
-- one row for each file: all but the content, which is text below
CREATE FUNCTION pg_temp.show(f sitemap_file) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ', f.name, f.kind, f.loc, coalesce(to_char(f.lastmod AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'), '-'), f.url_count, f.byte_count, f.byte_count = octet_length(f.content)) $$;
CREATE TEMP TABLE page AS SELECT n AS id, '/p/' || n AS loc, timestamptz '2026-01-02 03:04:05.678+00' + n * interval '1 day' AS lastmod FROM generate_series(1, 10) n;
-- one file
SELECT section, pg_temp.show(f), digest, pg_temp.text(content) FROM sitemap_files('SELECT loc, lastmod FROM page WHERE id <= 2 ORDER BY id', 'https://www.example.com/') f;
-- no rows, no files; NULL locs are no rows
SELECT count(*) FROM sitemap_files('SELECT loc FROM page WHERE false', 'https://www.example.com/', index => 'always');
SELECT count(*) FROM sitemap_files('SELECT NULL::text AS loc FROM page', 'https://www.example.com/', index => 'always');
SELECT pg_temp.text(content) FROM sitemap_files('SELECT CASE WHEN id <> 2 THEN loc END AS loc, CASE id WHEN 2 THEN ''nonsense'' END AS changefreq FROM page WHERE id < 4 ORDER BY id', 'https://www.example.com/');
-- several files and their index
SELECT pg_temp.show(f), pg_temp.text(content) FROM sitemap_files('SELECT loc, lastmod FROM page ORDER BY id', 'https://www.example.com/', max_urls => 4) f;
-- the same with everything else: section, gzip, txt, directories
SELECT pg_temp.show(f) FROM sitemap_files('SELECT loc FROM page', 'https://www.example.com/maps', 'products_1.a-b~c', max_urls => 9) f;
SELECT name, kind, loc, url_count, byte_count, encode(substr(content, 1, 8), 'hex') FROM sitemap_files('SELECT loc FROM page', 'https://www.example.com/maps/', compression => 9, max_urls => 9) f;
SELECT pg_temp.show(f), pg_temp.text(content) FROM sitemap_files('SELECT loc, lastmod FROM page ORDER BY id', 'https://www.example.com/', format => 'txt', max_urls => 9) f;
SELECT name, kind, loc, url_count, lastmod IS NULL FROM sitemap_files('SELECT loc, lastmod FROM page', 'https://www.example.com/', format => 'txt', compression => 1, max_urls => 9) f;
SELECT pg_temp.show(f) FROM sitemap_files('SELECT loc, lastmod FROM page', 'https://www.example.com/', format => 'txt') f;
-- index
SELECT i, m, string_agg(name || ' ' || kind, ', ' ORDER BY n) FROM unnest('{auto,always,never}'::text[]) i, unnest('{10,9}'::int[]) m,
	sitemap_files('SELECT loc FROM page', 'https://www.example.com/', index => i, max_urls => m) WITH ORDINALITY AS f (section, name, kind, loc, lastmod, url_count, byte_count, digest, content, n)
 GROUP BY i, m ORDER BY i, m DESC;
SELECT pg_temp.text(content) FROM sitemap_files('SELECT loc FROM page LIMIT 1', 'https://www.example.com/', index => 'always');
-- a file of exactly max_urls is whole
SELECT m, string_agg(url_count::text, ' ' ORDER BY n) FROM unnest('{1,2,3,5,9,10,11}'::int[]) m,
	sitemap_files('SELECT loc FROM page', 'https://www.example.com/', max_urls => m) WITH ORDINALITY AS f (section, name, kind, loc, lastmod, url_count, byte_count, digest, content, n) GROUP BY m ORDER BY m;
SELECT string_agg(url_count || ' ' || kind, ', ' ORDER BY name) FROM sitemap_files('SELECT ''/'' || n AS loc FROM generate_series(1, 50000) n', 'http://a/');
SELECT string_agg(url_count || ' ' || kind, ', ' ORDER BY name) FROM sitemap_files('SELECT ''/'' || n AS loc FROM generate_series(1, 50001) n', 'http://a/');
-- a file of exactly max_bytes is whole; header and footer count, gzip does not
SELECT format, compression, d, string_agg(kind || ' ' || url_count || ' ' || CASE WHEN byte_count <= size + d THEN 'fits' ELSE 'TOO LARGE' END, ', ' ORDER BY n)
  FROM (SELECT format, byte_count AS size FROM unnest('{xml,txt}'::text[]) format, sitemap_files('SELECT loc, lastmod FROM page ORDER BY id', 'https://www.example.com/', format => format)) s,
	unnest('{0,6}'::int[]) compression, unnest('{1,0,-1}'::int[]) d,
	sitemap_files('SELECT loc, lastmod FROM page ORDER BY id', 'https://www.example.com/', format => format, compression => compression, max_bytes => size + d, index => 'never')
		WITH ORDINALITY AS f (section, name, kind, loc, lastmod, url_count, byte_count, digest, content, n)
 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 DESC;
-- both limits at once, and a namespace that makes the header longer
SELECT d, string_agg(url_count || ' ' || (byte_count <= size + d), ', ' ORDER BY n)
  FROM (SELECT 'SELECT loc, CASE id WHEN 3 THEN ARRAY[sitemap_image(''http://i/'')] END AS extensions FROM page WHERE id <= 3 ORDER BY id' AS query) q,
	LATERAL (SELECT byte_count AS size FROM sitemap_files(query, 'https://www.example.com/')) s, unnest('{0,-1}'::int[]) d,
	sitemap_files(query, 'https://www.example.com/', max_bytes => size + d, index => 'never')
		WITH ORDINALITY AS f (section, name, kind, loc, lastmod, url_count, byte_count, digest, content, n) GROUP BY d ORDER BY d DESC;
-- an entry that fits into no file is invalid
SELECT pg_temp.error($$ SELECT sitemap_files('SELECT loc FROM page ORDER BY id', 'https://www.example.com/', max_bytes => 156) $$);
SELECT pg_temp.show(f), pg_temp.text(content) FROM sitemap_files('SELECT loc FROM page ORDER BY id', 'https://www.example.com/', max_bytes => 156, index => 'never', on_invalid => 'skip') f WHERE name LIKE '%-9.xml';
-- 52,428,800 bytes, though max_urls would allow more
SELECT kind, url_count, byte_count, length(content) = byte_count FROM sitemap_files('SELECT ''/'' || n || repeat(''x'', 1990) AS loc FROM generate_series(100001, 130000) n', 'http://a/');
-- several indexes: 50,000 sitemaps in each
SELECT kind, count(*), min(name), max(name), sum(url_count) FROM sitemap_files('SELECT ''/'' || n AS loc FROM generate_series(1, 50001) n', 'http://a/', max_urls => 1) GROUP BY kind ORDER BY kind;
SELECT name, url_count, substring(pg_temp.text(content) FROM '<sitemap>.*?</sitemap>'), right(pg_temp.text(content), 70), n
  FROM sitemap_files('SELECT ''/'' || n AS loc, date ''2026-01-01'' AS lastmod FROM generate_series(1, 50001) n', 'http://a/', max_urls => 1)
	WITH ORDINALITY AS f (section, name, kind, loc, lastmod, url_count, byte_count, digest, content, n) WHERE kind = 'index' ORDER BY n;
-- protocol 0.84: other namespace, 1,000 sitemaps in an index, 10,485,760 bytes, dates of 10 to 25 characters, no extensions
SELECT pg_temp.show(f), pg_temp.text(content) FROM sitemap_files('SELECT loc, lastmod, ''daily'' AS changefreq, 0.5 AS priority FROM page WHERE id < 3', 'https://www.example.com/', max_urls => 1, protocol => '0.84') f;
SELECT name, url_count FROM sitemap_files('SELECT ''/'' || n AS loc FROM generate_series(1, 2001) n', 'http://a/', max_urls => 1, protocol => '0.84', section => 's') WHERE kind = 'index';
SELECT kind, url_count, byte_count <= 10485760 FROM sitemap_files('SELECT ''/'' || n || repeat(''x'', 1990) AS loc FROM generate_series(100001, 106000) n', 'http://a/', protocol => '0.84');
SELECT pg_temp.text(content) FROM sitemap_files($$ SELECT '/' AS loc, t AS lastmod FROM (VALUES ('2026-01-02'), ('2026-01-02T03:04:05+00:00')) v (t) $$, 'http://a/', protocol => '0.84');
SELECT pg_temp.error(format('SELECT sitemap_files(%L, %L, protocol => %L)', format('SELECT %L AS loc, %L AS lastmod', '/', t), 'http://a/', '0.84')) FROM (VALUES ('2026'), ('2026-01'), ('2026-01-02T03:04:05.6+00:00')) v (t);
SELECT pg_temp.error($$ SELECT sitemap_files('SELECT loc, ARRAY[sitemap_image(''http://i'')] AS extensions FROM page', 'http://a/', protocol => '0.84') $$);
-- stylesheet
SELECT s, left(pg_temp.text(content), 140) FROM unnest('{style.css,/a/style.XSL?v=1&w=2#x," https://www.example.com/ü b.xslt ","a''\"<>{}.css"}'::text[]) s, sitemap_files('SELECT loc FROM page', 'http://a/', stylesheet => s);
SELECT kind, pg_temp.text(content) LIKE '%?><?xml-stylesheet type="text/css" href="s.css"?><%' FROM sitemap_files('SELECT loc FROM page', 'http://a/', stylesheet => 's.css', max_urls => 5);
SELECT pg_temp.text(content) FROM sitemap_files('SELECT loc FROM page LIMIT 1', 'http://a/', format => 'txt', stylesheet => 's.css');
SELECT pg_temp.error(format('SELECT sitemap_files(%L, %L, stylesheet => %L)', 'SELECT loc FROM page', 'http://a/', s)) FROM unnest(ARRAY['', ' ', 'style', 'style.js', '.css', 'a?>.css', 'a.css?x=?>', 'css', repeat('x', 3000) || '.css']) s;
-- relative locs
SELECT replace(pg_temp.text(content), E'\n', ' ') FROM sitemap_files($$ SELECT loc FROM (VALUES ('/item/7'), ('item/8'), ('./9'), ('../10'), ('../../../11'), ('?q=1 2'), ('#x'), ('//www.example.com/12'), ('http://www.example.com/13'),
	('/a/../b/./c'), ('/ü'), ('//www.example.com'), ('a:b'), ('/a:b')) v (loc) WHERE loc <> 'a:b' $$, 'http://www.example.com/shop/maps', format => 'txt');
SELECT pg_temp.error(format('SELECT sitemap_files(%L, %L)', format('SELECT ''/''::text AS loc UNION ALL SELECT %L', l), 'http://www.example.com/')) FROM unnest('{"",www.example.com/a,mailto:a@b.de,http:///a,//}'::text[]) l;
-- scope
SELECT s, l, CASE WHEN e LIKE 'no error%' THEN 'fine' ELSE e END FROM unnest('{host,path,any}'::text[]) WITH ORDINALITY AS o (s, i),
	unnest('{https://www.example.com/shop/a,HTTPS://WWW.EXAMPLE.COM:443/shop/a,https://www.example.com/shop/,https://www.example.com/shop,https://www.example.com/,https://www.example.com,/a,b,
	http://www.example.com/shop/a,https://example.com/shop/a,https://www.example.com:8443/shop/a,https://www.example.com.evil/shop/,https://www.example.com@evil/shop/,https://u:p@www.example.com/shop/a,https://www.example.com/shop/../a,https://www.example.com/shopping}'::text[]) WITH ORDINALITY AS u (l, j),
	pg_temp.brief(format('SELECT sitemap_files(%L, %L, scope => %L)', format('SELECT %L AS loc', l), 'https://www.example.com/shop/', s)) e ORDER BY i, j;
SELECT pg_temp.error($$ SELECT sitemap_files('SELECT ''http://b/'' AS loc', 'http://a/') $$);
-- on_invalid
CREATE TEMP TABLE odd (id serial, loc text, lastmod text, changefreq text, priority numeric, extensions xml[]);
INSERT INTO odd (loc, lastmod, changefreq, priority, extensions) VALUES ('/1', '2026', 'daily', 0.5, NULL), ('/2', '2026-02-30', 'daily', 0.5, NULL), ('ftp://a/', '2027', 'x', 2, NULL), ('/4', '2026-01', 'sometimes', 7, NULL),
	(NULL, 'x', 'x', 9, NULL), ('/6', NULL, NULL, 'NaN', ARRAY['<a/>', sitemap_image('http://i'), sitemap_news('n', 'en', '2026', 't'), sitemap_news('n', 'en', '2026', 't')]::xml[]), ('/7', 'infinity', '', NULL, NULL),
	('http://b/', NULL, NULL, NULL, NULL), ('/9' || repeat('x', 2048), NULL, NULL, NULL, NULL);
SET client_min_messages = notice;
SELECT pg_temp.show(f), pg_temp.text(content) FROM sitemap_files('SELECT loc, lastmod, changefreq, priority, extensions FROM odd ORDER BY id', 'http://a/', on_invalid => 'skip') f;
SELECT pg_temp.text(content) FROM sitemap_files('SELECT loc FROM odd WHERE id IN (1, 3) ORDER BY id', 'http://a/', on_invalid => 'skip') f;
SELECT pg_temp.text(content) FROM sitemap_files('SELECT loc, changefreq FROM odd WHERE id IN (1, 4) ORDER BY id', 'http://a/', on_invalid => 'skip') f;
SELECT count(*) FROM sitemap_files('SELECT loc FROM odd WHERE id IN (3, 8)', 'http://a/', on_invalid => 'skip') f;
SELECT pg_temp.text(content) FROM sitemap_files('SELECT url FROM (VALUES (NULL::xml), (''<url><loc>/1</loc><priority>x</priority></url>''), (''<url/>''), (''<a/>''), (''<url><loc>/5</loc></url>'')) v (url)', 'http://a/', on_invalid => 'skip');
SELECT count(*) FROM sitemap_files('SELECT loc FROM odd WHERE id = 1', 'http://a/', on_invalid => 'skip') f;
SET client_min_messages = warning;
SELECT pg_temp.error(format('SELECT sitemap_files(%L, %L)', format('SELECT loc, lastmod, changefreq, priority, extensions FROM odd WHERE id IN (1, %s) ORDER BY id', id), 'http://a/')) FROM odd WHERE id BETWEEN 2 AND 8 ORDER BY id;
-- each option refuses what it cannot be
SELECT pg_temp.error(format('SELECT sitemap_files(''SELECT loc FROM page'', ''http://a/'', %s)', o)) FROM unnest(ARRAY['section => ''''', 'section => ''.a''', 'section => ''a/b''', 'section => ''a b''', 'section => ''..''', 'section => ''ü''',
	'section => repeat(''x'', 201)', 'section => NULL', 'format => ''XML''', 'format => ''html''', 'format => NULL', 'compression => -1', 'compression => 10', 'compression => NULL', 'max_urls => 0', 'max_urls => 50001', 'max_urls => NULL',
	'max_bytes => 0', 'max_bytes => 52428801', 'max_bytes => NULL', 'split => ''half''', 'split => NULL', 'index => ''yes''', 'index => NULL', 'on_invalid => ''ignore''', 'on_invalid => NULL', 'scope => ''site''', 'scope => NULL',
	'protocol => ''0.90''', 'protocol => ''1.0''', 'protocol => NULL']) o;
SELECT pg_temp.error('SELECT sitemap_files(''SELECT loc FROM page'', ' || b || ')') FROM unnest(ARRAY['NULL', '''''', '''/''', '''www.example.com''', '''ftp://a/''', '''http://''', '''http://a/?x''', '''http://a/#x''', '''http://u@a/''', '''http://a/'' || repeat(''x'', 1900)']) b;
SELECT pg_temp.error('SELECT sitemap_files(NULL, ''http://a/'')');
-- digest: of the uncompressed bytes, whatever became of them
SELECT count(DISTINCT digest), count(DISTINCT name), bool_and(digest ~ '^[0-9a-f]{16,}$') FROM unnest('{0,1,9}'::int[]) c, sitemap_files('SELECT loc FROM page ORDER BY id', 'http://a/', compression => c);
SELECT count(DISTINCT digest) FROM unnest('{9,10}'::int[]) n, sitemap_files('SELECT loc FROM page WHERE id <= ' || n, 'http://a/');
-- the same rows, the same bytes
SELECT c, count(DISTINCT content) FROM unnest('{0,1,6,9}'::int[]) c, generate_series(1, 3), sitemap_files('SELECT loc FROM page ORDER BY id', 'http://a/', compression => c) GROUP BY c ORDER BY c;
-- one line
SELECT bool_and(pg_temp.text(content) !~ E'[\n\r\t\\\\]') FROM sitemap_files($$ SELECT E'/\\\n\t\rx' AS loc, ARRAY[sitemap_image('http://i', E'\\\n\t\rx')] AS extensions FROM generate_series(1, 3) $$, 'http://a/', max_urls => 2, stylesheet => E'a\\\nb.css');
