# sitemap_status: the states of random jobs against a model, and while jobs run; a lock that a
# prepared transaction holds; a standby.
use FindBin;
use lib $FindBin::RealBin;
use Node;
use Session;

my $node = start_node("max_prepared_transactions = 2\n", allows_streaming => 1);
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE job OF sitemap_job (PRIMARY KEY (base_url, section))});

test_model();
test_running();
test_prepared();
test_standby();
$node->stop;
done_testing();

# Random rows, in seconds before now; each time is well off the limit that it is compared with.
sub test_model
{
	my $seed = $ENV{SEED} // time;
	my @jobs;
	my $any = sub { return $_[ rand @_ ] };

	srand $seed;
	foreach my $n (1 .. 500)
	{
		my %job = (
			finished => $any->(undef, 10, 500, 2000, 90_000, -5000),
			started => $any->(undef, 30, 2100, 100_000, 200, 5),
			requested => $any->(undef, undef, undef, 20, 3000, -3000),
			failures => $any->(undef, 0, 0, 0, 1, 3, 7),
			every => $any->(undef, undef, 0, 3600, 604_800),
			missed => $any->(undef, 0, 0, 4),
			urls => $any->(undef, 0, 12),
			reason => $any->(undef, undef, 'a reason'),
			error => $any->(undef, undef, "an error\nand its detail"));
		push @jobs, \%job;
	}
	sql(join ";\n", 'BEGIN', (map {
			my ($n, $job) = ($_, $jobs[$_]);
			my $time = sub { my ($seconds) = @_; return defined $seconds ? "now() - interval '$seconds seconds'" : 'NULL' };
			my $text = sub { my ($text) = @_; return defined $text ? "'$text'" : 'NULL' };

			sprintf q{INSERT INTO job (target, base_url, section, query, finished, started, requested, failures, every, missed, urls, reason, error)
			          VALUES ('files', 'https://www.example.com/', '%04d', '', %s)}, $n,
			  join ', ', (map { $time->($job->{$_}) } 'finished', 'started', 'requested'), (map { $job->{$_} // 'NULL' } 'failures'),
			  defined $job->{every} ? "interval '$job->{every} seconds'" : 'NULL', (map { $job->{$_} // 'NULL' } 'missed', 'urls'),
			  map { $text->($job->{$_}) } 'reason', 'error'
		} 0 .. $#jobs), 'COMMIT');
	my @states = split /\n/, sql(q{SELECT state, detail FROM sitemap_status('job') ORDER BY section});
	my @wrong;
	my %seen;
	foreach my $n (0 .. $#jobs)
	{
		my ($state, $detail) = model($jobs[$n]);

		$seen{$state}++;
		push @wrong, "job $n: $states[$n], not $state|$detail" if $states[$n] !~ /^\Q$state\E\|\Q$detail\E/;
	}
	is(join("\n", @wrong[ 0 .. ($#wrong < 5 ? $#wrong : 5) ]), '', "states of random jobs, seed $seed");
	is(join(', ', sort keys %seen), 'due, failing, late, never ran, ok, unwatched, waiting', 'each state is there');
	sql('TRUNCATE job');
	return;
}

# The state of a job that nobody runs, and how its detail begins.
sub model
{
	my ($job) = @_;
	my ($finished, $started, $failures) = ($job->{finished}, $job->{started}, $job->{failures} // 0);
	my $no_result = defined $started && (!defined $finished || $started < $finished);
	my $error = $job->{error} ? 'an error' : 'The last run ended without a result.';
	my $overdue;				# seconds since the job was due; negative if it is not

	if (defined $job->{requested})
	{
		$overdue = $job->{requested} > 0 ? $job->{requested} : 0;
	}
	elsif ($failures > 2 && defined $started)
	{
		$overdue = $started - 60 * 2**($failures - 2);
		return ('waiting', "$error; to run it at the next call: UPDATE public.job SET requested = now()") if $overdue < 0;
	}
	elsif ($failures > 0 || !defined $finished || $no_result)
	{
		$overdue = $started // 0;
	}
	else
	{
		$overdue = $finished < 0 ? 0 : $finished - ($job->{every} // 0);
	}
	return ('failing', $error) if $failures > 0 || $no_result;
	return ('never ran', 'Nothing runs it.') if !defined $finished;
	return ('late', 'Nothing runs it.') if $overdue > 900;
	return ('unwatched', 'The last full run changed 4 files that "changes" missed.') if $job->{missed};
	my $detail = defined $job->{urls} && $job->{urls} == 0 ? ($job->{reason} ? 'No URLs: a reason' : 'No URLs') :
	  $job->{reason} ? 'The last run read all rows: a reason' : '';
	return (defined $job->{requested} || defined $job->{every} && $overdue >= 0 ? 'due' : 'ok', $detail);
}

# Ten jobs in a loop by two callers: a job between two of its transactions has neither a result nor a lock, and is not
# called failing.  A run has the pid of its session; while it lasts, no other job is late.
sub test_running
{
	sql(q{
		INSERT INTO job (target, base_url, section, query, index)
		SELECT 'files', 'https://www.example.com/', 'section-' || n, 'SELECT ''/a'' AS loc', 'never' FROM generate_series(1, 10) n;
		CALL sitemap_run('job')});
	my @callers = map { Session->start($node, 'postgres') } 1, 2;
	my $looker = Session->start($node, 'postgres');
	my %looks;
	foreach my $round (1 .. 5)
	{
		$_->begin("CALL sitemap_run('job');\n" x 20) foreach @callers;
		foreach (1 .. 40)
		{
			$looks{$_}++ foreach split /\n/, $looker->query_safe(q{SELECT DISTINCT concat_ws(' ', state, detail) FROM sitemap_status('job')});
		}
		$_->query_safe('SELECT 1') foreach @callers;
	}
	note(join ', ', map { "$_: $looks{$_}" } sort keys %looks);
	ok($looks{running}, 'jobs were seen running');
	is(join(', ', grep { !/^(running|ok)$/ } sort keys %looks), '', 'and in no other state than ok');

	# A transaction that ends while it is looked at is no prepared one.  A pause lets the publisher have the lock's partition.
	$callers[0]->begin(q{
		DO $$
		BEGIN
			FOR n IN 1 .. 3000 LOOP
				PERFORM sitemap_publish('files', 'SELECT ''/a'' AS loc', 'https://www.example.com/', 'section-1');
				COMMIT;
			END LOOP;
		END $$});
	is($looker->query_safe(q{
		SELECT count(DISTINCT pid), min(pid) > 0
		  FROM (SELECT _sitemap_publisher('files', 'https://www.example.com/', 'section-1') AS pid,
		               (SELECT count(*) FROM generate_series(n, n + 200)) AS pause
		          FROM generate_series(1, 60000) n OFFSET 0) p WHERE pause > 0}),
		'1|t', 'the publisher is a backend whenever there is one');
	$_->quit foreach @callers;

	my $publisher = Session->start($node, 'postgres');
	my $pid = $publisher->{pid};
	sql(q{UPDATE job SET finished = now() - interval '2 days', started = now() - interval '2 days'; DELETE FROM job WHERE section > 'section-2'});
	my $states = q{SELECT string_agg(concat_ws(' ', section, state, pid), ', ' ORDER BY section) FROM sitemap_status('job') WHERE state <> 'no job'};
	is(sql($states), 'section-1 late, section-10 late, section-2 late', 'nobody runs them');
	$publisher->query_safe(q{BEGIN; SELECT count(*) FROM sitemap_publish('files', 'SELECT ''/a'' AS loc', 'https://www.example.com/', 'section-2')});
	is(sql($states), "section-1 ok, section-10 ok, section-2 running $pid", 'a session publishes one');
	is($publisher->query_safe($states), 'section-1 late, section-10 late, section-2 late', 'which itself is no other session');
	$publisher->query_safe('ROLLBACK');
	sql(q{UPDATE job SET started = now(), error = NULL WHERE section = 'section-1'});
	is(sql($states), 'section-1 failing, section-10 late, section-2 late', 'a job whose session was killed');
	# the looks see the newest rows, also in a transaction that has an older snapshot
	$looker->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM job');
	sql(q{CALL sitemap_run('job')});
	is($looker->query_safe($states), 'section-1 ok, section-10 ok, section-2 ok', 'a transaction with an older snapshot');
	$_->quit foreach $looker, $publisher;
	return;
}

# A prepared transaction holds the lock of a section: each call passes it over, and the status says why.
sub test_prepared
{
	my $state = q{SELECT state, pid, detail, (SELECT failures FROM job) FROM sitemap_status('job') WHERE state <> 'no job'};
	my $told = '||A prepared transaction holds the lock of the section. Commit it, or roll it back; pg_prepared_xacts has its name.|';

	sql(q{
		DELETE FROM job WHERE section <> 'section-1';
		UPDATE job SET started = NULL, finished = NULL;
		BEGIN;
		SELECT count(*) FROM sitemap_publish('files', 'SELECT ''/a'' AS loc', 'https://www.example.com/', 'section-1');
		PREPARE TRANSACTION 'orphan'});
	sql(q{CALL sitemap_run('job')});
	is(sql($state), "never ran${told}0", 'a prepared transaction holds the lock');
	$node->restart;
	is(sql($state), "never ran${told}0", 'also after a restart');
	sql(q{UPDATE job SET started = now() - interval '1 hour', finished = now() - interval '1 hour'});
	is(sql($state), "late${told}0", 'the job is late');
	sql(q{ROLLBACK PREPARED 'orphan'});
	is(sql(q{CALL sitemap_run('job');} . $state), 'ok|||0', 'until the transaction has ended');
	return;
}

# On a standby, where no lock can be seen, a job without a result may well run.
sub test_standby
{
	my $standby = PostgreSQL::Test::Cluster->new('standby');

	$node->backup('backup');
	$standby->init_from_backup($node, 'backup', has_streaming => 1);
	$standby->start;
	sql(q{UPDATE job SET started = now(), finished = now() - interval '1 hour'});
	$node->wait_for_catchup($standby);
	my $state = q{SELECT state, pid FROM sitemap_status('job') WHERE state <> 'no job'};
	is(sql($state), 'failing|', 'a job without a result');
	is($standby->safe_psql('postgres', $state), 'running|', 'is not called failing on a standby');
	$standby->stop;
	return;
}
