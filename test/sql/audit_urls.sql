--
-- sitemap_audit: URLs that look like mistakes, and the canonical form of URLs.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- Each loc with what is found in it.
CREATE FUNCTION pg_temp.found(VARIADIC locs text[]) RETURNS TABLE (loc text, problem text, detail text)
LANGUAGE sql AS $$
  SELECT to_json(l.loc)::text, a.problem, a.detail
    FROM unnest(locs) WITH ORDINALITY l (loc, n)
         LEFT JOIN sitemap_audit(format('SELECT unnest(%L::text[]) AS loc', locs), 'https://www.example.com/shop/') a ON a.row_number = l.n
   ORDER BY l.n, a.problem COLLATE "C"
$$;
-- Locs with nothing to find, so the result is empty.
CREATE FUNCTION pg_temp.clean(VARIADIC locs text[]) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT loc || ' ' || problem || ' ' || detail FROM pg_temp.found(VARIADIC locs) WHERE problem IS NOT NULL
$$;

-- What a template failed to fill in: words.
SELECT loc, problem, detail FROM pg_temp.found(
  '/undefined', '/a/NULL', '/NaN/b', '/a?id=nil', '/a?id=undefined', '/a?x=1&id=null&y', '/a?id=None#b', '/(null)', '/%3Cnull%3E', '/"null"',
  '/undefined.html', '/a/undefined.jpg?w=1', '/null-null', '/undefined%20undefined', '/n%75ll', '/[object Object]', '/a-[object%20Promise]-b', '/a?b=[object+Object]', '/a?b=undefined+undefined');
SELECT pg_temp.clean(
  '/nil', '/null-pointer', '/undefined-behaviour', '/nullable', '/nonesuch', '/nano', '/nan-bread', '/nile', '/none-of-us', '/a?undefined', '/a?null=1',
  '/dev-null', '/a?q=null+pointer', '/nil.example.html.gz', '/unnullified', '/news/users/nut/', '/a?n=nullo&u=unix', '/annul', '/a;null');

-- Placeholders.
SELECT loc, problem, detail FROM pg_temp.found(
  '/{{ slug }}', '/%7B%7Bslug%7D%7D/b', '/a/{slug}', '/a-{id}.html', '/${id}', '/#{id}', '/a?id={id}', '/{0}', '/{}', '/{% url %}', '/@{a}', '/%{a}', '/{{ a',
  '/<%= id %>', '/<?= $id ?>', '/<slug>', '/<int:id>', '/a</b>', '/:slug', '/user/:id/edit', '/:id.json', '/%3Aslug', '/a?id=:id', '/:a-:b',
  '/%s', '/a/%d/b', '/a-%s', '/%(slug)s', '/%1$s', '/%postname%/', '/a/%25s', '/%@', '/[slug]', '/[...slug]', '/%5B%5Bslug%5D%5D', '/a?id=[id]');
SELECT pg_temp.clean(
  '/100%', '/50%-off', '/50%25-sale', '/100%s', '/12:30', '/Category:Tea', '/a:b', '/a?t=10:20', '/:', '/:-)', '/a[1]', '/a?x[]=1&y[a]=2', '/[1]', '/$5', '/a$',
  '/{3F2504E0-4F89-11D3-9A0C-0305E82C3301}', '/%7B3F2504E04F8911D39A0C0305E82C3301%7D', '/10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2',
  '/a?j={"a":1}', '/a?b=c<d', '/a/%-%/', '/a{', '/a}', '/{1, 2}', '/a{b?c=d}', '/x<y or 5 >', '/[DE]-[244]', '/x@y', '/@user', '/a(b)');

-- Values that a program should have filled in.
SELECT loc, problem, detail FROM pg_temp.found(
  '/search?keywords=''+ searched_value +''', '/search?keywords=''+%20searched_value%20+''', '/open?nid=placeholder', '/a?x=$id', '/a?x=<?php echo $id ?>');
SELECT pg_temp.clean('/placeholder-images', '/placeholder', '/a?q=placeholder+text', '/a?q=$AAPL', '/a?q=$uicideboy$', '/a?q=''quoted''', '/$ID');

-- Percent-encoded twice.
SELECT loc, problem, detail FROM pg_temp.found(
  '/' || sitemap_encode('nginx-ssl%e8%af%81'), '/' || sitemap_encode('caf%C3%A9'), '/a%252Fb', '/a%2520b', '/x?u=https%253A%252F%252Fy');
SELECT pg_temp.clean('/100%25-cotton', '/50%25-off-70%25', '/%2520-indirim', '/100%25acrylic', '/caf%C3%A9', '/a%2Fb', '/100%25%20wool');

-- Sessions and visitors.
SELECT loc, problem, detail FROM pg_temp.found(
  '/a?PHPSESSID=1a', '/a?b=1&sid=0123456789abcdef0123456789abcdef', '/a;jsessionid=1A2B?c', '/a?utm_source=mail&utm_medium=b', '/a?b=1&gclid=x');
SELECT pg_temp.clean('/a?sid=12', '/session?id=1', '/a?session=spring', '/utm_source', '/a?utm=zone-32', '/a?b=gclid');

-- Error pages, unless the set has pages with numbers.
SELECT loc, detail FROM unnest('{/404,/404.html,/404/,/en/404,/500.html,/error-404,/404-not-found,/offline.html,/not-found/}'::text[]) v,
       sitemap_audit(format('SELECT %L AS loc', v), 'https://www.example.com/');
SELECT loc, detail FROM sitemap_audit('SELECT unnest(''{/404,/en/500/,/product/1,/a-2}''::text[]) AS loc', 'https://www.example.com/');
SELECT pg_temp.clean('/403', '/404-ways', '/item/404', '/not-found-in-nature', '/offline', '/errors.html', '/a?b=404', '/404/a', '/blog/2024/404');
SELECT format, count(detail) FROM unnest('{/%s,/%s.html,/en/%s,/%s/}'::text[]) format
       LEFT JOIN LATERAL sitemap_audit(format('SELECT format(%L, n) AS loc FROM generate_series(1, 600) n', format), 'https://www.example.com/') ON true
 GROUP BY 1 ORDER BY 1;

-- Hosts that are not public, each once.
SELECT base, row_number, problem, detail
  FROM unnest('{http://localhost:3000/,http://127.0.0.1/,https://192.168.1.5/,https://10.0.0.7/,https://shop.local/,https://shop.test/,https://shop.internal/,https://web/,https://[::1]/,
                https://www.example.com/,https://8.8.8.8/,https://[2001:db8::1]/}'::text[]) base
       LEFT JOIN LATERAL sitemap_audit('SELECT ''/a'' AS loc', base) ON true;
SELECT row_number, problem, detail
  FROM sitemap_audit($$SELECT '/' || n AS loc, ARRAY['http://localhost:9000/b/' || n, 'http://cdn.example/' || n, 'http://10.0.0.' || n % 3 || '/'] AS images,
                              jsonb_build_object('en', '/' || n, 'de', 'https://de.local/' || n) AS alternates
                         FROM generate_series(1, 100) n$$, 'https://www.example.com/');
SELECT row_number, problem, detail FROM sitemap_audit('SELECT unnest(''{http://web/a,http://web/b,/c}''::text[]) AS loc', 'http://www.example.com/', scope => 'any');

-- HTML in texts.
SELECT row_number, problem, detail
  FROM sitemap_audit($$
         SELECT '/a' AS loc, '[{"loc": "/i", "title": "R&amp;D", "caption": "<b>New</b>"}, {"loc": "/j", "title": "R&D", "caption": "a < b > c"}]'::jsonb AS images, NULL::jsonb AS videos, NULL::jsonb AS news
          UNION ALL
         SELECT '/b', NULL, '{"thumbnail_loc": "/t", "title": "Caf&eacute;", "description": "one<br>two", "content_loc": "/v", "uploader": "Q&A; more", "gallery_loc": "/g", "gallery_loc_title": "&#8211;"}', NULL
          UNION ALL
         SELECT '/c', NULL, NULL, jsonb_build_object('publication_name', 'The &quot;Times&quot;', 'publication_language', 'en', 'publication_date', now(), 'title', 'AT&T; Tom & Jerry')$$,
         'https://www.example.com/');
-- What is looked at of a long text, and up to which length at URLs.
SELECT row_number, problem, left(detail, 50) FROM sitemap_audit($$
  SELECT '/' || n AS loc, jsonb_build_object('loc', '/i', 'caption', repeat('a', n) || '<br>') AS images FROM unnest('{99996,99997}'::int[]) n$$, 'https://www.example.com/');
SELECT row_number, problem, left(detail, 50) FROM sitemap_audit($$
  SELECT '/' || n AS loc, ARRAY['https://www.example.com/' || repeat('a', n) || '/null'] AS images FROM unnest('{99000,100000}'::int[]) n$$, 'https://www.example.com/',
  agents => '{x}', robots => E'Sitemap: https://www.example.com/sitemap.xml\nUser-agent: x\nDisallow: /a*l$');

-- HTML entities.
SELECT loc, problem, detail FROM pg_temp.found(
  '/a?b=1&amp;c=2', '/a?b=1&#038;c=2', '/a?b=1&#x26;c', '/a?b=1&#X26;c#d', '/a&quot;', '/a?b%26amp%3Bc', '/a?b&amp%3Bc', '/Tom&nbsp;Jerry', '/a?b&#39;',
  '/a?b=1\u0026c', '/%u0442');
SELECT pg_temp.clean('/a?b=1&amp=2', '/a&b', '/a?b;c', '/AT&T', '/a%26b', '/a?&;', '/a?b&-;', '/100%u');

-- Another URL in the path, and the site's own.
SELECT loc, problem, detail FROM pg_temp.found(
  'https://www.example.com/https://www.example.com/a', 'https://www.example.com/shop/https://cdn.example.com/a', 'https//www.example.com/a', '/https//www.example.com/a',
  '/http:/www.example.com/a', '/HTTPS:www.example.com', '/https%3A%2F%2Fwww.example.com%2Fa');
SELECT pg_temp.clean(
  '/https/', '/https-guide', '/http/2', '/httpd:1', '/report/https://example.org/', '/web/2020/https%3A%2F%2Fexample.org/', '/a?u=https://www.example.com/a',
  '/share?u=https%3A%2F%2Fwww.example.com', '/example.company', '/a/www.example.com', '/www.example.org', '/wwwexample.com');
-- Blanks, empty segments, and text in the wrong encoding.
SELECT loc, problem, detail FROM pg_temp.found(
  '/%20x', '/x%20/', '/%20/', '/ x /y', '/a?b=%20c', '/a/x　/', '/a//b', '//www.example.com/a//', '/a/b//?c',
  '/cafÃ©', '/caf%C3%83%C2%A9', '/donâ€™t', '/Ð¿Ñ€Ð¸', '/ï»¿a', '/a�b', '/a%EF%BF%BD', '/Ã–l', '/Â£5');
SELECT pg_temp.clean(
  '/a%20b', '/a+', '/+b', '/c++', '/a?b=c+', '/a?b=//c', '/a/?b//c', '/p/', '/a%2F%2Fb', '/日本　語', '/café', '/%E9', '/São', '/MÃO', '/Ünter', '/2×½', '/naïve»', '/Привет', '/%C3%A9%C3%A8', '/ÂME');

-- Characters that nobody sees, as they are and percent-encoded.
SELECT loc, problem, detail FROM pg_temp.found(
  E'/a\u200Bb', '/%E2%80%8B', E'/a\uFEFF', E'\uFEFF/a', '/%EF%BB%BFa', E'/a\u00ADb', E'/a\u00A0b', E'/a\u200Eb', E'/a\u200Fb', E'/\u2028a', E'/\u2029a', E'/\u2060', E'/\u202Eb',
  E'/\u2066a', E'/\u061Ca', E'/\u180Ea', E'/a\u3164', E'/a\u2009b', E'/a\uFFFCb', '/a?b=%E2%80%8B', '/a#%E2%80%8B',
  E'/a\nb', '/%0A', '/a%0D%0A', '/%00', '/%7F', '/%C2%8C', '/a?b=%09', E'/a\uFFFEb', '/a%EF%BF%BEb');
SELECT pg_temp.clean(
  E'/می\u200Cخواهم', '/%D9%85%DB%8C%E2%80%8C%D8%AE', E'/क्\u200Dष', E'/ന്\u200D', E'/👨\u200D👩\u200D👧', E'/❤\uFE0F\u200D🔥', E'/1\uFE0F\u20E3', E'/🏴\U000E0067\U000E0062\U000E007F',
  '/%80', '/%C2', E'/ᠮ\u180Bᠣ', E'/e\u0301', '/한국어', '/שָׁלוֹם');
-- A loc that is not a valid URL, and one in a text sitemap.
SELECT row_number, problem FROM sitemap_audit($$SELECT unnest(ARRAY[E'ftp://a/\u200B', E'ftp://a/\n{x}', NULL]) AS loc$$, 'http://a/');
SELECT row_number, problem, detail FROM sitemap_audit($$SELECT unnest('{/a?b&amp;c,/null,/a?b&c''d,/a#b}'::text[]) AS loc$$, 'http://a/', format => 'txt');
-- Nothing that is found makes a detail invalid, whatever the bytes are.
SELECT count(*), bool_and(detail !~ '[\x01-\x1F]')
  FROM sitemap_audit($$SELECT '/' || a || encode(decode(lpad(to_hex(n), 2, '0'), 'hex'), 'escape') || '%' || lpad(to_hex(n), 2, '0') || b AS loc
                         FROM generate_series(0, 255) n, unnest('{\{,<%%=,%%(,[object ,:a,%20}'::text[]) a, unnest('{\},%%>,),],"",%%20/x}'::text[]) b$$, 'http://a/');

-- All columns with URLs.
SELECT row_number, problem, detail
  FROM sitemap_audit($$
         SELECT '/a' AS loc, ARRAY['https://www.example.com/undefined', '/b.jpg', '/{img}', 'https://undefined/a.jpg', 'https://null.example.com/a',
                                   'https://https://www.example.com/a', '//none/a', 'https://none.example.com/nullable.jpg', 'https://cdn.example.com/cdn-cgi/image/w=1/https://cdn.example.com/a.jpg'] AS images,
                '{"en": "/a", "de": "/de/null", "fr": "/a?b&amp;c", "x-default": "/ok"}'::jsonb AS alternates, NULL::jsonb AS videos
          UNION ALL
         SELECT '/b', NULL, NULL, '{"thumbnail_loc": "/undefined.png", "title": "t", "description": "d", "content_loc": "/v/%0A", "player_loc": "/p?v=undefined",
                                    "content_segment_loc": ["/seg/:id"], "gallery_loc": "/g//x", "uploader": "u", "uploader_info": "/u/\u200B"}'
          UNION ALL
         SELECT '/null', NULL, '{"en": "/null"}', NULL$$, 'https://www.example.com/');
SELECT problem, detail
  FROM sitemap_audit($$SELECT '/' AS loc, '[{"loc": "/%s.jpg", "license": "/license/None"}, "/a\\b", "/a.jpg"]'::jsonb AS images$$, 'https://www.example.com/');

-- One form of all spellings: hex digits, unreserved characters, dot segments.
SELECT row_number, loc, detail
  FROM sitemap_audit($$SELECT unnest('{/%d9%7Ea,/%D9~a,/%D9%7ea,/x/../%d9~a,/%D9~%61,/%2F,/%2f,//www.example.com/./b/../%2F,/a%2Fb,/a/b,/a?%7e,/a?~}'::text[]) AS loc$$, 'https://www.example.com/')
 WHERE problem = 'loc_duplicate';
SELECT * FROM sitemap_audit($$
  SELECT '/%d9%81' AS loc, '{"ar": "https://www.example.com/%D9%81", "en": "https://www.example.com/%7Een"}'::jsonb AS alternates
   UNION ALL
  SELECT '/~en', '{"ar": "https://www.example.com/%D9%81", "en": "/%7een"}'$$, 'https://www.example.com/');
SELECT row_number, problem
  FROM sitemap_audit($$SELECT unnest('{/~u/a,/%7Eu/b,/%7eu/c,/%75/d,d}'::text[]) AS loc$$, 'https://www.example.com/%7eu/', scope => 'path');
SELECT row_number, problem
  FROM sitemap_audit($$SELECT unnest('{/~a,/%7Ea,/%7ea,/x/../~a,/%d9,/%D9,/d9}'::text[]) AS loc$$, 'https://www.example.com/', agents => '{x}',
                     robots => E'User-agent: *\nDisallow: /%7ea\nDisallow: /%D9\nSitemap: https://www.example.com/%73itemap.xml')
 WHERE problem ~ 'robots';

-- With and without a final slash.
SELECT row_number, loc, problem, detail
  FROM sitemap_audit($$SELECT unnest('{/a/,/b,/a,/b/,/b/?c,/b?c,/d/,/d/,/d,/d,/e/,/E,/,http://www.example.com/f,https://www.example.com/f/,/%67,/g/}'::text[]) AS loc$$,
                     'https://www.example.com/', scope => 'any');

-- Words and marks of titles in several languages are no placeholders, error pages or entities.
SELECT row_number, problem, detail
  FROM sitemap_audit($$
    SELECT '/' || sitemap_encode(replace(title, ' ', '_')) AS loc, jsonb_build_array(jsonb_build_object('loc', '/i.jpg', 'title', title)) AS images
      FROM unnest(ARRAY['a < b > c', 'AT&T and R&D', 'C++ & C#', '100%-Baumwolle', '50 % Rabatt', 'I <3 Paris', 'l''été à 20 $', 'Peugeot 404',
                        '404 рубля', 'Ошибка 500 миль', 'خصم 50 %', '第404章', 'エラー500', 'Null-Fehler', 'none the wiser', 'Nan''s kitchen',
                        'the session of 2026', '#hashtag: [live]', 'not found in nature', 'placeholder names']) title $$, 'https://www.example.com/');
