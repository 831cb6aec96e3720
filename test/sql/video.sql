--
-- sitemap_video: what it writes.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- The least, and nothing.
SELECT sitemap_video('http://t/', 'title', 'description', 'http://c/');
SELECT sitemap_video('http://t/', 'title', 'description', player_loc => 'http://p/');
SELECT sitemap_video(NULL, NULL, NULL), sitemap_video(NULL, NULL, NULL, 'http://c/');

-- All tags, in the order of the schema, here with line breaks between them.
SELECT regexp_replace(video::text, '(><)', E'>\n<', 'g')
  FROM sitemap_video(
         thumbnail_loc => 'http://t/ü',
         title => 'T&T',
         description => '<d>',
         content_loc => 'http://c/',
         player_loc => 'http://p/?a=1&b=2',
         duration => 28800,
         expiration_date => date '2030-01-02',
         rating => 4.25,
         content_segment_loc => ARRAY['http://s/1', NULL, 'http://s/2'],
         view_count => 12345678901,
         publication_date => timestamptz '2026-01-02 03:04:05+01',
         tag => ARRAY['one', '', 'zwölf'],
         category => 'cat',
         family_friendly => false,
         restriction => ' DE  AT ',
         gallery_loc => 'http://g/',
         price => ARRAY[1.50, 0],
         requires_subscription => 'No',
         uploader => 'Up "Loader"',
         platform => 'web tv',
         live => true,
         id => ARRAY['id1', 'id2'],
         player_loc_allow_embed => 'yes',
         player_loc_autoplay => 'ap=1',
         content_segment_loc_duration => ARRAY[60, NULL, NULL],
         restriction_relationship => 'allow',
         gallery_loc_title => 'Gal''ry',
         price_currency => ARRAY['EUR', 'USD'],
         price_type => ARRAY['rent', NULL],
         price_resolution => ARRAY['hd', 'SD'],
         uploader_info => 'http://a/up',
         platform_relationship => 'Deny',
         id_type => ARRAY['url', 'TMS:series']) video;

-- What is blank is left out.
SELECT sitemap_video('http://t/', 't', 'd', 'http://c/', '', NULL, '', NULL, ARRAY[' '], NULL, ' ',
                     '{}', '', '', '', '', '{}', NULL, ' ', '', NULL, '{}', '', '', '{}', '', '',
                     '{}', '{}', '{}', '', '', '{}')::text
       = sitemap_video('http://t/', 't', 'd', 'http://c/')::text;

-- So are texts of nothing but characters that XML cannot carry.
SELECT sitemap_video('http://t/', 't', 'd', 'http://c/',
                     tag => ARRAY[E'\u0001', 'tag', E' \uFFFE '],
                     category => E'\u0001', uploader => E'\uFFFF');

-- Dates of any kind, flags of any kind.
SELECT sitemap_video('http://t/', 't', 'd', 'http://c/',
                     expiration_date => '2026', publication_date => '2026-01'::varchar,
                     live => 'TRUE', family_friendly => 'no'::char(5));

-- Texts are counted in characters, not in bytes.
SELECT length(sitemap_video('http://t/', repeat('ü', 100), repeat('ß', 2048), 'http://c/',
                            category => repeat('x', 256),
                            uploader => repeat(U&'\+01F600', 255),
                            tag => array_fill('t'::text, ARRAY[32]))::text);

-- Lists of words may be long: they are read in one go.
SET statement_timeout = '5s';
SELECT length(sitemap_video('http://t/', 't', 'd', 'http://c/',
                            restriction => repeat('US ', 100000),
                            restriction_relationship => 'allow')::text);
SELECT length(sitemap_video('http://t/', 't', 'd', 'http://c/',
                            platform => repeat('web ', 100000),
                            platform_relationship => 'allow')::text);
RESET statement_timeout;
