--
-- sitemap_video: what it refuses, and the rules for a page with videos.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir /sql/include/helpers.sql
\i :helpers

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
    ($$'http://t/', title => NULL, description => 'd', content_loc => 'http://c'$$),
    ($$'', title => 't', description => 'd', content_loc => 'http://c'$$),
    ($$'http://t/', title => 't', description => ' ', content_loc => 'http://c'$$),
    ($$NULL, title => 't', description => 'd', content_loc => 'http://c'$$),
    ($$'t', title => 't', description => 'd', content_loc => 'http://c'$$),
    ($$NULL$$),
    ($$'', ''$$),
    ($$'c'$$),
    ($$player_loc => 'p'$$),
    ($$'http://c', player_loc_allow_embed => true$$),
    ($$'http://c', player_loc_autoplay => 'x'$$),
    ($$player_loc => 'http://p', player_loc_allow_embed => 'maybe'$$),
    ($$'http://c', duration => 0$$),
    ($$'http://c', duration => -1$$),
    ($$'http://c', duration => 28801$$),
    ($$'http://c', rating => -0.1$$),
    ($$'http://c', rating => 5.1$$),
    ($$'http://c', rating => 'NaN'$$),
    ($$'http://c', rating => 'inf'$$),
    ($$'http://c', view_count => -1$$),
    ($$'http://c', expiration_date => 'soon'$$),
    ($$'http://c', expiration_date => date 'infinity'$$),
    ($$'http://c', publication_date => 5$$),
    ($$'http://c', publication_date => timestamp '10000-01-01'$$),
    ($$'http://c', family_friendly => 1$$),
    ($$'http://c', live => 'maybe'$$),
    ($$'http://c', requires_subscription => 'y'$$),
    ($$'http://c', content_segment_loc => '{s}'$$),
    ($$'http://c', content_segment_loc => '{http://s}', content_segment_loc_duration => '{0}'$$),
    ($$'http://c', content_segment_loc => '{http://s}', content_segment_loc_duration => '{1,2}'$$),
    ($$'http://c', content_segment_loc_duration => '{1}'$$),
    ($$'http://c', restriction => 'DE', restriction_relationship => 'never'$$),
    ($$'http://c', restriction => 'DE'$$),
    ($$'http://c', restriction_relationship => 'allow'$$),
    ($$'http://c', restriction => 'de', restriction_relationship => 'allow'$$),
    ($$'http://c', restriction => 'DE,AT', restriction_relationship => 'allow'$$),
    ($$'http://c', restriction => 'XX', restriction_relationship => 'deny'$$),
    ($$'http://c', restriction => 'DEU', restriction_relationship => 'deny'$$),
    ($$'http://c', gallery_loc => 'g'$$),
    ($$'http://c', gallery_loc_title => 'g'$$),
    ($$'http://c', price => '{1}'$$),
    ($$'http://c', price => '{1}', price_currency => '{eur}'$$),
    ($$'http://c', price => '{1}', price_currency => '{EURO}'$$),
    ($$'http://c', price => '{-1}', price_currency => '{EUR}'$$),
    ($$'http://c', price => '{NaN}', price_currency => '{EUR}'$$),
    ($$'http://c', price => '{1,2}', price_currency => '{EUR}'$$),
    ($$'http://c', price => '{1}', price_currency => '{EUR}', price_type => '{buy}'$$),
    ($$'http://c', price => '{1}', price_currency => '{EUR}', price_resolution => '{4K}'$$),
    ($$'http://c', price_currency => '{EUR}'$$),
    ($$'http://c', uploader_info => 'http://a/'$$),
    ($$'http://c', uploader => 'u', uploader_info => 'me'$$),
    ($$'http://c', platform => 'web'$$),
    ($$'http://c', platform => 'phone', platform_relationship => 'allow'$$),
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
SELECT pg_temp.error($$
  SELECT sitemap_url('http://a/?x=1&y=2',
                     extensions => ARRAY[sitemap_video('http://t/', 't', 'd', 'http://a/?x=1&y=2')])
$$);
SELECT pg_temp.error($$
  SELECT sitemap_url('http://a/ü',
                     extensions => ARRAY[sitemap_video('http://t/', 't', 'd',
                                                       player_loc => 'http://a/%C3%BC')])
$$);
SELECT pg_temp.error($$
  SELECT sitemap_files('SELECT ''/v'' AS loc,
                               sitemap_video(''http://t/'', ''t'', ''d'', ''http://a/v'') AS extensions',
                       'http://a/')
$$);
SELECT pg_temp.error($$
  SELECT sitemap_url(' http://a/v', extensions => ARRAY[sitemap_video('http://t/', 't', 'd', 'http://a/v ')])
$$);
SELECT pg_temp.error($$
  SELECT sitemap_url('http://a/v', extensions => ARRAY[sitemap_video('http://t/', 't', 'd', 'HTTP://A/v')])
$$);
SELECT pg_temp.brief($$
  SELECT sitemap_url('http://a/v', extensions => ARRAY[sitemap_video('http://t/', 't', 'd', 'http://a/V')])
$$) LIKE 'no error%';
SELECT pg_temp.brief($$
  SELECT sitemap_url('http://a/',
                     extensions => ARRAY[sitemap_video('http://a/', 't', 'd', 'http://c',
                                                       gallery_loc => 'http://a/')])
$$) LIKE 'no error%';

-- The uploader's page is on its domain.
CREATE FUNCTION pg_temp.uploaded(uploader_info text) RETURNS xml LANGUAGE sql AS $$
  SELECT sitemap_video('http://t/', 't', 'd', 'http://c/', uploader => 'u', uploader_info => uploader_info)
$$;
SELECT p, i, pg_temp.brief(format('SELECT sitemap_url(%L, extensions => ARRAY[pg_temp.uploaded(%L)])', p, i))
             NOT LIKE '%domain%'
  FROM (VALUES
    ('http://www.example.com/', 'http://www.example.com/u'),
    ('http://www.example.com/', 'https://EXAMPLE.com/u'),
    ('http://example.com/', 'http://users.example.com:8080/u'),
    ('http://www.example.com/', 'http://example.org/'),
    ('http://example.com/', 'http://notexample.com/'),
    ('http://a.example.com/', 'http://example.com.evil/')
  ) v (p, i);
