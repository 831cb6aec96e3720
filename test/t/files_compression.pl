# Contents that are compressed beside the query, in threads of the backend.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Session;

plan skip_all => 'threads are counted in /proc' unless -d '/proc/self/task';

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\nlogging_collector = off\n");
$node->start;

# A row says how many threads the backend has, once the first file is being compressed.
# Files of 10 MB that compress badly: each keeps a thread busy for a good while.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sitemap;
	CREATE FUNCTION threads() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL UNSAFE
	AS $$ SELECT count(*) FROM pg_catalog.pg_ls_dir('/proc/self/task') $$;
	CREATE TABLE page AS
	SELECT n, (SELECT string_agg(md5(n::text || '-' || i), '') FROM generate_series(1, 50) i) AS text
	  FROM generate_series(1, 20000) n;
	CREATE VIEW site AS
	SELECT 'https://www.example.com/' || text AS loc,
	       CASE WHEN n % 500 = 0 THEN public.threads() / 10.0 END AS priority
	  FROM public.page ORDER BY n;
	CREATE FUNCTION broken(n int) RETURNS text LANGUAGE plpgsql
	AS $$ BEGIN IF n > 15000 THEN RAISE 'broken row'; END IF; RETURN ''; END $$});

my $files = q{sitemap_files('TABLE public.site', 'https://www.example.com/', compression => 9, max_bytes => 10000000)};

# The result is the same with and without threads.
sub digests
{
	my ($workers, $query) = @_;
	return $node->safe_psql(
		'postgres', qq{
		SET max_parallel_workers_per_gather = $workers;
		SELECT string_agg(name || ' ' || digest || ' ' || md5(content), E'\\n' ORDER BY name)
		  FROM sitemap_files('SELECT ''https://www.example.com/'' || text AS loc FROM public.page ORDER BY n',
		                     'https://www.example.com/', compression => 6, max_bytes => 10000000)});
}
my $alone = digests(0);
like($alone, qr/^sitemap-4\.xml\.gz /m, 'there are several files');
is(digests($_), $alone, "the same bytes with max_parallel_workers_per_gather = $_") for 1, 2, 8;

# The most threads that a row of the query saw, read back from the files.
sub most_threads
{
	my ($workers) = @_;
	return $node->safe_psql(
		'postgres', qq{
		SET max_parallel_workers_per_gather = $workers;
		SELECT max(p.priority * 10)
		  FROM sitemap_files('TABLE public.site', 'https://www.example.com/', compression => 9,
		                     max_bytes => 10000000, index => 'never') f, sitemap_parse(f.content) p});
}
cmp_ok(most_threads(0), '==', 1, 'no thread where max_parallel_workers_per_gather is 0');
cmp_ok(most_threads(1), '==', 2, 'one thread beside the backend');
cmp_ok(most_threads(8), '==', 3, 'at most two');

# An error, a cancel request or the end of the session while a thread works: the
# thread ends with its statement, and the server goes on.
my $session = Session->start($node, 'postgres', on_error_stop => 0);
$session->query_safe('SET max_parallel_workers_per_gather = 2');
my $pid = $session->query_safe('SELECT pg_backend_pid()');

sub is_whole
{
	my ($test) = @_;
	my $left = $session->query('SELECT public.threads()');
	is($left, 1, "$test: no thread is left");
	return;
}
$session->query(
	q{SELECT count(*) FROM sitemap_files('SELECT ''https://www.example.com/'' || text || public.broken(n) AS loc FROM public.page ORDER BY n',
		'https://www.example.com/', compression => 9, max_bytes => 10000000)});
like($session->{stderr}, qr/broken row/, 'an error of the query');
is_whole('an error of the query');

my $caught = $session->query(
	q{DO $$
	BEGIN
		PERFORM * FROM sitemap_files('SELECT ''https://www.example.com/'' || text || public.broken(n) AS loc FROM public.page ORDER BY n',
			'https://www.example.com/', compression => 9, max_bytes => 10000000);
	EXCEPTION WHEN raise_exception THEN
		IF public.threads() > 1 THEN RAISE 'a thread is left'; END IF;
	END $$; SELECT 'caught'});
like($caught, qr/caught/, 'an error in a subtransaction');

# Waits until the session's backend has threads, and so compresses.
sub begin_and_wait
{
	my ($statement) = @_;
	$session->query_until(qr/begun/, "\\echo begun\n$statement;\n");
	for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		my @tasks = glob "/proc/$pid/task/*";
		return 1 if @tasks > 1;
		select undef, undef, undef, 0.1;
	}
	return 0;
}
ok(begin_and_wait("SELECT count(*) FROM $files"), 'it compresses');
is($node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)"), 't', 'cancelled meanwhile');
is_whole('a cancel request');

$session->query_within(700, "SELECT count(*) FROM $files");
is_whole('statement_timeout');

# Where no thread can be had, the backend does it all.
SKIP:
{
	skip 'prlimit is not here', 1 if system('prlimit --version >/dev/null 2>&1') != 0;
	skip 'the limit does not hold for root', 1 if $> == 0;
	system_or_bail('prlimit', "--pid=$pid", '--nproc=1:');
	my $bytes = $session->query(
		q{SELECT string_agg(name || ' ' || digest || ' ' || md5(content), E'\n' ORDER BY name)
		  FROM sitemap_files('SELECT ''https://www.example.com/'' || text AS loc FROM public.page ORDER BY n',
		                     'https://www.example.com/', compression => 6, max_bytes => 10000000)});
	is($bytes, $alone, 'the same bytes where a thread is refused');
}

my $started = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
my $log_size = -s $node->logfile;
my $doomed = Session->start($node, 'postgres', on_error_stop => 0);
$doomed->query_safe('SET max_parallel_workers_per_gather = 2');
($session, $pid) = ($doomed, $doomed->query_safe('SELECT pg_backend_pid()'));
ok(begin_and_wait("SELECT count(*) FROM $files"), 'it compresses again');
is($node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 60000)"), 't', 'ended meanwhile');
is($node->safe_psql('postgres', 'SELECT count(*) FROM page'), 20000, 'the server goes on');
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile, $log_size),
	qr/terminated by signal|PANIC|was terminated/, 'and no process of it has crashed');

# A library that fails: an error, with and without threads, and no file without content.
SKIP:
{
	my $broken = broken_libraries();
	skip 'no C compiler, or no LD_PRELOAD here', 1 unless $broken;

	$node->safe_psql('postgres', 'CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name))');
	$node->stop;
	{
		local $ENV{LD_PRELOAD} = $broken;
		$node->start;
	}
	foreach my $workers (0, 2)
	{
		foreach my $function ('sitemap_files(', q{sitemap_publish('target', })
		{
			my ($status, $stdout, $stderr) = $node->psql('postgres', qq{
				\\set VERBOSITY verbose
				SET max_parallel_workers_per_gather = $workers;
				SELECT count(*) FROM ${function}'SELECT ''/'' || n AS loc FROM generate_series(1, 20000) n', 'http://a/', compression => 6)});
			like($stderr, qr/^psql:.*ERROR:  XX000: could not compress a document$/m, "$function...): a library that fails, $workers workers");
		}
	}
	is($node->safe_psql('postgres', 'SELECT count(*) FROM target'), 0, 'and nothing is published');
}

$node->stop;
done_testing();

# A library to preload whose functions for compression fail.
sub broken_libraries
{
	my $source = "$PostgreSQL::Test::Utils::tmp_check/broken.c";
	my $library = $source =~ s/c$/so/r;

	append_to_file($source, q{
		#include <stddef.h>
		size_t libdeflate_gzip_compress(void *c, const void *in, size_t n, void *out, size_t room) { return 0; }
		int deflate(void *stream, int flush) { return -2; }
	});
	return $^O eq 'linux' && system("cc -shared -fPIC -o '$library' '$source'") == 0 ? $library : undef;
}
