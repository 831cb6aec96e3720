# sitemap_run: kill -9, cancel requests and timeouts, foreign servers that fail, exports
# that are made up for, and many jobs.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

use lib $FindBin::RealBin;
use Node;
use Session;

my $node = start_node("restart_after_crash = on\n", allows_streaming => 1);
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

	-- Where a run can wait: in its query, when it writes, or when it sets a column of its row.
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
	  PERFORM wait_at('write');
	  RETURN NEW;
	END
	\$\$;
	CREATE TRIGGER wait BEFORE UPDATE ON files FOR EACH ROW WHEN (NEW.kind = 'index') EXECUTE FUNCTION wait_to_write();
	CREATE FUNCTION wait_to_note() RETURNS trigger LANGUAGE plpgsql AS \$\$
	BEGIN
	  PERFORM wait_at('started') WHERE NEW.started IS DISTINCT FROM OLD.started;
	  PERFORM wait_at('finished') WHERE NEW.finished IS DISTINCT FROM OLD.finished;
	  PERFORM wait_at('exported') WHERE NEW.exported IS DISTINCT FROM OLD.exported AND NEW.exported IS NOT NULL;
	  RETURN NEW;
	END
	\$\$;
	CREATE TRIGGER wait BEFORE UPDATE ON job FOR EACH ROW EXECUTE FUNCTION wait_to_note();
	INSERT INTO job (target, base_url, section, query, changes, max_urls, directory)
	VALUES ('files', 'https://www.example.com/', 'pages', 'SELECT path AS loc, id AS key FROM public.page WHERE public.wait_at(''query'') ORDER BY id',
	        'DELETE FROM public.queue RETURNING id', 100, '$directory');
	CALL sitemap_run('job')});

my $state = q{SELECT (SELECT string_agg(md5(f::text), ' ' ORDER BY name) FROM files f), (SELECT string_agg(id::text, ' ' ORDER BY id) FROM queue),
                     (SELECT string_agg(concat_ws(' ', section, finished, full_at, exported, urls, written), '; ' ORDER BY section) FROM job)};
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

# Ends of a call that are none.  Before the run is committed the queue, the files and the
# status stay, but started; after it, all is written but exported.
foreach my $place ('started', 'query', 'write', 'finished', 'exported')
{
	foreach my $how ('kill -9', 'cancel', 'terminate', 'timeout')
	{
		$node->safe_psql('postgres', q{
			UPDATE page SET path = path || '-x' WHERE id = 500;
			UPDATE files SET lastmod = lastmod - interval '1 hour' WHERE kind <> 'index'});
		my $before = $node->safe_psql('postgres', $state);
		my $holder = Session->start($node, 'postgres');
		$holder->query_safe('SELECT pg_advisory_lock(1)');
		my $session = Session->start($node, 'postgres', on_error_stop => 0);
		my $pid = $session->query_safe('SELECT pg_backend_pid()');
		$session->query_safe("SET test.wait = '$place'");
		$session->query_safe("SET statement_timeout = '1s'") if $how eq 'timeout';
		$session->query_until(qr/started/, "\\echo started\nCALL sitemap_run('job');\n");
		if ($how ne 'timeout')
		{
			$node->poll_query_until('postgres', "SELECT wait_event = 'advisory' FROM pg_stat_activity WHERE pid = $pid")
			  or die 'it does not wait';
			is($node->safe_psql('postgres', 'SELECT started > finished FROM job'), $place =~ /started|exported/ ? 'f' : 't', "a run that waits at $place can be seen");
		}

		if ($how eq 'kill -9')
		{
			kill 'KILL', $pid;
			Session::wait_for_restart($node, $pid);
			eval { $_->{run}->finish } foreach $holder, $session;
		}
		else
		{
			$node->safe_psql('postgres', "SELECT pg_@{[ $how eq 'cancel' ? 'cancel' : 'terminate' ]}_backend($pid)") if $how ne 'timeout';
			$node->poll_query_until('postgres', "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $pid AND state = 'active')");
			eval { $session->quit };
			$holder->quit;
		}
		if ($place eq 'exported')
		{
			is($node->safe_psql('postgres', 'SELECT written > 0, exported IS NULL, started < finished FROM job'), 't|t|t', "$how where it waits at $place: the run is committed");
		}
		else
		{
			is($node->safe_psql('postgres', $state), $before, "$how where it waits at $place: nothing is changed, nothing is lost");
			is($node->safe_psql('postgres', 'SELECT started > finished FROM job'), $place eq 'started' ? 'f' : 't', 'but started');
		}
		my $recorded = $how eq 'cancel' ? '1 canceling statement due to user request' : $how eq 'timeout' ? '1 canceling statement due to statement timeout' : '0';
		like($node->safe_psql('postgres', q{SELECT concat_ws(' ', failures, error) FROM job}), qr/^$recorded/, 'a cancellation is recorded');
		$node->safe_psql('postgres', q{CALL sitemap_run('job')});
		is($node->safe_psql('postgres', 'SELECT written > 0, started < finished, exported >= finished, queue IS NULL FROM job LEFT JOIN queue ON true'),
			$place eq 'exported' ? 'f|t|t|t' : 't|t|t|t', 'the next call has it');
		is($node->safe_psql('postgres', $same), '0', 'and a full run nothing more');
		is(exported(), 't', 'and exports it');
	}
}

# A server that is stopped between a run and its export: the next call exports.
$node->safe_psql('postgres', q{
	INSERT INTO job (target, base_url, section, query, directory)
	SELECT 'files', 'https://www.example.com/', 'wait', 'SELECT ''/wait'' AS loc WHERE public.wait_at(''query'')', directory FROM job;
	UPDATE job SET query = replace(query, '''query''', '''none'''), started = '2000-01-01' WHERE section = 'pages';
	UPDATE job SET started = '2000-01-02' WHERE section = 'wait';
	UPDATE page SET path = '/between' WHERE id = 400});
{
	my $holder = Session->start($node, 'postgres');
	$holder->query_safe('SELECT pg_advisory_lock(1)');
	my $session = Session->start($node, 'postgres', on_error_stop => 0);
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	$session->query_safe("SET test.wait = 'query'");
	$session->query_until(qr/started/, "\\echo started\nCALL sitemap_run('job');\n");
	$node->poll_query_until('postgres', "SELECT wait_event = 'advisory' FROM pg_stat_activity WHERE pid = $pid");
	$node->stop('immediate');
	eval { $_->{run}->finish } foreach $holder, $session;
	$node->start;
	is($node->safe_psql('postgres', q{SELECT exported IS NULL FROM job WHERE section = 'pages'}), 't', 'stopped before the export');
	is(exported(), 'f', 'so the directory has the old files');
	$node->safe_psql('postgres', q{UPDATE job SET every = '1 day'; CALL sitemap_run('job')});
	is(exported(), 't', 'the next call exports, though the job is not due');
}

# The same in an export, which waits for a table that another session locks.  After the second kill in a row the
# export no longer comes first: the job is run.
$node->safe_psql('postgres', q{
	DELETE FROM job WHERE section = 'wait';
	DELETE FROM files WHERE section = 'wait';
	UPDATE job SET every = NULL;
	CALL sitemap_run('job')});
is(exported(), 't', 'one section');
foreach my $how ('kill -9', 'cancel', 'kill -9 again')
{
	my ($holder, $locker, $session) = map { Session->start($node, 'postgres', on_error_stop => 0) } 1 .. 3;
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	my $locker_pid = $locker->query_safe('SELECT pg_backend_pid()');
	my $waiting = q{SELECT wait_event = '%s' FROM pg_stat_activity WHERE pid = %d};

	if ($how eq 'kill -9 again')
	{
		$locker->query_safe('BEGIN; LOCK files');
		$node->safe_psql('postgres', q{UPDATE job SET exported = NULL, every = '1 day'});
		$session->query_until(qr/started/, "\\echo started\nCALL sitemap_run('job');\n");
	}
	else
	{
		$node->safe_psql('postgres', q{UPDATE page SET path = path || '-x' WHERE id = 400});
		$holder->query_safe('SELECT pg_advisory_lock(1)');
		$session->query_until(qr/started/, "SET test.wait = 'finished';\n\\echo started\nCALL sitemap_run('job');\n");
		$node->poll_query_until('postgres', sprintf($waiting, 'advisory', $pid)) or die 'it does not wait';
		$locker->query_until(qr/locking/, "BEGIN;\n\\echo locking\nLOCK files;\n");
		$node->poll_query_until('postgres', sprintf($waiting, 'relation', $locker_pid)) or die 'the other does not wait';
		$holder->query_safe('SELECT pg_advisory_unlock(1)');
	}
	$node->poll_query_until('postgres', sprintf($waiting, 'relation', $pid)) or die 'the export does not wait';
	if ($how =~ /kill/)
	{
		kill 'KILL', $pid;
		Session::wait_for_restart($node, $pid);
		eval { $_->{run}->finish } foreach $holder, $locker, $session;
	}
	else
	{
		$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
		$session->query('SELECT 1');
		$locker->query_safe('ROLLBACK');
		$_->quit foreach $holder, $locker, $session;
	}
	is($node->safe_psql('postgres', q{SELECT finished > started, exported FROM job}), $how eq 'kill -9 again' ? 't|-infinity' : 't|', "$how in an export: the run is committed");
	like($node->safe_psql('postgres', q{SELECT concat_ws(' ', failures, error) FROM job}),
		$how =~ /kill/ ? qr/^0$/ : qr/^1 canceling statement due to user request\nin the export to directory "\Q$directory\E"$/, 'a cancellation is recorded');
	is(exported(), $how eq 'kill -9 again' ? 't' : 'f', 'the directory has the old files');
	my $started = $node->safe_psql('postgres', q{UPDATE job SET every = '1 day' RETURNING started});
	is($node->safe_psql('postgres', "CALL sitemap_run('job'); SELECT started > '$started', exported > finished, failures, error FROM job"),
		$how eq 'kill -9' ? 'f|t|0|' : 't|t|0|', $how eq 'kill -9' ? 'the next call exports, without a run' : 'the next call runs the job, and exports');
	is(exported(), 't', 'the directory has the new files');
	$node->safe_psql('postgres', 'UPDATE job SET every = NULL');
}

# A directory that another session exports: no error, and the next call does it.  A call of which this is the second
# attempt leaves no mark.
{
	$node->safe_psql('postgres', q{CREATE VIEW slow AS SELECT base_url, name, content FROM files WHERE wait_at('export')});
	my $holder = Session->start($node, 'postgres');
	$holder->query_safe('SELECT pg_advisory_lock(1)');
	my $session = Session->start($node, 'postgres');
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	$session->query_safe("SET test.wait = 'export'");
	$session->query_until(qr/started/, "\\echo started\nSELECT count(*) FROM sitemap_export('$directory', 'TABLE slow');\n");
	$node->poll_query_until('postgres', "SELECT wait_event = 'advisory' FROM pg_stat_activity WHERE pid = $pid");
	$node->safe_psql('postgres', q{UPDATE job SET every = NULL; UPDATE page SET path = '/other' WHERE id = 300; CALL sitemap_run('job')});
	is($node->safe_psql('postgres', q{SELECT exported IS NULL, error IS NULL, failures FROM job WHERE section = 'pages'}), 't|t|0', 'a directory in use is left for later');
	my $started = $node->safe_psql('postgres', q{UPDATE job SET every = '1 day' RETURNING started});
	$node->safe_psql('postgres', q{CALL sitemap_run('job')}) foreach 1, 2;
	is($node->safe_psql('postgres', "SELECT exported IS NULL, started = '$started', failures FROM job"), 't|t|0', 'also by an export without a run');
	$node->safe_psql('postgres', q{UPDATE job SET every = NULL});
	$holder->query_safe('SELECT pg_advisory_unlock(1)');
	$session->query_safe('SELECT 1');
	$_->quit foreach $holder, $session;
	$node->safe_psql('postgres', q{CALL sitemap_run('job')});
	is($node->safe_psql('postgres', q{SELECT exported > finished - interval '1 hour' FROM job WHERE section = 'pages'}), 't', 'until the next call');
	is(exported(), 't', 'which exports');
	$node->safe_psql('postgres', 'DROP VIEW slow');
}

# A site that has no page yet has nothing to export, also after a failure.  When it has lost its last page, its files are
# removed.  But when only the target has lost its rows, the files stay.
{
	my $new = PostgreSQL::Test::Utils::tempdir() . '/new';
	my $status = q{SELECT concat_ws('|', files, exported IS NULL, failures, error) FROM job WHERE base_url = 'https://new.example/'};

	$node->safe_psql('postgres', qq{
		CREATE TABLE new_page (path text);
		INSERT INTO job (target, base_url, section, query, max_shrink, directory)
		VALUES ('files', 'https://new.example/', 'pages', 'SELECT path AS loc FROM public.new_page', 1, '$new');
		CALL sitemap_run('job')});
	is($node->safe_psql('postgres', "CALL sitemap_run('job'); $status"), '0|f|0', 'a site without pages: no error');
	$node->psql('postgres', "ALTER TABLE new_page RENAME TO hidden_page; CALL sitemap_run('job')");
	like($node->safe_psql('postgres', $status), qr/\|1\|relation "public\.new_page" does not exist/, 'its query fails');
	is($node->safe_psql('postgres', "ALTER TABLE hidden_page RENAME TO new_page; CALL sitemap_run('job'); $status"), '0|f|0', 'and no longer');
	is($node->safe_psql('postgres', "INSERT INTO new_page VALUES ('/1'); CALL sitemap_run('job'); $status"), '1|f|0', 'its first page');
	is($node->safe_psql('postgres', "DELETE FROM new_page; CALL sitemap_run('job'); $status"), '0|f|0', 'its last page was deleted');
	ok(!-f "$new/sitemap.xml", 'the exported files are removed');
	is($node->safe_psql('postgres', "INSERT INTO new_page VALUES ('/2'); CALL sitemap_run('job'); $status"), '1|f|0', 'a new page');
	$node->psql('postgres', q{
		UPDATE job SET every = '1 day', exported = NULL WHERE base_url = 'https://new.example/';
		DELETE FROM files WHERE base_url = 'https://new.example/';
		CALL sitemap_run('job')});
	like($node->safe_psql('postgres', $status), qr/^1\|t\|1\|the query has no rows/, 'the target lost its rows');
	ok(-f "$new/sitemap.xml", 'the exported files stay');
	$node->safe_psql('postgres', q{DELETE FROM job WHERE base_url = 'https://new.example/'; DELETE FROM files WHERE base_url = 'https://new.example/'});

	# The files of one target would be removed by the export of the other.
	my $index = slurp_file("$new/sitemap.xml");
	$node->psql('postgres', qq{
		CREATE TABLE more_files OF sitemap_file (PRIMARY KEY (base_url, name));
		INSERT INTO job (target, base_url, section, query, directory)
		VALUES ('files', 'https://new.example/', 'a', 'SELECT ''/a'' AS loc', '$new'), ('more_files', 'https://new.example/', 'b', 'SELECT ''/b'' AS loc', '$new/');
		CALL sitemap_run('job')});
	is($node->safe_psql('postgres', q{SELECT string_agg(section || ' ' || split_part(error, E'\n', 1), ', ' ORDER BY section) FROM job WHERE base_url = 'https://new.example/'}),
		'a the site has several targets for one directory, b the site has several targets for one directory', 'a directory, two targets');
	is(join(' ', grep { !m{/(sitemap|pages)} } glob "$new/*"), '', 'nothing was exported');
	is(slurp_file("$new/sitemap.xml"), $index, 'nor was the index');
	$node->safe_psql('postgres', q{DELETE FROM job WHERE base_url = 'https://new.example/'; DELETE FROM files WHERE base_url = 'https://new.example/'});
}

# A job that always runs into a timeout starves no other job, and no other site's export: the job that has waited longest
# comes first.
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
is($node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', section, urls, failures, exported IS NOT NULL), ', ' ORDER BY section) FROM job WHERE section IN ('b', 'slow')}),
	'b 1 0 t, slow 3 f', 'is recorded, and the other site is exported');
ok(-f "$fast/sitemap.xml", 'its directory has the files');
# Now the job waits.
is($node->psql('postgres', q{SET statement_timeout = '1s'; CALL sitemap_run('job')}), 0, 'it waits after three failures');
# A session that is terminated records nothing, but the next call counts it, and runs the other jobs.
SKIP:
{
	skip 'transaction_timeout is of PostgreSQL 17', 2 if $node->pg_version < 17;
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

	# An error at the COMMIT of a job, where nothing can catch it.  The next call records it, and after three failures
	# the job waits, so that its site is exported.
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
	my $status = q{SELECT string_agg(concat_ws(' ', section, urls, failures, split_part(error, ':', 1)), ', ' ORDER BY section) FROM far};
	foreach my $call (1 .. 4)
	{
		$node->psql('postgres', q{CALL sitemap_run('far')}, stderr => \my $stderr);
		like($stderr, qr/ERROR:  remote says no/, "an error at the COMMIT ends call $call");
		is($node->safe_psql('postgres', $status),
			join(', ', $call == 1 ? 'a' : "a @{[ $call - 1 ]} The last run ended without a result", $call == 1 ? ('b', 'c') : ('b 1 0', 'c 1 0')),
			'the next call records it, and runs the other jobs first');
	}
	is($node->safe_psql('postgres', q{CALL sitemap_run('far'); SELECT exported >= finished FROM far WHERE section = 'b'}), 't', 'while the job waits, its site is exported');
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

# The clock is set back.
$node->safe_psql('postgres', q{UPDATE job SET started = now() + interval '1 year', finished = now() + interval '1 year', every = '1 hour', written = -1; CALL sitemap_run('job')});
is($node->safe_psql('postgres', 'SELECT count(*), max(written), max(finished) <= now() FROM job'), '2|0|t', 'times in the future do not count');

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

# A job whose row cannot be updated does not undo the one before, nor keep others from running.
$node->safe_psql('postgres', q{
	TRUNCATE tenant;
	INSERT INTO tenant (target, base_url, section, query, index, started)
	SELECT 'small', 'https://www.example.com/', name, 'SELECT ''/'' AS loc', 'never', '2000-01-01'::date + n FROM (VALUES ('a', 1), ('stuck', 2), ('z', 3)) v (name, n);
	CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''not this one''; END';
	CREATE TRIGGER refuse BEFORE UPDATE ON tenant FOR EACH ROW WHEN (NEW.section = 'stuck') EXECUTE FUNCTION refuse()});
$node->psql('postgres', q{CALL sitemap_run('tenant')}, stderr => \my $stuck);
like($stuck, qr/WARNING:  job of section "stuck" of .* failed: not this one.*ERROR:  1 job failed/s, 'a row that cannot be updated');
is($node->safe_psql('postgres', q{SELECT string_agg(section, ' ' ORDER BY section) FROM tenant WHERE urls = 1}), 'a z', 'the other jobs run');

# An export that cannot be recorded fails only its job.
my $exports = PostgreSQL::Test::Utils::tempdir();
$node->safe_psql('postgres', qq{
	DROP TRIGGER refuse ON tenant;
	UPDATE tenant SET base_url = 'https://' || section || '.example/', directory = '$exports/' || section;
	CREATE TRIGGER refuse BEFORE UPDATE ON tenant FOR EACH ROW WHEN (NEW.section = 'a' AND NEW.exported IS NOT NULL) EXECUTE FUNCTION refuse()});
mkdir("$exports/$_") foreach ('a', 'stuck', 'z');
$node->psql('postgres', q{CALL sitemap_run('tenant')}, stderr => \$stuck);
like($stuck, qr{WARNING:  export of https://a.example/ failed: not this one.*ERROR:  1 job failed}s, 'an export that cannot be recorded');
is($node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', section, exported IS NOT NULL, split_part(error, E'\n', 1)), ', ' ORDER BY section) FROM tenant}),
	'a f not this one, stuck t, z t', 'the other exports are');

# A cancel request while a failure is recorded ends the call: no other job begins.
$node->safe_psql('postgres', q{
	CREATE TABLE recorded OF sitemap_job (PRIMARY KEY (base_url, section));
	INSERT INTO recorded (target, base_url, section, query)
	VALUES ('files', 'https://a.example/', 'a', 'SELECT (1 / 0)::text AS loc'), ('files', 'https://b.example/', 'b', 'SELECT ''/'' AS loc');
	CREATE FUNCTION wait_to_record() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(9); RETURN NEW; END';
	CREATE TRIGGER wait BEFORE UPDATE ON recorded FOR EACH ROW WHEN (NEW.failures > 0) EXECUTE FUNCTION wait_to_record()});
my $blocker = Session->start($node, 'postgres');
my $canceled = Session->start($node, 'postgres', on_error_stop => 0);
my $canceled_pid = $canceled->query_safe('SELECT pg_backend_pid()');
$blocker->query_safe('SELECT pg_advisory_lock(9)');
$canceled->query_until(qr/begun/, "\\echo begun\nCALL sitemap_run('recorded');\n");
$node->poll_query_until('postgres', "SELECT wait_event = 'advisory' FROM pg_stat_activity WHERE pid = $canceled_pid") or die 'it does not wait';
$node->safe_psql('postgres', "SELECT pg_cancel_backend($canceled_pid)");
$canceled->query('SELECT 1');
is($node->safe_psql('postgres', q{SELECT started FROM recorded WHERE section = 'b'}), '', 'a cancel request while a failure is recorded ends the call');
$_->quit foreach $canceled, $blocker;

# Not on a standby.
$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby);
$standby->psql('postgres', q{CALL sitemap_run('job')}, stderr => \my $standby_error);
like($standby_error, qr/cannot execute sitemap_run\(\) in a read-only transaction/, 'not on a standby');
$standby->stop;

$node->stop;
done_testing();
