--
-- sitemap_publish with changes: types, collations and settings of keys that change
-- between the runs, or while a run reads its changes.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir /sql/include/helpers.sql
\i :helpers

CREATE SCHEMA changes_keys;
CREATE TABLE changes_keys.target OF sitemap_file (PRIMARY KEY (base_url, name));
-- What a run did, without names and without the index; or its error.
CREATE FUNCTION pg_temp.run(query text, changes text DEFAULT NULL, options text DEFAULT ', max_urls => 10') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  EXECUTE format('SELECT coalesce(string_agg(actions, '', '' ORDER BY action) FILTER (WHERE kind <> ''index''), ''nothing'')
                    FROM (SELECT kind, action, count(*) || '' '' || action AS actions
                            FROM public.sitemap_publish(''changes_keys.target'', %L, ''http://a/'', max_shrink => 1, changes => %L %s)
                           GROUP BY kind, action) s', query, changes, options)
     INTO result;
  RETURN result;
END
$$;
CREATE FUNCTION pg_temp.try(query text, changes text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.error(format('SELECT pg_temp.run(%L, %L)', query, changes))
$$;
-- A statement, as a function for changes; the result is what to return.
CREATE FUNCTION changes_keys.execute(statement text, result text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  RETURN result;
END
$$;

-- A row type of the keys cannot be altered while keys are in memory, wherever it is in their type.
CREATE TYPE changes_keys.pair AS (a int8, b int8);
CREATE TYPE changes_keys.outer AS (p changes_keys.pair, c int);
CREATE TYPE changes_keys.span AS RANGE (subtype = changes_keys.pair);
CREATE DOMAIN changes_keys.some_pair AS changes_keys.pair;
CREATE TABLE changes_keys.page AS SELECT n AS id, '/' || n AS loc FROM generate_series(1, 100) n;
TRUNCATE changes_keys.target;
SELECT key, pg_temp.run(format('SELECT loc, %s AS key FROM changes_keys.page ORDER BY id', key)),
       pg_temp.try(format('SELECT loc, %s AS key FROM changes_keys.page ORDER BY id', key),
                   $$ SELECT changes_keys.execute('ALTER TYPE changes_keys.pair ALTER ATTRIBUTE a TYPE text', '(x,1)') $$)
  FROM (VALUES ('ROW(id * 65536 + 257, 0)::changes_keys.pair'),
               ('ARRAY[ROW(id * 65536 + 257, 0)]::changes_keys.pair[]'),
               ('ROW(ROW(id * 65536 + 257, 0), 0)::changes_keys.outer'),
               ('ROW(id * 65536 + 257, 0)::changes_keys.some_pair'),
               ('changes_keys.span(ROW(id, 0)::changes_keys.pair, NULL)'),
               ('changes_keys.span_multirange(changes_keys.span(ROW(id, 0)::changes_keys.pair, NULL))')) v (key);
SELECT pg_temp.try('SELECT loc, ROW(id, 0)::changes_keys.pair AS key FROM changes_keys.page ORDER BY id',
                   $$ SELECT changes_keys.execute('DROP TYPE changes_keys.pair CASCADE', '(1,1)') $$);
-- The row type of a table.
CREATE TABLE changes_keys.row (a int8, b int8);
INSERT INTO changes_keys.row SELECT n * 65536 + 257, 0 FROM generate_series(1, 100) n;
TRUNCATE changes_keys.target;
SELECT pg_temp.run('SELECT ''/'' || a AS loc, r AS key FROM changes_keys.row r ORDER BY r');
SELECT pg_temp.try('SELECT ''/'' || a AS loc, r AS key FROM changes_keys.row r ORDER BY r',
                   $$ SELECT changes_keys.execute('ALTER TABLE changes_keys.row ALTER b TYPE text', '(1,1)') $$);
SELECT pg_temp.run('SELECT ''/'' || a AS loc, r AS key FROM changes_keys.row r ORDER BY r', 'SELECT r FROM changes_keys.row r WHERE a = 65536 * 50 + 257');
-- Nor can a row type that the statement itself returns.
CREATE TYPE changes_keys.other AS (a int8);
SELECT pg_temp.try('SELECT loc, id AS key FROM changes_keys.page ORDER BY id',
                   $$ SELECT ROW(65793::int8 * 65536)::changes_keys.other, changes_keys.execute('ALTER TYPE changes_keys.other ALTER ATTRIBUTE a TYPE text', '1') $$);
-- What a record or an array of records has inside is not known, so they are refused.
SELECT change, pg_temp.try('SELECT loc, id AS key FROM changes_keys.page ORDER BY id', change)
  FROM (VALUES ('SELECT ROW(ROW(65793::int8 * 65536)::changes_keys.other)'),
               ('SELECT ARRAY[ROW(ROW(65793::int8 * 65536)::changes_keys.other)]'),
               ('SELECT 1, ROW(1)'),
               ('SELECT s FROM pg_catalog.pg_statistic s'),
               ('SELECT most_common_vals FROM pg_catalog.pg_stats'),
               ('SELECT pg_catalog.pg_sleep(0)')) v (change);
-- Other types can be dropped.
CREATE TYPE changes_keys.dropped AS ENUM ('1');
CREATE DOMAIN changes_keys.some_dropped AS int4range;
SELECT change, pg_temp.try('SELECT loc, id AS key FROM changes_keys.page ORDER BY id', format(change, 'DROP TYPE changes_keys.dropped; DROP DOMAIN changes_keys.some_dropped'))
  FROM (VALUES ($$ SELECT '1'::changes_keys.dropped, changes_keys.execute(%L, '1') $$),
               ($$ SELECT ARRAY['1'::changes_keys.dropped], changes_keys.execute(%L, '1') $$),
               ($$ SELECT '[1,2]'::changes_keys.some_dropped, changes_keys.execute(%L, '1') $$)) v (change);
-- Nothing remains held.
SELECT relation::regclass FROM pg_locks WHERE relation IN ('changes_keys.pair'::regclass, 'changes_keys.row'::regclass);
ALTER TYPE changes_keys.pair ALTER ATTRIBUTE a TYPE int4 CASCADE;

-- What the statement does to the query: its type, its enum, its function.
CREATE VIEW changes_keys.view AS SELECT loc, id AS key FROM changes_keys.page ORDER BY id;
CREATE TYPE changes_keys.word AS ENUM ('a', 'b', 'c');
CREATE FUNCTION changes_keys.word(id int) RETURNS changes_keys.word IMMUTABLE LANGUAGE sql AS
  $$ SELECT (enum_range(NULL::changes_keys.word))[1 + id / 40] $$;
TRUNCATE changes_keys.target;
BEGIN;
SELECT pg_temp.run('TABLE changes_keys.view');
SELECT pg_temp.try('TABLE changes_keys.view',
                   $$ SELECT changes_keys.execute('DROP VIEW changes_keys.view; CREATE VIEW changes_keys.view AS SELECT loc, id::text AS key FROM changes_keys.page ORDER BY id', '5') $$);
TRUNCATE changes_keys.target;
SELECT pg_temp.run('TABLE changes_keys.view', NULL, ', max_urls => 60');
SELECT pg_temp.run('TABLE changes_keys.view',
                   $$ SELECT changes_keys.execute('CREATE OR REPLACE VIEW changes_keys.view AS SELECT ''/new'' || loc AS loc, id AS key FROM changes_keys.page ORDER BY id', '5') $$, ', max_urls => 60');
SELECT bool_and(p.loc LIKE 'http://a/new/%') AS new FROM changes_keys.target, sitemap_parse(content) p WHERE kind <> 'index';
TRUNCATE changes_keys.target;
SELECT pg_temp.run('SELECT loc, changes_keys.word(id) AS key FROM changes_keys.page ORDER BY id', NULL, ', max_urls => 50');
SELECT pg_temp.brief(format('SELECT pg_temp.run(%L, %L, %L)', 'SELECT loc, changes_keys.word(id) AS key FROM changes_keys.page ORDER BY id',
                            $$ SELECT changes_keys.execute('DROP TYPE changes_keys.word CASCADE', 'a') $$, ', max_urls => 50'));
ROLLBACK;

-- The labels of an enum key change between the runs, or by the statement: they are part of the recipe.
CREATE TYPE changes_keys.has_name AS (a regclass);
CREATE TYPE changes_keys.name_range AS RANGE (subtype = regclass);
CREATE TYPE changes_keys.letter AS ENUM ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j');
CREATE TABLE changes_keys.lettered AS
SELECT (enum_range(NULL::changes_keys.letter))[l] AS letter, format('/%s/%s', l, n) AS loc
  FROM generate_series(1, 10) l, generate_series(1, 7) n;
CREATE FUNCTION pg_temp.lettered(changes text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.run('SELECT loc, letter AS key FROM changes_keys.lettered ORDER BY letter, loc', changes)
$$;
TRUNCATE changes_keys.target;
SELECT pg_temp.lettered();
SELECT pg_temp.lettered($$ SELECT 'd' $$);
ALTER TYPE changes_keys.letter RENAME VALUE 'b' TO 'x';
ALTER TYPE changes_keys.letter RENAME VALUE 'c' TO 'b';
ALTER TYPE changes_keys.letter RENAME VALUE 'x' TO 'c';
SELECT pg_temp.lettered($$ SELECT 'd' $$);
SELECT pg_temp.lettered($$ SELECT changes_keys.execute('ALTER TYPE changes_keys.letter RENAME VALUE ''b'' TO ''x'';
                                                        ALTER TYPE changes_keys.letter RENAME VALUE ''c'' TO ''b'';
                                                        ALTER TYPE changes_keys.letter RENAME VALUE ''x'' TO ''c''', 'd') $$);
SELECT pg_temp.lettered($$ SELECT 'd' $$);
SELECT count(*), count(DISTINCT loc)
  FROM (SELECT (sitemap_parse(content)).loc FROM changes_keys.target WHERE kind <> 'index') s;

-- The text of some types is the name of an object, which another object can get.
SELECT key, pg_temp.brief(format('SELECT * FROM sitemap_files(%L, ''http://a/'')', format('SELECT ''/''::text AS loc, %s AS key', key)))
  FROM (VALUES ('''pg_class''::regclass'), ('''int4''::regtype'), ('''int4out''::regproc'), ('''int4out(int4)''::regprocedure'),
               ('''||/''::regoper'), ('''+(int4,int4)''::regoperator'), ('''pg_catalog''::regnamespace'), ('''"C"''::regcollation'),
               ('''english''::regconfig'), ('''simple''::regdictionary'), ('0::oid::regrole'),
               ('ARRAY[''pg_class''::regclass]'), ('ROW(''pg_class'')::changes_keys.has_name'),
               ('changes_keys.name_range(''pg_class'', NULL)'), ('changes_keys.name_multirange(changes_keys.name_range(''pg_class'', NULL))'),
               ('''pg_class''::regclass::oid'), ('''pg_class''::regclass::text')) v (key);

-- Settings.  A run with changes does the same, whatever the settings of the
-- session were when the files were made, and whatever they are now.
CREATE TABLE changes_keys.setting AS
SELECT n, s.name, s.value
  FROM (VALUES (1, 'SQL, DMY', 'Asia/Kathmandu', 'sql_standard', '-14', 'escape', 'off', 'on', 'changes_keys'),
               (2, 'German', 'America/New_York', 'iso_8601', '1', 'escape', 'off', 'off', 'pg_temp, public'),
               (3, 'Postgres, MDY', 'UTC', 'postgres_verbose', '0', 'hex', 'on', 'on', 'public, pg_catalog')) v (n, a, b, c, d, e, f, g, h),
       LATERAL (VALUES ('DateStyle', a), ('TimeZone', b), ('IntervalStyle', c), ('extra_float_digits', d), ('bytea_output', e),
                       ('array_nulls', f), ('quote_all_identifiers', g), ('search_path', h)) s (name, value);
CREATE TABLE changes_keys.key AS
SELECT *
  FROM (VALUES ('1 + id::float8 / 10000000000', '1 + id::float8 / 10000000000'),
               ('1 + id::float8 / 10000000000', '1 + id::numeric / 10000000000'),
               ('(1 + id / 100000.0)::float4::float8', '(1 + id / 100000.0)::float4'),
               ('ARRAY[NULL, id]', 'ARRAY[NULL, id]'),
               ('ARRAY[NULL, ''NULL'', to_char(id, ''000'')]', 'ARRAY[NULL, ''NULL'', to_char(id, ''000'')]::text'),
               ('ARRAY[NULL, ''NULL'', to_char(id, ''000'')]', 'ARRAY[NULL, ''NULL'', to_char(id, ''000'')]::name[]'),
               ('date ''2026-01-01'' + id * 10', 'date ''2026-01-01'' + id * 10'),
               ('date ''2026-01-01'' + id * 10', '(date ''2026-01-01'' + id * 10)::timestamp'),
               ('date ''2026-01-01'' + id * 10', '(date ''2026-01-01'' + id * 10)::text'),
               ('timestamptz ''2026-01-01Z'' + id * interval ''1 minute''', 'timestamptz ''2026-01-01Z'' + id * interval ''1 minute'''),
               ('timestamptz ''2026-01-01Z'' + id * interval ''1 minute''', '(timestamptz ''2026-01-01Z'' + id * interval ''1 minute'')::text'),
               ('timestamp ''2026-01-01'' + id * interval ''1 hour''', '(timestamp ''2026-01-01'' + id * interval ''1 hour'')::text'),
               ('timestamp ''2026-01-01'' + id * interval ''1 hour''', '(timestamp ''2026-01-01'' + id * interval ''1 hour'') AT TIME ZONE ''UTC'''),
               ('id * interval ''1 day -1 second'' - interval ''1 year''', 'id * interval ''1 day -1 second'' - interval ''1 year'''),
               ('id * interval ''1 day -1 second'' - interval ''1 year''', '(id * interval ''1 day -1 second'' - interval ''1 year'')::text'),
               ('convert_to(''\'' || to_char(id, ''000''), ''UTF8'')', 'convert_to(''\'' || to_char(id, ''000''), ''UTF8'')'),
               ('convert_to(''\'' || to_char(id, ''000''), ''UTF8'')', 'convert_to(''\'' || to_char(id, ''000''), ''UTF8'')::text'),
               ('id::money', 'id::money'),
               ('to_char(id, ''"Key" 000'')::name', 'to_char(id, ''"Key" 000'')')) v (key, change);
-- What runs with a change each do; first: the settings with which all files were made; second: those of the runs.
CREATE FUNCTION pg_temp.look(key text, change text, first int, second int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  query text := format('SELECT loc, %s AS key FROM changes_keys.page ORDER BY key', key);
  result text := '';
BEGIN
  TRUNCATE changes_keys.target;
  UPDATE changes_keys.page SET loc = '/' || id;
  PERFORM set_config(name, value, true) FROM changes_keys.setting WHERE n = first;
  PERFORM pg_temp.run(query);
  RESET ALL;
  PERFORM set_config(name, value, true) FROM changes_keys.setting WHERE n = second;
  FOR changed IN 20 .. 100 BY 40 LOOP
    UPDATE changes_keys.page SET loc = loc || '/' WHERE id = changed;
    result := result || pg_temp.run(query, format('SELECT %s FROM changes_keys.page WHERE id = %s', change, changed)) || '; ';
  END LOOP;
  RESET ALL;
  RETURN result;
END
$$;
CREATE TEMP TABLE look AS SELECT key, change, pg_temp.look(key, change, 0, 0) FROM changes_keys.key;
SELECT DISTINCT look FROM look;
SELECT * FROM (SELECT key, change, first, second, look, pg_temp.look(key, change, first, second) AS looked
                 FROM look, (VALUES (1, 0), (2, 0), (3, 0), (0, 1), (0, 2), (0, 3)) v (first, second)) s
 WHERE look <> looked;
SET client_min_messages = warning;

-- The recipe has what decides the order of keys, not only names.
CREATE SCHEMA changes_a;
CREATE SCHEMA changes_b;
CREATE COLLATION changes_a.ours (provider = libc, locale = 'C');
CREATE COLLATION changes_b.ours (provider = libc, locale = 'POSIX');
CREATE FUNCTION pg_temp.recipe(key text) RETURNS text LANGUAGE sql AS $$
  SELECT recipe FROM public.sitemap_files(format('SELECT ''/''::text AS loc, %s AS key', key), 'http://a/')
$$;
CREATE TEMP TABLE recipe (what text, recipe text);
SET search_path = changes_a, public;
INSERT INTO recipe VALUES ('a', pg_temp.recipe('''x'' COLLATE ours'));
SET search_path = changes_b, public;
INSERT INTO recipe VALUES ('b', pg_temp.recipe('''x'' COLLATE ours'));
SET quote_all_identifiers = on;
INSERT INTO recipe VALUES ('b, all quoted', pg_temp.recipe('''x'' COLLATE ours'));
RESET quote_all_identifiers;
DROP COLLATION changes_b.ours;
CREATE COLLATION changes_b.ours (provider = libc, locale = 'POSIX');
INSERT INTO recipe VALUES ('b, created again', pg_temp.recipe('''x'' COLLATE ours'));
DROP COLLATION changes_b.ours;
CREATE COLLATION changes_b.ours (provider = libc, locale = 'C');
INSERT INTO recipe VALUES ('b, another locale', pg_temp.recipe('''x'' COLLATE ours'));
CREATE TYPE changes_b.pair AS (a text COLLATE changes_a.ours, b int);
INSERT INTO recipe VALUES ('pair', pg_temp.recipe('ROW(''x'', 1)::changes_b.pair'));
DROP TYPE changes_b.pair;
CREATE TYPE changes_b.pair AS (a text COLLATE changes_b.ours, b int);
INSERT INTO recipe VALUES ('pair, another collation', pg_temp.recipe('ROW(''x'', 1)::changes_b.pair'));
ALTER TYPE changes_b.pair ADD ATTRIBUTE c int;
INSERT INTO recipe VALUES ('pair, another column', pg_temp.recipe('ROW(''x'', 1, 1)::changes_b.pair'));
CREATE TYPE changes_b.span AS RANGE (subtype = text, subtype_opclass = text_ops, collation = "C");
INSERT INTO recipe VALUES ('span', pg_temp.recipe('changes_b.span(''a'', NULL)')),
  ('spans', pg_temp.recipe('changes_b.span_multirange(changes_b.span(''a'', NULL))'));
DROP TYPE changes_b.span;
CREATE TYPE changes_b.span AS RANGE (subtype = text, subtype_opclass = text_pattern_ops, collation = "C");
INSERT INTO recipe VALUES ('span, another operator class', pg_temp.recipe('changes_b.span(''a'', NULL)')),
  ('spans, another operator class', pg_temp.recipe('changes_b.span_multirange(changes_b.span(''a'', NULL))'));
CREATE TYPE changes_b.word AS ENUM ('a', 'b c');
INSERT INTO recipe VALUES ('enum', pg_temp.recipe('''a''::changes_b.word')), ('array of enums', pg_temp.recipe('ARRAY[''a''::changes_b.word]'));
DROP TYPE changes_b.word;
CREATE TYPE changes_b.word AS ENUM ('a', 'b c');
INSERT INTO recipe VALUES ('enum, created again', pg_temp.recipe('''a''::changes_b.word'));
DROP TYPE changes_b.word;
CREATE TYPE changes_b.word AS ENUM ('b c', 'a');
INSERT INTO recipe VALUES ('enum, another order', pg_temp.recipe('''a''::changes_b.word')), ('array of enums, another order', pg_temp.recipe('ARRAY[''a''::changes_b.word]'));
RESET search_path;
SELECT string_agg(what, '; ' ORDER BY what COLLATE "C") FROM recipe GROUP BY recipe ORDER BY 1;
DROP SCHEMA changes_a, changes_b CASCADE;

-- A first key that the type does not accept, for whatever reason, means all files.
CREATE DOMAIN changes_keys.small AS int CHECK (VALUE < 1000);
CREATE FUNCTION changes_keys.must_be_small(value int) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
  IF value >= 1000 THEN
    RAISE 'not small';
  END IF;
  RETURN true;
END
$$;
CREATE DOMAIN changes_keys.very_small AS int CHECK (changes_keys.must_be_small(VALUE));
CREATE FUNCTION pg_temp.unread(type text, change text, key text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  query text := format('SELECT loc, ARRAY[id]::%s AS key FROM changes_keys.page ORDER BY id', type);
BEGIN
  TRUNCATE changes_keys.target;
  PERFORM pg_temp.run(query);
  UPDATE changes_keys.target SET first_key = key WHERE first_key = (SELECT max(first_key) FROM changes_keys.target);
  RETURN pg_temp.run(query, change);
END
$$;
SELECT type, pg_temp.unread(type, 'SELECT ARRAY[20]', '{1000}') FROM (VALUES ('changes_keys.small[]'), ('changes_keys.very_small[]')) v (type);
SELECT pg_temp.unread('int[]', 'SELECT ARRAY[20]', repeat('{', 10));
SELECT pg_temp.error($$ SELECT pg_temp.unread('changes_keys.small[]', 'SELECT ARRAY[1000]', '{1}') $$);

-- A type can write texts that are not those of its values, or that it does not accept.  Such
-- a text is no first key.  Then each run reads all rows, but writes nothing without need.
CREATE FUNCTION pg_temp.lossy(output text, factor int) RETURNS TABLE (run int, did text, first_keys bigint, files bigint, written bool) LANGUAGE plpgsql AS $$
DECLARE
  query text := format('SELECT loc, (id * %s)::changes_keys.lossy AS key FROM changes_keys.page ORDER BY id', factor);
  state tid[];
  now tid[];
  operator text;
  name text;
BEGIN
  SET LOCAL client_min_messages = error;
  DROP TYPE IF EXISTS changes_keys.lossy CASCADE;
  CREATE TYPE changes_keys.lossy;
  CREATE FUNCTION changes_keys.lossy_in(cstring) RETURNS changes_keys.lossy LANGUAGE internal IMMUTABLE STRICT AS 'int4in';
  EXECUTE format('CREATE FUNCTION changes_keys.lossy_out(changes_keys.lossy) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS %L', output);
  CREATE TYPE changes_keys.lossy (INPUT = changes_keys.lossy_in, OUTPUT = changes_keys.lossy_out, LIKE = int4);
  CREATE CAST (int4 AS changes_keys.lossy) WITHOUT FUNCTION;
  FOR operator, name IN VALUES ('<', 'int4lt'), ('<=', 'int4le'), ('=', 'int4eq'), ('>=', 'int4ge'), ('>', 'int4gt') LOOP
    EXECUTE format('CREATE FUNCTION changes_keys.%s(changes_keys.lossy, changes_keys.lossy) RETURNS bool LANGUAGE internal IMMUTABLE STRICT AS %1$L', name);
    EXECUTE format('CREATE OPERATOR changes_keys.%s (LEFTARG = changes_keys.lossy, RIGHTARG = changes_keys.lossy, FUNCTION = changes_keys.%s)', operator, name);
  END LOOP;
  CREATE FUNCTION changes_keys.btint4cmp(changes_keys.lossy, changes_keys.lossy) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'btint4cmp';
  CREATE OPERATOR CLASS changes_keys.lossy_ops DEFAULT FOR TYPE changes_keys.lossy USING btree AS
    OPERATOR 1 changes_keys.<, OPERATOR 2 changes_keys.<=, OPERATOR 3 changes_keys.=, OPERATOR 4 changes_keys.>=, OPERATOR 5 changes_keys.>,
    FUNCTION 1 changes_keys.btint4cmp(changes_keys.lossy, changes_keys.lossy);

  TRUNCATE changes_keys.target;
  FOR n IN 1 .. 3 LOOP
    run := n;
    did := pg_temp.run(query, CASE WHEN n > 1 THEN 'SELECT 50' END);
    SELECT count(t.first_key), count(*), array_agg(t.ctid ORDER BY t.name)
      INTO first_keys, files, now
      FROM changes_keys.target t WHERE kind <> 'index';
    written := now IS DISTINCT FROM state;
    state := now;
    RETURN NEXT;
  END LOOP;
END
$$;
SELECT output, factor, l.*
  FROM (VALUES ('int4out', 1), ('int2out', 1), ('int2out', 1 << 14), ('boolout', 1)) v (output, factor), LATERAL pg_temp.lossy(output, factor) l;

-- Of PostgreSQL's own types, tsquery loses its nesting.
TRUNCATE changes_keys.target;
SELECT pg_temp.run($$ SELECT loc, format('a | (b | k%s)', loc)::tsquery AS key FROM (VALUES ('1'), ('2')) v (loc) ORDER BY 2 $$);
SELECT count(first_key), count(*) FROM changes_keys.target WHERE kind <> 'index';
TRUNCATE changes_keys.target;
SELECT pg_temp.run($$ SELECT loc, ARRAY[format('a | (b | k%s)', loc)::tsquery] AS key FROM (VALUES ('1'), ('2')) v (loc) ORDER BY 2 $$);
SELECT count(first_key), count(*) FROM changes_keys.target WHERE kind <> 'index';

-- Of a long key a message shows the beginning.
TRUNCATE changes_keys.target;
SELECT pg_temp.run('SELECT loc, loc AS key FROM changes_keys.page ORDER BY loc');
SELECT length(pg_temp.try('SELECT loc, loc AS key FROM changes_keys.page ORDER BY loc', $$ SELECT repeat('b', 1000000), repeat('a', 1000000) $$));

DROP SCHEMA changes_keys CASCADE;
