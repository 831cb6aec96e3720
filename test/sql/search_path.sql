--
-- What others made: their names never take the place of ours, and the code in their tables
-- runs just where PostgreSQL runs it.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir /sql/include/helpers.sql
\i :helpers

CREATE ROLE regress_sitemap_attacker;
CREATE SCHEMA attack AUTHORIZATION regress_sitemap_attacker;
CREATE SCHEMA victim;
CREATE TABLE victim.page AS SELECT n AS id, '/' || n AS loc FROM generate_series(1, 30) n;
CREATE TABLE victim.target OF sitemap_file (PRIMARY KEY (base_url, name));

--
-- Names
--
-- A trap by each name that our own statements and functions have or could have.
SET ROLE regress_sitemap_attacker;
CREATE FUNCTION attack.trap(what text) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
  RAISE 'trapped by %', what;
END
$$;
CREATE FUNCTION attack.equal(text, text) RETURNS bool LANGUAGE sql AS 'SELECT attack.trap(''= of text'')';
CREATE FUNCTION attack.equal(bigint, bigint) RETURNS bool LANGUAGE sql AS 'SELECT attack.trap(''= of bigint'')';
CREATE FUNCTION attack.less(text, text) RETURNS bool LANGUAGE sql AS 'SELECT attack.trap(''< of text'')';
CREATE FUNCTION attack.concat(text, text) RETURNS text LANGUAGE sql AS 'SELECT attack.trap(''||'')::text';
CREATE OPERATOR attack.= (LEFTARG = text, RIGHTARG = text, FUNCTION = attack.equal);
CREATE OPERATOR attack.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = attack.equal);
CREATE OPERATOR attack.< (LEFTARG = text, RIGHTARG = text, FUNCTION = attack.less);
CREATE OPERATOR attack.|| (LEFTARG = text, RIGHTARG = text, FUNCTION = attack.concat);
CREATE FUNCTION attack.length(text) RETURNS int LANGUAGE sql AS 'SELECT attack.trap(''length'')::int';
CREATE FUNCTION attack.length(bytea) RETURNS int LANGUAGE sql AS 'SELECT attack.trap(''length'')::int';
CREATE FUNCTION attack.now() RETURNS timestamptz LANGUAGE sql AS 'SELECT attack.trap(''now'')::text::timestamptz';
CREATE COLLATION attack."C" FROM "POSIX";
CREATE DOMAIN attack.text AS pg_catalog.text CHECK (attack.trap('text'));
CREATE DOMAIN attack.xml AS pg_catalog.xml CHECK (attack.trap('xml'));
CREATE DOMAIN attack.int4 AS pg_catalog.int4 CHECK (attack.trap('int4'));
CREATE DOMAIN attack.timestamptz AS pg_catalog.timestamptz CHECK (attack.trap('timestamptz'));
CREATE DOMAIN attack.bytea AS pg_catalog.bytea CHECK (attack.trap('bytea'));
CREATE TYPE attack.sitemap_file AS (name pg_catalog.text);
CREATE TABLE attack.target (LIKE public.sitemap_file);
CREATE TABLE attack.victim (section pg_catalog.text, name pg_catalog.text);
CREATE TABLE attack.pg_class (relname pg_catalog.text);
CREATE TABLE attack.pg_attribute (attname pg_catalog.text);
RESET ROLE;

-- All that a run can do to a target: insert, update, delete, make way for the index, write it.
CREATE FUNCTION victim.publish(query text, section text DEFAULT 'sitemap', max_urls int DEFAULT 50000)
RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint) LANGUAGE sql AS $$
  SELECT * FROM public.sitemap_publish('victim.target', query, 'http://a/', section => section, compression => 0,
                                       max_urls => max_urls, split => 'full', max_shrink => 1)
$$;
CREATE FUNCTION victim.everything() RETURNS TABLE (step int, name text, result text) LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE victim.target;
  RETURN QUERY SELECT 1, p.name, p.action FROM victim.publish('SELECT loc FROM victim.page ORDER BY id') p;
  RETURN QUERY SELECT 2, p.name, p.action FROM victim.publish('SELECT loc FROM victim.page ORDER BY id', 'other') p;
  RETURN QUERY SELECT 3, p.name, p.action FROM victim.publish('SELECT loc FROM victim.page ORDER BY id', 'other', 10) p;
  RETURN QUERY SELECT 4, p.name, p.action FROM victim.publish('SELECT loc FROM victim.page ORDER BY id LIMIT 1', 'other', 10) p;
  RETURN QUERY SELECT 5, t.name, t.digest FROM victim.target t WHERE t.kind OPERATOR(pg_catalog.<>) 'index';
  RETURN QUERY SELECT 6, f.name, f.digest FROM public.sitemap_files('SELECT loc FROM victim.page ORDER BY id', 'http://a/') f;
  RETURN QUERY SELECT 7, a.loc, a.problem FROM public.sitemap_audit('TABLE victim.odd', 'http://a/') a;
  RETURN QUERY SELECT 8, p.loc, p.lastmod FROM public.sitemap_parse('http://a/'::pg_catalog.text) p;
  RETURN QUERY SELECT 9, 'agg'::pg_catalog.text,
                      public.sitemap_agg(public.sitemap_url(e.loc, '2026'::pg_catalog.text, extensions => ARRAY[public.sitemap_image(e.loc, 'ü'), public.sitemap_alternate('de', e.loc)]))
                 FROM (VALUES ('http://a/'::pg_catalog.text)) e (loc);
END
$$;
CREATE VIEW victim.odd AS SELECT loc FROM (VALUES (1, '/1'), (2, '/1'), (3, 'ftp://a/')) v (id, loc) ORDER BY id;
CREATE TEMP TABLE safe AS SELECT * FROM victim.everything();
SELECT step, count(*), string_agg(DISTINCT CASE WHEN step < 5 THEN result END, ' ') FROM safe GROUP BY step ORDER BY step;

-- The traps do work.
CREATE FUNCTION pg_temp.trapped(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  RETURN NULL;
EXCEPTION WHEN raise_exception THEN
  RETURN SQLERRM;
END
$$;
SET search_path = attack, pg_catalog;
SELECT pg_temp.trapped(s)
  FROM unnest(ARRAY['SELECT pg_catalog.text ''a'' = pg_catalog.text ''b''', 'SELECT 1::pg_catalog.int8 = 1::pg_catalog.int8',
                    'SELECT pg_catalog.text ''a'' < pg_catalog.text ''b''', 'SELECT pg_catalog.text ''a'' || pg_catalog.text ''b''',
                    'SELECT length(pg_catalog.text ''a'')', 'SELECT ''a''::text', 'SELECT now()']::pg_catalog.text[]) s;
-- We step into none of them.
CREATE TEMP TABLE trapped AS SELECT * FROM victim.everything();
RESET search_path;
(TABLE safe EXCEPT ALL TABLE trapped) UNION ALL (TABLE trapped EXCEPT ALL TABLE safe);

-- Nor where they are temporary,
CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (attack.trap('temporary text'));
CREATE DOMAIN pg_temp.xml AS pg_catalog.xml CHECK (attack.trap('temporary xml'));
CREATE TEMP TABLE target (section pg_catalog.text, name pg_catalog.text);
CREATE TEMP TABLE victim (section pg_catalog.text, name pg_catalog.text);
CREATE TEMP TABLE pg_class (relname pg_catalog.text);
SET search_path = pg_temp, attack, pg_catalog;
SELECT pg_temp.trapped('SELECT ''a''::text');
TRUNCATE trapped;
INSERT INTO trapped SELECT * FROM victim.everything();
RESET search_path;
(TABLE safe EXCEPT ALL TABLE trapped) UNION ALL (TABLE trapped EXCEPT ALL TABLE safe);
DROP DOMAIN pg_temp.text, pg_temp.xml;
DROP TABLE pg_temp.target, pg_temp.victim, pg_temp.pg_class;

-- nor where the query sets the search_path for what comes after it.
TRUNCATE victim.target;
SELECT count(*) FROM victim.publish('SELECT loc FROM victim.page ORDER BY id');
SELECT name, action
  FROM victim.publish($$
         SELECT pg_catalog.concat(loc, pg_catalog.left(pg_catalog.set_config('search_path', 'attack, pg_catalog', false), 0)) AS loc
           FROM victim.page
          ORDER BY id
       $$, 'other', 10);
SHOW search_path;
RESET search_path;
SELECT name FROM victim.target ORDER BY name;

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
DROP TABLE attack.target;
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
CREATE DOMAIN attack.name AS pg_catalog.text CHECK (attack.trap('a domain'));
CREATE TABLE attack.with_domain (LIKE sitemap_file);
ALTER TABLE attack.with_domain ALTER COLUMN name TYPE attack.name;
CREATE FOREIGN TABLE attack.elsewhere (section pg_catalog.text, name pg_catalog.text) SERVER regress_sitemap_server;
SELECT pg_temp.brief('CREATE OPERATOR CLASS attack.class FOR TYPE pg_catalog.text USING btree AS OPERATOR 1 attack.<');
SELECT pg_temp.brief('CREATE CAST (pg_catalog.text AS pg_catalog.int4) WITH FUNCTION attack.length(pg_catalog.text)');
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
