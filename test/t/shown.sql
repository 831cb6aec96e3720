-- A model of the lastmod that each page must have, by the rules of column "shown", with the
-- pages of pages.sql.  The model knows the pages, the time of each run, and the first keys
-- of the files.

-- What a page shows: one of a few texts, so that it often changes back, or NULL.
CREATE FUNCTION some_text() RETURNS text LANGUAGE sql
RETURN CASE WHEN random() < 0.9 THEN repeat('text ', 1 + (random() * 3)::int) END;

CREATE FUNCTION some_time() RETURNS timestamptz LANGUAGE sql
RETURN CASE WHEN random() < 0.8 THEN timestamptz '2020-01-01 00:00Z' + random() * interval '1000 days' END;

ALTER TABLE page ADD shown text DEFAULT some_text(), ADD changed timestamptz DEFAULT some_time(),
  ADD visits int DEFAULT 0, ADD valid bool DEFAULT true;
CREATE TABLE gone (LIKE page);

-- What was published, in order, and which of the equal pages of a file a page is.
CREATE TABLE state (first_key :column, loc text, shown text, nth int, lastmod timestamptz);
CREATE INDEX ON state (loc, first_key);
-- What has to be published.
CREATE TABLE wanted (n int, key :column, loc text, shown text, lastmod timestamptz);

-- One edit of some kind.
CREATE PROCEDURE edit(numbers int, parts int) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  what float8 := random();
  n int := 1 + floor(random() * numbers);
  k page.key%TYPE := (SELECT key FROM page WHERE key >= key(n) ORDER BY key LIMIT 1);
  moved page;
BEGIN
  CASE
  WHEN what < 0.25 THEN
    UPDATE page SET shown = DEFAULT, changed = CASE WHEN random() < 0.5 THEN changed ELSE some_time() END WHERE key = k;
  WHEN what < 0.35 THEN
    UPDATE page SET visits = visits + 1, changed = some_time() WHERE key = k;
  WHEN what < 0.45 THEN
    CALL add_pages(n, n, parts);
  WHEN what < 0.55 THEN
    DELETE FROM page WHERE key = k;
  WHEN what < 0.65 THEN
    UPDATE page SET loc = DEFAULT WHERE key = k AND part = 1;
  WHEN what < 0.72 THEN
    -- a row gets a key near by or far away
    n := CASE WHEN random() < 0.5 THEN n + 1 ELSE floor(random() * numbers) END;
    UPDATE page SET key = key(n), part = 10 + (random() * 1000)::int
     WHERE key = k AND part = 1 AND (SELECT count(*) FROM page o WHERE o.key = key(n)) < 4;
  WHEN what < 0.79 THEN
    -- a page goes and comes back as it was, mostly in a later run
    DELETE FROM page WHERE key = k AND part = 1 RETURNING * INTO moved;
    IF moved IS NOT NULL THEN
      INSERT INTO gone VALUES (moved.*);
    END IF;
  WHEN what < 0.86 THEN
    WITH back AS (DELETE FROM gone WHERE ctid = (SELECT min(ctid) FROM gone) RETURNING *)
    INSERT INTO page SELECT * FROM back ON CONFLICT DO NOTHING;
  WHEN what < 0.91 THEN
    -- the page is listed a second time, near by or far away
    INSERT INTO page
    SELECT key(CASE WHEN random() < 0.5 THEN n + 1 ELSE 1 + floor(random() * numbers)::int END), 2000 + part, loc, shown, some_time()
      FROM page WHERE key = k AND part < 2000
        ON CONFLICT DO NOTHING;
  WHEN what < 0.95 THEN
    UPDATE page SET valid = NOT valid WHERE key = k AND part = 1;
  WHEN what < 0.97 THEN
    UPDATE page SET shown = DEFAULT WHERE key >= key(n) AND key < key(n + 40);
  WHEN what < 0.985 THEN
    DELETE FROM page WHERE key >= key(n) AND key < key(n + 40);
  ELSE
    CALL add_pages(n, n + 40, parts);
  END CASE;
END
$$;

-- The files that a run finds.
CREATE VIEW file AS
SELECT first_key, lead(first_key) OVER in_order AS next_key, row_number() OVER in_order AS place, content
  FROM (SELECT first_key::page_key AS first_key, content FROM twin WHERE section = 'page' AND kind <> 'index') f
WINDOW in_order AS (ORDER BY first_key);

-- What a run at this time must publish.
CREATE PROCEDURE want(at timestamptz, has_lastmod bool) LANGUAGE sql SET search_path FROM CURRENT
BEGIN ATOMIC
  DELETE FROM wanted;
  INSERT INTO wanted
  SELECT row_number() OVER (ORDER BY key, part), key, loc, shown,
         CASE WHEN shown IS NULL OR is_first THEN word
              WHEN known THEN old
              WHEN same_loc THEN at
              ELSE coalesce(word, at) END
    FROM (
      SELECT *, EXISTS (SELECT FROM state s WHERE s.loc = n.loc AND s.first_key = n.first_key) AS same_loc,
             NOT EXISTS (SELECT FROM file) AS is_first
        FROM (
          SELECT *, row_number() OVER (PARTITION BY first_key, loc, shown ORDER BY key, part) AS nth
            FROM (
              SELECT key, part, loc, shown, first_key, CASE WHEN has_lastmod THEN date_trunc('second', changed) END AS word
                FROM page p
                LEFT JOIN file f ON (key >= first_key OR place = 1) AND (key < next_key OR next_key IS NULL)
               WHERE valid
            ) p
        ) n
        LEFT JOIN LATERAL (
          SELECT lastmod AS old, true AS known
            FROM state s
           WHERE (s.first_key, s.loc, s.shown) = (n.first_key, n.loc, n.shown) AND s.nth <= n.nth
           ORDER BY s.nth DESC LIMIT 1
        ) o ON true
    ) p;
END;

-- Remember what was published, by the files that the run left.
CREATE PROCEDURE remember() LANGUAGE sql SET search_path FROM CURRENT
BEGIN ATOMIC
  DELETE FROM state;
  INSERT INTO state
  SELECT first_key, loc, shown, row_number() OVER (PARTITION BY first_key, loc, shown ORDER BY n), lastmod
    FROM (
      SELECT *
        FROM wanted w
        JOIN file f ON key >= first_key AND (key < next_key OR next_key IS NULL)
       WHERE shown IS NOT NULL
    ) w;
END;

-- The pages that differ from what is wanted, NULL if none does.
CREATE FUNCTION wrong_pages() RETURNS text LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT string_agg(format('%s %s: %s, wanted %s %s (%s)', n, p.loc, p.lastmod, w.loc, w.lastmod, w.shown), E'\n' ORDER BY n)
    FROM (
      SELECT row_number() OVER (ORDER BY place, number) AS n, p.loc, p.lastmod
        FROM file, LATERAL public.sitemap_parse(content) WITH ORDINALITY AS p (loc, lastmod, changefreq, priority, extensions, number)
    ) p
    FULL JOIN (
      SELECT n, 'https://www.example.com' || loc AS loc, to_char(lastmod, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS lastmod, shown FROM wanted
    ) w USING (n)
   WHERE (p.loc, p.lastmod) IS DISTINCT FROM (w.loc, w.lastmod)
$$;

-- The files that differ between the targets, NULL if none does.
CREATE FUNCTION wrong_files() RETURNS text LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT string_agg(format('%s from %s, twin from %s', name, t.first_key, w.first_key), E'\n')
    FROM target t FULL JOIN twin w USING (name)
   WHERE t IS DISTINCT FROM w AND coalesce(t.kind <> 'index', true)
$$;

-- The versions of the rows of both targets, without the index, which has the lastmod of files.
CREATE FUNCTION versions() RETURNS text LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT string_agg(xmin::text, ' ' ORDER BY name)
    FROM (SELECT xmin, name, kind FROM target UNION ALL SELECT xmin, name, kind FROM twin) t
   WHERE kind <> 'index'
$$;

-- So many steps of edits, and a run on each target.  max_urls: limits that take turns.
CREATE PROCEDURE simulate(query text, options text, max_urls int[], numbers int, parts int, steps int, stable bool,
                          INOUT partial int, INOUT same int)
LANGUAGE plpgsql AS $$
DECLARE
  run text;
  at timestamptz := timestamptz '2040-01-01 00:00Z';
  before text;
  imported bool;
  nfiles int;
  nresults int;
  bad text;
BEGIN
  partial := 0;
  same := 0;
  CALL add_pages(1, numbers, parts);
  COMMIT;
  FOR step IN 1 .. steps LOOP
    -- The time of a run is at least a second after all files.
    at := at + interval '10 seconds';
    UPDATE target SET lastmod = at - interval '1 second';
    UPDATE twin SET lastmod = at - interval '1 second';

    imported := step % 9 = 0;
    IF step % 61 = 0 THEN
      DELETE FROM page;
    ELSIF step % 61 = 1 THEN
      CALL add_pages(1, numbers, parts);
    ELSIF imported THEN
      -- an import touches all rows
      UPDATE page SET visits = visits + 1, changed = CASE WHEN shown IS NULL THEN changed ELSE now() END;
    ELSE
      FOR i IN 1 .. 1 + floor(random() * random() * 8)::int LOOP
        CALL edit(numbers, parts);
      END LOOP;
    END IF;
    COMMIT;

    run := format('SELECT count(*) FROM public.sitemap_publish(%%L, %L, %L, section => ''page'', max_shrink => 1, max_urls => %s %s',
                  query, 'https://www.example.com/', max_urls[1 + step / 25 % cardinality(max_urls)], options);
    CALL want(at, query LIKE '% AS lastmod%');
    before := versions();
    IF stable THEN
      EXECUTE format(run || ', changes => %L)', 'target', 'DELETE FROM change RETURNING from_key') INTO nresults;
    END IF;
    EXECUTE format(run || ')', 'twin') INTO nfiles;
    IF before IS NULL THEN
      -- without files, a run has the time of the clock
      UPDATE target SET lastmod = at;
      UPDATE twin SET lastmod = at;
    END IF;
    partial := partial + (nresults < nfiles / 2)::int;
    IF imported AND step % 25 <> 0 THEN
      same := same + 1;
      bad := CASE WHEN before <> versions() THEN 'the run wrote files' END;
    ELSE
      bad := NULL;
    END IF;
    bad := coalesce(bad, wrong_pages(), CASE WHEN stable THEN wrong_files() END);
    IF bad IS NOT NULL THEN
      RAISE 'step % at %: %', step, at, bad;
    END IF;
    CALL remember();
    COMMIT;
  END LOOP;
END
$$;
