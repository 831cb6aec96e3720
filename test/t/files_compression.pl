# A library that cannot compress.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $broken = broken_libraries();
plan skip_all => 'no C compiler, or no LD_PRELOAD here' unless $broken;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->append_conf('postgresql.conf', "fsync = off\n");
{
	local $ENV{LD_PRELOAD} = $broken;
	$node->start;
}

# An error, and no file without content.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sitemap;
	CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name))});
foreach my $function ('sitemap_files(', q{sitemap_publish('target', })
{
	my ($status, $stdout, $stderr) = $node->psql('postgres', qq{
		\\set VERBOSITY verbose
		SELECT count(*) FROM ${function}'SELECT ''/'' || n AS loc FROM generate_series(1, 20000) n', 'http://a/', compression => 6)});
	like($stderr, qr/^psql:.*ERROR:  XX000: could not compress a document$/m, "$function...): a library that fails");
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM target'), 0, 'nothing is published');

$node->stop;
done_testing();

# A library to preload whose functions for compression fail.
sub broken_libraries
{
	my $source = "$PostgreSQL::Test::Utils::tmp_check/broken.c";
	my $library = $source =~ s/c$/so/r;

	append_to_file($source, q{
		#include <stddef.h>
		size_t libdeflate_gzip_compress(void *c, const void *in, size_t n, void *out, size_t room) { return 0; }
		int deflate(void *stream, int flush) { return -2; }
	});
	return $^O eq 'linux' && system("cc -shared -fPIC -o '$library' '$source'") == 0 ? $library : undef;
}
