--
-- Whose rights count: the caller's, everywhere, and nothing adds to them.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE ROLE regress_sitemap_owner;
CREATE ROLE regress_sitemap_caller;
CREATE ROLE regress_sitemap_bypass BYPASSRLS;
CREATE SCHEMA privilege AUTHORIZATION regress_sitemap_owner;
GRANT USAGE ON SCHEMA privilege TO PUBLIC;
CREATE TABLE privilege_secret AS SELECT '/secret' AS loc;
SET ROLE regress_sitemap_owner;
CREATE TABLE privilege.page (id int PRIMARY KEY, loc text, note text);
INSERT INTO privilege.page SELECT n, '/' || n, 'daily' FROM generate_series(1, 4) n;
CREATE TABLE privilege.target OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE privilege.defined OF sitemap_file (PRIMARY KEY (base_url, name));
RESET ROLE;
CREATE TABLE privilege_target OF sitemap_file (PRIMARY KEY (base_url, name));

-- The URLs that sitemap_files finds, and how the functions that take a query end.
CREATE FUNCTION pg_temp.urls(query text) RETURNS text LANGUAGE sql AS $$
  SELECT replace(rtrim(pg_temp.text(content), E'\n'), E'\n', ' ') FROM sitemap_files(query, 'http://a/', format => 'txt')
$$;
CREATE FUNCTION pg_temp.done(statement text, role text DEFAULT current_user) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  before CONSTANT text := current_setting('role');
  result text;
BEGIN
  PERFORM set_config('role', role, true);
  result := regexp_replace(pg_temp.brief(statement), '^no error.*', 'done');
  PERFORM set_config('role', before, true);
  RETURN result;
END
$$;
CREATE FUNCTION pg_temp.publish(target text, query text DEFAULT 'SELECT ''/''::text AS loc', role text DEFAULT current_user) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.done(format('SELECT count(*) FROM sitemap_publish(%L, %L, ''http://a/'', max_shrink => 1)', target, query), role)
$$;
CREATE FUNCTION pg_temp.each(query text, role text DEFAULT 'regress_sitemap_caller') RETURNS TABLE (function text, result text) LANGUAGE sql AS $$
  SELECT f, pg_temp.done(format('SELECT count(*) FROM sitemap_%s(%s%L, ''http://a/'')', f, target, query), role)
    FROM (VALUES ('files', ''), ('audit', ''), ('publish', '''privilege.target'', ')) v (f, target)
$$;

-- Nothing in the extension has other rights than its caller's, nor a setting of its own
-- except a search_path without other schemas and jit, nor may the planner take it for something that keeps its arguments to itself.
SELECT count(*) > 0, count(*) FILTER (WHERE prosecdef), count(*) FILTER (WHERE proleakproof), count(*) FILTER (WHERE array_remove(proconfig, 'jit=off') <> '{"search_path=pg_catalog, pg_temp"}')
  FROM pg_depend d
  JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
  JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
 WHERE e.extname = 'sitemap';

-- A role without any rights can call all but sitemap_export.
SET ROLE regress_sitemap_caller;
SELECT sitemap_agg(sitemap_url('http://a/', extensions => ARRAY[sitemap_image('http://i/')]));
SELECT pg_temp.urls('SELECT ''/'' AS loc');
SELECT count(*) FROM sitemap_audit('SELECT ''/'' AS loc', 'http://a.example/');
SELECT loc FROM sitemap_parse('http://a/');
SELECT pg_temp.brief($$ SELECT sitemap_export('/', 'SELECT 1') $$);
RESET ROLE;

--
-- The source
--
GRANT SELECT, INSERT, UPDATE, DELETE ON privilege.target TO regress_sitemap_caller;

-- No rights on it, rights on a column, on all of it.
SELECT * FROM pg_temp.each('SELECT loc FROM privilege.page');
GRANT SELECT (loc) ON privilege.page TO regress_sitemap_caller;
SELECT * FROM pg_temp.each('SELECT loc FROM privilege.page');
SELECT * FROM pg_temp.each('SELECT loc, note AS changefreq FROM privilege.page');
SELECT * FROM pg_temp.each('SELECT loc FROM privilege.page WHERE note IS NULL');
GRANT SELECT ON privilege.page TO regress_sitemap_caller;
SELECT * FROM pg_temp.each('SELECT loc, note AS changefreq FROM privilege.page');
REVOKE SELECT, SELECT (loc) ON privilege.page FROM regress_sitemap_caller;

-- What a view's tables need is its owner's; with security_invoker it is the caller's.
SET ROLE regress_sitemap_owner;
CREATE VIEW privilege.view AS SELECT loc FROM privilege.page;
CREATE VIEW privilege.invoker WITH (security_invoker) AS SELECT loc FROM privilege.page;
GRANT SELECT ON privilege.view, privilege.invoker TO PUBLIC;
SELECT * FROM pg_temp.each('TABLE privilege.view');
SELECT * FROM pg_temp.each('TABLE privilege.invoker');

-- A view that calls sitemap_files runs its query with the rights of who reads the view.
SET ROLE regress_sitemap_owner;
CREATE VIEW privilege.files AS
SELECT pg_catalog.convert_from(content, 'UTF8') AS document
  FROM sitemap_files('SELECT ''/'' || current_user AS loc FROM privilege.page WHERE id = 1', 'http://a/', format => 'txt');
GRANT SELECT ON privilege.files TO PUBLIC;
TABLE privilege.files;
SET ROLE regress_sitemap_caller;
SELECT pg_temp.brief('TABLE privilege.files');

-- A function with SECURITY DEFINER acts as its owner, on the source and on the target.
SET ROLE regress_sitemap_owner;
CREATE FUNCTION privilege.publish(query text) RETURNS TABLE (name text, action text) LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
  SELECT name, action FROM public.sitemap_publish('privilege.defined', query, 'http://a/', compression => 0)
$$;
SET ROLE regress_sitemap_caller;
SELECT pg_temp.brief($$ TABLE privilege.defined $$);
SELECT * FROM privilege.publish($$ SELECT '/' || current_user || '/' || id AS loc FROM privilege.page WHERE id = 1 $$);
-- As such it cannot become another role.
SELECT pg_temp.brief($$ SELECT privilege.publish('SELECT set_config(''role'', ''none'', true) AS loc') $$);
SET ROLE regress_sitemap_owner;
SELECT regexp_matches(pg_temp.text(content), '<loc>.*</loc>') FROM privilege.defined ORDER BY name;
RESET ROLE;

--
-- Where the server runs code of a table's owner for somebody else
--
-- REFRESH has the rights of the materialized view's owner.
SET ROLE regress_sitemap_owner;
CREATE MATERIALIZED VIEW privilege.refreshed AS
SELECT pg_catalog.convert_from(content, 'UTF8') AS document
  FROM sitemap_files('SELECT ''/'' || current_user AS loc', 'http://a/', format => 'txt') WITH NO DATA;
CREATE MATERIALIZED VIEW privilege.reading AS
SELECT name FROM sitemap_files('TABLE public.privilege_secret', 'http://a/') WITH NO DATA;
CREATE MATERIALIZED VIEW privilege.publishing AS
SELECT name FROM sitemap_publish('public.privilege_target', 'SELECT ''/'' AS loc', 'http://a/') WITH NO DATA;
CREATE MATERIALIZED VIEW privilege.exporting AS
SELECT name FROM sitemap_export('/', 'SELECT 1') WITH NO DATA;
CREATE MATERIALIZED VIEW privilege.escaping AS
SELECT name FROM sitemap_files('SELECT ''/'' || set_config(''role'', ''none'', false) AS loc', 'http://a/') WITH NO DATA;
RESET ROLE;
REFRESH MATERIALIZED VIEW privilege.refreshed;
TABLE privilege.refreshed;
SELECT v, pg_temp.brief('REFRESH MATERIALIZED VIEW privilege.' || v)
  FROM unnest('{reading,publishing,exporting,escaping}'::text[]) v;

-- So have the functions of an index that is built, and ANALYZE, which is what autovacuum does.
SET ROLE regress_sitemap_owner;
CREATE FUNCTION privilege.indexed(loc text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN loc; END';
CREATE INDEX page_loc ON privilege.page (privilege.indexed(loc));
CREATE OR REPLACE FUNCTION privilege.indexed(loc text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (SELECT name FROM public.sitemap_files('TABLE public.privilege_secret', 'http://a/'));
END
$$;
RESET ROLE;
SELECT pg_temp.brief('REINDEX INDEX privilege.page_loc');
SELECT pg_temp.brief('ANALYZE privilege.page');
DROP INDEX privilege.page_loc;

-- No function defines anything, so no event trigger runs.
CREATE FUNCTION privilege_event() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE 'event trigger % for %', tg_event, tg_tag;
END
$$;
CREATE EVENT TRIGGER regress_sitemap_event ON ddl_command_start EXECUTE FUNCTION privilege_event();
SELECT pg_temp.brief('CREATE TABLE privilege_event ()');
SELECT * FROM pg_temp.each('SELECT loc FROM privilege.page', current_user);
DROP EVENT TRIGGER regress_sitemap_event;

-- A security barrier is one for our functions, too: they see no row that it hides.
SET ROLE regress_sitemap_owner;
CREATE FUNCTION privilege.is_visible(loc text) RETURNS bool LANGUAGE plpgsql STABLE COST 1000 AS $$
BEGIN
  RETURN loc <> 'hidden';
END
$$;
CREATE TABLE privilege.behind AS SELECT unnest('{http://a/,hidden}'::text[]) AS loc;
CREATE VIEW privilege.barrier WITH (security_barrier) AS SELECT loc FROM privilege.behind WHERE privilege.is_visible(loc);
CREATE VIEW privilege.no_barrier AS SELECT loc FROM privilege.behind WHERE privilege.is_visible(loc);
GRANT SELECT ON privilege.barrier, privilege.no_barrier TO PUBLIC;
SET ROLE regress_sitemap_caller;
SELECT v, pg_temp.done(format('SELECT FROM privilege.%s WHERE sitemap_url(loc) IS NOT NULL', v))
  FROM unnest('{no_barrier,barrier}'::text[]) v;
SELECT pg_temp.urls('SELECT loc FROM privilege.barrier WHERE public.sitemap_url(loc) IS NOT NULL');
RESET ROLE;

--
-- The target
--
-- Each of four privileges is needed, on the table as a whole, and no other.
CREATE FUNCTION pg_temp.with_privileges(privileges text, target text DEFAULT 'privilege_target') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  EXECUTE format('GRANT %s ON %s TO regress_sitemap_caller', privileges, target);
  result := pg_temp.publish(target, role => 'regress_sitemap_caller');
  EXECUTE format('REVOKE ALL ON %s FROM regress_sitemap_caller', target);
  RETURN result;
END
$$;
SELECT p, pg_temp.with_privileges(p)
  FROM (VALUES
    ('INSERT, UPDATE, DELETE'),
    ('SELECT, UPDATE, DELETE'),
    ('SELECT, INSERT, DELETE'),
    ('SELECT, INSERT, UPDATE'),
    ('TRUNCATE, REFERENCES, TRIGGER'),
    ('DELETE, ' ||
     (SELECT string_agg(format('%s (%s)', privilege, columns), ', ')
        FROM unnest('{SELECT,INSERT,UPDATE}'::text[]) privilege,
             (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns
                FROM pg_attribute WHERE attrelid = 'privilege_target'::regclass AND attnum > 0) c)),
    ('SELECT, INSERT, UPDATE, DELETE')
  ) v (p);
-- Who may not publish gets no lock that stops others.
BEGIN;
SET ROLE regress_sitemap_caller;
DO $$
BEGIN
  PERFORM sitemap_publish('privilege_target', 'SELECT ''/'' AS loc', 'http://a/');
EXCEPTION WHEN insufficient_privilege THEN
  PERFORM FROM pg_locks
    WHERE relation = 'privilege_target'::regclass AND mode <> 'AccessShareLock' OR
          classid = 'pg_class'::regclass AND objid = 'privilege_target'::regclass;
  RAISE WARNING 'it took another lock: %', FOUND;
END
$$;
ROLLBACK;

-- It takes the schema's as well, also where the target is given by its OID.
CREATE SCHEMA privilege_closed;
CREATE TABLE privilege_closed.target OF sitemap_file (PRIMARY KEY (base_url, name));
GRANT SELECT, INSERT, UPDATE, DELETE ON privilege_closed.target TO regress_sitemap_caller;
SELECT 'privilege_closed.target'::regclass::oid::text AS closed \gset
SELECT pg_temp.publish(t, role => 'regress_sitemap_caller') FROM unnest(ARRAY['privilege_closed.target', :'closed']) t;
SELECT count(*) FROM privilege_closed.target;

-- And the sequence's that a column of one's own takes its default from, as INSERT does.
CREATE TABLE privilege_serial (LIKE sitemap_file, PRIMARY KEY (base_url, name), id serial);
SELECT pg_temp.with_privileges('SELECT, INSERT, UPDATE, DELETE', 'privilege_serial');
GRANT USAGE ON SEQUENCE privilege_serial_id_seq TO regress_sitemap_caller;
SELECT pg_temp.with_privileges('SELECT, INSERT, UPDATE, DELETE', 'privilege_serial');

-- Those on a partitioned table do for its partitions, not the other way round; so with children.
CREATE TABLE privilege_parent (LIKE sitemap_file, PRIMARY KEY (base_url, name)) PARTITION BY HASH (name);
CREATE TABLE privilege_part PARTITION OF privilege_parent FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE TABLE privilege_old (LIKE sitemap_file, PRIMARY KEY (base_url, name));
CREATE TABLE privilege_child () INHERITS (privilege_old);
INSERT INTO privilege_child (base_url, section, name, kind, url_count, digest) VALUES ('http://a/', 'sitemap', 'sitemap-1.xml', 'urlset', 1, 'x');
GRANT SELECT, INSERT, UPDATE, DELETE ON privilege_part, privilege_child TO regress_sitemap_caller;
SELECT t, pg_temp.publish(t, role => 'regress_sitemap_caller') FROM unnest('{privilege_parent,privilege_old}'::text[]) t;
REVOKE ALL ON privilege_part, privilege_child FROM regress_sitemap_caller;
GRANT SELECT, INSERT, UPDATE, DELETE ON privilege_parent, privilege_old TO regress_sitemap_caller;
SELECT t, pg_temp.publish(t, role => 'regress_sitemap_caller')
  FROM unnest('{privilege_part,privilege_parent,privilege_child,privilege_old}'::text[]) t;
SELECT tableoid::regclass, name FROM privilege_old ORDER BY name;

-- Not a table: whatever the rights on it.
CREATE VIEW privilege_view AS TABLE privilege_target;
CREATE SEQUENCE privilege_sequence;
GRANT ALL ON privilege_view, privilege_sequence TO regress_sitemap_caller;
SELECT t, pg_temp.publish(t, role => role)
  FROM unnest('{privilege_view,privilege_sequence,privilege_target_pkey,privilege.refreshed,sitemap_file,pg_class}'::text[]) t,
       unnest(ARRAY['regress_sitemap_caller', current_user]) role
 ORDER BY role = current_user;

--
-- Row-level security
--
-- Policies of the source are the caller's: his, and nobody's who called before in the session.
SET ROLE regress_sitemap_owner;
INSERT INTO privilege.page VALUES (5, 'ftp://hidden/', NULL);
GRANT SELECT ON privilege.page TO regress_sitemap_caller, regress_sitemap_bypass;
GRANT SELECT, INSERT, UPDATE, DELETE ON privilege.target TO regress_sitemap_bypass;
ALTER TABLE privilege.page ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON privilege.page TO regress_sitemap_caller USING (id <= 2);
CREATE POLICY own_too ON privilege.page TO regress_sitemap_owner USING (id = 3);
RESET ROLE;
CREATE FUNCTION pg_temp.see(VARIADIC roles text[]) RETURNS TABLE (role text, files text, audit text, published int) LANGUAGE plpgsql AS $$
BEGIN
  FOREACH role IN ARRAY roles LOOP
    PERFORM set_config('role', role, true);
    files := pg_temp.urls('SELECT CASE id WHEN 5 THEN ''/hidden'' ELSE loc END AS loc FROM privilege.page ORDER BY id');
    audit := (SELECT string_agg(problem, ' ') FROM sitemap_audit('SELECT loc FROM privilege.page ORDER BY id', 'http://a.example/'));
    published := (SELECT max(url_count)
                    FROM sitemap_publish('privilege.target', 'SELECT loc FROM privilege.page WHERE id < 5 ORDER BY id', 'http://a/', max_shrink => 1));
    RETURN NEXT;
  END LOOP;
  PERFORM set_config('role', 'none', true);
END
$$;
SELECT * FROM pg_temp.see('regress_sitemap_caller', 'regress_sitemap_owner', 'regress_sitemap_bypass');
-- FORCE has them hold for the owner.
ALTER TABLE privilege.page FORCE ROW LEVEL SECURITY;
SELECT * FROM pg_temp.see('regress_sitemap_owner', 'regress_sitemap_bypass', 'regress_sitemap_caller');
-- A query that they would filter is an error where row_security is off.
SET row_security = off;
SELECT * FROM pg_temp.each('SELECT loc FROM privilege.page');
SELECT * FROM pg_temp.each('SELECT loc FROM privilege.page WHERE id < 5', 'regress_sitemap_bypass');
RESET row_security;

-- Of a target they are refused where they apply to the caller, and to nobody else.
ALTER TABLE privilege.target ENABLE ROW LEVEL SECURITY;
SELECT pg_temp.publish('privilege.target', role => 'regress_sitemap_owner');
ALTER TABLE privilege.target FORCE ROW LEVEL SECURITY;
SELECT role, pg_temp.publish('privilege.target', role => 'regress_sitemap_' || role) FROM unnest('{owner,caller,bypass}'::text[]) role;
SET row_security = off;
SELECT pg_temp.publish('privilege.target', role => 'regress_sitemap_caller');
RESET row_security;

-- So it is where the query makes another role the current one: one with too few privileges,
SELECT pg_temp.publish('privilege_target', 'SELECT ''/'' || set_config(''role'', ''regress_sitemap_caller'', true) AS loc');
-- or one whose index would leave out a section.
CREATE POLICY not_all ON privilege.target TO regress_sitemap_caller USING (section <> 'hidden') WITH CHECK (true);
SELECT count(*) FROM sitemap_publish('privilege.target', 'SELECT ''/1'' AS loc', 'http://a/', section => 'hidden', compression => 0);
SELECT pg_temp.publish('privilege.target', 'SELECT ''/'' || set_config(''role'', ''regress_sitemap_caller'', true) AS loc');

--
-- sitemap_watch and sitemap_unwatch run no code of the tables' owner: it would have the caller's rights.
--
SET ROLE regress_sitemap_owner;
CREATE FUNCTION privilege.spy(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF current_user <> 'regress_sitemap_owner' THEN
    RAISE 'code of regress_sitemap_owner runs as another role';
  END IF;
  RETURN $1;
END
$$;
CREATE DOMAIN privilege.spied AS int CHECK (privilege.spy(VALUE) IS DISTINCT FROM 0);
CREATE DOMAIN privilege.spied_twice AS privilege.spied DEFAULT privilege.spy(1) CHECK (privilege.spy(VALUE) IS DISTINCT FROM 0);
CREATE TABLE privilege.watched (id privilege.spied_twice, note int DEFAULT privilege.spy(2), CHECK (privilege.spy(note) > 0))
  PARTITION BY RANGE (privilege.spy(note));
CREATE TABLE privilege.watched_1 PARTITION OF privilege.watched FOR VALUES FROM (0) TO (10);
CREATE TABLE privilege.watch_refused (id privilege.spied_twice);
CREATE TABLE privilege.watch_queue (id int DEFAULT privilege.spy(1), note privilege.spied_twice NOT NULL, other int NOT NULL DEFAULT privilege.spy(3),
  sum int GENERATED ALWAYS AS (privilege.spy(4) + other) STORED);
CREATE INDEX ON privilege.watch_queue (privilege.spy(other)) WHERE privilege.spy(other) > 0;
CREATE POLICY spied ON privilege.watch_queue USING (privilege.spy(other) > 0);
ALTER TABLE privilege.watch_queue ENABLE ROW LEVEL SECURITY;
RESET ROLE;
SELECT pg_temp.done($$ SELECT sitemap_watch('privilege.watched', 'id', 'privilege.watch_refused') $$);
SELECT pg_temp.done($$ SELECT sitemap_watch('privilege.watched', 'id', 'privilege.watch_queue', '{note}') $$);
SELECT pg_temp.done($$ SELECT sitemap_watch('privilege.watched', 'id', 'privilege.watch_queue') $$);
SET ROLE regress_sitemap_owner;
INSERT INTO privilege.watched VALUES (5);
SELECT * FROM privilege.watch_queue;
RESET ROLE;
SELECT pg_temp.done($$ SELECT sitemap_unwatch('privilege.watched', 'privilege.watch_queue') $$);

--
-- The extension: to change it takes its owner, to create it CREATE on the database.
--
CREATE SCHEMA privilege_extension AUTHORIZATION regress_sitemap_caller;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_sitemap_caller', current_database()) \gexec
SET ROLE regress_sitemap_caller;
SELECT s, left(pg_temp.error(s), 5)
  FROM unnest(ARRAY['ALTER EXTENSION sitemap SET SCHEMA privilege_extension',
                    'ALTER EXTENSION sitemap UPDATE',
                    'DROP EXTENSION sitemap',
                    'DROP FUNCTION sitemap_alternate',
                    'CREATE OR REPLACE FUNCTION sitemap_alternate(text, text) RETURNS xml LANGUAGE sql AS ''SELECT NULL::xml''']) s;
RESET ROLE;

-- The status runs no code of the owner of a table: none of its indexes, statistics, policies, rules or triggers.
SET ROLE regress_sitemap_owner;
CREATE FUNCTION privilege.is_called(int) RETURNS bool IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN true; END';
CREATE TABLE privilege.site OF sitemap_job (PRIMARY KEY (base_url, section));
CREATE TABLE privilege.site_files OF sitemap_file (PRIMARY KEY (base_url, name));
INSERT INTO privilege.site (target, base_url, section) VALUES ('privilege.site_files', 'https://www.example.com/', 'a');
INSERT INTO privilege.site_files (base_url, section, name, kind, digest) VALUES ('https://www.example.com/', 'b', 'b.xml', 'urlset', '0');
SELECT left(pg_temp.error(format('CREATE INDEX ON privilege.%1$s (section) WHERE privilege.is_called(1);
                             CREATE STATISTICS privilege.%1$s_statistics ON section, (privilege.is_called(length(base_url))) FROM privilege.%1$s;
                             CREATE POLICY called ON privilege.%1$s USING (privilege.is_called(1))', t)), 8)
  FROM unnest('{site,site_files}'::text[]) t;
CREATE OR REPLACE FUNCTION privilege.is_called(int) RETURNS bool IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
  RAISE 'called as %', current_user;
END
$$;
SELECT pg_temp.error($$SELECT FROM privilege.site WHERE section = 'a'$$);
RESET ROLE;
\set privilege_status 'SELECT section, state FROM sitemap_status(''privilege.site'')'
:privilege_status;
-- It shows the tables that the caller may read.
GRANT SELECT ON privilege.site TO regress_sitemap_caller;
SET ROLE regress_sitemap_caller;
:privilege_status;
RESET ROLE;
GRANT SELECT ON privilege.site_files TO regress_sitemap_caller;
SET ROLE regress_sitemap_caller;
:privilege_status;
RESET ROLE;
ALTER TABLE privilege.site_files ENABLE ROW LEVEL SECURITY;
:privilege_status;
SET ROLE regress_sitemap_caller;
:privilege_status;
RESET ROLE;
ALTER TABLE privilege.site ENABLE ROW LEVEL SECURITY;
:privilege_status;
SET ROLE regress_sitemap_caller;
SELECT pg_temp.error($$SELECT sitemap_status('privilege.site')$$);
SET row_security = off;
SELECT pg_temp.error($$SELECT sitemap_status('privilege.site')$$);
RESET row_security;
RESET ROLE;
ALTER TABLE privilege.site DISABLE ROW LEVEL SECURITY;
ALTER TABLE privilege.site_files DISABLE ROW LEVEL SECURITY;
-- The right is needed for the whole table.
REVOKE SELECT ON privilege.site FROM regress_sitemap_caller;
DO $$
BEGIN
  EXECUTE (SELECT format('GRANT SELECT (%s) ON privilege.site TO regress_sitemap_caller', string_agg(quote_ident(attname), ', '))
             FROM pg_attribute WHERE attrelid = 'privilege.site'::regclass AND attnum > 0);
END
$$;
SET ROLE regress_sitemap_caller;
SELECT pg_temp.error($$SELECT sitemap_status('privilege.site')$$);
SELECT pg_temp.error($$SELECT sitemap_status('pg_authid')$$);
RESET ROLE;
-- No foreign server is called.
CREATE FOREIGN DATA WRAPPER regress_sitemap_wrapper;
CREATE SERVER regress_sitemap_server FOREIGN DATA WRAPPER regress_sitemap_wrapper;
CREATE FOREIGN TABLE privilege.away () INHERITS (privilege.site_files) SERVER regress_sitemap_server;
:privilege_status;
SET client_min_messages = warning;
DROP FOREIGN DATA WRAPPER regress_sitemap_wrapper CASCADE;

DROP SCHEMA privilege, privilege_closed CASCADE;
DROP FUNCTION privilege_event;
DROP SEQUENCE privilege_sequence;
DROP TABLE privilege_secret, privilege_target, privilege_serial, privilege_parent, privilege_old CASCADE;
BEGIN;
DROP EXTENSION sitemap;
SET ROLE regress_sitemap_caller;
SELECT pg_temp.error('CREATE EXTENSION sitemap SCHEMA privilege_extension');
ROLLBACK;

SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_sitemap_caller', current_database()) \gexec
BEGIN;
DROP EXTENSION sitemap;
SET ROLE regress_sitemap_caller;
SELECT left(pg_temp.error('CREATE EXTENSION sitemap SCHEMA privilege_extension'), 5);
ROLLBACK;
DROP SCHEMA privilege_extension;
DROP ROLE regress_sitemap_owner, regress_sitemap_caller, regress_sitemap_bypass;
