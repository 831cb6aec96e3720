--
-- What each function of the extension may do: whose code it runs, and as whom.  A new function needs a row here.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql
CREATE ROLE regress_rights_caller;
CREATE ROLE regress_rights_owner;
GRANT pg_write_server_files TO regress_rights_caller;
CREATE SCHEMA rights;
GRANT USAGE, CREATE ON SCHEMA rights TO regress_rights_caller, regress_rights_owner;
COPY (SELECT) TO PROGRAM 'mkdir -p sitemap_rights; cat >/dev/null';
SELECT current_setting('data_directory') || '/sitemap_rights' AS directory \gset

-- What every table and query calls: it notes the role.
SET rights.seen = '';
CREATE FUNCTION rights.seen(value text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
  IF current_user::text <> ALL (string_to_array(current_setting('rights.seen'), ' ')) THEN
    PERFORM set_config('rights.seen', concat_ws(' ', nullif(current_setting('rights.seen'), ''), current_user), false);
  END IF;
  RETURN value;
END
$$;
CREATE FUNCTION rights.seen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM rights.seen('');
  RETURN coalesce(NEW, OLD);
END
$$;
CREATE FUNCTION pg_temp.seen_by(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  PERFORM set_config('rights.seen', '', false);
  result := pg_temp.error(call);
  RETURN concat_ws(' ', CASE WHEN result NOT LIKE 'no error%' THEN result END, nullif(current_setting('rights.seen'), ''));
END
$$;

-- Tables of another role, which the caller may use, and tables of the caller.  PostgreSQL calls the index's predicate
-- when it plans a statement on the table.
SET ROLE regress_rights_owner;
CREATE TABLE rights.page (id int, path text);
INSERT INTO rights.page VALUES (1, '/1');
CREATE TABLE rights.queue (id int, noted text DEFAULT rights.seen(''));
CREATE TABLE rights.files OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE rights.feed OF sitemap_change;
CREATE TABLE rights.site OF sitemap_job (PRIMARY KEY (base_url, section));
INSERT INTO rights.site (target, base_url, section) VALUES ('rights.files', 'https://a.example/', 'a');
SELECT sitemap_watch('rights.page', 'id', 'rights.queue');
-- Whoever expands the CHECK of this domain calls its function.
CREATE DOMAIN rights.key AS int;
CREATE TABLE rights.domain_page (id rights.key);
CREATE TABLE rights.domain_queue (id int);
SELECT sitemap_watch('rights.domain_page', 'id', 'rights.domain_queue');
ALTER TABLE rights.domain_queue ALTER id TYPE rights.key;
ALTER DOMAIN rights.key ADD CHECK (rights.seen('') = '');
GRANT ALL ON ALL TABLES IN SCHEMA rights TO regress_rights_caller;
SET ROLE regress_rights_caller;
CREATE TABLE rights.own_page (id int);
CREATE TABLE rights.own_queue (id int);
CREATE TABLE rights.own_site OF sitemap_job (PRIMARY KEY (base_url, section));
INSERT INTO rights.own_site (target, base_url, section, query, changes, feed)
VALUES ('rights.files', 'https://b.example/', 'a', 'SELECT rights.seen(path) AS loc, id AS key FROM rights.page ORDER BY id', 'DELETE FROM rights.queue RETURNING id', 'rights.feed');
RESET ROLE;
DO $$
DECLARE
  relation regclass;
BEGIN
  FOR relation IN SELECT oid FROM pg_class WHERE relnamespace = 'rights'::regnamespace AND relkind = 'r' AND relname NOT IN ('page', 'domain_page') LOOP
    EXECUTE format('CREATE INDEX ON %1$s ((1)) WHERE rights.seen(''true'')::bool;
                    CREATE TRIGGER noted BEFORE INSERT OR UPDATE OR DELETE ON %1$s FOR EACH ROW EXECUTE FUNCTION rights.seen()', relation);
  END LOOP;
END
$$;

-- runs: whose statements, or code on tables, the function runs, and as whom.
CREATE TABLE rights.function (name name PRIMARY KEY, overloads int, runs text, call text);
GRANT SELECT ON rights.function TO PUBLIC;
INSERT INTO rights.function VALUES
-- They read nothing but their arguments.
('sitemap_url', 1, '', $$SELECT sitemap_url('https://a.example/')$$),
('sitemap_image', 1, '', $$SELECT sitemap_image('https://a.example/1.jpg')$$),
('sitemap_video', 1, '', $$SELECT sitemap_video('https://a.example/1.jpg', 'a', 'b', 'https://a.example/1.mp4')$$),
('sitemap_news', 1, '', $$SELECT sitemap_news('a', 'en', now(), 'b')$$),
('sitemap_alternate', 1, '', $$SELECT sitemap_alternate('en', 'https://a.example/')$$),
('sitemap_alternates', 1, '', $$SELECT sitemap_alternates('{"en": "https://a.example/"}')$$),
('sitemap_encode', 1, '', $$SELECT sitemap_encode('a b')$$),
('sitemap_agg', 10, '', $$SELECT sitemap_agg('https://a.example/')$$),
('sitemap_index_agg', 5, '', $$SELECT sitemap_index_agg('https://a.example/')$$),
('sitemap_text_agg', 1, '', $$SELECT sitemap_text_agg('https://a.example/')$$),
('sitemap_parse', 2, '', $$SELECT sitemap_parse('https://a.example/')$$),
('sitemap_kind', 2, '', $$SELECT sitemap_kind('https://a.example/')$$),
('sitemap_columns', 1, '', $$SELECT sitemap_columns('{}')$$),
-- They run statements of the caller, and their own on tables that the caller names, as the caller.
('sitemap_files', 1, 'caller', $$SELECT sitemap_files('SELECT rights.seen(path) AS loc FROM rights.page', 'https://a.example/')$$),
('sitemap_audit', 1, 'caller', $$SELECT sitemap_audit('SELECT rights.seen(path) AS loc FROM rights.page', 'https://a.example/')$$),
('sitemap_publish', 1, 'caller', $$SELECT sitemap_publish('rights.files', 'SELECT path AS loc, id AS key FROM rights.page ORDER BY id', 'https://a.example/', 'b', changes => 'DELETE FROM rights.queue RETURNING id', feed => 'rights.feed')$$),
('sitemap_publish_index', 1, 'caller', $$SELECT sitemap_publish_index('rights.files', 'https://a.example/')$$),
('sitemap_export', 1, 'caller', format($$SELECT sitemap_export(%L, 'TABLE rights.files')$$, :'directory')),
('sitemap_run', 1, 'caller', NULL),
-- They read tables that the caller names without a statement.
('sitemap_status', 1, '', $$SELECT sitemap_status('rights.site')$$),
-- They read catalogs, and change triggers as the caller.
('sitemap_watch', 1, '', $$SELECT sitemap_watch('rights.own_page', 'id', 'rights.own_queue')$$),
('sitemap_unwatch', 1, '', $$SELECT sitemap_unwatch('rights.own_page', 'rights.own_queue')$$),
('_sitemap_watch_check', 1, '', $$SELECT _sitemap_watch_check('rights.own_page', 'id', 'rights.own_queue', NULL, true)$$),
('_sitemap_watch_triggers', 1, '', $$SELECT _sitemap_watch_triggers('rights.page')$$),
-- A trigger: it adds keys to a queue as the owner of the watched table.
('_sitemap_watch', 1, 'owner', $$INSERT INTO rights.page VALUES (2, '/2')$$);

-- Functions without a row, and rows without a function.  SQL cannot call those with arguments of type internal.
SELECT name, overloads, n
  FROM rights.function
  FULL JOIN (SELECT proname AS name, count(*) AS n
               FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
               JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'sitemap'
              WHERE 'internal'::regtype <> ALL (proargtypes::oid[])
              GROUP BY proname) f USING (name)
 WHERE n IS DISTINCT FROM overloads
 ORDER BY name;
-- None has other rights than its caller's.
SELECT proname FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'sitemap' WHERE prosecdef;
SET ROLE regress_rights_caller;
SELECT name, seen
  FROM (SELECT name, runs, pg_temp.seen_by(call) AS seen FROM rights.function WHERE call IS NOT NULL) f
 WHERE seen IS DISTINCT FROM CASE runs WHEN '' THEN '' ELSE 'regress_rights_' || runs END;
SET rights.seen = '';
CALL sitemap_run('rights.own_site');
SHOW rights.seen;
SELECT error FROM rights.own_site;
RESET ROLE;
SELECT count(*) FROM rights.files;

COPY (SELECT) TO PROGRAM 'rm -r sitemap_rights; cat >/dev/null';
SET client_min_messages = warning;
DROP SCHEMA rights CASCADE;
DROP ROLE regress_rights_caller, regress_rights_owner;
