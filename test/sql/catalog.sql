-- What the extension leaves in the catalogs.
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir /sql/include/helpers.sql
\i :helpers
CREATE TEMP VIEW member AS SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' WHERE e.extname = 'sitemap';
CREATE TEMP VIEW member_function AS SELECT p.*, p.proname ~ '_(transfn|combine|serialize|deserialize|finalfn)$' AS support FROM pg_proc p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid;
-- functions and aggregates: arguments, result, volatility, parallel safety, whether strict
SELECT CASE prokind WHEN 'a' THEN 'aggregate' ELSE 'function' END, proname, pg_get_function_identity_arguments(oid), pg_get_function_result(oid), provolatile, proparallel, proisstrict FROM member_function
 WHERE NOT support ORDER BY 1, 2, 3;
SELECT proname, count(*), string_agg(DISTINCT provolatile::text || proparallel::text, ' '), string_agg(DISTINCT pg_get_function_result(oid), ' ') FROM member_function WHERE support GROUP BY proname ORDER BY proname;
-- defaults
SELECT pg_get_function_arguments(oid) FROM member_function WHERE proname IN ('sitemap_files', 'sitemap_image') ORDER BY 1;
-- each of them has a comment that says something of its own, but for support functions
SELECT oid::regprocedure FROM member_function WHERE NOT support AND coalesce(length(obj_description(oid, 'pg_proc')), 0) < 20;
SELECT oid::regprocedure FROM member_function WHERE obj_description(oid, 'pg_proc') ~ '[{}]|  ';
SELECT obj_description(oid, 'pg_proc'), array_agg(oid::regprocedure) FROM member_function WHERE NOT support GROUP BY 1 HAVING count(*) > 1;
SELECT typname, obj_description(t.oid, 'pg_type') IS NOT NULL, string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum)
  FROM pg_type t JOIN pg_attribute a ON a.attrelid = t.typrelid WHERE t.oid IN (SELECT objid FROM member WHERE classid = 'pg_type'::regclass) AND typtype = 'c' GROUP BY typname, t.oid;
-- nothing else
SELECT classid::regclass, count(*) FROM member WHERE classid NOT IN ('pg_proc'::regclass, 'pg_type'::regclass) GROUP BY classid;
SELECT extrelocatable, extversion = (SELECT default_version FROM pg_available_extensions WHERE name = 'sitemap') FROM pg_extension WHERE extname = 'sitemap';
-- all aggregates can be split between workers, and say how large their state is
SELECT count(*), bool_and(aggcombinefn <> 0 AND aggserialfn <> 0 AND aggdeserialfn <> 0), min(aggtransspace) > 0, bool_and(aggtranstype = 'internal'::regtype), bool_or(aggfinalmodify <> 'r') FROM pg_aggregate JOIN member_function p ON p.oid = aggfnoid;
-- everybody may call them, with their own rights
SELECT bool_or(prosecdef), bool_and(has_function_privilege('pg_monitor', oid, 'EXECUTE')) FROM member_function;
-- another schema, and back
DROP EXTENSION sitemap;
SELECT count(*) FROM pg_proc WHERE proname ~ '^sitemap_';
CREATE SCHEMA "Odd schema";
CREATE EXTENSION sitemap SCHEMA "Odd schema";
SELECT "Odd schema".sitemap_agg('http://a/', date '2026-01-02');
SET search_path = '';
SELECT name FROM "Odd schema".sitemap_files('SELECT ''/''::pg_catalog.text AS loc', 'http://a/');
RESET search_path;
CREATE SCHEMA other;
ALTER EXTENSION sitemap SET SCHEMA other;
SELECT other.sitemap_agg(other.sitemap_url('http://a/'));
SELECT (f).name FROM other.sitemap_files('SELECT ''/'' AS loc', 'http://a/') f;
SELECT DISTINCT pronamespace::regnamespace FROM member_function;
-- what uses it holds it back
CREATE VIEW uses_it AS SELECT other.sitemap_url('http://a/');
SELECT pg_temp.brief('DROP EXTENSION sitemap');
DROP VIEW uses_it;
ALTER EXTENSION sitemap SET SCHEMA public;
DROP SCHEMA "Odd schema", other;
DROP EXTENSION sitemap;
CREATE EXTENSION sitemap;
