# One target with the files of many sites: what a run and a request cost, and whom they wait for.
use FindBin;
use lib $FindBin::RealBin;
use Node;
use Session;

my $node = start_node("autovacuum_naptime = 1s\nlog_autovacuum_min_duration = 0\n");

my $tenants = 5000;
sql(qq{
	CREATE EXTENSION sitemap;
	CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name)) WITH (autovacuum_enabled = false);
	ALTER TABLE target ALTER content SET STORAGE EXTERNAL;
	CREATE TABLE feed OF sitemap_change;
	CREATE VIEW page AS SELECT '/' || n AS loc FROM generate_series(1, 3) n;
	CREATE FUNCTION url(tenant int) RETURNS text LANGUAGE sql IMMUTABLE AS \$\$
	  SELECT 'https://tenant-' || tenant || '.example.com/'
	\$\$;
	CREATE FUNCTION publish(tenant int, query text DEFAULT 'TABLE page', section text DEFAULT 'sitemap')
	RETURNS SETOF text LANGUAGE sql AS \$\$
	  SELECT p.action FROM sitemap_publish('target', query, url(tenant), section => section, feed => 'feed') p
	\$\$});

# All tenants in one transaction: no lock for each file, no partition.
sub publish_all
{
	return sql(
		"SELECT string_agg(DISTINCT a, ' '), count(*) FROM generate_series(1, $tenants) t, publish(t) a");
}
is(publish_all(), 'inserted|' . 2 * $tenants, "$tenants tenants");
is(publish_all(), 'unchanged|' . 2 * $tenants, 'unchanged');
is(sql('SELECT count(*) FROM feed'), 0, 'the first run of each has no feed');

# A request, and a run, find the rows of a site in the index.
sql('VACUUM ANALYZE target');
like(
	sql(q{EXPLAIN (COSTS OFF) SELECT content FROM target WHERE base_url = url(17) AND name = 'sitemap.xml'}),
	qr/\AIndex Scan using target_pkey/,
	'a request is one lookup');

# The blocks of the table and its index that are read, so far.
sub blocks
{
	return sql(
		q{SELECT heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit FROM pg_statio_user_tables WHERE relname = 'target'});
}
my $blocks = blocks();
is(sql(q{SELECT string_agg(a, ' ') FROM publish(17, 'SELECT loc || ''?'' AS loc FROM page') a}),
	'updated updated', 'a page changes');
cmp_ok(blocks() - $blocks, '<', 200, 'the run reads the files of its own site only');
is(sql('SELECT string_agg(DISTINCT base_url, $$ $$) FROM feed'), 'https://tenant-17.example.com/', 'and feeds that site');

# Four runs of four sites, none committed, wait for nobody; VACUUM neither waits nor is stopped.
my @sessions = map { Session->start($node, 'postgres') } 1 .. 4;
foreach my $n (0 .. 3)
{
	$sessions[$n]->query_safe(q{SET statement_timeout = '60s'});
	$sessions[$n]->query_safe('BEGIN');
	is($sessions[$n]->query_safe("SELECT string_agg(a, ' ') FROM publish($n + 1, 'SELECT loc || ''!'' AS loc FROM page') a"),
		'updated updated', 'a run of site ' . ($n + 1) . ' beside the others');
}
is($node->psql('postgres', "SET lock_timeout = '30s'; VACUUM target"), 0, 'VACUUM beside them');

# The same site waits, for its section and for its index.
foreach my $section ('sitemap', 'other')
{
	my ($status, $stdout, $stderr) =
	  $node->psql('postgres', "SET lock_timeout = '100ms'; SELECT publish(1, 'TABLE page', '$section')");
	like($stderr, qr/canceling statement due to lock timeout/, "section $section of the same site waits");
}
$_->query_safe('COMMIT') foreach @sessions;

# A running autovacuum is not cancelled by a run, as it would be by a run that locks the table.
my $log_size = -s $node->logfile;
sql(q{
	ALTER TABLE target SET (autovacuum_enabled = true, autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0,
	                        autovacuum_vacuum_cost_delay = 20, autovacuum_vacuum_cost_limit = 1);
	UPDATE target SET recipe = 'x'});
$node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_progress_vacuum WHERE relid = 'target'::regclass})
  or die 'no autovacuum';
my $worker = sql(q{SELECT pid FROM pg_stat_progress_vacuum WHERE relid = 'target'::regclass});
$sessions[0]->query_safe(q{SET deadlock_timeout = '10ms'});
is($sessions[0]->query_safe(q{SELECT string_agg(a, ' ') FROM publish(20, 'SELECT loc || ''!'' AS loc FROM page') a}), 'updated updated', 'a run beside autovacuum');
is(sql("SELECT count(*) FROM pg_stat_progress_vacuum WHERE pid = $worker"), 1, 'which goes on');
unlike(slurp_file($node->logfile, $log_size), qr/canceling autovacuum task/, 'and was not cancelled');

$_->quit foreach @sessions;
$node->stop('immediate');
done_testing();
