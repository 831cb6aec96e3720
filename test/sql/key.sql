--
-- Column key: the order of all rows, and what stays in one file.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir /sql/include/helpers.sql
\i :helpers

CREATE TABLE key_page AS
SELECT n AS id, 'lang' || n % 3 AS lang, '/p/' || n AS loc FROM generate_series(1, 900) n;
CREATE FUNCTION pg_temp.files(query text, options text DEFAULT '') RETURNS SETOF sitemap_file
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT * FROM sitemap_files(%L, %L, index => ''never'' %s)',
                              query, 'http://www.example.com/', options);
END
$$;

-- Each file says what key it begins with; a full split, too.
SELECT name, url_count, first_key, recipe ~ '^[0-9a-f]{16}$' AS recipe
  FROM pg_temp.files('SELECT loc, id AS key FROM key_page ORDER BY id', ', max_urls => 300');
SELECT name, url_count, first_key, recipe ~ '^[0-9a-f]{16}$' AS recipe
  FROM pg_temp.files('SELECT loc, id AS key FROM key_page ORDER BY id', ', max_urls => 300, split => ''stable''');
-- Without a key there is neither.
SELECT name, first_key, recipe FROM pg_temp.files('SELECT loc FROM key_page ORDER BY id');
-- The index has neither.
SELECT kind, first_key, recipe IS NULL
  FROM sitemap_files('SELECT loc, id AS key FROM key_page ORDER BY id', 'http://a/', index => 'always');

-- Rows with the same key stay together, and come as the query has them.
SELECT split, count(*) AS files, bool_and(url_count % 7 = 0) AS whole, sum(url_count),
       string_agg(pg_temp.text(content), '' ORDER BY ordinality)
       = (SELECT string_agg('http://www.example.com' || loc || E'\n', '' ORDER BY id)
            FROM key_page WHERE id <= 896) AS same
  FROM (VALUES ('full'), ('stable')) v (split),
       pg_temp.files('SELECT loc, (id - 1) / 7 AS key FROM key_page WHERE id <= 896 ORDER BY id',
                     format(', max_urls => 24, format => ''txt'', split => %L', split)) WITH ORDINALITY f
 GROUP BY split
 ORDER BY split;

-- More rows of a key than a file holds, by URLs, by bytes, and with news.
SELECT pg_temp.error($$ SELECT pg_temp.files('SELECT loc, id / 30 AS key FROM key_page ORDER BY id', ', max_urls => 29') $$);
SELECT count(*) FROM pg_temp.files('SELECT loc, id / 30 AS key FROM key_page ORDER BY id', ', max_urls => 30');
SELECT pg_temp.error($$
  SELECT pg_temp.files('SELECT loc, id / 30 AS key FROM key_page ORDER BY id', ', max_bytes => 1000, split => ''stable''')
$$);
SELECT pg_temp.error($$
  SELECT pg_temp.files('SELECT ''/'' || n AS loc, ''k'' || n / 1001 AS key,
                               public.sitemap_news(''n'', ''en'', ''2026-01-01'', ''t'') AS extensions
                          FROM generate_series(0, 1001) n')
$$);
SELECT url_count, first_key
  FROM pg_temp.files('SELECT ''/'' || n AS loc, ''k'' || n / 1000 AS key,
                             public.sitemap_news(''n'', ''en'', ''2026-01-01'', ''t'') AS extensions
                        FROM generate_series(0, 1001) n');

-- The order is that of the type, and of the column's collation.
SELECT q, pg_temp.error(format('SELECT pg_temp.files(%L)', q))
  FROM (VALUES
    ('SELECT loc, -id AS key FROM key_page ORDER BY id'),
    ('SELECT loc, id::text COLLATE "C" AS key FROM key_page ORDER BY id'),
    ('SELECT loc, id::numeric AS key FROM key_page ORDER BY id'),
    ('SELECT ''/'' AS loc, key FROM (VALUES (''a'' COLLATE "C"), (''B'')) v (key)'),
    ('SELECT ''/'' AS loc, key FROM (VALUES (date ''2026-02-01''), (''2026-01-31'')) v (key)'),
    ('SELECT ''/'' AS loc, key FROM (VALUES (1), (NULL)) v (key)'),
    ('SELECT CASE key WHEN 1 THEN NULL ELSE ''/'' || key END AS loc, key FROM (VALUES (2), (1), (3)) v (key)'),
    ('SELECT loc, ''{}''::json AS key FROM key_page'),
    ('SELECT ''/'' AS loc, ROW(1, ''{}''::json) AS key'),
    ('SELECT ''/'' AS loc, 1 AS key, 2 AS key')
  ) v (q);

-- Where rows are left out, their keys count.
SELECT first_key, url_count
  FROM pg_temp.files('SELECT CASE WHEN n % 5 = 0 THEN ''ftp:'' ELSE ''/'' || n END AS loc, n / 5 AS key FROM generate_series(0, 49) n',
                     ', max_urls => 10, on_invalid => ''skip''');
SELECT pg_temp.brief($$
  SELECT pg_temp.files('SELECT ''ftp:'' AS loc, key FROM (VALUES (2), (1)) v (key)', ', on_invalid => ''skip''')
$$);

-- Types, and their text, which no setting of the session changes.
CREATE TYPE key_enum AS ENUM ('first', 'second');
CREATE DOMAIN key_domain AS bigint CHECK (VALUE > 0);
CREATE FUNCTION pg_temp.first_keys() RETURNS TABLE (expression text, first_key text, recipe text) LANGUAGE plpgsql AS $$
BEGIN
  FOR expression IN VALUES
    ('7::smallint'), ('7'), ('7::bigint'), ('7.50'), ('0.1::float4'), ('1/3.0::float8'), ('''text'''),
    ('''name''::name'), ('''b''::"char"'), ('''padded''::char(10)'), ('true'), ('''\x0aff''::bytea'),
    ('date ''2026-03-04'''), ('timestamp ''2026-03-04 05:06:07.89'''), ('timestamptz ''2026-03-04 05:06:07.89+02'''),
    ('timestamptz ''infinity'''), ('time ''05:06'''), ('interval ''1 year 2 days'''), ('''{1,2}''::int[]'),
    ('ROW(1, date ''2026-03-04'')::key_pair'), ('int4range(1, 5)'), ('''second''::key_enum'), ('7::key_domain'),
    ('''192.168.0.1''::inet'), ('gen_random_uuid()'), ('money(1.5)')
  LOOP
    RETURN QUERY EXECUTE format('SELECT %1$L, CASE WHEN %1$L ~ ''uuid'' THEN ''a uuid'' ELSE f.first_key END, f.recipe
                                   FROM pg_temp.files(%2$L) f', expression,
                                format('SELECT ''/''::text AS loc, %s AS key', expression));
  END LOOP;
END
$$;
CREATE TYPE key_pair AS (a int, b date);
CREATE TEMP TABLE first_keys AS SELECT * FROM pg_temp.first_keys();
SELECT expression, first_key FROM first_keys;
SET DateStyle = 'SQL, DMY';
SET TimeZone = 'Asia/Kathmandu';
SET IntervalStyle = 'iso_8601';
SET extra_float_digits = -10;
SET bytea_output = 'escape';
SELECT count(*) FROM (TABLE first_keys EXCEPT SELECT * FROM pg_temp.first_keys()) s;
SELECT current_setting('DateStyle'), current_setting('TimeZone'), current_setting('extra_float_digits');
RESET ALL;

-- A recipe is of the query and of the options that files follow from, and of nothing else.
CREATE TEMP TABLE recipe AS
SELECT o, (SELECT DISTINCT recipe FROM pg_temp.files('SELECT loc, id AS key FROM key_page', o))
  FROM unnest('{"", ", max_urls => 49999", ", max_bytes => 52428799", ", split => ''stable''", ", format => ''txt''",
                ", compression => 1", ", compression => 9", ", on_invalid => ''skip''", ", scope => ''path''",
                ", stylesheet => ''/a.css''", ", protocol => ''0.84''", ", section => ''another''"}'::text[]) o;
SELECT string_agg(nullif(o, ''), '' ORDER BY o COLLATE "C") AS same FROM recipe GROUP BY recipe HAVING count(*) > 1 ORDER BY 1;
SELECT count(*), count(DISTINCT recipe)
  FROM (SELECT recipe FROM recipe WHERE o = ''
        UNION ALL
        SELECT f.recipe
          FROM (VALUES ('SELECT loc, id AS key FROM key_page '), ('SELECT loc, id::bigint AS key FROM key_page')) v (q),
               pg_temp.files(q) f
        UNION ALL
        SELECT recipe FROM sitemap_files('SELECT loc, id AS key FROM key_page', 'http://www.example.com/a/', index => 'never')) s;

-- With url, key may be there, too.
SELECT first_key, url_count FROM pg_temp.files('SELECT public.sitemap_url(''http://www.example.com'' || loc) AS url, id AS key FROM key_page WHERE id < 9');

-- Bounds as parameters are NULL where all rows are wanted; audit takes the same query.
\set bounded 'SELECT loc, id::bigint AS key FROM key_page WHERE ($1 IS NULL OR id >= $1) AND ($2 IS NULL OR id < $2) ORDER BY id'
SELECT sum(url_count) FROM pg_temp.files(:'bounded');
SELECT sum(url_count) FROM pg_temp.files('SELECT loc, id AS key FROM key_page WHERE $2 IS NULL OR id < $2 ORDER BY id; -- $9');
SELECT pg_temp.error(format('SELECT pg_temp.files(%L)', q))
  FROM (VALUES ('SELECT loc FROM key_page WHERE id > $1'),
               ('SELECT loc, id AS key FROM key_page WHERE id > $3'),
               ('SELECT loc, id AS key FROM key_page WHERE id > $0')) v (q);
SELECT left(pg_temp.error($$ SELECT pg_temp.files('SELECT loc, id AS key FROM key_page WHERE id > $1 AND lang > $1') $$), 45);
SELECT count(*) FROM sitemap_audit(:'bounded', 'http://www.example.com/');

-- Long keys, compressed ones, and many of them.
SELECT count(*), min(length(first_key)), max(url_count)
  FROM pg_temp.files('SELECT loc, repeat(''x'', 5000) || to_char(id, ''0000'') AS key FROM key_page ORDER BY id', ', max_urls => 50, split => ''stable''');

DROP TABLE key_page;
DROP DOMAIN key_domain;
DROP TYPE key_enum, key_pair;

-- Of a long key a message shows the beginning.
SELECT length(pg_temp.error($$ SELECT sitemap_files('SELECT repeat(k, 1000000) AS key, ''/'' AS loc FROM unnest(''{b,a}''::text[]) k', 'http://a/') $$));

-- A type that contains another type many times is read in time: 2 ^ 40 ways to the innermost columns.
DO $$
BEGIN
  FOR n IN 0..40 LOOP
    EXECUTE format('CREATE TYPE key_nested_%s AS ()', n);
  END LOOP;
  FOR n IN REVERSE 40..1 LOOP
    EXECUTE format('ALTER TYPE key_nested_%s ADD ATTRIBUTE a key_nested_%s, ADD ATTRIBUTE b key_nested_%2$s', n, n - 1);
  END LOOP;
END
$$;
ALTER TYPE key_nested_0 ADD ATTRIBUTE a text;
SET statement_timeout = '1min';
SELECT name, first_key FROM sitemap_files('SELECT ''/'' AS loc, ''(,)''::key_nested_40 AS key', 'http://a/', index => 'never');
RESET statement_timeout;
SET client_min_messages = 'warning';
DROP TYPE key_nested_0 CASCADE;
