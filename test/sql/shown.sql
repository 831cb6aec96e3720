-- Column "shown": the lastmod of a page is the time of the run that first saw it as it
-- is shown now.  test/t/publish_shown.pl has a model of the rules.

\set VERBOSITY terse
SET client_min_messages = warning;
SET TimeZone = 'UTC';

CREATE TABLE page (id int PRIMARY KEY, path text, title text, body text, changed timestamptz, visits int DEFAULT 0);
INSERT INTO page
SELECT n, '/page/' || n, 'title ' || n, 'text', '2020-01-01 00:00Z'::timestamptz + n * interval '1 day'
  FROM generate_series(1, 6) n;
CREATE TABLE files OF sitemap_file (PRIMARY KEY (base_url, name));

-- "at" is the time of a run: at least a second after the section's files.
CREATE FUNCTION publish(query text, changes text DEFAULT NULL, max_urls int DEFAULT NULL, at text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
  UPDATE files SET lastmod = at::timestamptz - interval '1 second' WHERE kind <> 'index' AND at IS NOT NULL;
  SELECT string_agg(action, ' ' ORDER BY kind, name)
    FROM sitemap_publish('files', query, 'https://www.example.com/', changes => changes, max_urls => max_urls, max_shrink => 1)
$$;
CREATE VIEW published AS
SELECT replace(p.loc, 'https://www.example.com', '') AS loc, p.lastmod
  FROM files f, sitemap_parse(f.content) p
 WHERE f.kind = 'urlset' ORDER BY f.first_key::int, p.loc;

\set silent 'SELECT path AS loc, id AS key, concat_ws(chr(10), title, body) AS shown FROM public.page ORDER BY id'
\set spoken 'SELECT path AS loc, changed AS lastmod, id AS key, concat_ws(chr(10), title, body) AS shown FROM public.page ORDER BY id'

-- Without a column lastmod, nobody knows when the pages of the first run changed.
SELECT publish(:'silent');
TABLE published;
SELECT name, first_key, length(shown), shown IS NULL AS is_null FROM files ORDER BY kind DESC;

-- What is shown changes; what is not shown changes; a page is new; a page goes.
UPDATE page SET title = 'other' WHERE id = 2;
UPDATE page SET visits = visits + 1, changed = now();
INSERT INTO page VALUES (7, '/page/7', 'new', 'text', '2021-01-01');
DELETE FROM page WHERE id = 4;
SELECT publish(:'silent', at => '2040-01-01');
TABLE published;

-- An import that touches every row writes nothing.
CREATE TABLE version AS SELECT ctid AS place, xmin AS writer, name FROM files;
UPDATE page SET visits = visits + 1, changed = now();
SELECT publish(:'silent');
SELECT count(*) FROM files f JOIN version USING (name) WHERE f.ctid = place AND f.xmin::text = writer::text;

-- A page that changes back has changed again; a page that comes back is new.
UPDATE page SET title = 'title 2' WHERE id = 2;
INSERT INTO page VALUES (4, '/page/4', 'title 4', 'text', '2021-01-01');
SELECT publish(:'silent', at => '2040-01-02');
TABLE published;

-- Each run has a row in the progress view.
\set progress 'SELECT path AS loc, id AS key, title AS shown FROM public.page WHERE (SELECT count(*) FROM pg_stat_progress_copy WHERE pid = pg_backend_pid()) = 1 ORDER BY id'
BEGIN;
SELECT publish(:'progress');
SELECT pg_stat_clear_snapshot();
SELECT publish(:'progress');
SELECT sum(url_count) FROM files WHERE kind = 'urlset';
ROLLBACK;

-- The file's own lastmod, and so the index's, is not before the pages'.
SELECT kind, lastmod FROM files ORDER BY kind DESC;

-- Two runs within a second have two times, and no time is in the past of another, even
-- though these are years ahead of the clock.
UPDATE page SET title = 'a' WHERE id = 1;
SELECT publish(:'silent');
UPDATE page SET title = 'b' WHERE id = 2;
SELECT publish(:'silent');
UPDATE page SET title = 'c' WHERE id = 1;
SELECT publish(:'silent');
TABLE published;

-- Another query, and another option, keep the times.  Each page is in a file of its own.
SELECT publish(:'silent' || ' LIMIT 100', NULL, 1);
TABLE published;
SELECT publish(:'silent', NULL, 3);
TABLE published;

-- So does a key of a wider type.  A key of another order begins anew.
SELECT publish('SELECT path AS loc, id::bigint AS key, concat_ws(chr(10), title, body) AS shown FROM public.page ORDER BY id');
SELECT count(lastmod) FROM published;
SELECT publish('SELECT path AS loc, id::text COLLATE "C" AS key, concat_ws(chr(10), title, body) AS shown FROM public.page ORDER BY key');
SELECT count(lastmod) FROM published;
DELETE FROM files;

-- With a column lastmod, that is the first word.
UPDATE page SET changed = '2020-01-01 00:00Z'::timestamptz + id * interval '1 day';
SELECT publish(:'spoken');
TABLE published;
UPDATE page SET title = 'title ' || id, changed = '2022-02-02';
UPDATE page SET changed = NULL WHERE id = 2;
INSERT INTO page VALUES (8, '/page/8', 'new', 'text', '2021-01-01'), (9, '/page/9', 'new', 'text', NULL);
SELECT publish(:'spoken', at => '2040-02-01');
TABLE published;

-- NULL: the query's lastmod, as long as it is NULL; after it, a first word.
SELECT publish(replace(:'spoken', 'concat_ws(chr(10), title, body)', 'CASE WHEN id <> 1 THEN concat_ws(chr(10), title, body) END'), at => '2040-02-02');
SELECT * FROM published LIMIT 2;
UPDATE page SET changed = '2022-03-03' WHERE id = 1;
SELECT publish(replace(:'spoken', 'concat_ws(chr(10), title, body)', 'CASE WHEN id <> 1 THEN concat_ws(chr(10), title, body) END'));
SELECT * FROM published LIMIT 2;
UPDATE page SET changed = '2022-04-04' WHERE id = 1;
SELECT publish(:'spoken');
SELECT * FROM published LIMIT 2;

-- All pages untracked: as without the column, though the states are there.
SELECT publish('SELECT path AS loc, changed AS lastmod, id AS key, NULL AS shown FROM public.page ORDER BY id');
SELECT * FROM published LIMIT 3;
SELECT name, length(shown) FROM files ORDER BY kind DESC;

-- The column is left out again, and added: a first run.
SELECT publish('SELECT path AS loc, changed AS lastmod, id AS key FROM public.page ORDER BY id');
SELECT name, length(shown) FROM files ORDER BY kind DESC;
SELECT publish(:'silent', at => '2040-02-03');
TABLE published;
SELECT publish('SELECT path AS loc, id AS key FROM public.page ORDER BY id');
SELECT name, length(shown) FROM files ORDER BY kind DESC;

-- A section that was emptied begins anew.
SELECT publish(:'silent');
UPDATE page SET title = 'last' WHERE id = 1;
SELECT publish(:'silent', at => '2040-03-01');
SELECT * FROM published LIMIT 2;
SELECT publish(:'silent' || ' LIMIT 0');
SELECT publish(:'silent');
SELECT * FROM published LIMIT 2;

-- Text, and the same bytes; other types of strings.
SELECT publish('SELECT path AS loc, id AS key, title AS shown FROM public.page ORDER BY id');
SELECT publish('SELECT path AS loc, id AS key, title::bytea AS shown FROM public.page ORDER BY id');
SELECT publish('SELECT path AS loc, id AS key, title::varchar AS shown FROM public.page ORDER BY id');
SELECT publish('SELECT path AS loc, id AS key, title::name AS shown FROM public.page ORDER BY id');

-- What a page shows does not depend on the session, nor on where the site is.
\set timed 'SELECT path AS loc, id AS key, concat_ws(chr(10), title, changed, float8 ''0.1'', interval ''1 day 2 hours'', ''\x61''::bytea, current_setting(''lc_numeric''), current_setting(''lc_time'')) AS shown FROM public.page ORDER BY id'
SELECT publish(:'timed', at => '2040-03-01 12:00');
SET TimeZone = 'Asia/Tokyo';
SET DateStyle = 'German, DMY';
SET IntervalStyle = 'iso_8601';
SET extra_float_digits = 0;
SET bytea_output = 'escape';
SET lc_numeric = 'POSIX';
SET lc_time = 'POSIX';
SELECT publish(:'timed');
SHOW TimeZone;
RESET ALL;
SET client_min_messages = warning;
SET TimeZone = 'UTC';
UPDATE page SET title = 'changed' WHERE id = 3;
SELECT publish(:'timed', at => '2040-03-02');
UPDATE files SET base_url = 'https://example.org/new/', loc = 'https://example.org/new/' || name;
SELECT string_agg(action, ' ' ORDER BY kind, name)
  FROM sitemap_publish('files', :'timed', 'https://example.org/new/');
TABLE published;
DELETE FROM files;

-- With changes, and with a feed: only what is shown counts.
CREATE TABLE change (id int);
CREATE TABLE feed OF sitemap_change;
CREATE FUNCTION publish_changes(at text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
  UPDATE files SET lastmod = at::timestamptz - interval '1 second' WHERE kind <> 'index' AND at IS NOT NULL;
  SELECT string_agg(action, ' ' ORDER BY kind, name)
    FROM sitemap_publish('files', 'SELECT path AS loc, id AS key, title AS shown FROM public.page ORDER BY id', 'https://www.example.com/',
                         max_urls => 2, changes => 'DELETE FROM public.change RETURNING id', feed => 'feed')
$$;
SELECT publish_changes();
UPDATE page SET visits = 0 WHERE id = 5;
INSERT INTO change VALUES (5);
SELECT publish_changes('2040-04-01');
UPDATE page SET title = 'news' WHERE id = 9;
INSERT INTO change VALUES (9), (5);
SELECT publish_changes();
TABLE published;
SELECT loc, action, lastmod FROM feed ORDER BY loc;

-- States that were cut or forged count as none: nobody is hurt.
UPDATE files SET shown = substr(shown, 1, 40) WHERE kind <> 'index';
SELECT publish_changes();
INSERT INTO change VALUES (NULL);
SELECT publish_changes();
SELECT count(lastmod) FROM published;
UPDATE files SET shown = overlay(shown PLACING '\x00' FROM 20) WHERE kind <> 'index';
INSERT INTO change VALUES (NULL);
SELECT publish_changes();
-- Values that are too long for the states of a file are not even read.
UPDATE files SET url_count = 0, shown = decode(repeat('00', 20000000), 'hex') WHERE kind <> 'index';
SET temp_file_limit = '10MB';
INSERT INTO change VALUES (NULL);
SELECT publish_changes();
RESET temp_file_limit;
UPDATE files SET shown = '' WHERE kind <> 'index';
INSERT INTO change VALUES (NULL);
SELECT publish_changes();
UPDATE files SET shown = NULL WHERE kind <> 'index';
INSERT INTO change VALUES (NULL);
SELECT publish_changes();
SELECT name, length(shown) FROM files WHERE kind <> 'index' ORDER BY first_key::int;
-- first keys that are no numbers, and that are equal
UPDATE files SET first_key = 'x' WHERE kind <> 'index';
SELECT publish_changes();
UPDATE files SET first_key = '1' WHERE kind <> 'index';
SELECT publish_changes();
SELECT count(lastmod) FROM published;

-- A lastmod must be an instant that fits into a state.
SELECT publish('SELECT path AS loc, ''infinity''::timestamptz AS lastmod, id AS key, title AS shown FROM public.page ORDER BY id');
SELECT publish('SELECT path AS loc, ''1970-01-01''::date AS lastmod, id AS key, title AS shown FROM public.page ORDER BY id');
SELECT publish('SELECT path AS loc, ''2106-02-08''::date AS lastmod, id AS key, title AS shown FROM public.page ORDER BY id');
SELECT publish('SELECT path AS loc, ''2106-02-07T06:28:16Z'' AS lastmod, id AS key, title AS shown FROM public.page ORDER BY id');
DELETE FROM files;
SELECT publish('SELECT path AS loc, CASE id WHEN 1 THEN ''1970-01-01T00:00:01Z'' WHEN 2 THEN ''2106-02-07T06:28:15Z'' WHEN 3 THEN ''2020'' WHEN 4 THEN ''2020-06-01T12:00:00.5+02:00'' END AS lastmod, id AS key, title AS shown FROM public.page ORDER BY id');
SELECT * FROM published LIMIT 5;
-- A date as text is written once, as an instant.
SELECT action FROM sitemap_publish('files', 'SELECT ''/'' AS loc, ''2020'' AS lastmod, 1 AS key, ''x'' AS shown', 'https://e.example/', compression => 0);
SELECT substring(convert_from(content, 'UTF8') FROM '<url>.*</url>') FROM files WHERE base_url = 'https://e.example/' AND kind = 'urlset';
DELETE FROM files WHERE base_url = 'https://e.example/';
-- No time is later than the lastmod of a file in the last second that fits.
UPDATE files SET lastmod = '2106-02-07 06:28:14.5Z' WHERE kind = 'urlset';
UPDATE page SET title = 'last' WHERE id = 2;
SELECT publish('SELECT path AS loc, ''2020-01-01''::date AS lastmod, id AS key, title AS shown FROM public.page ORDER BY id');
SELECT lastmod > '2026' AND lastmod < '2106' AS is_now FROM published WHERE loc = '/page/2';
SELECT row_number, problem, detail
  FROM sitemap_audit('SELECT path AS loc, CASE WHEN id = 1 THEN timestamp ''infinity'' WHEN id = 2 THEN ''1969-12-31'' ELSE ''2020-01-01'' END AS lastmod, id AS key, title AS shown FROM public.page ORDER BY id',
                     'https://www.example.com/');

-- The session's settings do not change how a literal in the query is read, in a full run
-- and in one with changes.
DELETE FROM files;
CREATE TABLE dated AS SELECT n AS id, '2020-01-01 00:00Z'::timestamptz + n * interval '6 hours' AS at FROM generate_series(1, 20) n;
\set literal 'SELECT ''/'' || id AS loc, id AS key, (at < ''2020-01-03 00:00'')::text AS shown FROM public.dated WHERE at < ''2020-01-05 00:00'' ORDER BY id'
SELECT publish(:'literal', max_urls => 5);
SELECT sum(url_count) FROM files WHERE kind = 'urlset';
SET TimeZone = 'Asia/Tokyo';
SELECT publish(:'literal', 'SELECT 9', max_urls => 5);
SELECT publish(:'literal', 'VALUES (6), (14)', max_urls => 5);
SELECT publish(:'literal', max_urls => 5);
SET TimeZone = 'UTC';
DROP TABLE dated;

-- A view loses the column, then gets it again: the text of the query stays the same.
CREATE VIEW listed AS SELECT path AS loc, id AS key, title AS shown FROM page ORDER BY id;
SELECT publish('TABLE public.listed');
DROP VIEW listed;
CREATE VIEW listed AS SELECT path AS loc, id AS key FROM page ORDER BY id;
SELECT publish('TABLE public.listed', 'SELECT 1');
SELECT count(*) FILTER (WHERE shown IS NOT NULL) AS with_states FROM files;
DROP VIEW listed;
CREATE VIEW listed AS SELECT path AS loc, id AS key, title AS shown FROM page ORDER BY id;
SELECT publish('TABLE public.listed', 'SELECT 1');
SELECT count(*) FILTER (WHERE shown IS NULL) AS without_states FROM files WHERE kind = 'urlset';
DROP VIEW listed;

-- A target without the column serves queries without the column.
CREATE TABLE older (LIKE files, PRIMARY KEY (base_url, name));
ALTER TABLE older DROP COLUMN shown;
SELECT string_agg(action, ' ') FROM sitemap_publish('older', 'SELECT path AS loc, id AS key FROM public.page ORDER BY id', 'https://www.example.com/');
SELECT string_agg(action, ' ') FROM sitemap_publish('older', 'SELECT path AS loc, changed AS lastmod, id AS key FROM public.page ORDER BY id', 'https://www.example.com/');
\set VERBOSITY default
SELECT FROM sitemap_publish('older', 'SELECT path AS loc, id AS key, title AS shown FROM public.page ORDER BY id', 'https://www.example.com/');

-- Refused.
SELECT publish('SELECT path AS loc, title AS shown FROM public.page ORDER BY id');
SELECT publish('SELECT sitemap_url(''https://www.example.com/'') AS url, 1 AS key, ''x'' AS shown');
SELECT publish('SELECT path AS loc, id AS key, id AS shown FROM public.page ORDER BY id');
SELECT FROM sitemap_publish('files', 'SELECT path AS loc, id AS key, title AS shown FROM public.page ORDER BY id', 'https://www.example.com/', format => 'txt');
SELECT FROM sitemap_files('SELECT path AS loc, id AS key, title AS shown FROM public.page ORDER BY id', 'https://www.example.com/');
SELECT FROM sitemap_audit('SELECT path AS loc, title AS shown FROM public.page ORDER BY id', 'https://www.example.com/');

DROP FUNCTION publish, publish_changes;
DROP VIEW published;
DROP TABLE page, files, older, version, change, feed;

-- "changes" runs under the settings of its query: fixed ones with a column "shown", else those of the session.
SET TimeZone = 'Asia/Kathmandu';
CREATE TABLE shown_zone (zone text, due timestamp);
CREATE TABLE shown_zone_files OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE FUNCTION pg_temp.zones(query text) RETURNS TABLE (zone text, due timestamp) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM sitemap_publish('shown_zone_files', query, 'http://a/', since => '2026-01-01 00:00+00',
    changes => 'INSERT INTO shown_zone VALUES (current_setting(''TimeZone''), $1) RETURNING 1');
  RETURN QUERY DELETE FROM shown_zone z RETURNING z.*;
END
$$;
SELECT * FROM pg_temp.zones('SELECT ''/'' AS loc, 1 AS key, ''x'' AS shown');
SELECT * FROM pg_temp.zones('SELECT ''/'' AS loc, 1 AS key');
SHOW TimeZone;
RESET TimeZone;
DROP TABLE shown_zone, shown_zone_files;
