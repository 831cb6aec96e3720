--
-- Traps: operators, functions and types that a role without rights has created in a schema
-- of the search_path.  None of them runs in our functions.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir /sql/include/helpers.sql
\i :helpers
-- In a database of its own, which is dropped at once: DROP SCHEMA would need too many locks.
\set database :DBNAME
CREATE DATABASE regress_sitemap_traps;
\c regress_sitemap_traps
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION sitemap;
CREATE ROLE regress_sitemap_attacker;
CREATE ROLE regress_sitemap_owner IN ROLE pg_write_server_files;
CREATE SCHEMA attack AUTHORIZATION regress_sitemap_attacker;
CREATE SCHEMA victim AUTHORIZATION regress_sitemap_owner;
GRANT USAGE ON SCHEMA attack TO regress_sitemap_owner;
SELECT current_setting('data_directory') || '/sitemap_traps' AS directory \gset
\set job_directory :directory _of_a_job

-- Types of the values in our statements.
CREATE TABLE used AS
SELECT unnest('{text,name,"\"char\"",bool,int2,int4,int8,float8,oid,regclass,timestamptz,interval,text[],name[],int2vector}'::regtype[]::oid[]) AS type;
-- Functions of pg_catalog: those that our functions name, and those that statements in C do.
CREATE TABLE function AS
SELECT p.proname AS name, string_to_array(p.proargtypes::text, ' ')::oid[] AS types, p.pronargs - p.pronargdefaults AS least,
       CASE WHEN p.provariadic = 0 THEN p.pronargs ELSE 3 END AS most, p.proname IN ('max', 'unnest') OR p.proname IN (
       SELECT m[1] FROM pg_depend d JOIN pg_proc f ON f.oid = d.objid, regexp_matches(f.prosrc, '\m([a-z_0-9]+)\s*\(', 'g') m
        WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sitemap')) AS is_used
  FROM pg_proc p
 WHERE p.pronamespace = 'pg_catalog'::regnamespace;

-- Near traps have argument types that no operator or function of their name in pg_catalog has.
-- PostgreSQL prefers such an exact match to a cast, wherever it is in the search_path.
CREATE TABLE trap AS
SELECT 'near' AS kind, o.oprname AS operator, NULL::name AS function, ARRAY[l.type, r.type] AS types
  FROM (SELECT DISTINCT oprname FROM pg_operator
         WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprleft IN (SELECT type FROM used) AND oprright IN (SELECT type FROM used)) o
 CROSS JOIN used l CROSS JOIN used r
 WHERE NOT EXISTS (SELECT FROM pg_operator p WHERE (p.oprname, p.oprleft, p.oprright, p.oprnamespace) = (o.oprname, l.type, r.type, 'pg_catalog'::regnamespace))
 UNION
SELECT 'near', NULL, f.name, a.types
  FROM function f CROSS JOIN used l CROSS JOIN used r
 CROSS JOIN LATERAL (VALUES
       (ARRAY[l.type]),
       (ARRAY[l.type, r.type]),
       (CASE WHEN f.most > cardinality(f.types) THEN ARRAY['text'::regtype, l.type, r.type] END),
       -- of three and more, two have other types
       (CASE WHEN cardinality(f.types) > 2 THEN ARRAY[l.type, r.type] || f.types[3:] END)) a (types)
 WHERE f.is_used AND NOT ('{internal,"\"any\"",cstring}'::regtype[]::oid[] && a.types)
   AND cardinality(a.types) BETWEEN f.least AND f.most
   AND NOT EXISTS (SELECT FROM function p WHERE p.name = f.name AND p.types[:cardinality(a.types)] = a.types AND p.least <= cardinality(a.types));
-- Same traps have the names and types of pg_catalog, for a search_path in which that comes last.
INSERT INTO trap
SELECT 'same', oprname, NULL, array_remove(ARRAY[oprleft, oprright], 0::oid) FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace
 UNION ALL
SELECT 'same', NULL, name, types FROM function;
DELETE FROM trap WHERE EXISTS (
  SELECT FROM pg_type t WHERE t.oid = ANY (trap.types) AND t.typtype = 'p' AND t.typname NOT IN ('anyelement', 'anyarray', 'anynonarray', 'anycompatible', 'anycompatiblearray'));
ALTER TABLE trap ADD statement text;
UPDATE trap
   SET statement = (SELECT CASE WHEN function IS NOT NULL THEN format('SELECT %I(%s)', function, string_agg(value, ', ' ORDER BY n))
                                WHEN count(*) = 1 THEN format('SELECT %s %s', operator, min(value))
                                ELSE format('SELECT %s', string_agg(value, ' ' || operator || ' ' ORDER BY n)) END
                      FROM (SELECT n, format('NULL::%I.%I', t.typnamespace::regnamespace, t.typname) AS value
                              FROM unnest(types) WITH ORDINALITY u (type, n) JOIN pg_type t ON t.oid = type) v)
 WHERE NOT EXISTS (SELECT FROM pg_type t WHERE t.oid = ANY (trap.types) AND t.typtype = 'p');
SELECT kind, count(operator) > 500 AS operators, count(function) > 2000 AS functions FROM trap GROUP BY kind ORDER BY kind;
GRANT SELECT ON trap TO PUBLIC;

SET ROLE regress_sitemap_attacker;
CREATE SEQUENCE attack.fired;
GRANT ALL ON attack.fired TO PUBLIC;
-- A sequence keeps its number after an error.
CREATE FUNCTION attack.trap(what text) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.nextval('attack.fired');
  RAISE 'trapped by %', what;
END
$$;
DO $$
DECLARE
  t record;
BEGIN
  FOR t IN SELECT DISTINCT coalesce(function, 'operator') AS name, array_to_string(types::regtype[], ', ') AS arguments FROM trap LOOP
    EXECUTE format('CREATE FUNCTION attack.%I(%s) RETURNS bool LANGUAGE plpgsql AS %L', t.name, t.arguments,
                   format('BEGIN RETURN attack.trap(%L); END', t.name || ' ' || t.arguments));
  END LOOP;
  FOR t IN SELECT operator, types::regtype[] FROM trap WHERE operator IS NOT NULL LOOP
    EXECUTE format('CREATE OPERATOR attack.%s (%s RIGHTARG = %s, FUNCTION = attack.operator)', t.operator,
                   CASE WHEN cardinality(t.types) > 1 THEN format('LEFTARG = %s,', t.types[1]) END, t.types[cardinality(t.types)]);
  END LOOP;
  FOR t IN SELECT typname AS name FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype = 'b' AND typcategory <> 'A' LOOP
    EXECUTE format('CREATE DOMAIN attack.%I AS pg_catalog.%1$I CHECK (attack.trap(%L))', t.name, 'type ' || t.name);
  END LOOP;
END
$$;
-- How many of these statements do not end in a trap?
CREATE FUNCTION attack.count_broken(statements text[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  statement pg_catalog.text;
  broken int := 0;
BEGIN
  FOREACH statement IN ARRAY statements LOOP
    BEGIN
      EXECUTE statement;
      RAISE 'no trap in %', statement;
    EXCEPTION WHEN raise_exception THEN
      CONTINUE WHEN pg_catalog.starts_with(SQLERRM, 'trapped by ');
      broken := broken OPERATOR(pg_catalog.+) 1;
      RAISE WARNING '%', SQLERRM;
    END;
  END LOOP;
  RETURN broken;
END
$$;
RESET ROLE;

-- Each trap works.
SELECT array_agg(statement) FILTER (WHERE kind = 'near') AS near, array_agg(statement) FILTER (WHERE kind = 'same') AS same FROM trap WHERE statement IS NOT NULL \gset
SELECT array_agg(format('SELECT NULL::%I', typname)) AS casts
  FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype = 'b' AND typcategory <> 'A' \gset
SET search_path = attack;
SELECT attack.count_broken(:'near');
SET search_path = attack, pg_catalog;
SELECT attack.count_broken(:'same');
SELECT attack.count_broken(:'casts');
ALTER SEQUENCE attack.fired RESTART;

-- A session without the plans of thousands of traps, each of which every statement of DDL would look at.
\c
SET client_min_messages = warning;

SET ROLE regress_sitemap_owner;
CREATE TABLE victim.page AS SELECT n AS id, '/' || n AS loc, 'old' AS title FROM generate_series(1, 30) n;
CREATE VIEW victim.tracked AS SELECT loc, id AS key, title AS shown FROM victim.page ORDER BY id;
CREATE VIEW victim.odd AS SELECT loc FROM (VALUES (1, '/1'), (2, '/1'), (3, 'ftp://a/')) v (id, loc) ORDER BY id;
CREATE TABLE victim.part (id int, loc text) PARTITION BY RANGE (id);
CREATE TABLE victim.part_1 PARTITION OF victim.part FOR VALUES FROM (0) TO (10);
CREATE TABLE victim.queue (id int, at timestamptz DEFAULT now());
CREATE TABLE victim.files OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE victim.feed OF sitemap_change;
CREATE TABLE victim.site OF sitemap_job (PRIMARY KEY (base_url, section));
CREATE TABLE victim.result (run int, step text, a text, b text, failures int, urls bigint, files int, written int);

-- Not by \i, which would begin the line of an error with a path.
\set everything `cat "$PG_ABS_SRCDIR/sql/include/everything.sql"`
\set publish 'SELECT p.name, p.action FROM public.sitemap_publish(''victim.files'', ''TABLE victim.tracked'', ''http://a/'', ''pages'', max_urls => 7, changes => ''DELETE FROM victim.queue RETURNING id'', feed => ''victim.feed'') p'
\set run 0
\set path '"$user", public'
:everything
SELECT step, count(*) FROM victim.result GROUP BY step ORDER BY step COLLATE "C";
SELECT step, a, b, failures, urls FROM victim.result WHERE step LIKE 'job%' ORDER BY step COLLATE "C", a COLLATE "C";
-- Neither near nor same traps run, nor temporary ones.
\set ECHO none
\set run 1
\set path 'attack, public'
:everything
\set run 2
\set path 'attack, pg_catalog'
:everything
\set run 3
\set path 'pg_temp, attack, pg_catalog'
CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (attack.trap('temporary type'));
CREATE TEMP TABLE files (section text, name text);
CREATE TEMP TABLE victim (section text, name text);
CREATE TEMP TABLE pg_class (relname text);
CREATE TEMP TABLE pg_extension (extname text);
:everything
\set ECHO all
SELECT run, count(*) FROM victim.result GROUP BY run ORDER BY run;
(SELECT r.run, o.step, o.a, o.b, o.failures, o.urls, o.files, o.written FROM victim.result o, generate_series(1, 3) r (run) WHERE o.run = 0
 EXCEPT ALL TABLE victim.result) ORDER BY run, step, a, b;
SELECT is_called FROM attack.fired;
RESET ROLE;

-- The extension's script, in a schema with near traps.
DROP SCHEMA victim CASCADE;
DROP EXTENSION sitemap;
CREATE EXTENSION sitemap SCHEMA attack;
SELECT is_called FROM attack.fired;

\c :database
DROP DATABASE regress_sitemap_traps;
DROP ROLE regress_sitemap_attacker, regress_sitemap_owner;
