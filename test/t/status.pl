# sitemap_status: the states of random jobs against a model, and while jobs run; what other sessions
# lock; a lock that a prepared transaction holds; a standby.
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
test_calls();
test_locks();
test_virtual();
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
	my @states = split /\n/, sql(q{SELECT state, replace(detail, E'\n', ' / ') FROM sitemap_status('job') ORDER BY section});
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
	my $error = $job->{error} ? 'an error / and its detail' : 'The last run ended without a result. See the server log.';
	my $overdue;				# seconds since the job was due; negative if it is not

	if (defined $job->{requested})
	{
		$overdue = $job->{requested} > 0 ? $job->{requested} : 0;
	}
	elsif ($failures > 2 && defined $started)
	{
		$overdue = $started - 60 * 2**($failures - 2);
		return ('waiting', "$error / To run it at the next call: UPDATE public.job SET requested = now()") if $overdue < 0;
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
# called failing.  A run has the pid of its session.
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

	# A transaction that ends while it is looked at.
	sql(q{DELETE FROM job WHERE section > 'section-1'});
	$callers[0]->begin(q{
		DO $$
		BEGIN
			FOR n IN 1 .. 3000 LOOP
				PERFORM sitemap_publish('files', 'SELECT ''/a'' AS loc', 'https://www.example.com/', 'section-1');
				COMMIT;
			END LOOP;
		END $$});
	is($looker->query_safe(q{
		SELECT count(DISTINCT pid) FROM generate_series(1, 10000) n, sitemap_status(CASE WHEN n > 0 THEN 'job'::regclass END)}),
		'1', 'the publisher is a backend whenever there is one');
	$_->quit foreach @callers;

	my $publisher = Session->start($node, 'postgres');
	my $pid = $publisher->{pid};
	sql(q{
		INSERT INTO job (target, base_url, section, query, index)
		SELECT 'files', 'https://www.example.com/', section, 'SELECT ''/a'' AS loc', 'never' FROM unnest('{section-10,section-2}'::text[]) section;
		UPDATE job SET finished = now() - interval '2 days', started = now() - interval '2 days'});
	my $states = q{SELECT string_agg(concat_ws(' ', section, state, pid), ', ' ORDER BY section) FROM sitemap_status('job') WHERE state <> 'no job'};
	is(sql($states), 'section-1 late, section-10 late, section-2 late', 'nobody runs them');
	$publisher->query_safe(q{BEGIN; SELECT count(*) FROM sitemap_publish('files', 'SELECT ''/a'' AS loc', 'https://www.example.com/', 'section-2')});
	is(sql($states), "section-1 late, section-10 late, section-2 running $pid", 'a session publishes one');
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

# While a call runs a job for long, others are late or due, and the status says what a second call would do for them.
sub test_calls
{
	my $caller = Session->start($node, 'postgres');
	my $holder = Session->hold($node, 7);
	my $states = q{SELECT string_agg(concat_ws(' ', section, state), ', ' ORDER BY section) FROM sitemap_status('job') WHERE state <> 'no job'};

	sql(q{
		TRUNCATE job, files;
		INSERT INTO job (target, base_url, section, query, every) VALUES
		  ('files', 'https://www.example.com/', 'slow', 'SELECT ''/'' AS loc FROM (SELECT pg_advisory_xact_lock_shared(7)) l', NULL),
		  ('files', 'https://www.example.com/', 'waits', 'SELECT ''/'' AS loc', NULL),
		  ('files', 'https://www.example.com/', 'rare', 'SELECT ''/'' AS loc', '1 day');
		UPDATE job SET started = now() - interval '1 hour', finished = now() - interval '1 hour' WHERE section <> 'slow';
		UPDATE job SET started = now() - interval '2 hours', finished = now() - interval '2 hours' WHERE section = 'slow'});
	$caller->begin(q{CALL sitemap_run('job')})->wait_for_lock;
	sql(q{
		INSERT INTO job (target, base_url, section, query) VALUES ('files', 'https://www.example.com/', 'new', 'SELECT ''/'' AS loc');
		INSERT INTO job (target, base_url, section, query, started, failures, error)
		VALUES ('files', 'https://www.example.com/', 'other', 'SELECT ''/'' AS loc', now(), 1, 'refused')});
	is(sql($states), 'new due, other failing, rare ok, slow running, waits late', 'while a call runs one job');
	is(sql(q{
		SELECT detail = format('A call has been running section "slow" of https://www.example.com/ since %s. '
		                       'A second schedule entry serves the other jobs meanwhile: CALL public.sitemap_run(%L)', started, 'public.job')
		  FROM sitemap_status('job') s, job j WHERE s.section = 'waits' AND j.section = 'slow'}), 't', 'which the detail names');
	$holder->query_safe('SELECT pg_advisory_unlock(7)');
	$caller->query_safe('SELECT 1');
	is(sql($states), 'new never ran, other failing, rare ok, slow ok, waits ok', 'after the call');
	# A job that was killed long ago is no sign of a call.
	sql(q{UPDATE job SET started = now(), error = NULL WHERE section = 'waits'});
	like(sql($states), qr/new never ran.*waits failing/, 'a job whose session was killed');
	$_->quit foreach $caller, $holder;
	return;
}

# Tables that others lock, change or have for themselves.
sub test_locks
{
	my $other = Session->start($node, 'postgres');
	my $looker = Session->start($node, 'postgres', on_error_stop => 0);
	my $states = q{SELECT string_agg(concat_ws(' ', section, state, urls), ', ' ORDER BY section) FROM sitemap_status('job')};

	sql(q{
		TRUNCATE job, files;
		CREATE TABLE parent (LIKE files);
		INSERT INTO job (target, base_url, section, query, finished, started) VALUES ('parent', 'https://www.example.com/', 'a', 'SELECT ''/'' AS loc', now(), now());
		INSERT INTO parent (base_url, section, name, kind, digest, url_count) VALUES ('https://www.example.com/', 'b', '1', 'urlset', 'x', 3)});
	$other->query_safe(q{
		CREATE TEMPORARY TABLE theirs (LIKE parent);
		INSERT INTO theirs SELECT (jsonb_populate_record(p, '{"section": "temporary"}')).* FROM parent p;
		ALTER TABLE theirs INHERIT parent});
	is(sql($states), 'a ok, b no job 3', "a target with another session's temporary child");
	is($other->query_safe($states), 'a ok, b no job 3, temporary no job 3', 'which that session sees');

	# The look is taken when the last lock is there: it sees what was committed meanwhile, also at REPEATABLE READ.
	$looker->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM job');
	$other->query_safe(q{BEGIN; LOCK TABLE parent; UPDATE parent SET section = 'c'; INSERT INTO job (base_url, section, finished, started) VALUES ('https://www.example.com/', 'd', now(), now())});
	$looker->begin($states)->wait_for_lock;
	$other->query_safe('COMMIT');
	is($looker->query('SELECT 1'), "a ok, c no job 3, d ok\n1", 'a target that is locked');
	$looker->query_safe('COMMIT');

	# Row security that is enabled meanwhile, and a right that is taken away.
	sql(q{CREATE ROLE reader; GRANT SELECT ON job, parent TO reader});
	$looker->query_safe('SET ROLE reader');
	is($looker->query_safe($states), 'a ok, c no job 3, d ok', 'a reader');
	$other->query_safe(q{BEGIN; ALTER TABLE parent ENABLE ROW LEVEL SECURITY});
	$looker->begin($states)->wait_for_lock;
	$other->query_safe('COMMIT');
	is($looker->query('SELECT 1'), "a ok, d ok\n1", 'a target that gets row security');
	$other->query_safe(q{BEGIN; LOCK TABLE job; REVOKE SELECT ON job FROM reader});
	$looker->begin($states)->wait_for_lock;
	$other->query_safe('COMMIT');
	like($looker->errors, qr/permission denied for table job\nHINT: .*GRANT SELECT ON public\.job TO reader;/, 'a right that is taken away');
	$looker->query_safe('RESET ROLE');

	# A cancel request ends the moment between the looks.
	sql(q{UPDATE job SET started = now() + interval '1 second', error = NULL WHERE section = 'a'});
	like($looker->query_within(50, $states), qr/canceling statement due to statement timeout/, 'a cancel request');

	# Watched tables whose lock is not free are left out, and nothing waits for them.
	sql(q{
		CREATE TABLE page (id int);
		CREATE TABLE change (id int);
		SELECT sitemap_watch('page', 'id', 'change');
		CREATE RULE nothing AS ON INSERT TO change DO INSTEAD NOTHING});
	my $broken = q{SELECT count(*) FROM sitemap_status('job') WHERE state = 'broken watch'};
	is($looker->query_safe($broken), '1', 'a broken watch');
	foreach my $table ('page', 'change')
	{
		$other->query_safe("BEGIN; LOCK TABLE $table");
		is($looker->query_safe($broken), '0', "is left out while $table is locked");
		$other->query_safe('COMMIT');
	}
	is($looker->query_safe($broken), '1', 'and told again');
	is($looker->query_safe(q{SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN ('page'::regclass, 'change'::regclass)}), '0', 'no lock stays');

	# Where each read of a catalog can meet a table that others have altered, nothing is read that is freed then.
	if (sql('SHOW debug_assertions') eq 'on')
	{
		$looker->query_safe('SET debug_discard_caches = 1');
		is($looker->query_safe($broken), '1', 'a broken watch while caches are discarded');
		$looker->query_safe('RESET debug_discard_caches');
	}

	# A target that is dropped when it has been read.
	my $second = Session->start($node, 'postgres');
	sql(q{
		CREATE TABLE last (LIKE files);
		INSERT INTO job (target, base_url, section, finished, started) VALUES ('last', 'https://www.example.com/', 'e', now(), now())});
	my $parent = sql(q{SELECT 'parent'::regclass::oid});
	$other->query_safe('BEGIN; LOCK TABLE last');
	$looker->begin(q{SELECT detail FROM sitemap_status('job') WHERE state = 'no job'})->wait_for_lock;
	$second->begin('BEGIN; LOCK TABLE last')->wait_for_lock;
	$other->query_safe('COMMIT');
	$looker->wait_for_lock;
	$second->query('SELECT 1');
	sql('DROP TABLE parent CASCADE');
	$second->query_safe('COMMIT');
	like($looker->query('SELECT 1'), qr/sitemap_publish_index\('$parent', /, 'a target that is dropped meanwhile');
	$second->quit;

	sql('DROP TABLE page, change, last CASCADE; DROP ROLE reader; TRUNCATE job');
	$_->quit foreach $other, $looker;
	return;
}

# A virtual generated column would have to be computed: such a target is left out, such a table of jobs refused.
sub test_virtual
{
	return if sql('SHOW server_version_num') < 180000;
	sql(q{
		CREATE TABLE virtual (base_url text, section text GENERATED ALWAYS AS ('b') VIRTUAL, name text, kind text, digest text, url_count int);
		INSERT INTO virtual VALUES ('https://www.example.com/', DEFAULT, '1', 'urlset', 'x', 1);
		INSERT INTO job (target, base_url, section, finished, started) VALUES ('virtual', 'https://www.example.com/', 'a', now(), now())});
	is(sql(q{SELECT section, state FROM sitemap_status('job')}), 'a|ok', 'a target with a virtual column');
	sql(q{TRUNCATE job; CREATE TABLE virtual_job (LIKE job); ALTER TABLE virtual_job DROP reason, ADD reason text GENERATED ALWAYS AS ('b') VIRTUAL});
	$node->psql('postgres', q{SELECT sitemap_status('virtual_job')}, stderr => \my $error);
	like($error, qr/ERROR:  column "reason" of the table of jobs "virtual_job" must not be a virtual generated column/, 'a table of jobs with one');
	return;
}

# A prepared transaction holds the lock of a section: each call passes it over.
sub test_prepared
{
	my $state = q{SELECT state, pid, (SELECT failures FROM job) FROM sitemap_status('job') WHERE state <> 'no job'};

	sql(q{
		INSERT INTO job (target, base_url, section, query, index, failures) VALUES ('files', 'https://www.example.com/', 'section-1', 'SELECT ''/a'' AS loc', 'never', 0);
		BEGIN;
		SELECT count(*) FROM sitemap_publish('files', 'SELECT ''/a'' AS loc', 'https://www.example.com/', 'section-1');
		PREPARE TRANSACTION 'orphan'});
	sql(q{CALL sitemap_run('job')});
	is(sql($state), 'never ran||0', 'a prepared transaction holds the lock');
	$node->restart;
	is(sql($state), 'never ran||0', 'also after a restart');
	sql(q{ROLLBACK PREPARED 'orphan'});
	is(sql(q{CALL sitemap_run('job');} . $state), 'ok||0', 'until the transaction has ended');
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
	# It has no file there.
	sql(q{CREATE UNLOGGED TABLE unlogged (LIKE files); UPDATE job SET target = 'unlogged'});
	$node->wait_for_catchup($standby);
	is($standby->safe_psql('postgres', $state), 'running|', 'with a target that is unlogged');
	$standby->stop;
	return;
}
