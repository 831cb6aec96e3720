# sitemap_files while it runs: parallel workers, memory, progress, cancel, a library that
# cannot compress.
use FindBin;

use lib $FindBin::RealBin;
use Node;
use Session;

my $node = start_node("max_worker_processes = 8\nmax_parallel_workers = 8\n");
$node->safe_psql('postgres', 'CREATE EXTENSION sitemap');

# Parallel workers run the query: each row says who made it.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE page AS SELECT n AS id, '/' || n AS loc FROM generate_series(1, 20000) n;
	ALTER TABLE page SET (parallel_workers = 2);
	ANALYZE page;
	CREATE FUNCTION whoami() RETURNS int LANGUAGE plpgsql PARALLEL SAFE
	AS 'BEGIN RETURN pg_catalog.pg_backend_pid(); END'});
is(parallel(0), '20000|1|t', 'without workers the backend does it all');
my ($rows, $who, $leader) = split /\|/, parallel(2);
is($rows, 20000, 'with workers there are as many rows');
cmp_ok($who, '>=', 1, 'somebody made them');
is($leader, 'f', 'and it was not the leader');

# sitemap_publish writes, but not while they run.
is( $node->safe_psql(
		'postgres', q{
		CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));
		SET max_parallel_workers_per_gather = 2;
		SET parallel_leader_participation = off;
		SET parallel_setup_cost = 0;
		SET parallel_tuple_cost = 0;
		SET min_parallel_table_scan_size = 0;
		SELECT count(*) > 4
		  FROM sitemap_publish('target', 'SELECT loc || ''#'' || public.whoami() AS loc FROM public.page',
		                       'http://a/', format => 'txt', compression => 0, max_urls => 5000);
		SELECT count(*), bool_or(split_part(line, '#', 2) = pg_backend_pid()::text)
		  FROM target, string_to_table(convert_from(content, 'UTF8'), E'\n') line
		 WHERE kind = 'text' AND line <> ''}),
	"t\n20000|f",
	'sitemap_publish of what parallel workers find');

# Memory is bounded by one file, however many rows there are.
my $session = Session->start($node, 'postgres', on_error_stop => 0);
my $pid = $session->{pid};

SKIP:
{
	skip 'no /proc here', 5 unless defined memory_of($pid, 'VmHWM');
	my $many = q{
		SELECT sum(url_count)
		  FROM sitemap_files('SELECT ''/item/'' || generate_series(1, %d) AS loc', 'http://a/',
		                     max_urls => 5000, index => 'never')};

	is($session->query_safe(sprintf($many, 1000000)), 1000000, 'a million rows');
	my $before = memory_of($pid, 'VmHWM');
	my $contexts = memory();
	is($session->query_safe(sprintf($many, 4000000)), 4000000, 'four million rows');
	my $growth = memory_of($pid, 'VmHWM') - $before;

	cmp_ok($growth, '<', 4096, "memory does not grow with the rows ($before kB, then $growth kB more)");
	cmp_ok(memory() - $contexts, '<', 1048576, 'and is given back');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'),
		0, 'no temporary file is left');
}

# Rows from number 4000 on wait for a lock that we hold; of the rows up to the
# given number each second one is not valid.
my $holder = Session->start($node, 'postgres');
my $waiting = q{
	SELECT count(*)
	  FROM sitemap_files($q$
	         SELECT CASE WHEN n %% 2 = 0 OR n > %d THEN '/' || n ELSE 'ftp://' END AS loc
	           FROM generate_series(1, 5000) n
	          WHERE n <= 4000 OR pg_catalog.pg_advisory_xact_lock_shared(1)::text = ''
	       $q$, 'http://a/', on_invalid => 'skip', compression => 1, max_urls => 1000)};
my $progress = qq{
	SELECT command, type, tuples_processed >= 3072, tuples_excluded = 0, bytes_processed > 3072 * 30
	  FROM pg_stat_progress_copy
	 WHERE pid = $pid};

start(sprintf($waiting, 0));
is($node->safe_psql('postgres', $progress),
	'COPY TO|CALLBACK|t|t|t', 'pg_stat_progress_copy shows it');
$holder->query_safe('SELECT pg_advisory_unlock(1)');
my ($output, $error) = answer();
like($output, qr/^6$/m, 'all files are there in the end');

# Cancel.
start(sprintf($waiting, 5000));
is( $node->safe_psql(
		'postgres', qq{
		SELECT tuples_processed >= 1500, tuples_excluded >= 1500,
		       tuples_processed + tuples_excluded <= 4000
		  FROM pg_stat_progress_copy
		 WHERE pid = $pid}),
	't|t|t',
	'progress shows rows that are left out');
is($node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)"), 't', 'cancel it');
($output, $error) = answer();
like($error, qr/canceling statement due to user request/, 'it ends with that');
$holder->query_safe('SELECT pg_advisory_unlock(1)');

# A COPY of the result has the progress view for itself.
my $file = $node->basedir . '/copy';
start('COPY (' . sprintf($waiting, 0) . ") TO '$file'");
is( $node->safe_psql(
		'postgres', "SELECT type, tuples_processed FROM pg_stat_progress_copy WHERE pid = $pid"),
	'FILE|0',
	'a COPY keeps its own progress');
$holder->query_safe('SELECT pg_advisory_unlock(1)');
($output, $error) = answer();
is(slurp_file($file), "6\n", 'and its result');

# After an error in a block of PL/pgSQL the next call has the view again.
my $perform = sprintf($waiting, 0) =~ s/SELECT/PERFORM/r;
start(
	qq{
	DO \$do\$
	BEGIN
	  BEGIN
	    PERFORM *
	       FROM sitemap_files('SELECT ''/'' || 1 / (3000 - n) AS loc FROM generate_series(1, 5000) n',
	                          'http://a/', max_urls => 100);
	  EXCEPTION WHEN division_by_zero THEN
	    NULL;
	  END;
	  $perform;
	END
	\$do\$});
is($node->safe_psql('postgres', $progress),
	'COPY TO|CALLBACK|t|t|t', 'progress after an exception block');
$holder->query_safe('SELECT pg_advisory_unlock(1)');
($output, $error) = answer();
is($error, '', 'and no error');

# Rows without end: statement_timeout, in the query and while a large file is compressed.
foreach my $level (0, 9)
{
	$error = $session->query_within(
		300, qq{
		SELECT count(*)
		  FROM sitemap_files('SELECT ''/'' || generate_series(1, 1000000000) AS loc', 'http://a/',
		                     compression => $level)});
	like(
		$error,
		qr/canceling statement due to statement timeout/,
		"statement_timeout ends it, compression $level");
	answer();
}
cmp_ok(memory(), '<', 100000000, 'all memory was given back');

$_->quit foreach $session, $holder;
test_broken_library();
$node->stop;
done_testing();

# With so many workers: how many rows there are, how many processes made them,
# and whether the leader was one of these.
sub parallel
{
	my ($workers) = @_;

	return $node->safe_psql(
		'postgres', qq{
		SET max_parallel_workers_per_gather = $workers;
		SET parallel_leader_participation = off;
		SET parallel_setup_cost = 0;
		SET parallel_tuple_cost = 0;
		SET min_parallel_table_scan_size = 0;
		SELECT count(*), count(DISTINCT who), bool_or(who = pg_backend_pid()::text)
		  FROM sitemap_files('SELECT loc || ''#'' || public.whoami() AS loc FROM public.page',
		                     'http://a/', format => 'txt') f,
		       string_to_table(convert_from(f.content, 'UTF8'), E'\\n') line,
		       split_part(line, '#', 2) who
		 WHERE line <> ''});
}

# The memory that its contexts have now.
sub memory
{
	return $session->query_safe('SELECT sum(total_bytes) FROM pg_backend_memory_contexts');
}

# Start a statement in the session, and wait until it waits.
sub start
{
	my ($statement) = @_;

	$holder->query_safe('SELECT pg_advisory_lock(1)');
	$session->begin($statement)->wait_for_lock;
	return;
}

# The session's answer to what came before, and whether it goes on to work.
sub answer
{
	my $answer = $session->query(
		q{SELECT 'url_count ' || url_count FROM sitemap_files('SELECT ''/'' AS loc', 'http://a/')});
	my $complaint = $session->{stderr};

	$session->{stderr} = '';
	like($answer, qr/url_count 1/, 'the session works on');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_stat_progress_copy'),
		0, 'no progress is left to be seen');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'), 0,
		'nor a temporary file');
	return ($answer, $complaint);
}

# A library that cannot compress: an error, and no file without content.
sub test_broken_library
{
	my $library = library(q{
		#include <stddef.h>
		size_t libdeflate_gzip_compress(void *c, const void *in, size_t n, void *out, size_t room) { return 0; }
		int deflate(void *stream, int flush) { return -2; }
	});

  SKIP:
	{
		skip 'no C compiler, or no LD_PRELOAD here', 3 if !defined $library;
		local $ENV{LD_PRELOAD} = $library;
		$node->restart;
		$node->safe_psql('postgres', 'TRUNCATE target');
		foreach my $function ('sitemap_files(', q{sitemap_publish('target', })
		{
			$node->psql('postgres', "SELECT ${function}'SELECT loc FROM page', 'http://a/', compression => 6)",
				extra_params => [ '-v', 'VERBOSITY=verbose' ], stderr => \my $stderr);
			like($stderr, qr/^psql:.*ERROR:  XX000: could not compress a document$/m, "$function...): a library that fails");
		}
		is($node->safe_psql('postgres', 'SELECT count(*) FROM target'), 0, 'nothing is published');
	}
	return;
}
