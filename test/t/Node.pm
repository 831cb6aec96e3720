# A server for a test, and what several tests look up.
package Node;

use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Cluster;
our @EXPORT = qw(start_node block has_program memory_of);

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

# The first block of a document that is in a language and contains a text.
sub block
{
	my ($document, $language, $text) = @_;
	my ($block) = grep { /\Q$text\E/ } $document =~ /^```$language\n(.*?)^```$/msg;

	return $block // die "the document has no $language with $text";
}

# Can a program be called?
sub has_program
{
	my ($program) = @_;

	return grep { -x "$_/$program" } split /:/, $ENV{PATH};
}

# A line of a process's status, in kB; undef where there is no /proc.
sub memory_of
{
	my ($pid, $line) = @_;

	open(my $status, '<', "/proc/$pid/status") or return;
	my ($kilobytes) = join('', <$status>) =~ /^$line:\s+(\d+)/m;
	close $status;
	return $kilobytes;
}

1;
