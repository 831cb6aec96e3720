-- A report about a table of jobs, as one HTML file without scripts:
--
--	psql -Xq -v jobs=site -f examples/report/report.sql shop >report.html
--
-- Further variables, each given with -v:
--
--	history		table that keeps the rows of earlier runs (doc/operations.md), for the plots;
--			default: the name of jobs with _history, if that table exists
--	base_url	report only on this site
--	robots		text of robots.txt, for the audit
--
-- The report reads all files of the target, and runs each job's query once, for the audit.  The
-- role needs SELECT on these and on the tables of the queries, and TEMPORARY on the database.

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
	SELECT format('%I.%I', n.nspname, c.relname || '_history') AS history
	  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = :'jobs'::regclass \gset
\endif
\if :{?robots}
\else
	\set robots ''
\endif
SELECT to_regclass(:'history') IS NOT NULL AS has_history \gset

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

CREATE TEMPORARY VIEW report_job AS
SELECT * FROM :jobs WHERE :'base_url' IN ('', base_url);

-- A query that fails is a problem as well, and leaves the other jobs.
CREATE FUNCTION pg_temp.problems(job_query text, base_url text, section text, format text, max_urls int, max_bytes bigint, scope text,
                                 protocol text, robots text)
RETURNS TABLE (problem text, nrows bigint, loc text, detail text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY
		SELECT a.problem, count(*), (array_agg(a.loc ORDER BY a.row_number))[1], (array_agg(a.detail ORDER BY a.row_number))[1]
		  FROM sitemap_audit(job_query, base_url, section => section, format => coalesce(format, 'xml'), max_urls => coalesce(max_urls, 50000),
		                     max_bytes => coalesce(max_bytes, 52428800), scope => coalesce(scope, 'host'),
		                     protocol => coalesce(protocol, '0.9'), robots => nullif(robots, '')) a
		 GROUP BY a.problem;
EXCEPTION WHEN OTHERS THEN
	RETURN QUERY SELECT 'no audit', NULL::bigint, NULL, SQLERRM;
END
$$;

CREATE TEMPORARY TABLE report_problem AS
SELECT j.base_url, j.section, p.*
  FROM report_job j
 CROSS JOIN LATERAL pg_temp.problems(query, base_url, section, format, max_urls, max_bytes, scope, protocol, :'robots') p;

SELECT $$<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="referrer" content="no-referrer"/>
<title>Sitemaps</title>
<style>
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --line: #d8dee4; --ground: #fff; --bad: #b42318; --good: #1a7f37; --plot: #0969da; --bar: #bf8700; }
@media (prefers-color-scheme: dark) {
	:root { --ink: #e6edf3; --soft: #9198a1; --line: #3d444d; --ground: #0d1117; --bad: #ff7b72; --good: #3fb950; --plot: #58a6ff; --bar: #d29922; }
}
body { margin: 0 auto; max-width: 75rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); }
h1, h2, h3 { line-height: 1.25; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
a { color: var(--plot); }
p, caption { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td { overflow-wrap: break-word; max-width: 32rem; }
td.n, td.t { white-space: nowrap; font-variant-numeric: tabular-nums; }
.n { text-align: right; }
.long { overflow-wrap: anywhere; min-width: 13rem; }
.bad { color: var(--bad); font-weight: 600; }
.good { color: var(--good); }
img { max-width: 6rem; max-height: 4rem; vertical-align: top; }
svg { display: block; width: 100%; height: auto; font-size: 9px; }
svg text { fill: var(--soft); }
svg polyline { fill: none; stroke: var(--plot); stroke-width: 1.5; }
svg circle { fill: var(--plot); }
svg rect { fill: var(--bar); }
svg .failure { fill: var(--bad); }
svg line { stroke: var(--line); }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1rem; }
figure { margin: 0; }
</style>
</head>
<body>
<h1>Sitemaps</h1>$$;
SELECT format('<p>Database %s, %s.</p>', pg_temp.html(current_database()), to_char(now(), 'YYYY-MM-DD HH24:MI TZ'));

-- Status

SELECT '<h2>Jobs</h2>
<p>A job that is waiting has failed three times in a row or more. Files are missed if the last full run changed them, but <code>changes</code> returned none of their keys. Probably, a table that the query reads is not watched, so its changes reach the sitemap only with a full run.</p>
<div class="scroll"><table>
<thead><tr><th>site</th><th>section</th><th>state</th><th class="n">URLs</th><th class="n">files</th><th class="n">missed files</th><th class="n">findings of the audit</th><th>last success</th><th>next run</th></tr></thead>
<tbody>';
SELECT format('<tr><td class="long">%s</td><td>%s</td><td class="%s">%s</td><td class="n">%s</td><td class="n">%s</td><td class="n%s">%s</td><td class="n%s">%s</td><td class="t">%s</td><td class="t%s">%s</td></tr>%s',
              pg_temp.link(base_url || 'sitemap.xml', base_url), pg_temp.html(section),
              CASE WHEN has_failed THEN 'bad' WHEN state IN ('ok', 'running') THEN 'good' ELSE '' END,
              concat_ws(', ', state, CASE WHEN has_failed THEN pg_temp.several(failures, 'failure', 'failures') END),
              pg_temp.number(urls), pg_temp.number(files), CASE WHEN missed > 0 THEN ' bad' END, missed,
              CASE WHEN has_problems THEN ' bad' END,
              CASE WHEN has_problems THEN format('<a href="#problems">%s</a>', coalesce(pg_temp.number(findings), 'no audit')) ELSE '0' END,
              pg_temp.ago(finished), CASE WHEN is_late THEN ' bad' END, pg_temp.minute(next_run),
              '<tr><td></td><td class="long bad" colspan="8">' || pg_temp.html(CASE WHEN has_failed THEN detail END) || '</td></tr>')
  FROM (SELECT status.*, files, missed, failures, finished, state IN ('failing', 'waiting') AS has_failed, state = 'late' AS is_late,
               has_problems, findings
          FROM sitemap_status(:'jobs') status
          JOIN (SELECT base_url, section, files, missed, failures, finished FROM report_job) job USING (base_url, section)
         CROSS JOIN LATERAL (SELECT count(*) > 0 AS has_problems, sum(nrows) AS findings FROM report_problem p
                              WHERE (p.base_url, p.section) = (status.base_url, status.section)) audit) job
 ORDER BY has_failed DESC, coalesce(is_late OR missed > 0, false) DESC, has_problems DESC, base_url, section;
SELECT '</tbody></table></div>';

-- Plots: URLs as a line, files written as bars, failures as bars of full height

\if :has_history
SELECT '<h2>Runs</h2>
<p>The line shows the URLs of the section, a bar the files that a run wrote, and a red bar a failure.</p>
<div class="plots">';
WITH run AS (
	SELECT base_url, section, at, coalesce(urls, 0) AS urls, coalesce(written, 0) AS written, failed,
	       CASE WHEN last > first THEN extract(epoch FROM at - first) / extract(epoch FROM last - first) ELSE 0.5 END * 300 + 10 AS x,
	       first, last, most_urls, most_written
	  FROM (SELECT *, min(at) OVER section AS first, max(at) OVER section AS last,
	               greatest(max(urls) OVER section, 1) AS most_urls, greatest(max(written) OVER section, 1) AS most_written,
	               row_number() OVER (PARTITION BY base_url, section ORDER BY at DESC) AS n
	          FROM (SELECT base_url, section, urls, written, failures > 0 AS failed,
	                       CASE WHEN failures > 0 THEN started ELSE finished END AS at
	                  FROM :history WHERE :'base_url' IN ('', base_url)) kept
	         WHERE at IS NOT NULL
	        WINDOW section AS (PARTITION BY base_url, section)) numbered
	 WHERE n <= 500)
SELECT format($$<figure><figcaption>%s of %s</figcaption>
<svg viewBox="0 0 320 110" role="img"><title>URLs and written files of %s</title><line x1="10" y1="90" x2="310" y2="90"/>%s<polyline points="%s"/>%s<text x="10" y="10">%s</text><text x="310" y="10" text-anchor="end">%s</text>%s</svg></figure>$$,
              pg_temp.html(section), pg_temp.html(base_url), pg_temp.html(section),
              string_agg(CASE WHEN failed THEN format('<rect class="failure" x="%s" y="15" width="2" height="75"/>', round(x - 1, 1))
                              WHEN written > 0 THEN format('<rect x="%s" y="%s" width="2" height="%s"/>', round(x - 1, 1),
                                                           round(90 - 30.0 * written / most_written, 1), round(30.0 * written / most_written, 1)) END, '' ORDER BY at),
              string_agg(format('%s,%s', round(x, 1), round(90 - 70.0 * urls / most_urls, 1)), ' ' ORDER BY at) FILTER (WHERE NOT failed),
              string_agg(format('<circle cx="%s" cy="%s" r="2"/>', round(x, 1), round(90 - 70.0 * urls / most_urls, 1)), '' ORDER BY at) FILTER (WHERE NOT failed AND first = last),
              pg_temp.several(max(urls), 'URL', 'URLs'), 'at most ' || pg_temp.several(max(written), 'file', 'files'),
              CASE WHEN pg_temp.minute(min(at)) = pg_temp.minute(max(at)) THEN format('<text x="160" y="105" text-anchor="middle">%s</text>', pg_temp.minute(max(at)))
                   ELSE format('<text x="10" y="105">%s</text><text x="310" y="105" text-anchor="end">%s</text>', pg_temp.minute(min(at)), pg_temp.minute(max(at))) END)
  FROM run GROUP BY base_url, section ORDER BY base_url, section;
SELECT '</div>';
\endif

-- Problems

SELECT '<h2 id="problems">Problems</h2>
<p>What <code>sitemap_audit</code> finds in the rows that the queries return now.</p>
<div class="scroll"><table>
<thead><tr><th>site</th><th>section</th><th>problem</th><th class="n">findings</th><th>first finding</th></tr></thead>
<tbody>';
SELECT format('<tr><td class="long">%s</td><td>%s</td><td class="bad">%s</td><td class="n">%s</td><td class="long">%s</td></tr>',
              pg_temp.html(base_url), pg_temp.html(section), pg_temp.html(problem), pg_temp.number(nrows),
              concat_ws('<br/>', pg_temp.link(CASE WHEN loc LIKE '/%' THEN substring(base_url, '^https?://[^/]*') END || loc, loc), pg_temp.html(detail)))
  FROM report_problem
 ORDER BY base_url, section, nrows DESC NULLS FIRST, problem;
SELECT '<tr><td colspan="5">none</td></tr>' WHERE NOT EXISTS (SELECT FROM report_problem);
SELECT '</tbody></table></div>';

-- Files

SELECT '<h2>Files</h2>';
SELECT format($$
	SELECT format('<h3>%%s of %%s</h3>
<p>%%s</p>
<div class="scroll"><table>
<thead><tr><th>file</th><th>kind</th><th class="n">URLs</th><th class="n">bytes</th><th class="n">stored</th><th>changed</th></tr></thead>
<tbody>%%s</tbody></table></div>',
	              pg_temp.html(section), pg_temp.html(base_url),
	              concat_ws(', ', pg_temp.several(count(*) FILTER (WHERE kind <> 'index'), 'file', 'files'),
	                        pg_temp.several(sum(url_count) FILTER (WHERE kind <> 'index'), 'URL', 'URLs'),
	                        pg_temp.several(count(*) FILTER (WHERE kind = 'index'), 'index', 'indexes'), pg_size_pretty(sum(octet_length(content)))),
	              string_agg(format('<tr><td>%%s</td><td>%%s</td><td class="n">%%s</td><td class="n">%%s</td><td class="n">%%s</td><td class="t">%%s</td></tr>',
	                                pg_temp.link(loc, name), pg_temp.html(kind), pg_temp.number(url_count), pg_temp.number(byte_count),
	                                pg_temp.number(octet_length(content)), pg_temp.minute(lastmod)), E'\n' ORDER BY n) FILTER (WHERE n <= 200))
	  FROM (SELECT *, row_number() OVER (PARTITION BY base_url, section ORDER BY lastmod DESC NULLS LAST, name) AS n
	          FROM %s WHERE base_url IN (SELECT base_url FROM report_job)) file
	 GROUP BY base_url, section
	 ORDER BY base_url, section$$, target)
  FROM (SELECT DISTINCT target FROM report_job WHERE target IS NOT NULL) t \gexec

-- Pages: those with the newest lastmod, from all files; then a sample of each section

SELECT '<h2>Pages that changed last</h2>
<p>At most 30 pages, those with the newest <code>lastmod</code> of all files.</p>
<div class="scroll"><table>
<thead><tr><th>lastmod</th><th>page</th></tr></thead>
<tbody>';
SELECT format($$
	SELECT format('<tr><td class="t">%%s</td><td class="long">%%s</td></tr>', pg_temp.html(e.lastmod), pg_temp.link(e.loc, pg_temp.decode_url(e.loc)))
	  FROM (%s) file
	 CROSS JOIN LATERAL sitemap_parse(file.content) e
	 WHERE e.lastmod IS NOT NULL
	 ORDER BY e.lastmod COLLATE "C" DESC, e.loc COLLATE "C" LIMIT 30$$,
              string_agg(format($$SELECT content FROM %s WHERE kind = 'urlset' AND digest IS NOT NULL AND base_url IN (SELECT base_url FROM report_job)$$, target),
                         ' UNION ALL '))
  FROM (SELECT DISTINCT target FROM report_job WHERE target IS NOT NULL) t
HAVING count(*) > 0 \gexec
SELECT '</tbody></table></div>
<h2>A sample of pages</h2>
<div class="scroll"><table>
<thead><tr><th>section</th><th>page</th><th>lastmod</th><th>images</th><th>languages</th></tr></thead>
<tbody>';
-- Extension elements are well-formed XML of sitemap_parse, whose text needs only its quotes escaped for an attribute.
SELECT format($$
	SELECT format('<tr><td>%%s</td><td class="long"><bdi>%%s</bdi></td><td class="t">%%s</td><td>%%s</td><td>%%s</td></tr>',
	              pg_temp.html(section), pg_temp.link(loc, pg_temp.decode_url(loc)), pg_temp.html(lastmod), images, languages)
	  FROM (SELECT file.base_url, file.section, file.url_count, e.*, row_number() OVER (PARTITION BY file.base_url, file.section) AS n
	          FROM (SELECT DISTINCT ON (base_url, section) base_url, section, url_count, content
	                  FROM %s WHERE kind = 'urlset' AND digest IS NOT NULL AND base_url IN (SELECT base_url FROM report_job)
	                 ORDER BY base_url, section, url_count DESC, name LIMIT 100) file
	         CROSS JOIN LATERAL sitemap_parse(file.content) e) page
	 CROSS JOIN LATERAL (SELECT string_agg(format('<img src="%%s" alt="" loading="lazy"/>', replace(url, '"', '&quot;')), ' ') AS images
	                       FROM (SELECT substring(x::text, '<image:loc[^>]*>\s*(https?://[^<]*?)\s*</image:loc>') FROM unnest(extensions) x) u (url)
	                      WHERE url IS NOT NULL) i
	 CROSS JOIN LATERAL (SELECT string_agg(DISTINCT replace(language, '"', '&quot;'), ' ') AS languages
	                       FROM (SELECT substring(x::text, '<xhtml:link[^>]* hreflang="([^"<]*)"') FROM unnest(extensions) x) u (language)) l
	 WHERE n %% greatest(url_count / 10, 1) = 0
	 ORDER BY base_url, section, n$$, target)
  FROM (SELECT DISTINCT target FROM report_job WHERE target IS NOT NULL) t \gexec
SELECT '</tbody></table></div>
</body>
</html>';
