--
-- sitemap_watch and sitemap_unwatch: which keys get into the queue, and what is
-- refused.  Random statements are in test/t/watch.pl.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql
RESET client_min_messages;
\set SHOW_CONTEXT never
CREATE TABLE page (id int PRIMARY KEY, path text, title text, views int DEFAULT 0);
CREATE TABLE queue (id int);
-- The queue, emptied; and what each statement adds to it.
CREATE FUNCTION take() RETURNS text LANGUAGE sql AS $$
  WITH taken AS (DELETE FROM queue RETURNING id)
  SELECT coalesce(string_agg(coalesce(id::text, 'all'), ' ' ORDER BY id), 'none') FROM taken
$$;
CREATE FUNCTION pg_temp.adds(VARIADIC statements text[]) RETURNS TABLE (statement text, keys text) LANGUAGE plpgsql AS $$
BEGIN
  FOREACH statement IN ARRAY statements LOOP
    EXECUTE statement;
    keys := public.take();
    RETURN NEXT;
  END LOOP;
END
$$;
SELECT sitemap_watch('page', 'id', 'queue', '{path,title}');
SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = 'page'::regclass ORDER BY tgname COLLATE "C";

SELECT * FROM pg_temp.adds(
  'INSERT INTO page SELECT n, ''/'' || n, ''Title'' FROM generate_series(1, 9) n',
  'UPDATE page SET views = views + 1',
  'UPDATE page SET title = ''Title''',
  'UPDATE page SET title = NULL WHERE id IN (2, 3)',
  'UPDATE page SET title = NULL WHERE id IN (2, 4)',
  'UPDATE page SET id = 10 WHERE id = 5',
  'DELETE FROM page WHERE id > 8',
  'INSERT INTO page VALUES (1, ''/one''), (11, ''/11'') ON CONFLICT (id) DO UPDATE SET views = 7',
  'INSERT INTO page VALUES (1, ''/one'') ON CONFLICT (id) DO UPDATE SET path = excluded.path',
  'MERGE INTO page USING (VALUES (1), (2), (3), (12)) v (n) ON id = n
     WHEN MATCHED AND n = 1 THEN DELETE
     WHEN MATCHED THEN UPDATE SET path = CASE n WHEN 3 THEN ''/three'' ELSE path END
     WHEN NOT MATCHED THEN INSERT VALUES (n, ''/12'')',
  'COPY page (id, path) FROM PROGRAM ''echo 20,/20; echo 21,/21'' (FORMAT csv)',
  'TRUNCATE page');
BEGIN;
INSERT INTO page VALUES (1);
SAVEPOINT a;
INSERT INTO page VALUES (2);
ROLLBACK TO a;
COMMIT;
SELECT take();

-- All columns, by default.  The key alone.
SELECT * FROM pg_temp.adds(
  'SELECT sitemap_watch(''page'', ''id'', ''queue'')',
  'UPDATE page SET views = 1',
  'UPDATE page SET views = 1',
  'SELECT sitemap_watch(''page'', ''id'', ''queue'', ''{}'')',
  'UPDATE page SET views = 2, title = ''x''',
  'UPDATE page SET id = 3');
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'page'::regclass;

-- A joined table with two references is watched twice; NULL adds nothing.
CREATE TABLE link (source int, target int, text text);
SELECT sitemap_watch('link', 'source', 'queue', '{target}');
SELECT sitemap_watch('link', 'target', 'queue');
SELECT * FROM pg_temp.adds(
  'INSERT INTO link VALUES (1, 2), (NULL, 3), (NULL, NULL)',
  'UPDATE link SET text = ''x''',
  'UPDATE link SET source = 4 WHERE target = 3');
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'link'::regclass;
SELECT sitemap_unwatch('link', 'queue');
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'link'::regclass;
SELECT sitemap_unwatch('link', 'queue');
DROP TABLE link;

-- Keys of other types, in queues whose first column takes them.
CREATE DOMAIN slug AS text CHECK (VALUE <> '');
CREATE TYPE pair AS (a int, b text);
CREATE TABLE keys (
  i smallint, n numeric(10, 4), t text, s slug, u uuid, d timestamptz, a int[], p pair, r int4range, c "char", j jsonb, x xml, v varchar);
DO $$
DECLARE
  k record;
BEGIN
  FOR k IN SELECT attname AS name, CASE attname WHEN 'i' THEN 'bigint' WHEN 's' THEN 'text' WHEN 'v' THEN 'text' ELSE format_type(atttypid, atttypmod) END AS type
             FROM pg_attribute WHERE attrelid = 'keys'::regclass AND attnum > 0 LOOP
    EXECUTE format('CREATE TABLE queue_%s (gone int, %1$s %s, at timestamptz DEFAULT now()); ALTER TABLE queue_%1$s DROP gone', k.name, k.type);
    PERFORM sitemap_watch('keys', k.name, format('queue_%s', k.name)::regclass, '{}');
  END LOOP;
END
$$;
INSERT INTO keys VALUES (1, 1.5, 'a', 'b', '00000000-0000-0000-0000-000000000001', '2026-01-01 00:00Z', '{1,2}', '(1,x)', '[1,3)', 'c', '{"a": 1}', '<a/>', 'v');
INSERT INTO keys SELECT 2, 2.5, repeat('long', 5000) || n, 'c', NULL, 'infinity', '{{1,2},{3,4}}', '(2,)', 'empty', '', '[]', '', n FROM generate_series(1, 2) n;
UPDATE keys SET a = a || 5, t = t || 'x', p = ((keys.p).a, (keys.p).b || 'x') WHERE i = 1;
UPDATE keys SET a = a || '{}'::int[], t = t || '', p = ((keys.p).a, (keys.p).b);
SELECT (SELECT string_agg(i::text, ' ' ORDER BY i) FROM queue_i) AS i,
       (SELECT string_agg(n::text, ' ' ORDER BY n) FROM queue_n) AS n,
       (SELECT string_agg(length(t)::text, ' ' ORDER BY length(t)) FROM queue_t) AS t,
       (SELECT string_agg(s, ' ' ORDER BY s) FROM queue_s) AS s,
       (SELECT count(*) FROM queue_u) AS u,
       (SELECT count(*) FROM queue_d WHERE at IS NOT NULL) AS d,
       (SELECT string_agg(a::text, ' ' ORDER BY a) FROM queue_a) AS a,
       (SELECT string_agg(p::text, ' ' ORDER BY p) FROM queue_p) AS p,
       (SELECT string_agg(r::text, ' ' ORDER BY r) FROM queue_r) AS r,
       (SELECT count(*) FROM queue_c) AS c,
       (SELECT string_agg(j::text, ' ' ORDER BY j) FROM queue_j) AS j,
       (SELECT count(*) FROM queue_x) AS x,
       (SELECT string_agg(v, ' ' ORDER BY v) FROM queue_v) AS v;
DROP TABLE keys, queue_i, queue_n, queue_t, queue_s, queue_u, queue_d, queue_a, queue_p, queue_r, queue_c, queue_j, queue_x, queue_v;
DROP TYPE slug, pair;

-- A table in partitions: statements on the root and on a partition.  A later partition
-- is watched for statements on the root, and for others when sitemap_watch is called again.
CREATE TABLE part (id int, region int, title text) PARTITION BY LIST (region);
CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1);
SELECT sitemap_watch('part', 'id', 'queue', '{title}');
CREATE TABLE part_2 PARTITION OF part FOR VALUES IN (2);
SELECT * FROM pg_temp.adds(
  'INSERT INTO part VALUES (1, 1), (2, 2)',
  'INSERT INTO part_1 VALUES (3, 1)',
  'INSERT INTO part_2 VALUES (4, 2)',
  'UPDATE part SET region = 3 - region',
  'UPDATE part SET region = 3 - region, title = ''x'' WHERE id = 1',
  'SELECT sitemap_watch(''part'', ''id'', ''queue'', ''{title}'')',
  'INSERT INTO part_2 VALUES (5, 2)');
SELECT sitemap_unwatch('part', 'queue');
SELECT count(*) FROM pg_trigger WHERE tgrelid IN ('part'::regclass, 'part_1'::regclass, 'part_2'::regclass);
DROP TABLE part;

-- Generated columns; cascades of a foreign key.
CREATE TABLE author (id int PRIMARY KEY);
CREATE TABLE post (id int, author int REFERENCES author ON UPDATE CASCADE ON DELETE CASCADE, slug text,
                   lower text GENERATED ALWAYS AS (lower(slug)) STORED);
SELECT sitemap_watch('post', 'id', 'queue', '{author,lower}');
INSERT INTO author VALUES (1), (2);
SELECT * FROM pg_temp.adds(
  'INSERT INTO post VALUES (1, 1, ''a''), (2, 2, ''b'')',
  'UPDATE post SET slug = upper(slug)',
  'UPDATE author SET id = 3 WHERE id = 1',
  'DELETE FROM author WHERE id = 3');
ALTER TABLE post DROP lower;
UPDATE post SET slug = 'c';
DROP TABLE post, author;

-- Names that need quotes, and long ones; triggers that have such a name already.
CREATE SCHEMA "a ""b""";
CREATE TABLE "a ""b"""."a table whose name is so long that no trigger's name has it all" ("a 'key'" int, "a \ column" int);
CREATE TABLE "a ""b"""."a queue whose name is so long that no trigger's name has it all" ("a 'key'" int);
\set source '"a ""b"""."a table whose name is so long that no trigger''s name has it all"'
\set queue '"a ""b"""."a queue whose name is so long that no trigger''s name has it all"'
SELECT sitemap_watch(:'source', 'a ''key''', :'queue', ARRAY['a \ column']);
SELECT sitemap_watch(:'source', 'a \ column', :'queue', ARRAY['a ''key''']);
INSERT INTO :source VALUES (1, 2);
UPDATE :source SET "a \ column" = 3;
TABLE :queue;
SELECT substring(tgname, '.*_') AS name, count(DISTINCT tgname) FROM pg_trigger WHERE tgrelid = :'source'::regclass GROUP BY 1 ORDER BY 1;
DROP SCHEMA "a ""b""" CASCADE;

-- Refused: an argument.
CREATE TABLE without_columns (gone int);
ALTER TABLE without_columns DROP gone;
CREATE MATERIALIZED VIEW matview AS SELECT 1 AS id;
SELECT arguments, pg_temp.error(format('SELECT sitemap_watch(%s)', arguments))
  FROM unnest(ARRAY[
         'NULL, ''id'', ''queue''',
         '''page'', NULL, ''queue''',
         '''page'', ''id'', NULL',
         '''page'', ''id'', ''queue'', ''{title,NULL}''',
         '''page'', ''nokey'', ''queue''',
         '''page'', ''ctid'', ''queue''',
         '''page'', ''id'', ''queue'', ''{nocolumn}''',
         '''page'', ''ID'', ''queue''',
         '''without_columns'', ''gone'', ''queue''',
         '''page'', ''title'', ''queue''',
         '''page'', ''id'', ''page''',
         '''pg_views'', ''viewname'', ''queue''',
         '''page'', ''id'', ''pg_views''',
         '''page'', ''id'', ''matview''',
         '''matview'', ''id'', ''queue''',
         '1::regclass, ''id'', ''queue''']) arguments;
DROP TABLE without_columns;
DROP MATERIALIZED VIEW matview;
-- A queue, q, created so; or what it has after more statements.
CREATE DOMAIN strict AS int NOT NULL;
CREATE DOMAIN strict_based AS strict;
CREATE DOMAIN strict_default AS int NOT NULL DEFAULT 7;
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE DOMAIN positive_based AS positive DEFAULT 1;
CREATE TABLE other_page (id int);
CREATE FUNCTION pg_temp.queued(definition text, statements text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  rows text;
BEGIN
  EXECUTE definition;
  PERFORM sitemap_watch('page', 'id', 'q');
  EXECUTE coalesce(statements, '');
  EXECUTE 'SELECT string_agg(q::text, '' '') FROM q' INTO rows;
  RAISE 'has %', rows;
END
$$;
SELECT definition, pg_temp.error(format('SELECT pg_temp.queued(%L, %L)', definition, statements))
  FROM (VALUES
    ('CREATE TABLE q (id int UNIQUE)', NULL),
    ('CREATE TABLE q (id int, EXCLUDE (id WITH =))', NULL),
    -- a delete of the row that a key refers to would fail, here of the page itself
    ('CREATE TABLE q (id int REFERENCES page, page int REFERENCES page)', NULL),
    ('CREATE TABLE q (id int, page int REFERENCES page)', NULL),
    -- partitions take some keys only, and a row of a child is a row of its parent, which can be watched
    ('CREATE TABLE q (id int) PARTITION BY RANGE (id)', NULL),
    ('CREATE TABLE r (id int) PARTITION BY RANGE (id); CREATE TABLE q PARTITION OF r FOR VALUES FROM (0) TO (10)', NULL),
    ('CREATE TABLE r (id int) PARTITION BY RANGE (id); CREATE TABLE q (id int)',
     'ALTER TABLE r ATTACH PARTITION q FOR VALUES FROM (0) TO (10); INSERT INTO page VALUES (99)'),
    ('CREATE TABLE q () INHERITS (page)', NULL),
    -- queues of each other
    ('CREATE TABLE q (id int); SELECT sitemap_watch(''q'', ''id'', ''queue'')', 'SELECT sitemap_watch(''page'', ''id'', ''q'')'),
    ('CREATE TABLE q (id int)', 'SELECT sitemap_watch(''q'', ''id'', ''queue''); SELECT sitemap_watch(''queue'', ''id'', ''q'')'),
    ('CREATE TABLE q (id int NOT NULL)', NULL),
    ('CREATE TABLE q (id int, note text NOT NULL)', NULL),
    ('CREATE TABLE q (id int, copy int GENERATED ALWAYS AS (id) STORED NOT NULL)', NULL),
    ('CREATE TABLE q (id int, number int GENERATED ALWAYS AS IDENTITY, note text NOT NULL, date date NOT NULL DEFAULT ''epoch''); ALTER TABLE q DROP note',
     'INSERT INTO page VALUES (99)'),
    -- constraints that refuse keys or NULL, at the call and later
    ('CREATE TABLE q (id int CHECK (id IS NOT NULL))', NULL),
    ('CREATE TABLE q (id int, CHECK (q IS NOT NULL))', NULL),
    ('CREATE TABLE q (id int, note text, CHECK (note <> '''' OR id > 0) NOT VALID)', NULL),
    ('CREATE TABLE q (id int, note text DEFAULT '''' CHECK (note <> ''''))', NULL),
    ('CREATE TABLE q (id int)', 'ALTER TABLE q ADD CHECK (id > 0); TRUNCATE page'),
    ('CREATE TABLE q (id int)', 'ALTER TABLE q ADD note text NOT NULL; INSERT INTO page VALUES (99)'),
    ('CREATE TABLE q (id positive)', NULL),
    ('CREATE TABLE q (id positive_based)', NULL),
    -- a table with rows that is rather the source
    ('CREATE TABLE q (id int, path text NOT NULL DEFAULT ''''); INSERT INTO q VALUES (1)', NULL),
    ('CREATE TABLE q (id int, path text NOT NULL DEFAULT ''''); INSERT INTO q VALUES (1); DELETE FROM q', 'INSERT INTO page VALUES (99)'),
    -- a queue with keys that is renamed is no new one
    ('CREATE TABLE q (id int, at int NOT NULL DEFAULT 7)',
     'INSERT INTO page VALUES (99); ALTER TABLE q RENAME TO r; SELECT sitemap_watch(''page'', ''id'', ''r''); ALTER TABLE r RENAME TO q'),
    ('CREATE TABLE q (id int, path text NOT NULL DEFAULT ''''); SELECT sitemap_watch(''other_page'', ''id'', ''q''); INSERT INTO other_page VALUES (1)',
     'INSERT INTO page VALUES (99)'),
    ('CREATE TABLE q (id strict)', NULL),
    ('CREATE TABLE q (id strict_based)', NULL),
    ('CREATE TABLE q (id int, number strict)', NULL),
    ('CREATE TABLE q (id int, number strict_default)', 'INSERT INTO page VALUES (99)'),
    -- a first column that the statement cannot write, at the call and later
    ('CREATE TABLE q (id int GENERATED ALWAYS AS (x) STORED, x int)', NULL),
    ('CREATE TABLE q (id int GENERATED ALWAYS AS IDENTITY)', NULL),
    ('CREATE TABLE q (id int)', 'INSERT INTO page VALUES (98); DELETE FROM q WHERE id IS NULL;
                                 ALTER TABLE q ALTER id SET NOT NULL, ALTER id ADD GENERATED ALWAYS AS IDENTITY; INSERT INTO page VALUES (99), (100)'),
    ('CREATE TABLE q ()', NULL),
    ('CREATE TEMP TABLE q (id int)', NULL),
    -- what a crash empties
    ('CREATE UNLOGGED TABLE q (id int)', NULL)
  ) v (definition, statements);
DROP DOMAIN strict, strict_based, strict_default, positive, positive_based;
DROP TABLE other_page;
CREATE TEMP TABLE temp_queue (id int);
CREATE TEMP TABLE temp_page (id int);
SELECT sitemap_watch('temp_page', 'id', 'queue');
SELECT sitemap_watch('temp_page', 'id', 'temp_queue');
INSERT INTO temp_page VALUES (1);
TABLE temp_queue;
-- temporary children: their own writes may be read-only
CREATE TABLE half (id int);
CREATE TABLE half_queue (id int);
CREATE TEMP TABLE temp_half () INHERITS (half);
SELECT sitemap_watch('half', 'id', 'half_queue');
INSERT INTO temp_half VALUES (1);
BEGIN READ ONLY;
INSERT INTO temp_half VALUES (2);
COMMIT;
UPDATE half SET id = 3 WHERE id = 2;
SELECT id FROM half_queue ORDER BY id;
DROP TABLE half, temp_half, half_queue;
CREATE UNLOGGED TABLE unlogged_queue (id int);
CREATE UNLOGGED TABLE unlogged_page (id int);
SELECT sitemap_watch('unlogged_page', 'id', 'unlogged_queue');
INSERT INTO unlogged_page VALUES (1);
TABLE unlogged_queue;
DROP TABLE unlogged_page, unlogged_queue;
SELECT sitemap_unwatch('page', NULL);
SELECT sitemap_unwatch('page', 'page');
SELECT _sitemap_watch();
CREATE TRIGGER by_hand AFTER INSERT ON temp_page FOR EACH ROW EXECUTE FUNCTION _sitemap_watch('id', 'queue');
INSERT INTO temp_page VALUES (1);
DROP TRIGGER by_hand ON temp_page;
CREATE TRIGGER by_hand AFTER INSERT ON temp_page FOR EACH STATEMENT EXECUTE FUNCTION _sitemap_watch('id', 'queue');
INSERT INTO temp_page VALUES (1);
DROP TRIGGER by_hand ON temp_page;
-- a name that the writer's search_path would decide
CREATE TRIGGER by_hand AFTER INSERT ON temp_page REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION _sitemap_watch('id', 'queue');
INSERT INTO temp_page VALUES (1);
DROP TRIGGER by_hand ON temp_page;
CREATE FOREIGN DATA WRAPPER nothing;
CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing;
CREATE TABLE far (id int) PARTITION BY LIST (id);
CREATE FOREIGN TABLE far_1 PARTITION OF far FOR VALUES IN (1) SERVER nowhere;
SELECT sitemap_watch('far', 'id', 'queue');
CREATE FOREIGN TABLE far_queue (id int) SERVER nowhere;
SELECT sitemap_watch('page', 'id', 'far_queue');
SELECT sitemap_watch('far_queue', 'id', 'queue');
DROP FOREIGN DATA WRAPPER nothing CASCADE;
DROP TABLE far, temp_page, temp_queue;

-- A trigger by hand whose second argument is no name of a queue.
CREATE TABLE by_hand (id int);
CREATE TABLE by_hand_queue (id int);
CREATE TRIGGER by_hand AFTER INSERT ON by_hand REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION _sitemap_watch('key', 'no name.".');
INSERT INTO by_hand VALUES (1);
\set VERBOSITY sqlstate
INSERT INTO by_hand VALUES (2);
\set VERBOSITY default
SELECT sitemap_watch('by_hand', 'id', 'by_hand_queue');
SELECT tgname FROM pg_trigger WHERE tgrelid = 'by_hand'::regclass ORDER BY tgname COLLATE "C";
CREATE TRIGGER by_hand_2 AFTER DELETE ON by_hand FOR EACH STATEMENT EXECUTE FUNCTION _sitemap_watch('id', '');
SELECT sitemap_unwatch('by_hand', 'by_hand_queue');
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'by_hand'::regclass;
-- Another function of the trigger function's name.
CREATE FUNCTION _sitemap_watch(text) RETURNS text LANGUAGE sql RETURN $1;
SELECT sitemap_watch('by_hand', 'id', 'by_hand_queue');
SELECT sitemap_unwatch('by_hand', 'by_hand_queue');
DROP FUNCTION _sitemap_watch(text);
DROP TABLE by_hand, by_hand_queue;

-- A column that is named repeatedly is an argument of the triggers once, in the first place.
CREATE TABLE repeated (id int, a text, b text);
CREATE TABLE repeated_queue (id int);
SELECT sitemap_watch('repeated', 'id', 'repeated_queue', '{b}' || array_agg('a'::name) || '{b,id}') FROM generate_series(1, 40000);
SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = 'repeated'::regclass AND tgname LIKE '%update';
DROP TABLE repeated, repeated_queue;

-- Rights: the owner of both tables watches; writers need no right on the queue, and their
-- search_path does not count.
CREATE ROLE regress_writer;
GRANT ALL ON page TO regress_writer;
SET ROLE regress_writer;
SELECT sitemap_watch('page', 'id', 'queue');
SELECT sitemap_unwatch('page', 'queue');
INSERT INTO page VALUES (100);
RESET ROLE;
SELECT take();
CREATE TABLE log (who name, path text, caller name);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.log VALUES (current_user, current_setting('search_path'), session_user);
  RETURN NEW;
END $$;
CREATE TRIGGER note BEFORE INSERT ON queue FOR EACH ROW EXECUTE FUNCTION note();
SET ROLE regress_writer;
SET search_path = nowhere, public;
INSERT INTO page VALUES (101);
INSERT INTO page VALUES (102), (103);
SELECT current_user, current_setting('search_path');
-- an error in the queue's trigger, and after it the writer's rights and settings
RESET ROLE;
CREATE OR REPLACE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END';
SET ROLE regress_writer;
DO $$
BEGIN
  INSERT INTO page VALUES (104);
EXCEPTION WHEN raise_exception THEN
  RAISE NOTICE '%, %, %', sqlerrm, current_user, current_setting('search_path');
END $$;
RESET search_path;
RESET ROLE;
SELECT who = session_user AS owner, path, count(*) FROM log GROUP BY 1, 2;
SELECT take();
DROP TABLE log;
DROP TRIGGER note ON queue;
DROP FUNCTION note;
-- nor does it for a default
CREATE TABLE path_queue (id int, path text DEFAULT current_setting('search_path'));
SELECT sitemap_watch('page', 'id', 'path_queue');
SET ROLE regress_writer;
SET search_path = nowhere, public;
INSERT INTO page VALUES (106);
RESET search_path;
RESET ROLE;
TABLE path_queue;
SELECT sitemap_unwatch('page', 'path_queue');
SELECT take();
DROP TABLE path_queue;

-- Row security applies only to an owner who has no BYPASSRLS, with FORCE.
ALTER TABLE queue ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
INSERT INTO page VALUES (105);
SELECT take();
ALTER TABLE queue DISABLE ROW LEVEL SECURITY;

-- A trigger of the queue writes to the watched table, when the plan that fires it is not
-- valid any more.
CREATE TABLE nested (id int, title text);
CREATE TABLE nested_queue (id int);
SELECT sitemap_watch('nested', 'id', 'nested_queue');
CREATE FUNCTION write_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id = 1 THEN
    DISCARD PLANS;
    UPDATE public.nested SET title = title || '!' WHERE id = 2;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER again BEFORE INSERT ON nested_queue FOR EACH ROW EXECUTE FUNCTION write_again();
INSERT INTO nested VALUES (2, 'b');
INSERT INTO nested VALUES (1, 'a');
INSERT INTO nested VALUES (3, 'c');
SELECT id, count(*) FROM nested_queue GROUP BY id ORDER BY id;
DROP TABLE nested, nested_queue;
DROP FUNCTION write_again;

-- Watching again mends a key that was renamed or dropped, and keeps the triggers of other
-- keys.
CREATE TABLE mended (id int, parent int);
CREATE TABLE mended_queue (id int);
SELECT sitemap_watch('mended', 'id', 'mended_queue');
SELECT sitemap_watch('mended', 'parent', 'mended_queue');
ALTER TABLE mended RENAME id TO key;
INSERT INTO mended VALUES (1, 10), (2, 20);
SELECT sitemap_watch('mended', 'key', 'mended_queue');
INSERT INTO mended VALUES (1, 10), (2, 20);
ALTER TABLE mended DROP key, ADD number int;
SELECT sitemap_watch('mended', 'number', 'mended_queue');
INSERT INTO mended VALUES (30, 3), (40, 4);
SELECT id FROM mended_queue ORDER BY id;
SELECT tgname FROM pg_trigger WHERE tgrelid = 'mended'::regclass ORDER BY tgname COLLATE "C";
DROP TABLE mended, mended_queue;

-- A write succeeds whatever becomes of its table and its queue: the trigger adds more than
-- necessary or nothing, and warns once.
CREATE ROLE regress_owner;
CREATE ROLE regress_other;
GRANT regress_owner, regress_other TO CURRENT_USER;
CREATE SCHEMA shop AUTHORIZATION regress_owner;
GRANT USAGE, CREATE ON SCHEMA shop TO regress_other, regress_writer;
SET ROLE regress_owner;
CREATE TABLE shop.stock (id int, price int, title text);
CREATE TABLE shop."change queue" (id int);
GRANT ALL ON shop.stock TO regress_writer;
SELECT sitemap_watch('shop.stock', 'id', 'shop."change queue"', '{price}');
CREATE FUNCTION shop.take() RETURNS text LANGUAGE sql AS $$
  WITH taken AS (DELETE FROM shop."change queue" RETURNING id)
  SELECT coalesce(string_agg(coalesce(id::text, 'all'), ' ' ORDER BY id), 'none') FROM taken
$$;
INSERT INTO shop.stock SELECT n, n, 'a' FROM generate_series(1, 3) n;
SELECT shop.take();
\set write 'SET ROLE regress_writer; UPDATE shop.stock SET title = title || 1 WHERE id < 3; RESET ROLE; SELECT shop.take();'
-- a watched column: all columns count
ALTER TABLE shop.stock RENAME price TO price_gross;
:write
ALTER TABLE shop.stock DROP price_gross;
:write
-- nothing changed, nothing to warn of
UPDATE shop.stock SET title = title;
UPDATE shop.stock SET title = '' WHERE false;
SELECT sitemap_watch('shop.stock', 'id', 'shop."change queue"', '{title}');
-- the key's type, which no longer fits, and then does again
ALTER TABLE shop.stock ALTER id TYPE bigint;
:write
INSERT INTO shop.stock VALUES (4), (5);
SELECT shop.take();
ALTER TABLE shop."change queue" ALTER id TYPE bigint;
:write
-- the key
ALTER TABLE shop.stock RENAME id TO number;
SET ROLE regress_owner;
INSERT INTO shop.stock VALUES (4), (5);
DELETE FROM shop.stock WHERE number > 3;
DELETE FROM shop.stock WHERE number > 3;
TRUNCATE shop.stock;
RESET ROLE;
SELECT shop.take();
SELECT sitemap_watch('shop.stock', 'number', 'shop."change queue"', '{title}');
ALTER TABLE shop.stock RENAME number TO id;
SELECT sitemap_watch('shop.stock', 'id', 'shop."change queue"', '{title}');
INSERT INTO shop.stock SELECT n, 'a' FROM generate_series(1, 3) n;
SELECT shop.take();
-- the queue: an index, rights, row security, the owner
CREATE UNIQUE INDEX unique_id ON shop."change queue" (id);
:write
DROP INDEX shop.unique_id;
REVOKE INSERT ON shop."change queue" FROM regress_owner;
:write
GRANT INSERT ON shop."change queue" TO regress_owner;
ALTER TABLE shop."change queue" ENABLE ROW LEVEL SECURITY;
:write
ALTER TABLE shop."change queue" FORCE ROW LEVEL SECURITY;
:write
ALTER TABLE shop."change queue" DISABLE ROW LEVEL SECURITY;
ALTER TABLE shop."change queue" OWNER TO regress_other;
:write
ALTER TABLE shop.stock OWNER TO regress_other;
:write
ALTER TABLE shop.stock OWNER TO regress_owner;
:write
ALTER TABLE shop."change queue" OWNER TO regress_owner;
-- renamed, moved, replaced, dropped
ALTER TABLE shop."change queue" RENAME TO renamed;
SET ROLE regress_writer;
UPDATE shop.stock SET title = title || 1 WHERE id < 3;
RESET ROLE;
CREATE VIEW shop."change queue" AS SELECT 1 AS id;
UPDATE shop.stock SET title = title || 1 WHERE id < 3;
DROP VIEW shop."change queue";
CREATE TABLE shop."change queue" ();
ALTER TABLE shop."change queue" OWNER TO regress_owner;
UPDATE shop.stock SET title = title || 1 WHERE id < 3;
DROP TABLE shop."change queue";
ALTER TABLE shop.renamed RENAME TO "change queue";
:write
ALTER SCHEMA shop RENAME TO store;
UPDATE store.stock SET title = title || 1 WHERE id < 3;
ALTER SCHEMA store RENAME TO shop;
ALTER TABLE shop.stock SET SCHEMA public;
ALTER TABLE stock RENAME TO product;
UPDATE product SET title = title || 1 WHERE id < 3;
SELECT shop.take();
-- what the queue itself refuses is an error
\set SHOW_CONTEXT errors
ALTER TABLE shop."change queue" ADD number int;
ALTER TABLE shop."change queue" ALTER number SET DEFAULT 1 / (random() * 0)::int;
UPDATE product SET title = title || 1 WHERE id < 3;
\set SHOW_CONTEXT never
DROP TABLE shop."change queue";
UPDATE product SET title = title || 1 WHERE id < 3;
INSERT INTO product VALUES (9);

-- Refused: other owners, of the queue or of a partition.
CREATE TABLE shop.other_queue (id bigint);
SELECT sitemap_watch('product', 'id', 'shop.other_queue');
SET ROLE regress_owner;
SELECT sitemap_watch('page', 'id', 'shop.other_queue');
RESET ROLE;
ALTER TABLE shop.other_queue OWNER TO regress_owner;
-- by a superuser, and by a member of the owner
SELECT sitemap_watch('product', 'id', 'shop.other_queue', '{}');
GRANT regress_owner TO regress_other;
SET ROLE regress_other;
SELECT sitemap_watch('product', 'id', 'shop.other_queue');
SELECT sitemap_unwatch('product', 'shop.other_queue');
RESET ROLE;
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'product'::regclass;
DROP TABLE product;
SET ROLE regress_owner;
CREATE TABLE shop.part (id int, title text) PARTITION BY LIST (id);
CREATE TABLE shop.queue (id int);
RESET ROLE;
CREATE TABLE shop.part_1 PARTITION OF shop.part FOR VALUES IN (1);
SELECT sitemap_watch('shop.part', 'id', 'shop.queue');
ALTER TABLE shop.part_1 OWNER TO regress_owner;
SELECT sitemap_watch('shop.part', 'id', 'shop.queue', '{title}');
ALTER TABLE shop.part_1 OWNER TO regress_other;
INSERT INTO shop.part VALUES (1);
INSERT INTO shop.part_1 VALUES (1);
TABLE shop.queue;
-- The owner loses rights that he has through another role, and row security begins to apply to
-- him.  Neither invalidates the session's plan.
SET ROLE regress_owner;
CREATE TABLE shop.lost (id int);
CREATE TABLE shop.lost_queue (id int);
SELECT sitemap_watch('shop.lost', 'id', 'shop.lost_queue');
GRANT INSERT ON shop.lost_queue TO regress_writer;
REVOKE INSERT ON shop.lost_queue FROM regress_owner;
RESET ROLE;
GRANT regress_writer TO regress_owner;
INSERT INTO shop.lost VALUES (1);
REVOKE regress_writer FROM regress_owner;
INSERT INTO shop.lost VALUES (2);
GRANT INSERT ON shop.lost_queue TO regress_owner;
ALTER TABLE shop.lost_queue ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER ROLE regress_owner BYPASSRLS;
INSERT INTO shop.lost VALUES (3);
SET row_security = off;
INSERT INTO shop.lost VALUES (4);
ALTER ROLE regress_owner NOBYPASSRLS;
INSERT INTO shop.lost VALUES (5);
RESET row_security;
INSERT INTO shop.lost VALUES (6);
SELECT id FROM shop.lost_queue ORDER BY id;
DROP SCHEMA shop CASCADE;
DROP ROLE regress_owner, regress_other;

-- Partitions and children are refused.
CREATE TABLE parent (id int) PARTITION BY LIST (id);
CREATE TABLE middle PARTITION OF parent FOR VALUES IN (1, 2) PARTITION BY LIST (id);
CREATE TABLE leaf PARTITION OF middle FOR VALUES IN (1);
CREATE TABLE old_parent (id int);
CREATE TABLE old_child () INHERITS (old_parent);
SELECT sitemap_watch('leaf', 'id', 'queue');
SELECT sitemap_watch('middle', 'id', 'queue');
SELECT sitemap_watch('old_child', 'id', 'queue');
SELECT sitemap_watch('parent', 'id', 'queue');
DROP TABLE parent, old_parent CASCADE;

-- The queue's column holds any key.
CREATE DOMAIN short AS varchar(5);
CREATE TABLE typed (tz timestamptz, tz0 timestamptz(0), n numeric, n2 numeric(9, 2), t text, v varchar(5), s short, c char(5), i2 int2, i4 int4, i8 int8, r real);
CREATE FUNCTION try(key name, type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  hint text;
BEGIN
  EXECUTE format('CREATE TABLE typed_queue (k %s)', type);
  PERFORM public.sitemap_watch('typed', key, 'typed_queue');
  DROP TABLE typed_queue;
  
  RETURN 'watched';
EXCEPTION WHEN datatype_mismatch THEN
  GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
  RETURN sqlerrm || '; ' || hint;
END $$;
SELECT key, type, try(key, type)
  FROM (VALUES ('tz', 'timestamptz'), ('tz', 'date'), ('tz', 'timestamptz(0)'), ('tz', 'text'), ('tz', 'timestamp'), ('tz0', 'timestamptz'),
               ('n', 'int'), ('n', 'numeric(9,2)'), ('n2', 'numeric'), ('n2', 'numeric(9,2)'), ('n2', 'numeric(9,3)'), ('t', 'name'), ('t', 'varchar'),
               ('v', 'text'), ('v', 'varchar'), ('v', 'varchar(4)'), ('s', 'text'), ('s', 'varchar(5)'), ('s', 'varchar(4)'),
               ('c', 'text'), ('c', 'char(5)'), ('c', 'char(6)'), ('i2', 'int'), ('i2', 'bigint'), ('i4', 'smallint'), ('i4', 'bigint'),
               ('i8', 'int'), ('i8', 'real'), ('i4', 'oid'), ('r', 'float8')) v (key, type);
DROP TABLE typed;
DROP DOMAIN short;
DROP FUNCTION try;

-- A repeated call keeps the triggers; where something differs, it replaces them under their
-- names, and keeps how they fire.
CREATE TABLE repeated (id int, title text);
SELECT sitemap_watch('repeated', 'id', 'queue', '{title}');
ALTER TABLE repeated DISABLE TRIGGER queue_id_insert, ENABLE REPLICA TRIGGER queue_id_update,
                     ENABLE ALWAYS TRIGGER queue_id_delete;
CREATE TEMP TABLE kept AS SELECT tgname, tgenabled, oid, xmin::text AS written FROM pg_trigger WHERE tgrelid = 'repeated'::regclass;
SELECT sitemap_watch('repeated', 'id', 'queue', '{title}');
SELECT count(*) FROM pg_trigger t JOIN kept k USING (oid, tgname, tgenabled) WHERE t.xmin::text = written;
ALTER TABLE repeated RENAME id TO number;
SELECT sitemap_watch('repeated', 'number', 'queue');
SELECT tgname, t.tgenabled, t.xmin::text = written AS same, encode(tgargs, 'escape') AS args
  FROM pg_trigger t JOIN kept k USING (oid, tgname) ORDER BY tgname COLLATE "C";
DROP TABLE repeated, kept;

-- Many shops: the queue has the shop of a changed product, and both after a move.
CREATE TABLE product (id int, shop_id int, title text, stock int);
SELECT sitemap_watch('product', 'shop_id', 'queue', '{id,title}');
SELECT * FROM pg_temp.adds(
  'INSERT INTO product SELECT n, n % 4 + 1, ''p'' FROM generate_series(1, 8) n',
  'UPDATE product SET stock = 1',
  'UPDATE product SET title = ''q'' WHERE shop_id = 2',
  'UPDATE product SET shop_id = 5 WHERE shop_id = 3',
  'UPDATE product SET shop_id = 6 - shop_id WHERE shop_id IN (1, 5)',
  -- no shop, and back
  'UPDATE product SET shop_id = NULL WHERE shop_id = 4',
  'UPDATE product SET shop_id = 1 WHERE shop_id IS NULL',
  'MERGE INTO product USING (VALUES (1, 7), (2, 8)) v (i, s) ON id = i WHEN MATCHED THEN UPDATE SET shop_id = s',
  'DELETE FROM product WHERE shop_id > 6',
  'TRUNCATE product');
DROP TABLE product;

-- Rows from before a column was dropped have not changed.
CREATE TABLE narrowed (id int, gone int, title text);
INSERT INTO narrowed VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c');
ALTER TABLE narrowed DROP gone;
CREATE TABLE narrowed_queue (id int);
SELECT sitemap_watch('narrowed', 'id', 'narrowed_queue');
UPDATE narrowed SET title = 'a';
SELECT id FROM narrowed_queue ORDER BY id;
DROP TABLE narrowed, narrowed_queue;

-- The key is renamed, and another column gets its name, while the session has plans for
-- many rows.
CREATE TABLE renamed (id int, other int);
CREATE TABLE renamed_queue (id int);
SELECT sitemap_watch('renamed', 'id', 'renamed_queue');
INSERT INTO renamed VALUES (1, 101), (2, 102);
ALTER TABLE renamed RENAME id TO key;
SELECT sitemap_unwatch('renamed', 'renamed_queue');
SELECT sitemap_watch('renamed', 'key', 'renamed_queue');
INSERT INTO renamed VALUES (3, 103), (4, 104);
ALTER TABLE renamed RENAME other TO id;
INSERT INTO renamed VALUES (5, 105), (6, 106);
SELECT sitemap_unwatch('renamed', 'renamed_queue');
SELECT sitemap_watch('renamed', 'id', 'renamed_queue');
INSERT INTO renamed VALUES (7, 107), (8, 108);
SELECT id FROM renamed_queue ORDER BY id;
DROP TABLE renamed, renamed_queue;

-- A session has plans for 16 queues.  The plan for another takes the place of one of them, and
-- cannot be made.
CREATE TABLE busy (id int);
DO $$
BEGIN
	FOR n IN 1 .. 16 LOOP
		EXECUTE format('CREATE TABLE busy_queue_%s (id int)', n);
		PERFORM sitemap_watch('busy', 'id', ('busy_queue_' || n)::regclass);
	END LOOP;
END
$$;
INSERT INTO busy VALUES (1);
CREATE TABLE late (id int);
CREATE TABLE late_queue (id int);
CREATE RULE again AS ON INSERT TO late_queue DO ALSO INSERT INTO late_queue VALUES (0);
SELECT sitemap_watch('late', 'id', 'late_queue');
INSERT INTO late VALUES (2);
INSERT INTO late VALUES (3);
DROP RULE again ON late_queue;
INSERT INTO late VALUES (4);
SELECT id FROM late_queue;
INSERT INTO busy VALUES (5);
SELECT id FROM busy_queue_1 ORDER BY id;
DROP TABLE busy, late, late_queue;
DO $$
BEGIN
	FOR n IN 1 .. 16 LOOP
		EXECUTE format('DROP TABLE busy_queue_%s', n);
	END LOOP;
END
$$;

DROP TABLE page, queue;
DROP FUNCTION take;
DROP ROLE regress_writer;
