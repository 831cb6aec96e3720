# The queue of changes is emptied if and only if the run commits, and no change is
# lost: kill -9, cancel, errors after it; writers beside a run after the other.
#
# LOAD_SECONDS=n is how long the writers write.
use FindBin;
use IPC::Run ();
use Time::HiRes qw(sleep);

use lib $FindBin::RealBin;
use Node;
use Session;

my $node = start_node("restart_after_crash = on\nmax_connections = 30\n");
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE page (id bigint PRIMARY KEY, path text NOT NULL);
	INSERT INTO page SELECT n * 10, '/page-' || n FROM generate_series(1, 20000) n;
	CREATE TABLE page_change (id bigint);
	CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));

	CREATE FUNCTION note_page() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
	  IF TG_OP <> 'INSERT' THEN
	    INSERT INTO page_change SELECT id FROM old_rows;
	  END IF;
	  IF TG_OP <> 'DELETE' THEN
	    INSERT INTO page_change SELECT id FROM new_rows;
	  END IF;
	  RETURN NULL;
	END
	$$;
	CREATE TRIGGER page_insert AFTER INSERT ON page REFERENCING NEW TABLE AS new_rows
	  FOR EACH STATEMENT EXECUTE FUNCTION note_page();
	CREATE TRIGGER page_update AFTER UPDATE ON page REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
	  FOR EACH STATEMENT EXECUTE FUNCTION note_page();
	CREATE TRIGGER page_delete AFTER DELETE ON page REFERENCING OLD TABLE AS old_rows
	  FOR EACH STATEMENT EXECUTE FUNCTION note_page();

	-- Where a run can wait: in its query, or when it writes.
	CREATE FUNCTION wait_at(place text) RETURNS bool VOLATILE LANGUAGE plpgsql AS $$
	BEGIN
	  IF current_setting('test.wait', true) = place THEN
	    PERFORM pg_advisory_xact_lock(1);
	  END IF;
	  RETURN true;
	END
	$$;
	CREATE FUNCTION wait_to_write() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
	  PERFORM wait_at('write');
	  RETURN NEW;
	END
	$$;
	CREATE TRIGGER wait BEFORE UPDATE ON target FOR EACH ROW WHEN (NEW.kind = 'index') EXECUTE FUNCTION wait_to_write();

	CREATE FUNCTION run(changes text DEFAULT 'DELETE FROM page_change RETURNING id', max_shrink float8 DEFAULT 0.5)
	RETURNS TABLE (name text, kind text, action text, url_count int, byte_count bigint) LANGUAGE sql AS $$
	  SELECT * FROM sitemap_publish('target', 'SELECT path AS loc, id AS key FROM page WHERE wait_at(''query'') ORDER BY id',
	                                'https://www.example.com/', max_urls => 500, max_shrink => max_shrink, changes => changes)
	$$;
	CREATE VIEW state AS
	SELECT (SELECT string_agg(md5(t::text), ' ' ORDER BY name) FROM target t) AS target,
	       (SELECT string_agg(id::text, ' ' ORDER BY id) FROM page_change) AS queue;
	SELECT count(*) FROM run(NULL)});

# Ends of a run that are none: the queue and the files stay.
foreach my $place ('query', 'write')
{
	foreach my $how ('kill -9', 'cancel', 'terminate')
	{
		# a new second, so that the index has something to write
		sql(q{
			UPDATE page SET path = path || '-x' WHERE id = 100000; DELETE FROM page WHERE id = 50000;
			UPDATE target SET lastmod = lastmod - interval '1 hour' WHERE kind <> 'index'});
		my $before = sql('TABLE state');
		my $holder = Session->start($node, 'postgres');
		$holder->query_safe('SELECT pg_advisory_lock(1)');
		my $session = Session->start($node, 'postgres', on_error_stop => 0);
		my $pid = $session->{pid};
		$session->query_safe("SET test.wait = '$place'");
		$session->begin('SELECT count(*) FROM run()')->wait_for_lock;

		if ($how eq 'kill -9')
		{
			kill 'KILL', $pid;
			Session::wait_for_restart($node, $pid);
			eval { $_->{run}->finish } foreach $holder, $session;
		}
		else
		{
			sql("SELECT pg_@{[ $how eq 'cancel' ? 'cancel' : 'terminate' ]}_backend($pid)");
			$node->poll_query_until('postgres', "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $pid AND state = 'active')");
			eval { $session->quit };
			$holder->quit;
		}
		is(sql('TABLE state'), $before, "$how where it waits to $place: nothing is changed, nothing is lost");
		is( sql(q{SELECT count(*) FILTER (WHERE action <> 'unchanged') > 0 FROM run() WHERE kind <> 'index'}),
			't', "$how where it waits to $place: the next run has it");
		is(sql(q{SELECT count(*) FROM run(NULL) WHERE action <> 'unchanged'}), '0', 'and a full run nothing more');
	}
}

# An error after the run, a refused shrink, an error of the query.
sql(q{DELETE FROM page WHERE id > 80000});
my $before = sql('TABLE state');
foreach my $statement (
	'SELECT run()',
	'BEGIN; SELECT count(*) FROM run(max_shrink => 1); SELECT 1 / 0; COMMIT',
	q{SELECT run(changes => 'DELETE FROM page_change RETURNING 1 / (id - 80010)')})
{
	isnt($node->psql('postgres', $statement, stderr => \my $stderr), 0, "it fails: $statement");
	is(sql('TABLE state'), $before, 'nothing is changed, nothing is lost');
}
sql(q{SELECT count(*) FROM run(max_shrink => 1)});
is(sql('SELECT queue IS NULL FROM state'), 't', 'the run that commits empties the queue');
is(sql(q{SELECT count(*) FROM run(NULL) WHERE action <> 'unchanged'}), '0', 'and leaves what a full run leaves');

# Writers whose transactions last, and one run after the other.
my $seconds = $ENV{LOAD_SECONDS} // 15;
my $script = PostgreSQL::Test::Utils::tempdir() . '/edit.sql';
append_to_file(
	$script, q{
\set at random(0, 100000)
\set wait random(0, 30)
\set what random(1, 3)
\set is_update :what = 1
\set is_insert :what = 2
BEGIN;
\if :is_update
UPDATE page SET path = '/changed-' || md5(random()::text) WHERE id = (SELECT id FROM page WHERE id >= :at ORDER BY id LIMIT 1);
\elif :is_insert
INSERT INTO page VALUES (:at, '/new-' || :at) ON CONFLICT DO NOTHING;
\else
DELETE FROM page WHERE id = (SELECT id FROM page WHERE id >= :at ORDER BY id LIMIT 1);
\endif
\sleep :wait ms
COMMIT;
});
my ($stdout, $stderr) = ('', '');
my $writers = IPC::Run::start(
	[ $node->installed_command('pgbench'), '-n', '-c', '8', '-T', $seconds, '-f', $script, '-h', $node->host, '-p', $node->port, 'postgres' ],
	'>', \$stdout, '2>', \$stderr);
my ($runs, $failed) = (0, 0);
while ($writers->pumpable)
{
	$runs++;
	$failed++ if $node->psql('postgres', 'SELECT count(*) FROM run(max_shrink => 1)', stderr => \my $error) != 0;
	note($error) if $error;
	$writers->pump_nb;
	sleep(0.2);
}
$writers->finish;
my ($edits) = $stdout =~ /transactions actually processed: (\d+)/ or diag($stderr);
note("$edits edits of 8 writers in $seconds s, $runs runs");
cmp_ok($edits, '>', 100, 'the writers wrote');
cmp_ok($runs, '>', $seconds / 4, 'beside runs');
is($failed, 0, 'of which none failed');
sql('SELECT count(*) FROM run(max_shrink => 1)');
is(sql(q{SELECT count(*) FROM run(NULL) WHERE action <> 'unchanged'}), '0',
	'and after a last run a full one finds nothing to change');

$node->stop;
done_testing();
