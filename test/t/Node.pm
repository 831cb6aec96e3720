# What each test has: strict, warnings, Test::More and PostgreSQL::Test::Utils; servers, and
# SQL for the first of them; and what several tests look up or wait for.
package Node;

use strict;
use warnings;

use Exporter ();
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes ();
our @ISA = ('Exporter');
our @EXPORT = (
	qw(new_node start_node sql block runs has_program library memory_of wait_until),
	@PostgreSQL::Test::Utils::EXPORT, @Test::More::EXPORT);

my $first;

sub import
{
	my ($class, @names) = @_;

	strict->import;
	warnings->import;
	return $class->export_to_level(1, $class, @names);
}

# A server that is not started, with settings, lines of postgresql.conf.  Its databases are in
# UTF-8, and compare text by bytes.  options: install_path, and options of Cluster::init.
sub new_node
{
	my ($name, $settings, %options) = @_;
	my $extra = delete $options{extra} // [];
	my @installation = map { ($_ => delete $options{$_}) } grep { exists $options{$_} } 'install_path';
	my $node = PostgreSQL::Test::Cluster->new($name, @installation);

	$node->init(extra => [ '--encoding=UTF8', '--no-locale', @$extra ], %options);
	$node->append_conf('postgresql.conf', "jit = off\n" . ($settings // ''));
	$first //= $node;
	return $node;
}

sub start_node
{
	my ($settings, %options) = @_;
	my $node = new_node('main', $settings, %options);

	$node->start;
	return $node;
}

# What statements return in the first server, unless they fail.  options: those of safe_psql.
sub sql
{
	my ($statements, %options) = @_;

	return $first->safe_psql('postgres', $statements, %options);
}

# The first block of a document that is in a language and contains a text.
sub block
{
	my ($document, $language, $text) = @_;
	my ($block) = grep { /\Q$text\E/ } $document =~ /^```$language\n(.*?)^```$/msg;

	return $block // die "the document has no $language with $text";
}

# Does a command succeed?
sub runs
{
	my (@command) = @_;

	return eval { IPC::Run::run(\@command, '<', \undef, '>', \my $output, '2>&1') };
}

# Can a program be called?  Its path.
sub has_program
{
	my ($program) = @_;

	return (grep { -x } map { "$_/$program" } split /:/, $ENV{PATH})[0];
}

# A library for LD_PRELOAD, compiled from C; undef without a compiler.
sub library
{
	my ($source) = @_;
	my $path = PostgreSQL::Test::Utils::tempdir() . '/preload';

	return if $^O ne 'linux' || !runs('cc', '--version');
	append_to_file("$path.c", $source);
	runs('cc', '-shared', '-fPIC', '-o', "$path.so", "$path.c") or die "$path.c cannot be compiled";
	return "$path.so";
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

# Wait until a function returns something true.
sub wait_until
{
	my ($is_true, $what) = @_;
	my $end = time + $PostgreSQL::Test::Utils::timeout_default;

	until ($is_true->())
	{
		die "$what: timed out" if time > $end;
		Time::HiRes::sleep(0.01);
	}
	return;
}

1;
