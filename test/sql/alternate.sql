--
-- sitemap_alternate and sitemap_alternates: the same page in other languages.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

SELECT sitemap_alternate('de', 'http://a/ü?x=1&y='), sitemap_alternate(' x-default ', 'http://a/');
SELECT sitemap_alternate(NULL, 'http://a/'), sitemap_alternate('de', NULL);

-- hreflang: a language, perhaps a script, perhaps a country; or x-default.  test/unit/test_iso.c
-- has all cases.
SELECT h, sitemap_alternate(h, 'http://a/') FROM unnest('{de,DE-at,zh-hant-HK,x-default}'::text[]) h;
SELECT h, pg_temp.brief(format('SELECT sitemap_alternate(%L, %L)', h, 'http://a/')) FROM unnest(ARRAY['', 'de-419', 'eu-EU', 'de"']) h;
SELECT pg_temp.error(format('SELECT sitemap_alternate(%L, ''http://a/'')', h)) FROM unnest('{de_AT,en-UK,cz,JP-jp,-uk}'::text[]) h;
SELECT pg_temp.error($$ SELECT sitemap_alternate('de', '/a') $$),
       pg_temp.error($$ SELECT sitemap_alternate('de', '') $$);

-- A language of three letters, where there is none of two: accepted, and found by the audit.
SELECT h, split_part(pg_temp.error(format('SELECT sitemap_alternate(%L, ''http://a/'')', h)), E'\n', 1)
  FROM unnest('{cmn-Hans-CN,FIL-ph,deu,GER,fre-CA,a1b}'::text[]) h;
SELECT h, problem, detail
  FROM unnest('{fil,yue-Hant-HK,en-GB,deu,kr,se,ch-CH,ie,es-LA,se-NO}'::text[]) h,
       sitemap_audit(format('SELECT ''/'' AS loc, jsonb_build_object(''x-default'', ''/'', %L, ''/'') AS alternates', h), 'http://a.example/');
-- The hint says what to write.
SELECT h, coalesce(substring(error FROM 'Write "(.*)"'), substring(error FROM 'no error|A language code'))
  FROM unnest('{en_US,en_us,EN-us,x-Default,X-DEFAULT,x_default,default,es-419,en-001,EN-150,en-US.UTF-8,pt_BR,zh_Hant_TW,zh_hans,ZH-hant_tw,zh-CN-Hans,us-en,
                de-1996,de-DE-1996,ca-ES-valencia,sl-rozaj,zh-cmn-Hans-CN,en-uk,en_GB.UTF-8,uk_UK,en-EU,in_ID,iw,ger-AT,eng_USA,"en US",de/AT,de–AT,"de ",en-,-en,
                zh-CHS,zh-CHT,vn,jp,rs,es_LA,
                german,us,gb,xx,419,"",x-klingon,i-default,"[object Object]",undefined,"en,de","hreflang=\"de\""}'::text[]) h,
       pg_temp.error(format('SELECT sitemap_alternate(%L, ''http://a/'')', h)) error;
-- Several at once, from a JSON object.
SELECT sitemap_alternates('{"en": "http://a/en", "de-AT": "http://a/de?x=1&y=2", "fr": null,
                            "x-default": "http://a/"}');
SELECT sitemap_alternates('{}'), sitemap_alternates(NULL), sitemap_alternates('{"en": null}');
-- PHP writes an empty map as an empty array.
SELECT sitemap_alternates('[]'), sitemap_alternates('{"en": [], "de": "http://a/"}');
SELECT pg_temp.error(format('SELECT sitemap_alternates(%L)', j))
  FROM unnest(ARRAY['[[]]', '{"de": {}}', '"de"', '1', 'null', '[{"de": "http://a/"}]', '{"de": 1}', '{"de": ["http://a/"]}',
                    '{"de": {"x": "http://a/"}}', '{"de": true}', '{"german": "http://a/"}', '{"de": "/a"}']) j;

-- In column alternates a page has each language once, whatever the case of its letters.
SELECT alternates, pg_temp.brief(format('SELECT FROM sitemap_files(%L, ''http://a/'')',
                                        format('SELECT ''/'' AS loc, %L::jsonb AS alternates', alternates)))
  FROM unnest(ARRAY['{"de": "/1", "DE": "/2"}', '{"de-AT": "/1", "de-at": "/2"}', '{"zh-Hant-TW": "/1", "ZH-hant-tw": "/2"}',
                    '{"x-default": "/1", " x-default": "/2"}',
                    '{"de": "/1", "de-DE": "/2", "de-Latn": "/3", "de-Latn-DE": "/4", "x-default": "/5"}']) alternates;
-- It can have 1,000 of them.
SELECT n, left(pg_temp.brief(format('SELECT FROM sitemap_files(%L, ''http://a/'')',
                                    format('SELECT ''/'' AS loc, (SELECT jsonb_object_agg(format(''de-%%s'', translate(lpad(n::text, 4, ''0''), ''0123456789'', ''abcdefghij'')), ''/'' || n)
                                                                    FROM generate_series(1, %s) n) AS alternates', n))), 90)
  FROM unnest('{1000,1001}'::int[]) n;
-- sitemap_audit leaves out the others, and reads on.
SELECT row_number, problem, count(*)
  FROM sitemap_audit($$SELECT '/de' AS loc, jsonb_object_agg('de-' || translate(lpad(n::text, 4, '0'), '0123456789', 'abcdefghij'), '/de') AS alternates
                         FROM generate_series(1, 1002) n
                        UNION ALL
                       SELECT '/english/page', NULL$$, 'http://a.example/')
 GROUP BY row_number, problem;
SELECT sitemap_url('http://a/', extensions =>
         sitemap_alternates('{"de": "http://a/", "de-AT": "http://a/", "x-default": "http://a/"}'));
