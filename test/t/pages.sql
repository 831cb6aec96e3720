-- Pages for models of runs with changes: two targets of the same pages, of which runs with
-- changes keep one, full runs the other.  changes.sql and shown.sql add columns to the
-- pages, with random defaults.
--
-- Variables: type, of the key; column, the same with a collation; key, an
-- expression that makes a key of n.

CREATE SCHEMA :schema;
SET search_path = :schema, public;

CREATE FUNCTION key(n int) RETURNS :type IMMUTABLE LANGUAGE sql RETURN :key;
CREATE FUNCTION some_loc() RETURNS text LANGUAGE sql
RETURN '/' || repeat('dir/', (random() * 4)::int) || (random() * current_setting('test.locs')::int)::int;
CREATE TABLE page (key :column, part int, loc text DEFAULT some_loc(), PRIMARY KEY (key, part));
CREATE TABLE change (from_key :column, to_key :column);
CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE twin OF sitemap_file (PRIMARY KEY (base_url, name));

CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF tg_op IN ('INSERT', 'UPDATE') THEN
    INSERT INTO change SELECT DISTINCT key, key FROM new_rows;
  END IF;
  IF tg_op IN ('UPDATE', 'DELETE') THEN
    INSERT INTO change SELECT DISTINCT key, key FROM old_rows;
  END IF;
  IF tg_op = 'TRUNCATE' THEN
    INSERT INTO change VALUES (NULL, NULL);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER page_insert AFTER INSERT ON page REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note();
CREATE TRIGGER page_delete AFTER DELETE ON page REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note();
CREATE TRIGGER page_update AFTER UPDATE ON page REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note();
CREATE TRIGGER page_truncate AFTER TRUNCATE ON page
  FOR EACH STATEMENT EXECUTE FUNCTION note();

-- Pages for the numbers from one to another.
CREATE PROCEDURE add_pages(first int, last int, parts int) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO page (key, part)
  SELECT key(n), p
    FROM generate_series(first, last) n,
         LATERAL generate_series(1, 1 + floor(random() * parts + n * 0)::int) p
      ON CONFLICT DO NOTHING;
END
$$;
