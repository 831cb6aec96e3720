--
-- lastmod: which dates there are, and what is written.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql

-- text: the six forms of a W3C datetime, as they stand.
SELECT sitemap_url('http://a/', t)
  FROM (VALUES
    ('2026'),
    ('2026-01'),
    ('2026-01-02'),
    ('2026-01-02T03:04Z'),
    ('2026-01-02T03:04+14:00'),
    ('2026-01-02T03:04:05Z'),
    ('2026-01-02T03:04:05-14:00'),
    ('2026-01-02T03:04:05.6Z'),
    ('2026-01-02T03:04:05.6789012345+05:30'),
    ('2024-02-29'),
    ('2000-02-29'),
    ('9999-12-31'),
    ('0001'),
    (E' \u00A02026-01-02\n'),
    (''),
    (' '),
    (NULL)
  ) v (t);

-- Nothing else, and no date that does not exist.
SELECT pg_temp.brief(format('SELECT sitemap_url(%L, %L::text)', 'http://a/', t))
  FROM (VALUES
    -- no such form
    ('2009-05-25 12:33:02'),
    ('2009-5-24'),
    ('2009-05-25T12:33:02'),
    ('2009-05-25T12:33'),
    ('2009-05-25T12Z'),
    ('2009-05-25T12:33:02z'),
    ('2009-05-25t12:33:02Z'),
    ('2009-05-25Z'),
    ('2009-05-25T12:33:02+0100'),
    ('2009-05-25T12:33:02+01'),
    ('2009-05-25T12:33:02.Z'),
    ('20090525'),
    ('09-05-25'),
    ('2009-W22'),
    ('+2009'),
    ('now'),
    ('infinity'),
    -- no such zone
    ('2009-05-25T12:33:02+14:01'),
    ('2009-05-25T12:33:02-15:00'),
    ('2009-05-25T12:33:02+05:60'),
    -- no such day or time
    ('2026-02-30'),
    ('2026-02-29'),
    ('1900-02-29'),
    ('2026-13'),
    ('2026-00'),
    ('2026-01-00'),
    ('2026-01-32'),
    ('2026-04-31'),
    ('2026-01-02T24:00Z'),
    ('2026-01-02T23:60Z'),
    ('2026-01-02T23:59:60Z'),
    ('10000-01-01'),
    ('0000'),
    ('0000-12-31'),
    -- something after it
    ('2026-01-02<'),
    ('2026-01-02 x')
  ) v (t);
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', '2009-05-25 12:33:02') $$);

-- Infinity and years outside 0001 to 9999 cannot be written, also after conversion to UTC.
SELECT pg_temp.brief(format('SELECT sitemap_url(%L, %L::%s)', 'http://a/', t, type))
  FROM (VALUES
    ('infinity'),
    ('-infinity'),
    ('0001-12-31 BC'),
    ('10000-01-02')
  ) v (t),
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
  FROM (VALUES
    ('2026'),
    ('2026-03'),
    ('2024-02-29'),
    ('2000-02-29'),
    ('1900-02-28'),
    ('0001'),
    ('9999-12-31'),
    ('2026-01-02T03:04Z'),
    ('2026-01-02T00:30:00+01:00'),
    ('2025-12-31T23:30:00.999-05:45'),
    ('1969-12-31T23:59:59.9Z')
  ) v (t),
  sitemap_files(format('SELECT ''/'' AS loc, %L AS lastmod', t), 'http://a/');
SELECT to_char(lastmod AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')
  FROM sitemap_files($$
         SELECT '/' || n AS loc, t AS lastmod
           FROM (VALUES (1, '2026-01-02T00:30:00+01:00'),
                        (2, '2026-01-01T23:45:00Z'),
                        (3, NULL),
                        (4, '2026')) v (n, t)
       $$, 'http://a/');

-- A fraction of a second can be long, but not without end.
SELECT pg_temp.brief(format('SELECT sitemap_url(%L, %L::text)', 'http://a/', rpad('2026-01-01T00:00:00.', n - 1, '1') || 'Z'))
  FROM unnest(ARRAY[255, 256]) n;

-- It is right for every day of 220 years.
SELECT count(*)
  FROM generate_series(timestamp '1890-01-01', '2110-01-01', '1 day') t,
       sitemap_files(format('SELECT %L AS loc, %L AS lastmod', '/', to_char(t, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
                     'http://a/')
 WHERE lastmod AT TIME ZONE 'UTC' IS DISTINCT FROM t;

-- sitemap_url and sitemap_news take a date of any of these types; a domain is as its base.
CREATE DOMAIN lastmod_day AS date;
SELECT sitemap_url('http://a/', '2026-01-02'::lastmod_day), sitemap_url('http://a/', '2026-01'::varchar), sitemap_url('http://a/', '2026');
SELECT pg_temp.brief(format('SELECT sitemap_url(%L, %s)', 'http://a/', lastmod))
  FROM unnest(ARRAY['1767225600', 'to_jsonb(now())', 'time ''03:04'''] ) lastmod;
SELECT pg_temp.brief($$SELECT sitemap_news('n', 'en', 1767225600, 't')$$);
DROP DOMAIN lastmod_day;
