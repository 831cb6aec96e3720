--
-- sitemap_files: base_url, scope, and what each option refuses.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TEMP TABLE page AS SELECT '/p/' || n AS loc FROM generate_series(1, 10) n;

-- A relative loc is resolved against base_url.
SELECT replace(pg_temp.text(content), E'\n', ' ')
  FROM sitemap_files($$
         SELECT unnest('{/item/7,./item/8,./9,../../../11,?q=1 2,./#x,//www.example.com/12,/a/../b/./c,/ü,/a:b}'::text[]) AS loc
       $$, 'http://www.example.com/shop/maps', format => 'txt');

-- But not one that has lost its scheme, or has another.
SELECT pg_temp.error(format('SELECT sitemap_files(%L, %L)',
                            format('SELECT ''/''::text AS loc UNION ALL SELECT %L', l),
                            'http://www.example.com/'))
  FROM unnest('{"",www.example.com/a,localhost:8080/a,mailto:a@b.de,http:///a,//}'::text[]) l;

-- scope: the same scheme, host and port; or below the path; or anywhere.
SELECT s, l, CASE WHEN e LIKE 'no error%' THEN 'fine' ELSE e END
  FROM unnest('{host,path,any}'::text[]) WITH ORDINALITY o (s, i),
       unnest('{HTTPS://WWW.EXAMPLE.COM:443/shop/a,https://www.example.com/shop,/a,b,./b,http://www.example.com/shop/a,https://example.com/shop/a,
                https://www.example.com:8443/shop/a,https://www.example.com@evil/shop/,https://u:p@www.example.com/shop/a,
                https://www.example.com/shop/../a,https://www.example.com/shopping}'::text[]) WITH ORDINALITY u (l, j),
       pg_temp.brief(format('SELECT sitemap_files(%L, %L, scope => %L)',
                            format('SELECT %L AS loc', l), 'https://www.example.com/shop/', s)) e
 ORDER BY i, j;
SELECT pg_temp.error($$ SELECT sitemap_files('SELECT ''http://b/'' AS loc', 'http://a/') $$);

-- A site has one base_url: its host is in lower case, and it has no default port.  A loc stays as it is.
SELECT given, f.base_url, f.loc, rtrim(pg_temp.text(content), E'\n')
  FROM unnest('{HTTPS://WWW.Example.COM,https://www.example.com:443/,https://www.example.com:,https://www.example.com:0443,https://www.example.com./,
                https://www.example.com:08443/Shop,http://www.example.com:443/Shop/%c3%a9/../,https://WWW.Example.COM:80/%7EA,
                http://[2001:DB8::1]:80/}'::text[]) WITH ORDINALITY u (given, n),
       sitemap_files('SELECT unnest(''{/a,//WWW.Example.com:443/b,HTTPS://WWW.Example.com/c}''::text[]) AS loc', given, format => 'txt', scope => 'any') f
 ORDER BY n;

-- Case does not matter to an option of words, nor do the blanks around it.
SELECT name FROM sitemap_files('SELECT ''/'' AS loc', 'http://a/', format => 'TXT', split => ' Full ', index => E'Never\n');

-- Each option refuses what it cannot be.
SELECT pg_temp.error(format('SELECT sitemap_files(''SELECT loc FROM page'', ''http://a/'', %s)', o))
  FROM unnest(ARRAY[
         $$section => ''$$, $$section => '.a'$$, $$section => 'a/b'$$, $$section => 'a b'$$, $$section => '..'$$, $$section => 'ü'$$, $$section => repeat('x', 201)$$,
         $$format => 'xm l'$$, $$format => 'html'$$, $$compression => -1$$, $$compression => 10$$, $$max_urls => 0$$, $$max_urls => 50001$$,
         $$max_bytes => 0$$, $$max_bytes => 52428801$$, $$split => 'half'$$, $$index => 'yes'$$, $$on_invalid => 'ignore'$$, $$scope => 'site'$$,
         $$protocol => '0.90'$$, $$protocol => '1.0'$$]) o;
SELECT pg_temp.error('SELECT sitemap_files(''SELECT loc FROM page'', ' || b || ')')
  FROM unnest(ARRAY[
         'NULL', $$''$$, $$'/'$$, $$'www.example.com'$$, $$'ftp://a/'$$, $$'http://'$$, $$'http://a/?x'$$, $$'http://a/#x'$$, $$'http://u@a/'$$,
         $$'http://a/' || repeat('x', 1900)$$, $$'https://www.example.com/sitemap.xml'$$, $$' http://a/b/Sitemap-1.XML.gz '$$,
         $$'http://a/sitemap.txt'$$, $$'http://a/sitemap.txt.gz'$$, $$'sitemap.xml'$$]) b;
SELECT pg_temp.error('SELECT sitemap_files(NULL, ''http://a/'')');
-- A directory can have such a name, with a slash, and so can a host.
SELECT b, loc
  FROM unnest('{http://a/sitemap.xml/,http://a.txt,http://a/xml,http://a/b.xml/c}'::text[]) b,
       sitemap_files('SELECT ''/''::text AS loc', b);

-- An option that is NULL has its default.
SELECT count(*), sum((a = b)::int)
  FROM (SELECT row_number() OVER (), f::text AS a
          FROM sitemap_files('SELECT loc FROM page', 'http://a/', section => NULL, format => NULL, compression => NULL, max_urls => NULL, max_bytes => NULL,
                             split => NULL, index => NULL, on_invalid => NULL, scope => NULL, stylesheet => NULL, protocol => NULL) f) given
  FULL JOIN (SELECT row_number() OVER (), f::text AS b FROM sitemap_files('SELECT loc FROM page', 'http://a/') f) missing USING (row_number);

-- Of a long value a message shows the beginning.
SELECT o, length(pg_temp.brief(format('SELECT sitemap_files(''SELECT 1'', ''http://a/'', %s => repeat(''é'', 1000000))', o)))
  FROM unnest('{section,format,split,index,on_invalid,scope,stylesheet,protocol}'::text[]) o;
SELECT length(pg_temp.brief($$ SELECT sitemap_files('SELECT 1', repeat('é', 1000000)) $$)),
       length(pg_temp.error($$ SELECT sitemap_export(repeat('é', 1000000), 'SELECT 1') $$)),
       length(pg_temp.error($$ SELECT sitemap_export(repeat('/é', 1000000), 'SELECT 1') $$));
