-- images, and alternates in other languages
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir /sql/include/helpers.sql
\i :helpers
SELECT sitemap_image('http://cdn.example.net/ü b.jpg?x=1&y=''2''');
SELECT sitemap_image(' http://i/ ', 'A "caption" & more', 'Limerick, Ireland', '<title>', 'https://license.example.com/ü');
SELECT sitemap_image('http://i/', '', ' ', E'\t', NULL);
SELECT sitemap_image('http://i/', '  blanks stay  ');
SELECT sitemap_image(NULL), sitemap_image(NULL, 'caption');
SELECT pg_temp.error($$ SELECT sitemap_image('') $$), pg_temp.error($$ SELECT sitemap_image('/i.png') $$), pg_temp.error($$ SELECT sitemap_image('ftp://i/') $$);
SELECT pg_temp.error($$ SELECT sitemap_image('http://i/', license => 'Creative Commons') $$);
-- from a join, with and without a partner
SELECT sitemap_url('http://a/' || p, extensions => array_agg(sitemap_image(i) ORDER BY i)) FROM (VALUES (1, 'http://i/1'), (1, 'http://i/2'), (2, NULL)) v (p, i) GROUP BY p ORDER BY p;
-- 1,000 on a page
SELECT length(sitemap_url('http://a/', extensions => (SELECT array_agg(sitemap_image('http://i/' || n)) FROM generate_series(1, 1000) n))::text);
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', extensions => (SELECT array_agg(sitemap_image('http://i/' || n)) FROM generate_series(1, 1001) n)) $$);
SELECT pg_temp.error($$ SELECT sitemap_agg(sitemap_url('http://a/' || p, extensions => (SELECT array_agg(sitemap_image('http://i/' || n)) FROM generate_series(1, 600) n))) FROM generate_series(1, 2) p $$);
SET client_min_messages = notice;
SELECT (length(pg_temp.text(content)) - length(replace(pg_temp.text(content), '<image:image>', ''))) / length('<image:image>')
  FROM sitemap_files('SELECT ''/'' AS loc, array_agg(sitemap_image(''http://i/'' || n)) AS extensions FROM generate_series(1, 1003) n', 'http://a/', on_invalid => 'skip');
SET client_min_messages = warning;
-- alternates
SELECT sitemap_alternate('de', 'http://a/ü?x=1&y='), sitemap_alternate(' x-default ', 'http://a/');
SELECT sitemap_alternate(NULL, 'http://a/'), sitemap_alternate('de', NULL);
SELECT h, sitemap_alternate(h, 'http://a/') FROM unnest('{de,DE,de-AT,de-at,zh-Hant,zh-Hans-TW,zh-hant-hk,sr-Latn-RS,en-GB,x-default,he}'::text[]) h;
SELECT h, pg_temp.brief(format('SELECT sitemap_alternate(%L, %L)', h, 'http://a/')) FROM unnest('{"",UK_,de_AT,de-,AT,"de AT",xx,de-XX,deu,de-AUT,de-419,de-AT-AT,de-Latn-,x-foo,X-DEFAULT-,de-1234,zh-Hant_TW,"de\"",eu-EU,en-UK,-de}'::text[]) h;
SELECT pg_temp.error($$ SELECT sitemap_alternate('de_AT', 'http://a/') $$);
SELECT pg_temp.error($$ SELECT sitemap_alternate('de', '/a') $$), pg_temp.error($$ SELECT sitemap_alternate('de', '') $$);
SELECT sitemap_alternates('{"en": "http://a/en", "de-AT": "http://a/de?x=1&y=2", "fr": null, "x-default": "http://a/"}');
SELECT sitemap_alternates('{}'), sitemap_alternates(NULL), sitemap_alternates('{"en": null}');
SELECT pg_temp.error(format('SELECT sitemap_alternates(%L)', j)) FROM unnest(ARRAY['[]', '"de"', '1', 'null', '[{"de": "http://a/"}]', '{"de": 1}', '{"de": ["http://a/"]}', '{"de": {"x": "http://a/"}}', '{"de": true}', '{"german": "http://a/"}', '{"de": "/a"}']) j;
-- each language once on a page, whatever the case
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', extensions => ARRAY[sitemap_alternate('de', 'http://a/1'), sitemap_alternate('de', 'http://a/2')]) $$);
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', extensions => sitemap_alternates('{"de-AT": "http://a/1"}') || sitemap_alternate('de-at', 'http://a/2')) $$);
SELECT sitemap_url('http://a/', extensions => sitemap_alternates('{"de": "http://a/", "de-AT": "http://a/", "x-default": "http://a/"}'));
-- many languages by one self-join
CREATE TEMP TABLE page (id int, lang text, loc text);
INSERT INTO page SELECT n, l, '/' || l || '/' || n FROM generate_series(1, 2) n, unnest('{de,en,fr}'::text[]) l;
SELECT pg_temp.text(content) FROM sitemap_files('SELECT p.loc, array_agg(sitemap_alternate(o.lang, ''http://a'' || o.loc) ORDER BY o.lang) AS extensions FROM page p JOIN page o USING (id) WHERE id = 1 GROUP BY p.loc ORDER BY p.loc', 'http://a/');
