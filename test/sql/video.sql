\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir /sql/include/helpers.sql
\i :helpers
-- the least, and nothing
SELECT sitemap_video('http://t/', 'title', 'description', 'http://c/');
SELECT sitemap_video('http://t/', 'title', 'description', player_loc => 'http://p/');
SELECT sitemap_video(NULL, NULL, NULL), sitemap_video(NULL, NULL, NULL, 'http://c/');
-- all tags, in the order of the schema
SELECT regexp_replace(sitemap_video(thumbnail_loc => 'http://t/ü', title => 'T&T', description => '<d>', content_loc => 'http://c/', player_loc => 'http://p/?a=1&b=2', duration => 28800, expiration_date => date '2030-01-02', rating => 4.25,
	content_segment_loc => ARRAY['http://s/1', NULL, 'http://s/2'], view_count => 12345678901, publication_date => timestamptz '2026-01-02 03:04:05+01', tag => ARRAY['one', '', 'zwölf'], category => 'cat', family_friendly => false, restriction => ' DE  AT ',
	gallery_loc => 'http://g/', price => ARRAY[1.50, 0], requires_subscription => 'No', uploader => 'Up "Loader"', platform => 'web tv', live => true, id => ARRAY['id1', 'id2'], player_loc_allow_embed => 'yes', player_loc_autoplay => 'ap=1',
	content_segment_loc_duration => ARRAY[60, NULL, NULL], restriction_relationship => 'allow', gallery_loc_title => 'Gal''ry', price_currency => ARRAY['EUR', 'USD'], price_type => ARRAY['rent', NULL], price_resolution => ARRAY['hd', 'SD'],
	uploader_info => 'http://a/up', platform_relationship => 'Deny', id_type => ARRAY['url', 'TMS:series'])::text, '(><)', E'>\n<', 'g');
-- blanks are nothing
SELECT sitemap_video('http://t/', 't', 'd', 'http://c/', '', NULL, '', NULL, ARRAY[' '], NULL, ' ', '{}', '', '', '', '', '{}', NULL, ' ', '', NULL, '{}', '', '', '{}', '', '', '{}', '{}', '{}', '', '', '{}')::text
	= sitemap_video('http://t/', 't', 'd', 'http://c/')::text;
-- dates of any kind, flags of any kind
SELECT sitemap_video('http://t/', 't', 'd', 'http://c/', expiration_date => '2026', publication_date => '2026-01'::varchar, live => 'TRUE', family_friendly => 'no'::char(5));
-- texts are counted in characters
SELECT length(sitemap_video('http://t/', repeat('ü', 100), repeat('ß', 2048), 'http://c/', category => repeat('x', 256), uploader => repeat(U&'\+01F600', 255), tag => array_fill('t'::text, ARRAY[32]))::text);
-- each rule
CREATE FUNCTION pg_temp.video(arguments text) RETURNS text LANGUAGE sql AS $$
	SELECT pg_temp.error('SELECT sitemap_video(' || CASE WHEN arguments ~ ', (title|description) =>' THEN '' ELSE '''http://t/'', ''t'', ''d'', ' END || arguments || ')') $$;
SELECT a, pg_temp.video(a) FROM unnest(ARRAY[$$'http://t/', title => '', description => 'd', content_loc => 'http://c'$$, $$'http://t/', title => NULL, description => 'd', content_loc => 'http://c'$$, $$'', title => 't', description => 'd', content_loc => 'http://c'$$,
	$$'http://t/', title => 't', description => ' ', content_loc => 'http://c'$$, $$NULL, title => 't', description => 'd', content_loc => 'http://c'$$, $$'t', title => 't', description => 'd', content_loc => 'http://c'$$, $$NULL$$, $$'', ''$$,
	$$'c'$$, $$player_loc => 'p'$$, $$'http://c', player_loc_allow_embed => true$$, $$'http://c', player_loc_autoplay => 'x'$$, $$player_loc => 'http://p', player_loc_allow_embed => 'maybe'$$,
	$$'http://c', duration => 0$$, $$'http://c', duration => -1$$, $$'http://c', duration => 28801$$, $$'http://c', rating => -0.1$$, $$'http://c', rating => 5.1$$, $$'http://c', rating => 'NaN'$$, $$'http://c', rating => 'inf'$$, $$'http://c', view_count => -1$$,
	$$'http://c', expiration_date => 'soon'$$, $$'http://c', expiration_date => date 'infinity'$$, $$'http://c', publication_date => 5$$, $$'http://c', publication_date => timestamp '10000-01-01'$$, $$'http://c', family_friendly => 1$$, $$'http://c', live => 'maybe'$$,
	$$'http://c', requires_subscription => 'y'$$, $$'http://c', content_segment_loc => '{s}'$$, $$'http://c', content_segment_loc => '{http://s}', content_segment_loc_duration => '{0}'$$,
	$$'http://c', content_segment_loc => '{http://s}', content_segment_loc_duration => '{1,2}'$$, $$'http://c', content_segment_loc_duration => '{1}'$$, $$'http://c', restriction => 'DE', restriction_relationship => 'never'$$,
	$$'http://c', restriction => 'DE'$$, $$'http://c', restriction_relationship => 'allow'$$, $$'http://c', restriction => 'de', restriction_relationship => 'allow'$$, $$'http://c', restriction => 'DE,AT', restriction_relationship => 'allow'$$,
	$$'http://c', restriction => 'XX', restriction_relationship => 'deny'$$, $$'http://c', restriction => 'DEU', restriction_relationship => 'deny'$$, $$'http://c', gallery_loc => 'g'$$, $$'http://c', gallery_loc_title => 'g'$$,
	$$'http://c', price => '{1}'$$, $$'http://c', price => '{1}', price_currency => '{eur}'$$, $$'http://c', price => '{1}', price_currency => '{EURO}'$$, $$'http://c', price => '{-1}', price_currency => '{EUR}'$$, $$'http://c', price => '{NaN}', price_currency => '{EUR}'$$,
	$$'http://c', price => '{1,2}', price_currency => '{EUR}'$$, $$'http://c', price => '{1}', price_currency => '{EUR}', price_type => '{buy}'$$, $$'http://c', price => '{1}', price_currency => '{EUR}', price_resolution => '{4K}'$$, $$'http://c', price_currency => '{EUR}'$$,
	$$'http://c', uploader_info => 'http://a/'$$, $$'http://c', uploader => 'u', uploader_info => 'me'$$, $$'http://c', platform => 'web'$$, $$'http://c', platform => 'phone', platform_relationship => 'allow'$$, $$'http://c', platform => 'web, tv', platform_relationship => 'allow'$$,
	$$'http://c', platform_relationship => 'deny'$$, $$'http://c', id => '{x}'$$, $$'http://c', id => '{x}', id_type => '{isbn}'$$, $$'http://c', id => '{x,y}', id_type => '{url}'$$, $$'http://c', id_type => '{url}'$$]) a;
SELECT left(pg_temp.video(a), 60) FROM unnest(ARRAY[$$'http://t/', title => repeat('ü', 101), description => 'd', content_loc => 'http://c'$$, $$'http://t/', title => 't', description => repeat('ü', 2049), content_loc => 'http://c'$$,
	$$'http://c', category => repeat('x', 257)$$, $$'http://c', uploader => repeat('x', 256)$$, $$'http://c', tag => array_fill('t'::text, ARRAY[33])$$]) a;
-- neither of its URLs is the page's
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/?x=1&y=2', extensions => ARRAY[sitemap_video('http://t/', 't', 'd', 'http://a/?x=1&y=2')]) $$);
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/ü', extensions => ARRAY[sitemap_video('http://t/', 't', 'd', player_loc => 'http://a/%C3%BC')]) $$);
SELECT pg_temp.error($$ SELECT sitemap_files('SELECT ''/v'' AS loc, sitemap_video(''http://t/'', ''t'', ''d'', ''http://a/v'') AS extensions', 'http://a/') $$);
SELECT pg_temp.brief($$ SELECT sitemap_url('http://a/', extensions => ARRAY[sitemap_video('http://a/', 't', 'd', 'http://c', gallery_loc => 'http://a/')]) $$) LIKE 'no error%';
-- the uploader's page is on its domain
SELECT p, i, pg_temp.brief(format('SELECT sitemap_url(%L, extensions => ARRAY[sitemap_video(%L, %L, %L, %L, uploader => %L, uploader_info => %L)])', p, 'http://t/', 't', 'd', 'http://c/', 'u', i)) NOT LIKE '%domain%'
  FROM (VALUES ('http://www.example.com/', 'http://www.example.com/u'), ('http://www.example.com/', 'https://EXAMPLE.com/u'), ('http://example.com/', 'http://users.example.com:8080/u'), ('http://www.example.com/', 'http://example.org/'),
	('http://example.com/', 'http://notexample.com/'), ('http://a.example.com/', 'http://example.com.evil/')) v (p, i);
