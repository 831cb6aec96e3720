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
	feed regclass DEFAULT NULL,
	OUT written int, OUT urls bigint, OUT files int, OUT reason text)
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE
COST 100000;
COMMENT ON FUNCTION _sitemap_publish(regclass, text, text, text, text, int, int, bigint, text, text, text, text, text, text, float8, text, regclass) IS
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

CREATE FUNCTION sitemap_watch(source regclass, key name, queue regclass, columns name[] DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION sitemap_watch(regclass, name, regclass, name[]) IS
'create triggers that add the keys of a table''s changed rows to a queue';

CREATE FUNCTION sitemap_unwatch(source regclass, queue regclass)
RETURNS void
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
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
COMMENT ON COLUMN sitemap_job.started IS 'when the last run began';
COMMENT ON COLUMN sitemap_job.finished IS 'when the last successful run ended';
COMMENT ON COLUMN sitemap_job.full_at IS 'when the last run of all pages ended';
COMMENT ON COLUMN sitemap_job.exported IS 'when the site was exported; NULL: an export is due';
COMMENT ON COLUMN sitemap_job.urls IS 'URLs of the section';
COMMENT ON COLUMN sitemap_job.files IS 'files of the section';
COMMENT ON COLUMN sitemap_job.written IS 'files that the last run wrote or deleted';
COMMENT ON COLUMN sitemap_job.seconds IS 'time that the last run took';
COMMENT ON COLUMN sitemap_job.reason IS 'why the last run with changes read all pages';
COMMENT ON COLUMN sitemap_job.error IS 'message and detail of the last failure; NULL after a success';
COMMENT ON COLUMN sitemap_job.failures IS 'failures in a row';

CREATE PROCEDURE sitemap_run(jobs regclass)
AS 'MODULE_PATHNAME'
LANGUAGE C;
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
