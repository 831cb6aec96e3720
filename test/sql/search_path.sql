--
-- What others made: names of all kinds, and code in their tables, which runs just where
-- PostgreSQL runs it.  Names that hide those of pg_catalog are in search_path_traps.sql.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir /sql/include/helpers.sql
\i :helpers

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

DROP SCHEMA attack, victim CASCADE;
DROP FOREIGN DATA WRAPPER regress_sitemap_wrapper CASCADE;
DROP TABLE ran;
DROP ROLE regress_sitemap_attacker;

--
-- Types that hide those of pg_catalog
--
-- PL/pgSQL looks up the types of variables when it compiles a procedure, once a session.
\c -
\set SHOW_CONTEXT never
CREATE TABLE search_path_files OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE search_path_job OF sitemap_job (PRIMARY KEY (base_url, section));
INSERT INTO search_path_job (target, base_url, section, query) VALUES ('search_path_files', 'http://a/', 'sitemap', 'SELECT ''/'' AS loc');
CREATE FUNCTION pg_temp.trap(value pg_catalog.text) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE 'trapped'; END $$;
CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (pg_temp.trap(VALUE));
CREATE TYPE pg_temp.record AS (trap int);
CALL sitemap_run('search_path_job');
SELECT urls, error FROM search_path_job;
SELECT section, state FROM sitemap_status('search_path_job');
-- A table of jobs with a type of somebody else.
CREATE TYPE search_path_type AS ENUM ('a');
CREATE FUNCTION search_path_trap(search_path_type) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'trapped'; END $$;
CREATE CAST (search_path_type AS int) WITH FUNCTION search_path_trap(search_path_type) AS IMPLICIT;
ALTER TABLE search_path_job NOT OF;
ALTER TABLE search_path_job ALTER failures DROP DEFAULT, ALTER failures TYPE search_path_type USING 'a';
SELECT sitemap_status('search_path_job');
CALL sitemap_run('search_path_job');
CREATE VIEW search_path_view AS SELECT * FROM search_path_job;
SELECT sitemap_status('search_path_view');
DROP VIEW search_path_view;
DROP TABLE search_path_job, search_path_files;
DROP CAST (search_path_type AS int);
DROP FUNCTION search_path_trap;
DROP TYPE search_path_type;
