# sitemap_publish waits for a lock, or has written its section and not yet the index:
# cancelled, out of patience, killed.  Nothing is half done, and the next run works.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Node;
use Session;

my $node = start_node("autovacuum = off\nrestart_after_crash = on\n");

# A page of section "slow" waits where somebody holds lock 1; the index, once it is
# written, where somebody holds lock 2.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sitemap;
	CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE FUNCTION wait_for(lock int, loc text) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
	  PERFORM pg_catalog.pg_advisory_xact_lock_shared(lock);
	  RETURN loc;
	END
	$$;
	CREATE FUNCTION wait_in_index() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
	  PERFORM pg_catalog.pg_advisory_xact_lock_shared(2);
	  RETURN NULL;
	END
	$$;
	CREATE TABLE page AS SELECT n AS id, '/' || n AS loc FROM generate_series(1, 10) n});
sql($_) foreach publish('slow'), publish('fast');
sql(q{
	CREATE TRIGGER waits AFTER INSERT OR UPDATE ON target FOR EACH ROW WHEN (NEW.kind = 'index')
	EXECUTE FUNCTION wait_in_index()});

# Where a run waits, how to have it wait there, and what pg_stat_activity says of that.
my %wait = (
	'for the lock of its section' => {
		before => sub { start(session(), publish('slow', 'wait_for(1, loc)')) },
		lock => 1,
		section => 'slow',
	},
	'for the lock of its site' => {
		before => sub {
			my $session = session();

			$session->query_safe('BEGIN; ' . publish('fast', q{loc || '?changed'}));
			return $session;
		},
		section => 'slow',
	},
	'with its section written and the index not committed' => {
		before => sub { },
		lock => 2,
		section => 'slow',
	});

foreach my $where (sort keys %wait)
{
	foreach my $how ('cancel', 'timeout', 'kill')
	{
		my $name = "a run that waits $where, $how";
		my $case = $wait{$where};
		my $holder = $case->{lock} ? hold($case->{lock}) : undef;
		my $before = state();
		my $other = $case->{before}->();
		my $session = session();
		my $pid = $session->query_safe('SELECT pg_backend_pid()');

		wait_until_it_waits($other->{pid}) if ref $other && $case->{lock};
		$session->query_safe(q{SET lock_timeout = '200ms'}) if $how eq 'timeout';
		start($session, publish($case->{section}, q{loc || '?new'}));
		if ($how eq 'timeout')
		{
			like(errors($session), qr/ERROR:  55P03: canceling statement due to lock timeout.*in the target "public\.target"/s, "$name: 55P03");
		}
		elsif ($how eq 'cancel')
		{
			wait_until_it_waits($pid);
			sql("SELECT pg_cancel_backend($pid)");
			like(errors($session), qr/ERROR:  57014: canceling statement due to user request/, "$name: 57014");
		}
		else
		{
			wait_until_it_waits($pid);
			kill 'KILL', $pid;
			$session->{run}->finish;
			like($session->{stderr}, qr/server closed the connection|terminat/, "$name: the session is gone");
			Session::wait_for_restart($node, $pid);
		}
		if ($how eq 'kill')
		{
			$_->{run}->finish foreach grep { ref } $holder, $other;
		}
		else
		{
			is(sql("SELECT count(*) FROM pg_locks WHERE pid = $pid AND locktype <> 'virtualxid'"), 0, "$name: no lock is held");
			is(state(), $before, "$name: nothing has changed");
			finish($other) if ref $other;
			$holder->quit if $holder;
			$session->quit;
		}
		is(state(), $before, "$name: nothing has changed after all");
		sql(publish($case->{section}, q{loc || '?new'}));
		is(listed(), files(), "$name: the next run works, and the index lists its files");
		sql($_) foreach publish('slow'), publish('fast');
	}
}

# A target that is to go while the query runs stays until the run has ended.
my $holder = hold(1);
my $session = session();
start($session, publish('slow', 'wait_for(1, loc)'));
wait_until_it_waits($session->{pid});
my ($status, undef, $stderr) = $node->psql('postgres', q{SET lock_timeout = '10ms'; DROP TABLE target});
like($stderr, qr/ERROR:  canceling statement due to lock timeout/, 'nobody drops the target while the query runs');
$holder->quit;
is(errors($session), '', 'the run goes on');
$session->quit;

$node->stop;
done_testing();

sub publish
{
	my ($section, $loc) = @_;

	return sprintf(
		q{SELECT FROM sitemap_publish('target', $$SELECT %s AS loc FROM public.page ORDER BY id$$, 'http://a/',
		                              section => '%s', max_urls => 4, compression => 0);},
		$loc // 'loc', $section);
}

sub sql
{
	my ($statements) = @_;

	return $node->safe_psql('postgres', $statements);
}

# All rows there are, to the transaction that wrote them.
sub state
{
	return sql('SELECT name, ctid, xmin, md5(t::text) FROM target t ORDER BY name');
}

sub files
{
	return sql(q{SELECT string_agg(loc, ' ' ORDER BY loc COLLATE "C") FROM target WHERE kind <> 'index'});
}

sub listed
{
	return sql(
		q{SELECT string_agg(m[1], ' ' ORDER BY m[1] COLLATE "C")
		    FROM target, regexp_matches(convert_from(content, 'UTF8'), '<loc>(.*?)</loc>', 'g') m WHERE kind = 'index'});
}

sub session
{
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	$session->query_safe('\set VERBOSITY verbose');
	$session->{pid} = $session->query_safe('SELECT pg_backend_pid()');
	return $session;
}

sub hold
{
	my ($lock) = @_;
	my $session = session();

	$session->query_safe("SELECT pg_advisory_lock($lock)");
	return $session;
}

# Start a statement, and do not wait for its end.
sub start
{
	my ($session, $statement) = @_;

	$session->query_until(qr/started/, "\\echo started\n$statement\n");
	return $session;
}

# End a session in which something was started, and undo that.
sub finish
{
	my ($session) = @_;

	sql("SELECT pg_terminate_backend($session->{pid}, 60000)");
	$session->{run}->finish;
	return;
}

# The errors of what was started.
sub errors
{
	my ($session) = @_;

	$session->query('SELECT');
	my $errors = $session->{stderr};
	$session->{stderr} = '';
	return $errors;
}

sub wait_until_it_waits
{
	my ($pid) = @_;

	$node->poll_query_until('postgres',
		"SELECT count(*) = 1 FROM pg_stat_activity WHERE pid = $pid AND wait_event_type = 'Lock' AND wait_event = 'advisory'")
	  or die 'it does not wait';
	return;
}
