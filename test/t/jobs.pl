# sitemap_run: ends that are none (kill -9, cancel, timeouts), exports that are made up
# for, many jobs, and callers who must not gain the rights of others, nor lose theirs.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

use lib $FindBin::RealBin;
use Session;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ], allows_streaming => 1);
$node->append_conf('postgresql.conf', "jit = off\nrestart_after_crash = on\n");
$node->start;
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
                     (SELECT string_agg(concat_ws(' ', section, finished, full_at, exported, urls, written, error, failures), '; ' ORDER BY section) FROM job)};
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
		$node->safe_psql('postgres', q{CALL sitemap_run('job')});
		is($node->safe_psql('postgres', 'SELECT written > 0, started < finished, exported >= finished, queue IS NULL FROM job LEFT JOIN queue ON true'),
			$place eq 'exported' ? 'f|t|t|t' : 't|t|t|t', 'the next call has it');
		is($node->safe_psql('postgres', $same), '0', 'and a full run nothing more');
		is(exported(), 't', 'and exports it');
	}
}

# A server that is stopped between a run and its export: the next call exports.
$node->safe_psql('postgres', q{
	INSERT INTO job (target, base_url, section, query) VALUES ('files', 'https://www.example.com/', 'wait', 'SELECT ''/wait'' AS loc WHERE public.wait_at(''query'')');
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

# The same in an export, which waits for a table that another session locks.
$node->safe_psql('postgres', q{
	CREATE TABLE other_files OF sitemap_file (PRIMARY KEY (base_url, name));
	UPDATE job SET query = replace(query, '''query''', '''last'''), target = 'other_files', base_url = 'https://other.example.com/' WHERE section = 'wait';
	UPDATE job SET every = NULL});
foreach my $how ('kill -9', 'cancel')
{
	my ($holder, $locker, $session) = map { Session->start($node, 'postgres', on_error_stop => 0) } 1 .. 3;
	my $pid = $session->query_safe('SELECT pg_backend_pid()');

	$node->safe_psql('postgres', q{
		UPDATE job SET started = CASE section WHEN 'pages' THEN '2000-01-01' ELSE '2000-01-02' END::timestamptz;
		UPDATE page SET path = path || '-x' WHERE id = 400});
	$holder->query_safe('SELECT pg_advisory_lock(1)');
	$session->query_until(qr/started/, "SET test.wait = 'last';\n\\echo started\nCALL sitemap_run('job');\n");
	$node->poll_query_until('postgres', "SELECT wait_event = 'advisory' FROM pg_stat_activity WHERE pid = $pid") or die 'it does not wait';
	$locker->query_safe('BEGIN; LOCK files');
	$holder->query_safe('SELECT pg_advisory_unlock(1)');
	$node->poll_query_until('postgres', "SELECT wait_event = 'relation' FROM pg_stat_activity WHERE pid = $pid") or die 'the export does not wait';
	if ($how eq 'kill -9')
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
	is($node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', section, finished > started, failures), ', ' ORDER BY section) FROM job}),
		'pages t 0, wait t 0', "$how in an export: the runs are committed");
	is(exported(), 'f', 'the directory has the old files');
	$node->safe_psql('postgres', q{UPDATE job SET every = '1 day'; CALL sitemap_run('job'); UPDATE job SET every = NULL});
	is(exported(), 't', 'until the next call');
}

# A directory that another session exports: no error, and the next call does it.
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
	$holder->query_safe('SELECT pg_advisory_unlock(1)');
	$session->query_safe('SELECT 1');
	$_->quit foreach $holder, $session;
	$node->safe_psql('postgres', q{CALL sitemap_run('job')});
	is($node->safe_psql('postgres', q{SELECT exported > finished - interval '1 hour' FROM job WHERE section = 'pages'}), 't', 'until the next call');
	is(exported(), 't', 'which exports');
	$node->safe_psql('postgres', 'DROP VIEW slow');
}

# A site that has no page yet has nothing to export, also after a failure.  One that lost
# its last page keeps the exported files, with an error.
{
	my $new = PostgreSQL::Test::Utils::tempdir() . '/new';
	my $status = q{SELECT concat_ws('|', files, exported IS NULL, failures, error) FROM job WHERE base_url = 'https://new.example/'};

	$node->safe_psql('postgres', qq{
		CREATE TABLE new_page (path text);
		INSERT INTO job (target, base_url, section, query, max_shrink, directory)
		VALUES ('files', 'https://new.example/', 'pages', 'SELECT path AS loc FROM public.new_page', 1, '$new');
		CALL sitemap_run('job')});
	is($node->safe_psql('postgres', "CALL sitemap_run('job'); $status"), '0|t|0', 'a site without pages: no error');
	$node->psql('postgres', "ALTER TABLE new_page RENAME TO hidden_page; CALL sitemap_run('job')");
	like($node->safe_psql('postgres', $status), qr/\|1\|relation "public\.new_page" does not exist/, 'its query fails');
	is($node->safe_psql('postgres', "ALTER TABLE hidden_page RENAME TO new_page; CALL sitemap_run('job'); $status"), '0|f|0', 'and no longer');
	is($node->safe_psql('postgres', "INSERT INTO new_page VALUES ('/1'); CALL sitemap_run('job'); $status"), '1|f|0', 'its first page');
	$node->psql('postgres', "DELETE FROM new_page; CALL sitemap_run('job')");
	like($node->safe_psql('postgres', $status), qr/^0\|t\|1\|the query has no rows/, 'its last page was deleted');
	ok(-f "$new/sitemap.xml", 'the exported files are still there');
	$node->psql('postgres', "CALL sitemap_run('job')");
	like($node->safe_psql('postgres', $status), qr/^0\|t\|2\|the query has no rows/, 'each call tries again');
	is($node->safe_psql('postgres', "INSERT INTO new_page VALUES ('/2'); CALL sitemap_run('job'); $status"), '1|f|0', 'until there is a page');
	$node->safe_psql('postgres', q{DELETE FROM job WHERE base_url = 'https://new.example/'; DELETE FROM files WHERE base_url = 'https://new.example/'});
}

# A job that always runs into a timeout starves no other: whoever waits longest comes first.
$node->safe_psql('postgres', q{
	DELETE FROM job WHERE section = 'wait';
	INSERT INTO job (target, base_url, section, query, index) VALUES
	  ('files', 'https://www.example.com/', 'a', 'SELECT ''/'' AS loc FROM pg_sleep(60)', 'never'),
	  ('files', 'https://www.example.com/', 'b', 'SELECT ''/'' AS loc', 'never')});
foreach (1 .. 2)
{
	$node->psql('postgres', q{SET statement_timeout = '2s'; CALL sitemap_run('job')}, stderr => \my $stderr);
	like($stderr, qr/canceling statement due to statement timeout/, 'a timeout');
}
is($node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', section, urls, failures, error), ', ' ORDER BY section) FROM job WHERE section < 'c'}),
	'a, b 1 0', 'is no failure, and the other job runs');
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

# Ten thousand jobs of which none is due; a hundred that are; room in the table.
$node->safe_psql('postgres', q{
	CREATE TABLE tenant OF sitemap_job (PRIMARY KEY (base_url, section)) WITH (fillfactor = 50);
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
like($stuck, qr/WARNING:  job of section "a" of .* failed: not this one.*ERROR:  1 job failed/s, 'an export that cannot be recorded');
is($node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', section, exported IS NOT NULL, error), ', ' ORDER BY section) FROM tenant}),
	'a f not this one, stuck t, z t', 'the other exports are');

# Not on a standby.
$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby);
$standby->psql('postgres', q{CALL sitemap_run('job')}, stderr => \my $standby_error);
like($standby_error, qr/cannot execute sitemap_run\(\) during recovery/, 'not on a standby');
$standby->stop;

# Who may call, and as whom a job runs.
$node->safe_psql(
	'postgres', q{
	CREATE ROLE app LOGIN; CREATE ROLE member LOGIN IN ROLE app; CREATE ROLE stranger LOGIN;
	GRANT TEMP ON DATABASE postgres TO app;
	CREATE SCHEMA app AUTHORIZATION app; GRANT USAGE ON SCHEMA app TO stranger, member;
	SET ROLE app;
	CREATE TABLE app.log (place text, who text, n int DEFAULT 1);
	CREATE TABLE app.files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE app.job OF sitemap_job (PRIMARY KEY (base_url, section));
	CREATE FUNCTION app.note() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
	  INSERT INTO app.log VALUES (TG_TABLE_NAME || ' ' || TG_NAME, current_user);
	  RETURN NEW;
	END
	$$;
	CREATE TRIGGER row BEFORE UPDATE ON app.job FOR EACH ROW EXECUTE FUNCTION app.note();
	CREATE TRIGGER row BEFORE INSERT OR UPDATE ON app.files FOR EACH ROW EXECUTE FUNCTION app.note();
	CREATE CONSTRAINT TRIGGER deferred AFTER INSERT OR UPDATE ON app.files DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.note();
	CREATE CONSTRAINT TRIGGER deferred AFTER UPDATE ON app.job DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.note();
	-- A statement that a job tries.
	CREATE FUNCTION app.try(statement text) RETURNS text VOLATILE LANGUAGE plpgsql AS $$
	BEGIN
	  EXECUTE statement;
	  RETURN '/';
	END
	$$;
	-- A cursor's code runs at the commit.
	CREATE FUNCTION app.who(place text) RETURNS text VOLATILE LANGUAGE plpgsql AS $$
	BEGIN
	  INSERT INTO app.log VALUES (place, current_user);
	  RETURN place;
	END
	$$;
	INSERT INTO app.job (target, base_url, section, query) VALUES ('app.files', 'https://www.example.com/', 'pages', 'SELECT ''/'' || current_user AS loc')});
foreach my $user ('postgres', 'member', 'app')
{
	my @as = $user eq 'postgres' ? () : (extra_params => [ '-U', $user ]);
	my $stderr;
	is($node->psql('postgres', q{CALL sitemap_run('app.job')}, @as, stderr => \$stderr), 0, "$user calls") or diag($stderr);
	is($node->safe_psql('postgres', q{SELECT string_agg(DISTINCT who, ' ') FROM app.log}), 'app', "$user calls, and all runs as the owner");
	is($node->safe_psql('postgres', q{SELECT count(DISTINCT place) FROM app.log}), 4, 'all triggers fired') if $user eq 'postgres';
	is($node->safe_psql('postgres', q{SELECT convert_from(content, 'UTF8') ~ 'example.com/app<' FROM sitemap_files($$SELECT '/app' AS loc$$, 'https://www.example.com/')}), 't', 'the query, too');
	$node->safe_psql('postgres', q{TRUNCATE app.log});
}
isnt($node->psql('postgres', q{CALL sitemap_run('app.job')}, extra_params => [ '-U', 'stranger' ], stderr => \my $stranger), 0, 'a stranger');
like($stranger, qr/must be owner of table job/, 'must be the owner');

# What a job tries in a superuser's session, to keep or gain rights.
# Later minor versions of PostgreSQL refuse a type themselves.
my $temporary = 'cannot create (?:temporary objects|a type in a temporary schema) within security-restricted operation';
$node->safe_psql('postgres', 'CREATE SEQUENCE secret');
my %refused = (
	'SET ROLE postgres' => 'cannot set parameter "role" within security-restricted operation',
	'RESET ROLE' => 'cannot set parameter "role" within security-restricted operation',
	'SET SESSION AUTHORIZATION postgres' => 'cannot set parameter "session_authorization" within security-restricted operation',
	'CREATE TEMP TABLE t (a int)' => 'cannot create temporary table within security-restricted operation',
	q{PREPARE p AS SELECT 1} => 'cannot execute PREPARE within security-restricted operation',
	q{LISTEN x} => 'cannot execute LISTEN within security-restricted operation',
	q{DECLARE c CURSOR WITH HOLD FOR SELECT app.who('cursor')} => 'cannot create a cursor WITH HOLD within security-restricted operation',
	q{SET CONSTRAINTS ALL DEFERRED; UPDATE app.job SET error = 'x'} => 'cannot fire deferred trigger within security-restricted operation',
	q{COPY app.log TO PROGRAM 'true'} => '(?:permission denied|must be superuser)',
	q{ALTER ROLE app SUPERUSER} => '(?:permission denied|must be superuser)',
	# What is left in pg_temp would capture names in the caller's later statements: a type's name is looked up there first.
	q{CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (app.who('domain') <> VALUE)} => $temporary,
	q{CREATE FUNCTION pg_temp.now() RETURNS text LANGUAGE sql AS 'SELECT app.who(''function'')'} => $temporary,
	q{CREATE FUNCTION pg_temp.f(int, int) RETURNS bool LANGUAGE sql AS 'SELECT true'; CREATE OPERATOR pg_temp.= (LEFTARG = int, RIGHTARG = int, FUNCTION = pg_temp.f)} => $temporary,
	q{CREATE TYPE pg_temp.name AS ENUM ('a')} => $temporary,
	q{CREATE COLLATION pg_temp."C" FROM "POSIX"} => $temporary,
	q{CREATE TEXT SEARCH CONFIGURATION pg_temp.english (COPY = pg_catalog.english)} => $temporary,
	q{CREATE VIEW pg_temp.pg_class AS SELECT 1} => 'cannot create temporary table within security-restricted operation',
	q{CREATE TYPE pg_temp.name AS (a int)} => 'cannot create temporary table within security-restricted operation',
	q{CREATE TABLE pg_temp.t (a int) ON COMMIT DELETE ROWS} => 'cannot create temporary table within security-restricted operation',
	q{DISCARD ALL} => 'DISCARD ALL cannot be executed from a function|cannot execute DISCARD within security-restricted operation',
	q{DISCARD TEMP} => 'cannot execute DISCARD within security-restricted operation',
	q{DEALLOCATE ALL} => 'cannot execute DEALLOCATE within security-restricted operation',
	q{CLOSE ALL} => 'cannot execute CLOSE within security-restricted operation',
	q{UNLISTEN *} => 'cannot execute UNLISTEN within security-restricted operation',
	q{SET session_preload_libraries = 'x'} => 'permission denied to set parameter "session_preload_libraries"',
	q{SET session_replication_role = replica} => 'permission denied to set parameter "session_replication_role"',
	q{CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION app.note()} => 'permission denied to create event trigger',
	q{SELECT nextval('secret')} => 'permission denied for sequence secret',
	q{COMMIT} => 'invalid transaction termination|EXECUTE of transaction commands is not implemented',
);
foreach my $statement (sort keys %refused)
{
	foreach my $column ('query', 'changes')
	{
		# a query is read-only, which is refused before
		next if $column eq 'query' && $statement =~ /^(?:CREATE|LISTEN|UNLISTEN|SET CONSTRAINTS|ALTER|DISCARD|COMMIT)/;
		my $quoted = $statement =~ s/'/''/gr;
		my %columns = (query => q{SELECT '/' AS loc, 1 AS key}, changes => 'SELECT 1');
		$columns{$column} = $column eq 'query' ? "SELECT app.try('$quoted') AS loc, 1 AS key" : "SELECT 1 FROM app.try('$quoted')";
		$node->safe_psql('postgres', "SET ROLE app; UPDATE app.job SET query = \$q\$$columns{query}\$q\$, changes = \$q\$$columns{changes}\$q\$, full_at = NULL, error = NULL");
		$node->psql('postgres', q{CALL sitemap_run('app.job'); }, stderr => \my $stderr);
		like($node->safe_psql('postgres', 'SELECT error FROM app.job'), qr/^$refused{$statement}/, "$column: $statement");
	}
}
is($node->safe_psql('postgres', q{SELECT count(*) FROM app.log WHERE who <> 'app'}), '0', 'nothing ran as the caller');

# Constraints that a job defers are immediate again when its run is recorded.
my $deferring;
$node->safe_psql('postgres', q{
	SET ROLE app;
	UPDATE app.job SET query = 'SELECT ''/'' AS loc, 1 AS key', changes = 'SELECT 1', full_at = NULL;
	CALL public.sitemap_run('app.job');
	-- this run writes no file: the first constraint to fire is that of app.job
	UPDATE app.job SET changes = 'SELECT 1 FROM app.try(''SET CONSTRAINTS ALL DEFERRED'')'});
is($node->psql('postgres', q{CALL sitemap_run('app.job')}, stderr => \$deferring), 0, 'a job that defers constraints') or diag($deferring);

# The same by a trigger that fires when the success is recorded: the job fails.  The caller's own temporary objects are no
# hindrance.
$node->safe_psql('postgres', q{
	SET ROLE app;
	UPDATE app.job SET query = 'SELECT ''/'' AS loc', changes = NULL, error = NULL, failures = 0;
	CREATE FUNCTION app.leave() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
	  CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (app.who('domain') <> VALUE);
	  RETURN NEW;
	END
	$$;
	CREATE TRIGGER leave BEFORE UPDATE ON app.job FOR EACH ROW WHEN (OLD.finished IS DISTINCT FROM NEW.finished) EXECUTE FUNCTION app.leave()});
$node->psql('postgres', q{
	CALL sitemap_run('app.job');
	SELECT 'x'::text}, stderr => \my $left);
like($left, qr/WARNING:  job of section "pages" of .* failed: $temporary/, 'a trigger of the table that leaves a type in pg_temp');
like($node->safe_psql('postgres', 'SELECT error, failures FROM app.job'), qr/^$temporary\|1$/, 'is recorded');
is($node->safe_psql('postgres', q{
	DROP TRIGGER leave ON app.job;
	CREATE DOMAIN pg_temp.mine AS int; CREATE TEMP TABLE pg_class (a int);
	CALL sitemap_run('app.job');
	SELECT failures FROM app.job}), '0', 'the temporary objects of the caller stay');

# A cursor of PL/Perl that is left open is read to its end at the commit: as the owner.
SKIP:
{
	skip 'PL/Perl is not here', 2
	  if $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'plperl'}) eq '0';
	$node->safe_psql('postgres', q{
		CREATE EXTENSION plperl;
		SET ROLE app;
		CREATE FUNCTION app.leave_open() RETURNS text LANGUAGE plperl AS $$ spi_query(q{SELECT app.who('pinned cursor')}); return '/'; $$;
		UPDATE app.job SET query = 'SELECT ''/'' AS loc, 1 AS key', changes = 'SELECT 1 FROM app.leave_open()', full_at = NULL;
		TRUNCATE app.log});
	$node->psql('postgres', q{CALL sitemap_run('app.job')}, stderr => \my $stderr);
	is($node->safe_psql('postgres', q{SELECT count(*) FROM app.log WHERE place = 'pinned cursor'}), '1', 'it is read');
	is($node->safe_psql('postgres', q{SELECT string_agg(DISTINCT who, ' ') FROM app.log}), 'app', 'as the owner') or diag($stderr);
}

# A loop of the caller over a cursor, which the first commit reads to its end: as the caller.
$node->safe_psql('postgres', q{SET ROLE app; UPDATE app.job SET query = 'SELECT ''/'' AS loc', changes = NULL});
is($node->safe_psql('postgres', q{
	CREATE TEMP TABLE who (who text, path text);
	DO $$
	DECLARE
	  r record;
	BEGIN
	  FOR r IN SELECT current_user AS who FROM generate_series(1, 60) LOOP
	    CALL public.sitemap_run('app.job');
	    INSERT INTO who VALUES (r.who, current_setting('search_path'));
	    EXIT WHEN (SELECT count(*) >= 3 FROM who);
	  END LOOP;
	END
	$$;
	SELECT who, path, count(*) FROM who GROUP BY 1, 2}), 'postgres|"$user", public|3', 'a cursor of the caller');

# Settings get their values back, whatever a job or a trigger of the table sets.
$node->safe_psql('postgres', q{
	SET ROLE app;
	UPDATE app.job SET query = 'SELECT ''/'' AS loc, 1 AS key', full_at = NULL,
	  changes = 'SELECT 1 FROM set_config(''search_path'', ''app'', false) a, set_config(''work_mem'', ''64kB'', false) b, set_config(''app.mine'', ''set'', false) c'});
is($node->safe_psql('postgres', q{
	CALL sitemap_run('app.job');
	SELECT current_user = session_user, current_setting('search_path'), current_setting('work_mem'), coalesce(current_setting('app.mine', true), ''),
	       (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors)}),
	't|"$user", public|4MB||0|0', 'settings after the call');

# A role of which the caller is no member any more, and row security that applies to the owner.
$node->safe_psql('postgres', q{REVOKE app FROM member; ALTER TABLE app.job ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY});
$node->psql('postgres', q{CALL sitemap_run('app.job')}, extra_params => [ '-U', 'member' ], stderr => \$stranger);
like($stranger, qr/must be owner of table job/, 'no member any more');
$node->psql('postgres', q{CALL sitemap_run('app.job')}, stderr => \$stranger);
like($stranger, qr/row security applies to the owner of the table of jobs "job"/, 'row security');

$node->stop;
done_testing();
