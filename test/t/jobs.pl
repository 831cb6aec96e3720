# sitemap_run: kill -9, cancel requests and timeouts, foreign servers that fail, directories
# that are locked, and many jobs.
use Fcntl qw(:flock);
use FindBin;
use Time::HiRes qw(time);

use lib $FindBin::RealBin;
use Node;
use Session;

my $node = start_node("restart_after_crash = on\n");
my $directory = PostgreSQL::Test::Utils::tempdir();
$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION sitemap;
	CREATE TABLE page (id int PRIMARY KEY, path text);
	INSERT INTO page SELECT n, '/page-' || n FROM generate_series(1, 1000) n;
	CREATE TABLE queue (id int);
	SELECT sitemap_watch('page', 'id', 'queue');
	CREATE TABLE files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE job OF sitemap_job (PRIMARY KEY (base_url, section));

	-- Where a run can wait: in its query, when it writes, when it sets a column of its row, or in an export.
	CREATE FUNCTION wait_at(place text) RETURNS bool VOLATILE LANGUAGE plpgsql AS \$\$
	BEGIN
	  IF current_setting('test.wait', true) = place THEN
	    PERFORM pg_advisory_xact_lock(1);
	  END IF;
	  RETURN true;
	END
	\$\$;
	CREATE FUNCTION wait_to_write() RETURNS trigger LANGUAGE plpgsql AS \$\$
	BEGIN
	  PERFORM public.wait_at('write');
	  RETURN NEW;
	END
	\$\$;
	CREATE TRIGGER wait BEFORE UPDATE ON files FOR EACH ROW WHEN (NEW.kind = 'index') EXECUTE FUNCTION wait_to_write();
	CREATE FUNCTION wait_to_note() RETURNS trigger LANGUAGE plpgsql AS \$\$
	BEGIN
	  PERFORM public.wait_at('started') WHERE NEW.started IS DISTINCT FROM OLD.started;
	  PERFORM public.wait_at('finished') WHERE NEW.finished IS DISTINCT FROM OLD.finished;
	  RETURN NEW;
	END
	\$\$;
	CREATE TRIGGER wait BEFORE UPDATE ON job FOR EACH ROW EXECUTE FUNCTION wait_to_note();
	CREATE VIEW slow AS SELECT base_url, name, content FROM files WHERE wait_at('export');
	INSERT INTO job (target, base_url, section, query, changes, max_urls, directory)
	VALUES ('files', 'https://www.example.com/', 'pages', 'SELECT path AS loc, id AS key FROM public.page WHERE public.wait_at(''query'') ORDER BY id',
	        'DELETE FROM public.queue RETURNING id', 100, '$directory');
	CALL sitemap_run('job')});

my $state = q{SELECT (SELECT string_agg(md5(f::text), ' ' ORDER BY name) FROM files f), (SELECT string_agg(id::text, ' ' ORDER BY id) FROM queue),
                     (SELECT string_agg(concat_ws(' ', section, finished, full_at, urls, written), '; ' ORDER BY section) FROM job)};
my $same = q{SELECT count(*) FROM sitemap_publish('files', 'SELECT path AS loc, id AS key FROM public.page WHERE public.wait_at(''query'') ORDER BY id',
             'https://www.example.com/', section => 'pages', max_urls => 100) WHERE action <> 'unchanged'};

# Do the files in the directory equal those in the table?
sub exported
{
	return $node->safe_psql(
		'postgres', qq{
		SELECT coalesce(bool_and(content = pg_read_binary_file('$directory/' || name)), false)
		       AND count(*) = (SELECT count(*) FROM pg_ls_dir('$directory') n WHERE n NOT LIKE '.%') FROM files});
}
is(exported(), 't', 'the first call exports');

# Start a call that waits for lock 1 at a place, with settings of its own.
sub start_call
{
	my ($place, $settings) = @_;
	my $session = Session->start($node, 'postgres', on_error_stop => 0);

	$session->query_safe("SET test.wait = '$place'; $settings");
	$session->begin("CALL sitemap_run('job')")->wait_for_lock;
	return $session;
}

# Start an export that waits for lock 1.
sub start_export
{
	my ($session) = @_;

	$session->query_safe(q{SET test.wait = 'export'});
	$session->begin("SELECT count(*) FROM sitemap_export('$directory', 'TABLE slow')")->wait_for_lock;
	return;
}

# End a call that waits.
sub end_call
{
	my ($how, $session, @others) = @_;
	my $pid = $session->{pid};

	if ($how eq 'kill -9')
	{
		kill 'KILL', $pid;
		Session::wait_for_restart($node, $pid);
		eval { $_->{run}->finish } foreach $session, @others;
		return;
	}
	$node->safe_psql('postgres', "SELECT pg_@{[ $how eq 'cancel' ? 'cancel' : 'terminate' ]}_backend($pid)") if $how ne 'timeout';
	$node->poll_query_until('postgres', "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $pid AND state = 'active')");
	eval { $session->quit };
	$_->quit foreach @others;
	return;
}

# What the row of a job records of it.
sub recorded
{
	my ($how) = @_;

	return $how eq 'cancel' ? '1 canceling statement due to user request' : $how eq 'timeout' ? '1 canceling statement due to statement timeout' : '0';
}

# Ends of a call that are none.  Before the run is committed, the queue, the files and the
# status stay, but started; after it, only the status.
foreach my $place ('started', 'query', 'write', 'finished')
{
	foreach my $how ('kill -9', 'cancel', 'terminate', 'timeout')
	{
		my $what = "$how where it waits at $place";
		$node->safe_psql('postgres', q{
			UPDATE page SET path = path || '-x' WHERE id = 500;
			UPDATE files SET lastmod = lastmod - interval '1 hour' WHERE kind <> 'index'});
		my $before = $node->safe_psql('postgres', $state);
		my $holder = Session->hold($node, 1);
		my $session = start_call($place, $how eq 'timeout' ? q{SET statement_timeout = '3s'} : '');
		is($node->safe_psql('postgres', q{SELECT started > finished, state FROM job, sitemap_status('job')}),
			$place eq 'started' ? 'f|running' : 't|running', "a run that waits at $place can be seen")
		  if $how ne 'timeout';
		end_call($how, $session, $holder);

		if ($place eq 'finished')
		{
			is($node->safe_psql('postgres', 'SELECT count(*) FROM queue'), '0', "$what: the run is committed");
			is(exported(), 't', 'and exported');
		}
		else
		{
			is($node->safe_psql('postgres', $state), $before, "$what: nothing is changed, nothing is lost");
		}
		is($node->safe_psql('postgres', 'SELECT started > finished FROM job'), $place eq 'started' ? 'f' : 't', 'but started');
		like($node->safe_psql('postgres', q{SELECT concat_ws(' ', failures, error) FROM job}), qr/^@{[ recorded($how) ]}/, 'a cancellation is recorded');
		is($node->safe_psql('postgres', q{SELECT detail IS NOT DISTINCT FROM 'The last run ended without a result. See the server log.' FROM sitemap_status('job')}),
			$place eq 'started' || recorded($how) ne '0' ? 'f' : 't', 'and shown');
		$node->safe_psql('postgres', q{CALL sitemap_run('job')});
		is($node->safe_psql('postgres', 'SELECT written > 0, started < finished, failures, queue IS NULL FROM job LEFT JOIN queue ON true'),
			$place eq 'finished' ? 'f|t|0|t' : 't|t|0|t', 'the next call has it');
		is($node->safe_psql('postgres', $same), '0', 'and a full run nothing more');
		is(exported(), 't', 'and exports it');
	}
}

# lock_timeout is for the steps: between these, a call waits for the table of jobs, and records a failure.
{
	$node->safe_psql('postgres', q{
		CREATE FUNCTION fail_later() RETURNS text LANGUAGE plpgsql SET lock_timeout = 0 AS $$
		BEGIN
		  PERFORM pg_advisory_xact_lock_shared(2);
		  RAISE 'an important reason';
		END
		$$;
		CREATE TABLE later OF sitemap_job (PRIMARY KEY (base_url, section));
		INSERT INTO later (target, base_url, section, query) VALUES ('files', 'https://later.example/', 'later', 'SELECT public.fail_later() AS loc')});
	my $holder = Session->hold($node, 2);
	my ($locker, $session) = map { Session->start($node, 'postgres', on_error_stop => 0) } 1, 2;
	$session->begin(q{SET lock_timeout = '1ms'; CALL sitemap_run('later')})->wait_for_lock;
	$locker->begin('BEGIN; LOCK TABLE later IN ACCESS EXCLUSIVE MODE')->wait_for_lock;
	$holder->query_safe('SELECT pg_advisory_unlock(2)');
	$session->wait_for_lock;
	$locker->query_safe('COMMIT');
	$session->query('SELECT 1');
	is($node->safe_psql('postgres', q{SELECT failures, split_part(error, E'\n', 1) FROM later}), '1|an important reason', 'a failure is recorded whatever lock_timeout is');
	$_->quit foreach $holder, $locker, $session;
	$node->safe_psql('postgres', 'DROP TABLE later; DROP FUNCTION fail_later()');
}

# The same in the export, which waits for an export of another session.
foreach my $how ('kill -9', 'cancel', 'timeout', 'nothing')
{
	$node->safe_psql('postgres', q{UPDATE page SET path = path || '-x' WHERE id = 400});
	my $holder = Session->hold($node, 1);
	my $exporter = Session->start($node, 'postgres', on_error_stop => 0);
	start_export($exporter);
	my $session = start_call('nowhere', $how eq 'timeout' ? q{SET statement_timeout = '3s'} : '');
	is($node->safe_psql('postgres', q{SELECT started > finished, state, (SELECT count(*) FROM queue) FROM job, sitemap_status('job')}), 't|running|0', "a run that waits for a directory")
	  if $how ne 'timeout';
	if ($how eq 'nothing')
	{
		$holder->query_safe('SELECT pg_advisory_unlock(1)');
		$_->query_safe('SELECT 1') foreach $exporter, $session;
		$_->quit foreach $holder, $exporter, $session;
	}
	else
	{
		end_call($how, $session, $holder, $exporter);
		like($node->safe_psql('postgres', q{SELECT concat_ws(' ', failures, error) FROM job}),
			$how eq 'kill -9' ? qr/^0$/ : qr/^@{[ recorded($how) ]}\nin the export to directory "\Q$directory\E"$/, "$how: a cancellation is recorded");
		is($node->safe_psql('postgres', q{SELECT started > finished FROM job}), 't', 'the job has not succeeded');
		is(exported(), 'f', 'the directory has the old files');
		$node->psql('postgres', q{CALL sitemap_run('job')});
	}
	is($node->safe_psql('postgres', q{SELECT started < finished, failures FROM job}), 't|0', 'then it succeeds');
	is(exported(), 't', 'the directory has the new files');
}

# An export that waits for another one exports what was published meanwhile.
{
	my $holder = Session->hold($node, 1);
	my ($first, $second) = map { Session->start($node, 'postgres') } 1, 2;
	start_export($first);
	$second->begin("SELECT count(*) FROM sitemap_export('$directory/../@{[ $directory =~ s{.*/}{}r ]}/.', 'TABLE files')")->wait_for_lock;
	$node->safe_psql('postgres', q{
		UPDATE page SET path = path || '-y' WHERE id = 300;
		SELECT count(*) FROM sitemap_publish('files', 'SELECT path AS loc, id AS key FROM public.page ORDER BY id', 'https://www.example.com/', section => 'pages', max_urls => 100)});
	$holder->query_safe('SELECT pg_advisory_unlock(1)');
	$_->query_safe('SELECT 1') foreach $first, $second;
	is(exported(), 't', 'an export that waits for another one exports what was published meanwhile');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_locks WHERE objsubid > 1000'), '0', 'no lock is left');
	# An error releases the directory, too.
	$first->query_safe('RESET test.wait; BEGIN');
	$first->query_safe("SELECT count(*) FROM sitemap_export('$directory', 'TABLE files')");
	is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_locks WHERE objsubid > 1000'), '0', 'nor by the transaction of an export');
	$first->query_safe('COMMIT');
	$_->quit foreach $holder, $first, $second;
}

# A process of another server, or a session of another database, has locked the directory: the job fails, each time, until
# the lock is gone.
{
	$node->safe_psql('postgres', q{UPDATE page SET path = path || '-z' WHERE id = 300});
	open my $lock, '>', "$directory/.sitemap_export.lock" or die $!;
	flock $lock, LOCK_EX or die $!;
	foreach my $failures (1, 2)
	{
		$node->psql('postgres', q{CALL sitemap_run('job')}, stderr => \my $stderr);
		like($stderr, qr/WARNING:  job of section "pages" of .* failed: could not lock directory.*ERROR:  1 job failed/s, 'a directory that is locked for ever');
		like($node->safe_psql('postgres', q{SELECT failures, state, detail FROM job, sitemap_status('job')}),
			qr/^$failures\|failing\|could not lock directory "\Q$directory\E"\n/, 'is recorded');
	}
	close $lock;
	is(exported(), 'f', 'the directory has the old files');
	is($node->safe_psql('postgres', q{CALL sitemap_run('job'); SELECT failures, state FROM job, sitemap_status('job')}), '0|ok', 'until it is not locked');
	is(exported(), 't', 'and it has the new files');
}

# A job that brings the server down as soon as it has started: it is counted, and the other jobs run.
{
	$node->safe_psql('postgres', q{
		CREATE FUNCTION crash() RETURNS int LANGUAGE plpgsql AS $$
		BEGIN
		  COPY (SELECT) TO PROGRAM 'kill -9 $PPID';
		  PERFORM pg_sleep(60);
		END
		$$;
		CREATE TABLE crash_files OF sitemap_file (PRIMARY KEY (base_url, name));
		CREATE TABLE crash_job OF sitemap_job (PRIMARY KEY (base_url, section));
		INSERT INTO crash_job (target, base_url, section, query, changes)
		VALUES ('crash_files', 'https://a.example/', 'a', 'SELECT ''/'' AS loc, 1 AS key', 'SELECT public.crash()'),
		       ('crash_files', 'https://b.example/', 'b', 'SELECT ''/'' AS loc', NULL);
		CHECKPOINT});
	foreach my $call (1 .. 3)
	{
		my $session = Session->start($node, 'postgres', on_error_stop => 0);
		$session->begin(q{CALL sitemap_run('crash_job')});
		Session::wait_for_restart($node, $session->{pid});
		eval { $session->{run}->finish };
		is($node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', section, started > finished IS NOT FALSE AND started IS NOT NULL, coalesce(failures, 0)), ', ' ORDER BY section) FROM crash_job}),
			$call == 1 ? 'a t 0, b f 0' : "a t @{[ $call - 1 ]}, b f 0", "crash $call is counted, and the other job runs");
	}
	is($node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', section, state, detail), ', ' ORDER BY section) FROM sitemap_status('crash_job')}),
		'a failing The last run ended without a result. See the server log., b ok', 'and shown');
	$node->safe_psql('postgres', 'DROP TABLE crash_job, crash_files; DROP FUNCTION crash');
}

# A site that has no page yet has nothing to export, also after a failure.  When it has lost its last page, its files are
# removed.
{
	my $new = PostgreSQL::Test::Utils::tempdir() . '/new';
	my $status = q{SELECT concat_ws('|', files, finished > started, failures, error) FROM job WHERE base_url = 'https://new.example/'};

	$node->safe_psql('postgres', qq{
		CREATE TABLE new_page (path text);
		INSERT INTO job (target, base_url, section, query, max_shrink, directory)
		VALUES ('files', 'https://new.example/', 'pages', 'SELECT path AS loc FROM public.new_page', 1, '$new');
		CALL sitemap_run('job')});
	is($node->safe_psql('postgres', "CALL sitemap_run('job'); $status"), '0|t|0', 'a site without pages: no error');
	$node->psql('postgres', "ALTER TABLE new_page RENAME TO hidden_page; CALL sitemap_run('job')");
	like($node->safe_psql('postgres', $status), qr/\|1\|relation "public\.new_page" does not exist/, 'its query fails');
	is($node->safe_psql('postgres', "ALTER TABLE hidden_page RENAME TO new_page; CALL sitemap_run('job'); $status"), '0|t|0', 'and no longer');
	is($node->safe_psql('postgres', "INSERT INTO new_page VALUES ('/1'); CALL sitemap_run('job'); $status"), '1|t|0', 'its first page');
	is($node->safe_psql('postgres', "DELETE FROM new_page; CALL sitemap_run('job'); $status"), '0|t|0', 'its last page was deleted');
	ok(!-f "$new/sitemap.xml", 'the exported files are removed');
	is($node->safe_psql('postgres', "INSERT INTO new_page VALUES ('/2'); CALL sitemap_run('job'); $status"), '1|t|0', 'a new page');
	$node->safe_psql('postgres', q{DELETE FROM job WHERE base_url = 'https://new.example/'; DELETE FROM files WHERE base_url = 'https://new.example/'});

	# Two sections lose their last pages while the export fails: what they published is recorded, and the next export removes
	# the files, whatever a job without a success does.
	my $lost = PostgreSQL::Test::Utils::tempdir() . '/lost';
	my $sections = q{SELECT string_agg(concat_ws(' ', section, files, written, failures), ', ' ORDER BY section) FROM job WHERE base_url = 'https://lost.example/'};
	$node->safe_psql('postgres', qq{
		CREATE TABLE lost_page AS SELECT unnest('{a,b}'::text[]) AS section;
		INSERT INTO job (target, base_url, section, query, max_shrink, directory)
		SELECT 'files', 'https://lost.example/', section, format('SELECT ''/%s'' AS loc FROM public.lost_page WHERE section = %L', section, section), 1, '$lost' FROM lost_page;
		CALL sitemap_run('job');
		INSERT INTO job (target, base_url, section, query) VALUES ('files', 'https://lost.example/', 'c', 'SELECT 1 / 0');
		DELETE FROM lost_page});
	rename $lost, "$lost.away" or die $!;
	append_to_file($lost, '');
	$node->psql('postgres', q{CALL sitemap_run('job')}, stderr => \my $stderr);
	like($stderr, qr/ERROR:  3 jobs failed/, 'exports fail');
	is($node->safe_psql('postgres', $sections), 'a 0 2 1, b 0 2 1, c 1', 'but what was published is recorded');
	unlink $lost or die $!;
	rename "$lost.away", $lost or die $!;
	$node->psql('postgres', q{CALL sitemap_run('job')});
	is($node->safe_psql('postgres', $sections), 'a 0 0 0, b 0 0 0, c 2', 'the next exports succeed');
	is(join(' ', glob "$lost/*"), '', 'and remove the files');
	$node->safe_psql('postgres', q{DELETE FROM job WHERE base_url = 'https://lost.example/'; DELETE FROM files WHERE base_url = 'https://lost.example/'});

	# A call exports a site again only if it has written something of it since; and to a directory that is set while it runs.
	my $twice = PostgreSQL::Test::Utils::tempdir() . '/twice';
	$node->safe_psql('postgres', qq{
		CREATE FUNCTION remove_index() RETURNS int LANGUAGE plpgsql AS \$\$ BEGIN COPY (SELECT) TO PROGRAM 'rm $twice/sitemap.xml; cat >/dev/null'; RETURN 1; END \$\$;
		CREATE TABLE twice OF sitemap_job (PRIMARY KEY (base_url, section));
		INSERT INTO twice (target, base_url, section, query, changes, started)
		VALUES ('files', 'https://twice.example/', 'a', 'SELECT ''/a'' AS loc, 1 AS key', 'WITH set AS (UPDATE public.twice SET directory = ''$twice'') SELECT 1', '2026-01-01'),
		       ('files', 'https://twice.example/', 'b', 'SELECT ''/b'' AS loc, 1 AS key', NULL, '2026-01-02');
		CALL sitemap_run('twice')});
	ok(-f "$twice/sitemap.xml", 'a directory that is set while the call runs');
	$node->safe_psql('postgres', q{UPDATE twice SET changes = CASE section WHEN 'b' THEN 'SELECT public.remove_index()' END; CALL sitemap_run('twice')});
	ok(!-f "$twice/sitemap.xml", 'a site that has not changed is exported once in a call');
	$node->safe_psql('postgres', q{UPDATE twice SET query = 'SELECT ''/new'' AS loc, 1 AS key', full_at = NULL WHERE section = 'a'; UPDATE twice SET changes = NULL; CALL sitemap_run('twice')});
	ok(-f "$twice/sitemap.xml", 'each call exports it');
	$node->safe_psql('postgres', q{DROP TABLE twice; DROP FUNCTION remove_index; DELETE FROM files WHERE base_url = 'https://twice.example/'});

	# The files of one target would be removed by the export of the other.
	my $index = slurp_file("$new/sitemap.xml");
	$node->psql('postgres', qq{
		CREATE TABLE more_files OF sitemap_file (PRIMARY KEY (base_url, name));
		INSERT INTO job (target, base_url, section, query, directory)
		VALUES ('files', 'https://new.example/', 'a', 'SELECT ''/a'' AS loc', '$new'), ('more_files', 'https://new.example/', 'b', 'SELECT ''/b'' AS loc', '$new/.//');
		CALL sitemap_run('job')});
	is($node->safe_psql('postgres', q{SELECT string_agg(section || ' ' || split_part(error, E'\n', 1), ', ' ORDER BY section) FROM job WHERE base_url = 'https://new.example/'}),
		'a the site has several targets for one directory, b the site has several targets for one directory', 'a directory, two targets');
	is(join(' ', grep { !m{/(sitemap|pages)} } glob "$new/*"), '', 'nothing was exported');
	is(slurp_file("$new/sitemap.xml"), $index, 'nor was the index');
	$node->safe_psql('postgres', q{DELETE FROM job WHERE base_url = 'https://new.example/'; DELETE FROM files WHERE base_url = 'https://new.example/'});
}

# A job that always runs into a timeout starves no other job: the job that has waited longest comes first.
my $fast = PostgreSQL::Test::Utils::tempdir();
$node->safe_psql('postgres', qq{
	UPDATE job SET every = '1 day';
	INSERT INTO job (target, base_url, section, query, index, directory) VALUES
	  ('files', 'https://a.example/', 'slow', 'SELECT ''/'' AS loc FROM pg_sleep(20)', 'auto', NULL),
	  ('files', 'https://b.example/', 'b', 'SELECT ''/'' AS loc', 'auto', '$fast')});
foreach (1 .. 3)
{
	$node->psql('postgres', q{SET statement_timeout = '1s'; CALL sitemap_run('job')}, stderr => \my $stderr);
	like($stderr, qr/WARNING:  job of section "slow" of .* failed: canceling statement due to statement timeout.*ERROR:  canceling statement due to statement timeout/s, 'a timeout');
}
is($node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', section, urls, failures), ', ' ORDER BY section) FROM job WHERE section IN ('b', 'slow')}),
	'b 1 0, slow 3', 'is recorded, and the other site is exported');
ok(-f "$fast/sitemap.xml", 'its directory has the files');
# Now the job waits.
is($node->psql('postgres', q{SET statement_timeout = '1s'; CALL sitemap_run('job')}), 0, 'it waits after three failures');
# A session that is terminated records nothing, but the next call counts it, and runs the other jobs.
SKIP:
{
	skip 'transaction_timeout takes PostgreSQL 17', 2 if $node->pg_version < 17;
	$node->safe_psql('postgres', q{UPDATE job SET failures = 0, started = NULL, finished = NULL, error = NULL WHERE section IN ('b', 'slow')});
	foreach (1 .. 2)
	{
		$node->psql('postgres', q{SET transaction_timeout = '1s'; CALL sitemap_run('job')}, stderr => \my $stderr);
		like($stderr, qr/terminating connection due to transaction timeout/, 'a timeout of the transaction');
	}
	is($node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', section, started IS NOT NULL, finished IS NULL, failures), ', ' ORDER BY section) FROM job WHERE section IN ('b', 'slow')}),
		'b t f 0, slow t t 1', 'is counted by the next call, and the other job runs');
}
$node->safe_psql('postgres', q{
	DELETE FROM job WHERE section = 'slow';
	UPDATE job SET every = NULL});

# A foreign server: its backend ends itself, it has a timeout, it cannot be reached.
SKIP:
{
	skip 'postgres_fdw is not here', 3
	  if $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'}) eq '0';
	my ($host, $port) = ($node->host, $node->port);
	$node->safe_psql('postgres', qq{
		CREATE EXTENSION postgres_fdw;
		CREATE SERVER near FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres', options '-c statement_timeout=100');
		CREATE USER MAPPING FOR CURRENT_USER SERVER near;
		CREATE SERVER nowhere FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '1', dbname 'postgres');
		CREATE USER MAPPING FOR CURRENT_USER SERVER nowhere;
		CREATE VIEW dying AS SELECT '/' || n AS path, CASE WHEN n = 500 THEN pg_terminate_backend(pg_backend_pid()) END AS dies FROM generate_series(1, 1000) n;
		CREATE VIEW late AS SELECT '/'::text AS path FROM pg_sleep(20);
		CREATE FOREIGN TABLE far_dying (path text, dies bool) SERVER near OPTIONS (table_name 'dying');
		CREATE FOREIGN TABLE far_late (path text) SERVER near OPTIONS (table_name 'late');
		CREATE FOREIGN TABLE far_nowhere (path text) SERVER nowhere;
		CREATE TABLE far_files OF sitemap_file (PRIMARY KEY (base_url, name));
		CREATE TABLE far OF sitemap_job (PRIMARY KEY (base_url, section));
		INSERT INTO far (target, base_url, section, query, changes)
		VALUES ('far_files', 'https://www.example.com/', 'a-dying', 'SELECT path AS loc FROM far_dying WHERE dies IS NOT FALSE', NULL),
		       ('far_files', 'https://www.example.com/', 'b-late', 'SELECT path AS loc FROM far_late', NULL),
		       ('far_files', 'https://www.example.com/', 'c-nowhere', 'SELECT path AS loc FROM far_nowhere', NULL),
		       ('far_files', 'https://www.example.com/', 'd-dying', 'SELECT path AS loc, 1 AS key FROM page LIMIT 1', 'SELECT 1 FROM far_dying WHERE dies'),
		       ('far_files', 'https://www.example.com/', 'e-late', 'SELECT path AS loc, 1 AS key FROM page LIMIT 1', 'SELECT 1 FROM far_late'),
		       ('far_files', 'https://www.example.com/', 'f-good', 'SELECT path AS loc FROM page', NULL)});
	foreach my $call (1 .. 2)
	{
		$node->psql('postgres', q{CALL sitemap_run('far')}, stderr => \my $stderr);
		like($stderr, qr/ERROR:  5 jobs failed/, "call $call goes on");
		is($node->safe_psql('postgres', q{SELECT string_agg(section || ' ' || failures || ' ' || CASE WHEN error ~ 'terminating connection|server closed|no connection|could not receive' THEN 'dies' WHEN error IS NULL THEN 'works' ELSE coalesce(substring(error, 'statement timeout|could not connect'), error) END, ', ' ORDER BY section) FROM far}),
			"a-dying $call dies, b-late $call statement timeout, c-nowhere $call could not connect, d-dying $call dies, e-late $call statement timeout, f-good 0 works",
			'each failure is recorded, and the other job runs');
	}

	# An error at the COMMIT of a job is recorded, too, and after three failures the job waits.
	my $far = PostgreSQL::Test::Utils::tempdir();
	$node->safe_psql('postgres', qq{
		TRUNCATE far, far_files;
		CREATE FUNCTION say_no() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''remote says no''; END';
		CREATE TABLE near_queue AS SELECT 1 AS id;
		CREATE CONSTRAINT TRIGGER later AFTER DELETE ON near_queue DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION say_no();
		CREATE FOREIGN TABLE far_queue (id int) SERVER near OPTIONS (table_name 'near_queue');
		INSERT INTO far (target, base_url, section, query, changes, directory)
		VALUES ('far_files', 'https://a.example/', 'a', 'SELECT ''/'' AS loc, 1 AS key', 'DELETE FROM far_queue RETURNING id', '$far'),
		       ('far_files', 'https://a.example/', 'b', 'SELECT ''/b'' AS loc', NULL, '$far'),
		       ('far_files', 'https://c.example/', 'c', 'SELECT ''/c'' AS loc', NULL, NULL)});
	my $status = q{SELECT string_agg(concat_ws(' ', section, j.urls, failures, CASE WHEN state IN ('failing', 'waiting') THEN split_part(detail, E'\n', 1) END), ', ' ORDER BY section) FROM far j JOIN sitemap_status('far') s USING (base_url, section)};
	foreach my $call (1 .. 3)
	{
		$node->psql('postgres', q{CALL sitemap_run('far')}, stderr => \my $stderr);
		like($stderr, qr/WARNING:  job of section "a" of .* failed: remote says no.*ERROR:  1 job failed/s, "an error at the COMMIT fails the job in call $call");
		is($node->safe_psql('postgres', $status), "a $call remote says no, b 1 0, c 1 0", 'is recorded, and the other jobs run');
	}
	$node->psql('postgres', q{CALL sitemap_run('far')}, stderr => \my $waits);
	like($waits, qr/\A[^\n]*NOTICE:  1 job is waiting after failures\nHINT:  .* UPDATE public\.far SET requested = now\(\) WHERE failures > 2\Z/, 'a call says that the job waits');
	is($node->safe_psql('postgres', q{SELECT state, next_run > now() FROM sitemap_status('far') WHERE section = 'a'}), 'waiting|t', 'so does its state');
	ok(-f "$far/sitemap.xml", 'its directory has the files');
	$node->safe_psql('postgres', q{
		DROP TRIGGER later ON near_queue;
		UPDATE far SET failures = 0 WHERE section = 'a';
		CALL sitemap_run('far')});
	is($node->safe_psql('postgres', $status), 'a 1 0, b 1 0, c 1 0', 'a success ends the failures');
}

# A timeout of locks is one.
$node->safe_psql('postgres', q{DELETE FROM job WHERE section = 'a'});
{
	my $holder = Session->start($node, 'postgres');
	$holder->query_safe('BEGIN; LOCK files');
	$node->psql('postgres', q{SET lock_timeout = '100ms'; CALL sitemap_run('job')}, stderr => \my $stderr);
	like($stderr, qr/WARNING:  job of section "b" of .* failed: canceling statement due to lock timeout.*ERROR:  2 jobs failed/s, 'lock_timeout');
	$holder->query_safe('ROLLBACK');
	$holder->quit;
	$node->safe_psql('postgres', q{CALL sitemap_run('job')});
	is($node->safe_psql('postgres', 'SELECT max(failures) FROM job'), '0', 'until the lock is gone');
}

# Ten thousand jobs of which none is due; a hundred that are.
$node->safe_psql('postgres', q{
	CREATE TABLE tenant OF sitemap_job (PRIMARY KEY (base_url, section));
	INSERT INTO tenant (target, base_url, section, query, every, started, finished)
	SELECT 'files', 'https://www.example.com/', 'tenant-' || n, 'SELECT ''/'' AS loc', '1 hour', now(), now() FROM generate_series(1, 10000) n;
	VACUUM ANALYZE tenant});
my $session = Session->start($node, 'postgres');
my @times;
foreach (1 .. 5)
{
	my $time = time;
	$session->query_safe(q{CALL sitemap_run('tenant')});
	push @times, time - $time;
}
my ($best) = sort { $a <=> $b } @times;
note(sprintf('10,000 jobs of which none is due: %.1f ms', $best * 1000));
cmp_ok($best, '<', 1, '10,000 jobs of which none is due');
$node->safe_psql('postgres', q{CREATE TABLE small OF sitemap_file (PRIMARY KEY (base_url, name)); DELETE FROM tenant WHERE section <> 'tenant-1'; UPDATE tenant SET target = 'small', every = NULL; VACUUM FULL tenant});
$session->query_safe(q{CALL sitemap_run('tenant')}) foreach 1 .. 1000;
$session->quit;
my $growth = $node->safe_psql('postgres', q{SELECT pg_relation_size('tenant')});
cmp_ok($growth, '<=', 65536, "1,000 runs leave the table small: $growth bytes");
is($node->safe_psql('postgres', q{SELECT count(*) FROM (SELECT pg_stat_get_tuples_updated(c), pg_stat_get_tuples_hot_updated(c) FROM (VALUES ('tenant'::regclass)) v (c)) s (updated, hot)
	WHERE updated >= 2000 AND hot >= 0.99 * updated}), '1', 'nearly all updates are HOT');

# A job whose start, or whose success, cannot be recorded undoes none before it, and keeps none from running.
my $exports = PostgreSQL::Test::Utils::tempdir();
$node->safe_psql('postgres', qq{
	TRUNCATE tenant;
	INSERT INTO tenant (target, base_url, section, query, started, directory)
	SELECT 'small', 'https://' || name || '.example/', name, 'SELECT ''/'' AS loc', '2000-01-01'::date + n::int, '$exports/' || name
	  FROM unnest('{before,start,success,z}'::text[]) WITH ORDINALITY v (name, n);
	CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''no %'', NEW.section; END';
	CREATE TRIGGER refuse BEFORE UPDATE ON tenant FOR EACH ROW
	  WHEN (NEW.section = 'start' OR NEW.section = 'success' AND NEW.finished IS DISTINCT FROM OLD.finished) EXECUTE FUNCTION refuse()});
$node->psql('postgres', q{CALL sitemap_run('tenant')}, stderr => \my $refused);
like($refused, qr{WARNING:  job of section "$_" of https://$_\.example/ failed: no $_\n(?!in the export)}, "$_ cannot be recorded") foreach 'start', 'success';
like($refused, qr/ERROR:  2 jobs failed/, 'these have failed');
is($node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', section, finished > started, split_part(error, E'\n', 1)), ', ' ORDER BY section) FROM tenant}),
	'before t, start, success no success, z t', 'the other jobs succeed');

# A cancel request while a failure is recorded ends the call: no other job begins.
$node->safe_psql('postgres', q{
	CREATE TABLE recorded OF sitemap_job (PRIMARY KEY (base_url, section));
	INSERT INTO recorded (target, base_url, section, query)
	VALUES ('files', 'https://a.example/', 'a', 'SELECT (1 / 0)::text AS loc'), ('files', 'https://b.example/', 'b', 'SELECT ''/'' AS loc');
	CREATE FUNCTION wait_to_record() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(9); RETURN NEW; END';
	CREATE TRIGGER wait BEFORE UPDATE ON recorded FOR EACH ROW WHEN (NEW.failures > 0) EXECUTE FUNCTION wait_to_record()});
my $blocker = Session->hold($node, 9);
my $canceled = Session->start($node, 'postgres', on_error_stop => 0);
$canceled->begin(q{CALL sitemap_run('recorded')})->wait_for_lock;
$node->safe_psql('postgres', "SELECT pg_cancel_backend($canceled->{pid})");
$canceled->query('SELECT 1');
is($node->safe_psql('postgres', q{SELECT started FROM recorded WHERE section = 'b'}), '', 'a cancel request while a failure is recorded ends the call');
$_->quit foreach $canceled, $blocker;

$node->stop;
done_testing();
