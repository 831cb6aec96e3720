# Documents on their way out: through psql byte for byte, and gzipped.
use FindBin;
use IO::Uncompress::Gunzip qw(gunzip);
use MIME::Base64 qw(decode_base64);

use lib $FindBin::RealBin;
use Node;

my $node = start_node();

# What COPY and psql would escape, or a script misread: tabs, line feeds, backslashes, \N, \.
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE page AS
	SELECT n AS id,
	       E'http://www.example.com/\\\\back\\\\N\\tslash\n\u00FC' || n AS loc,
	       sitemap_image('http://i/',
	                     E'tab \t, \\\\N, line\r\nfeed, \\\\., "quoted", \U0001F600 ' || n) AS image
	  FROM generate_series(1, 1000) n;
	CREATE VIEW document AS
	SELECT sitemap_agg(sitemap_url(loc, extensions => ARRAY[image]) ORDER BY id) AS document
	  FROM page;
	CREATE VIEW text_document AS
	SELECT sitemap_text_agg(loc ORDER BY id) AS document FROM page});

# The documents without a detour through text.
my $document = document('document');
like($document, qr{^<\?xml version="1\.0" encoding="UTF-8"\?><urlset .*</urlset>$}, 'a document');
unlike($document, qr/[\n\r\t\\]/, 'on one line');
my $text_document = document('text_document');

my $dir = PostgreSQL::Test::Utils::tempdir();
foreach my $encoding (qw(UTF8 SQL_ASCII))
{
	local $ENV{PGCLIENTENCODING} = $encoding;

	psql('-c', "\\copy (SELECT document FROM document) TO '$dir/copy.xml'");
	ok(bytes('copy.xml') eq "$document\n", "$encoding: \\copy writes the document and a line feed");

	psql('-At', '-o', "$dir/at.xml", '-c', 'SELECT document FROM document');
	ok(bytes('at.xml') eq "$document\n", "$encoding: so does psql -At");

	psql('-At', '-o', "$dir/at.txt", '-c', 'SELECT document FROM text_document');
	ok(bytes('at.txt') eq "$text_document\n", "$encoding: a text sitemap");

	psql('-c',
		    "\\copy (SELECT convert_from(content, 'UTF8')"
		  . " FROM sitemap_files('SELECT loc, image AS extensions FROM public.page ORDER BY id',"
		  . " 'http://www.example.com/', max_urls => 400)) TO '$dir/files'");
	my @files = split /\n/, bytes('files');
	is(scalar @files, 4, "$encoding: a file on each line");
	is(() = join('', @files[ 0 .. 2 ]) =~ /<url>/g, 1000, "$encoding: with all entries");
}

# A client in another encoding gets other bytes, or an error; references stay what they are.
sql("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
$node->safe_psql('latin', 'CREATE EXTENSION sitemap');
psql('-d', $node->connstr('latin'), '-At', '-o', "$dir/latin.xml", '-c',
	q{SELECT sitemap_agg(sitemap_url('http://a/', extensions => ARRAY[sitemap_image('http://i', chr(252))]))});
like(
	bytes('latin.xml'),
	qr{<image:caption>&#xFC;</image:caption></image:image></url></urlset>\n$},
	'a document from a LATIN1 database is ASCII');

# gzip: each level has the bytes of the uncompressed call in it.
sql(q{
	CREATE TABLE large AS
	SELECT '/' || n || '/' || md5(n::text) AS loc,
	       timestamptz '2026-01-01 00:00+00' + n * interval '1 minute' AS lastmod
	  FROM generate_series(1, 50001) n});
foreach my $format (qw(xml txt))
{
	my @plain = files($format, 0);
	my %size;

	is(scalar @plain, 3, "$format: two files and their index");
	foreach my $level (1, 6, 9)
	{
		my $test = "$format, level $level";
		my @gzipped = files($format, $level);

		foreach my $i (0, 1)
		{
			my ($content, $name) = ($gzipped[$i]{content}, $gzipped[$i]{name});
			my ($unzipped, $rest);

			ok(gunzip(\$content, \$unzipped, TrailingData => $rest), "$test: $name is gzip");
			is(length $unzipped, $gzipped[$i]{byte_count}, "$test: of byte_count bytes");
			ok($unzipped eq $plain[$i]{content} && ($rest // '') eq '', "$test: with the same content");
			like(unpack('H20', $content), qr/^1f8b080000000000/, "$test: no name, no time");
			$size{$level} += length $content;
		}
		is($gzipped[2]{content} =~ s/\.gz(?=<)//gr, $plain[2]{content}, "$test: the index is not gzipped");
	}
	cmp_ok($size{9}, '<=', $size{6}, "$format: level 9 is not larger than 6");
	cmp_ok($size{6}, '<', $size{1}, "$format: level 6 is smaller than 1");
}

$node->stop;
done_testing();

# The bytes of a view's document.
sub document
{
	my ($view) = @_;

	return decode_base64(
		sql("SELECT encode(convert_to(document, 'UTF8'), 'base64') FROM $view"));
}

sub psql
{
	my @arguments = @_;

	system_or_bail('psql', '-X', '-q', '-d', $node->connstr('postgres'), @arguments);
	return;
}

# The bytes of a file that psql wrote.
sub bytes
{
	my ($name) = @_;

	return slurp_file("$dir/$name");
}

# The files of the table at a compression level, each as a hash of its columns.
sub files
{
	my ($format, $level) = @_;
	my @names = qw(name byte_count content);
	my @files;
	my $rows = sql(qq{
		SELECT name, byte_count, translate(encode(content, 'base64'), E'\\n', '')
		  FROM sitemap_files('SELECT loc, lastmod FROM public.large', 'http://www.example.com/',
		                     format => '$format', max_urls => 49999, compression => $level)});

	foreach (split /\n/, $rows)
	{
		my %file;

		@file{@names} = split /\|/;
		$file{content} = decode_base64($file{content});
		push @files, \%file;
	}
	return @files;
}
