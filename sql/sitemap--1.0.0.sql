/* sql/sitemap--1.0.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION sitemap" to load this file. \quit

-- Elements: each function makes a fragment of XML

CREATE FUNCTION sitemap_url(loc text, lastmod timestamptz DEFAULT NULL, changefreq text DEFAULT NULL,
	priority float8 DEFAULT NULL, extensions xml[] DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_url(text, timestamptz, text, float8, xml[]) IS
'<url> element of a page, with lastmod as an instant';

CREATE FUNCTION sitemap_url(loc text, lastmod timestamp, changefreq text DEFAULT NULL,
	priority float8 DEFAULT NULL, extensions xml[] DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_url(text, timestamp, text, float8, xml[]) IS
'<url> element of a page, with lastmod in UTC';

CREATE FUNCTION sitemap_url(loc text, lastmod date, changefreq text DEFAULT NULL,
	priority float8 DEFAULT NULL, extensions xml[] DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_url(text, date, text, float8, xml[]) IS
'<url> element of a page, with lastmod as a date';

CREATE FUNCTION sitemap_url(loc text, lastmod text, changefreq text DEFAULT NULL,
	priority float8 DEFAULT NULL, extensions xml[] DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_url(text, text, text, float8, xml[]) IS
'<url> element of a page, with lastmod as W3C text';

CREATE FUNCTION sitemap_image(loc text, caption text DEFAULT NULL, geo_location text DEFAULT NULL,
	title text DEFAULT NULL, license text DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_image(text, text, text, text, text) IS
'<image:image> element of a page, for the extensions of sitemap_url';

-- Arguments of type "any": a date can be timestamptz, timestamp, date or W3C
-- datetime as text, so none is converted in the session's TimeZone.  A flag can be
-- boolean, or text: yes or no.
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
	publication_date timestamptz, title text, access text DEFAULT NULL, genres text DEFAULT NULL,
	keywords text DEFAULT NULL, stock_tickers text DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_news(text, text, timestamptz, text, text, text, text, text) IS
'<news:news> element of a page, published at an instant';

CREATE FUNCTION sitemap_news(publication_name text, publication_language text,
	publication_date timestamp, title text, access text DEFAULT NULL, genres text DEFAULT NULL,
	keywords text DEFAULT NULL, stock_tickers text DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_news(text, text, timestamp, text, text, text, text, text) IS
'<news:news> element of a page, published at a time in UTC';

CREATE FUNCTION sitemap_news(publication_name text, publication_language text,
	publication_date date, title text, access text DEFAULT NULL, genres text DEFAULT NULL,
	keywords text DEFAULT NULL, stock_tickers text DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_news(text, text, date, text, text, text, text, text) IS
'<news:news> element of a page, published on a date';

CREATE FUNCTION sitemap_news(publication_name text, publication_language text,
	publication_date text, title text, access text DEFAULT NULL, genres text DEFAULT NULL,
	keywords text DEFAULT NULL, stock_tickers text DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_news(text, text, text, text, text, text, text, text) IS
'<news:news> element of a page, published at a time in W3C text';

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

CREATE FUNCTION _sitemap_agg_transfn(internal, text)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_agg_transfn(internal, text, timestamptz)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_agg_transfn(internal, text, timestamp)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_agg_transfn(internal, text, date)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_agg_transfn(internal, text, text)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_agg_transfn(internal, text, timestamptz, text, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_agg_transfn(internal, text, timestamp, text, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_agg_transfn(internal, text, date, text, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_agg_transfn(internal, text, text, text, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_agg_transfn(internal, xml)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_index_agg_transfn(internal, text)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_index_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_index_agg_transfn(internal, text, timestamptz)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_index_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_index_agg_transfn(internal, text, timestamp)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_index_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_index_agg_transfn(internal, text, date)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_index_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_index_agg_transfn(internal, text, text)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_index_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION _sitemap_text_agg_transfn(internal, text)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_text_agg_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;

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

CREATE AGGREGATE sitemap_agg(loc text) (
	SFUNC = _sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text) IS
'aggregate URLs into a sitemap';

CREATE AGGREGATE sitemap_agg(loc text, lastmod timestamptz) (
	SFUNC = _sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, timestamptz) IS
'aggregate URLs into a sitemap, with lastmod as an instant';

CREATE AGGREGATE sitemap_agg(loc text, lastmod timestamp) (
	SFUNC = _sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, timestamp) IS
'aggregate URLs into a sitemap, with lastmod in UTC';

CREATE AGGREGATE sitemap_agg(loc text, lastmod date) (
	SFUNC = _sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, date) IS
'aggregate URLs into a sitemap, with lastmod as a date';

CREATE AGGREGATE sitemap_agg(loc text, lastmod text) (
	SFUNC = _sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, text) IS
'aggregate URLs into a sitemap, with lastmod as W3C text';

CREATE AGGREGATE sitemap_agg(loc text, lastmod timestamptz, changefreq text, priority float8) (
	SFUNC = _sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, timestamptz, text, float8) IS
'aggregate URLs into a sitemap, with lastmod as an instant, changefreq, priority';

CREATE AGGREGATE sitemap_agg(loc text, lastmod timestamp, changefreq text, priority float8) (
	SFUNC = _sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, timestamp, text, float8) IS
'aggregate URLs into a sitemap, with lastmod in UTC, changefreq, priority';

CREATE AGGREGATE sitemap_agg(loc text, lastmod date, changefreq text, priority float8) (
	SFUNC = _sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, date, text, float8) IS
'aggregate URLs into a sitemap, with lastmod as a date, changefreq, priority';

CREATE AGGREGATE sitemap_agg(loc text, lastmod text, changefreq text, priority float8) (
	SFUNC = _sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, text, text, float8) IS
'aggregate URLs into a sitemap, with lastmod as W3C text, changefreq, priority';

CREATE AGGREGATE sitemap_agg(url xml) (
	SFUNC = _sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(xml) IS
'aggregate <url> elements of sitemap_url into a sitemap';

CREATE AGGREGATE sitemap_index_agg(loc text) (
	SFUNC = _sitemap_index_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_index_agg(text) IS
'aggregate URLs of sitemaps into a sitemap index';

CREATE AGGREGATE sitemap_index_agg(loc text, lastmod timestamptz) (
	SFUNC = _sitemap_index_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_index_agg(text, timestamptz) IS
'aggregate URLs of sitemaps into a sitemap index, with lastmod as an instant';

CREATE AGGREGATE sitemap_index_agg(loc text, lastmod timestamp) (
	SFUNC = _sitemap_index_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_index_agg(text, timestamp) IS
'aggregate URLs of sitemaps into a sitemap index, with lastmod in UTC';

CREATE AGGREGATE sitemap_index_agg(loc text, lastmod date) (
	SFUNC = _sitemap_index_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_index_agg(text, date) IS
'aggregate URLs of sitemaps into a sitemap index, with lastmod as a date';

CREATE AGGREGATE sitemap_index_agg(loc text, lastmod text) (
	SFUNC = _sitemap_index_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_index_agg(text, text) IS
'aggregate URLs of sitemaps into a sitemap index, with lastmod as W3C text';

CREATE AGGREGATE sitemap_text_agg(loc text) (
	SFUNC = _sitemap_text_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = _sitemap_agg_finalfn,
	COMBINEFUNC = _sitemap_agg_combine,
	SERIALFUNC = _sitemap_agg_serialize,
	DESERIALFUNC = _sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_text_agg(text) IS
'aggregate URLs into a text sitemap, one on each line';

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
	feed regclass DEFAULT NULL)
RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint)
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE
COST 100000 ROWS 100;
COMMENT ON FUNCTION sitemap_publish(regclass, text, text, text, text, int, int, bigint, text, text, text, text, text, text, float8, text, regclass) IS
'make the files of a section from a query, and publish them in a table';

-- The same for sitemap_run: a summary instead of the files
CREATE FUNCTION _sitemap_publish(target regclass, query text, base_url text, section text DEFAULT NULL,
	format text DEFAULT NULL, compression int DEFAULT NULL, max_urls int DEFAULT NULL,
	max_bytes bigint DEFAULT NULL, split text DEFAULT NULL, index text DEFAULT NULL,
	on_invalid text DEFAULT NULL, scope text DEFAULT NULL, stylesheet text DEFAULT NULL,
	protocol text DEFAULT NULL, max_shrink float8 DEFAULT NULL, changes text DEFAULT NULL,
	feed regclass DEFAULT NULL, reads_all bool DEFAULT false,
	OUT written int, OUT urls bigint, OUT files int, OUT reason text)
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE
COST 100000;
COMMENT ON FUNCTION _sitemap_publish(regclass, text, text, text, text, int, int, bigint, text, text, text, text, text, text, float8, text, regclass, bool) IS
'publish a section for sitemap_run';

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

CREATE FUNCTION _sitemap_watch_check(source regclass, key name, queue regclass, columns name[])
RETURNS void
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION _sitemap_watch_check(regclass, name, regclass, name[]) IS
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
	step record;			-- a column of the queue; a trigger to create, or to replace if "old" has its name
	name text;
BEGIN
	EXECUTE format('SELECT %s._sitemap_watch_check($1, $2, $3, $4)', schema) USING source, key, queue, columns;
	SELECT ARRAY[key::text, format('%I.%I', n.nspname, c.relname)]
	       || ARRAY(SELECT u.watched::text FROM unnest(CASE WHEN columns = '{}' THEN ARRAY[key] ELSE columns END) WITH ORDINALITY u (watched, n)
	                 GROUP BY u.watched ORDER BY min(u.n)), c.relowner
	  INTO arguments, owner
	  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = queue;

	-- The queue must take NULL, which stands for all keys, and the defaults of its other columns.  The
	-- catalog says whether a domain is NOT NULL.  To evaluate its CHECK or a default would run the
	-- owner's functions as the caller.
	FOR step IN
		SELECT a.attname, a.attnum = min(a.attnum) OVER () AS is_key,
		       a.atthasdef OR a.attidentity <> '' OR t.typdefault IS NOT NULL AS has_default,
		       a.attnotnull OR EXISTS (
		         WITH RECURSIVE base (type) AS (
		           SELECT t.oid
		            UNION
		           SELECT d.typbasetype FROM base JOIN pg_type d ON d.oid = base.type)
		         SELECT FROM base JOIN pg_type d ON d.oid = base.type WHERE d.typnotnull) AS is_strict,
		       (SELECT min(k.conname) FROM pg_constraint k WHERE k.conrelid = queue AND k.contype = 'f' AND a.attnum = ANY (k.conkey)) AS reference
		  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = queue AND a.attnum > 0
	LOOP
		IF step.is_strict AND (step.is_key OR NOT step.has_default) THEN
			RAISE 'column "%" of the queue % is NOT NULL', step.attname, arguments[2] USING ERRCODE = 'object_not_in_prerequisite_state',
				DETAIL = 'Keys are added to the first column, NULL for all keys. Other columns get their defaults.';
		ELSIF step.is_key AND step.reference IS NOT NULL THEN
			RAISE 'column "%" of the queue % has a foreign key, "%"', step.attname, arguments[2], step.reference
				USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'The keys of deleted rows are added as well, which it would refuse.', HINT = 'Drop the foreign key.';
		END IF;
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
	finished timestamptz,
	full_at timestamptz,
	exported timestamptz,
	urls bigint,
	files int,
	written int,
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
COMMENT ON COLUMN sitemap_job.index IS 'auto, always or never';
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
COMMENT ON COLUMN sitemap_job.requested IS 'later than started: run soon';
COMMENT ON COLUMN sitemap_job.started IS 'when the last run began; later than finished: it runs, or did not succeed';
COMMENT ON COLUMN sitemap_job.finished IS 'when the last successful run ended';
COMMENT ON COLUMN sitemap_job.full_at IS 'when the last run of all pages ended';
COMMENT ON COLUMN sitemap_job.exported IS 'when the site was exported; NULL: it is due; -infinity: it did not end';
COMMENT ON COLUMN sitemap_job.urls IS 'URLs of the section';
COMMENT ON COLUMN sitemap_job.files IS 'files of the section';
COMMENT ON COLUMN sitemap_job.written IS 'files that the last run wrote or deleted';
COMMENT ON COLUMN sitemap_job.seconds IS 'time that the last run took';
COMMENT ON COLUMN sitemap_job.reason IS 'why the last run with changes read all pages';
COMMENT ON COLUMN sitemap_job.error IS 'last failure: message, detail, hint and where; NULL after a success';
COMMENT ON COLUMN sitemap_job.failures IS 'failures in a row';

/*
 * A call makes a list of steps: run a job, or export a site.  First come exports that earlier
 * calls have left, then the due jobs, the one with the oldest start first, and after the last
 * due job of a site its export.  A step has one or two actions, each in a transaction of its
 * own:
 *
 *	start	lock the row of the job, and set "started".  A row that is locked is passed over.
 *			If the attempt before has no result, it is counted as a failure.
 *	run		lock the row again, publish, and record the success.
 *	mark	before an export that an earlier call left, set "exported" to -infinity.  If the
 *			export kills the session, the next call does not begin with it.
 *	export	lock the rows of the site's jobs, export, and record the success.
 *
 * Several calls share the jobs.  So "start" passes over a job that another call has started,
 * ended or exported since the list was made, and "run" looks whether "started" is still what
 * this call has set.
 *
 * An error undoes the action.  The whole transaction is rolled back, not only what is in the
 * block with EXCEPTION: after a lost connection to a foreign server it could not be committed.
 * Then the failure is recorded.  The call goes on, unless a cancel request or a timeout of
 * this session is the error.  A session that is killed records nothing, nor does a COMMIT that
 * fails: "started" is later than "finished" then, and "error" NULL or with the line that "start"
 * has added.
 *
 * The jobs run with the rights and the search_path of the caller, who owns the table.  A
 * procedure that commits cannot have a search_path of its own.  So functions are qualified.
 * Operators are not: PostgreSQL prefers those of pg_catalog, unless the owner's search_path
 * names another schema first.
 */
CREATE PROCEDURE sitemap_run(jobs regclass)
LANGUAGE plpgsql
AS $procedure$
DECLARE
	relid CONSTANT oid := jobs;
	schema CONSTANT text := (SELECT extnamespace::regnamespace FROM pg_catalog.pg_extension WHERE extname = 'sitemap');

	-- Has the interval %2$s passed since the time %1$s?  Yes if there is no time, or one in the future: the clock was set back.
	passed CONSTANT text := $$
		(%1$s > pg_catalog.clock_timestamp() - least(greatest(%2$s, interval '0'), interval '1000 years')
		 AND %1$s <= pg_catalog.clock_timestamp()) IS NOT TRUE$$;
	-- After the third failure in a row, a job waits 2 minutes, then 4, 8, ..., at most an hour.
	wait CONSTANT text := $$least(pg_catalog.make_interval(mins => 1 << (least(%1$s, 8) - 2)), interval '1 hour')$$;

	-- "failures" after one more.
	counted CONSTANT text := 'least(greatest(failures, 0), 2147483646) + 1';
	-- The error of an attempt without a result; the line that an error gets when the next attempt begins.
	no_result CONSTANT text := 'The last run ended without a result: its session was ended, or its COMMIT failed.';
	again CONSTANT text := E'\nThe job has started again since.';

	-- Conditions on the row of a job.  Is a run due?
	run_due CONSTANT text := pg_catalog.format($$
		(finished IS NULL OR started > finished OR requested > coalesce(started, '-infinity')
		 OR failures > 0 OR exported = '-infinity' OR %s)
		AND (coalesce(failures, 0) < 3 OR %s)$$,
		pg_catalog.format(passed, 'finished', 'every'),
		pg_catalog.format(passed, 'started', pg_catalog.format(wait, 'failures')));
	-- Shall it read all rows?
	full_due CONSTANT text := 'changes IS NULL OR ' || pg_catalog.format(passed, 'full_at', $$coalesce(full_every, interval '1 day')$$);
	-- Is an export due?
	export_due CONSTANT text := pg_catalog.format(passed, 'exported', $$coalesce(full_every, interval '1 day')$$);

	step record;			-- a job to run, by base_url and section; or an export, by base_url, target and directory
	action text;
	attempt timestamptz;	-- when the action began; for "run", the value of "started"
	sections text[];		-- the jobs of the action, which a failure is recorded for
	job record;				-- the row of a job; for an export, what the rows of the site say
	published record;
	updated boolean;
	failed int := 0;		-- number of jobs

	state text;				-- SQLSTATE of an error, NULL for none
	message text;
	detail text;
	hint text;
	stack text;				-- its context
	error text;				-- what is recorded of it
BEGIN
	-- Refuse what cannot work, before anything is done.
	IF jobs IS NULL THEN
		RAISE 'jobs must not be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	SELECT c.relkind, pg_catalog.pg_get_userbyid(c.relowner) AS owner INTO job
	  FROM pg_catalog.pg_class c WHERE c.oid = relid;
	IF NOT FOUND THEN
		RAISE 'the table of jobs does not exist' USING ERRCODE = 'undefined_table';
	END IF;
	hint := 'Create the table with CREATE TABLE ... OF sitemap_job (PRIMARY KEY (base_url, section)).';
	IF job.relkind NOT IN ('r', 'p') THEN
		RAISE '% is not a table', jobs USING ERRCODE = 'wrong_object_type', HINT = hint;
	END IF;
	IF job.owner OPERATOR(pg_catalog.<>) current_user THEN
		RAISE 'must be owner of table %', jobs USING ERRCODE = 'insufficient_privilege',
			DETAIL = pg_catalog.format('Jobs run with the rights of the caller. The current user is %I, the owner is %I.', current_user, job.owner),
			HINT = pg_catalog.format('Schedule the call as the owner, with pg_cron: SELECT cron.schedule_in_database(''sitemap'', ''* * * * *'', %L, %L, username => %L). For an owner that cannot log in: ALTER ROLE scheduler SET role = %I.',
				pg_catalog.format('CALL %s.sitemap_run(%L)', schema, jobs), pg_catalog.current_database(), job.owner, job.owner);
	END IF;
	IF pg_catalog.row_security_active(relid) THEN
		RAISE 'row security applies to the owner of the table of jobs %', jobs USING ERRCODE = 'feature_not_supported';
	END IF;
	-- The table needs all columns of the type sitemap_job; more are welcome.
	SELECT a.attname, pg_catalog.format_type(a.atttypid, NULL) AS type INTO job
	  FROM pg_catalog.pg_attribute a
	 WHERE a.attrelid = (schema || '.sitemap_job')::regclass::oid
	   AND NOT EXISTS (SELECT FROM pg_catalog.pg_attribute b
	                    WHERE b.attrelid = relid AND b.attname = a.attname AND b.atttypid = a.atttypid)
	 ORDER BY a.attnum LIMIT 1;
	IF FOUND THEN
		RAISE 'the table of jobs % has no column "%" of type %', jobs, job.attname, job.type USING ERRCODE = 'undefined_column', HINT = hint;
	END IF;
	IF NOT EXISTS (SELECT FROM pg_catalog.pg_constraint c
	                WHERE c.conrelid = relid AND c.contype = 'p'
	                  AND (SELECT pg_catalog.string_agg(a.attname::text, ' ' ORDER BY a.attname) FROM pg_catalog.pg_attribute a
	                        WHERE a.attrelid = relid AND a.attnum = ANY (c.conkey)) = 'base_url section') THEN
		RAISE 'the table of jobs % has no primary key of base_url and section', jobs
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = hint;
	END IF;
	IF pg_catalog.current_setting('transaction_read_only') = 'on' THEN
		RAISE 'cannot execute sitemap_run() in a read-only transaction' USING ERRCODE = 'read_only_sql_transaction';
	END IF;
	-- In a transaction block and in a function, a procedure cannot commit; say so clearly.  In a block with EXCEPTION
	-- it cannot either, but then PostgreSQL has another message.  If messages are translated, the COMMIT below fails.
	BEGIN
		COMMIT;
	EXCEPTION WHEN invalid_transaction_termination THEN
		IF SQLERRM = 'invalid transaction termination' THEN
			RAISE 'sitemap_run() cannot run inside a transaction block or a function' USING ERRCODE = 'invalid_transaction_termination',
				DETAIL = 'It commits after each job.', HINT = 'Send CALL as a statement of its own, with autocommit.';
		END IF;
	END;

	COMMIT;
	-- Other levels would raise errors when several calls share the jobs.  AND CHAIN keeps this one.
	SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

	-- The list.  A due job has a place from 1; its site is exported at the place of its last job,
	-- and a site without due jobs at 0.
	<<steps>>
	FOR step IN EXECUTE pg_catalog.format($$
		WITH job AS (
			SELECT base_url, section, target::oid AS target, directory, started, finished, exported, failures,
			       %2$s AS due, %4$s AS reads_all
			  FROM %1$s
			 WHERE %2$s OR directory IS NOT NULL AND finished IS NOT NULL AND coalesce(failures, 0) = 0 AND %3$s),
		placed AS (
			SELECT *, CASE WHEN due THEN pg_catalog.row_number() OVER (ORDER BY
			              CASE WHEN started <= pg_catalog.clock_timestamp() THEN started END NULLS FIRST, base_url, section) ELSE 0 END AS place
			  FROM job)
		SELECT place, base_url, section, started, finished, exported, failures, reads_all, NULL::oid AS target, NULL AS directory
		  FROM placed WHERE due
		 UNION ALL
		SELECT pg_catalog.max(place), base_url, NULL, NULL, NULL, NULL, NULL, NULL, target, directory
		  FROM placed WHERE directory IS NOT NULL AND target IS NOT NULL GROUP BY base_url, target, directory
		 ORDER BY place, section NULLS LAST$$, jobs, run_due, export_due, full_due)
	LOOP
		sections := ARRAY[step.section];
		<<actions>>
		FOREACH action IN ARRAY CASE
			WHEN step.section IS NOT NULL THEN ARRAY['start', 'run']
			WHEN step.place > 0 THEN ARRAY['export']
			ELSE ARRAY['mark', 'export'] END
		LOOP
			COMMIT AND CHAIN;
			-- Somebody can have changed the table meanwhile, and a job the role of the session.  The
			-- function waits for an uncommitted ALTER TABLE, after which the table has a new name or owner.
			PERFORM pg_catalog.pg_relation_size(jobs);
			IF NOT EXISTS (SELECT FROM pg_catalog.pg_class c
			                WHERE c.oid = relid AND pg_catalog.pg_get_userbyid(c.relowner) OPERATOR(pg_catalog.=) current_user) THEN
				RAISE 'must be owner of table %', jobs USING ERRCODE = 'insufficient_privilege',
					DETAIL = 'The table was dropped, or its owner or the current user has changed during the call.';
			END IF;
			IF action <> 'run' THEN
				attempt := pg_catalog.clock_timestamp();
			END IF;
			state := NULL;

			BEGIN
				CASE action
				WHEN 'start' THEN
					EXECUTE pg_catalog.format($$
						SELECT base_url FROM %s
						 WHERE base_url = $1 AND section = $2
						   AND started IS NOT DISTINCT FROM $3 AND finished IS NOT DISTINCT FROM $4
						   AND exported IS NOT DISTINCT FROM $5 AND failures IS NOT DISTINCT FROM $6
						   FOR NO KEY UPDATE SKIP LOCKED$$, jobs)
					   INTO job USING step.base_url, step.section, step.started, step.finished, step.exported, step.failures;
					-- Locked, deleted, or no longer as in the list.
					EXIT actions WHEN job.base_url IS NULL;
					-- A crash of the server may lose this, so do not wait for the disk.
					SET LOCAL synchronous_commit = off;
					-- Here and below, STRICT makes a trigger that prevents the UPDATE an error.
					EXECUTE pg_catalog.format($$
						UPDATE %1$s
						   SET started = $3, failures = CASE WHEN %2$s THEN %3$s ELSE failures END,
						       error = CASE WHEN %2$s THEN $4 ELSE pg_catalog.replace(error, $5, '') END || $5
						 WHERE base_url = $1 AND section = $2 RETURNING started$$,
						jobs, $$started > coalesce(finished, '-infinity') AND coalesce(error, $5) LIKE '%' || $5$$, counted)
					   INTO STRICT attempt USING step.base_url, step.section, attempt, no_result, again;

				WHEN 'run' THEN
					EXECUTE pg_catalog.format($$
						SELECT * FROM %s WHERE base_url = $1 AND section = $2 AND started IS NOT DISTINCT FROM $3
						   FOR NO KEY UPDATE$$, jobs)
					   INTO job USING step.base_url, step.section, attempt;
					-- Deleted, or started by another call.
					EXIT actions WHEN job.base_url IS NULL;
					EXECUTE pg_catalog.format($$
						SELECT * FROM %s._sitemap_publish($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)$$, schema)
					   INTO published
					  USING job.target, job.query, job.base_url, job.section, job.format, job.compression, job.max_urls, job.max_bytes,
					        job.split, job.index, job.on_invalid, job.scope, job.stylesheet, job.protocol, job.max_shrink, job.changes,
					        job.feed, step.reads_all;
					job.finished := greatest(pg_catalog.clock_timestamp(), job.started);
					IF step.reads_all OR published.reason IS NOT NULL THEN
						job.full_at := job.finished;
					END IF;
					IF published.written > 0 AND job.exported > '-infinity' THEN
						job.exported := NULL;
					END IF;
					-- While an export is due, the error can be that of an earlier export.
					IF job.directory IS NULL OR job.exported > '-infinity' THEN
						job.error := NULL;
						job.failures := 0;
					END IF;
					EXECUTE pg_catalog.format($$
						UPDATE %s SET finished = $3, full_at = $4, exported = $5, urls = $6, files = $7, written = $8, seconds = $9,
						       reason = $10, error = $11, failures = $12 WHERE base_url = $1 AND section = $2 RETURNING true$$, jobs)
					   INTO STRICT updated
					  USING step.base_url, step.section, job.finished, job.full_at, job.exported, published.urls, published.files,
					        published.written, EXTRACT(epoch FROM job.finished - job.started)::float8, published.reason, job.error,
					        coalesce(job.failures, 0);

				WHEN 'mark' THEN
					EXECUTE pg_catalog.format($$
						UPDATE %1$s SET exported = '-infinity' WHERE (base_url, section) IN
						       (SELECT base_url, section FROM %1$s WHERE base_url = $1 AND target::oid = $2 AND directory = $3 AND %2$s
						           FOR NO KEY UPDATE SKIP LOCKED)$$, jobs, export_due) USING step.base_url, step.target, step.directory;

				WHEN 'export' THEN
					-- An error of the export is none of a job whose last run failed.
					EXECUTE pg_catalog.format($$
						SELECT pg_catalog.bool_or(%2$s) AS due, pg_catalog.array_agg(section) AS sections,
						       EXISTS (SELECT FROM %1$s j JOIN pg_catalog.pg_class c ON c.oid = j.target WHERE j.base_url = $1 AND c.oid <> $2
						                  AND pg_catalog.rtrim(j.directory, '/') = pg_catalog.rtrim($3, '/')) AS is_divided,
						       coalesce(pg_catalog.array_agg(section) FILTER (WHERE finished >= coalesce(started, finished)), '{}') AS succeeded
						  FROM (SELECT * FROM %1$s WHERE base_url = $1 AND target::oid = $2 AND directory = $3 AND finished IS NOT NULL
						           FOR NO KEY UPDATE SKIP LOCKED) job$$, jobs, export_due)
					   INTO job USING step.base_url, step.target, step.directory;
					-- Another call has exported the site, or does.
					EXIT actions WHEN job.due IS NOT TRUE;
					sections := job.succeeded;
					IF job.is_divided THEN
						RAISE 'the site has several targets for one directory' USING ERRCODE = 'invalid_parameter_value',
							DETAIL = 'The export of a target would remove the files of the others.', HINT = 'Give the jobs of the site the same target.';
					END IF;
					IF NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = step.target) THEN
						RAISE 'the target table does not exist' USING ERRCODE = 'undefined_table';
					END IF;
					-- Only if no section has files, an export without files is no mistake.
					EXECUTE pg_catalog.format($$
						SELECT pg_catalog.count(*)
						  FROM %2$s.sitemap_export($2, $3, (SELECT CASE WHEN pg_catalog.bool_and(coalesce(files, 1) = 0) THEN $1 END
						                                       FROM %1$s WHERE base_url = $1))$$, jobs, schema)
					  USING step.base_url, step.directory,
					        pg_catalog.format('SELECT * FROM %s WHERE base_url = %L', step.target::regclass, step.base_url);
					EXECUTE pg_catalog.format($$
						UPDATE %s
						   SET exported = pg_catalog.clock_timestamp(), error = CASE WHEN started > finished THEN error END,
						       failures = CASE WHEN started > finished THEN failures ELSE 0 END
						 WHERE base_url = $1 AND section = ANY ($2)$$, jobs)
					  USING step.base_url, job.sections;
				END CASE;
				-- Check deferred constraints here: at the commit, an error could not be recorded.
				SET CONSTRAINTS ALL IMMEDIATE;
			EXCEPTION WHEN query_canceled OR assert_failure OR others THEN	-- "others" leaves out the first two
				GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
					hint = PG_EXCEPTION_HINT, stack = PG_EXCEPTION_CONTEXT;
			END;
			CONTINUE actions WHEN state IS NULL;

			ROLLBACK AND CHAIN;
			BEGIN
				-- Another session exports to the directory: leave the export to the next call, without the mark.
				IF action = 'export' AND state = '55006' THEN
					EXECUTE pg_catalog.format($$
						UPDATE %s SET exported = NULL WHERE base_url = $1 AND section = ANY ($2) AND exported = '-infinity'$$, jobs)
					  USING step.base_url, job.sections;
					EXIT actions;
				END IF;

				-- Record the failure: what the error says, and in what it arose.
				failed := failed + greatest(pg_catalog.cardinality(sections), 1);
				error := pg_catalog.concat_ws(E'\n', message, nullif(detail, ''), nullif(hint, ''),
					CASE action WHEN 'export' THEN pg_catalog.format('in the export to directory "%s"', step.directory)
					ELSE pg_catalog.substring(stack, '(?n)^(after \d+ rows? of the query|in the (?:query|statement of changes|target ".*"))$') END);
				RAISE WARNING '% of % failed: %', CASE action WHEN 'export' THEN 'export' ELSE pg_catalog.format('job of section "%s"', step.section) END,
					step.base_url, error USING ERRCODE = state;
				-- Not if another call has started the job since this attempt.
				EXECUTE pg_catalog.format($$
					UPDATE %1$s
					   SET failures = %3$s, exported = nullif(exported, '-infinity'),
					       error = $4 || CASE WHEN coalesce(failures, 0) < 2 THEN '' ELSE pg_catalog.format(
					           E'\nThis was failure %%s in a row. The job waits until %%s. To try at once: UPDATE %%s SET failures = 0 WHERE base_url = %%L AND section = %%L',
					           %3$s, (started + %2$s)::timestamptz(0), $5, base_url, section) END
					 WHERE base_url = $1 AND section = ANY ($2)
					   AND (started > $3 AND started <= pg_catalog.clock_timestamp()) IS NOT TRUE$$, jobs, pg_catalog.format(wait, counted), counted)
				  USING step.base_url, sections, attempt, error, jobs;
				SET CONSTRAINTS ALL IMMEDIATE;
			EXCEPTION WHEN query_canceled OR assert_failure OR others THEN
				RAISE WARNING 'could not record this failure: %', SQLERRM USING ERRCODE = SQLSTATE;
				-- The record waited for the row of the job until it was canceled, or until a timeout.
				IF SQLSTATE = '57014' THEN
					RAISE;
				END IF;
			END;

			-- A cancel request or a timeout of this session ends the call.  To a cancellation that a
			-- statement raised or a foreign server reported, the functions add this line.
			IF state = '57014' AND stack !~ '(?n)^not a cancel request or timeout of this session$' THEN
				COMMIT;
				RAISE USING ERRCODE = state, MESSAGE = message, DETAIL = 'The jobs that were due after this one have not run.';
			END IF;
			EXIT actions;
		END LOOP;
	END LOOP;

	COMMIT;
	IF failed > 0 THEN
		RAISE USING ERRCODE = 'object_not_in_prerequisite_state',
			MESSAGE = pg_catalog.format(CASE failed WHEN 1 THEN '%s job failed' ELSE '%s jobs failed' END, failed),
			DETAIL = 'All other jobs that were due have run.',
			HINT = pg_catalog.format('The columns "error" and "failures" of the table %s say more.', jobs);
	END IF;
END
$procedure$;
COMMENT ON PROCEDURE sitemap_run(regclass) IS
'run the jobs of a table that are due: publish and export';

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
