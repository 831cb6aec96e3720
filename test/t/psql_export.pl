# The guide's command that exports a published set from a client: every byte, and
# flat memory, with 5 million URLs.
use strict;
use warnings;

use Digest::MD5;
use FindBin;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# What the set has in URLs, and what each process of the client may take, in kB.
my $urls = 5_000_000;
my $memory = 200_000;

foreach my $program (qw(awk base64 bash))
{
	plan skip_all => "there is no $program here"
	  unless grep { -x "$_/$program" } split /:/, $ENV{PATH};
}

my ($command) = slurp_file("$FindBin::RealBin/../../doc/guide.md") =~ /^(set -o pipefail\npsql -c "COPY.*?)^ls\n```$/ms;
like($command, qr/^psql .*\|\n\tawk /ms, 'the guide has the command');

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->append_conf('postgresql.conf', "fsync = off\nmax_wal_size = 4GB\n");
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sitemap;
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (name));
	ALTER TABLE site_files ALTER COLUMN content SET STORAGE EXTERNAL});

local $ENV{PGHOST} = $node->host;
local $ENV{PGPORT} = $node->port;
local $ENV{PGDATABASE} = 'postgres';

foreach my $case ('gzipped', 'plain', 'text')
{
	my $compression = $case eq 'gzipped' ? 6 : 0;
	my $format = $case eq 'text' ? 'txt' : 'xml';
	my $folder = PostgreSQL::Test::Utils::tempdir();
	my ($count, $bytes) = split /\|/,
	  $node->safe_psql(
		'postgres', qq{
		TRUNCATE site_files;
		SELECT count(*) FROM sitemap_publish('site_files',
		  'SELECT ''/category/item-'' || n || ''?x=1&y=2'' AS loc FROM (SELECT generate_series(1, $urls) AS n) s',
		  'https://www.example.com/', compression => $compression, format => '$format');
		SELECT count(*), sum(byte_count) FROM site_files}) =~ s/.*\n//r;

	ok(IPC::Run::run(['bash'],
			'<', \"ulimit -v $memory\n$command",
			init => sub { chdir $folder or die "chdir $folder: $!" }),
		"$case: a set of $count files and $bytes bytes, with $memory kB");
	cmp_ok($bytes, '>', $memory * 1024, "$case: which is more than the client may take");

	my $expected = $node->safe_psql('postgres',
		q{SELECT string_agg(name || ' ' || md5(content), E'\n' ORDER BY name COLLATE "C") FROM site_files});
	my @names = sort { $a cmp $b } map { s{.*/}{}r } glob("$folder/* $folder/.*[!.]*");
	is(join("\n", map { "$_ " . md5("$folder/$_") } @names), $expected, "$case: byte for byte, and nothing else");
}

$node->stop;
done_testing();

sub md5
{
	my ($path) = @_;

	open(my $file, '<:raw', $path) or die "$path: $!";
	return Digest::MD5->new->addfile($file)->hexdigest;
}
