-- Run by watch.pl: random statements on a watched table, and after each of them a
-- comparison of the queue with what the statement did.  Variables: tables, statements
-- that create page and its partitions; names, a text[] of them; exact, see simulate;
-- seed, steps.
SET client_min_messages = error;
CREATE EXTENSION sitemap;
CREATE TABLE category (id int PRIMARY KEY);
CREATE TABLE queue (k bigint);
CREATE TABLE step (n int, statement text, missing text, added text);

-- A trigger that writes other values than the statement does, or nothing.
CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.path LIKE '%stay%' THEN
      RETURN NULL;
    END IF;
    RETURN OLD;
  END IF;
  IF NEW.path LIKE '%swallow%' THEN
    RETURN NULL;
  ELSIF NEW.path LIKE '%shift%' THEN
    NEW.k := NEW.k + 1;
  END IF;
  RETURN NEW;
END
$$;

:tables
-- The watched values of each row, and which row it is.
CREATE VIEW seen AS
SELECT rid, region, k, ROW(rid, k, path, loud, category, md5(body))::text AS watched FROM page;
CREATE TEMP TABLE before AS TABLE seen;

CREATE FUNCTION pick(VARIADIC choices text[]) RETURNS text LANGUAGE sql AS
  'SELECT choices[1 + floor(random() * array_length(choices, 1))::int]';
CREATE FUNCTION below(n int) RETURNS int LANGUAGE sql AS 'SELECT floor(random() * n)::int';

-- A body that is short, compressed, or toasted.
CREATE FUNCTION body(seed int) RETURNS text LANGUAGE sql AS $$
  SELECT CASE seed % 3 WHEN 0 THEN 'body ' || seed
                       WHEN 1 THEN repeat('body ' || seed, 600)
                       ELSE (SELECT string_agg(md5(seed::text || n), '') FROM generate_series(1, 150) n) END
$$;

CREATE FUNCTION new_rows(n int) RETURNS text LANGUAGE sql AS $$
  SELECT format('SELECT (%s + n) %% 60 AS rid, (n %% 3)::smallint AS region, nullif(%s + n %% 7, 5) AS k, %L || n %% 3 AS path,'
                ' %L || n %% 2 AS title, body(n) AS body, (SELECT min(id) FROM category) AS category'
                '  FROM generate_series(1, %s) n',
                below(60), below(30), pick('/a', '/b', '/shift', '/swallow', '/stay'), pick('t', 'T', 'u'), n)
$$;

CREATE FUNCTION random_statement(tables text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  -- mostly the root
  t text := CASE WHEN below(3) > 0 THEN tables[1] ELSE pick(VARIADIC tables) END;
  rows text := format('rid BETWEEN %s AND %s', below(60), below(60));
  columns text := '(rid, region, k, path, title, body, category)';
BEGIN
  CASE below(14)
    WHEN 0, 1 THEN
      RETURN format('INSERT INTO page %s %s ON CONFLICT DO NOTHING', columns, new_rows(1 + below(20)));
    WHEN 2 THEN
      RETURN format('INSERT INTO page %s %s ON CONFLICT (rid, region) DO UPDATE SET path = excluded.path, title = page.title',
                    columns, new_rows(1 + below(20)));
    WHEN 3 THEN RETURN format('UPDATE %s SET views = views + 1 WHERE %s', t, rows);
    WHEN 4 THEN RETURN format('UPDATE %s SET title = %L WHERE %s', t, pick('t0', 'T0', 't1', 'u'), rows);
    WHEN 5 THEN RETURN format('UPDATE %s SET path = %L, body = body(%s) WHERE %s', t, pick('/a0', '/c', '/shift', '/swallow'), below(9), rows);
    WHEN 6 THEN RETURN format('UPDATE %s SET k = %s WHERE %s', t, pick('k + 1', 'NULL', '7', 'k'), rows);
    -- rows move between partitions
    WHEN 7 THEN RETURN format('UPDATE page SET region = (region + rid) %% 3 WHERE %s', rows);
    WHEN 8 THEN RETURN format('DELETE FROM %s WHERE %s AND rid %% 2 = 0', t, rows);
    WHEN 9 THEN
      RETURN format('MERGE INTO page USING (%s) s ON page.rid = s.rid AND page.region = s.region
                     WHEN MATCHED AND s.rid %% 3 = 0 THEN DELETE
                     WHEN MATCHED THEN UPDATE SET path = %s, body = s.body
                     WHEN NOT MATCHED THEN INSERT %s VALUES (s.rid, s.region, s.k, s.path, s.title, s.body, s.category)',
                    new_rows(1 + below(20)),
                    -- a bug of PostgreSQL hides keys that change in partitions (trigger.c)
                    CASE WHEN array_length(tables, 1) > 1 THEN 'replace(s.path, ''/shift'', ''/a'')' ELSE 's.path' END, columns);
    WHEN 10 THEN RETURN pick('UPDATE category SET id = id + 10 WHERE id % 2 = 0', 'DELETE FROM category WHERE id % 3 = 0',
                             'INSERT INTO category SELECT coalesce(max(id), 0) + 1 FROM category');
    WHEN 11 THEN
      RETURN format('COPY page (rid, region, k, path, title) FROM PROGRAM ''seq %s %s | sed "s|.*|&\t1\t&\t/copied\tt|"''', 100 + below(20) * 20, 100 + below(20) * 20);
    WHEN 12 THEN
      RETURN format('WITH d AS (DELETE FROM page WHERE %s RETURNING rid, region, k, path, title, body, category),
                     u AS (UPDATE page SET title = ''with'' WHERE NOT (%s) RETURNING 1)
                     INSERT INTO page %s SELECT rid + 1000, region, k, path, title, body, category FROM d ON CONFLICT DO NOTHING', rows, rows, columns);
    ELSE RETURN CASE WHEN below(5) = 0 THEN format('TRUNCATE %s', t) ELSE format('UPDATE %s SET views = 0 WHERE %s', t, rows) END;
  END CASE;
END
$$;

-- exact: the queue has no key that did not change.  It may have such keys only where a
-- trigger keeps rows from a partition, where a statement deletes rows and inserts equal
-- ones, and after a MERGE into partitions (the bug of PostgreSQL in trigger.c).
CREATE PROCEDURE simulate(steps int, tables text[], exact bool) LANGUAGE plpgsql AS $$
DECLARE
  statement text;
  missing text;
  added text;
BEGIN
  FOR n IN 1 .. steps LOOP
    TRUNCATE before, queue;
    INSERT INTO before TABLE seen;
    statement := random_statement(tables);
    BEGIN
      EXECUTE statement;
    EXCEPTION
      WHEN unique_violation OR cardinality_violation OR check_violation OR integrity_constraint_violation THEN
        statement := statement || ' -- ' || sqlerrm;
    END;
    WITH changed AS (
      SELECT k FROM (SELECT k, watched FROM before EXCEPT ALL SELECT k, watched FROM seen) gone
      UNION
      SELECT k FROM (SELECT k, watched FROM seen EXCEPT ALL SELECT k, watched FROM before) come),
    -- a row whose values become those of another row in another region
    shifted AS (
      SELECT unnest(ARRAY[b.k, s.k]) AS k FROM before b JOIN seen s USING (rid, region) WHERE b.watched <> s.watched)
    SELECT (SELECT string_agg(k::text, ' ') FROM changed WHERE k IS NOT NULL AND k NOT IN (SELECT q.k FROM queue q WHERE q.k IS NOT NULL)
                                                           AND NOT EXISTS (SELECT FROM queue q WHERE q.k IS NULL)),
           (SELECT string_agg(coalesce(q.k::text, 'NULL'), ' ') FROM queue q WHERE q.k IS NULL OR NOT EXISTS (SELECT FROM (TABLE changed UNION TABLE shifted) c WHERE c.k = q.k))
      INTO missing, added;
    IF statement LIKE 'TRUNCATE%' OR statement LIKE 'WITH%' OR NOT exact OR
       (statement LIKE 'MERGE%' AND (SELECT relkind = 'p' FROM pg_class WHERE oid = 'page'::regclass)) THEN
      added := NULL;
    END IF;
    INSERT INTO step VALUES (n, statement, missing, added);
    COMMIT;
  END LOOP;
END
$$;

SELECT sitemap_watch('page', 'k', 'queue', '{path,loud,category,body}');
SELECT setseed(:seed / 1000000.0);
CALL simulate(:steps, :'names', :exact);
SELECT count(*) FROM step WHERE statement NOT LIKE '% -- %';
SELECT * FROM step WHERE missing IS NOT NULL OR added IS NOT NULL ORDER BY n LIMIT 5;
