/* sql/sitemap--1.0.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION sitemap" to load this file. \quit

-- Who may create functions in the schema can hide those of the extension.  Its owner can also rename it.
DO $$
DECLARE
	schema pg_catalog.pg_namespace;
	owner CONSTANT pg_catalog.oid := '@extowner@'::pg_catalog.regrole;
	database_owner CONSTANT pg_catalog.oid := 'pg_database_owner'::pg_catalog.regrole;
	superuser CONSTANT pg_catalog.oid := 10;
BEGIN
	SELECT n.* INTO schema FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
	 WHERE e.extname = 'sitemap'::pg_catalog.name;
	IF schema.nspowner = database_owner THEN
		schema.nspowner := (SELECT d.datdba FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database());
	END IF;
	IF pg_catalog.has_schema_privilege('public'::pg_catalog.name, schema.oid, 'CREATE'::pg_catalog.text)
	   OR schema.nspowner <> owner AND schema.nspowner <> superuser THEN
		RAISE WARNING 'other roles can put functions of their own in place of those in the schema "%"', schema.nspname
			USING HINT = pg_catalog.format('Install the extension in a schema of its own, which new sessions find: CREATE SCHEMA sitemap; CREATE EXTENSION sitemap SCHEMA sitemap; ALTER DATABASE %I SET search_path = "$user", public, sitemap;',
			                               pg_catalog.current_database());
	END IF;
END
$$;

-- Elements: each function makes a fragment of XML

-- Arguments of type "any": a date can be timestamptz, timestamp, date or W3C
-- datetime as text, so none is converted in the session's TimeZone.  A flag can be
-- boolean, or text: yes or no.
CREATE FUNCTION sitemap_url(loc text, lastmod "any" DEFAULT NULL, changefreq text DEFAULT NULL,
	priority float8 DEFAULT NULL, extensions xml[] DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_url(text, "any", text, float8, xml[]) IS
'<url> element of a page';

CREATE FUNCTION sitemap_image(loc text, caption text DEFAULT NULL, geo_location text DEFAULT NULL,
	title text DEFAULT NULL, license text DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_image(text, text, text, text, text) IS
'<image:image> element of a page, for the extensions of sitemap_url';

CREATE FUNCTION sitemap_video(thumbnail_loc text, title text, description text,
	content_loc text DEFAULT NULL, player_loc text DEFAULT NULL,
	duration int DEFAULT NULL, expiration_date "any" DEFAULT NULL,
	rating float8 DEFAULT NULL, content_segment_loc text[] DEFAULT NULL,
	view_count bigint DEFAULT NULL, publication_date "any" DEFAULT NULL,
	tag text[] DEFAULT NULL, category text DEFAULT NULL,
	family_friendly "any" DEFAULT NULL, restriction text DEFAULT NULL,
	gallery_loc text DEFAULT NULL, price numeric[] DEFAULT NULL,
	requires_subscription "any" DEFAULT NULL, uploader text DEFAULT NULL,
	platform text DEFAULT NULL, live "any" DEFAULT NULL, id text[] DEFAULT NULL,
	player_loc_allow_embed "any" DEFAULT NULL, player_loc_autoplay text DEFAULT NULL,
	content_segment_loc_duration int[] DEFAULT NULL,
	restriction_relationship text DEFAULT NULL, gallery_loc_title text DEFAULT NULL,
	price_currency text[] DEFAULT NULL, price_type text[] DEFAULT NULL,
	price_resolution text[] DEFAULT NULL, uploader_info text DEFAULT NULL,
	platform_relationship text DEFAULT NULL, id_type text[] DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_video(text, text, text, text, text, int, "any", float8, text[], bigint,
	"any", text[], text, "any", text, text, numeric[], "any", text, text, "any", text[], "any", text,
	int[], text, text, text[], text[], text[], text, text, text[]) IS
'<video:video> element of a page, for the extensions of sitemap_url';

CREATE FUNCTION sitemap_news(publication_name text, publication_language text,
	publication_date "any", title text, access text DEFAULT NULL, genres text DEFAULT NULL,
	keywords text DEFAULT NULL, stock_tickers text DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_news(text, text, "any", text, text, text, text, text) IS
'<news:news> element of a page, for the extensions of sitemap_url';

CREATE FUNCTION sitemap_encode(segment text, keep text DEFAULT '')
RETURNS text
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_encode(text, text) IS
'percent-encode one segment of a path or one value of a query string';

CREATE FUNCTION sitemap_alternate(hreflang text, href text)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_alternate(text, text) IS
'<xhtml:link> element to a page in another language';

CREATE FUNCTION sitemap_alternates(hrefs jsonb)
RETURNS xml[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_alternates(jsonb) IS
'<xhtml:link> elements, from an object of language codes and URLs';

-- Aggregates: rows become one document

CREATE FUNCTION _sitemap_agg_combine(internal, internal)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_combine'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_agg_serialize(internal)
RETURNS bytea
AS 'MODULE_PATHNAME', 'sitemap_agg_serialize'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION _sitemap_agg_deserialize(bytea, internal)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_deserialize'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION _sitemap_agg_finalfn(internal)
RETURNS text
AS 'MODULE_PATHNAME', 'sitemap_agg_finalfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

-- Each list of arguments needs its own transition function.
DO $$
DECLARE
	aggregate record;
BEGIN
	FOR aggregate IN VALUES
		('sitemap_agg', 'loc text', 'aggregate URLs into a sitemap'),
		('sitemap_agg', 'loc text, lastmod timestamptz', 'aggregate URLs into a sitemap, with lastmod as an instant'),
		('sitemap_agg', 'loc text, lastmod timestamp', 'aggregate URLs into a sitemap, with lastmod in UTC'),
		('sitemap_agg', 'loc text, lastmod date', 'aggregate URLs into a sitemap, with lastmod as a date'),
		('sitemap_agg', 'loc text, lastmod text', 'aggregate URLs into a sitemap, with lastmod as W3C text'),
		('sitemap_agg', 'loc text, lastmod timestamptz, changefreq text, priority float8',
		 'aggregate URLs into a sitemap, with lastmod as an instant, changefreq, priority'),
		('sitemap_agg', 'loc text, lastmod timestamp, changefreq text, priority float8',
		 'aggregate URLs into a sitemap, with lastmod in UTC, changefreq, priority'),
		('sitemap_agg', 'loc text, lastmod date, changefreq text, priority float8',
		 'aggregate URLs into a sitemap, with lastmod as a date, changefreq, priority'),
		('sitemap_agg', 'loc text, lastmod text, changefreq text, priority float8',
		 'aggregate URLs into a sitemap, with lastmod as W3C text, changefreq, priority'),
		('sitemap_agg', 'url xml', 'aggregate <url> elements of sitemap_url into a sitemap'),
		('sitemap_index_agg', 'loc text', 'aggregate URLs of sitemaps into a sitemap index'),
		('sitemap_index_agg', 'loc text, lastmod timestamptz', 'aggregate URLs of sitemaps into a sitemap index, with lastmod as an instant'),
		('sitemap_index_agg', 'loc text, lastmod timestamp', 'aggregate URLs of sitemaps into a sitemap index, with lastmod in UTC'),
		('sitemap_index_agg', 'loc text, lastmod date', 'aggregate URLs of sitemaps into a sitemap index, with lastmod as a date'),
		('sitemap_index_agg', 'loc text, lastmod text', 'aggregate URLs of sitemaps into a sitemap index, with lastmod as W3C text'),
		('sitemap_text_agg', 'loc text', 'aggregate URLs into a text sitemap, one on each line')
	LOOP
		EXECUTE pg_catalog.format($create$
			CREATE FUNCTION _%1$s_transfn(internal, %2$s)
			RETURNS internal
			AS 'MODULE_PATHNAME', '%1$s_transfn'
			LANGUAGE C IMMUTABLE PARALLEL SAFE;

			CREATE AGGREGATE %1$s(%2$s) (
				SFUNC = _%1$s_transfn,
				STYPE = internal,
				SSPACE = 65536,
				FINALFUNC = _sitemap_agg_finalfn,
				COMBINEFUNC = _sitemap_agg_combine,
				SERIALFUNC = _sitemap_agg_serialize,
				DESERIALFUNC = _sitemap_agg_deserialize,
				PARALLEL = SAFE
			);
			COMMENT ON AGGREGATE %1$s(%2$s) IS %3$L$create$, aggregate.column1, aggregate.column2, aggregate.column3);
	END LOOP;
END
$$;

-- Sets: a query becomes all files of a set

CREATE TYPE sitemap_file AS (
	base_url text,
	section text,
	name text,
	kind text,
	loc text,
	lastmod timestamptz,
	url_count int,
	byte_count bigint,
	digest text,
	first_key text,
	recipe text,
	shown bytea,
	content bytea
);
COMMENT ON TYPE sitemap_file IS
'file of a set of sitemaps, with its URL, counts, digest and content';
COMMENT ON COLUMN sitemap_file.base_url IS 'URL of the directory of the site';
COMMENT ON COLUMN sitemap_file.section IS 'section of the site that the file belongs to';
COMMENT ON COLUMN sitemap_file.name IS 'file name, with its suffixes';
COMMENT ON COLUMN sitemap_file.kind IS 'urlset, text or index';
COMMENT ON COLUMN sitemap_file.loc IS 'URL of the file';
COMMENT ON COLUMN sitemap_file.lastmod IS 'newest lastmod in the file; in a target, when the content last changed';
COMMENT ON COLUMN sitemap_file.url_count IS 'number of entries';
COMMENT ON COLUMN sitemap_file.byte_count IS 'size in bytes before compression';
COMMENT ON COLUMN sitemap_file.digest IS 'hash of the document, in hex, fit for an ETag; NULL if made elsewhere';
COMMENT ON COLUMN sitemap_file.first_key IS 'key of the first row, as text; NULL without a column key';
COMMENT ON COLUMN sitemap_file.recipe IS 'digest of the query and of the options that shape files';
COMMENT ON COLUMN sitemap_file.shown IS 'what a run remembers of each page; NULL without a column shown';
COMMENT ON COLUMN sitemap_file.content IS 'the document in UTF-8, compressed if its name ends in .gz';

-- Not PARALLEL SAFE: in a parallel worker, the function's query could not be parallel.
CREATE FUNCTION sitemap_files(query text, base_url text, section text DEFAULT 'sitemap',
	format text DEFAULT 'xml', compression int DEFAULT 0, max_urls int DEFAULT 50000,
	max_bytes bigint DEFAULT 52428800, split text DEFAULT 'full', index text DEFAULT 'auto',
	on_invalid text DEFAULT 'error', scope text DEFAULT 'host', stylesheet text DEFAULT NULL,
	protocol text DEFAULT '0.9')
RETURNS SETOF sitemap_file
AS 'MODULE_PATHNAME'
LANGUAGE C STABLE PARALLEL UNSAFE
COST 100000 ROWS 100;
COMMENT ON FUNCTION sitemap_files(text, text, text, text, int, int, bigint, text, text, text, text, text, text) IS
'make the files of a sitemap set from the rows of a query, the index last';

CREATE TYPE sitemap_change AS (
	base_url text,
	at timestamptz,
	section text,
	loc text,
	action text,
	lastmod text
);
COMMENT ON TYPE sitemap_change IS
'row of a feed: a URL that sitemap_publish added, changed or removed';
COMMENT ON COLUMN sitemap_change.base_url IS 'URL of the directory of the site';
COMMENT ON COLUMN sitemap_change.at IS 'time of the run; it grows from run to run';
COMMENT ON COLUMN sitemap_change.section IS 'section of the site';
COMMENT ON COLUMN sitemap_change.loc IS 'URL of the page';
COMMENT ON COLUMN sitemap_change.action IS 'added, changed or removed';
COMMENT ON COLUMN sitemap_change.lastmod IS 'lastmod of the page as its entry has it';

CREATE FUNCTION sitemap_publish(target regclass, query text, base_url text, section text DEFAULT 'sitemap',
	format text DEFAULT 'xml', compression int DEFAULT 6, max_urls int DEFAULT 50000,
	max_bytes bigint DEFAULT 52428800, split text DEFAULT 'stable', index text DEFAULT 'auto',
	on_invalid text DEFAULT 'error', scope text DEFAULT 'host', stylesheet text DEFAULT NULL,
	protocol text DEFAULT '0.9', max_shrink float8 DEFAULT NULL, changes text DEFAULT NULL,
	feed regclass DEFAULT NULL, since timestamptz DEFAULT NULL)
RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint)
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE
COST 100000 ROWS 100;
COMMENT ON FUNCTION sitemap_publish(regclass, text, text, text, text, int, int, bigint, text, text, text, text, text, text, float8, text, regclass, timestamptz) IS
'make the files of a section from a query, and publish them in a table';

CREATE FUNCTION sitemap_publish_index(target regclass, base_url text, stylesheet text DEFAULT NULL,
	protocol text DEFAULT '0.9')
RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint)
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE
COST 10000 ROWS 1;
COMMENT ON FUNCTION sitemap_publish_index(regclass, text, text, text) IS
'make the index of all files published in a table';

-- Export: files are written to a directory of the server

CREATE FUNCTION sitemap_export(directory text, files text, base_url text DEFAULT NULL)
RETURNS TABLE (name text, action text, byte_count bigint)
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE
COST 100000 ROWS 100;
COMMENT ON FUNCTION sitemap_export(text, text, text) IS
'write the files of a query to a directory of the server, and remove old ones';

-- Watching tables: triggers add the keys of changed rows to a queue

CREATE FUNCTION _sitemap_watch() RETURNS trigger
AS 'MODULE_PATHNAME'
LANGUAGE C;
COMMENT ON FUNCTION _sitemap_watch() IS
'trigger function of sitemap_watch: adds the keys of changed rows to a queue';

CREATE FUNCTION _sitemap_watch_check(source regclass, key name, queue regclass, columns name[], is_new boolean)
RETURNS void
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION _sitemap_watch_check(regclass, name, regclass, name[], boolean) IS
'raise an error unless sitemap_watch can create triggers for these arguments';

-- A table without such triggers has a row with NULLs.  Parents have a lower depth.
CREATE FUNCTION _sitemap_watch_triggers(source regclass)
RETURNS TABLE (relid regclass, depth int, name name, type int2, enabled "char", arguments text[], queue oid)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
	WITH RECURSIVE family (relid, depth) AS (
		SELECT source::oid, 0
		 UNION
		SELECT i.inhrelid, f.depth + 1 FROM family f JOIN pg_inherits i ON i.inhparent = f.relid)
	SELECT f.relid, f.depth, t.tgname, t.tgtype, t.tgenabled, a.arguments, q.oid
	  FROM (SELECT relid, min(depth) AS depth FROM family GROUP BY relid) f
	  LEFT JOIN pg_trigger t ON t.tgrelid = f.relid AND t.tgnargs > 1
	       AND t.tgfoid = (SELECT p.oid FROM pg_proc p JOIN pg_extension e ON e.extnamespace = p.pronamespace
	                        WHERE e.extname = 'sitemap' AND p.proname = '_sitemap_watch' AND p.pronargs = 0)
	  -- tgargs has a zero byte after each argument, escaped as \000.  The \\ of a backslash would
	  -- hide that in \\000, so it becomes \134.
	 CROSS JOIN LATERAL (SELECT array_agg(convert_from(decode(argument, 'escape'), getdatabaseencoding()) ORDER BY n) AS arguments
	                       FROM unnest(string_to_array(replace(encode(t.tgargs, 'escape'), E'\\\\', E'\\134'), E'\\000'))
	                            WITH ORDINALITY u (argument, n)
	                      WHERE n <= t.tgnargs) a
	  -- Not by regclass, which requires the right to use the schema.  A trigger that was created by hand
	  -- can name anything, and parse_ident raises an error for what is not a name.
	  LEFT JOIN LATERAL parse_ident(CASE WHEN a.arguments[2] ~* '^([a-z_][a-z0-9_$]*|"([^"]|"")+")\.([a-z_][a-z0-9_$]*|"([^"]|"")+")$'
	                                     THEN a.arguments[2] END) name ON true
	  LEFT JOIN pg_namespace s ON s.nspname = name[1]::name
	  LEFT JOIN pg_class q ON q.relnamespace = s.oid AND q.relname = name[2]::name
$function$;
COMMENT ON FUNCTION _sitemap_watch_triggers(regclass) IS
'triggers of sitemap_watch on a table, its partitions and its children, with their arguments and queues';

/*
 * A statement fires the statement triggers of the table that it names, but not of its
 * partitions and children.  So each of these gets triggers as well.  They are created with
 * the caller's rights.  Their arguments are names, which pg_dump writes as they are: key,
 * queue, watched columns.
 *
 * A trigger is replaced under its name if it has this queue and key.  If there is none, a
 * trigger is replaced whose queue or key was renamed or dropped: its queue is this one or no
 * longer exists, and likewise its key.
 *
 * A trigger that is disabled stays disabled, since somebody may be loading rows.
 *
 * A call that changes nothing takes ACCESS SHARE locks alone.  CREATE TRIGGER needs SHARE ROW
 * EXCLUSIVE.  So the first pass locks the tables where a trigger is missing or differs, and
 * the second pass reads the triggers again, since another call may have created them
 * meanwhile.  REPEATABLE READ does not see those.  Then CREATE TRIGGER fails rather than
 * replace a trigger of the same name.
 */
CREATE FUNCTION sitemap_watch(source regclass, key name, queue regclass, columns name[] DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
	schema CONSTANT text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'sitemap');
	arguments text[];
	owner oid;
	step record;			-- a trigger to create, or to replace if "old" has its name
	name text;
BEGIN
	-- A queue is new if no trigger names it, and no trigger of the table names a queue that no longer exists.
	EXECUTE format('SELECT %1$s._sitemap_watch_check($1, $2, $3, $4, $5 AND NOT EXISTS (
		SELECT FROM %1$s._sitemap_watch_triggers($1) WHERE name IS NOT NULL AND queue IS NULL))', schema) USING source, key, queue, columns,
		NOT EXISTS (SELECT FROM pg_trigger t, pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = queue
		               AND position(decode('00', 'hex') || convert_to(format('%I.%I', n.nspname, c.relname), getdatabaseencoding()) || decode('00', 'hex') IN t.tgargs) > 0);
	SELECT ARRAY[key::text, format('%I.%I', n.nspname, c.relname)]
	       || ARRAY(SELECT u.watched::text FROM unnest(CASE WHEN columns = '{}' THEN ARRAY[key] ELSE columns END) WITH ORDINALITY u (watched, n)
	                 GROUP BY u.watched ORDER BY min(u.n)), c.relowner
	  INTO arguments, owner
	  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = queue;

	-- Two tables that are queues of each other would fill each other without end.
	FOR step IN EXECUTE format('SELECT FROM %s._sitemap_watch_triggers($1) WHERE name IS NOT NULL LIMIT 1', schema) USING queue LOOP
		RAISE 'the queue % is watched itself', arguments[2] USING ERRCODE = 'object_not_in_prerequisite_state',
			HINT = 'Use a table that only receives keys.';
	END LOOP;

	FOR pass IN 1 .. 2 LOOP
		-- type: TRIGGER_TYPE_INSERT and others of PostgreSQL.  AFTER and STATEMENT have no bit.
		FOR step IN EXECUTE format($$
			WITH found AS MATERIALIZED (SELECT * FROM %s._sitemap_watch_triggers($1))
			SELECT * FROM (
			       SELECT DISTINCT ON (t.depth, t.relid, event.type)
			              t.depth, t.relid, c.relkind, c.relowner, event.*, old.name AS old, old.enabled, old.arguments
			         FROM (SELECT DISTINCT depth, relid FROM found) t
			         JOIN pg_class c ON c.oid = t.relid
			        CROSS JOIN (VALUES (4, 'insert', 'REFERENCING NEW TABLE AS new_rows'),
			                           (8, 'delete', 'REFERENCING OLD TABLE AS old_rows'),
			                           (16, 'update', 'REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows'),
			                           (32, 'truncate', '')) event (type, event, tables)
			         LEFT JOIN found old ON old.relid = t.relid AND old.type = event.type AND (old.queue = $3 OR old.queue IS NULL)
			              AND (old.arguments[1] = $2[1] OR NOT EXISTS (
			                   SELECT FROM pg_attribute a WHERE a.attrelid = old.relid AND a.attname = old.arguments[1]))
			        ORDER BY t.depth, t.relid, event.type, old.arguments[1] = $2[1] AND old.queue IS NOT NULL DESC, old.name) step
			 WHERE arguments IS DISTINCT FROM $2 OR relkind = 'f' OR relowner <> $4
			 ORDER BY depth, relid, type$$, schema) USING source, arguments, queue, owner
		LOOP
			IF step.relkind = 'f' THEN
				RAISE 'cannot watch the foreign table %', step.relid USING ERRCODE = 'feature_not_supported',
					DETAIL = 'Triggers with transition tables cannot see its rows.';
			ELSIF step.relowner <> owner THEN
				RAISE 'the queue % and the table % have different owners', arguments[2], step.relid
					USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Give partitions and children the owner of their parent.';
			ELSIF pass = 1 THEN
				EXECUTE format('LOCK TABLE ONLY %s IN SHARE ROW EXCLUSIVE MODE', step.relid);
				CONTINUE;
			END IF;

			name := coalesce(step.old::text, format('%s_%s_%s', (SELECT relname FROM pg_class WHERE oid = queue), key, step.event));
			-- It is too long, or another trigger has it.
			IF step.old IS NULL AND (name <> name::name::text
			   OR EXISTS (SELECT FROM pg_trigger WHERE tgrelid = step.relid AND tgname = name)) THEN
				name := format('sitemap_watch_%s_%s', step.event, to_hex(hashtextextended(arguments[1:2]::text, 0)));
			END IF;
			EXECUTE format('CREATE %s TRIGGER %I AFTER %s ON %s %s FOR EACH STATEMENT EXECUTE FUNCTION %s._sitemap_watch(%s)',
				CASE WHEN step.old IS NOT NULL THEN 'OR REPLACE' END, name, step.event, step.relid, step.tables, schema,
				(SELECT string_agg(quote_literal(a), ', ' ORDER BY n) FROM unnest(arguments) WITH ORDINALITY u (a, n)));
			-- To replace a trigger enables it.
			IF step.enabled <> 'O' THEN
				EXECUTE format('ALTER TABLE ONLY %s %s TRIGGER %I', step.relid,
					CASE step.enabled WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA' ELSE 'ENABLE ALWAYS' END, name);
			END IF;
		END LOOP;
	END LOOP;

	FOR step IN EXECUTE format($$
		SELECT relid, string_agg(format('ENABLE TRIGGER %%I', name), ', ' ORDER BY name) AS actions
		  FROM %s._sitemap_watch_triggers($1) WHERE queue = $2 AND arguments[1] = $3 AND enabled = 'D'
		 GROUP BY depth, relid ORDER BY depth, relid$$, schema) USING source, queue, key::text
	LOOP
		RAISE NOTICE 'triggers of the watched table % are disabled', step.relid
			USING HINT = format('To enable them: ALTER TABLE ONLY %s %s', step.relid, step.actions);
	END LOOP;
END
$function$;
COMMENT ON FUNCTION sitemap_watch(regclass, name, regclass, name[]) IS
'create triggers that add the keys of a table''s changed rows to a queue';

-- It drops triggers of queues that no longer exist as well.
CREATE FUNCTION sitemap_unwatch(source regclass, queue regclass)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
	schema CONSTANT text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'sitemap');
	step record;
	is_watched boolean;
BEGIN
	IF source IS NULL OR queue IS NULL THEN
		RAISE 'source and queue must not be null' USING ERRCODE = 'null_value_not_allowed';
	ELSIF NOT EXISTS (SELECT FROM pg_class WHERE oid = source) THEN
		RAISE 'the source table does not exist' USING ERRCODE = 'undefined_table';
	END IF;
	-- The first pass locks nothing if there is nothing to drop.
	FOR pass IN 1 .. 2 LOOP
		is_watched := false;
		FOR step IN EXECUTE format('SELECT * FROM %s._sitemap_watch_triggers($1) WHERE name IS NOT NULL AND (queue = $2 OR queue IS NULL)', schema)
			USING source, queue
		LOOP
			is_watched := is_watched OR step.queue IS NOT NULL;
			IF pass = 2 THEN
				EXECUTE format('DROP TRIGGER %I ON %s', step.name, step.relid);
			END IF;
		END LOOP;
		IF NOT is_watched THEN
			RAISE 'table % is not watched for the queue %', source, queue USING ERRCODE = 'undefined_object';
		END IF;
		EXIT WHEN pass = 2;
		-- As DROP TRIGGER will, with partitions and children: a weaker lock could not become this one while
		-- another session has read the table and is about to write to it.
		EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', source);
	END LOOP;
END
$function$;
COMMENT ON FUNCTION sitemap_unwatch(regclass, regclass) IS
'drop the triggers that sitemap_watch created';

-- Jobs: rows that say what to publish, and a call that publishes what is due

CREATE TYPE sitemap_job AS (
	target regclass,
	query text,
	base_url text,
	section text,
	format text,
	compression int,
	max_urls int,
	max_bytes bigint,
	split text,
	index text,
	on_invalid text,
	scope text,
	stylesheet text,
	protocol text,
	max_shrink float8,
	changes text,
	feed regclass,
	directory text,
	every interval,
	full_every interval,
	requested timestamptz,
	started timestamptz,
	since timestamptz,
	finished timestamptz,
	full_at timestamptz,
	urls bigint,
	files int,
	written int,
	missed bigint,
	skipped bigint,
	seconds float8,
	reason text,
	error text,
	failures int
);
COMMENT ON TYPE sitemap_job IS
'row of a table of jobs: what sitemap_run publishes, and how that went';

COMMENT ON COLUMN sitemap_job.target IS 'table to publish in';
COMMENT ON COLUMN sitemap_job.query IS 'rows of the section';
COMMENT ON COLUMN sitemap_job.base_url IS 'URL of the directory that the files are served from';
COMMENT ON COLUMN sitemap_job.section IS 'section of the site';
COMMENT ON COLUMN sitemap_job.format IS 'xml or txt';
COMMENT ON COLUMN sitemap_job.compression IS '0 none, 1 to 9 gzip';
COMMENT ON COLUMN sitemap_job.max_urls IS 'most URLs of a file';
COMMENT ON COLUMN sitemap_job.max_bytes IS 'most bytes of a file before compression';
COMMENT ON COLUMN sitemap_job.split IS 'full or stable';
COMMENT ON COLUMN sitemap_job.index IS 'auto, always, never or section';
COMMENT ON COLUMN sitemap_job.on_invalid IS 'error or skip';
COMMENT ON COLUMN sitemap_job.scope IS 'host, path or any';
COMMENT ON COLUMN sitemap_job.stylesheet IS 'URL of a stylesheet';
COMMENT ON COLUMN sitemap_job.protocol IS '0.9 or 0.84';
COMMENT ON COLUMN sitemap_job.max_shrink IS 'share of its URLs that the section may lose; NULL: 0.2, or 100 URLs';
COMMENT ON COLUMN sitemap_job.changes IS 'statement that returns the keys of changed pages';
COMMENT ON COLUMN sitemap_job.feed IS 'table that gets the URLs that changed';
COMMENT ON COLUMN sitemap_job.directory IS 'directory of the server to export the site to; NULL: none';
COMMENT ON COLUMN sitemap_job.every IS 'time between runs; NULL: at each call';
COMMENT ON COLUMN sitemap_job.full_every IS 'with changes, time between runs of all pages; NULL: a day';
COMMENT ON COLUMN sitemap_job.requested IS 'not NULL: run at the next call; the start of a run sets it to NULL';
COMMENT ON COLUMN sitemap_job.started IS 'when the last run began; later than finished: it runs, or did not succeed';
COMMENT ON COLUMN sitemap_job.since IS 'when the last run that published began; $1 of changes';
COMMENT ON COLUMN sitemap_job.finished IS 'when the last successful run ended';
COMMENT ON COLUMN sitemap_job.full_at IS 'when the last run of all pages ended';
COMMENT ON COLUMN sitemap_job.urls IS 'URLs of the section';
COMMENT ON COLUMN sitemap_job.files IS 'files of the section';
COMMENT ON COLUMN sitemap_job.written IS 'files that the last run wrote or deleted';
COMMENT ON COLUMN sitemap_job.missed IS 'files that the last full run changed, but changes missed; NULL: unknown';
COMMENT ON COLUMN sitemap_job.skipped IS 'rows that the last full run skipped as invalid; NULL: unknown';
COMMENT ON COLUMN sitemap_job.seconds IS 'time that the last run took';
COMMENT ON COLUMN sitemap_job.reason IS 'why the last run with changes read all pages';
COMMENT ON COLUMN sitemap_job.error IS 'last failure: message, detail, hint and where; NULL after a success';
COMMENT ON COLUMN sitemap_job.failures IS 'failures in a row';

CREATE PROCEDURE sitemap_run(jobs regclass)
AS 'MODULE_PATHNAME'
LANGUAGE C;
COMMENT ON PROCEDURE sitemap_run(regclass) IS
'run the jobs of a table that are due: publish and export';

CREATE FUNCTION sitemap_status(jobs regclass)
RETURNS TABLE (base_url text, section text, state text, urls bigint, age interval, next_run timestamptz,
	pid int, detail text)
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION sitemap_status(regclass) IS
'state of each job of a table, and what to do';

-- Audit: the problems of the rows of a query

-- Not PARALLEL SAFE: in a parallel worker, the function's query could not be parallel.
CREATE FUNCTION sitemap_audit(query text, base_url text, section text DEFAULT 'sitemap',
	format text DEFAULT 'xml', compression int DEFAULT 0, max_urls int DEFAULT 50000,
	max_bytes bigint DEFAULT 52428800, split text DEFAULT 'full', index text DEFAULT 'auto',
	on_invalid text DEFAULT 'error', scope text DEFAULT 'host', stylesheet text DEFAULT NULL,
	protocol text DEFAULT '0.9', robots text DEFAULT NULL, agents text[] DEFAULT '{Googlebot,Bingbot}')
RETURNS TABLE (row_number bigint, loc text, problem text, detail text)
AS 'MODULE_PATHNAME'
LANGUAGE C STABLE PARALLEL UNSAFE
COST 100000 ROWS 100;
COMMENT ON FUNCTION sitemap_audit(text, text, text, text, int, int, bigint, text, text, text, text, text, text, text, text[]) IS
'list every problem of the rows of a query for sitemap_files';

-- Parsing: the entries and the kind of a document

CREATE FUNCTION sitemap_parse(document bytea, max_bytes bigint DEFAULT 52428800, on_invalid text DEFAULT 'error')
RETURNS TABLE (loc text, lastmod text, changefreq text, priority float8, extensions xml[])
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE
COST 10000 ROWS 10000;
COMMENT ON FUNCTION sitemap_parse(bytea, bigint, text) IS
'entries of a sitemap, an index or a text sitemap, as rows';

CREATE FUNCTION sitemap_parse(document text, max_bytes bigint DEFAULT 52428800, on_invalid text DEFAULT 'error')
RETURNS TABLE (loc text, lastmod text, changefreq text, priority float8, extensions xml[])
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE
COST 10000 ROWS 10000;
COMMENT ON FUNCTION sitemap_parse(text, bigint, text) IS
'entries of a sitemap, an index or a text sitemap, as rows';

/*
 * The keys of an item are the parameters of its function: the name of a tag, or of a tag and an
 * attribute, as in price_currency.  A tag, item or language that must be unique but is not
 * becomes an array, and an image without a loc becomes "", so that the audit finds both.
 */
CREATE FUNCTION sitemap_columns(elements xml[])
RETURNS TABLE (images jsonb, videos jsonb, news jsonb, alternates jsonb, extensions xml[])
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1
SET search_path = pg_catalog, pg_temp
SET jit = off	-- its plan looks expensive, and is made for each entry
AS $function$
	-- XMLTABLE returns UTF-8, whatever the encoding of the database is.  quote_literal() doubles backslashes and
	-- quotes byte by byte, while replace() would look for characters of that encoding.  The cast reads backslashes as
	-- escapes.  The backslash in front makes the result always begin with E'\.
	WITH element AS MATERIALIZED (
		SELECT i, x, replace(substr(left(convert_from(quote_literal(chr(92) || hreflang)::bytea, 'UTF8'), -1), 4), '''''', '''') AS hreflang,
		       replace(substr(left(convert_from(quote_literal(chr(92) || href)::bytea, 'UTF8'), -1), 4), '''''', '''') AS href,
		       CASE uri WHEN 'http://www.google.com/schemas/sitemap-image/1.1' THEN 'image'
		                WHEN 'http://www.google.com/schemas/sitemap-video/1.1' THEN 'video'
		                WHEN 'http://www.google.com/schemas/sitemap-news/0.9' THEN 'news'
		                WHEN 'http://www.w3.org/1999/xhtml' THEN CASE WHEN hreflang IS NOT NULL THEN 'alternate' END END AS kind
		  FROM unnest(elements) WITH ORDINALITY AS extension (x, i),
		       XMLTABLE('/*' PASSING x COLUMNS uri text PATH 'namespace-uri()', hreflang text PATH '@hreflang', href text PATH '@href')),
	item AS (
		SELECT i, jsonb_object_agg(key, CASE WHEN n > 1 THEN list ELSE list -> 0 END) AS item
		  FROM (SELECT i, key, jsonb_agg(replace(substr(left(convert_from(quote_literal(chr(92) || pair.value)::bytea, 'UTF8'), -1), 4), '''''', '''')
		                                 ORDER BY place) AS list, count(*) AS n
		          FROM element,
		               XMLTABLE('/*/*' PASSING x COLUMNS place FOR ORDINALITY, tag text PATH 'local-name()', value text PATH 'self::*[not(*)]',
		                        name text PATH '*[local-name() = "name"][1]', language text PATH '*[local-name() = "language"][1]',
		                        allow_embed text PATH '@allow_embed', autoplay text PATH '@autoplay', duration text PATH '@duration',
		                        relationship text PATH '@relationship', title text PATH '@title', currency text PATH '@currency',
		                        type text PATH '@type', resolution text PATH '@resolution', info text PATH '@info'),
		               LATERAL (VALUES (tag, value), (tag || '_name', name), (tag || '_language', language), (tag || '_allow_embed', allow_embed),
		                               (tag || '_autoplay', autoplay), (tag || '_duration', duration), (tag || '_relationship', relationship),
		                               (tag || '_title', title), (tag || '_currency', currency), (tag || '_type', type),
		                               (tag || '_resolution', resolution), (tag || '_info', info)) AS pair (key, value)
		         WHERE kind <> 'alternate'
		         GROUP BY i, key HAVING count(pair.value) > 0) AS entry
		 GROUP BY i)
	SELECT jsonb_agg(CASE WHEN item ? 'loc' THEN item ELSE '""' END ORDER BY i) FILTER (WHERE kind = 'image'),
	       jsonb_agg(coalesce(item, '""') ORDER BY i) FILTER (WHERE kind = 'video'),
	       CASE count(*) FILTER (WHERE kind = 'news')
	            WHEN 1 THEN jsonb_agg(coalesce(item, '""')) FILTER (WHERE kind = 'news') -> 0
	            ELSE jsonb_agg(item ORDER BY i) FILTER (WHERE kind = 'news') END,
	       (SELECT jsonb_object_agg(hreflang, CASE WHEN n > 1 THEN list ELSE list -> 0 END)
	          FROM (SELECT hreflang, jsonb_agg(coalesce(href, '') ORDER BY i) AS list, count(*) AS n
	                  FROM element WHERE kind = 'alternate' GROUP BY hreflang) AS link),
	       array_agg(x ORDER BY i) FILTER (WHERE kind IS NULL)
	  FROM element LEFT JOIN item USING (i)
$function$;

COMMENT ON FUNCTION sitemap_columns(xml[]) IS
'extension elements as values of the columns of sitemap_files';

CREATE FUNCTION sitemap_kind(document bytea) RETURNS text
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000;
COMMENT ON FUNCTION sitemap_kind(bytea) IS
'kind of a document: urlset, index, text, or NULL for any other';

CREATE FUNCTION sitemap_kind(document text) RETURNS text
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000;
COMMENT ON FUNCTION sitemap_kind(text) IS
'kind of a document: urlset, index, text, or NULL for any other';
