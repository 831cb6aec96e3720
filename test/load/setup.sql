-- The source, three targets, and what readers look at.
--
-- Each section of the source has a row that says how many pages it has and what
-- their numbers and dates add up to, which every writer keeps true, and which is
-- published among the pages.  So a reader of the files alone can tell whether all
-- of them come from one moment of the source.
SET client_min_messages = warning;
CREATE EXTENSION sitemap;
CREATE SCHEMA load;

CREATE TABLE load.section (
	id int PRIMARY KEY,
	name text,
	next_page bigint,
	pages bigint,
	numbers numeric,
	seconds numeric
) WITH (fillfactor = 50);
CREATE TABLE load.page (
	section int,
	number bigint,
	changed timestamptz,
	PRIMARY KEY (section, number)
);
INSERT INTO load.page
SELECT section, number, timestamptz '2026-01-01 00:00+00' + number * interval '1 minute'
  FROM generate_series(1, 3) section, generate_series(1, 400) number;
CREATE VIEW load.total AS
SELECT section, count(*) AS pages, sum(number) AS numbers, sum(extract(epoch FROM changed)) AS seconds
  FROM load.page
 GROUP BY section;
INSERT INTO load.section
SELECT section, (ARRAY['shop', 'news', 'list'])[section], 401, pages, numbers, seconds FROM load.total;
-- So long that a set does not fit into work_mem.
CREATE VIEW load.entry AS
SELECT section, number, format('/%s/%s/%s-%s', section, number, md5('a' || number), md5('b' || number)) AS loc, changed AS lastmod
  FROM load.page
 UNION ALL
SELECT id, 0, format('/%s/total/%s/%s/%s', id, pages, numbers, seconds::bigint), NULL
  FROM load.section;

-- A few pages of a section come, go, or change.  The lock makes writers of one section queue up.
CREATE FUNCTION load.edit(section_id int, what int, place float8) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
	s load.section;
	removed numeric[] := '{0,0,0}';
	added numeric[] := '{0,0,0}';
BEGIN
	SELECT * FROM load.section WHERE id = section_id INTO s FOR UPDATE;
	-- around 400 pages stay around 400
	IF s.pages > 500 THEN
		what := 2;
	ELSIF s.pages < 300 THEN
		what := 1;
	END IF;
	IF what = 1 THEN
		WITH new AS (
			INSERT INTO load.page
			SELECT section_id, number, date_trunc('second', clock_timestamp())
			  FROM generate_series(s.next_page, s.next_page + 4) number
			RETURNING number, changed)
		SELECT ARRAY[count(*), sum(number), sum(extract(epoch FROM changed))] FROM new INTO added;
		s.next_page := s.next_page + 5;
	ELSE
		WITH old AS MATERIALIZED (
			SELECT p.number, p.changed
			  FROM load.page p
			 WHERE p.section = section_id AND p.number >= place * s.next_page
			 ORDER BY p.number
			 LIMIT 5),
		gone AS (
			DELETE FROM load.page p USING old
			 WHERE what = 2 AND p.section = section_id AND p.number = old.number),
		changed AS (
			UPDATE load.page p SET changed = date_trunc('second', clock_timestamp()) FROM old
			 WHERE what = 3 AND p.section = section_id AND p.number = old.number
			RETURNING p.number, p.changed)
		SELECT ARRAY[count(*), coalesce(sum(number), 0), coalesce(sum(extract(epoch FROM o.changed)), 0)],
		       (SELECT ARRAY[count(*), coalesce(sum(number), 0), coalesce(sum(extract(epoch FROM c.changed)), 0)] FROM changed c)
		  FROM old o INTO removed, added;
	END IF;
	UPDATE load.section
	   SET next_page = s.next_page, pages = pages + added[1] - removed[1],
	       numbers = numbers + added[2] - removed[2], seconds = seconds + added[3] - removed[3]
	 WHERE id = section_id;
END
$$;

-- One is split full, one stable, and one is partitioned and not compressed.
CREATE TABLE load.target_1 OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE load.target_2 OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE load.target_3 OF sitemap_file (PRIMARY KEY (base_url, name)) PARTITION BY HASH (name);
CREATE TABLE load.target_3a PARTITION OF load.target_3 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE load.target_3b PARTITION OF load.target_3 FOR VALUES WITH (MODULUS 2, REMAINDER 1);

CREATE VIEW load.set AS
SELECT target, id AS section, name, 'load.target_' || target AS target_name,
       format('SELECT loc, lastmod FROM load.entry WHERE section = %s ORDER BY number', id) AS query,
       CASE name WHEN 'list' THEN 'txt' ELSE 'xml' END AS format,
       CASE target WHEN 3 THEN 0 ELSE 6 END AS compression,
       CASE target WHEN 1 THEN 'full' ELSE 'stable' END AS split
  FROM load.section, generate_series(1, 3) target;
-- The same with at_first, a SELECT of one row that the query begins with.
CREATE FUNCTION load.publish(which_target int, which_section int, at_first text DEFAULT 'SELECT') RETURNS SETOF text
LANGUAGE sql AS $$
  SELECT p.action
    FROM load.set s
   CROSS JOIN LATERAL sitemap_publish(s.target_name::regclass,
                                      format('WITH first AS MATERIALIZED (%s) SELECT e.loc, e.lastmod FROM load.entry e, first WHERE e.section = %s ORDER BY e.number',
                                             at_first, s.section),
                                      'https://www.example.com/', section => s.name, format => s.format, compression => s.compression, max_urls => 100, split => s.split) p
   WHERE s.target = which_target AND s.section = which_section
$$;
CREATE FUNCTION load.publish_index(which_target int) RETURNS SETOF text
LANGUAGE sql AS $$
  SELECT p.action
    FROM (SELECT DISTINCT target_name FROM load.set WHERE target = which_target) s
   CROSS JOIN LATERAL sitemap_publish_index(s.target_name::regclass, 'https://www.example.com/') p
$$;
SELECT count(*) FROM load.set s, load.publish(s.target, s.section);

-- Publishing with a lock_timeout, which may end: where it does, that is counted.
CREATE TABLE load.refused (sqlstate text);
CREATE FUNCTION load.publish_or_not(which_target int, which_section int) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM load.publish(which_target, which_section);
EXCEPTION WHEN lock_not_available THEN
	-- the table grows under a lock, too
	SET LOCAL lock_timeout = 0;
	INSERT INTO load.refused VALUES (SQLSTATE);
END
$$;

-- What readers look at, for each target: what its index lists; whether the files of each section
-- have the pages of one moment; and all of that in one statement.
SELECT format($$
	CREATE VIEW load.listed_%1$s AS
	SELECT p.loc FROM load.target_%1$s i CROSS JOIN LATERAL sitemap_parse(i.content) p WHERE i.kind = 'index'$$, target),
	format($$
	CREATE VIEW load.counted_%1$s AS
	SELECT f.section,
	       bool_and(f.url_count = e.entries) AND count(e.total) = 1 AND
	       max(e.total) = concat_ws('/', sum(e.pages), sum(e.numbers),
	                                CASE WHEN bool_or(f.kind = 'text') THEN split_part(max(e.total), '/', 3)
	                                     ELSE sum(e.seconds)::text END) AS agrees
	  FROM load.target_%1$s f
	 CROSS JOIN LATERAL (
		SELECT count(*) AS entries, count(*) FILTER (WHERE part[5] <> 'total') AS pages,
		       sum(CASE WHEN part[5] <> 'total' THEN part[5]::bigint END) AS numbers,
		       coalesce(sum(extract(epoch FROM lastmod::timestamptz))::bigint, 0) AS seconds,
		       max(concat_ws('/', part[6], part[7], part[8])) FILTER (WHERE part[5] = 'total') AS total
		  FROM (SELECT lastmod, string_to_array(loc, '/') AS part FROM sitemap_parse(f.content)) p) e
	 WHERE f.kind <> 'index'
	 GROUP BY f.section$$, target),
	format($$
	CREATE VIEW load.read_%1$s AS
	SELECT (SELECT count(*) FROM load.target_%1$s) AS files,
	       (SELECT array_agg(loc ORDER BY loc COLLATE "C") FROM load.target_%1$s WHERE kind <> 'index') =
	       (SELECT array_agg(loc ORDER BY loc COLLATE "C") FROM load.listed_%1$s) AS index_agrees,
	       (SELECT count(*) = 3 AND bool_and(agrees) FROM load.counted_%1$s) AS pages_agree$$, target)
  FROM generate_series(1, 3) target \gexec

CREATE TABLE load.checked (files int, agrees boolean);
CREATE TABLE load.memory (at timestamptz, pid int, kb bigint);
VACUUM ANALYZE;
