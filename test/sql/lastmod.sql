\getenv abs_srcdir PG_ABS_SRCDIR
\set helpers :abs_srcdir /sql/include/helpers.sql
\i :helpers
-- The session's settings have no part in it: the same four times.
CREATE TEMP TABLE setting (n serial, timezone text, datestyle text, intervalstyle text, extra_float_digits text, bytea_output text);
INSERT INTO setting (timezone, datestyle, intervalstyle, extra_float_digits, bytea_output) VALUES
	('UTC', 'ISO, MDY', 'postgres', '1', 'hex'),
	('Asia/Kathmandu', 'German, DMY', 'iso_8601', '-15', 'escape'),
	('America/St_Johns', 'SQL, DMY', 'sql_standard', '3', 'hex'),
	('Pacific/Kiritimati', 'Postgres, YMD', 'postgres_verbose', '0', 'escape');
CREATE FUNCTION pg_temp.everything() RETURNS TABLE (n int, result text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT 1, sitemap_url('http://a/', timestamptz '2026-01-02 03:04:05.999999+00')::text
	UNION ALL SELECT 2, sitemap_url('http://a/', timestamptz '2026-01-02 03:04:05.6-08:30')::text
	UNION ALL SELECT 3, sitemap_url('http://a/', timestamp '2026-01-02 03:04:05.999999')::text
	UNION ALL SELECT 4, sitemap_url('http://a/', date '2026-01-02')::text
	UNION ALL SELECT 5, sitemap_url('http://a/', '2026-01-02T03:04:05.678+05:45')::text
	UNION ALL SELECT 6, sitemap_url('http://a/', timestamptz '1969-12-31 23:59:59.5+00', 'daily', 0.8::float4)::text
	UNION ALL SELECT 7, sitemap_url('http://a/', timestamptz '0001-01-01 00:00:00+00', 'daily', 0.123456789)::text
	UNION ALL SELECT 8, sitemap_url('http://a/', timestamptz '9999-12-31 23:59:59.999999+00')::text
	UNION ALL SELECT 9, sitemap_url('http://a/', date '9999-12-31')::text
	UNION ALL SELECT 10, sitemap_agg('http://a/', t) FROM (VALUES (timestamptz '2026-07-02 03:04:05+00')) v (t)
	UNION ALL SELECT 11, sitemap_agg('http://a/', t) FROM (VALUES (timestamp '2026-07-02 03:04:05')) v (t)
	UNION ALL SELECT 12, sitemap_agg('http://a/', t, 'daily', 0.25) FROM (VALUES (date '2026-07-02')) v (t)
	UNION ALL SELECT 13, pg_temp.text(content) FROM sitemap_files(
		$q$ SELECT 'http://a/' AS loc, timestamptz '2026-07-02 03:04:05+00' AS lastmod, 0.75::numeric AS priority $q$, 'http://a/')
	UNION ALL SELECT 14, pg_temp.text(content) FROM sitemap_files(
		$q$ SELECT 'http://a/' AS loc, timestamp '2026-07-02 03:04:05' AS lastmod, 0.8::float4 AS priority $q$, 'http://a/')
	UNION ALL SELECT 15, extract(epoch FROM lastmod) || ' ' || digest FROM sitemap_files(
		$q$ SELECT 'http://a/' AS loc, date '2026-07-02' AS lastmod $q$, 'http://a/')
	UNION ALL SELECT 16, sitemap_video('http://t', 't', 'd', 'http://c', rating => 0.1::float4 * 10, price => ARRAY[1.50], price_currency => ARRAY['EUR'],
		expiration_date => timestamptz '2026-07-02 03:04:05+00', publication_date => timestamp '2026-07-02 03:04:05')::text
	UNION ALL SELECT 17, sitemap_news('n', 'en', timestamptz '2026-07-02 03:04:05+00', 't')::text
	UNION ALL SELECT 18, sitemap_news('n', 'en', timestamp '2026-07-02 03:04:05', 't')::text;
END
$$;
CREATE FUNCTION pg_temp.with_settings() RETURNS TABLE (setting int, n int, result text) LANGUAGE plpgsql AS $$
DECLARE
	s record;
BEGIN
	FOR s IN SELECT * FROM setting ORDER BY setting.n LOOP
		PERFORM set_config('timezone', s.timezone, true), set_config('datestyle', s.datestyle, true),
			set_config('intervalstyle', s.intervalstyle, true), set_config('extra_float_digits', s.extra_float_digits, true),
			set_config('bytea_output', s.bytea_output, true);
		RETURN QUERY SELECT s.n, e.* FROM pg_temp.everything() e;
	END LOOP;
END
$$;
SELECT n, count(*), string_agg(DISTINCT result, ' OR ') FROM pg_temp.with_settings() GROUP BY n ORDER BY n;
RESET ALL;
-- a locale with a decimal comma, if the system has one
DO $$
BEGIN
	SET lc_numeric = 'de_DE.UTF-8';
EXCEPTION WHEN OTHERS THEN NULL;
END
$$;
SELECT sitemap_url('http://a/', NULL::date, NULL, 0.25);
RESET lc_numeric;
-- text: the six W3C forms, as they stand
SELECT sitemap_url('http://a/', t) FROM (VALUES ('2026'), ('2026-01'), ('2026-01-02'), ('2026-01-02T03:04Z'), ('2026-01-02T03:04+14:00'), ('2026-01-02T03:04:05Z'),
	('2026-01-02T03:04:05-14:00'), ('2026-01-02T03:04:05.6Z'), ('2026-01-02T03:04:05.6789012345+05:30'), ('2024-02-29'), ('2000-02-29'), ('9999-12-31'), ('0001'),
	(E' \u00A02026-01-02\n'), (''), (' '), (NULL)) v (t);
SELECT pg_temp.brief(format('SELECT sitemap_url(%L, %L::text)', 'http://a/', t)) FROM (VALUES
	('2009-05-25 12:33:02'), ('2009-5-24'), ('2009-05-25T12:33:02'), ('2009-05-25T12:33'), ('2009-05-25T12Z'), ('2009-05-25T12:33:02z'), ('2009-05-25t12:33:02Z'),
	('2009-05-25Z'), ('2009-05-25T12:33:02+0100'), ('2009-05-25T12:33:02+01'), ('2009-05-25T12:33:02.Z'), ('20090525'), ('09-05-25'), ('2009-W22'), ('+2009'), ('now'), ('infinity'),
	('2009-05-25T12:33:02+14:01'), ('2009-05-25T12:33:02-15:00'), ('2009-05-25T12:33:02+05:60'), ('2026-02-30'), ('2026-02-29'), ('1900-02-29'), ('2026-13'), ('2026-00'), ('2026-01-00'),
	('2026-01-32'), ('2026-04-31'), ('2026-01-02T24:00Z'), ('2026-01-02T23:60Z'), ('2026-01-02T23:59:60Z'), ('10000-01-01'), ('0000'), ('0000-12-31'), ('2026-01-02<'), ('2026-01-02 x')) v (t);
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', '2009-05-25 12:33:02') $$);
-- what cannot be written
SELECT pg_temp.brief(format('SELECT sitemap_url(%L, %L::%s)', 'http://a/', t, type)) FROM (VALUES
	('infinity'), ('-infinity'), ('0001-12-31 BC'), ('10000-01-01')) v (t), unnest('{timestamptz,timestamp,date}'::text[]) AS type;
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', timestamptz '9999-12-31 23:30:00-01') $$);
SELECT pg_temp.error($$ SELECT sitemap_url('http://a/', timestamptz '0001-01-01 00:30:00+01') $$);
SELECT sitemap_url('http://a/', timestamptz '10000-01-01 00:30:00+01');
SELECT pg_temp.error($$ SELECT sitemap_agg('http://a/', timestamptz 'infinity') $$);
SELECT pg_temp.error($$ SELECT sitemap_index_agg('http://a/', date 'infinity') $$);
SELECT pg_temp.error($$ SELECT sitemap_agg(loc, lastmod) FROM (VALUES ('http://a/', NULL), ('http://b/', 'yesterday')) v (loc, lastmod) $$);
SELECT pg_temp.error($$ SELECT sitemap_files('SELECT ''http://a/'' AS loc, timestamp ''infinity'' AS lastmod', 'http://a/') $$);
-- which overload a literal or a NULL takes
SELECT sitemap_url('http://a/', '2026-01'), sitemap_url('http://a/', NULL), sitemap_url('http://a/', lastmod => '2026'), sitemap_url('http://a/', priority => 1);
-- the newest lastmod of a file, whatever form it has
SELECT t, to_char(lastmod AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') FROM (VALUES ('2026'), ('2026-03'), ('2024-02-29'), ('2000-02-29'), ('1900-02-28'), ('0001'), ('9999-12-31'), ('2026-01-02T03:04Z'), ('2026-01-02T00:30:00+01:00'), ('2025-12-31T23:30:00.999-05:45'),
	('1969-12-31T23:59:59.9Z')) v (t), sitemap_files(format('SELECT ''/'' AS loc, %L AS lastmod', t), 'http://a/');
SELECT count(*) FROM generate_series(timestamp '1890-01-01', '2110-01-01', '1 day') t, sitemap_files(format('SELECT ''/'' AS loc, to_char(timestamp %L, ''YYYY-MM-DD"T"HH24:MI:SS"Z"'') AS lastmod', t), 'http://a/') WHERE lastmod AT TIME ZONE 'UTC' IS DISTINCT FROM t;
SELECT to_char(lastmod AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') FROM sitemap_files($$ SELECT '/' || n AS loc, t AS lastmod FROM (VALUES (1, '2026-01-02T00:30:00+01:00'), (2, '2026-01-01T23:45:00Z'), (3, NULL), (4, '2026')) v (n, t) $$, 'http://a/');
