-- Runs with changes leave what full runs leave, with the pages of pages.sql.

CREATE TABLE other_page (loc text);
CREATE FUNCTION some_kind() RETURNS text LANGUAGE sql AS $$
  SELECT kinds[1 + floor(random() * cardinality(kinds))] FROM CAST(current_setting('test.kinds') AS text[]) kinds
$$;
ALTER TABLE page ADD kind text DEFAULT some_kind();

-- One edit of some kind.
CREATE PROCEDURE edit(numbers int, parts int) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  what float8 := random();
  n int := 1 + floor(random() * numbers);
  k page.key%TYPE := (SELECT key FROM page WHERE key >= key(n) ORDER BY key LIMIT 1);
  file record;
BEGIN
  CASE
  WHEN what < 0.25 THEN
    UPDATE page SET loc = DEFAULT WHERE key = k;
  WHEN what < 0.45 THEN
    CALL add_pages(n, n, parts);
  WHEN what < 0.65 THEN
    DELETE FROM page WHERE key = k;
  WHEN what < 0.75 THEN
    -- one of its rows gets another key, or a free place in that
    UPDATE page p SET key = key(n), part = 10 + (random() * 1000)::int
     WHERE key = k AND part = 1 AND (SELECT count(*) FROM page o WHERE o.key = key(n)) < 5;
  WHEN what < 0.90 THEN
    UPDATE page SET kind = DEFAULT WHERE key = k;
  WHEN what < 0.92 THEN
    CALL add_pages(numbers + 1, numbers + (random() * 100)::int, parts);
    DELETE FROM page WHERE key >= key(numbers + 30);
  WHEN what < 0.94 THEN
    CALL add_pages(-(random() * 100)::int, 0, parts);
  WHEN what < 0.96 THEN
    CALL add_pages(n, n + 30, parts);
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
    INSERT INTO change SELECT key(m) FROM generate_series(n, n + 3) m;
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
CREATE PROCEDURE simulate(query text, options text, numbers int, parts int, steps int, two_columns bool,
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
  CALL add_pages(1, numbers, parts);
  COMMIT;
  FOR step IN 1 .. steps LOOP
    since := clock_timestamp();
    UPDATE target SET lastmod = '2001-01-01 00:00Z';
    UPDATE twin SET lastmod = '2001-01-01 00:00Z';
    FOR i IN 1 .. 1 + floor(random() * random() * 5)::int LOOP
      CALL edit(numbers, parts);
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
      CALL add_pages(1, numbers, parts);
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
