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
-- A queue takes every key, so its columns are not of a domain with constraints.
SELECT coalesce((SELECT typbasetype::regtype::text FROM pg_type WHERE oid = to_regtype(:'type') AND typtype = 'd'), :'column') AS queued \gset
CREATE TABLE change (from_key :queued, to_key :queued GENERATED ALWAYS AS (from_key) STORED);
SELECT sitemap_watch('page', 'key', 'change');
CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE twin OF sitemap_file (PRIMARY KEY (base_url, name));

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
