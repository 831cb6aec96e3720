# What doc/operations.md says of monitoring, and the alert of doc/tutorial.md, where something is
# wrong: each alert, the lines for Prometheus, and a run that is under way.
use FindBin;
use IPC::Run ();

use lib $FindBin::RealBin;
use Node;
use Session;

my ($chapter) = slurp_file("$FindBin::RealBin/../../doc/operations.md") =~ /^## Monitoring\n(.*?)^## /ms;
my ($alerts) = slurp_file("$FindBin::RealBin/../../doc/tutorial.md") =~ /^## 8\. The alert\n.*?^```sql\n(.*?)^```/ms;
my ($metrics) = $chapter =~ /^(CREATE VIEW site_metric .*?;)$/ms;
my ($collect) = $chapter =~ /^```sh\n(.*?)^```/ms;
my ($under_way) = $chapter =~ /^(SELECT [^;]*pg_stat_progress_copy.*?;)$/ms;
my $folder = PostgreSQL::Test::Utils::tempdir();
my $node = start_node();
sql(q{
	CREATE EXTENSION sitemap;
	CREATE FUNCTION wait_for(lock int) RETURNS text VOLATILE LANGUAGE plpgsql AS $$
	BEGIN
	  PERFORM pg_advisory_xact_lock_shared(lock);
	  RETURN '/';
	END
	$$;
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE site OF sitemap_job (PRIMARY KEY (base_url, section));
	CREATE TABLE page_change (id int, at timestamptz DEFAULT now());
	INSERT INTO page_change VALUES (1), (2);
	INSERT INTO page_change VALUES (3, now() - interval '1 hour');
	INSERT INTO site (target, base_url, section, query, every)
	SELECT 'site_files', 'https://www.example.com/', section, 'SELECT ''/'' || n AS loc FROM generate_series(1, 120000) n', every::interval
	  FROM (VALUES ('products', NULL), ('fine', '1 hour'), ('forgotten', '1 hour'), ('news', NULL), ('static', NULL), ('rare', '1 hour')) v (section, every);
	CALL sitemap_run('site')});
sql($metrics);
is(alerts(), '', 'no alert');

# One of each kind.
sql(q{
	UPDATE site SET query = 'SELECT ''ftp://a/'' AS loc' WHERE section = 'news';
	UPDATE site SET max_shrink = 1, query = 'SELECT ''/'' AS loc' WHERE section = 'products'});
isnt($node->psql('postgres', q{CALL sitemap_run('site')}), 0, 'a call with a failed job fails');
sql(q{
	UPDATE site SET finished = now() - CASE section WHEN 'static' THEN interval '16 minutes' WHEN 'fine' THEN interval '74 minutes' ELSE interval '76 minutes' END
	 WHERE section IN ('static', 'fine', 'rare');
	UPDATE site SET started = finished WHERE section IN ('static', 'fine', 'rare');
	UPDATE site SET missed = 2 WHERE section = 'forgotten'});
my $site = 'https://www.example.com/';
like(alerts(), qr{\A\Q$site\E\|forgotten\|unwatched\|120000\|00:[^|]*\|The last full run changed 2 files .*
\Q$site\E\|news\|failing\|120000\|00:[^|]*\|invalid loc: [^|]*
\Q$site\E\|products\|ok\|1\|00:[^|]*\|max_shrink is 1, so a run may remove all URLs\.
\Q$site\E\|rare\|late\|120000\|01:16[^|]*\|Nothing runs it\. .*
\Q$site\E\|static\|late\|120000\|00:16[^|]*\|Nothing runs it\. .*\z}, 'an alert of each kind, and no other');

# A job that is gone with its files, files of a site without a job, and a watch that adds nothing.
sql(q{
	DELETE FROM site WHERE section NOT IN ('fine', 'news');
	DELETE FROM site_files WHERE section NOT IN ('fine', 'news');
	INSERT INTO site_files (base_url, section, name, kind, digest) VALUES ('https://other.example/', 'a', 'a', 'urlset', 'x');
	CREATE TABLE page (id int);
	CREATE TABLE change (id int);
	SELECT sitemap_watch('page', 'id', 'change');
	DROP TABLE change});
like(alerts(), qr{\A\Q$site\E\|news\|failing\|[^\n]*
(?:[^|\n]*\n)*\Q$site\E\|products\|{4}
\|\|broken watch\|\|\|the queue public\.change of the watched table "page" does not exist
Repeat this call, with the new names if any has changed: SELECT public\.sitemap_watch\('public\.page', 'id', 'public\.change'\)\z}, 'a job that is gone, and a broken watch');

# The lines for Prometheus: one for several broken watches, and the other sites.
sql(q{
	CREATE TABLE page2 (id int);
	CREATE TABLE change (id int);
	SELECT sitemap_watch('page2', 'id', 'change');
	DROP TABLE change});
ok(collect(), 'the lines are collected');
my @lines = split /\n/, slurp_file("$folder/sitemap.prom");
my $due = sql(q{SELECT extract(epoch FROM finished + every) FROM site WHERE section = 'fine'});
like($lines[$_], (
	qr/^sitemap_age_seconds\{base_url="\Q$site\E",section="fine"\} 44\d\d(?:\.\d+)?$/,
	qr/^sitemap_age_seconds\{base_url="\Q$site\E",section="news"\} \d+(?:\.\d+)?$/,
	qr/^sitemap_due_seconds\{base_url="\Q$site\E",section="fine"\} \Q$due\E$/,
	qr/^sitemap_due_seconds\{base_url="\Q$site\E",section="news"\} \d+(?:\.\d+)?$/,
	qr/^sitemap_failing\{base_url="",section=""\} 1$/,
	qr/^sitemap_failing\{base_url="\Q$site\E",section="fine"\} 0$/,
	qr/^sitemap_failing\{base_url="\Q$site\E",section="news"\} 1$/,
	qr/^sitemap_failing\{base_url="\Q$site\E",section="pages"\} 1$/,
	qr/^sitemap_queue_age_seconds\{base_url="\Q$site\E",section="pages"\} 36\d\d(?:\.\d+)?$/,
	qr/^sitemap_queue_keys\{base_url="\Q$site\E",section="pages"\} 3$/,
	qr/^sitemap_urls\{base_url="\Q$site\E",section="fine"\} 120000$/,
	qr/^sitemap_urls\{base_url="\Q$site\E",section="news"\} 120000$/)[$_], "metric $_") foreach 0 .. 11;
is(scalar(@lines), 12, 'all metrics');

# A failure leaves the old file.
sql('DROP TABLE page, page2');
sql('ALTER VIEW site_metric RENAME TO other');
ok(!collect(), 'a failure');
is(join("\n", split /\n/, slurp_file("$folder/sitemap.prom")), join("\n", @lines), 'leaves the old lines');

# A run that is under way, and one whose end was never recorded.
sql(q{
	TRUNCATE site, site_files;
	INSERT INTO site (target, base_url, section, query) VALUES ('site_files', 'https://www.example.com/', 'products', 'SELECT public.wait_for(1) AS loc')});
like(alerts(), qr/^\Q$site\E\|products\|never ran\|{3}Nothing runs it\./m, 'a job that never ran');
my $holder = Session->start($node, 'postgres');
my $caller = Session->start($node, 'postgres', on_error_stop => 0);
$holder->query_safe('SELECT pg_advisory_lock(1)');
$caller->begin(q{CALL sitemap_run('site')})->wait_for_lock;
like(sql($under_way), qr/\A$caller->{pid}\|0\|\d+\|2.*\z/, 'a run that is under way');
is(sql(q{SELECT started IS NOT NULL, finished IS NULL FROM site}), 't|t', 'is seen in its row');
is(alerts(), '', 'and by no alert');
sql(q{UPDATE site SET started = now() - interval '3 hours'});
like(alerts(), qr/\A\Q$site\E\|products\|running\|{3}\z/, 'until it takes too long');
$holder->query_safe('SELECT pg_advisory_unlock(1)');
$caller->query('SELECT 1');
$_->quit foreach $holder, $caller;
is(sql($under_way), '', 'no run is under way');
like(alerts(), qr/\A\Q$site\E\|products\|failing\|{3}The last run ended without a result\. See the server log\.\z/, 'a run without an end');

$node->stop;
done_testing();

sub alerts
{
	return sql($alerts =~ s/;\s*$/ ORDER BY base_url, section/r);
}

sub collect
{
	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => 'postgres');

	return IPC::Run::run([ 'bash', '-e', '-o', 'pipefail' ], '<', \$collect, '>', \my $output, '2>&1', init => sub { chdir $folder or die $! });
}
