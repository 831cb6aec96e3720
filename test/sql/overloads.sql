--
-- Functions of another role in the extension's schema, which take what ours take, or text, or
-- anything: ours call each other, not these.
--
\set SHOW_CONTEXT never
CREATE ROLE regress_sitemap_overloader;
CREATE SCHEMA overloads;
GRANT ALL ON SCHEMA overloads TO regress_sitemap_overloader;
ALTER EXTENSION sitemap SET SCHEMA overloads;

-- For each function of the extension whose name begins with "_": each argument of another type, and all of text.
SET ROLE regress_sitemap_overloader;
DO $do$
DECLARE
  function record;
  types text[];
  type text;
BEGIN
  FOR function IN
    SELECT p.proname, p.pronargs, ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY u (t, n) ORDER BY n) AS types,
           pg_get_function_result(p.oid) AS result
      FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
      JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'sitemap'
     WHERE p.proname ~ '^_' AND p.pronargs > 0 AND 'internal'::regtype <> ALL (p.prorettype || p.proargtypes::oid[]) LOOP
    FOR i IN 0 .. function.pronargs LOOP
      FOREACH type IN ARRAY '{text,anyelement,anynonarray,anycompatible,unknown}'::text[] LOOP
        types := function.types;
        FOR j IN 1 .. function.pronargs LOOP
          IF i IN (0, j) THEN
            types[j] := type;
          END IF;
        END LOOP;
        CONTINUE WHEN types = function.types OR type = 'unknown';
        -- OR REPLACE: of a single argument, "each" is "all"
        EXECUTE format('CREATE OR REPLACE FUNCTION overloads.%I(%s) RETURNS %s LANGUAGE plpgsql AS $$ BEGIN RAISE ''overload as %%'', current_user; END $$',
                       function.proname, array_to_string(types, ', '), function.result);
      END LOOP;
    END LOOP;
  END LOOP;
END
$do$;
RESET ROLE;
SELECT proname, count(*) > 5 AS overloaded FROM pg_proc WHERE pronamespace = 'overloads'::regnamespace AND proname ~ '^_' GROUP BY 1 ORDER BY 1;

COPY (SELECT) TO PROGRAM 'mkdir -p sitemap_overloads; cat >/dev/null';
SELECT current_setting('data_directory') || '/sitemap_overloads' AS directory \gset
CREATE TABLE overloads_page (id int PRIMARY KEY, loc text);
INSERT INTO overloads_page VALUES (1, '/a');
CREATE TABLE overloads_queue (id int);
CREATE TABLE overloads_files OF overloads.sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE overloads_feed OF overloads.sitemap_change;
CREATE TABLE overloads_site OF overloads.sitemap_job (PRIMARY KEY (base_url, section));
SELECT overloads.sitemap_watch('overloads_page', 'id', 'overloads_queue', '{loc}');
INSERT INTO overloads_site (target, base_url, section, query, changes, feed, directory)
SELECT 'overloads_files', 'https://www.example.com/', section, query, 'DELETE FROM public.overloads_queue RETURNING id', 'overloads_feed', :'directory'
  FROM (VALUES ('exported', 'SELECT loc, id AS key FROM public.overloads_page ORDER BY id'), ('fails', 'SELECT 1 / 0 AS loc')) v (section, query);
CALL overloads.sitemap_run('overloads_site');
UPDATE overloads_page SET loc = '/b';
SELECT section, state FROM overloads.sitemap_status('overloads_site');
CALL overloads.sitemap_run('overloads_site');
SELECT section, urls, error FROM overloads_site ORDER BY section;
SELECT count(*) > 1 AS exported FROM pg_ls_dir(:'directory');
SELECT overloads.sitemap_unwatch('overloads_page', 'overloads_queue');

COPY (SELECT) TO PROGRAM 'rm -r sitemap_overloads; cat >/dev/null';
DROP TABLE overloads_page, overloads_queue, overloads_files, overloads_feed, overloads_site;
ALTER EXTENSION sitemap SET SCHEMA public;
DROP OWNED BY regress_sitemap_overloader;
DROP SCHEMA overloads CASCADE;

-- Operators and functions that were in the schema before the extension: CREATE EXTENSION calls none, and no function of
-- the extension has come to use one.
BEGIN;
CREATE TEMP TABLE captured_type AS
SELECT DISTINCT t::regtype AS type
  FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'sitemap' AND d.refclassid = 'pg_extension'::regclass
  JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
 CROSS JOIN LATERAL unnest(p.proargtypes::oid[] || p.proallargtypes || '{oid,name,"char",date,timestamp,xid,regproc}'::regtype[]::oid[]) t
 WHERE t < 16384 AND t NOT IN ('internal'::regtype, '"any"'::regtype, 'record'::regtype);
DROP EXTENSION sitemap;
CREATE SCHEMA captured;
DO $do$
DECLARE
  pair record;
  operator text;
BEGIN
  FOR pair IN SELECT l.type AS l, r.type AS r FROM captured_type l, captured_type r LOOP
    EXECUTE format('CREATE FUNCTION captured.take(%s, %s) RETURNS bool LANGUAGE plpgsql AS ''BEGIN RAISE ''''captured''''; END''', pair.l, pair.r);
    FOREACH operator IN ARRAY '{=,<>,<,<=,>,>=,+,-,||,~,<<}'::text[] LOOP
      EXECUTE format('CREATE OPERATOR captured.%s (FUNCTION = captured.take, LEFTARG = %s, RIGHTARG = %s)', operator, pair.l, pair.r);
    END LOOP;
  END LOOP;
END
$do$;
CREATE EXTENSION sitemap SCHEMA captured;
WITH RECURSIVE part (classid, objid) AS (
  SELECT d.classid, d.objid
    FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'sitemap'
   WHERE d.deptype = 'e'
   UNION
  SELECT d.classid, d.objid FROM part JOIN pg_depend d ON (d.refclassid, d.refobjid) = (part.classid, part.objid) WHERE d.deptype IN ('i', 'a'))
SELECT pg_describe_object(d.classid, d.objid, d.objsubid) AS part, pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid) AS uses
  FROM part JOIN pg_depend d USING (classid, objid)
 WHERE d.refobjid >= 16384 AND (d.refclassid, d.refobjid) NOT IN (TABLE part)
   AND d.refclassid NOT IN ('pg_extension'::regclass, 'pg_namespace'::regclass)
 ORDER BY 1, 2;
ROLLBACK;

-- Where other roles can do that, CREATE EXTENSION says so.
BEGIN;
DROP EXTENSION sitemap;
CREATE EXTENSION sitemap;
DROP EXTENSION sitemap;
GRANT CREATE ON SCHEMA public TO PUBLIC;
CREATE EXTENSION sitemap;
DROP EXTENSION sitemap;
CREATE SCHEMA overloads AUTHORIZATION regress_sitemap_overloader;
CREATE EXTENSION sitemap SCHEMA overloads;
ROLLBACK;
-- Not where the schema is that of the role that creates it.
BEGIN;
DROP EXTENSION sitemap;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_sitemap_overloader', current_database()) \gexec
SET ROLE regress_sitemap_overloader;
CREATE SCHEMA overloads;
CREATE EXTENSION sitemap SCHEMA overloads;
ROLLBACK;
DROP ROLE regress_sitemap_overloader;
