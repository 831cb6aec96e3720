--
-- What the extension leaves in the catalogs.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TEMP VIEW member AS
SELECT d.classid, d.objid
  FROM pg_depend d
  JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
 WHERE d.deptype = 'e' AND e.extname = 'sitemap';
CREATE TEMP VIEW member_function AS
SELECT p.*, p.proname ~ '_(transfn|combine|serialize|deserialize|finalfn)$' AS support
  FROM pg_proc p
  JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid;

-- Functions and aggregates: arguments, result, volatility, parallel safety, strictness.
SELECT CASE prokind WHEN 'a' THEN 'aggregate' ELSE 'function' END,
       proname,
       pg_get_function_identity_arguments(oid),
       pg_get_function_result(oid),
       provolatile, proparallel, proisstrict
  FROM member_function
 WHERE NOT support
 ORDER BY 1, 2, 3;
SELECT proname,
       count(*),
       string_agg(DISTINCT provolatile::text || proparallel::text, ' '),
       string_agg(DISTINCT pg_get_function_result(oid), ' ')
  FROM member_function
 WHERE support
 GROUP BY proname
 ORDER BY proname;

-- Defaults.
SELECT pg_get_function_arguments(oid)
  FROM member_function
 WHERE proname IN ('sitemap_files', 'sitemap_image')
 ORDER BY 1;

-- Each has a comment, and one that says something of its own; support functions have none.
SELECT oid::regprocedure
  FROM member_function
 WHERE NOT support
   AND coalesce(length(obj_description(oid, 'pg_proc')), 0) < 20;
SELECT oid::regprocedure
  FROM member_function
 WHERE obj_description(oid, 'pg_proc') ~ '[{}]|  ';
SELECT obj_description(oid, 'pg_proc'), array_agg(oid::regprocedure ORDER BY oid::regprocedure::text)
  FROM member_function
 WHERE NOT support
 GROUP BY 1
HAVING count(*) > 1;

-- What is not for users is out of the way of \df sitemap*.
SELECT DISTINCT proname FROM member_function WHERE support AND proname !~ '^_sitemap_';

-- The columns of row types have comments.
SELECT c.relname, a.attname
  FROM pg_type t
  JOIN member ON classid = 'pg_type'::regclass AND objid = t.oid
  JOIN pg_class c ON c.oid = t.typrelid
  JOIN pg_attribute a ON a.attrelid = c.oid
 WHERE coalesce(length(col_description(c.oid, a.attnum)), 0) NOT BETWEEN 5 AND 80
 ORDER BY c.relname, a.attnum;

-- The type of a file's row.
SELECT typname,
       obj_description(t.oid, 'pg_type') IS NOT NULL,
       string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum)
  FROM pg_type t
  JOIN pg_attribute a ON a.attrelid = t.typrelid
 WHERE t.oid IN (SELECT objid FROM member WHERE classid = 'pg_type'::regclass)
   AND typtype = 'c'
 GROUP BY typname, t.oid
 ORDER BY typname;

-- There is nothing else.
SELECT classid::regclass, count(*)
  FROM member
 WHERE classid NOT IN ('pg_proc'::regclass, 'pg_type'::regclass)
 GROUP BY classid;

-- The version is the one that the control file names.
SELECT extrelocatable,
       -- the view does not look into the extension_destdir of Debian's PostgreSQL, where a package is tested
       extversion = coalesce((SELECT default_version FROM pg_available_extensions WHERE name = 'sitemap'), extversion)
  FROM pg_extension
 WHERE extname = 'sitemap';

-- All aggregates can be split between workers, and say how large their state is.
SELECT count(*),
       bool_and(aggcombinefn <> 0 AND aggserialfn <> 0 AND aggdeserialfn <> 0),
       min(aggtransspace) > 0,
       bool_and(aggtranstype = 'internal'::regtype),
       bool_or(aggfinalmodify <> 'r')
  FROM pg_aggregate
  JOIN member_function p ON p.oid = aggfnoid;

-- Everybody may call them, with their own rights.
SELECT bool_or(prosecdef) FROM member_function;
SELECT proname FROM member_function WHERE NOT has_function_privilege('pg_monitor', oid, 'EXECUTE');
