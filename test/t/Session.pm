# A session of psql, as the tests of PostgreSQL have them, with two differences.
# Results have no line end: some minor versions, such as 16.2, leave it on.  The
# timeout is for a query, not for the session.
package Session;

use strict;
use warnings;

use PostgreSQL::Test::BackgroundPsql;
our @ISA = ('PostgreSQL::Test::BackgroundPsql');

# Takes a node, and what its background_psql takes.
sub start
{
	my ($class, $node, @arguments) = @_;

	my $self = bless $node->background_psql(@arguments), $class;

	$self->set_query_timer_restart(1);
	return $self;
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

	$self->query("BEGIN; SET LOCAL statement_timeout = '${milliseconds}ms'; $query; ROLLBACK");
	my $errors = $self->{stderr};

	$self->{stderr} = '';
	return $errors;
}

1;
