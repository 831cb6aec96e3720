-- A report about a table of jobs, as one HTML file without scripts:
--
--	psql -Xq -v jobs=site -f examples/report/report.sql shop >report.html
--
-- Further variables, each given with -v:
--
--	history		table that keeps the rows of earlier runs (doc/operations.md), for the plots;
--			default: the name of jobs with _history, if the owner of jobs has such a table
--	base_url	report only on this site
--	robots		text of robots.txt, for the audit
--	audit		on, off; default: on, unless the sections have more than a million URLs
--
-- The report reads all files of the target, in one snapshot.  Then, for the audit, it runs each
-- job's query once, but none that has failed, or whose last run took longer than a minute.  The
-- role, best the owner of the jobs, needs SELECT on these and on the tables of the queries, and
-- TEMPORARY on the database.  Only the queries run with the role's search_path: everything else is
-- PostgreSQL's own, or named with its schema and all of its arguments, so no function of another
-- role is called in its place.

\set ON_ERROR_STOP on
\set QUIET on
\pset format unaligned
\pset tuples_only on
\pset null ''
\encoding UTF8
\if :{?jobs}
\else
	\set jobs site
\endif
\if :{?base_url}
\else
	\set base_url ''
\endif
\if :{?history}
\else
	\set history ''
\endif
\if :{?robots}
\else
	\set robots ''
\endif
\if :{?audit}
\else
	\set audit ''
\endif
SELECT :'jobs'::pg_catalog.regclass::pg_catalog.oid AS jobs_oid,
       coalesce(pg_catalog.to_regclass(CASE WHEN :'history' OPERATOR(pg_catalog.<>) '' THEN :'history' END)::pg_catalog.oid, 0) AS history_oid,
       pg_catalog.current_setting('search_path') AS search_path \gset
SET search_path = pg_catalog, pg_temp;

-- From here on, jobs, history and sitemap (the extension's schema) are names as written in SQL.
SELECT c.oid::regclass AS jobs, coalesce(h.oid::regclass::text, '') AS history, h.oid IS NOT NULL AS has_history,
       (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'sitemap') AS sitemap
  FROM pg_class c
  LEFT JOIN pg_class h ON h.relowner = c.relowner AND h.relkind IN ('r', 'p')
                      AND CASE WHEN :'history' = '' THEN h.relnamespace = c.relnamespace AND h.relname = c.relname || '_history' ELSE h.oid = :history_oid END
 WHERE c.oid = :jobs_oid \gset

-- Escape text for HTML, also in attributes.
CREATE FUNCTION pg_temp.html(value text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
	SELECT replace(replace(replace(replace(value, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;')
$$;

-- A link, if the URL has no other characters than RFC 3986.  A browser would run a URL of another scheme as a script.
CREATE FUNCTION pg_temp.link(url text, label text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
	SELECT CASE WHEN url ~ '^https?://[]A-Za-z0-9_:/?#[@!$&''()*+,;=.~%-]+$' THEN format('<a href="%s">%s</a>', pg_temp.html(url), pg_temp.html(label))
	            ELSE pg_temp.html(label) END
$$;

-- A URL without percent-encoding, for people; the URL itself if that is not UTF-8.
CREATE FUNCTION pg_temp.decode_url(url text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	RETURN convert_from(decode(string_agg(coalesce(m[1], encode(convert_to(m[2], 'UTF8'), 'hex')), '' ORDER BY n), 'hex'), 'UTF8')
	  FROM regexp_matches(url, '%([0-9A-Fa-f]{2})|(.)', 'g') WITH ORDINALITY u (m, n);
EXCEPTION WHEN OTHERS THEN
	RETURN url;
END
$$;

CREATE FUNCTION pg_temp.number(value numeric) RETURNS text IMMUTABLE LANGUAGE sql AS $$
	SELECT to_char(value, 'FM999,999,999,999,990')
$$;
-- "1 file", "2,000 files"; NULL if there are none.
CREATE FUNCTION pg_temp.several(value numeric, one text, more text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
	SELECT CASE WHEN value = 1 THEN '1 ' || one WHEN value > 0 THEN pg_temp.number(value) || ' ' || more END
$$;
CREATE FUNCTION pg_temp.minute(value timestamptz) RETURNS text STABLE LANGUAGE sql AS $$
	SELECT to_char(value, 'YYYY-MM-DD HH24:MI')
$$;
-- A time as its distance from now, in the largest unit.
CREATE FUNCTION pg_temp.ago(value timestamptz) RETURNS text STABLE LANGUAGE sql AS $$
	SELECT format('<time datetime="%s" title="%s">%s ago</time>',
	              to_char(value AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char(value, 'YYYY-MM-DD HH24:MI:SS TZ'),
	              coalesce(pg_temp.several(floor(age / 86400), 'day', 'days'), pg_temp.several(floor(age / 3600), 'hour', 'hours'),
	                       pg_temp.several(floor(age / 60), 'minute', 'minutes'), pg_temp.several(floor(age), 'second', 'seconds'), '0 seconds'))
	  FROM extract(epoch FROM now() - value) age
	 WHERE isfinite(value)
$$;
-- A cell of a table; the label shows on narrow screens, where each row is a block.
CREATE FUNCTION pg_temp.cell(label text, html text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
	SELECT format('<td data-label="%s">%s</td>', label, html)
$$;
-- A fact of a card; nothing without a value.
CREATE FUNCTION pg_temp.fact(label text, html text, class text DEFAULT NULL) RETURNS text IMMUTABLE LANGUAGE sql AS $$
	SELECT format('<div%s><dt>%s</dt><dd>%s</dd></div>', ' class="' || class || '"', label, html) WHERE html <> ''
$$;

-- The sections: their state, and the rows of their jobs.  trouble: the lower, the worse; NULL if all is well.
-- sitemap_status sees newer rows than this transaction, so what it says is not read again from the jobs.

BEGIN ISOLATION LEVEL REPEATABLE READ;
-- before the snapshot
LOCK TABLE :jobs IN ACCESS SHARE MODE;
CREATE TEMPORARY TABLE report_status AS
SELECT * FROM :sitemap.sitemap_status(:jobs_oid::regclass) s WHERE :'base_url' IN ('', s.base_url);
CREATE TEMPORARY TABLE report_section AS
SELECT row_number() OVER (ORDER BY trouble, s.base_url, s.section) AS n, s.*
  FROM (SELECT s.*, j.target, j.query, j.format, j.compression, j.max_urls, j.max_bytes, j.split, j.index, j.scope, j.protocol, j.every,
               now() - s.age AS finished, j.files, j.written, j.seconds, j.failures,
               s.urls = 0 AS is_empty, format('(base_url, section) = (%L, %L)', s.base_url, s.section) AS condition,
               CASE WHEN s.state IN ('ok', 'due', 'running') AND s.urls = 0 AND j.max_shrink IS DISTINCT FROM 1 THEN 7
                    ELSE array_position('{failing,waiting,never ran,late,no job,unwatched}', s.state) END AS trouble
          FROM report_status s
          LEFT JOIN :jobs j ON j.base_url = s.base_url AND j.section = s.section
         WHERE s.section IS NOT NULL) s;

-- Files, of targets that are tables and have the columns

CREATE TEMPORARY TABLE report_file (base_url text, section text, name text, kind text, loc text, lastmod timestamptz, url_count int, byte_count bigint, stored bigint);
CREATE TEMPORARY TABLE report_sample (base_url text, section text, n bigint, loc text, lastmod text, images text, languages text);
CREATE TEMPORARY VIEW report_target AS
SELECT DISTINCT target FROM report_section JOIN pg_class c ON c.oid = target
 WHERE relkind IN ('r', 'p')
   AND NOT EXISTS (SELECT attname, atttypid FROM pg_attribute WHERE attrelid = (:'sitemap' || '.sitemap_file')::regclass AND attname <> 'shown'
                   EXCEPT SELECT attname, atttypid FROM pg_attribute WHERE attrelid = c.oid);
SELECT format('INSERT INTO report_file SELECT base_url, section, name, kind, loc, lastmod, url_count, byte_count, octet_length(content) FROM %s WHERE base_url IN (SELECT base_url FROM report_section)', target)
  FROM report_target \gexec

-- A sample of the pages of each section, from its largest file.  Extension elements are well-formed XML of sitemap_parse.
SELECT format($$
	INSERT INTO report_sample
	SELECT base_url, section, n, loc, lastmod, images, languages
	  FROM (SELECT file.base_url, file.section, file.url_count, e.*, row_number() OVER (PARTITION BY file.base_url, file.section) AS n
	          FROM (SELECT DISTINCT ON (base_url, section) base_url, section, url_count, content
	                  FROM %s WHERE kind = 'urlset' AND digest IS NOT NULL AND base_url IN (SELECT base_url FROM report_section)
	                 ORDER BY base_url, section, url_count DESC, name LIMIT 100) file
	         CROSS JOIN LATERAL %s.sitemap_parse(file.content, 52428800::bigint, 'error'::text) e) page
	 CROSS JOIN LATERAL (SELECT string_agg(format('<a href="%%s">%%s</a>', replace(url, '"', '&quot;'), place), ' ' ORDER BY place) AS images
	                       FROM (SELECT substring(x::text, '<image:loc[^>]*>\s*(https?://[^<]*?)\s*</image:loc>'), row_number() OVER ()
	                               FROM unnest(extensions) x WHERE x::text ~ '<image:loc') u (url, place)
	                      WHERE url IS NOT NULL) i
	 CROSS JOIN LATERAL (SELECT string_agg(DISTINCT replace(language, '"', '&quot;'), ' ') AS languages
	                       FROM (SELECT substring(x::text, '<xhtml:link[^>]* hreflang="([^"<]*)"') FROM unnest(extensions) x) u (language)) l
	 WHERE n %% greatest(url_count / 10, 1) = 0$$, target, :'sitemap')
  FROM report_target \gexec

-- Plots of the last 500 runs: URLs as a line, files written as bars, failures as bars of full height

CREATE TEMPORARY TABLE report_run (base_url text, section text, at timestamptz, urls bigint, written int, failed bool);
\if :has_history
INSERT INTO report_run
SELECT base_url, section, CASE WHEN failures > 0 THEN started ELSE finished END, coalesce(urls, 0), coalesce(written, 0), failures > 0
  FROM :history WHERE base_url IN (SELECT base_url FROM report_section) AND isfinite(CASE WHEN failures > 0 THEN started ELSE finished END);
\endif
CREATE TEMPORARY TABLE report_plot AS
WITH run AS (
	SELECT base_url, section, at, urls, written, failed,
	       CASE WHEN last > first THEN extract(epoch FROM at - first) / extract(epoch FROM last - first) ELSE 0.5 END * 300 + 10 AS x,
	       first, last, most_urls, most_written
	  FROM (SELECT *, min(at) OVER section AS first, max(at) OVER section AS last,
	               greatest(max(urls) OVER section, 1) AS most_urls, greatest(max(written) OVER section, 1) AS most_written
	          FROM (SELECT *, row_number() OVER (PARTITION BY base_url, section ORDER BY at DESC) AS n FROM report_run) numbered
	         WHERE n <= 500
	        WINDOW section AS (PARTITION BY base_url, section)) limited)
SELECT base_url, section,
       format('<svg viewBox="0 0 320 110" role="img"><title>The line shows the URLs, a bar the files that a run wrote, a red bar a failure</title><line x1="10" y1="90" x2="310" y2="90"/>%s<polyline points="%s"/>%s<text x="10" y="10">%s</text><text x="310" y="10" text-anchor="end">%s</text>%s</svg>',
              string_agg(CASE WHEN failed THEN format('<rect class="failure" x="%s" y="15" width="2" height="75"/>', round(x - 1, 1))
                              WHEN written > 0 THEN format('<rect x="%s" y="%s" width="2" height="%s"/>', round(x - 1, 1),
                                                           round(90 - 30.0 * written / most_written, 1), round(30.0 * written / most_written, 1)) END, '' ORDER BY at),
              string_agg(format('%s,%s', round(x, 1), round(90 - 70.0 * urls / most_urls, 1)), ' ' ORDER BY at) FILTER (WHERE NOT failed),
              string_agg(format('<circle cx="%s" cy="%s" r="2"/>', round(x, 1), round(90 - 70.0 * urls / most_urls, 1)), '' ORDER BY at) FILTER (WHERE NOT failed AND first = last),
              pg_temp.several(max(urls), 'URL', 'URLs'), 'at most ' || pg_temp.several(max(written), 'file', 'files') || ' written',
              CASE WHEN pg_temp.minute(min(at)) = pg_temp.minute(max(at)) THEN format('<text x="160" y="105" text-anchor="middle">%s</text>', pg_temp.minute(max(at)))
                   ELSE format('<text x="10" y="105">%s</text><text x="310" y="105" text-anchor="end">%s</text>', pg_temp.minute(min(at)), pg_temp.minute(max(at))) END) AS html
  FROM run GROUP BY base_url, section;

COMMIT;

-- What the audit finds.  A query that fails is a problem as well, and leaves the other sections.

CREATE FUNCTION pg_temp.problems(query text, base_url text, section text, format text, compression int, max_urls int, max_bytes bigint, split text,
                                 index text, scope text, protocol text, robots text, search_path text)
RETURNS TABLE (problem text, nrows bigint, loc text, detail text) LANGUAGE plpgsql AS $$
DECLARE
	audit text := pg_catalog.format('
		SELECT a.problem, pg_catalog.count(*), (pg_catalog.array_agg(a.loc ORDER BY a.row_number))[1], (pg_catalog.array_agg(a.detail ORDER BY a.row_number))[1]
		  FROM %s.sitemap_audit($1, $2, $3, $4, $5, $6, $7, $8, $9, ''error''::pg_catalog.text, $10, NULL::pg_catalog.text, $11, $12,
		                        ''{Googlebot,Bingbot}''::pg_catalog.text[]) a
		 GROUP BY a.problem', (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'sitemap'));
	own_path CONSTANT text := current_setting('search_path');
BEGIN
	PERFORM set_config('search_path', search_path, false);
	RETURN QUERY EXECUTE audit
		USING query, base_url, section, coalesce(format, 'xml'), coalesce(compression, 6), coalesce(max_urls, 50000), coalesce(max_bytes, 52428800),
		      coalesce(split, 'stable'), coalesce(index, 'always'), coalesce(scope, 'host'), coalesce(protocol, '0.9'),
		      CASE WHEN robots OPERATOR(pg_catalog.<>) '' THEN robots END;
	PERFORM pg_catalog.set_config('search_path', own_path, false);
EXCEPTION WHEN OTHERS THEN
	RETURN QUERY SELECT 'no audit', NULL::bigint, NULL, SQLERRM;	-- the search_path is as before
END
$$;
-- Why a section is not audited: a query that fails or takes long would do so again.
CREATE TEMPORARY TABLE report_unaudited AS
SELECT n, reason
  FROM (SELECT n, CASE WHEN state IN ('failing', 'waiting') THEN 'not audited, since the job fails'
                       WHEN seconds > 60 OR state = 'running' AND next_run < now() - interval '1 minute' THEN 'not audited, since a run takes more than a minute'
                       WHEN CASE :'audit' WHEN 'on' THEN false WHEN 'off' THEN true ELSE sum(urls) OVER () > 1000000 END THEN 'not audited' END AS reason
          FROM report_section WHERE query IS NOT NULL) s
 WHERE reason IS NOT NULL;
CREATE TEMPORARY TABLE report_problem (base_url text, section text, section_n bigint, problem text, nrows bigint, loc text, detail text);
-- Each query has a statement, and so a snapshot, of its own.
SELECT format($$INSERT INTO report_problem
	SELECT s.base_url, s.section, s.n, p.*
	  FROM report_section s
	 CROSS JOIN LATERAL pg_temp.problems(query, base_url, section, format, compression, max_urls, max_bytes, split, index, scope, protocol, %L, %L) p
	 WHERE n = %s$$, :'robots', :'search_path', n)
  FROM report_section WHERE query IS NOT NULL AND n NOT IN (SELECT n FROM report_unaudited) ORDER BY n \gexec


SELECT $$<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="referrer" content="no-referrer"/>
<title>Sitemaps</title>
<style>
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --line: #d8dee4; --ground: #fff; --card: #f6f8fa; --bad: #b42318; --warn: #8a5a00; --good: #1a7f37; --plot: #0969da; --bar: #bf8700; }
@media (prefers-color-scheme: dark) {
	:root { --ink: #e6edf3; --soft: #9198a1; --line: #3d444d; --ground: #0d1117; --card: #151b23; --bad: #ff7b72; --warn: #e3b341; --good: #3fb950; --plot: #58a6ff; --bar: #d29922; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 75rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; }
h1 { font-size: 1.1rem; margin: 0; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); font-size: 1.3rem; }
h3 { margin: 0; font-size: 1.1rem; }
h3 small { font-weight: 400; color: var(--soft); }
a { color: var(--plot); }
h1, .soft, dt, th, summary { color: var(--soft); }
summary { cursor: pointer; }
.verdict { font-size: 1.5rem; line-height: 1.3; margin: .5rem 0 1rem; padding-left: .8rem; border-left: .4rem solid var(--good); }
.verdict.bad { border-color: var(--bad); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: 1rem; margin: 1rem 0; align-items: start; }
.card { border: 1px solid var(--line); border-left: .4rem solid var(--good); border-radius: .4rem; padding: .8rem; background: var(--card); min-width: 0; }
.card.bad { border-left-color: var(--bad); }
.card.warn { border-left-color: var(--warn); }
.bad > .state, .bad > dd, strong.bad { color: var(--bad); font-weight: 600; }
.warn > .state, .warn > dd { color: var(--warn); font-weight: 600; }
.good > .state { color: var(--good); }
.card p { margin: .4rem 0; white-space: pre-line; }
code { font-size: .9em; background: var(--ground); border: 1px solid var(--line); border-radius: .2rem; padding: 0 .2rem; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(7rem, 1fr)); gap: .3rem .8rem; margin: .6rem 0; font-size: .9rem; }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, strong { overflow-wrap: normal; }
th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
@media (max-width: 40rem) {
	.wide thead { display: none; }
	.wide, .wide tbody, .wide tr, .wide td { display: block; }
	.wide tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }
	.wide td { border: 0; padding: 0; }
	.wide td::before { content: attr(data-label) ": "; color: var(--soft); }
}
svg { display: block; width: 100%; max-width: 26rem; height: auto; font-size: 9px; }
svg text { fill: var(--soft); }
svg polyline { fill: none; stroke: var(--plot); stroke-width: 1.5; }
svg circle { fill: var(--plot); }
svg rect { fill: var(--bar); }
svg .failure { fill: var(--bad); }
svg line { stroke: var(--line); }
</style>
</head>
<body>$$;

-- The verdict: one sentence that names the sections in trouble, at most five

WITH named AS (
	SELECT trouble, pg_temp.html(CASE WHEN nsites > 1 THEN section || ' of ' || base_url ELSE section END) || ' '
	       || CASE state WHEN 'failing' THEN 'fails' WHEN 'waiting' THEN 'fails' WHEN 'never ran' THEN 'has never run' WHEN 'late' THEN 'is late'
	                     WHEN 'no job' THEN 'has no job' WHEN 'unwatched' THEN 'missed changes' ELSE 'has 0 URLs' END AS fault, n
	  FROM report_section, (SELECT count(DISTINCT base_url) AS nsites FROM report_section) site
	 WHERE trouble IS NOT NULL)
SELECT format('<h1>Sitemaps of database %s, %s</h1>
<p class="verdict %s">%s.%s</p>
<p class="soft">%s</p>',
              pg_temp.html(current_database()), to_char(now(), 'YYYY-MM-DD HH24:MI TZ'),
              CASE WHEN faults > 0 OR nwatches > 0 THEN 'bad' ELSE 'good' END,
              concat_ws('; ', CASE WHEN nwatches > 0 THEN format('<strong class="bad">%s changes</strong>', pg_temp.several(nwatches, 'broken watch loses', 'broken watches lose')) END,
              CASE WHEN faults > 0 THEN format('<strong class="bad">%s of %s you</strong>: %s', pg_temp.number(faults),
                                               CASE WHEN nsections = 1 THEN '1 section needs' ELSE pg_temp.number(nsections) || CASE WHEN faults = 1 THEN ' sections needs' ELSE ' sections need' END END, list)
                   WHEN nwatches > 0 THEN NULL
                   WHEN nsections = 0 THEN 'There are no jobs'
                   WHEN nsections = 1 THEN 'The only section is well'
                   ELSE format('All %s sections are well', pg_temp.number(nsections)) END),
              format(' %s; the last change was %s.', coalesce(pg_temp.several(urls, 'page', 'pages'), '0 pages'),
                     coalesce(pg_temp.ago((SELECT max(lastmod) FROM report_file)), 'never')),
              coalesce((SELECT format('The <a href="#problems">audit</a> of the rows finds %s.',
                                      concat_ws('; ', pg_temp.several(sum(nrows), 'problem', 'problems') || ': ' || pg_temp.html(string_agg(DISTINCT problem, ', ') FILTER (WHERE nrows > 0)),
                                                pg_temp.several(count(*) FILTER (WHERE nrows IS NULL), 'query fails', 'queries fail')))
                          FROM report_problem HAVING count(*) > 0),
                       CASE WHEN EXISTS (SELECT FROM report_unaudited WHERE reason = 'not audited')
                            THEN 'The rows were not audited, as they are with <code>-v audit=on</code>.' ELSE 'The audit of the rows finds no problem.' END))
  FROM (SELECT count(*) AS nsections, sum(urls) AS urls FROM report_section) total,
       (SELECT count(*) AS nwatches FROM report_status WHERE state = 'broken watch') watch,
       (SELECT count(*) AS faults, concat(string_agg(fault, ', ' ORDER BY n) FILTER (WHERE place <= 5), ' and ' || pg_temp.number(nullif(greatest(count(*) - 5, 0), 0)) || ' more') AS list
          FROM (SELECT *, row_number() OVER (ORDER BY n) AS place FROM named) f) fault;

-- A card for each section

CREATE TEMPORARY TABLE report_card AS
SELECT n, trouble IS NOT NULL AS is_open,
       concat(format($$<article class="card %s" id="s%s"><h3>%s <small>%s</small></h3>
<div class="state">%s</div>$$,
                     CASE WHEN trouble <= 4 THEN 'bad' WHEN trouble IS NOT NULL OR is_empty THEN 'warn' ELSE 'good' END, n, pg_temp.html(section),
                     pg_temp.link(base_url || 'sitemap.xml', base_url),
                     concat_ws(', ', state, CASE WHEN trouble <= 2 THEN pg_temp.several(failures, 'failure', 'failures') || ' in a row' END,
                               CASE WHEN is_empty THEN '0 URLs' END, 'process ' || pid)),
              '<p>' || pg_temp.html(regexp_replace(detail, '\nTo run it at the next call: .*', '')) || '</p>',
              '<p><strong>What to do:</strong> '
              || CASE state
                 WHEN 'failing' THEN 'Correct the job, or what its query reads. The next call of <code>sitemap_run</code> tries again; until then, the old files stay.'
                 WHEN 'waiting' THEN format('Correct the job, or what its query reads, then end the wait: <code>%s</code>', pg_temp.html(format('UPDATE %s SET requested = now() WHERE %s', :'jobs', condition)))
                 WHEN 'never ran' THEN 'If the job is not new, look whether the scheduler runs, and into its log, such as <code>cron.job_run_details</code>.'
                 WHEN 'late' THEN 'Look whether the scheduler runs, and into its log, such as <code>cron.job_run_details</code>.'
                 WHEN 'no job' THEN 'If the section was renamed or is gone, remove it as the guide says. Otherwise, insert its job again.'
                 WHEN 'unwatched' THEN format('Call <code>sitemap_watch</code> for the tables that are not watched, then <code>%s</code>', pg_temp.html(format('UPDATE %s SET full_at = NULL WHERE %s', :'jobs', condition)))
                 ELSE CASE WHEN trouble IS NOT NULL THEN 'Run the query of the job by hand.' END END || '</p>',
              '<dl>', pg_temp.fact('URLs', pg_temp.number(urls), CASE WHEN is_empty THEN 'warn' END), pg_temp.fact('files', pg_temp.number(coalesce(files, (SELECT count(*) FROM report_file f WHERE f.base_url = s.base_url AND f.section = s.section AND f.kind <> 'index')))),
              pg_temp.fact('last success', coalesce(pg_temp.ago(finished), CASE WHEN state <> 'no job' THEN 'never' END), CASE WHEN state IN ('late', 'never ran') THEN 'bad' END),
              pg_temp.fact(CASE WHEN state = 'late' THEN 'was due' ELSE 'next run' END, CASE WHEN state IN ('late', 'waiting') OR every IS NOT NULL AND state NOT IN ('failing', 'never ran', 'due', 'running') THEN pg_temp.minute(next_run)
                                                                                         WHEN state NOT IN ('no job', 'running') THEN 'at the next call' END, CASE WHEN state = 'late' THEN 'bad' END),
              pg_temp.fact('last run', CASE WHEN trouble <= 2 THEN NULL ELSE concat_ws(', ', CASE WHEN seconds IS NOT NULL THEN round(seconds::numeric, 1) || ' s' END, pg_temp.several(written, 'file written', 'files written')) END),
              pg_temp.fact('audit', CASE WHEN query IS NOT NULL THEN coalesce((SELECT reason FROM report_unaudited u WHERE u.n = s.n), (SELECT format('<a href="#problems">%s</a>', coalesce(pg_temp.several(sum(nrows), 'finding', 'findings'), 'no audit')) FROM report_problem p WHERE p.section_n = s.n HAVING count(*) > 0), 'no findings') END),
              '</dl>', (SELECT html FROM report_plot p WHERE p.base_url = s.base_url AND p.section = s.section),
              (SELECT format('<details><summary>%s, %s</summary><table class="wide"><thead><tr><th>page</th><th>lastmod</th><th>images</th><th>languages</th></tr></thead><tbody>%s</tbody></table></details>',
                             'Sample', pg_temp.several(count(*), 'page', 'pages'),
                             string_agg('<tr>' || concat(pg_temp.cell('page', '<bdi>' || pg_temp.link(loc, pg_temp.decode_url(loc)) || '</bdi>'), pg_temp.cell('lastmod', pg_temp.html(lastmod)),
                                                         pg_temp.cell('images', images), pg_temp.cell('languages', languages)) || '</tr>', E'\n' ORDER BY p.n))
                 FROM report_sample p WHERE p.base_url = s.base_url AND p.section = s.section HAVING count(*) > 0),
              '</article>') AS html
  FROM report_section s;

SELECT '<div class="cards">';
SELECT format('<article class="card bad"><h3>Watch <small>that loses changes</small></h3><div class="state">broken watch</div><p>%s</p></article>', pg_temp.html(detail))
  FROM report_status WHERE state = 'broken watch' ORDER BY detail;
SELECT html FROM report_card WHERE is_open ORDER BY n;
SELECT '</div>';
-- Many sections that are well are folded.
SELECT CASE WHEN count(*) > 8 THEN format('<details><summary>%s</summary>', pg_temp.several(count(*), 'section is well', 'sections are well')) ELSE '' END || '<div class="cards">' AS fold,
       '</div>' || CASE WHEN count(*) > 8 THEN '</details>' ELSE '' END AS unfold
  FROM report_card WHERE NOT is_open \gset
SELECT :'fold';
SELECT html FROM report_card WHERE NOT is_open ORDER BY n;
SELECT :'unfold';

-- What the audit finds

SELECT '<h2 id="problems">Problems in the rows</h2>
<p class="soft">What <code>sitemap_audit</code> finds in the rows that the queries return now.</p>';
SELECT '<table class="wide"><thead><tr><th>section</th><th>problem</th><th>findings</th><th>first finding</th></tr></thead>
<tbody>' WHERE EXISTS (SELECT FROM report_problem);
SELECT '<tr>' || concat(pg_temp.cell('section', format('<a href="#s%s">%s</a> of %s', section_n, pg_temp.html(section), pg_temp.html(base_url))),
                        pg_temp.cell('problem', '<strong class="bad">' || pg_temp.html(problem) || '</strong>'), pg_temp.cell('findings', pg_temp.number(nrows)),
                        pg_temp.cell('first finding', concat_ws('<br/>', pg_temp.link(CASE WHEN loc LIKE '/%' THEN substring(base_url, '^https?://[^/]*') END || loc, loc), pg_temp.html(detail)))) || '</tr>'
  FROM report_problem
 ORDER BY section_n, nrows DESC NULLS FIRST, problem;
SELECT CASE WHEN EXISTS (SELECT FROM report_problem) THEN '</tbody></table>' ELSE '<p>none</p>' END;

-- Files: at most 200 of each section, also of sections that other programs fill

SELECT '<h2>Files</h2>';
SELECT format('<p class="soft">%s</p>', pg_temp.html(detail)) FROM report_status WHERE state = 'other sites' ORDER BY detail;
SELECT format('<details><summary>%s of %s: %s</summary>
<table class="wide"><thead><tr><th>file</th><th>kind</th><th>URLs</th><th>bytes</th><th>stored</th><th>changed</th></tr></thead>
<tbody>%s</tbody></table></details>',
              pg_temp.html(section), pg_temp.html(base_url),
              concat_ws(', ', pg_temp.several(count(*) FILTER (WHERE kind <> 'index'), 'file', 'files'),
                        pg_temp.several(sum(url_count) FILTER (WHERE kind <> 'index'), 'URL', 'URLs'),
                        pg_temp.several(count(*) FILTER (WHERE kind = 'index'), 'index', 'indexes'), pg_size_pretty(sum(stored))),
              string_agg('<tr>' || concat(pg_temp.cell('file', pg_temp.link(loc, name)), pg_temp.cell('kind', pg_temp.html(kind)), pg_temp.cell('URLs', pg_temp.number(url_count)),
                                          pg_temp.cell('bytes', pg_temp.number(byte_count)), pg_temp.cell('stored', pg_temp.number(stored)),
                                          pg_temp.cell('changed', pg_temp.minute(lastmod))) || '</tr>', E'\n' ORDER BY n) FILTER (WHERE n <= 200))
  FROM (SELECT *, row_number() OVER (PARTITION BY base_url, section ORDER BY lastmod DESC NULLS LAST, name) AS n FROM report_file) file
 GROUP BY base_url, section
 ORDER BY base_url, section;

-- Pages with the newest lastmod, from all files

SELECT '<h2>Pages that changed last</h2>
<p class="soft">At most 30 pages, those with the newest <code>lastmod</code> of all files.</p>
<table class="wide"><thead><tr><th>lastmod</th><th>page</th></tr></thead>
<tbody>';
SELECT format($$
	SELECT '<tr>' || pg_temp.cell('lastmod', pg_temp.html(e.lastmod)) || pg_temp.cell('page', pg_temp.link(e.loc, pg_temp.decode_url(e.loc))) || '</tr>'
	  FROM (%s) file
	 CROSS JOIN LATERAL %s.sitemap_parse(file.content, 52428800::bigint, 'error'::text) e
	 WHERE e.lastmod IS NOT NULL
	 ORDER BY e.lastmod COLLATE "C" DESC, e.loc COLLATE "C" LIMIT 30$$,
              string_agg(format($$SELECT content FROM %s WHERE kind = 'urlset' AND digest IS NOT NULL AND base_url IN (SELECT base_url FROM report_section)$$, target),
                         ' UNION ALL '), :'sitemap')
  FROM report_target
HAVING count(*) > 0 \gexec
SELECT '</tbody></table>
</body>
</html>';
