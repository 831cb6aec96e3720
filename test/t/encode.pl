# sitemap_encode against Python: a million random strings with random characters to keep,
# and some in databases of other encodings.
use utf8;
use FindBin;
use IPC::Run ();

use lib $FindBin::RealBin;
use Node;

plan skip_all => 'no python3' unless has_program('python3');

my $node = start_node();

# Lines of a string in hexadecimal, characters to keep, and the string percent-encoded.
# Characters are from ASCII, from the planes of Unicode, and from both, but all of the encoding.
my $random = q{
import random, sys, urllib.parse
encoding, count = sys.argv[1], int(sys.argv[2])
random.seed(20261122)
ranges = [(0x80, 0x24FF), (0x3000, 0x30FF), (0x4E00, 0x5FFF), (0xD700, 0xD7FF), (0xE000, 0xE0FF),
          (0xFE00, 0xFFFF), (0x1F600, 0x1F64F), (0x10FF00, 0x10FFFF)]
if encoding == 'euc_jp':
    ranges = [(0x3041, 0x3093), (0x30A1, 0x30F6), (0x4E00, 0x5FFF)]
reserved = ':/?#[]@!$&\\'()*+,;='
ascii = ''.join(chr(c) for c in range(1, 0x80))
others = ''.join(chr(c) for first, last in ranges for c in range(first, last + 1))
others = others.encode(encoding, 'ignore').decode(encoding)
texts = [''.join(random.choices(s, k=100000)) for s in (ascii, others, ascii + others[:200], 'abc-._~/?#%&+= ')]
for i in range(count):
    start = int(random.random() * 99900)
    text = texts[i % 4][start : start + int(random.random() ** 3 * 60)]
    keep = ''.join(random.sample(reserved, i % 8 * 2)) if i % 2 else ''
    wanted = text.replace('.', '%2E') if text in ('.', '..') else urllib.parse.quote(text, safe=keep)
    sys.stdout.write('\\t'.join([text.encode().hex(), keep, wanted]) + '\\n')
};

foreach ([ 'UTF8', 'utf-8', 1_000_000 ], [ 'LATIN1', 'latin-1', 20_000 ], [ 'EUC_JP', 'euc_jp', 20_000 ],
	[ 'SQL_ASCII', 'utf-8', 20_000 ])
{
	my ($encoding, $codec, $count) = @$_;
	my $database = lc $encoding;
	my $file = "$PostgreSQL::Test::Utils::tmp_check/$database";

	IPC::Run::run([ 'python3', '-c', $random, $codec, $count ], '>', $file) or die 'python3 failed';
	sql("CREATE DATABASE $database ENCODING '$encoding' LOCALE 'C' TEMPLATE template0");
	$node->safe_psql($database, q{CREATE EXTENSION sitemap; CREATE TABLE string (given text, keep text, wanted text)});
	$node->safe_psql($database, "\\copy string FROM '$file'");
	is( $node->safe_psql(
			$database, q{
			SELECT count(*), count(*) FILTER (WHERE sitemap_encode(convert_from(decode(given, 'hex'), 'UTF8'), keep) = wanted)
			  FROM string}),
		"$count|$count", "$encoding: $count strings");
}

# What is no text.
my ($status, $stdout, $stderr) = $node->psql('sql_ascii', qq{\\set VERBOSITY verbose\nSELECT sitemap_encode(E'a\\xFF')});
like($stderr, qr/ERROR:  22021: invalid segment: bytes that are not text in encoding "SQL_ASCII"/, 'SQL_ASCII: bytes that are not UTF-8');
($status, $stdout, $stderr) = $node->psql('euc_jp', q{SET client_encoding = 'EUC_JP'; SELECT sitemap_encode(E'\\x8f\\xfe\\xfe')});
like($stderr, qr/ERROR:  invalid segment: bytes that are not text in encoding "EUC_JP" or have no counterpart/, 'EUC_JP: a character that Unicode lacks');

$node->stop;
done_testing();
