--
-- lastmod: which dates there are, and what is written.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- text: the six forms of a W3C datetime, as they stand.
SELECT sitemap_url('http://a/', t)
  FROM unnest(ARRAY['2026', '2026-01', '2026-01-02', '2026-01-02T03:04Z', '2026-01-02T03:04:05-14:00', '2026-01-02T03:04:05.6789012345+05:30',
                    E' \u00A02026-01-02\n', '', ' ', NULL]) t;

-- Nothing else, and no date that does not exist; test/unit/test_w3cdate.c has all cases.
SELECT pg_temp.brief(format('SELECT sitemap_url(%L, %L::text)', 'http://a/', t))
  FROM unnest('{now,10000-01-01,2026-01-02<,2026-02-30,0000,2009-05-25T12:33:02+14:01}'::text[]) t;
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', '2009-05-25 12:33:02') $$);

-- Infinity and years outside 0001 to 9999 cannot be written, also after conversion to UTC.
SELECT pg_temp.brief(format('SELECT sitemap_url(%L, %L::%s)', 'http://a/', t, type))
  FROM unnest('{infinity,-infinity,0001-12-31 BC,10000-01-02}'::text[]) t,
       unnest('{timestamptz,timestamp,date}'::text[]) type;
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', timestamptz '9999-12-31 23:30:00-01') $$);
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', timestamptz '0001-01-01 00:30:00+01') $$);
SELECT sitemap_url('http://a/', timestamptz '10000-01-01 00:30:00+01');

-- The same in aggregates and files.
SELECT pg_temp.error($$ SELECT sitemap_agg('http://a/', timestamptz 'infinity') $$);
SELECT pg_temp.error($$ SELECT sitemap_index_agg('http://a/', date 'infinity') $$);
SELECT pg_temp.error($$
  SELECT sitemap_agg(loc, lastmod)
    FROM (VALUES ('http://a/', NULL), ('http://b/', 'yesterday')) v (loc, lastmod)
$$);
SELECT pg_temp.error($$
  SELECT sitemap_files('SELECT ''http://a/'' AS loc, timestamp ''infinity'' AS lastmod', 'http://a/')
$$);

-- A literal without a type is text, and so is NULL.
SELECT sitemap_url('http://a/', '2026-01'),
       sitemap_url('http://a/', NULL),
       sitemap_url('http://a/', lastmod => '2026'),
       sitemap_url('http://a/', priority => 1);

-- The newest lastmod of a file, whatever its form: the begin of a year, month or day.
SELECT t, to_char(lastmod AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')
  FROM unnest('{2026,2026-03,2024-02-29,9999-12-31,2026-01-02T00:30:00+01:00,2025-12-31T23:30:00.999-05:45,1969-12-31T23:59:59.9Z}'::text[]) t,
       sitemap_files(format('SELECT ''/'' AS loc, %L AS lastmod', t), 'http://a/');
SELECT to_char(lastmod AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')
  FROM sitemap_files($$
         SELECT '/' || n AS loc, t AS lastmod
           FROM (VALUES (1, '2026-01-02T00:30:00+01:00'),
                        (2, '2026-01-01T23:45:00Z'),
                        (3, NULL),
                        (4, '2026')) v (n, t)
       $$, 'http://a/');

-- sitemap_url and sitemap_news take a date of any of these types; a domain is as its base.
CREATE DOMAIN lastmod_day AS date;
SELECT sitemap_url('http://a/', '2026-01-02'::lastmod_day), sitemap_url('http://a/', '2026-01'::varchar), sitemap_url('http://a/', '2026');
SELECT pg_temp.brief(format('SELECT sitemap_url(%L, %s)', 'http://a/', lastmod))
  FROM unnest(ARRAY['1767225600', 'to_jsonb(now())', 'time ''03:04'''] ) lastmod;
SELECT pg_temp.brief($$SELECT sitemap_news('n', 'en', 1767225600, 't')$$);
DROP DOMAIN lastmod_day;
