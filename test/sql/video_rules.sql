--
-- sitemap_video: what it refuses, and the rules for a page with videos.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- The error of a call; where title and description are not given they are 't' and 'd'.
CREATE FUNCTION pg_temp.video(arguments text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.error('SELECT sitemap_video('
                       || CASE WHEN arguments ~ ', (title|description) =>' THEN ''
                               ELSE '''http://t/'', ''t'', ''d'', ' END
                       || arguments || ')')
$$;

-- Required arguments, and what each argument can be.
SELECT a, pg_temp.video(a)
  FROM (VALUES
    ($$'http://t/', title => '', description => 'd', content_loc => 'http://c'$$),
    ($$'', title => 't', description => 'd', content_loc => 'http://c'$$),
    ($$'http://t/', title => 't', description => ' ', content_loc => 'http://c'$$),
    ($$NULL, title => 't', description => 'd', content_loc => 'http://c'$$),
    ($$'t', title => 't', description => 'd', content_loc => 'http://c'$$),
    ($$NULL$$),
    ($$'c'$$),
    ($$player_loc => 'p'$$),
    ($$'http://c', player_loc_allow_embed => true$$),
    ($$'http://c', player_loc_autoplay => 'x'$$),
    ($$player_loc => 'http://p', player_loc_allow_embed => 'maybe'$$),
    ($$'http://c', duration => 0$$),
    ($$'http://c', duration => 28801$$),
    ($$'http://c', rating => -0.1$$),
    ($$'http://c', rating => 5.1$$),
    ($$'http://c', rating => 'NaN'$$),
    ($$'http://c', view_count => -1$$),
    ($$'http://c', expiration_date => 'soon'$$),
    ($$'http://c', expiration_date => date 'infinity'$$),
    ($$'http://c', publication_date => 5$$),
    ($$'http://c', publication_date => timestamp '10000-01-01'$$),
    ($$'http://c', family_friendly => 1$$),
    ($$'http://c', content_segment_loc => '{s}'$$),
    ($$'http://c', content_segment_loc => '{http://s}', content_segment_loc_duration => '{0}'$$),
    ($$'http://c', content_segment_loc => '{http://s}', content_segment_loc_duration => '{1,2}'$$),
    ($$'http://c', content_segment_loc_duration => '{1}'$$),
    ($$'http://c', restriction => 'DE', restriction_relationship => 'never'$$),
    ($$'http://c', restriction => 'DE'$$),
    ($$'http://c', restriction_relationship => 'allow'$$),
    ($$'http://c', restriction => 'DE,AT', restriction_relationship => 'allow'$$),
    ($$'http://c', restriction => 'XX', restriction_relationship => 'deny'$$),
    ($$'http://c', gallery_loc => 'g'$$),
    ($$'http://c', gallery_loc_title => 'g'$$),
    ($$'http://c', price => '{1}'$$),
    ($$'http://c', price => '{1}', price_currency => '{eur}'$$),
    ($$'http://c', price => '{-1}', price_currency => '{EUR}'$$),
    ($$'http://c', price => '{NaN}', price_currency => '{EUR}'$$),
    ($$'http://c', price => '{1,2}', price_currency => '{EUR}'$$),
    ($$'http://c', price => '{1}', price_currency => '{EUR}', price_type => '{buy}'$$),
    ($$'http://c', price => '{1}', price_currency => '{EUR}', price_resolution => '{4K}'$$),
    ($$'http://c', price_currency => '{EUR}'$$),
    ($$'http://c', uploader_info => 'http://a/'$$),
    ($$'http://c', uploader => 'u', uploader_info => 'me'$$),
    ($$'http://c', platform => 'web'$$),
    ($$'http://c', platform => 'web, tv', platform_relationship => 'allow'$$),
    ($$'http://c', platform_relationship => 'deny'$$),
    ($$'http://c', id => '{x}'$$),
    ($$'http://c', id => '{x}', id_type => '{isbn}'$$),
    ($$'http://c', id => '{x,y}', id_type => '{url}'$$),
    ($$'http://c', id_type => '{url}'$$)
  ) v (a);

-- The longest texts, and the number of tags.
SELECT left(pg_temp.video(a), 60)
  FROM (VALUES
    ($$'http://t/', title => repeat('ü', 101), description => 'd', content_loc => 'http://c'$$),
    ($$'http://t/', title => 't', description => repeat('ü', 2049), content_loc => 'http://c'$$),
    ($$'http://c', category => repeat('x', 257)$$),
    ($$'http://c', uploader => repeat('x', 256)$$),
    ($$'http://c', tag => array_fill('t'::text, ARRAY[33])$$)
  ) v (a);

-- Texts of nothing but characters that XML cannot carry are blank.
SELECT pg_temp.brief($$ SELECT sitemap_video('http://t/', E'\u0001', 'd', 'http://c/') $$),
       pg_temp.brief($$ SELECT sitemap_video('http://t/', 't', E' \uFFFE\u0001', 'http://c/') $$);

-- Neither of its URLs is that of the page, however it is written.
CREATE FUNCTION pg_temp.page(loc text, video jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT split_part(pg_temp.brief(format('SELECT FROM sitemap_files(%L, ''http://www.example.com/'', scope => ''any'')',
                                         format('SELECT %L AS loc, %L::jsonb AS videos', loc,
                                                '{"thumbnail_loc": "http://t/", "title": "t", "description": "d"}'::jsonb || video))),
                    ': SELECT', 1)
$$;
SELECT loc, key, url, pg_temp.page(loc, jsonb_build_object(key, url))
  FROM (VALUES
    ('/?x=1&y=2', 'content_loc', 'http://www.example.com/?x=1&y=2'),
    ('/ü b', 'player_loc', 'http://www.example.com/%C3%BC%20b'),
    ('http://a/%C3%BC', 'player_loc', 'http://a/ü'),
    (' /v', 'content_loc', '/v '),
    ('/v', 'content_loc', '/V'),
    ('http://a/v', 'content_loc', 'http://a:80/v'),
    ('/v', 'content_loc', '/v#t=10')
  ) v (loc, key, url);
SELECT pg_temp.page('/v', '{"thumbnail_loc": "/v", "gallery_loc": "/v", "content_loc": "http://c/"}');

-- The uploader's page is on its domain.
SELECT p, i, pg_temp.page(p, jsonb_build_object('content_loc', 'http://c/', 'uploader', 'u', 'uploader_info', i))
  FROM (VALUES
    ('http://www.example.com/', 'http://www.example.com/u'),
    ('http://www.example.com/', 'https://EXAMPLE.com/u'),
    ('http://example.com/', 'http://users.example.com:8080/u'),
    ('http://www.example.com/', 'http://example.org/'),
    ('http://example.com/', 'http://notexample.com/'),
    ('http://a.example.com/', 'http://example.com.evil/')
  ) v (p, i);
