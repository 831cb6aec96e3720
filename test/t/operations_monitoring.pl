# The statements of the guide's chapter on monitoring, where something is wrong: each
# alert, the lines for Prometheus, and a run that is under way.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Session;

my $guide = slurp_file("$FindBin::RealBin/../../doc/guide.md");
my ($chapter) = $guide =~ /^## Monitoring\n(.*?)^## /ms;
my %statement;
foreach my $block ($chapter =~ /^```sql\n(.*?)^```/msg)
{
	$statement{alerts} = $block if $block =~ /\balert\b/;
	$statement{metrics} = $block if $block =~ /CREATE VIEW site_metric/;
	$statement{under_way} = $block if $block =~ /pg_stat_progress_copy/;
}
is(join(' ', sort keys %statement), 'alerts metrics under_way', 'the chapter has the statements');

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->append_conf('postgresql.conf', "jit = off\n");
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sitemap;
	CREATE TABLE page_change (id int);
	INSERT INTO page_change VALUES (1), (2);
	CREATE FUNCTION wait_for(lock int) RETURNS text VOLATILE LANGUAGE plpgsql AS $$
	BEGIN
	  PERFORM pg_advisory_xact_lock_shared(lock);
	  RETURN '/';
	END
	$$;
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE site OF sitemap_job (section WITH OPTIONS DEFAULT 'sitemap', PRIMARY KEY (base_url, section));
	INSERT INTO site (target, base_url, section, query, every)
	SELECT 'site_files', 'https://www.example.com/', section, 'SELECT ''/'' || n AS loc FROM generate_series(1, 120000) n', every::interval
	  FROM (VALUES ('articles', NULL), ('fine', '1 hour'), ('news', NULL), ('static', NULL), ('rare', '1 hour')) v (section, every);
	CALL sitemap_run('site')});
is($node->safe_psql('postgres', $statement{alerts}), '', 'no alert');

# One of each kind.
$node->safe_psql('postgres', q{
	UPDATE site SET query = 'SELECT ''ftp://a/'' AS loc' WHERE section = 'news';
	UPDATE site SET max_shrink = 1, query = 'SELECT ''/'' AS loc' WHERE section = 'articles'});
isnt($node->psql('postgres', q{CALL sitemap_run('site')}), 0, 'a call with a failed job fails');
$node->safe_psql('postgres', q{
	UPDATE site SET finished = CASE section WHEN 'static' THEN now() - interval '16 minutes' WHEN 'fine' THEN now() - interval '2 hours'
	                                        ELSE now() - interval '4 hours' END WHERE section IN ('static', 'fine', 'rare')});
like($node->safe_psql('postgres', $statement{alerts}), qr{\Ahttps://www.example.com/\|articles\|has only 1 URLs
https://www.example.com/\|news\|fails: invalid loc: [^|]*
https://www.example.com/\|rare\|no success since 2[^|]*
https://www.example.com/\|static\|no success since 2[^|]*\z}, 'an alert of each kind, and no other');

# What never ran, and what runs for the first time, are seen as well.
$node->safe_psql('postgres', $statement{metrics});
$node->safe_psql('postgres', q{
	DELETE FROM site WHERE section <> 'news';
	INSERT INTO site (target, base_url, section, query) VALUES ('site_files', 'https://www.example.com/', 'first', 'SELECT public.wait_for(1) AS loc')});
my $holder = Session->start($node, 'postgres');
my $caller = Session->start($node, 'postgres', on_error_stop => 0);
my $pid = $caller->query_safe('SELECT pg_backend_pid()');
$holder->query_safe('SELECT pg_advisory_lock(1)');
$caller->query_until(qr/started/, "\\echo started\nCALL sitemap_run('site');\n");
$node->poll_query_until('postgres', "SELECT wait_event = 'advisory' FROM pg_stat_activity WHERE pid = $pid") or die 'it does not wait';
like($node->safe_psql('postgres', $statement{under_way}), qr/\A$pid\|0\|\d+\|2.*\z/, 'a run that is under way');
is($node->safe_psql('postgres', q{SELECT started IS NOT NULL, finished IS NULL FROM site WHERE section = 'first'}), 't|t', 'is seen in its row');
like($node->safe_psql('postgres', $statement{alerts}), qr{\|first\|never succeeded$}m, 'and by an alert');
my $update = q{UPDATE site SET every = '1 hour' WHERE section = 'first'};
my (undef, undef, $refusal) = $node->psql('postgres', "SET lock_timeout = '100ms'; $update");
like($refusal, qr/canceling statement due to lock timeout/, 'an UPDATE of its row waits');
my @lines = split /\n/, $node->safe_psql('postgres', 'SELECT line FROM site_metric ORDER BY line COLLATE "C"');
like($lines[$_], (
	qr/^sitemap_age_seconds\{base_url="https:\/\/www.example.com\/",section="first"\} \+Inf$/,
	qr/^sitemap_age_seconds\{base_url="https:\/\/www.example.com\/",section="news"\} \d+$/,
	qr/^sitemap_failures\{base_url="https:\/\/www.example.com\/",section="first"\} 0$/,
	qr/^sitemap_failures\{base_url="https:\/\/www.example.com\/",section="news"\} [12]$/,
	qr/^sitemap_queue 2$/,
	qr/^sitemap_urls\{base_url="https:\/\/www.example.com\/",section="first"\} 0$/,
	qr/^sitemap_urls\{base_url="https:\/\/www.example.com\/",section="news"\} 120000$/)[$_], "metric $_") foreach 0 .. 6;
is(scalar(@lines), 7, 'all metrics');
$holder->query_safe('SELECT pg_advisory_unlock(1)');
$caller->query('SELECT 1');
$_->quit foreach $holder, $caller;
is($node->safe_psql('postgres', $statement{under_way}), '', 'no run is under way');
is($node->psql('postgres', "SET lock_timeout = '100ms'; $update"), 0, 'and the row can be changed');

$node->stop;
done_testing();
