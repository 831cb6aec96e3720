# sitemap_files while it runs: parallel workers, memory, progress, cancel.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\nmax_worker_processes = 8\nmax_parallel_workers = 8\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION sitemap');

# Parallel workers run the query: each row says who made it.
$node->safe_psql('postgres', q{
	CREATE TABLE page AS SELECT n AS id, '/' || n AS loc FROM generate_series(1, 20000) n;
	ALTER TABLE page SET (parallel_workers = 2);
	ANALYZE page;
	CREATE FUNCTION whoami() RETURNS int LANGUAGE plpgsql PARALLEL SAFE AS 'BEGIN RETURN pg_catalog.pg_backend_pid(); END'});
my $parallel = q{SET max_parallel_workers_per_gather = %d; SET parallel_leader_participation = off; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	SELECT count(*), count(DISTINCT who), bool_or(who = pg_backend_pid()::text)
	  FROM sitemap_files('SELECT loc || ''#'' || public.whoami() AS loc FROM public.page', 'http://a/', format => 'txt') f,
	LATERAL (SELECT split_part(line, '#', 2) AS who FROM string_to_table(convert_from(f.content, 'UTF8'), E'\n') line WHERE line <> '') s};
is($node->safe_psql('postgres', sprintf($parallel, 0)), '20000|1|t', 'without workers the backend does it all');
my ($rows, $who, $leader) = split /\|/, $node->safe_psql('postgres', sprintf($parallel, 2));
is($rows, 20000, 'with workers there are as many rows');
cmp_ok($who, '>=', 1, 'somebody made them');
is($leader, 'f', 'and it was not the leader');

# Memory is bounded by one file, however many rows there are.
my $session = $node->background_psql('postgres', on_error_stop => 0);
my $pid = $session->query_safe('SELECT pg_backend_pid()');

sub peak
{
	open my $status, '<', "/proc/$pid/status" or return;
	my ($kilobytes) = grep { defined } map { /^VmHWM:\s+(\d+)/ ? $1 : undef } <$status>;
	close $status;
	return $kilobytes;
}

SKIP:
{
	skip 'no /proc here', 3 unless defined peak();
	my $statement = q{SELECT sum(url_count) FROM sitemap_files('SELECT ''/item/'' || generate_series(1, %d) AS loc', 'http://a/', max_urls => 5000, index => 'never')};
	is($session->query_safe(sprintf($statement, 1000000)), 1000000, 'a million rows');
	my $before = peak();
	my $contexts = $session->query_safe('SELECT sum(total_bytes) FROM pg_backend_memory_contexts');
	is($session->query_safe(sprintf($statement, 4000000)), 4000000, 'four million rows');
	my $growth = peak() - $before;
	cmp_ok($growth, '<', 4096, "memory does not grow with the rows ($before kB, then $growth kB more)");
	cmp_ok($session->query_safe('SELECT sum(total_bytes) FROM pg_backend_memory_contexts') - $contexts, '<', 1048576, 'and is given back');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'), 0, 'no temporary file is left');
}

# Rows from a given number on wait for a lock that we hold.
my $holder = $node->background_psql('postgres');
my $waiting = q{SELECT count(*) FROM sitemap_files('SELECT CASE WHEN n %% 2 = 0 OR n > %d THEN ''/'' || n ELSE ''ftp://'' END AS loc FROM generate_series(1, 5000) n
	WHERE n <= 4000 OR pg_catalog.pg_advisory_xact_lock_shared(1)::text = ''''', 'http://a/', on_invalid => 'skip', compression => 1, max_urls => 1000)};

# Start a statement in the session, and wait until it waits.
sub start
{
	my ($statement) = @_;
	$holder->query_safe('SELECT pg_advisory_lock(1)');
	$session->query_until(qr/started/, "\\echo started\n$statement;\n");
	ok( $node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE pid = $pid AND wait_event_type = 'Lock' AND wait_event = 'advisory'"),
		'it waits in the middle');
}

# The session's answer to what came before, and whether it goes on to work.
sub answer
{
	my $output = $session->query(q{SELECT 'url_count ' || url_count FROM sitemap_files('SELECT ''/'' AS loc', 'http://a/')});
	like($output, qr/url_count 1/, 'the session works on');
	my $error = $session->{stderr};
	$session->{stderr} = '';
	is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_stat_progress_copy'), 0, 'no progress is left to be seen');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'), 0, 'nor a temporary file');
	return ($output, $error);
}

my $progress = "SELECT command, type, tuples_processed >= 3072, tuples_excluded = 0, bytes_processed > 3072 * 30 FROM pg_stat_progress_copy WHERE pid = $pid";
start(sprintf($waiting, 0));
is($node->safe_psql('postgres', $progress), 'COPY TO|CALLBACK|t|t|t', 'pg_stat_progress_copy shows it');
$holder->query_safe('SELECT pg_advisory_unlock(1)');
my ($output, $error) = answer();
like($output, qr/^6$/m, 'all files are there in the end');

start(sprintf($waiting, 5000));
is($node->safe_psql('postgres', "SELECT tuples_processed >= 1500, tuples_excluded >= 1500, tuples_processed + tuples_excluded <= 4000 FROM pg_stat_progress_copy WHERE pid = $pid"), 't|t|t', 'and rows that are left out');
is($node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)"), 't', 'cancel it');
($output, $error) = answer();
like($error, qr/canceling statement due to user request/, 'it ends with that');
$holder->query_safe('SELECT pg_advisory_unlock(1)');

# A COPY of the result has the progress view for itself.
my $file = $node->basedir . '/copy';
start('COPY (' . sprintf($waiting, 0) . ") TO '$file'");
is($node->safe_psql('postgres', "SELECT type, tuples_processed FROM pg_stat_progress_copy WHERE pid = $pid"), 'FILE|0', 'a COPY keeps its own progress');
$holder->query_safe('SELECT pg_advisory_unlock(1)');
($output, $error) = answer();
is(slurp_file($file), "6\n", 'and its result');

# After an error in a block of PL/pgSQL the next call has the view again.
start(q{DO $do$ BEGIN
	BEGIN
		PERFORM * FROM sitemap_files('SELECT ''/'' || 1 / (3000 - n) AS loc FROM generate_series(1, 5000) n', 'http://a/', max_urls => 100);
	EXCEPTION WHEN division_by_zero THEN
		NULL;
	END;
	} . sprintf($waiting =~ s/SELECT count/PERFORM count/r, 0) . q{;
	END $do$});
is($node->safe_psql('postgres', $progress), 'COPY TO|CALLBACK|t|t|t', 'progress after an exception block');
$holder->query_safe('SELECT pg_advisory_unlock(1)');
($output, $error) = answer();
is($error, '', 'and no error');

# Many rows without end: statement_timeout, in the query and in a large file's compression
my $endless = q{SELECT count(*) FROM sitemap_files('SELECT ''/'' || generate_series(1, 1000000000) AS loc', 'http://a/', compression => %d)};
for my $level (0, 9)
{
	$session->query_safe("SET statement_timeout = '300ms'");
	$session->query(sprintf($endless, $level));
	my $error = $session->{stderr};
	$session->{stderr} = '';
	$session->query_safe('RESET statement_timeout');
	like($error, qr/canceling statement due to statement timeout/, "statement_timeout ends it, compression $level");
	answer();
}
is($session->query_safe('SELECT sum(total_bytes) < 100000000 FROM pg_backend_memory_contexts'), 't', 'all memory was given back');

$session->quit;
$holder->quit;
$node->stop;
done_testing();
