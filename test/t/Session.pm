# A session of psql, as the tests of PostgreSQL have them, with two differences.
# Results have no line end: some minor versions, such as 16.2, leave it on.  The
# timeout is for a query, not for the session.  {pid} is its backend.
package Session;

use IPC::Run ();
use PostgreSQL::Test::BackgroundPsql;

use Node;
our @ISA = ('PostgreSQL::Test::BackgroundPsql');

# Takes a node, and what its background_psql takes.
sub start
{
	my ($class, $node, @arguments) = @_;

	my $self = bless $node->background_psql(@arguments), $class;

	$self->set_query_timer_restart(1);
	$self->{node} = $node;
	$self->{pid} = $self->query_safe('SELECT pg_backend_pid()');
	return $self;
}

# A session with an advisory lock that others wait for.
sub hold
{
	my ($class, $node, $lock) = @_;
	my $self = $class->start($node, 'postgres');

	$self->query_safe("SELECT pg_advisory_lock($lock)");
	return $self;
}

# Begin statements, and do not wait for their end.
sub begin
{
	my ($self, $statements) = @_;

	$self->query_until(qr/started/, "\\echo started\n$statements;\n");
	return $self;
}

# Wait until it waits for a lock.  $observer: a session to look by, if not a new one.
sub wait_for_lock
{
	my ($self, $observer) = @_;
	my $waits = "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $self->{pid} AND NOT granted)";

	return wait_until(
		sub { ($observer ? $observer->query_safe($waits) : $self->{node}->safe_psql('postgres', $waits)) eq 't' },
		'a lock is waited for');
}

# The errors of a statement, and of what was begun before.
sub errors
{
	my ($self, $statement) = @_;

	$self->query($statement // 'SELECT');
	my $errors = $self->{stderr};

	$self->{stderr} = '';
	return $errors =~ s/^psql:.*?: (?=[A-Z])//gmr;
}

sub query
{
	my ($self, @arguments) = @_;
	my ($output, $status) = $self->SUPER::query(@arguments);

	$output =~ s/\r?\n\z//;
	return wantarray ? ($output, $status) : $output;
}

# A query with a statement_timeout that holds for no other, however slow the machine
# is; in a transaction that is rolled back.  Returns the errors.
sub query_within
{
	my ($self, $milliseconds, $query) = @_;

	return $self->errors("BEGIN; SET LOCAL statement_timeout = '${milliseconds}ms'; $query; ROLLBACK");
}

# Wait for the end of a session that was killed, or has come to its last statement: its errors.
sub finish
{
	my ($self) = @_;

	$self->{run}->finish;
	return $self->{stderr};
}

# Wait until a node has noticed that a backend was killed, and is up again.  Until then
# the backend is still listed, or psql fails, at worst before it would read a query from
# its input: poll_query_until would die of the closed pipe.
sub wait_for_restart
{
	my ($node, $pid) = @_;
	my @query = ('-c', "SELECT count(*) FROM pg_stat_activity WHERE pid = $pid");
	my $output = '';

	return wait_until(
		sub {
			IPC::Run::run([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), @query ],
				'<', \undef, '>', \$output, '2>', \my $errors);
			return $output eq "0\n";
		},
		'restart');
}

1;
