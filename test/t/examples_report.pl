# examples/report/report.sql: one HTML file about jobs that succeed and fail, with hostile
# texts in every place that it shows.
use strict;
use warnings;

use FindBin;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $report = "$FindBin::RealBin/../../examples/report/report.sql";
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->append_conf('postgresql.conf', "fsync = off\n");
$node->start;
local @ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, 'postgres');

$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sitemap;
	CREATE TABLE page (id int PRIMARY KEY, slug text, changed timestamptz);
	INSERT INTO page SELECT n, 'Käse & <b>"Brot" ' || n, '2026-03-01' FROM generate_series(1, 50) n;
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE site OF sitemap_job (PRIMARY KEY (base_url, section));
	CREATE TABLE site_history (LIKE site);
	CREATE FUNCTION keep_history() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO public.site_history SELECT NEW.*;
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
$node->safe_psql('postgres', q{
	UPDATE page SET changed = '2026-03-02' WHERE id = 7;
	UPDATE post SET changed = '2026-03-03' WHERE id % 10 = 7;
	UPDATE site SET requested = now()});
$node->psql('postgres', q{CALL sitemap_run('site')}, on_error_stop => 0);
like(report('-v', 'base_url=https://c.example/'), qr{<h2 id="problems">Problems</h2>.*<tr><td colspan="5">none</td></tr>\n</tbody>}s, 'a site without problems');
# The sitemap of another program, with a URL that is no link.
$node->safe_psql('postgres',
	q{INSERT INTO site_files (base_url, section, name, kind, loc) VALUES ('https://a.example/', 'blog"<u>', 'blog', 'urlset', 'javascript:alert(1)')});

my $html = report('-v', 'jobs=site');
like($html, qr/\A<!DOCTYPE html>\n.*<\/html>\n\z/s, 'one document');
unlike($html, qr/<script|javascript:|<[bui]>|"&b|\?a="/i, 'hostile texts are escaped');
like($html, qr{<td>broken</td><td class="bad">failing, 2 failures</td>.*&lt;i&gt;loc}, 'a job that fails, with its error');
like($html, qr{<td>pages</td><td class="good">ok</td><td class="n">50</td><td class="n">1</td><td class="n"></td><td class="n bad"><a href="#problems">50</a></td>}, 'a job that succeeds, with findings of the audit');
like($html, qr{<td>posts</td><td class="good">ok</td>.*<td class="n">0</td>}, 'a job without findings');
like($html, qr{<td>pages</td>.*<td class="t"><time datetime="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ" title="\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+">\d+ (?:second|minute)s? ago</time></td>}, 'when it last succeeded');
like($html, qr{<td>broken</td>.*<td class="n bad"><a href="#problems">no audit</a></td>}, 'a job without an audit');
like($html, qr{<figcaption>pages of https://a\.example/.*<polyline points="10\.0,20\.0 310\.0,20\.0"/>.*<rect x="\d}s, 'a plot of its runs');
like($html, qr{<figcaption>broken of .*<rect class="failure"}s, 'and of failures');
like($html, qr{<td class="bad">no audit</td>.*&lt;i&gt;loc}, 'a query that cannot be audited');
like($html, qr{<td class="bad">loc_fragment</td><td class="n">1</td><td class="long"><a href="https://b\.example/1#top">/1#top</a><br/>Search engines ignore .*</td></tr>}, 'a problem');
like($html, qr{<td class="bad">loc_suspicious</td><td class="n">1</td><td class="long">/2&lt;u&gt;&quot;&amp;<br/>.*</td></tr>}, 'a problem with a hostile loc');
like($html, qr{<a href="https://a\.example/pages-\w+\.xml\.gz">pages-\w+\.xml\.gz</a></td><td>urlset</td><td class="n">50</td>}, 'a file');
my ($files, $urls) = split /\|/, $node->safe_psql('postgres', q{SELECT files, urls FROM site WHERE section = 'posts'});
like($html, qr{<h3>pages of https://a\.example/</h3>\n<p>1 file, 50 URLs, \d+ bytes</p>}, 'the size of a section');
like($html, qr{<h3>posts of https://a\.example/</h3>\n<p>$files files, $urls URLs, 1 index, \d+ (?:bytes|kB)</p>}, 'without its index');
like($html, qr{<h3>sitemap of https://a\.example/</h3>\n<p>1 index, \d+ bytes</p>}, 'the index of the site');
like($html, qr{<td>blog</td><td>urlset</td>}, 'a sitemap of another program');
cmp_ok($files, '>', 5, 'posts are in many files');
is(join(' ', $html =~ m{<td class="t">2026-03-03T00:00:00Z</td><td class="long"><a href="https://a\.example/post/(\d+)">}g), '17 27 37 47 57 7', 'pages that changed last, in all files');
like($html, qr{2026-03-02T00:00:00Z</td><td class="long"><a href="https://a\.example/K%C3%A4se%20[^"]*">https://a\.example/Käse &amp; &lt;b&gt;&quot;Brot&quot; 7</a>},
	'a page that changed before, decoded');
like($html, qr{<img src="https://cdn\.example/\d+\.jpg\?a=%22&amp;b=%3C" alt="" loading="lazy"/></td><td>de en</td>}, 'thumbnails and languages');
if (IPC::Run::run([ 'sh', '-c', 'command -v xmllint >/dev/null' ]))
{
	my $error;

	ok(IPC::Run::run([ 'xmllint', '--noout', '-' ], '<', \$html, '2>', \$error), 'well-formed') or diag $error;
}

$html = report('-v', 'base_url=https://b.example/', '-v', "robots=User-agent: *\nDisallow: /1\n");
unlike($html, qr/a\.example/, 'one site');
like($html, qr{<td class="bad">robots_disallowed</td><td class="n">4</td>}, 'an audit with robots.txt');

$node->safe_psql('postgres', q{
	UPDATE site SET missed = 3 WHERE section = 'tags';
	UPDATE site SET failures = 5, started = now(), error = 'refused' WHERE section = 'broken';
	UPDATE site SET every = '1 minute', started = '2026-03-01 12:00', finished = '2026-03-01 12:00' WHERE section = 'pages';
	DELETE FROM site_history WHERE section = 'pages' AND finished > '2026-03-02'});
$html = report();
like($html, qr{<td>broken</td><td class="bad">waiting, 5 failures</td>.*
<tr>.*<td>pages</td><td class="">late</td>.*>\d+ days ago</time></td><td class="t bad">2026-03-01 12:01</td></tr>
<tr>.*<td>tags</td><td class="">unwatched</td>.*<td class="n bad">3</td>}, 'a job that waits, one that is late, and one with missed files');
like($html, qr{<figcaption>pages of .*\n.*<circle cx="160\.0" .*<text x="160" y="105" text-anchor="middle">[0-9: -]{16}</text></svg>}, 'a plot of one run has one time');

$node->safe_psql('postgres', 'DROP TABLE site_history CASCADE; ALTER TABLE site RENAME TO "The Site"; DROP FUNCTION keep_history() CASCADE');
unlike(report('-v', 'jobs="The Site"'), qr/<svg/, 'without a history there are no plots');
$node->stop;
done_testing();

sub report
{
	my (@options) = @_;

	my ($output, $error);

	IPC::Run::run([ 'psql', '-Xq', @options, '-f', $report ], '>', \$output, '2>', \$error)
	  or die $error;
	is($error, '', "no error: @options");
	return $output;
}
