# A session of psql, as the tests of PostgreSQL have them, whose results have no line
# end: some minor versions, such as 16.2, leave it on.
package Session;

use strict;
use warnings;

use PostgreSQL::Test::BackgroundPsql;
our @ISA = ('PostgreSQL::Test::BackgroundPsql');

# Takes a node, and what its background_psql takes.
sub start
{
	my ($class, $node, @arguments) = @_;

	return bless $node->background_psql(@arguments), $class;
}

sub query
{
	my ($self, @arguments) = @_;
	my ($output, $status) = $self->SUPER::query(@arguments);

	$output =~ s/\r?\n\z//;
	return wantarray ? ($output, $status) : $output;
}

1;
