-- The database that dump.pl dumps, restores and upgrades.  Whatever can have
-- an expression or a type in it has one of the extension, whose schema has a name
-- that needs quotes.  Queries in text form qualify their names, as pg_dump and
-- REFRESH have no search_path.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
CREATE SCHEMA "Site maps";
CREATE EXTENSION sitemap SCHEMA "Site maps";
GRANT USAGE ON SCHEMA "Site maps" TO webmaster;
REVOKE EXECUTE ON FUNCTION "Site maps".sitemap_export(text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "Site maps".sitemap_export(text, text, text) TO webmaster;
CREATE SCHEMA site;
SET search_path = site, "Site maps";

-- SQL-standard bodies: IMMUTABLE for what follows, and the functions that no view may call.
CREATE FUNCTION picture(path text) RETURNS text
IMMUTABLE
BEGIN ATOMIC
  SELECT sitemap_image('https://www.example.com' || path || '.jpg', title => 'Tom & Jerry')::text;
END;
CREATE FUNCTION entries(document text) RETURNS bigint
IMMUTABLE
RETURN (SELECT count(*) FROM sitemap_parse(document) WHERE sitemap_kind(document) IS NOT NULL);
CREATE FUNCTION publish(target regclass)
RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint)
BEGIN ATOMIC
  SELECT *
    FROM sitemap_publish(target, 'SELECT path AS loc, changed AS lastmod FROM site.page ORDER BY id',
                         'https://www.example.com/', max_urls => 20)
   UNION ALL
  SELECT *
    FROM sitemap_publish(target, 'SELECT path AS loc, changed AS lastmod FROM site.page ORDER BY id',
                         'https://www.example.com/', section => 'list', format => 'txt', split => 'full',
                         compression => 0, max_urls => 35);
END;
CREATE FUNCTION publish_index(target regclass) RETURNS bigint
BEGIN ATOMIC
  SELECT count(*) FROM sitemap_publish_index(target, 'https://www.example.com/');
END;
CREATE FUNCTION export(directory text) RETURNS bigint
BEGIN ATOMIC
  SELECT count(*) FROM sitemap_export(directory, 'SELECT name, kind, content FROM site.typed');
END;
CREATE FUNCTION files_of(prefix text) RETURNS SETOF sitemap_file
STABLE
BEGIN ATOMIC
  SELECT * FROM sitemap_files(format('SELECT path AS loc FROM site.page WHERE path LIKE %L ORDER BY id', prefix || '%'),
                              'https://www.example.com/');
END;
CREATE FUNCTION refuse() RETURNS trigger
LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;

CREATE DOMAIN url AS text CHECK (sitemap_url(VALUE) IS NOT NULL);

CREATE TABLE page (
	id int PRIMARY KEY,
	path text NOT NULL,
	changed timestamptz,
	picture text GENERATED ALWAYS AS (picture(path)) STORED,
	entry xml GENERATED ALWAYS AS (
		sitemap_url('https://www.example.com' || path, changed, 'weekly', 0.5,
		            ARRAY[sitemap_image('https://www.example.com' || path || '.jpg'), sitemap_alternate('de', 'https://www.example.com/de' || path)])) STORED,
	CHECK (sitemap_url('https://www.example.com' || path, changefreq => 'daily') IS NOT NULL),
	EXCLUDE USING btree ((sitemap_url('https://www.example.com' || path)::text) WITH =)
);
CREATE INDEX page_function ON page (picture(path));
CREATE INDEX page_expression ON page ((sitemap_url('https://www.example.com' || path, changed)::text)) WHERE entries('https://www.example.com' || path) = 1;
CREATE STATISTICS page_statistics ON (sitemap_url('https://www.example.com' || path)::text), id FROM page;

CREATE TABLE log (
	id int GENERATED ALWAYS AS IDENTITY,
	loc url DEFAULT 'https://www.example.com/',
	entry text DEFAULT sitemap_url('https://www.example.com/', date '2026-01-02')::text
);
CREATE RULE log AS ON UPDATE TO page
DO ALSO INSERT INTO log (loc, entry)
   VALUES ('https://www.example.com' || new.path, sitemap_alternate('de', 'https://www.example.com/de' || new.path)::text);
ALTER TABLE log ENABLE ROW LEVEL SECURITY;
CREATE POLICY valid ON log USING (sitemap_url(loc) IS NOT NULL) WITH CHECK (sitemap_image(loc) IS NOT NULL);

-- By an expression of the extension.
CREATE TABLE parted (path text) PARTITION BY HASH ((sitemap_url('https://www.example.com' || path)::text));
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);

-- Targets of every kind.
CREATE TABLE typed OF sitemap_file (PRIMARY KEY (base_url, name));
ALTER TABLE typed ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE TRIGGER loc BEFORE INSERT OR UPDATE ON typed
FOR EACH ROW WHEN (sitemap_url(NEW.loc) IS NULL) EXECUTE FUNCTION refuse();
CREATE TABLE plain (LIKE sitemap_file, note text DEFAULT 'ours', PRIMARY KEY (base_url, name));
CREATE TABLE partitioned OF sitemap_file (PRIMARY KEY (base_url, name)) PARTITION BY HASH (name);
CREATE TABLE partitioned_0 PARTITION OF partitioned FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE partitioned_1 PARTITION OF partitioned FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE parent (LIKE sitemap_file);
CREATE TABLE inherited (shop int DEFAULT 7, PRIMARY KEY (base_url, name)) INHERITS (parent);
CREATE VIEW target AS
VALUES ('typed'::regclass), ('plain'::regclass), ('partitioned'::regclass), ('inherited'::regclass);

-- A table that is watched, and jobs.
CREATE TABLE watched (id int PRIMARY KEY, title text);
CREATE TABLE queue (id int);
SELECT sitemap_watch('watched', 'id', 'queue', '{title}');
CREATE FUNCTION watch() RETURNS void BEGIN ATOMIC
  SELECT sitemap_watch('watched', 'id', 'queue', '{title}');
  SELECT sitemap_unwatch('watched', 'queue');
END;
CREATE TABLE job OF sitemap_job (section WITH OPTIONS DEFAULT 'sitemap', PRIMARY KEY (base_url, section));
CREATE VIEW job_status AS SELECT * FROM sitemap_status('job');

-- The row type as a column, in an array and in a composite type.
CREATE TYPE version AS (number int, file sitemap_file);
CREATE TABLE archive (file sitemap_file, files sitemap_file[], version version);

-- Views of every function, with every overload.
CREATE VIEW element AS
SELECT p.id,
       sitemap_encode(p.path) AS segment,
       sitemap_url('https://www.example.com/', p.changed) AS url_timestamptz,
       sitemap_url('https://www.example.com/', p.changed AT TIME ZONE 'UTC', 'daily') AS url_timestamp,
       sitemap_url('https://www.example.com/', (p.changed AT TIME ZONE 'UTC')::date, priority => 0.7) AS url_date,
       sitemap_url('https://www.example.com/', '2026-01', extensions => sitemap_alternates('{"de": "https://www.example.com/de"}')) AS url_text,
       sitemap_image('https://www.example.com/1.jpg', 'Caption', 'Kyoto', 'Title', 'https://www.example.com/licence') AS image,
       sitemap_video('https://www.example.com/1.jpg', 'Title', 'Text', 'https://www.example.com/1.mp4',
                     duration => 60, rating => 4.5, publication_date => date '2026-01-02',
                     expiration_date => p.changed, tag => '{a,b}', family_friendly => true, live => 'no',
                     price => '{1.5}', price_currency => '{EUR}') AS video,
       sitemap_news('Times', 'en', p.changed, 'Title') AS news_timestamptz,
       sitemap_news('Times', 'en', p.changed AT TIME ZONE 'UTC', 'Title') AS news_timestamp,
       sitemap_news('Times', 'en', (p.changed AT TIME ZONE 'UTC')::date, 'Title') AS news_date,
       sitemap_news('Times', 'en', '2026-01-02', 'Title', keywords => 'a, b') AS news_text,
       sitemap_alternate('x-default', 'https://www.example.com/') AS alternate
  FROM page p;
CREATE VIEW document AS
SELECT id % 3 AS shop,
       sitemap_agg(loc ORDER BY id) AS urls,
       sitemap_agg(loc, changed ORDER BY id) AS urls_timestamptz,
       sitemap_agg(loc, utc ORDER BY id) AS urls_timestamp,
       sitemap_agg(loc, utc::date ORDER BY id) AS urls_date,
       sitemap_agg(loc, '2026'::text ORDER BY id) AS urls_text,
       sitemap_agg(loc, changed, 'daily', 0.1 ORDER BY id) AS all_timestamptz,
       sitemap_agg(loc, utc, 'daily', 0.1 ORDER BY id) AS all_timestamp,
       sitemap_agg(loc, utc::date, 'daily', 0.1 ORDER BY id) AS all_date,
       sitemap_agg(loc, '2026'::text, 'daily', 0.1 ORDER BY id) AS all_text,
       sitemap_agg(entry ORDER BY id) FILTER (WHERE id > 5) AS elements,
       sitemap_index_agg(loc ORDER BY id) AS index,
       sitemap_index_agg(loc, changed ORDER BY id) AS index_timestamptz,
       sitemap_index_agg(loc, utc ORDER BY id) AS index_timestamp,
       sitemap_index_agg(loc, utc::date ORDER BY id) AS index_date,
       sitemap_index_agg(loc, '2026'::text ORDER BY id) AS index_text,
       sitemap_text_agg(loc ORDER BY id) AS text
  FROM (SELECT *, 'https://www.example.com' || path AS loc, changed AT TIME ZONE 'UTC' AS utc FROM page) p
 GROUP BY id % 3;
CREATE VIEW files AS
SELECT f.*
  FROM sitemap_files('SELECT path AS loc, changed AS lastmod FROM site.page ORDER BY id', 'https://www.example.com/',
                     max_urls => 20, split => 'stable', stylesheet => '/sitemap.css') f;
CREATE VIEW image_file AS
SELECT f AS file
  FROM sitemap_files($$
         SELECT path AS loc, array_agg("Site maps".sitemap_image('https://www.example.com' || path)) AS extensions
           FROM site.page GROUP BY id ORDER BY id$$, 'https://www.example.com/', compression => 9) f;
CREATE VIEW problem AS
SELECT * FROM sitemap_audit($$SELECT CASE id WHEN 2 THEN '/1' ELSE path END AS loc,
                                     CASE id WHEN 3 THEN 'often' END AS changefreq
                                FROM site.page ORDER BY id$$, 'https://www.example.com/');
CREATE VIEW entry AS
SELECT t.name, p.loc, p.lastmod
  FROM typed t CROSS JOIN LATERAL sitemap_parse(t.content) p
 WHERE t.kind = 'text' AND sitemap_kind(t.content) = 'text';
CREATE VIEW line AS
SELECT d.shop, p.*
  FROM document d CROSS JOIN LATERAL sitemap_parse(d.text, on_invalid => 'skip') p;

-- The same once more, with data of their own.  One reads another.
CREATE MATERIALIZED VIEW m_element AS TABLE element;
CREATE MATERIALIZED VIEW m_document AS TABLE document;
CREATE MATERIALIZED VIEW m_files AS TABLE files;
CREATE UNIQUE INDEX ON m_files (name);
CREATE MATERIALIZED VIEW m_image_file AS TABLE image_file;
CREATE MATERIALIZED VIEW m_problem AS TABLE problem;
CREATE MATERIALIZED VIEW m_entry AS TABLE entry;
CREATE MATERIALIZED VIEW a_line AS
SELECT shop, p.loc, c.images FROM m_document d CROSS JOIN LATERAL sitemap_parse(d.text) p LEFT JOIN LATERAL sitemap_columns(p.extensions) c ON true;
CREATE INDEX ON a_line ((sitemap_url(loc)::text));
CREATE MATERIALIZED VIEW empty AS TABLE files WITH NO DATA;

INSERT INTO page
SELECT n, '/' || n, timestamptz '2026-01-01 00:00:00.25+00' + n * interval '1 hour' FROM generate_series(1, 50) n;
UPDATE page SET path = '/ümlaut' WHERE id = 50;
INSERT INTO parted SELECT path FROM page;
INSERT INTO log DEFAULT VALUES;
SELECT count(*) FROM target, publish(column1);
INSERT INTO archive SELECT f, ARRAY[f, f], ROW(1, f)::version FROM (SELECT t::sitemap_file AS f FROM typed t) t;
REFRESH MATERIALIZED VIEW m_element;
REFRESH MATERIALIZED VIEW m_document;
REFRESH MATERIALIZED VIEW m_files;
REFRESH MATERIALIZED VIEW m_image_file;
REFRESH MATERIALIZED VIEW m_problem;
REFRESH MATERIALIZED VIEW m_entry;
REFRESH MATERIALIZED VIEW a_line;
