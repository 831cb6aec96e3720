--
-- Column key: the order of all rows, and what stays in one file.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

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
    ('SELECT ''/'' AS loc, key FROM (VALUES (''a'' COLLATE "C"), (''B'')) v (key)'),
    ('SELECT ''/'' AS loc, key FROM (VALUES (date ''2026-02-01''), (''2026-01-31'')) v (key)'),
    ('SELECT ''/'' AS loc, key FROM (VALUES (1), (NULL)) v (key)'),
    ('SELECT CASE key WHEN 1 THEN NULL ELSE ''/'' || key END AS loc, key FROM (VALUES (2), (1), (3)) v (key)'),
    ('SELECT ''/'' AS loc, 1 AS key, 2 AS key')
  ) v (q);

-- Where rows are left out, their keys count.
SELECT first_key, url_count
  FROM pg_temp.files('SELECT CASE WHEN n % 5 = 0 THEN ''ftp:'' ELSE ''/'' || n END AS loc, n / 5 AS key FROM generate_series(0, 49) n',
                     ', max_urls => 10, on_invalid => ''skip''');
SELECT pg_temp.brief($$
  SELECT pg_temp.files('SELECT ''ftp:'' AS loc, key FROM (VALUES (2), (1)) v (key)', ', on_invalid => ''skip''')
$$);

-- Types, and their text, which no setting of the session changes and each can read.
CREATE DOMAIN key_domain AS bigint CHECK (VALUE > 0);
CREATE DOMAIN key_string AS varchar(9) COLLATE "POSIX";
CREATE TABLE key_value AS
SELECT type, unnest(v) AS value
  FROM (VALUES ('smallint', '{-32768}'::text[]), ('int', '{-2147483648}'), ('bigint', '{-9223372036854775808,7}'), ('key_domain', '{7}'),
               ('uuid', '{00112233-4455-6677-8899-aabbccddeeff}'),
               ('date', '{-infinity,4714-11-24 BC,0044-03-15 BC,2026-03-04,10000-01-02,5874897-12-31,infinity}'),
               ('timestamp', '{-infinity,4714-11-24 00:00:00 BC,2026-03-04 05:06:07.890001,294276-12-31 23:59:59.999999,infinity}'),
               ('timestamptz', '{-infinity,4714-11-24 00:00:00Z BC,2026-03-04 05:06:07.89+05:45,294276-12-31 23:59:59.999999Z,infinity}'),
               ('text COLLATE "C"', '{"",été}'), ('varchar COLLATE "POSIX"', '{x}'), ('char(3) COLLATE "C"', '{x}'), ('key_string', '{x}')) t (type, v);
CREATE FUNCTION pg_temp.first_keys() RETURNS TABLE (type text, first_key text, same bool) LANGUAGE plpgsql AS $$
DECLARE
  value text;
BEGIN
  FOR type, value IN SELECT k.type, k.value FROM key_value k LOOP
    RETURN QUERY EXECUTE format('SELECT %L, f.first_key, f.first_key::%1$s = %2$L::%1$s FROM pg_temp.files(%3$L) f', type, value,
                                format('SELECT ''/''::text AS loc, %L::%s AS key', value, type));
  END LOOP;
END
$$;
CREATE TEMP TABLE first_keys AS SELECT * FROM pg_temp.first_keys();
TABLE first_keys;
CREATE FUNCTION pg_temp.differences(zone text, style text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('TimeZone', zone, true), set_config('DateStyle', style, true);
  RETURN (SELECT count(*) FROM (SELECT * FROM pg_temp.first_keys() EXCEPT ALL SELECT * FROM first_keys) s);
END
$$;
SELECT zone, style, pg_temp.differences(zone, style)
  FROM (VALUES ('Asia/Kathmandu', 'SQL, DMY'), ('America/New_York', 'German'), ('UTC', 'Postgres, MDY'), ('Pacific/Apia', 'ISO, YMD')) v (zone, style);
RESET TimeZone;
RESET DateStyle;

-- Any other type is refused, and the hint has the cast.
CREATE TYPE key_enum AS ENUM ('first', 'second');
CREATE DOMAIN key_amount AS numeric;
CREATE FUNCTION pg_temp.key(expression text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.error(format('SELECT pg_temp.files(%L)', format('SELECT ''/''::text AS loc, %s AS key', expression)))
$$;
SELECT pg_temp.key(key)
  FROM (VALUES ('7.5'), ('7::key_amount'), ('7::float8'), ('''second''::key_enum'), ('ARRAY[7]')) v (key);
SELECT key, split_part(pg_temp.key(key), E'\n', 1)
  FROM (VALUES ('7::money'), ('7::oid'), ('''pg_class''::regclass'), ('true'), ('''\x00''::bytea'), ('time ''05:06'''), ('interval ''1 day'''),
               ('''n''::name'), ('''c''::"char"'), ('''192.168.0.1''::inet'), ('ROW(1, 2)'), ('int4range(1, 5)'), ('''{}''::jsonb'), ('NULL::xml')) v (key);

-- Of collations, those that compare bytes: what PostgreSQL itself takes for C.
SELECT pg_temp.key('a.x || b.x AS key FROM (SELECT ''x'' COLLATE "C" AS x) a, (SELECT ''x'' COLLATE "POSIX" AS x) b; --');
SELECT collname
  FROM (SELECT *, pg_temp.key(format('''x'' COLLATE %I', collname)) LIKE 'no error%' AS accepted
          FROM pg_collation
         WHERE collname IN ('default', 'C', 'POSIX', 'ucs_basic', 'pg_c_utf8', 'pg_unicode_fast', 'C.utf8', 'en_US.utf8', 'unicode', 'en-x-icu')) s
 WHERE accepted <> (collname IN ('default', 'C', 'POSIX', 'ucs_basic') OR collprovider::text = 'b');

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
DROP TABLE key_value;
DROP DOMAIN key_domain, key_string, key_amount;
DROP TYPE key_enum;

-- Of a long key a message shows the beginning.
SELECT length(pg_temp.error($$ SELECT sitemap_files('SELECT repeat(k, 1000000) AS key, ''/'' AS loc FROM unnest(''{b,a}''::text[]) k', 'http://a/') $$));
