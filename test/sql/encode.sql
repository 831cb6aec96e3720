--
-- sitemap_encode: one segment of a path, or one value of a query string.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- All characters of ASCII.
SELECT string_agg(sitemap_encode(chr(c)), '' ORDER BY c) FROM generate_series(1, 127) c;

-- Others as UTF-8, in a text of any length.
SELECT s, sitemap_encode(s)
  FROM unnest(ARRAY['', 'teapot', 'é', '日本', '😀', U&'\0085\2028\FFFE', 'C#', 'AC/DC', '100%', 'a b', '?', 'Q&A', '.', '..', '%41', 'a+b',
                    E'line\nbreak', ' blank ', '''"<>']) s;
SELECT sitemap_encode(NULL), sitemap_encode(NULL, '/');
SELECT n, length(e), e = repeat('%C3%BC', n) FROM unnest(ARRAY[1, 1000, 1000000]) n, sitemap_encode(repeat('ü', n)) e;
SELECT pg_temp.error($$ SELECT sitemap_encode(repeat(repeat(' ', 1000000), 360)) $$);

-- keep: reserved characters that stay; JavaScript's encodeURIComponent keeps !'()*.
SELECT string_agg(sitemap_encode(chr(c), '!''()*'), '' ORDER BY c) FROM generate_series(1, 127) c;
SELECT string_agg(sitemap_encode(chr(c), ':/?#[]@!$&''()*+,;=-._~09AZaz'), '' ORDER BY c) FROM generate_series(1, 127) c;
SELECT sitemap_encode('ü/[ü]', '/'), sitemap_encode('a/b', ''), sitemap_encode('a/b', NULL), sitemap_encode('a/b', '//'), sitemap_encode('a/b', keep => '/');
SELECT pg_temp.error($$ SELECT sitemap_encode('a', '/%') $$);
SELECT string_agg(CASE WHEN pg_temp.error(format('SELECT sitemap_encode(%L, %L)', 'a', chr(c))) LIKE 'no error%' THEN chr(c) END, '' ORDER BY c)
  FROM generate_series(1, 127) c;
SELECT pg_temp.brief(format('SELECT sitemap_encode(NULL, %L)', '/' || c)) FROM unnest(ARRAY[' ', E'\t', E'\x7F', '`', 'ü', '😀']) c;
SELECT length(sitemap_encode(repeat('!/', 500000), repeat('!', 1000000)));

-- A segment of one or two dots leads elsewhere, so its dots are encoded, and no URL may have it.
SELECT s, sitemap_encode(s), sitemap_encode(s, './') FROM unnest(ARRAY['.', '..', '...', '.a', './..']) s;
SELECT pg_temp.error(format('SELECT FROM sitemap_files(%L, ''http://a/'')', format('SELECT ''/item/%s'' AS loc', sitemap_encode(s)))) FROM unnest('{.,..}'::text[]) s;

-- Each other slug is a page of its own, and stays so.
SELECT count(*), count(DISTINCT loc), bool_and(loc = 'http://a/item/' || sitemap_encode(slug) || '?q=' || sitemap_encode(slug))
  FROM (SELECT chr(c) AS slug FROM generate_series(33, 1000) c WHERE chr(c) <> '.') s,
       LATERAL (SELECT rtrim(convert_from(content, 'UTF8'), E'\n') AS loc
                  FROM sitemap_files(format('SELECT %L AS loc', '/item/' || sitemap_encode(slug) || '?q=' || sitemap_encode(slug)),
                                     'http://a/', format => 'txt', index => 'never')) f;

-- In an index, and as a generated column.
CREATE TEMP TABLE slug (slug text, path text GENERATED ALWAYS AS ('/tag/' || sitemap_encode(slug)) STORED);
CREATE INDEX ON slug (sitemap_encode(slug));
INSERT INTO slug VALUES ('C#'), (NULL);
SELECT * FROM slug;
