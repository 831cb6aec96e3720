--
-- No setting of the session changes what is written.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

CREATE TEMP TABLE setting (
  n serial,
  timezone text,
  datestyle text,
  intervalstyle text,
  extra_float_digits text,
  bytea_output text
);
INSERT INTO setting (timezone, datestyle, intervalstyle, extra_float_digits, bytea_output) VALUES
  ('UTC', 'ISO, MDY', 'postgres', '1', 'hex'),
  ('Asia/Kathmandu', 'German, DMY', 'iso_8601', '-15', 'escape'),
  ('America/St_Johns', 'SQL, DMY', 'sql_standard', '3', 'hex'),
  ('Pacific/Kiritimati', 'Postgres, YMD', 'postgres_verbose', '0', 'escape');

-- All that dates and numbers go into.
CREATE FUNCTION pg_temp.everything() RETURNS TABLE (n int, result text) LANGUAGE plpgsql AS $$
BEGIN
  -- pages
  RETURN QUERY VALUES
    (1, sitemap_url('http://a/', timestamptz '2026-01-02 03:04:05.999999+00')::text),
    (2, sitemap_url('http://a/', timestamptz '2026-01-02 03:04:05.6-08:30')::text),
    (3, sitemap_url('http://a/', timestamp '2026-01-02 03:04:05.999999')::text),
    (4, sitemap_url('http://a/', date '2026-01-02')::text),
    (5, sitemap_url('http://a/', '2026-01-02T03:04:05.678+05:45')::text),
    (6, sitemap_url('http://a/', timestamptz '1969-12-31 23:59:59.5+00', 'daily', 0.8::float4)::text),
    (7, sitemap_url('http://a/', timestamptz '0001-01-01 00:00:00+00', 'daily', 0.123456789)::text),
    (8, sitemap_url('http://a/', timestamptz '9999-12-31 23:59:59.999999+00')::text),
    (9, sitemap_url('http://a/', date '9999-12-31')::text);

  -- documents
  RETURN QUERY
    SELECT 10, sitemap_agg('http://a/', t) FROM (VALUES (timestamptz '2026-07-02 03:04:05+00')) v (t);
  RETURN QUERY
    SELECT 11, sitemap_agg('http://a/', t) FROM (VALUES (timestamp '2026-07-02 03:04:05')) v (t);
  RETURN QUERY
    SELECT 12, sitemap_agg('http://a/', t, 'daily', 0.25) FROM (VALUES (date '2026-07-02')) v (t);

  -- files
  RETURN QUERY
    SELECT 13, pg_temp.text(content)
      FROM sitemap_files($q$
             SELECT 'http://a/' AS loc,
                    timestamptz '2026-07-02 03:04:05+00' AS lastmod,
                    0.75::numeric AS priority
           $q$, 'http://a/');
  RETURN QUERY
    SELECT 14, pg_temp.text(content)
      FROM sitemap_files($q$
             SELECT 'http://a/' AS loc,
                    timestamp '2026-07-02 03:04:05' AS lastmod,
                    0.8::float4 AS priority
           $q$, 'http://a/');
  RETURN QUERY
    SELECT 15, extract(epoch FROM lastmod) || ' ' || digest
      FROM sitemap_files($q$ SELECT 'http://a/' AS loc, date '2026-07-02' AS lastmod $q$, 'http://a/');

  -- extensions
  RETURN QUERY VALUES
    (16, sitemap_video('http://t', 't', 'd', 'http://c',
                       rating => 0.1::float4 * 10,
                       price => ARRAY[1.50], price_currency => ARRAY['EUR'],
                       expiration_date => timestamptz '2026-07-02 03:04:05+00',
                       publication_date => timestamp '2026-07-02 03:04:05')::text),
    (17, sitemap_news('n', 'en', timestamptz '2026-07-02 03:04:05+00', 't')::text),
    (18, sitemap_news('n', 'en', timestamp '2026-07-02 03:04:05', 't')::text);
END
$$;

CREATE FUNCTION pg_temp.with_settings() RETURNS TABLE (setting int, n int, result text)
LANGUAGE plpgsql AS $$
DECLARE
  s record;
BEGIN
  FOR s IN SELECT * FROM setting ORDER BY setting.n LOOP
    PERFORM set_config('timezone', s.timezone, true),
            set_config('datestyle', s.datestyle, true),
            set_config('intervalstyle', s.intervalstyle, true),
            set_config('extra_float_digits', s.extra_float_digits, true),
            set_config('bytea_output', s.bytea_output, true);
    RETURN QUERY SELECT s.n, e.* FROM pg_temp.everything() e;
  END LOOP;
END
$$;

-- Four settings, one result.
SELECT n, count(*), string_agg(DISTINCT result, ' OR ')
  FROM pg_temp.with_settings()
 GROUP BY n
 ORDER BY n;
RESET ALL;
SET client_min_messages = warning;

-- A locale with a decimal comma, if the system has one.
DO $$
BEGIN
  SET lc_numeric = 'de_DE.UTF-8';
EXCEPTION WHEN OTHERS THEN
  NULL;
END
$$;
SELECT sitemap_url('http://a/', NULL::date, NULL, 0.25);
