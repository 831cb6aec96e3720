# Documents on their way out: through psql byte for byte, and gzipped.
use strict;
use warnings;

use IO::Uncompress::Gunzip qw(gunzip $GunzipError);
use MIME::Base64 qw(decode_base64);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION sitemap;
	CREATE TABLE page AS SELECT n AS id, E'http://www.example.com/\\\\back\\\\N\\tslash\n\u00FC' || n AS loc, sitemap_image('http://i/', E'tab \t, \\\\N, line\r\nfeed, \\\\., "quoted", \U0001F600 ' || n) AS image FROM generate_series(1, 1000) n;
	CREATE VIEW document AS SELECT sitemap_agg(sitemap_url(loc, extensions => ARRAY[image]) ORDER BY id) AS document FROM page;
	CREATE TABLE large AS SELECT '/' || n || '/' || md5(n::text) AS loc, timestamptz '2026-01-01 00:00+00' + n * interval '1 minute' AS lastmod FROM generate_series(1, 50001) n});

# a document without a detour through text
my $document = decode_base64($node->safe_psql('postgres', q{SELECT encode(convert_to(document, 'UTF8'), 'base64') FROM document}));
like($document, qr{^<\?xml version="1\.0" encoding="UTF-8"\?><urlset .*</urlset>$}, 'there is a document');
unlike($document, qr/[\n\r\t\\]/, 'on one line');
my $text = decode_base64($node->safe_psql('postgres', q{SELECT encode(convert_to(sitemap_text_agg(loc ORDER BY id), 'UTF8'), 'base64') FROM page}));

# The files and the standard output of psql, as bytes.
my $dir = PostgreSQL::Test::Utils::tempdir;
my @psql = ('psql', '-X', '-q', '-d', $node->connstr('postgres'));
sub bytes
{
	my ($file) = @_;
	open my $handle, '<:raw', $file or die "$file: $!";
	local $/;
	return scalar <$handle>;
}

for my $encoding (qw(UTF8 SQL_ASCII))
{
	local $ENV{PGCLIENTENCODING} = $encoding;
	system_or_bail(@psql, '-c', "\\copy (SELECT document FROM document) TO '$dir/copy.xml'");
	ok(bytes("$dir/copy.xml") eq "$document\n", "$encoding: \\copy writes the document and a line feed");

	system_or_bail(@psql, '-At', '-o', "$dir/at.xml", '-c', 'SELECT document FROM document');
	ok(bytes("$dir/at.xml") eq "$document\n", "$encoding: so does psql -At");

	system_or_bail(@psql, '-At', '-o', "$dir/at.txt", '-c', 'SELECT sitemap_text_agg(loc ORDER BY id) FROM page');
	ok(bytes("$dir/at.txt") eq "$text\n", "$encoding: a text sitemap");

	system_or_bail(@psql, '-c', "\\copy (SELECT convert_from(content, 'UTF8') FROM sitemap_files('SELECT loc, image AS extensions FROM public.page ORDER BY id', 'http://www.example.com/', max_urls => 400)) TO '$dir/files'");
	my @files = split /\n/, bytes("$dir/files");
	is(scalar @files, 4, "$encoding: a file on each line");
	is(() = join('', @files[0 .. 2]) =~ /<url>/g, 1000, "$encoding: with all entries");
}

# other encodings of the client change what is not ASCII, or fail; references do not
$node->safe_psql('postgres', "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
$node->safe_psql('latin', 'CREATE EXTENSION sitemap');
system_or_bail('psql', '-X', '-q', '-At', '-d', $node->connstr('latin'), '-o', "$dir/latin.xml", '-c', q{SELECT sitemap_agg(sitemap_url('http://a/', extensions => ARRAY[sitemap_image('http://i', chr(252))]))});
like(bytes("$dir/latin.xml"), qr{<image:caption>&#xFC;</image:caption></image:image></url></urlset>\n$}, 'a document from a LATIN1 database is ASCII');

# gzip: each level holds the bytes of the uncompressed call
for my $format (qw(xml txt))
{
	my $statement = "SELECT name, url_count, byte_count, digest, translate(encode(content, 'base64'), E'\\n', '') FROM sitemap_files('SELECT loc, lastmod FROM public.large', 'http://www.example.com/', format => '$format', max_urls => 49999, compression => %d)";
	my @plain = map { [ split /\|/ ] } split /\n/, $node->safe_psql('postgres', sprintf($statement, 0));
	is(scalar @plain, 3, "$format: two files and their index");
	my %size;
	for my $level (1, 6, 9)
	{
		my @gzipped = map { [ split /\|/ ] } split /\n/, $node->safe_psql('postgres', sprintf($statement, $level));
		is_deeply([ map { "$_->[0] $_->[1]" } @gzipped ], [ map { "$_->[0].gz $_->[1]" } @plain ], "$format, level $level: names and counts");
		is_deeply([ map { "$_->[2] $_->[3]" } @gzipped[0, 1] ], [ map { "$_->[2] $_->[3]" } @plain[0, 1] ], "$format, level $level: bytes and digest are of the plain document");
		for my $i (0 .. $#plain)
		{
			my $content = decode_base64($gzipped[$i][4]);
			my $plain = decode_base64($plain[$i][4]);
			my ($unzipped, $rest);
			ok(gunzip(\$content, \$unzipped, TrailingData => $rest), "$format, level $level: $gzipped[$i][0] is gzip");
			is(length $unzipped, $gzipped[$i][2], "$format, level $level: of byte_count bytes");
			# an index names other files
			$unzipped =~ s/\.gz(?=<)//g if $i == $#plain;
			ok($unzipped eq $plain && ($rest // '') eq '', "$format, level $level: with the same content");
			like(unpack('H20', $content), qr/^1f8b080000000000/, "$format, level $level: no name, no time");
			$size{$level} += length $content;
		}
	}
	cmp_ok($size{9}, '<=', $size{6}, "$format: level 9 is not larger than 6");
	cmp_ok($size{6}, '<', $size{1}, "$format: level 6 is smaller than 1");
}

$node->stop;
done_testing();
