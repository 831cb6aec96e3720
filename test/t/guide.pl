# What doc/guide.md shows and documentation.pl does not run: indexes for keys of other types, and
# the lines for cron that post the changed URLs.
use strict;
use warnings;

use FindBin;
use IPC::Run ();
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Node;

my $tree = "$FindBin::RealBin/../..";
my $guide = slurp_file("$tree/doc/guide.md");
my $node = start_node();
$node->safe_psql('postgres', 'CREATE EXTENSION sitemap');
test_keys();
test_cron();
$node->stop;
done_testing();

# The guide's block in that language that has this text.
sub block
{
	my ($language, $text) = @_;
	my ($block) = grep { /\Q$text\E/ } $guide =~ /^```$language\n(.*?)^```$/msg;

	return $block // die "the guide has no $language with $text";
}

# With the index on the expression that the key is, a run with changes reads its range.
sub test_keys
{
	my $indexes = block('pgsql', 'CREATE INDEX ON invoice');

	$node->safe_psql(
		'postgres', q{
		CREATE TABLE product AS SELECT 'tea-' || n AS slug FROM generate_series(1, 20000) n;
		CREATE TABLE invoice AS SELECT n::numeric AS id FROM generate_series(1, 20000) n;
		CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name))} . ";$indexes; ANALYZE");
	foreach my $case ([ 'product', 'slug COLLATE "C"', q{SELECT 'tea-777'} ], [ 'invoice', 'id::bigint', 'SELECT 777::bigint' ])
	{
		my ($table, $key, $changes) = @$case;
		my $publish = "SELECT count(*) FROM sitemap_publish('site_files', 'SELECT (${key})::text AS loc, $key AS key FROM public.$table ORDER BY $key', 'https://www.example.com/', section => '$table', max_urls => 1000";

		like($indexes, qr/^-- SELECT … \Q$key\E AS key … ORDER BY \Q$key\E$/m, "the guide has the key $key");
		$node->safe_psql('postgres', "$publish)");
		my $scans = "SELECT seq_scan, idx_scan FROM pg_stat_user_tables WHERE relname = '$table'";
		my ($before) = split /\|/, $node->safe_psql('postgres', $scans);
		my (undef, undef, $notice) = $node->psql('postgres', "$publish, changes => \$\$$changes\$\$)");
		my ($after, $index) = split /\|/, $node->safe_psql('postgres', $scans);

		is($notice, '', "$key: a run with changes says nothing");
		is($after, $before, "$key: it does not read the table");
		cmp_ok($index, '>', 0, "$key: but the index");
	}
	return;
}

# The commands of the cron lines, with an empty feed: they take their options, and end.
sub test_cron
{
	my ($python) = grep { eval { IPC::Run::run([ $_, '-c', 'import psycopg' ], '>', \my $output, '2>&1') } } 'python3', '/usr/bin/python3';

  SKIP:
	{
		skip 'psycopg is not here', 4 unless $python;
		local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port);

		$node->safe_psql('postgres', "CREATE TABLE $_ OF sitemap_change") foreach 'site_changes', 'site_purges';
		foreach my $name ('indexnow', 'purge')
		{
			my $lines = block('ini', "$name.py");
			my ($variable, $value) = $lines =~ /^(\w+)='?(.*?)'?$/m;
			my ($command) = $lines =~ m{^\*/10 \* \* \* \* announcer (/usr/local/lib/sitemap/.*)$}m;
			local $ENV{$variable} = $value;

			$command = $command =~ s{/usr/local/lib/sitemap}{$python $tree}r =~ s/dbname=shop/dbname=postgres/r;
			is(IPC::Run::run([ 'sh', '-c', $command ], '<', \undef, '>', \my $output, '2>&1'), 1, $command);
			is($output, '', 'without a word');
		}
	}
	return;
}
