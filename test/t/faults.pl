# Cancelled, terminated, killed, out of memory, out of disk: a call that does
# not come to its end leaves nothing behind, and the next one works.
#
# export.pl has sitemap_export killed, cut off by a full disk and cancelled in the middle
# of a file, parse.pl and audit.pl have theirs ended by statement_timeout, jobs.pl has
# runs of jobs.
use Compress::Zlib ();
use FindBin;
use IPC::Run ();
use Time::HiRes ();

use lib $FindBin::RealBin;
use Node;
use Session;

my $node = start_node("autovacuum = off\nrestart_after_crash = on\nmax_parallel_workers_per_gather = 0\n");

# The target has files of 500 pages, and there are 2,500 now; the last one waits
# where somebody holds lock 1, a file that is written where somebody holds lock 2,
# and the index where somebody holds lock 3.
sql(
	q{
	CREATE EXTENSION sitemap;
	CREATE TABLE page AS SELECT n AS id, '/' || n AS loc FROM generate_series(1, 2500) n;
	CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));

	CREATE FUNCTION page_of(id int, loc text) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
	  IF id = 2500 THEN
	    PERFORM pg_catalog.pg_advisory_xact_lock_shared(1);
	  END IF;
	  RETURN loc;
	END
	$$;
	CREATE VIEW waiting AS SELECT page_of(id, loc) AS loc FROM page ORDER BY id;

	CREATE FUNCTION wait_in_target() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
	  PERFORM pg_catalog.pg_advisory_xact_lock_shared(CASE WHEN NEW.kind = 'index' THEN 3 ELSE 2 END);
	  RETURN NULL;
	END
	$$;
	SELECT FROM sitemap_publish('target', 'SELECT loc FROM public.page WHERE id <= 500 ORDER BY id', 'http://a/',
	                            max_urls => 500, compression => 0);
	CREATE TRIGGER waits AFTER INSERT OR UPDATE OR DELETE ON target
	   FOR EACH ROW EXECUTE FUNCTION wait_in_target()});

# A directory to export to, with what was exported first.
my $dir = PostgreSQL::Test::Utils::tempdir();
sql("SELECT FROM sitemap_export('$dir', 'TABLE target')");

# Each call, and its result when it comes to its end.
my %call = (
	sitemap_files => [
		q{SELECT count(*) FROM sitemap_files('TABLE public.waiting', 'http://a/', max_urls => 1000, compression => 6)},
		4
	],
	sitemap_audit => [
		q{SELECT count(*) FROM sitemap_audit('TABLE public.waiting', 'http://a.example/')}, 0 ],
	sitemap_agg =>
	  [ q{SELECT length(sitemap_agg('http://a' || loc)) > 80000 FROM waiting}, 't' ],
	sitemap_publish => [
		q{SELECT sum(url_count) FROM sitemap_publish('target', 'TABLE public.waiting', 'http://a/', max_urls => 500, compression => 0) WHERE name !~ '^sitemap\.xml'},
		2500
	],
	sitemap_export => [
		qq{SELECT count(*) > 2 FROM sitemap_export('$dir', \$\$SELECT * FROM public.sitemap_files('TABLE public.waiting', 'http://a/', max_urls => 500)\$\$)},
		't'
	]);

# Where a call waits, and the sessions that it waits for.
my %place = (
	'in its query' => sub { Session->hold($node, 1) },
	'when it writes files' => sub { Session->hold($node, 2) },
	'when it writes the index' => sub { Session->hold($node, 3) },
	'for its section' => sub {
		my ($holder, $other) = (Session->hold($node, 1), session());

		$other->begin($call{sitemap_publish}[0])->wait_for_lock;
		return ($holder, $other);
	},
	'for its site' => sub {
		my $other = session();

		$other->query_safe(q{BEGIN; SELECT FROM sitemap_publish('target', 'SELECT ''/'' AS loc', 'http://a/', section => 'other')});
		return $other;
	});

# How it ends there, and what it says.
my %end = (
	cancel => qr/ERROR:  57014: canceling statement due to user request/,
	statement_timeout => qr/ERROR:  57014: canceling statement due to statement timeout/,
	lock_timeout => qr/ERROR:  55P03: canceling statement due to lock timeout/,
	terminate => qr/FATAL:  57P01: terminating connection due to administrator command/,
	kill => qr/server closed the connection|terminat/);

foreach my $function (sort keys %call)
{
	foreach my $place ($function eq 'sitemap_publish' ? sort keys %place : 'in its query')
	{
		test_end($function, $place, $_) foreach 'cancel', 'statement_timeout', 'terminate',
		  $function eq 'sitemap_publish' && $place ne 'in its query' ? 'lock_timeout' : (),
		  $function =~ /publish|export/ ? 'kill' : ();
	}
}
test_next();
test_compression();
test_memory();
test_parse_memory();
test_temporary_files();
$node->stop;
done_testing();

# A call ends where it waits: all is as it was, and the next call works.
sub test_end
{
	my ($function, $place, $how) = @_;
	my ($statement, $result) = @{ $call{$function} };
	my $name = "$function, waits $place, $how";
	my $before = state();
	my @others = $place{$place}->();
	my $session = session();
	my $pid = $session->{pid};

	$session->begin($how =~ /timeout/ ? "BEGIN; SET LOCAL $how = '100ms'; $statement; ROLLBACK" : $statement);
	$session->wait_for_lock if $how !~ /timeout/;
	if ($how eq 'cancel')
	{
		is(sql("SELECT pg_cancel_backend($pid)"), 't', "$name: cancel it");
	}
	elsif ($how eq 'terminate')
	{
		is(sql("SELECT pg_terminate_backend($pid, 60000)"), 't', "$name: terminate it");
	}
	elsif ($how eq 'kill')
	{
		kill 'KILL', $pid;
	}
	$session->{run}->finish if $how =~ /terminate|kill/;
	my $errors = $how =~ /terminate|kill/ ? $session->{stderr} : $session->errors;
	like($errors, $end{$how}, "$name: it ends with that");
	like($errors, qr/in the target "public\.target"/, "$name: it says where") if $how eq 'lock_timeout';
	if ($how eq 'kill')
	{
		$_->{run}->finish foreach @others;
		Session::wait_for_restart($node, $pid);
	}
	else
	{
		is(sql("SELECT count(*) FROM pg_locks WHERE pid = $pid AND locktype <> 'virtualxid'"), 0, "$name: no lock is held");
		foreach my $other (reverse @others)
		{
			sql("SELECT pg_terminate_backend($other->{pid}, 60000)");
			$other->{run}->finish;
		}
	}
	is(state(), $before, "$name: all is as it was");

	# without the changes that it makes, since others come after
	$session = session() if $how =~ /terminate|kill/;
	is($session->query_safe("BEGIN; $statement; ROLLBACK"), $result, "$name: the next call works")
	  if $function ne 'sitemap_export';
	$session->quit;
	return;
}

# The next run of those that write makes what is whole.
sub test_next
{
	foreach my $function ('sitemap_publish', 'sitemap_export')
	{
		my ($statement, $result) = @{ $call{$function} };

		is(sql($statement), $result, "$function: the next run works");
	}
	is( sql(q{
			SELECT sum(url_count) FILTER (WHERE kind <> 'index'),
			       (SELECT regexp_count(convert_from(content, 'UTF8'), '<sitemap>') FROM target WHERE kind = 'index') =
			       count(*) FILTER (WHERE kind <> 'index')
			  FROM target}),
		'2500|t',
		'its set is whole');
	is( join(' ', sort grep { !/^\.\.?$/ } directory()),
		join(' ',
			'.sitemap_export', '.sitemap_export.lock', sort split /\n/,
			sql(
				q{SELECT name FROM sitemap_files('TABLE public.waiting', 'http://a/', max_urls => 500)}
			)),
		'and the directory has its files and no others');
	return;
}

# A file of almost 50 MB that is hard to compress, at the level that takes longest:
# a cancel request that comes when the query gives the row that closes the file.
# The rows have no end, so that nothing but the request ends the call.
sub test_compression
{
	sql(
		q{
		CREATE FUNCTION long_loc(n int) RETURNS text LANGUAGE plpgsql AS $$
		BEGIN
		  IF n = 50001 THEN
		    PERFORM pg_catalog.pg_advisory_xact_lock_shared(1);
		  END IF;
		  RETURN '/' || (SELECT string_agg(md5(n || '/' || i), '') FROM generate_series(1, 30) i);
		END
		$$});
	foreach my $function ('sitemap_files(', q{sitemap_publish('target', })
	{
		my $before = state();
		my $holder = Session->hold($node, 1);
		my $session = session();
		my $pid = $session->{pid};

		$session->begin(
			"SELECT count(*) FROM $function 'SELECT long_loc(generate_series(1, 1000000000)) AS loc', 'http://a/', compression => 9, split => 'full')"
		);
		$session->wait_for_lock;
		$holder->quit;
		my $begin = Time::HiRes::time();
		sql("SELECT pg_cancel_backend($pid)");
		like($session->errors, qr/ERROR:  57014: canceling statement/, "$function...): a cancel while it compresses");
		my $seconds = Time::HiRes::time() - $begin;
		note("answered after $seconds s");
		cmp_ok($seconds, '<', 30, 'is answered when that file is done, not at the end of the rows');
		is(state(), $before, 'all is as it was');
		$session->quit;
	}
	return;
}

# A limit on the memory of one backend, a little more than it has: an error, with
# its SQLSTATE, and a session that works on.  Results and sorts stay in memory, so
# that each call takes more than what the backend may have free already.
sub test_memory
{
	my $rows = q{'SELECT ''/'' || n || repeat(''x'', 900) AS loc FROM generate_series(1, 50001) n', 'http://a/'};
	my %large = (
		sitemap_files => "SELECT count(*) FROM sitemap_files($rows)",
		'sitemap_files, compressed' => "SELECT count(*) FROM sitemap_files($rows, compression => 9)",
		sitemap_publish => "SELECT count(*) FROM sitemap_publish('target', $rows)",
		# locs are in a temporary file, what is sorted is in memory
		sitemap_audit => q{SELECT count(*) FROM sitemap_audit('SELECT ''/'' || n AS loc FROM generate_series(1, 400000) n', 'http://a/')},
		sitemap_agg =>
		  q{SELECT length(sitemap_agg('http://a/' || n || repeat('x', 900))) FROM generate_series(1, 50000) n},
		sitemap_export =>
		  "SELECT count(*) FROM sitemap_export('$dir', \$\$SELECT * FROM sitemap_files($rows)\$\$)");

	foreach my $name (sort keys %large)
	{
		my $before = state();
		my $session = session();
		my $failed = 0;

		$session->query_safe(q{SET work_mem = '1GB'});
	  SKIP:
		{
			skip 'a process cannot be limited here', 5 unless can_limit($session);

			foreach my $megabytes (0, 4, 16, 48, 100)
			{
				limit_memory($session, $megabytes * 1024);
				my $errors = $session->errors($large{$name} =~ s/^/BEGIN; /r . '; ROLLBACK');
				limit_memory($session);
				last if $errors eq '';
				$failed++;
				like($errors, qr/\AERROR:  53200: out of memory\n/, "$name: no memory beyond $megabytes MB more");
				is( $session->query_safe(
						q{SELECT url_count FROM sitemap_files('SELECT ''/'' AS loc', 'http://a/')}),
					1,
					"$name: the session works on");
			}
			cmp_ok($failed, '>', 0, "$name: it ran out of memory");
			is(state(), $before, "$name: all is as it was");
			is($session->errors("BEGIN; $large{$name}; ROLLBACK"), '', "$name: and works where there is memory")
			  if $name ne 'sitemap_export';
		}
		$session->quit;
	}
	return;
}

# sitemap_parse with a little more memory each time, for a document as it stands, in
# gzip and in another encoding: an allocation that fails is never taken for a fault of
# the document, which would cost entries with no more than a warning.
sub test_parse_memory
{
  SKIP:
	{
		my $document =
			'<?xml version="1.0" encoding="ISO-8859-1"?><urlset>'
		  . '<url><loc>http://a/1</loc>'
		  . join('', map { qq{<i:i xmlns:i="http://b/$_" a="} . 'x' x 200000 . '"/>' } 1 .. 10)
		  . '<a:a xmlns:a="http://a/">' . 'x' x 3000000 . '</a:a></url>'
		  . '<url><loc>http://a/2</loc></url></urlset>';
		my %documents = (
			'as text' => sprintf(q{convert_from('\x%s', 'LATIN1')}, unpack('H*', $document)),
			'in LATIN1' => sprintf(q{'\x%s'::bytea}, unpack('H*', $document)),
			'in gzip' => sprintf(q{'\x%s'::bytea}, unpack('H*', Compress::Zlib::memGzip($document))));
		foreach my $how (sort keys %documents)
		{
			my %failed;

			# a session that has no memory left over from making the document
			sql("CREATE TABLE document AS SELECT $documents{$how} AS content");
			my $session = session();
			skip 'a process cannot be limited here', 1 unless can_limit($session);
			foreach my $on_invalid ('error', 'skip')
			{
				my $parse = "SELECT count(*) FROM document, sitemap_parse(content, on_invalid => '$on_invalid')";

				for (my $kilobytes = 0; $kilobytes < 131072; $kilobytes += 1024)
				{
					limit_memory($session, $kilobytes);
					my $errors = $session->errors($parse);
					limit_memory($session);
					last if $errors eq '';
					$failed{ $errors =~ /\AERROR:  53200: out of memory\n(DETAIL:.*)/ ? $1 : $errors }++;
				}
				is($session->query_safe($parse), 2, "sitemap_parse, $how, $on_invalid: there are two entries");
			}
			note("$failed{$_} times: $_") foreach sort keys %failed;
			is(join("\n", grep { !/^DETAIL/ } keys %failed), '', "$how: nothing but 53200");
			cmp_ok(scalar keys %failed, '>', 0, "$how: it ran out of memory");
			$session->quit;
			sql('DROP TABLE document');
		}
	}
	return;
}

# temp_file_limit: in the result, in the files that wait, in the sorts of an audit
# and in those of the query.
sub test_temporary_files
{
	# nothing that LZ4 could make short
	my $random = q{concat(''/'', n, md5(n::text), md5((n + 0.1)::text), md5((n + 0.2)::text), md5((n + 0.3)::text)) AS loc
	                 FROM generate_series(1, 20000) n};
	my $query = "'SELECT $random', 'http://a/'";
	my %spilling = (
		'sitemap_files, in its result' => "SELECT count(*) FROM sitemap_files($query)",
		'sitemap_files, in a sort of the query' =>
		  "SELECT count(*) FROM sitemap_files('SELECT $random ORDER BY 1 DESC', 'http://a/', compression => 9, format => 'txt', max_urls => 100)",
		sitemap_audit => "SELECT count(*) FROM sitemap_audit($query)",
		'sitemap_publish, in what waits' =>
		  "SELECT count(*) FROM sitemap_publish('target', $query, compression => 0)",
		'sitemap_export, in its index' =>
		  "SELECT count(*) FROM sitemap_export('$dir', 'SELECT n || ''.xml'' AS name, ''index'' AS kind, repeat(md5(n::text), 1000) AS content FROM generate_series(1, 200) n', 'http://a/')",
		sitemap_parse =>
		  q{SELECT count(*) FROM sitemap_parse((SELECT string_agg('http://a/' || n || repeat(md5(n::text), 8), E'\n') FROM generate_series(1, 20000) n))}
	);

	foreach my $name (sort keys %spilling)
	{
		my $before = state();
		my $session = session();

		$session->query_safe(q{SET work_mem = '64kB'; SET temp_file_limit = '1MB'});
		like($session->errors($spilling{$name}), qr/\AERROR:  53400: temporary file size exceeds "?temp_file_limit/, $name);
		is(state(), $before, "$name: nothing is left, and all is as it was");
		$session->query_safe('RESET temp_file_limit');
		is($session->errors("BEGIN; $spilling{$name}; ROLLBACK"), '', "$name: without the limit it works")
		  if $name !~ /export/;
		$session->quit;
	}
	return;
}

# What a call must leave as it was: the target's rows, to the place and the
# transaction that wrote them; the files of the directory; and nothing of its own.
sub state
{
	my $rows = sql(
		q{
		SELECT name, ctid, xmin, md5(t::text) FROM target t ORDER BY name;
		SELECT count(*) FROM pg_ls_tmpdir();
		SELECT count(*) FROM pg_stat_progress_copy});
	my @files = map { join ' ', $_, (stat "$dir/$_")[ 1, 7, 9 ] } grep { !/^\.\.?$/ } directory();

	return join "\n", $rows, @files;
}

sub directory
{
	opendir(my $handle, $dir) or die "$dir: $!";
	my @files = sort readdir $handle;
	closedir $handle;
	return @files;
}

# A session that says the SQLSTATE of an error, and goes on after it.
sub session
{
	my $session = Session->start($node, 'postgres', on_error_stop => 0);

	$session->query_safe('\set VERBOSITY verbose');
	return $session;
}

# Can the memory of its backend be limited?  It gets the stack that it will need,
# since what is limited could not give it that, and what it loads once.
sub can_limit
{
	my ($session) = @_;

	$session->query_safe(
		q{
		CREATE OR REPLACE FUNCTION pg_temp.deep(n int) RETURNS int LANGUAGE plpgsql
		AS 'BEGIN RETURN CASE WHEN n > 0 THEN pg_temp.deep(n - 1) END; END';
		SELECT pg_temp.deep(300);
		SELECT FROM sitemap_files('SELECT ''/'' AS loc', 'http://a/', compression => 1)});
	return defined memory_of($session->{pid}, 'VmSize') && limit_memory($session);
}

# Let its backend have so many kilobytes more, or all.
sub limit_memory
{
	my ($session, $kilobytes) = @_;
	my $limit = defined $kilobytes ? (memory_of($session->{pid}, 'VmSize') + $kilobytes) * 1024 : 'unlimited';
	my @prlimit = ('prlimit', "--pid=$session->{pid}", "--as=$limit:");
	my $log = '';

	return eval { IPC::Run::run(\@prlimit, '>', \$log, '2>', \$log) };
}
