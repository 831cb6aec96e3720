--
-- What others made: their names, and their code, which runs just where PostgreSQL runs it.
--
--	others made					what keeps it from running in ours			tested by
--	names of all kinds			quoted identifiers							"A target whose name"
--	code in a target			nothing: it runs as in plain statements		"Code in a target"
--	types of columns			only PostgreSQL's own types are taken		"not a plain column", "a type of somebody else"
--	functions in a query		the query can only read						"A query that wants more"
--	operators and functions		qualified names, and values of the exact	run 1, near traps
--	like ours					types; pg_catalog first, in our functions
--	the same, before			the same									run 2, same traps
--	pg_catalog
--	types						qualified names in a procedure that			run 3, temporary traps,
--	 							compiles in this session					each in a new session
--	temporary tables			names with a schema							run 3
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE ROLE regress_sitemap_attacker;
CREATE SCHEMA attack AUTHORIZATION regress_sitemap_attacker;
CREATE SCHEMA victim;
CREATE TABLE victim.page AS SELECT n AS id, '/' || n AS loc FROM generate_series(1, 30) n;
CREATE TABLE victim.target OF sitemap_file (PRIMARY KEY (base_url, name));

CREATE FUNCTION victim.publish(query text, section text DEFAULT 'sitemap', max_urls int DEFAULT 50000)
RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint) LANGUAGE sql AS $$
  SELECT * FROM public.sitemap_publish('victim.target', query, 'http://a/', section => section, compression => 0,
                                       max_urls => max_urls, split => 'full', max_shrink => 1)
$$;

-- A target whose name has all that a name can have.
DO $do$
DECLARE
  hostile CONSTANT text[] := ARRAY['a"b', 'a.b', 'a''b', 'a;DROP TABLE victim.page;--', '$1', '%s%n%d', E'a\nb\\', 'SELECT',
                                   'name', 'ü', repeat('x', 63), repeat('"', 63)];
  schema text;
  target text;
  result text[];
BEGIN
  FOREACH schema IN ARRAY hostile LOOP
    EXECUTE format('CREATE SCHEMA %I', schema);
    FOREACH target IN ARRAY hostile LOOP
      EXECUTE format('CREATE TABLE %I.%I OF sitemap_file (PRIMARY KEY (base_url, name))', schema, target);
      EXECUTE format('SELECT array_agg(p.name || p.action) FROM sitemap_publish(%L, %L, %L, compression => 0, index => ''never'') p',
                     format('%I.%I', schema, target), 'SELECT loc FROM victim.page ORDER BY id', 'http://a/') INTO result;
      ASSERT result = '{sitemap-51d8e999.xmlinserted}', format('%I.%I: %s', schema, target, result);
      EXECUTE format('SELECT array_agg(name || url_count) FROM %I.%I', schema, target) INTO result;
      ASSERT result = '{sitemap-51d8e999.xml30}', format('%I.%I: %s', schema, target, result);
    END LOOP;
    EXECUTE format('DROP SCHEMA %I CASCADE', schema);
  END LOOP;
END
$do$;
CREATE TABLE "%s%n"".'" (section text);
SELECT pg_temp.error(format($$ SELECT sitemap_publish(%L, 'SELECT loc FROM victim.page', 'http://a/') $$, '"%s%n"".''"'));
DROP TABLE "%s%n"".'";

--
-- Code in a target of somebody else
--
-- It runs with the caller's rights in a publication as in plain statements, and nowhere else.
CREATE TABLE ran (what text, role name DEFAULT current_user);
GRANT INSERT, SELECT ON ran TO PUBLIC;
SET ROLE regress_sitemap_attacker;
CREATE FUNCTION attack.run(what text) RETURNS text LANGUAGE sql VOLATILE AS $$
  INSERT INTO public.ran VALUES (what) RETURNING what
$$;
CREATE FUNCTION attack.pretend(what text, argument text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN attack.run(what);
END
$$;
CREATE FUNCTION attack.trigger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM attack.run(format('trigger %s %s %s', tg_when, tg_op, tg_level));
  RETURN CASE tg_op WHEN 'DELETE' THEN OLD ELSE NEW END;
END
$$;
CREATE TABLE attack.target (
  LIKE public.sitemap_file,
  PRIMARY KEY (base_url, name),
  own text DEFAULT attack.run('default'),
  made text GENERATED ALWAYS AS (attack.pretend('generated column', name)) STORED,
  CHECK (attack.pretend('check constraint', name) IS NOT NULL)
);
CREATE INDEX ON attack.target (attack.pretend('index', name));
CREATE INDEX ON attack.target (name) WHERE attack.pretend('index predicate', name) IS NOT NULL;
CREATE TRIGGER before BEFORE INSERT OR UPDATE OR DELETE ON attack.target FOR EACH ROW EXECUTE FUNCTION attack.trigger();
CREATE TRIGGER after AFTER INSERT OR UPDATE OR DELETE ON attack.target FOR EACH STATEMENT EXECUTE FUNCTION attack.trigger();
CREATE RULE on_insert AS ON INSERT TO attack.target DO ALSO INSERT INTO public.ran VALUES ('rule', current_user);
ALTER TABLE attack.target ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON attack.target USING (attack.run('policy') IS NOT NULL);
RESET ROLE;

INSERT INTO attack.target (base_url, section, name, kind, url_count) VALUES ('http://a/', 'sitemap', 'sitemap-1.xml', 'urlset', 1);
SELECT count(content) FROM attack.target;
UPDATE attack.target SET content = '' WHERE name = 'sitemap-1.xml';
DELETE FROM attack.target WHERE name = 'sitemap-1.xml';
CREATE TEMP TABLE plainly AS SELECT DISTINCT what, role FROM ran;
TRUNCATE ran;
SELECT name, action FROM sitemap_publish('attack.target', 'SELECT loc FROM victim.page ORDER BY id', 'http://a/', compression => 0, split => 'full', max_urls => 20);
SELECT name, action FROM sitemap_publish('attack.target', 'SELECT loc FROM victim.page WHERE id > 1 ORDER BY id', 'http://a/', compression => 0, split => 'full');
SELECT DISTINCT what, role = current_user FROM ran ORDER BY what;
(TABLE plainly EXCEPT SELECT * FROM ran) UNION ALL (SELECT * FROM ran EXCEPT TABLE plainly);
-- None of it runs in functions that only read, or where nothing has changed.
TRUNCATE ran;
SELECT action FROM sitemap_publish('attack.target', 'SELECT loc FROM victim.page WHERE id > 1 ORDER BY id', 'http://a/', compression => 0, split => 'full');
SELECT count(*) FROM sitemap_files('SELECT loc FROM attack.target', 'http://a/');
SELECT count(*) FROM ran;

-- What is not a plain column, a table, or may not be made by anybody.
CREATE FOREIGN DATA WRAPPER regress_sitemap_wrapper;
CREATE SERVER regress_sitemap_server FOREIGN DATA WRAPPER regress_sitemap_wrapper;
GRANT USAGE ON FOREIGN SERVER regress_sitemap_server TO regress_sitemap_attacker;
SET ROLE regress_sitemap_attacker;
CREATE DOMAIN attack.name AS pg_catalog.text CHECK (attack.pretend('domain', VALUE) IS NOT NULL);
CREATE TABLE attack.with_domain (LIKE sitemap_file);
ALTER TABLE attack.with_domain ALTER COLUMN name TYPE attack.name;
CREATE FOREIGN TABLE attack.elsewhere (section pg_catalog.text, name pg_catalog.text) SERVER regress_sitemap_server;
SELECT pg_temp.brief('CREATE OPERATOR CLASS attack.class FOR TYPE pg_catalog.text USING btree AS OPERATOR 1 <');
SELECT pg_temp.brief('CREATE CAST (pg_catalog.text AS pg_catalog.int4) WITH FUNCTION pg_catalog.length(pg_catalog.text)');
RESET ROLE;
SELECT t, pg_temp.brief(format($$ SELECT sitemap_publish(%L, 'SELECT loc FROM victim.page', 'http://a/') $$, t))
  FROM unnest('{attack.with_domain,attack.elsewhere}'::text[]) t;

--
-- A query that wants more than to be read
--
-- It can do just what it could do in a transaction that is READ ONLY, and can not leave that.
CREATE FUNCTION pg_temp.state(statement text, read_only bool) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('transaction_read_only', read_only::text, true);
  EXECUTE statement;
  RAISE 'none, and all undone';
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE;
END
$$;
CREATE SEQUENCE victim.sequence;
CREATE FUNCTION pg_temp.states(expression text) RETURNS text[] LANGUAGE sql AS $$
  SELECT ARRAY[pg_temp.state(q, true),
               pg_temp.state(format('SELECT sitemap_files(%L, %L)', q, 'http://a/'), false),
               pg_temp.state(format('SELECT sitemap_audit(%L, %L)', q, 'http://a/'), false),
               pg_temp.state(format('SELECT victim.publish(%L)', q), false)]
    FROM (SELECT format('SELECT ''/''::pg_catalog.text AS loc WHERE (%s) IS NOT NULL', expression) AS q) s
$$;
SELECT e, pg_temp.states(e)
  FROM unnest(ARRAY[
         'nextval(''victim.sequence'')',
         'setval(''victim.sequence'', 7)',
         'set_config(''transaction_read_only'', ''off'', true)',
         'set_config(''role'', ''regress_sitemap_nobody'', true)',
         'set_config(''work_mem'', ''1'', true)',
         'set_config(''work_mem'', ''1MB'', true)',
         'pg_try_advisory_xact_lock(1)',
         'query_to_xml(''DELETE FROM victim.page'', true, true, '''')',
         'attack.run(''by a query'')']) e;
-- Large objects: older servers let them be written there.
SELECT e, cardinality(array(SELECT DISTINCT unnest(pg_temp.states(e))))
  FROM unnest(ARRAY['lo_from_bytea(0, '''')', 'lo_unlink(1)']) e;
SELECT last_value, is_called FROM victim.sequence;
SELECT count(*) FROM victim.page;
SELECT what FROM ran;

-- A role gains no other one by it.
GRANT USAGE ON SCHEMA victim TO regress_sitemap_attacker;
SET SESSION AUTHORIZATION regress_sitemap_attacker;
SELECT e, pg_temp.brief(format('SELECT sitemap_files(%L, %L)', format('SELECT ''/'' || %s AS loc', e), 'http://a/'))
  FROM unnest(ARRAY['set_config(''role'', ''pg_write_server_files'', true)', 'pg_read_file(''PG_VERSION'')',
                    '(SELECT rolpassword FROM pg_authid LIMIT 1)']) e;
RESET SESSION AUTHORIZATION;

-- A table of jobs with a type of somebody else.
\set SHOW_CONTEXT never
CREATE TABLE victim.job OF sitemap_job (PRIMARY KEY (base_url, section));
CREATE TYPE attack.number AS ENUM ('a');
CREATE FUNCTION attack.trap(attack.number) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'trapped'; END $$;
CREATE CAST (attack.number AS int) WITH FUNCTION attack.trap(attack.number) AS IMPLICIT;
INSERT INTO victim.job (target, base_url, section, query) VALUES ('victim.target', 'http://a/', 'sitemap', 'SELECT ''/'' AS loc');
ALTER TABLE victim.job NOT OF;
ALTER TABLE victim.job ALTER failures DROP DEFAULT, ALTER failures TYPE attack.number USING 'a';
SELECT sitemap_status('victim.job');
CALL sitemap_run('victim.job');
CREATE VIEW victim.jobs AS SELECT * FROM victim.job;
SELECT sitemap_status('victim.jobs');

DROP SCHEMA attack, victim CASCADE;
DROP FOREIGN DATA WRAPPER regress_sitemap_wrapper CASCADE;
DROP TABLE ran;

--
-- Traps: operators, functions and types that a role without rights has created in a schema
-- of the search_path.  None of them runs in our functions.
--
-- In a database of its own, which is dropped at once: DROP SCHEMA would need too many locks.
\set database :DBNAME
CREATE DATABASE regress_sitemap_traps;
\c regress_sitemap_traps
SET client_min_messages = warning;
CREATE EXTENSION sitemap;
CREATE ROLE regress_sitemap_owner IN ROLE pg_write_server_files;
CREATE SCHEMA attack AUTHORIZATION regress_sitemap_attacker;
CREATE SCHEMA victim AUTHORIZATION regress_sitemap_owner;
GRANT USAGE ON SCHEMA attack TO regress_sitemap_owner;
SELECT current_setting('data_directory') || '/sitemap_traps' AS directory \gset
\set job_directory :directory _of_a_job

-- Types of the values in our statements.
CREATE TABLE used AS
SELECT unnest('{text,name,"\"char\"",bool,int2,int4,int8,float8,oid,regclass,timestamptz,interval,text[],name[],int2vector}'::regtype[]::oid[]) AS type;
-- Functions of pg_catalog; is_used: our functions or our statements in C name it.
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
-- Neither near nor same traps run, nor temporary ones, in sessions in which PL/pgSQL has compiled nothing yet.
\set ECHO none
\c -
SET ROLE regress_sitemap_owner;
\set run 1
\set path 'attack, public'
:everything
\c -
SET ROLE regress_sitemap_owner;
\set run 2
\set path 'attack, pg_catalog'
:everything
\c -
SET ROLE regress_sitemap_owner;
\set run 3
\set path 'pg_temp, attack, pg_catalog'
CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (attack.trap('temporary type'));
CREATE TYPE pg_temp.record AS (trap int);
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
