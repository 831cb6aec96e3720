--
-- sitemap_watch and sitemap_unwatch: which keys get into the queue, and what is
-- refused.  Random statements are in test/t/watch.pl.
--
CREATE TABLE page (id int PRIMARY KEY, path text, title text, views int DEFAULT 0);
CREATE TABLE queue (id int);
-- The queue, emptied.
CREATE FUNCTION take() RETURNS text LANGUAGE sql AS $$
  WITH taken AS (DELETE FROM queue RETURNING id)
  SELECT coalesce(string_agg(coalesce(id::text, 'all'), ' ' ORDER BY id), 'none') FROM taken
$$;
SELECT sitemap_watch('page', 'id', 'queue', '{path,title}');
\d page

INSERT INTO page SELECT n, '/' || n, 'Title' FROM generate_series(1, 9) n;
SELECT take();
UPDATE page SET views = views + 1;
SELECT take();
UPDATE page SET title = 'Title';
SELECT take();
UPDATE page SET title = NULL WHERE id IN (2, 3);
SELECT take();
UPDATE page SET title = NULL WHERE id IN (2, 4);
SELECT take();
UPDATE page SET id = 10 WHERE id = 5;
SELECT take();
DELETE FROM page WHERE id > 8;
SELECT take();
INSERT INTO page VALUES (1, '/one'), (11, '/11') ON CONFLICT (id) DO UPDATE SET views = 7;
SELECT take();
INSERT INTO page VALUES (1, '/one') ON CONFLICT (id) DO UPDATE SET path = excluded.path;
SELECT take();
MERGE INTO page USING (VALUES (1), (2), (3), (12)) v (n) ON id = n
 WHEN MATCHED AND n = 1 THEN DELETE
 WHEN MATCHED THEN UPDATE SET path = CASE n WHEN 3 THEN '/three' ELSE path END
 WHEN NOT MATCHED THEN INSERT VALUES (n, '/12');
SELECT take();
COPY page (id, path) FROM PROGRAM 'echo 20,/20; echo 21,/21' (FORMAT csv);
SELECT take();
TRUNCATE page;
SELECT take();
BEGIN;
INSERT INTO page VALUES (1);
SAVEPOINT a;
INSERT INTO page VALUES (2);
ROLLBACK TO a;
COMMIT;
SELECT take();

-- All columns, by default.  The key alone.
SELECT sitemap_watch('page', 'id', 'queue');
UPDATE page SET views = 1;
SELECT take();
UPDATE page SET views = 1;
SELECT take();
SELECT sitemap_watch('page', 'id', 'queue', '{}');
UPDATE page SET views = 2, title = 'x';
SELECT take();
UPDATE page SET id = 3;
SELECT take();
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'page'::regclass;

-- A joined table with two references is watched twice; NULL adds nothing.
CREATE TABLE link (source int, target int, text text);
SELECT sitemap_watch('link', 'source', 'queue', '{target}');
SELECT sitemap_watch('link', 'target', 'queue');
INSERT INTO link VALUES (1, 2), (NULL, 3), (NULL, NULL);
SELECT take();
UPDATE link SET text = 'x';
SELECT take();
UPDATE link SET source = 4 WHERE target = 3;
SELECT take();
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
  FOR k IN SELECT attname AS name, CASE attname WHEN 'i' THEN 'bigint' WHEN 'v' THEN 'text' ELSE format_type(atttypid, atttypmod) END AS type
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
INSERT INTO part VALUES (1, 1), (2, 2);
INSERT INTO part_1 VALUES (3, 1);
INSERT INTO part_2 VALUES (4, 2);
SELECT take();
UPDATE part SET region = 3 - region;
SELECT take();
UPDATE part SET region = 3 - region, title = 'x' WHERE id = 1;
SELECT take();
SELECT sitemap_watch('part', 'id', 'queue', '{title}');
INSERT INTO part_2 VALUES (5, 2);
SELECT take();
SELECT sitemap_unwatch('part', 'queue');
SELECT count(*) FROM pg_trigger WHERE tgrelid IN ('part'::regclass, 'part_1'::regclass, 'part_2'::regclass);
DROP TABLE part;

-- Generated columns; cascades of a foreign key.
CREATE TABLE author (id int PRIMARY KEY);
CREATE TABLE post (id int, author int REFERENCES author ON UPDATE CASCADE ON DELETE CASCADE, slug text,
                   lower text GENERATED ALWAYS AS (lower(slug)) STORED);
SELECT sitemap_watch('post', 'id', 'queue', '{author,lower}');
INSERT INTO author VALUES (1), (2);
INSERT INTO post VALUES (1, 1, 'a'), (2, 2, 'b');
SELECT take();
UPDATE post SET slug = upper(slug);
SELECT take();
UPDATE author SET id = 3 WHERE id = 1;
SELECT take();
DELETE FROM author WHERE id = 3;
SELECT take();
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
SELECT tgname FROM pg_trigger WHERE tgrelid = :'source'::regclass ORDER BY 1;
DROP SCHEMA "a ""b""" CASCADE;

-- Refused.
SELECT sitemap_watch(NULL, 'id', 'queue');
SELECT sitemap_watch('page', NULL, 'queue');
SELECT sitemap_watch('page', 'id', NULL);
SELECT sitemap_watch('page', 'id', 'queue', '{title,NULL}');
SELECT sitemap_watch('page', 'nokey', 'queue');
SELECT sitemap_watch('page', 'ctid', 'queue');
SELECT sitemap_watch('page', 'id', 'queue', '{nocolumn}');
SELECT sitemap_watch('page', 'title', 'queue');
SELECT sitemap_watch('page', 'id', 'page');
SELECT sitemap_watch('pg_views', 'viewname', 'queue');
SELECT sitemap_watch('page', 'id', 'pg_views');
SELECT sitemap_watch(1::regclass, 'id', 'queue');
CREATE TABLE unique_queue (id int UNIQUE);
SELECT sitemap_watch('page', 'id', 'unique_queue');
CREATE TABLE strict_queue (id int NOT NULL);
SELECT sitemap_watch('page', 'id', 'strict_queue');
CREATE TABLE strict_note_queue (id int, at timestamptz NOT NULL DEFAULT now(), number int GENERATED ALWAYS AS IDENTITY, note text NOT NULL);
SELECT sitemap_watch('page', 'id', 'strict_note_queue');
ALTER TABLE strict_note_queue DROP note;
BEGIN;
SELECT sitemap_watch('page', 'id', 'strict_note_queue');
ROLLBACK;
DROP TABLE strict_note_queue;
CREATE DOMAIN strict AS int NOT NULL;
CREATE TABLE strict_domain_queue (id strict);
SELECT sitemap_watch('page', 'id', 'strict_domain_queue');
DROP DOMAIN strict CASCADE;
DROP TABLE strict_domain_queue;
CREATE TABLE empty_queue ();
SELECT sitemap_watch('page', 'id', 'empty_queue');
CREATE TEMP TABLE temp_queue (id int);
SELECT sitemap_watch('page', 'id', 'temp_queue');
CREATE TEMP TABLE temp_page (id int);
SELECT sitemap_watch('temp_page', 'id', 'temp_queue');
INSERT INTO temp_page VALUES (1);
TABLE temp_queue;
SELECT sitemap_unwatch('page', NULL);
SELECT sitemap_unwatch('page', 'unique_queue');
SELECT _sitemap_watch();
CREATE TRIGGER by_hand AFTER INSERT ON temp_page FOR EACH ROW EXECUTE FUNCTION _sitemap_watch('id', 'queue');
INSERT INTO temp_page VALUES (1);
DROP TRIGGER by_hand ON temp_page;
CREATE TRIGGER by_hand AFTER INSERT ON temp_page FOR EACH STATEMENT EXECUTE FUNCTION _sitemap_watch('id', 'queue');
INSERT INTO temp_page VALUES (1);
DROP TRIGGER by_hand ON temp_page;
CREATE FOREIGN DATA WRAPPER nothing;
CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing;
CREATE TABLE far (id int) PARTITION BY LIST (id);
CREATE FOREIGN TABLE far_1 PARTITION OF far FOR VALUES IN (1) SERVER nowhere;
SELECT sitemap_watch('far', 'id', 'queue');
DROP FOREIGN DATA WRAPPER nothing CASCADE;
DROP TABLE far, unique_queue, strict_queue, empty_queue, temp_page, temp_queue;

-- Rights: of who watches, and of who writes.
CREATE ROLE regress_writer;
GRANT ALL ON page TO regress_writer;
REVOKE TRIGGER ON page FROM regress_writer;
GRANT SELECT ON queue TO regress_writer;
SET ROLE regress_writer;
SELECT sitemap_watch('page', 'id', 'queue');
SELECT sitemap_unwatch('page', 'queue');
INSERT INTO page VALUES (100);
RESET ROLE;
GRANT INSERT (id) ON queue TO regress_writer;
SET ROLE regress_writer;
INSERT INTO page VALUES (100);
RESET ROLE;
SELECT take();

-- A queue with a trigger, a rule or row security is a table like any other.
ALTER TABLE queue ENABLE ROW LEVEL SECURITY;
SET ROLE regress_writer;
INSERT INTO page VALUES (101);
RESET ROLE;
CREATE POLICY add ON queue FOR INSERT WITH CHECK (id > 0);
SET ROLE regress_writer;
INSERT INTO page VALUES (101);
RESET ROLE;
SELECT take();

-- A trigger of the queue writes to the watched table, when the plan that fires it is not
-- valid any more.
CREATE TABLE nested (id int, title text);
CREATE TABLE nested_queue (id int);
SELECT sitemap_watch('nested', 'id', 'nested_queue');
CREATE FUNCTION write_again() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id = 1 THEN
    DISCARD PLANS;
    UPDATE nested SET title = title || '!' WHERE id = 2;
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

-- Somebody else's queue, in a schema that the table's owner may not use.
CREATE SCHEMA private AUTHORIZATION regress_writer;
CREATE TABLE shared (id int);
ALTER TABLE shared OWNER TO regress_writer;
SET ROLE regress_writer;
CREATE TABLE private.queue (id int);
SELECT sitemap_watch('shared', 'id', 'private.queue');
RESET ROLE;
CREATE ROLE regress_other;
GRANT CREATE, USAGE ON SCHEMA public TO regress_other;
ALTER TABLE shared OWNER TO regress_other;
SET ROLE regress_other;
CREATE TABLE shared_queue (id int);
SELECT sitemap_watch('shared', 'id', 'shared_queue');
SELECT sitemap_unwatch('shared', 'shared_queue');
RESET ROLE;
SELECT count(*) FROM pg_trigger WHERE tgrelid = 'shared'::regclass;
DROP TABLE shared, shared_queue, private.queue;
DROP SCHEMA private;
REVOKE ALL ON SCHEMA public FROM regress_other;
DROP ROLE regress_other;

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
DROP TABLE page, queue;
DROP FUNCTION take;
DROP ROLE regress_writer;
