--
-- changefreq and priority.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- changefreq: seven words, whatever their case and the blanks around them; blank is nothing.
SELECT sitemap_url('http://a/', NULL::date, c)
  FROM unnest(ARRAY['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never', ' Daily ', E'\tNEVER\n', E'\u3000weekly\u00A0', '', '  ', NULL]) c;
SELECT pg_temp.brief(format('SELECT sitemap_url(%L, changefreq => %L)', 'http://a/', c))
  FROM unnest('{day,da ily,dailyy,<daily>,ɴever}'::text[]) c;
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', changefreq => 'biweekly') $$);

-- priority: one to six decimals, without an exponent; test/unit/test_decimal.c has all cases.
SELECT p, sitemap_url('http://a/', priority => p) FROM unnest('{0.8,1,0,-0,1e-5,0.1234567,0.9999999,NULL}'::float8[]) p;
SELECT sitemap_url('http://a/', priority => p) FROM unnest('{0.8,0.1,1,-0}'::float4[]) p;
SELECT sitemap_url('http://a/', priority => 0.80), sitemap_url('http://a/', priority => 1::int), sitemap_url('http://a/', priority => 0::bigint);

-- It is from 0.0 to 1.0.
SELECT pg_temp.brief(format('SELECT sitemap_url(%L, priority => %L)', 'http://a/', p))
  FROM unnest('{-0.1,1.1,NaN,Infinity,-Infinity,-1e-300,1.0000000001,1e300}'::float8[]) p;

-- The same in the aggregates.
SELECT sitemap_agg('http://a/' || n, NULL::date, c, p ORDER BY n)
  FROM (VALUES (1, ' Weekly', 0.25), (2, NULL, NULL), (3, '', 1)) v (n, c, p);
SELECT pg_temp.error($$
  SELECT sitemap_agg('http://a/', NULL::date, c, 0.5) FROM (VALUES ('daily'), ('now')) v (c)
$$);
SELECT pg_temp.error($$
  SELECT sitemap_agg('http://a/', NULL::date, 'daily', p) FROM (VALUES (0.5), ('NaN')) v (p)
$$);

-- The query of sitemap_files can have any text or enum, and any number.
CREATE TYPE pg_temp.freq AS ENUM ('daily', 'Weekly', 'sometimes');
CREATE DOMAIN pg_temp.share AS numeric(3,2) CHECK (VALUE <= 2);
CREATE TEMP TABLE hint (
  loc text, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, num numeric, share pg_temp.share,
  enum pg_temp.freq, name name, varchar varchar(10), bpchar char(10), char "char"
);
INSERT INTO hint
VALUES ('/', 1, 0, 1, 0.8, 0.8, 0.80, 0.05, 'Weekly', 'never', 'Daily', 'monthly', 'd');
SELECT c, p, regexp_replace(pg_temp.text(content), '^.*<url>(.*)</url>.*$', '\1')
  FROM (VALUES ('enum', 'i2'), ('name', 'i4'), ('varchar', 'i8'), ('bpchar', 'f4'), ('enum', 'f8'), ('name', 'num'), ('varchar', 'share')) v (c, p),
       sitemap_files(format('SELECT loc, %I AS changefreq, %I AS priority FROM hint', c, p), 'http://a/');

-- Values and types that cannot be.
SELECT pg_temp.error($$ SELECT sitemap_files('SELECT loc, "char" AS changefreq FROM hint', 'http://a/') $$);
SELECT pg_temp.error($$
  SELECT sitemap_files('SELECT loc, ''sometimes''::pg_temp.freq AS changefreq FROM hint', 'http://a/')
$$);
SELECT pg_temp.error($$
  SELECT sitemap_files('SELECT loc, p AS priority FROM hint, (VALUES (1), (1.01)) v (p)', 'http://a/')
$$);
SELECT pg_temp.brief(format('SELECT sitemap_files(%L, %L)',
                            format('SELECT ''/'' AS loc, %L::%s AS priority', p, t), 'http://a/'))
  FROM (VALUES ('-1', 'int2'), ('2', 'int4'), ('9223372036854775807', 'int8'), ('NaN', 'numeric'), ('1e400', 'numeric'), ('Infinity', 'numeric'), ('NaN', 'float4')) v (p, t);
