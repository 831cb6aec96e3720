--
-- No setting of the session changes what is written.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- All that dates and numbers go into.
CREATE TEMP TABLE expression AS
SELECT n, expression
  FROM unnest(ARRAY[
         $$ sitemap_url('http://a/', timestamptz '2026-01-02 03:04:05.999999+00') $$,
         $$ sitemap_url('http://a/', timestamptz '2026-01-02 03:04:05.6-08:30') $$,
         $$ sitemap_url('http://a/', timestamp '2026-01-02 03:04:05.999999') $$,
         $$ sitemap_url('http://a/', date '2026-01-02') $$,
         $$ sitemap_url('http://a/', '2026-01-02T03:04:05.678+05:45') $$,
         $$ sitemap_url('http://a/', timestamptz '1969-12-31 23:59:59.5+00', 'daily', 0.8::float4) $$,
         $$ sitemap_url('http://a/', timestamptz '0001-01-01 00:00:00+00', 'daily', 0.123456789) $$,
         $$ sitemap_url('http://a/', timestamptz '9999-12-31 23:59:59.999999+00') $$,
         $$ sitemap_url('http://a/', date '9999-12-31') $$,
         $$ SELECT sitemap_agg('http://a/', timestamptz '2026-07-02 03:04:05+00') $$,
         $$ SELECT sitemap_agg('http://a/', timestamp '2026-07-02 03:04:05') $$,
         $$ SELECT sitemap_agg('http://a/', date '2026-07-02', 'daily', 0.25) $$,
         $$ SELECT pg_temp.text(content)
              FROM sitemap_files('SELECT ''/'' AS loc, timestamptz ''2026-07-02 03:04:05+00'' AS lastmod, 0.75::numeric AS priority', 'http://a/') $$,
         $$ SELECT pg_temp.text(content)
              FROM sitemap_files('SELECT ''/'' AS loc, timestamp ''2026-07-02 03:04:05'' AS lastmod, 0.8::float4 AS priority', 'http://a/') $$,
         $$ SELECT extract(epoch FROM lastmod) || ' ' || digest FROM sitemap_files('SELECT ''/'' AS loc, date ''2026-07-02'' AS lastmod', 'http://a/') $$,
         $$ sitemap_video('http://t', 't', 'd', 'http://c', rating => 0.1::float4 * 10, price => ARRAY[1.50], price_currency => ARRAY['EUR'],
                          expiration_date => timestamptz '2026-07-02 03:04:05+00', publication_date => timestamp '2026-07-02 03:04:05') $$,
         $$ sitemap_news('n', 'en', timestamptz '2026-07-02 03:04:05+00', 't') $$,
         $$ sitemap_news('n', 'en', timestamp '2026-07-02 03:04:05', 't') $$]) WITH ORDINALITY u (expression, n);
-- Its value under other settings, in a plan that is made under them.
CREATE FUNCTION pg_temp.evaluate(expression text, settings text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  PERFORM set_config(name, value, true)
    FROM unnest('{timezone,datestyle,intervalstyle,extra_float_digits,bytea_output}'::text[], settings) s (name, value);
  EXECUTE format('SELECT (%s)::text', expression) INTO result;
  RETURN result;
END
$$;

-- Four settings, one result.
SELECT n, count(*), string_agg(DISTINCT pg_temp.evaluate(expression, settings), ' OR ')
  FROM expression,
       (VALUES ('{UTC,"ISO, MDY",postgres,1,hex}'::text[]),
               ('{Asia/Kathmandu,"German, DMY",iso_8601,-15,escape}'),
               ('{America/St_Johns,"SQL, DMY",sql_standard,3,hex}'),
               ('{Pacific/Kiritimati,"Postgres, YMD",postgres_verbose,0,escape}')) v (settings)
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
