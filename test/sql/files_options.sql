--
-- sitemap_files: base_url, scope, and what each option refuses.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TEMP TABLE page AS SELECT '/p/' || n AS loc FROM generate_series(1, 10) n;

-- A relative loc is resolved against base_url.
SELECT replace(pg_temp.text(content), E'\n', ' ')
  FROM sitemap_files($$
         SELECT loc
           FROM (VALUES
             ('/item/7'),
             ('item/8'),
             ('./9'),
             ('../10'),
             ('../../../11'),
             ('?q=1 2'),
             ('#x'),
             ('//www.example.com/12'),
             ('http://www.example.com/13'),
             ('/a/../b/./c'),
             ('/ü'),
             ('//www.example.com'),
             ('/a:b')
           ) v (loc)
       $$, 'http://www.example.com/shop/maps', format => 'txt');

-- But not one that has lost its scheme, or has another.
SELECT pg_temp.error(format('SELECT sitemap_files(%L, %L)',
                            format('SELECT ''/''::text AS loc UNION ALL SELECT %L', l),
                            'http://www.example.com/'))
  FROM (VALUES
    (''),
    ('www.example.com/a'),
    ('localhost:8080/a'),
    ('mailto:a@b.de'),
    ('http:///a'),
    ('//')
  ) v (l);

-- scope: the same scheme, host and port; or below the path; or anywhere.
SELECT s, l, CASE WHEN e LIKE 'no error%' THEN 'fine' ELSE e END
  FROM (VALUES (1, 'host'), (2, 'path'), (3, 'any')) o (i, s),
  (VALUES
    (1, 'https://www.example.com/shop/a'),
    (2, 'HTTPS://WWW.EXAMPLE.COM:443/shop/a'),
    (3, 'https://www.example.com/shop/'),
    (4, 'https://www.example.com/shop'),
    (5, 'https://www.example.com/'),
    (6, 'https://www.example.com'),
    (7, '/a'),
    (8, 'b'),
    (9, 'http://www.example.com/shop/a'),
    (10, 'https://example.com/shop/a'),
    (11, 'https://www.example.com:8443/shop/a'),
    (12, 'https://www.example.com.evil/shop/'),
    (13, 'https://www.example.com@evil/shop/'),
    (14, 'https://u:p@www.example.com/shop/a'),
    (15, 'https://www.example.com/shop/../a'),
    (16, 'https://www.example.com/shopping')
  ) u (j, l),
  pg_temp.brief(format('SELECT sitemap_files(%L, %L, scope => %L)',
                       format('SELECT %L AS loc', l), 'https://www.example.com/shop/', s)) e
 ORDER BY i, j;
SELECT pg_temp.error($$ SELECT sitemap_files('SELECT ''http://b/'' AS loc', 'http://a/') $$);

-- A site has one base_url: its host is in lower case, and it has no default port.  A loc stays as it is.
SELECT given, f.base_url, f.loc, rtrim(pg_temp.text(content), E'\n')
  FROM (VALUES
    (1, 'HTTPS://WWW.Example.COM'),
    (2, 'https://www.example.com:443/'),
    (3, 'https://www.example.com:'),
    (4, 'https://www.example.com:0443'),
    (5, 'https://www.example.com./'),
    (6, 'https://www.example.com:08443/Shop'),
    (7, 'http://www.example.com:443/Shop/%c3%a9/../'),
    (8, 'https://WWW.Example.COM:80/%7EA'),
    (9, 'http://[2001:DB8::1]:80/')
  ) v (n, given),
  sitemap_files('SELECT unnest(''{/a,//WWW.Example.com:443/b,HTTPS://WWW.Example.com/c}''::text[]) AS loc', given, format => 'txt', scope => 'any') f
 ORDER BY n;

-- Case does not matter to an option of words, nor do the blanks around it.
SELECT name FROM sitemap_files('SELECT ''/'' AS loc', 'http://a/', format => 'TXT', split => ' Full ', index => E'Never\n');

-- Each option refuses what it cannot be.
SELECT pg_temp.error(format('SELECT sitemap_files(''SELECT loc FROM page'', ''http://a/'', %s)', o))
  FROM (VALUES
    ($$section => ''$$),
    ($$section => '.a'$$),
    ($$section => 'a/b'$$),
    ($$section => 'a b'$$),
    ($$section => '..'$$),
    ($$section => 'ü'$$),
    ($$section => repeat('x', 201)$$),
    ($$format => 'xm l'$$),
    ($$format => 'html'$$),
    ($$compression => -1$$),
    ($$compression => 10$$),
    ($$max_urls => 0$$),
    ($$max_urls => 50001$$),
    ($$max_bytes => 0$$),
    ($$max_bytes => 52428801$$),
    ($$split => 'half'$$),
    ($$index => 'yes'$$),
    ($$on_invalid => 'ignore'$$),
    ($$scope => 'site'$$),
    ($$protocol => '0.90'$$),
    ($$protocol => '1.0'$$)
  ) v (o);
SELECT pg_temp.error('SELECT sitemap_files(''SELECT loc FROM page'', ' || b || ')')
  FROM (VALUES
    ($$NULL$$),
    ($$''$$),
    ($$'/'$$),
    ($$'www.example.com'$$),
    ($$'ftp://a/'$$),
    ($$'http://'$$),
    ($$'http://a/?x'$$),
    ($$'http://a/#x'$$),
    ($$'http://u@a/'$$),
    ($$'http://a/' || repeat('x', 1900)$$),
    ($$'https://www.example.com/sitemap.xml'$$),
    ($$' http://a/b/Sitemap-1.XML.gz '$$),
    ($$'http://a/sitemap.txt'$$),
    ($$'http://a/sitemap.txt.gz'$$),
    ($$'sitemap.xml'$$)
  ) v (b);
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
