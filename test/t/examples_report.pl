# examples/report/report.sql: one HTML file about jobs that succeed and fail, with hostile
# texts in every place that it shows.
use FindBin;
use IPC::Run ();

use lib $FindBin::RealBin;
use Node;
use Session;

my $report = "$FindBin::RealBin/../../examples/report/report.sql";
my $node = start_node();
local @ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, 'postgres');

sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE page (id int PRIMARY KEY, slug text, changed timestamptz);
	INSERT INTO page SELECT n, 'Käse & <b>"Brot" ' || n, '2026-03-01' FROM generate_series(1, 50) n;
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE site OF sitemap_job (PRIMARY KEY (base_url, section));
	CREATE TABLE site_history (LIKE site);
	CREATE FUNCTION keep_history() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO public.site_history SELECT * FROM jsonb_populate_record(NULL::public.site_history, to_jsonb(NEW));
		RETURN NULL;
	END $$;
	CREATE TRIGGER history AFTER UPDATE ON site FOR EACH ROW
		WHEN (NEW.failures > OLD.failures OR NEW.finished IS DISTINCT FROM OLD.finished AND NEW.written > 0)
		EXECUTE FUNCTION keep_history();
	CREATE TABLE post AS SELECT n AS id, timestamptz '2026-03-01' AS changed FROM generate_series(1, 60) n;
	INSERT INTO site (every, target, base_url, section, query) VALUES
		('1 day', 'site_files', 'https://a.example/', 'pages', $$
			SELECT '/' || public.sitemap_encode(slug) AS loc, changed AS lastmod, id AS key,
			       ARRAY['https://cdn.example/' || id || '.jpg?a="&b=<'] AS images,
			       jsonb_build_object('de', '/' || public.sitemap_encode(slug), 'en', '/en/' || id) AS alternates
			  FROM public.page ORDER BY id$$),
		('1 day', 'site_files', 'https://a.example/', 'broken', 'SELECT 1 AS "<i>loc"'),
		('1 day', 'site_files', 'https://b.example/', 'tags', $$SELECT loc FROM (VALUES ('/1'), ('/1#top'), ('/2<u>"&')) v (loc)$$);
	INSERT INTO site (every, target, base_url, section, max_urls, index, query)
	VALUES ('1 day', 'site_files', 'https://a.example/', 'posts', 10, 'section',
	        $$SELECT '/post/' || id AS loc, changed AS lastmod, id AS key FROM public.post ORDER BY id$$)});
$node->psql('postgres', q{CALL sitemap_run('site')}, on_error_stop => 0);
sql(q{
	UPDATE page SET changed = '2026-03-02' WHERE id = 7;
	UPDATE post SET changed = '2026-03-03' WHERE id % 10 = 7;
	UPDATE site SET requested = now()});
$node->psql('postgres', q{CALL sitemap_run('site')}, on_error_stop => 0);
like(report('-v', 'base_url=https://c.example/'), qr{<p class="verdict good">There are no jobs\. .*<p>none</p>}s, 'a site without jobs');
# The sitemap of another program, with a URL that is no link.
sql(
	q{INSERT INTO site_files (base_url, section, name, kind, loc) VALUES ('https://a.example/', 'blog"<u>', 'blog', 'urlset', 'javascript:alert(1)')});

my $html = report('-v', 'jobs=site');
like($html, qr/\A<!DOCTYPE html>\n.*<\/html>\n\z/s, 'one document');
unlike($html, qr/<script|javascript:|<[bui]>|"&b|\?a="/i, 'hostile texts are escaped');
like($html, qr{<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline';}, 'the browser loads nothing');
unlike($html, qr{<img|<link|\bsrc=|url\(|\@import}, 'and nothing is there to load');
like($html, qr{<p class="verdict bad"><strong class="bad">1 of 4 sections needs you</strong>: broken of https://a\.example/ fails\. 113 pages; the last change was <time [^>]*>\d+ seconds? ago</time>\.</p>},
	'the verdict');
like($html, qr{<p class="soft">The <a href="#problems">audit</a> of the rows finds \d+ problems: loc_duplicate, loc_fragment, loc_suspicious, order_missing\.</p>}, 'what the audit finds');
my %card = cards($html);
is(join(' ', sort { $card{$a}{n} <=> $card{$b}{n} } keys %card), 'broken pages posts tags', 'the sections, the worst first');
like($card{broken}{html}, qr{^<article class="card bad".*<div class="state">failing, 2 failures in a row</div>.*&lt;i&gt;loc.*The columns are loc, .*What to do:.*<dt>audit</dt><dd>not audited, since the job fails</dd>}s, 'a job that fails, with its whole error');
like($card{pages}{html}, qr{^<article class="card good".*<div class="state">ok</div>.*<dt>URLs</dt><dd>50</dd>.*<dt>files</dt><dd>1</dd>.*<a href="#problems">50 findings</a>}s, 'a job that succeeds, with findings of the audit');
like($card{posts}{html}, qr{<dt>audit</dt><dd>no findings</dd>}, 'a job without findings');
like($card{pages}{html}, qr{<dt>last success</dt><dd><time datetime="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ" title="\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+">\d+ (?:second|minute)s? ago</time></dd>}, 'when it last succeeded');
like($card{pages}{html}, qr{<rect x="\d.*<polyline points="10\.0,20\.0 310\.0,20\.0"/>}s, 'a plot of its runs');
like($card{broken}{html}, qr{<rect class="failure"}, 'and of failures');
like($html, qr{<strong class="bad">loc_fragment</strong></td><td data-label="findings">1</td><td data-label="first finding"><a href="https://b\.example/1#top">/1#top</a><br/>Search engines ignore .*</td></tr>}, 'a problem');
like($html, qr{<strong class="bad">loc_suspicious</strong></td><td data-label="findings">1</td><td data-label="first finding">/2&lt;u&gt;&quot;&amp;<br/>.*</td></tr>}, 'a problem with a hostile loc');
like($html, qr{<a href="https://a\.example/pages-\w+\.xml\.gz">pages-\w+\.xml\.gz</a></td><td data-label="kind">urlset</td><td data-label="URLs">50</td>}, 'a file');
my ($files, $urls) = split /\|/, sql(q{SELECT files, urls FROM site WHERE section = 'posts'});
like($html, qr{<summary>pages of https://a\.example/: 1 file, 50 URLs, \d+ bytes</summary>}, 'the size of a section');
like($html, qr{<summary>posts of https://a\.example/: $files files, $urls URLs, 1 index, \d+ (?:bytes|kB)</summary>}, 'without its index');
like($html, qr{<summary>sitemap of https://a\.example/: 1 index, \d+ bytes</summary>}, 'the index of the site');
like($html, qr{blog</td><td data-label="kind">urlset</td>}, 'a sitemap of another program');
cmp_ok($files, '>', 5, 'posts are in many files');
is(join(' ', $html =~ m{<td data-label="lastmod">2026-03-03T00:00:00Z</td><td data-label="page"><a href="https://a\.example/post/(\d+)">}g), '17 27 37 47 57 7', 'pages that changed last, in all files');
like($html, qr{2026-03-02T00:00:00Z</td><td data-label="page"><a href="https://a\.example/K%C3%A4se%20[^"]*">https://a\.example/Käse &amp; &lt;b&gt;&quot;Brot&quot; 7</a>},
	'a page that changed before, decoded');
like($card{pages}{html}, qr{<td data-label="images"><a href="https://cdn\.example/\d+\.jpg\?a=%22&amp;b=%3C">1</a></td><td data-label="languages">de en</td>}, 'images and languages');
if (has_program('xmllint'))
{
	my $error;

	ok(IPC::Run::run([ 'xmllint', '--noout', '-' ], '<', \$html, '2>', \$error), 'well-formed') or diag $error;
}

$html = report('-v', 'base_url=https://b.example/', '-v', "robots=User-agent: *\nDisallow: /1\nDisallow: /tags-\n");
unlike($html, qr/a\.example/, 'one site');
like($html, qr{<p class="verdict good">The only section is well\. 3 pages;}, 'it is well');
like($html, qr{<strong class="bad">robots_disallowed</strong></td><td data-label="findings">2</td>}, 'an audit with robots.txt');
like($html, qr{<strong class="bad">robots_blocks_sitemap</strong>.*tags-51d8e999\.xml\.gz}, 'of the files, too, under the names that runs give them');

# One fault of each kind: the verdict names them.  A section that may be empty is well.  A target that
# is no such table and a time that has no place in a plot leave the rest of the report.
sql(q{
	DELETE FROM site_files WHERE digest IS NULL;
	INSERT INTO site (every, target, base_url, section, query, max_shrink)
	SELECT '1 day', 'site_files', 'https://a.example/', section, 'SELECT ''/'' AS loc WHERE false', max_shrink
	  FROM (VALUES ('empty', NULL), ('recent', 1)) v (section, max_shrink);
	INSERT INTO site (every, target, base_url, section, query)
	SELECT '1 day', 'site_files', 'https://a.example/', 'more-' || n, format('SELECT %L AS loc', '/more/' || n) FROM generate_series(1, 9) n});
$node->psql('postgres', q{CALL sitemap_run('site')}, on_error_stop => 0);
sql(q{
	INSERT INTO site (target, base_url, section, query) VALUES ('page', 'https://a.example/', 'new', 'SELECT ''/new'' AS loc');
	UPDATE site_history SET finished = 'infinity' WHERE section = 'tags';
	UPDATE site SET missed = 3 WHERE section = 'tags';
	UPDATE site SET section = 'articles' WHERE section = 'posts';
	UPDATE site SET failures = 5, started = now(), error = E'refused\nbecause' WHERE section = 'broken';
	UPDATE site SET every = '1 minute', started = '2026-03-01 12:00', finished = '2026-03-01 12:00' WHERE section = 'pages';
	UPDATE site SET query = 'SELECT ''<i>''::int::text AS loc' WHERE section = 'more-1';
	UPDATE site SET query = 'SELECT public.not_called() AS loc', seconds = 61 WHERE section = 'more-2';
	DELETE FROM site_history WHERE section = 'pages' AND finished > '2026-03-02';
	INSERT INTO site_files (base_url, section, name, kind, digest) VALUES ('https://c.example/', 'old', 'old.xml', 'urlset', 'x');
	CREATE TABLE page_change (id int);
	SELECT sitemap_watch('page', 'id', 'page_change');
	ALTER TABLE page DISABLE TRIGGER USER});
$html = report();
%card = cards($html);
is($card{Watch}{n}, 0, 'a broken watch is first');
like($card{Watch}{html}, qr{broken watch</div><p>triggers of the watched table &quot;public\.page&quot; are disabled: .*ALTER TABLE ONLY public\.page ENABLE TRIGGER}s, 'and says what to do');
like($html, qr{<p class="soft">The target public\.site_files has 1 other site \(1 section, 1 file\) that no job of this table publishes\.</p>}, 'files of a site without jobs');
like($html, qr{<strong class="bad">no audit</strong>.*invalid input syntax.*&lt;i&gt;}, 'a query that cannot be audited');
like($card{'more-2'}{html}, qr{<dt>audit</dt><dd>not audited, since a run takes more than a minute</dd>}, 'one that takes long is not run');
like($html, qr{<p class="verdict bad"><strong class="bad">1 broken watch loses changes</strong>; <strong class="bad">6 of 17 sections need you</strong>: broken of https://a\.example/ fails, new of https://a\.example/ has never run, pages of https://a\.example/ is late, posts of https://a\.example/ has no job, tags of https://b\.example/ missed changes and 1 more\. },
	'the verdict names five faults');
like($card{broken}{html}, qr{<div class="state">waiting, 5 failures in a row</div>.*refused\nbecause.*<code>UPDATE public\.site SET requested = now\(\) WHERE \(base_url, section\) = \('https://a\.example/', 'broken'\)</code>}s, 'a job that waits');
like($card{pages}{html}, qr{<div class="bad"><dt>last success</dt><dd><time [^>]*>\d+ days ago</time></dd></div><div class="bad"><dt>was due</dt><dd>2026-03-01 12:01</dd></div>}, 'one that is late');
like($card{posts}{html}, qr{^<article class="card warn".*<div class="state">no job</div>.*sitemap_publish_index}s, 'a section without a job');
like($card{tags}{html}, qr{^<article class="card warn".*<div class="state">unwatched</div>.*UPDATE public\.site SET full_at = NULL}s, 'a job that missed changes');
like($card{empty}{html}, qr{^<article class="card warn".*<div class="state">ok, 0 URLs</div>.*What to do}s, 'a job without URLs');
like($card{recent}{html}, qr{^<article class="card warn".*<div class="state">ok, 0 URLs</div>(?!.*What to do)}s, 'one that may be without URLs');
like($html, qr{<details><summary>11 sections are well</summary><div class="cards">\n<article class="card good"}, 'those that are well are folded');
like($card{pages}{html}, qr{<circle cx="160\.0" .*<text x="160" y="105" text-anchor="middle">[0-9: -]{16}</text></svg>}, 'a plot of one run has one time');

# The history is kept of jobs with more columns.
is(sql(q{
	BEGIN;
	ALTER TYPE sitemap_job ADD ATTRIBUTE note text CASCADE;
	UPDATE site SET failures = coalesce(failures, 0) + 1, finished = now(), written = 1;
	SELECT (SELECT count(*) FROM site_history WHERE xmin = pg_current_xact_id()::xid) - (SELECT count(*) FROM site);
	ROLLBACK}), 0, 'a row for each');

# Another role makes functions and operators whose types fit better, and a view in place of the history.
sql(q{
	GRANT CREATE ON SCHEMA public TO PUBLIC;
	CREATE ROLE eve;
	CREATE TABLE spied (by name);
	GRANT INSERT ON spied TO PUBLIC;
	ALTER TABLE site_history RENAME TO history;
	SET ROLE eve;
	CREATE FUNCTION spy() RETURNS text LANGUAGE sql AS 'INSERT INTO public.spied VALUES (current_user) RETURNING by';
	CREATE FUNCTION format(text, text, text) RETURNS text LANGUAGE sql AS 'SELECT public.spy()';
	CREATE FUNCTION several(bigint, text, text) RETURNS text LANGUAGE sql AS 'SELECT public.spy()';
	CREATE FUNCTION concat_ws(text, text, text) RETURNS text LANGUAGE sql AS 'SELECT public.spy()';
	CREATE FUNCTION concat(text, text, text, text) RETURNS text LANGUAGE sql AS 'SELECT public.spy()';
	CREATE FUNCTION sitemap_parse(bytea) RETURNS TABLE (loc text, lastmod text, extensions xml[]) LANGUAGE sql AS 'SELECT public.spy(), NULL, NULL::xml[]';
	CREATE FUNCTION sitemap_audit(text, text) RETURNS TABLE (row_number bigint, loc text, problem text, detail text) LANGUAGE sql AS 'SELECT 1, public.spy(), NULL, NULL';
	CREATE FUNCTION concat_text(regclass, text) RETURNS text LANGUAGE sql AS 'SELECT public.spy()';
	CREATE OPERATOR public.|| (LEFTARG = regclass, RIGHTARG = text, FUNCTION = concat_text);
	CREATE VIEW site_history AS SELECT public.spy() AS base_url, 'pages'::text AS section, 1::bigint AS urls, 1 AS written, 0 AS failures, now() AS started, now() AS finished;
	RESET ROLE});
unlike(report(), qr/<svg/, 'a history of another role is not read');
unlike(report('-v', 'history=site_history'), qr/<svg/, 'even if it is named');
like(report('-v', 'history=history'), qr/<svg/, 'a history of the same owner, by its name');
is(sql('SELECT count(*) FROM spied'), '0', 'and no function of another role is called');

# A large site is audited on request only.
sql(q{DELETE FROM site WHERE section <> 'tags'; UPDATE site SET urls = 1000001, missed = 0});
foreach my $try ([ [], 0 ], [ [ '-v', 'audit=off' ], 0 ], [ [ '-v', 'audit=on' ], 1 ])
{
	my ($options, $is_audited) = @$try;

	$html = report('-v', 'base_url=https://b.example/', @$options);
	is($html =~ m{<strong class="bad">loc_fragment</strong>} ? 1 : 0, $is_audited, "an audit, @$options");
	is($html =~ m{The rows were not audited, as they are with <code>-v audit=on</code>\..*<dd>not audited</dd>}s ? 1 : 0, 1 - $is_audited, 'or a word about it');
}
like(report(), qr{<p class="verdict bad"><strong class="bad">1 broken watch loses changes</strong>\. 1,000,001 pages;}, 'a broken watch, while the only section is well');

# A run that ends during the audit shows nowhere.
sql(q{
	DROP TRIGGER history ON site;
	UPDATE site SET finished = now(), requested = now(),
	       query = 'SELECT loc FROM (VALUES (''/1''), (''/3'')) v (loc), (SELECT pg_advisory_xact_lock_shared(1)) l'});
sql(q{CALL sitemap_run('site')});
my $holder = Session->hold($node, 1);
my $during = IPC::Run::start([ 'psql', '-Xq', '-f', $report ], '<', \undef, '>', \$html, '2>&1');
wait_until(sub { return sql('SELECT count(*) FROM pg_locks WHERE NOT granted') eq '1' }, 'the audit');
sql(q{
	SELECT count(*) FROM sitemap_publish('site_files', 'SELECT ''/4'' AS loc', 'https://b.example/', 'tags');
	UPDATE site SET urls = 1, finished = now()});
$holder->query_safe('SELECT pg_advisory_unlock(1)');
$during->finish;
$holder->quit;
like($html, qr{<dt>URLs</dt><dd>2</dd>.*<summary>tags of https://b\.example/: 1 file, 2 URLs,}s, 'the state and the files are those of one moment');

sql('DROP TABLE history CASCADE; DROP VIEW site_history; ALTER TABLE site RENAME TO "The Site"; DROP FUNCTION keep_history() CASCADE');
unlike(report('-v', 'jobs="The Site"'), qr/<svg/, 'without a history there are no plots');
$node->stop;
done_testing();

# The cards by the section's name: their place, and their HTML.
sub cards
{
	my ($page) = @_;
	my ($n, %cards) = 0;

	foreach my $card ($page =~ m{(<article .*?</article>)}gs)
	{
		my ($section) = $card =~ m{<h3>(\S+) };
		$cards{$section} = { n => $n++, html => $card };
	}
	return %cards;
}

sub report
{
	my (@options) = @_;

	my ($output, $error);

	IPC::Run::run([ 'psql', '-Xq', @options, '-f', $report ], '>', \$output, '2>', \$error)
	  or die $error;
	is($error, '', "no error: @options");
	return $output;
}
