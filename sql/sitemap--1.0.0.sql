/* sql/sitemap--1.0.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION sitemap" to load this file. \quit

-- Elements: one row, one fragment of XML

CREATE FUNCTION sitemap_url(loc text, lastmod timestamptz DEFAULT NULL, changefreq text DEFAULT NULL,
	priority float8 DEFAULT NULL, extensions xml[] DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME', 'sitemap_url_timestamp'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_url(text, timestamptz, text, float8, xml[]) IS
'one <url> element of a sitemap: the page''s absolute URL, when it last changed (the instant in UTC), how often it changes, its priority from 0.0 to 1.0, and extension elements; what is NULL is left out';

CREATE FUNCTION sitemap_url(loc text, lastmod timestamp, changefreq text DEFAULT NULL,
	priority float8 DEFAULT NULL, extensions xml[] DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME', 'sitemap_url_timestamp'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_url(text, timestamp, text, float8, xml[]) IS
'one <url> element of a sitemap: the page''s absolute URL, when it last changed (the timestamp, read as UTC), how often it changes, its priority from 0.0 to 1.0, and extension elements; what is NULL is left out';

CREATE FUNCTION sitemap_url(loc text, lastmod date, changefreq text DEFAULT NULL,
	priority float8 DEFAULT NULL, extensions xml[] DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME', 'sitemap_url_date'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_url(text, date, text, float8, xml[]) IS
'one <url> element of a sitemap: the page''s absolute URL, when it last changed (the date), how often it changes, its priority from 0.0 to 1.0, and extension elements; what is NULL is left out';

CREATE FUNCTION sitemap_url(loc text, lastmod text, changefreq text DEFAULT NULL,
	priority float8 DEFAULT NULL, extensions xml[] DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME', 'sitemap_url_text'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_url(text, text, text, float8, xml[]) IS
'one <url> element of a sitemap: the page''s absolute URL, when it last changed (the W3C datetime), how often it changes, its priority from 0.0 to 1.0, and extension elements; what is NULL is left out';

CREATE FUNCTION sitemap_image(loc text, caption text DEFAULT NULL, geo_location text DEFAULT NULL,
	title text DEFAULT NULL, license text DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_image(text, text, text, text, text) IS
'an <image:image> element, for the extensions of sitemap_url; a page can have 1,000';

-- "any": a date is a timestamptz, timestamp, date or W3C datetime, so that the
-- session's TimeZone has no part in it; a flag is a boolean, or yes or no.
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
'a <video:video> element, for the extensions of sitemap_url: content_loc or player_loc is required, durations are in seconds; the elements in the order of the schema, then their attributes, those of an array as an array beside it';

CREATE FUNCTION sitemap_news(publication_name text, publication_language text,
	publication_date timestamptz, title text, access text DEFAULT NULL, genres text DEFAULT NULL,
	keywords text DEFAULT NULL, stock_tickers text DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME', 'sitemap_news_timestamp'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_news(text, text, timestamptz, text, text, text, text, text) IS
'a <news:news> element, for the extensions of sitemap_url, with its publication date (the instant in UTC); a page can have one, and a sitemap with news 1,000 URLs';

CREATE FUNCTION sitemap_news(publication_name text, publication_language text,
	publication_date timestamp, title text, access text DEFAULT NULL, genres text DEFAULT NULL,
	keywords text DEFAULT NULL, stock_tickers text DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME', 'sitemap_news_timestamp'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_news(text, text, timestamp, text, text, text, text, text) IS
'a <news:news> element, for the extensions of sitemap_url, with its publication date (the timestamp, read as UTC); a page can have one, and a sitemap with news 1,000 URLs';

CREATE FUNCTION sitemap_news(publication_name text, publication_language text,
	publication_date date, title text, access text DEFAULT NULL, genres text DEFAULT NULL,
	keywords text DEFAULT NULL, stock_tickers text DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME', 'sitemap_news_date'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_news(text, text, date, text, text, text, text, text) IS
'a <news:news> element, for the extensions of sitemap_url, with its publication date (the date); a page can have one, and a sitemap with news 1,000 URLs';

CREATE FUNCTION sitemap_news(publication_name text, publication_language text,
	publication_date text, title text, access text DEFAULT NULL, genres text DEFAULT NULL,
	keywords text DEFAULT NULL, stock_tickers text DEFAULT NULL)
RETURNS xml
AS 'MODULE_PATHNAME', 'sitemap_news_text'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_news(text, text, text, text, text, text, text, text) IS
'a <news:news> element, for the extensions of sitemap_url, with its publication date (the W3C datetime); a page can have one, and a sitemap with news 1,000 URLs';

CREATE FUNCTION sitemap_alternate(hreflang text, href text)
RETURNS xml
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_alternate(text, text) IS
'an <xhtml:link> element, for the extensions of sitemap_url: the page in another language, or in its own, or x-default';

CREATE FUNCTION sitemap_alternates(hrefs jsonb)
RETURNS xml[]
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_alternates(jsonb) IS
'<xhtml:link> elements, for the extensions of sitemap_url, from an object of language codes and URLs; a null URL is left out';

-- Aggregates: rows, one document

CREATE FUNCTION sitemap_agg_transfn(internal, text)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_agg_transfn(internal, text) IS 'support function of sitemap_agg: takes in one row';

CREATE FUNCTION sitemap_agg_transfn(internal, text, timestamptz)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_timestamp_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_agg_transfn(internal, text, timestamptz) IS 'support function of sitemap_agg: takes in one row';

CREATE FUNCTION sitemap_agg_transfn(internal, text, timestamp)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_timestamp_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_agg_transfn(internal, text, timestamp) IS 'support function of sitemap_agg: takes in one row';

CREATE FUNCTION sitemap_agg_transfn(internal, text, date)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_date_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_agg_transfn(internal, text, date) IS 'support function of sitemap_agg: takes in one row';

CREATE FUNCTION sitemap_agg_transfn(internal, text, text)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_text_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_agg_transfn(internal, text, text) IS 'support function of sitemap_agg: takes in one row';

CREATE FUNCTION sitemap_agg_transfn(internal, text, timestamptz, text, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_timestamp_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_agg_transfn(internal, text, timestamptz, text, float8) IS 'support function of sitemap_agg: takes in one row';

CREATE FUNCTION sitemap_agg_transfn(internal, text, timestamp, text, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_timestamp_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_agg_transfn(internal, text, timestamp, text, float8) IS 'support function of sitemap_agg: takes in one row';

CREATE FUNCTION sitemap_agg_transfn(internal, text, date, text, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_date_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_agg_transfn(internal, text, date, text, float8) IS 'support function of sitemap_agg: takes in one row';

CREATE FUNCTION sitemap_agg_transfn(internal, text, text, text, float8)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_text_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_agg_transfn(internal, text, text, text, float8) IS 'support function of sitemap_agg: takes in one row';

CREATE FUNCTION sitemap_agg_transfn(internal, xml)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_agg_url_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_agg_transfn(internal, xml) IS 'support function of sitemap_agg: takes in one row';

CREATE FUNCTION sitemap_index_agg_transfn(internal, text)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_index_agg_transfn(internal, text) IS 'support function of sitemap_index_agg: takes in one row';

CREATE FUNCTION sitemap_index_agg_transfn(internal, text, timestamptz)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_index_agg_timestamp_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_index_agg_transfn(internal, text, timestamptz) IS 'support function of sitemap_index_agg: takes in one row';

CREATE FUNCTION sitemap_index_agg_transfn(internal, text, timestamp)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_index_agg_timestamp_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_index_agg_transfn(internal, text, timestamp) IS 'support function of sitemap_index_agg: takes in one row';

CREATE FUNCTION sitemap_index_agg_transfn(internal, text, date)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_index_agg_date_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_index_agg_transfn(internal, text, date) IS 'support function of sitemap_index_agg: takes in one row';

CREATE FUNCTION sitemap_index_agg_transfn(internal, text, text)
RETURNS internal
AS 'MODULE_PATHNAME', 'sitemap_index_agg_text_transfn'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_index_agg_transfn(internal, text, text) IS 'support function of sitemap_index_agg: takes in one row';

CREATE FUNCTION sitemap_text_agg_transfn(internal, text)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_text_agg_transfn(internal, text) IS 'support function of sitemap_text_agg: takes in one row';

CREATE FUNCTION sitemap_agg_combine(internal, internal)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_agg_combine(internal, internal) IS 'support function of the sitemap aggregates: joins the rows of two workers';

CREATE FUNCTION sitemap_agg_serialize(internal)
RETURNS bytea
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_agg_serialize(internal) IS 'support function of the sitemap aggregates: packs what one worker has, to be sent';

CREATE FUNCTION sitemap_agg_deserialize(bytea, internal)
RETURNS internal
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_agg_deserialize(bytea, internal) IS 'support function of the sitemap aggregates: unpacks what serialize has packed';

CREATE FUNCTION sitemap_agg_finalfn(internal)
RETURNS text
AS 'MODULE_PATHNAME'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sitemap_agg_finalfn(internal) IS 'support function of the sitemap aggregates: makes the document';

CREATE AGGREGATE sitemap_agg(loc text) (
	SFUNC = sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text) IS
'a sitemap of up to 50,000 URLs and 52,428,800 bytes, one line of XML; NULL of no rows, an error beyond that; from the pages'' absolute URLs';

CREATE AGGREGATE sitemap_agg(loc text, lastmod timestamptz) (
	SFUNC = sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, timestamptz) IS
'a sitemap of up to 50,000 URLs and 52,428,800 bytes, one line of XML; NULL of no rows, an error beyond that; from the pages'' URLs and when they last changed (the instant in UTC)';

CREATE AGGREGATE sitemap_agg(loc text, lastmod timestamp) (
	SFUNC = sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, timestamp) IS
'a sitemap of up to 50,000 URLs and 52,428,800 bytes, one line of XML; NULL of no rows, an error beyond that; from the pages'' URLs and when they last changed (the timestamp, read as UTC)';

CREATE AGGREGATE sitemap_agg(loc text, lastmod date) (
	SFUNC = sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, date) IS
'a sitemap of up to 50,000 URLs and 52,428,800 bytes, one line of XML; NULL of no rows, an error beyond that; from the pages'' URLs and when they last changed (the date)';

CREATE AGGREGATE sitemap_agg(loc text, lastmod text) (
	SFUNC = sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, text) IS
'a sitemap of up to 50,000 URLs and 52,428,800 bytes, one line of XML; NULL of no rows, an error beyond that; from the pages'' URLs and when they last changed (the W3C datetime)';

CREATE AGGREGATE sitemap_agg(loc text, lastmod timestamptz, changefreq text, priority float8) (
	SFUNC = sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, timestamptz, text, float8) IS
'a sitemap of up to 50,000 URLs and 52,428,800 bytes, one line of XML; NULL of no rows, an error beyond that; from the pages'' URLs, when they last changed (the instant in UTC), how often they change, and their priorities';

CREATE AGGREGATE sitemap_agg(loc text, lastmod timestamp, changefreq text, priority float8) (
	SFUNC = sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, timestamp, text, float8) IS
'a sitemap of up to 50,000 URLs and 52,428,800 bytes, one line of XML; NULL of no rows, an error beyond that; from the pages'' URLs, when they last changed (the timestamp, read as UTC), how often they change, and their priorities';

CREATE AGGREGATE sitemap_agg(loc text, lastmod date, changefreq text, priority float8) (
	SFUNC = sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, date, text, float8) IS
'a sitemap of up to 50,000 URLs and 52,428,800 bytes, one line of XML; NULL of no rows, an error beyond that; from the pages'' URLs, when they last changed (the date), how often they change, and their priorities';

CREATE AGGREGATE sitemap_agg(loc text, lastmod text, changefreq text, priority float8) (
	SFUNC = sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(text, text, text, float8) IS
'a sitemap of up to 50,000 URLs and 52,428,800 bytes, one line of XML; NULL of no rows, an error beyond that; from the pages'' URLs, when they last changed (the W3C datetime), how often they change, and their priorities';

CREATE AGGREGATE sitemap_agg(url xml) (
	SFUNC = sitemap_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_agg(xml) IS
'a sitemap of up to 50,000 URLs, 1,000 where there are news, and 52,428,800 bytes, one line of XML; NULL of no rows, an error beyond that; from <url> elements as sitemap_url makes them; it declares the namespaces that they use';

CREATE AGGREGATE sitemap_index_agg(loc text) (
	SFUNC = sitemap_index_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_index_agg(text) IS
'a sitemap index of up to 50,000 sitemaps, one line of XML; NULL of no rows, an error beyond that; from the sitemaps'' absolute URLs';

CREATE AGGREGATE sitemap_index_agg(loc text, lastmod timestamptz) (
	SFUNC = sitemap_index_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_index_agg(text, timestamptz) IS
'a sitemap index of up to 50,000 sitemaps, one line of XML; NULL of no rows, an error beyond that; from the sitemaps'' URLs and when they last changed (the instant in UTC)';

CREATE AGGREGATE sitemap_index_agg(loc text, lastmod timestamp) (
	SFUNC = sitemap_index_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_index_agg(text, timestamp) IS
'a sitemap index of up to 50,000 sitemaps, one line of XML; NULL of no rows, an error beyond that; from the sitemaps'' URLs and when they last changed (the timestamp, read as UTC)';

CREATE AGGREGATE sitemap_index_agg(loc text, lastmod date) (
	SFUNC = sitemap_index_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_index_agg(text, date) IS
'a sitemap index of up to 50,000 sitemaps, one line of XML; NULL of no rows, an error beyond that; from the sitemaps'' URLs and when they last changed (the date)';

CREATE AGGREGATE sitemap_index_agg(loc text, lastmod text) (
	SFUNC = sitemap_index_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_index_agg(text, text) IS
'a sitemap index of up to 50,000 sitemaps, one line of XML; NULL of no rows, an error beyond that; from the sitemaps'' URLs and when they last changed (the W3C datetime)';

CREATE AGGREGATE sitemap_text_agg(loc text) (
	SFUNC = sitemap_text_agg_transfn,
	STYPE = internal,
	SSPACE = 65536,
	FINALFUNC = sitemap_agg_finalfn,
	COMBINEFUNC = sitemap_agg_combine,
	SERIALFUNC = sitemap_agg_serialize,
	DESERIALFUNC = sitemap_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sitemap_text_agg(text) IS
'a text sitemap of up to 50,000 URLs, a line each; NULL of no rows, an error beyond that';

-- Whole sets: a query, every file

CREATE TYPE sitemap_file AS (
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
	content bytea
);
COMMENT ON TYPE sitemap_file IS
'a file of a set of sitemaps: the set''s section, the file''s name, its kind (urlset, text or index), its URL, the newest lastmod in it, how many URLs or sitemaps it lists, its bytes before compression, a digest of those, and what to write into it';

-- Not PARALLEL SAFE, so that its query can use parallel workers.
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
'every file of a set of sitemaps, the index last, from the rows of a query with columns loc, lastmod, changefreq, priority, extensions, or url; base_url is the URL of the directory that the files will be served from';

CREATE FUNCTION sitemap_publish(target regclass, query text, base_url text, section text DEFAULT 'sitemap',
	format text DEFAULT 'xml', compression int DEFAULT 6, max_urls int DEFAULT 50000,
	max_bytes bigint DEFAULT 52428800, split text DEFAULT 'stable', index text DEFAULT 'auto',
	on_invalid text DEFAULT 'error', scope text DEFAULT 'host', stylesheet text DEFAULT NULL,
	protocol text DEFAULT '0.9', max_shrink float8 DEFAULT 0.5, changes text DEFAULT NULL)
RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint)
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE
COST 100000 ROWS 100;
COMMENT ON FUNCTION sitemap_publish(regclass, text, text, text, text, int, int, bigint, text, text, text, text, text, text, float8, text) IS
'bring a table of sitemap files up to date with a query, for one section';

CREATE FUNCTION sitemap_publish_index(target regclass, base_url text, stylesheet text DEFAULT NULL,
	protocol text DEFAULT '0.9')
RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint)
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE
COST 10000 ROWS 1;
COMMENT ON FUNCTION sitemap_publish_index(regclass, text, text, text) IS
'bring the index in a table of sitemap files up to date with what the table has';

-- Out of the database: the files in a directory of the server

CREATE FUNCTION sitemap_export(directory text, files text)
RETURNS TABLE (name text, action text, byte_count bigint)
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE
COST 100000 ROWS 100;
COMMENT ON FUNCTION sitemap_export(text, text) IS
'make a directory of the server, given by its absolute path, hold the files of a query with columns name and content, those of kind index last; replaces files of these names, and removes of all others only what it wrote before; says what it did with each file (created, updated, unchanged or deleted) and its bytes; takes the privileges of pg_write_server_files, and no ROLLBACK undoes it';
REVOKE ALL ON FUNCTION sitemap_export(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sitemap_export(text, text) TO pg_write_server_files;

-- Looking at what you have: what is wrong with the rows of a query

-- Not PARALLEL SAFE, so that its query can use parallel workers.
CREATE FUNCTION sitemap_audit(query text, base_url text, section text DEFAULT 'sitemap',
	format text DEFAULT 'xml', compression int DEFAULT 0, max_urls int DEFAULT 50000,
	max_bytes bigint DEFAULT 52428800, split text DEFAULT 'full', index text DEFAULT 'auto',
	on_invalid text DEFAULT 'error', scope text DEFAULT 'host', stylesheet text DEFAULT NULL,
	protocol text DEFAULT '0.9',
	robots text DEFAULT NULL, agents text[] DEFAULT '{Googlebot,Bingbot}')
RETURNS TABLE (row_number bigint, loc text, problem text, detail text)
AS 'MODULE_PATHNAME'
LANGUAGE C STABLE PARALLEL UNSAFE
COST 100000 ROWS 100;
COMMENT ON FUNCTION sitemap_audit(text, text, text, text, int, int, bigint, text, text, text, text, text, text,
	text, text[]) IS
'every problem of every row of a query for sitemap_files';

-- And back: a document, its entries and its kind

CREATE FUNCTION sitemap_parse(document bytea, max_bytes bigint DEFAULT 52428800, on_invalid text DEFAULT 'error')
RETURNS TABLE (loc text, lastmod text, changefreq text, priority float8, extensions xml[])
AS 'MODULE_PATHNAME', 'sitemap_parse_bytea'
LANGUAGE C IMMUTABLE PARALLEL SAFE
COST 10000 ROWS 10000;
COMMENT ON FUNCTION sitemap_parse(bytea, bigint, text) IS
'entries of a sitemap, an index, a text sitemap or a feed, as rows';

CREATE FUNCTION sitemap_parse(document text, max_bytes bigint DEFAULT 52428800, on_invalid text DEFAULT 'error')
RETURNS TABLE (loc text, lastmod text, changefreq text, priority float8, extensions xml[])
AS 'MODULE_PATHNAME', 'sitemap_parse_text'
LANGUAGE C IMMUTABLE PARALLEL SAFE
COST 10000 ROWS 10000;
COMMENT ON FUNCTION sitemap_parse(text, bigint, text) IS
'entries of a sitemap, an index, a text sitemap or a feed, as rows';

CREATE FUNCTION sitemap_kind(document bytea) RETURNS text
AS 'MODULE_PATHNAME', 'sitemap_kind_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000;
COMMENT ON FUNCTION sitemap_kind(bytea) IS
'kind of a document: urlset, index, text, rss, atom, or NULL for any other';

CREATE FUNCTION sitemap_kind(document text) RETURNS text
AS 'MODULE_PATHNAME', 'sitemap_kind_text'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000;
COMMENT ON FUNCTION sitemap_kind(text) IS
'kind of a document: urlset, index, text, rss, atom, or NULL for any other';
