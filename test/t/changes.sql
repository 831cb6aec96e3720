-- Two targets of the same pages: runs with changes keep one, full runs the other.
--
-- Variables: type, of the key; column, the same with a collation; key, an
-- expression that makes a key of n.

CREATE SCHEMA :schema;
SET search_path = :schema, public;

CREATE FUNCTION key(n int) RETURNS :type IMMUTABLE LANGUAGE sql RETURN :key;
CREATE TABLE page (key :column, part int, loc text, kind text DEFAULT 'page', PRIMARY KEY (key, part));
CREATE TABLE change (from_key :column, to_key :column);
CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE twin OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE other_page (loc text);

CREATE FUNCTION note_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change SELECT DISTINCT key, key FROM new_rows;
  RETURN NULL;
END
$$;
CREATE FUNCTION note_old() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change SELECT DISTINCT key, key FROM old_rows;
  RETURN NULL;
END
$$;
CREATE FUNCTION note_both() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change SELECT key, key FROM old_rows UNION SELECT key, key FROM new_rows;
  RETURN NULL;
END
$$;
CREATE FUNCTION note_everything() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change VALUES (NULL, NULL);
  RETURN NULL;
END
$$;
CREATE TRIGGER page_insert AFTER INSERT ON page REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_new();
CREATE TRIGGER page_delete AFTER DELETE ON page REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_old();
CREATE TRIGGER page_update AFTER UPDATE ON page REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_both();
CREATE TRIGGER page_truncate AFTER TRUNCATE ON page
  FOR EACH STATEMENT EXECUTE FUNCTION note_everything();

CREATE FUNCTION some_loc() RETURNS text LANGUAGE sql
RETURN '/' || repeat('dir/', (random() * 4)::int) || (random() * current_setting('test.locs')::int)::int;
CREATE FUNCTION one_of(variadic kinds text[]) RETURNS text LANGUAGE sql
RETURN kinds[1 + floor(random() * cardinality(kinds))];

-- Pages for the numbers from one to another.
CREATE PROCEDURE add_pages(first int, last int, parts int, kinds text[]) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO page
  SELECT key(n), p, some_loc(), one_of(VARIADIC kinds)
    FROM generate_series(first, last) n,
         LATERAL generate_series(1, 1 + floor(random() * parts + n * 0)::int) p
      ON CONFLICT DO NOTHING;
END
$$;

-- One edit of some kind.
CREATE PROCEDURE edit(numbers int, parts int, kinds text[]) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  what float8 := random();
  n int := 1 + floor(random() * numbers);
  k page.key%TYPE := (SELECT key FROM page WHERE key >= key(n) ORDER BY key LIMIT 1);
  file record;
BEGIN
  CASE
  WHEN what < 0.25 THEN
    UPDATE page SET loc = some_loc() WHERE key = k;
  WHEN what < 0.45 THEN
    CALL add_pages(n, n, parts, kinds);
  WHEN what < 0.65 THEN
    DELETE FROM page WHERE key = k;
  WHEN what < 0.75 THEN
    -- one of its rows gets another key, or a free place in that
    UPDATE page p SET key = key(n), part = 10 + (random() * 1000)::int
     WHERE key = k AND part = 1 AND (SELECT count(*) FROM page o WHERE o.key = key(n)) < 5;
  WHEN what < 0.90 THEN
    UPDATE page SET kind = one_of(VARIADIC kinds) WHERE key = k;
  WHEN what < 0.92 THEN
    CALL add_pages(numbers + 1, numbers + (random() * 100)::int, parts, kinds);
    DELETE FROM page WHERE key >= key(numbers + 30);
  WHEN what < 0.94 THEN
    CALL add_pages(-(random() * 100)::int, 0, parts, kinds);
  WHEN what < 0.96 THEN
    CALL add_pages(n, n + 30, parts, kinds);
  WHEN what < 0.99 THEN
    -- all rows of a file
    SELECT first_key, next_key INTO file
      FROM (SELECT first_key, lead(first_key) OVER (ORDER BY first_key::page_key) AS next_key
              FROM target WHERE section = 'page' AND kind <> 'index') f
     ORDER BY random() LIMIT 1;
    DELETE FROM page
     WHERE key >= file.first_key::page_key AND (key < file.next_key::page_key OR file.next_key IS NULL);
  ELSE
    -- what did not change is named, too
    INSERT INTO change SELECT key(m), key(m) FROM generate_series(n, n + 3) m;
  END CASE;
END
$$;

-- What differs between the targets, NULL for nothing.
CREATE FUNCTION difference(since timestamptz) RETURNS text LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT string_agg(name || ' ' || coalesce(t.first_key, '-') || ' ' || coalesce(t.url_count, 0)
                    || ' | ' || coalesce(w.first_key, '-') || ' ' || coalesce(w.url_count, 0), E'\n')
    FROM target t FULL JOIN twin w USING (name)
   WHERE CASE WHEN t.kind = 'index' AND w.kind = 'index' THEN
           t.url_count <> w.url_count
           OR regexp_replace(convert_from(t.content, 'UTF8'), '<lastmod>[^<]*</lastmod>', '', 'g')
              <> regexp_replace(convert_from(w.content, 'UTF8'), '<lastmod>[^<]*</lastmod>', '', 'g')
         ELSE
           (t.section, t.kind, t.loc, t.lastmod > since, t.url_count, t.byte_count, t.digest, t.first_key, t.recipe, t.content)
           IS DISTINCT FROM
           (w.section, w.kind, w.loc, w.lastmod > since, w.url_count, w.byte_count, w.digest, w.first_key, w.recipe, w.content)
         END
$$;

-- So many steps of edits and a run on each target.  The options are those of sitemap_publish.
CREATE PROCEDURE simulate(query text, options text, numbers int, parts int, kinds text[], steps int, two_columns bool,
                          INOUT partial int, INOUT looked_at int)
LANGUAGE plpgsql AS $$
DECLARE
  run text := format('SELECT count(*) FROM public.sitemap_publish(%%L, %L, %L, section => ''page'', max_shrink => 1, compression => 0 %s',
                     query, 'https://www.example.com/', options);
  statement text := 'DELETE FROM change RETURNING from_key' || CASE WHEN two_columns THEN ', to_key' ELSE '' END;
  other text := 'SELECT sitemap_publish(%L, ''TABLE other_page'', ''https://www.example.com/'', section => ''other'', max_shrink => 1)';
  since timestamptz;
  nfiles int;
  nresults int;
  bad text;
BEGIN
  partial := 0;
  looked_at := 0;
  CALL add_pages(1, numbers, parts, kinds);
  COMMIT;
  FOR step IN 1 .. steps LOOP
    since := clock_timestamp();
    UPDATE target SET lastmod = '2001-01-01 00:00Z';
    UPDATE twin SET lastmod = '2001-01-01 00:00Z';
    FOR i IN 1 .. 1 + floor(random() * random() * 5)::int LOOP
      CALL edit(numbers, parts, kinds);
    END LOOP;
    IF step % 97 = 0 THEN
      INSERT INTO other_page VALUES ('/other/' || step);
      EXECUTE format(other, 'target');
      EXECUTE format(other, 'twin');
    END IF;
    IF step % 331 = 0 THEN
      UPDATE target SET first_key = nullif(first_key, (SELECT min(first_key) FROM target));
    END IF;
    IF step % 499 = 0 THEN
      TRUNCATE page;
      CALL add_pages(1, numbers, parts, kinds);
    END IF;
    COMMIT;

    EXECUTE format(run || ', changes => %L)', 'target', statement) INTO nresults;
    EXECUTE format(run || ')', 'twin') INTO nfiles;
    IF nresults < nfiles / 2 THEN
      partial := partial + 1;
      looked_at := looked_at + nresults - 1;
    END IF;
    bad := difference(since);
    IF bad IS NOT NULL OR EXISTS (SELECT FROM change) THEN
      RAISE 'step %: the targets differ (name, target: first_key and url_count, twin):%', step, E'\n' || coalesce(bad, 'the queue is not empty');
    END IF;
    COMMIT;
  END LOOP;
END
$$;
