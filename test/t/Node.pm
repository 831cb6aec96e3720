# A server for a test.
package Node;

use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Cluster;
our @EXPORT = ('start_node');

# Start a server with settings, lines of postgresql.conf.  Its databases are in UTF-8, and
# compare text by bytes.  init: further options of Cluster::init.
sub start_node
{
	my ($settings, %init) = @_;
	my $node = PostgreSQL::Test::Cluster->new('main');

	$node->init(extra => [ '--encoding=UTF8', '--no-locale' ], %init);
	$node->append_conf('postgresql.conf', "jit = off\n" . ($settings // ''));
	$node->start;
	return $node;
}

1;
