\set ECHO none
\pset format unaligned
\pset tuples_only on
\pset null NULL
\pset fieldsep ' | '
SET client_min_messages = warning;

-- What a statement ends with: SQLSTATE, message, detail and hint, a line each.
CREATE OR REPLACE FUNCTION pg_temp.error(statement text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  message text;
  detail text;
  hint text;
BEGIN
  EXECUTE statement;
  RETURN 'no error: ' || statement;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS
    message = MESSAGE_TEXT,
    detail = PG_EXCEPTION_DETAIL,
    hint = PG_EXCEPTION_HINT;
  RETURN concat_ws(E'\n    ', SQLSTATE || ' ' || message, nullif(detail, ''), nullif(hint, ''));
END
$$;

-- The same without detail and hint.
CREATE OR REPLACE FUNCTION pg_temp.brief(statement text) RETURNS text
LANGUAGE sql AS $$
  SELECT pg_catalog.split_part(pg_temp.error(statement), E'\n', 1)
$$;

-- The error of a query.
CREATE OR REPLACE FUNCTION pg_temp.refused(query text) RETURNS text
LANGUAGE sql AS $$
  SELECT pg_temp.error(pg_catalog.format('SELECT sitemap_files(%L, %L)', query, 'http://a/'))
$$;

-- The parts of a plan that match a pattern; by default, which nodes aggregate and gather.
CREATE OR REPLACE FUNCTION pg_temp.plan(statement text, pattern text DEFAULT '(?:\w+ )*\w*(?:Aggregate|Gather).*') RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
    IF line ~ pattern THEN
      RETURN NEXT substring(line FROM pattern);
    END IF;
  END LOOP;
END
$$;

-- A file as text.
CREATE OR REPLACE FUNCTION pg_temp.text(content bytea) RETURNS text
LANGUAGE sql AS $$
  SELECT pg_catalog.convert_from(content, 'UTF8')
$$;

-- Can this server parse XML?  Without libxml it cannot.
SELECT pg_temp.error($$ SELECT '<a/>'::xml $$) LIKE 'no error%' AS has_libxml \gset

\set ECHO all
