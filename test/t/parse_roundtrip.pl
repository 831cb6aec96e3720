# Random pages, made into files in every way that there is, and read back by
# sitemap_parse, whose rows give the same files again.
use utf8;
use Encode qw(encode decode encode_utf8 decode_utf8);
use FindBin;
use JSON::PP ();

use lib $FindBin::RealBin;
use Node;

my $node = start_node();
sql('CREATE EXTENSION sitemap');

# Without the server's libxml there is no ready-made XML.
my $has_libxml = $node->psql('postgres', q{SELECT '<a/>'::xml}) == 0;

# The same pages each time, unless SEED is set.
my $seed = $ENV{SEED} || 20261121;
srand($seed);
note("seed $seed");

# What texts are made of: awkward anywhere, and what an encoding has besides.
my @ascii = (
	(map { chr } 0x20 .. 0x7E), "\t", "\n", "\r", "\r\n", "\\", "\x01", "\x1F", "\x7F",
	'<', '>', '&', '"', "'", ']]>', '<![CDATA[', '&amp;', '&#10;', '<!--', '?>', '\\n', '  ', '%', '%41');
my %characters = (
	UTF8 => [
		"\xA0", "\x85", 'é', 'ß', 'İ', "e\x{301}", '日', '😀', "\x{10FFFD}", "\x{2028}", "\x{200F}", "\x{FEFF}",
		"\x{FFFE}", "\x{FFFD}", "\x{E000}" ],
	LATIN1 => [ "\xA0", "\x85", 'é', 'ß', 'ÿ' ],
	EUC_JP => [ '日', '本', '語', '§', 'ｶ' ],
	SQL_ASCII => [ "\xA0", 'é', '日', '😀' ],);
my @characters;

# Ways to make files: how each is written, and what goes into which.
my @ways = (
	[ 'compression => 0', q{index => 'auto'} ],
	[ 'compression => 6', q{max_urls => 40, index => 'always'} ],
	[ q{format => 'txt'}, 'max_urls => 40' ],
	[ q{format => 'txt', compression => 1}, q{index => 'auto'} ],
	[ q{stylesheet => 'a & b.css', compression => 9}, q{max_urls => 60, split => 'stable'} ],
	[ q{protocol => '0.84', on_invalid => 'skip'}, q{index => 'always'} ],
	[ q{protocol => '0.84', on_invalid => 'skip', compression => 3}, 'max_bytes => 10000' ],);

foreach my $encoding (sort keys %characters)
{
	@characters = (@ascii, (@{ $characters{$encoding} }) x 8);
	check($encoding, map { page($_) } 1 .. 150);
}

$node->stop;
done_testing();

# Make these pages into files in a database of that encoding, and read them back.
sub check
{
	my ($encoding, @pages) = @_;
	my $database = lc $encoding;

	sql("CREATE DATABASE $database ENCODING '$encoding' LOCALE 'C' TEMPLATE template0");
	run($database, 'CREATE EXTENSION sitemap; SET client_min_messages = error;' . setup());
	run($database, sprintf('INSERT INTO given (page) VALUES %s',
			join(', ', map { '(' . quote(JSON::PP->new->canonical->encode($_)) . ')' } @pages)));
	is( run($database, 'SELECT count(*) FROM page'),
		scalar(@pages),
		"$encoding: pages, with " . run($database, 'SELECT sum(cardinality(extensions)) FROM page') . ' extensions');

	for my $i (0 .. $#ways)
	{
		my ($form, $set) = @{ $ways[$i] };

		run($database, qq{
			INSERT INTO file
			SELECT '$i ' || name, kind, content
			  FROM sitemap_files('TABLE page', 'http://www.example.com/', $form, $set)});
		cmp_ok(run($database, "SELECT sum(n) FROM file, entries(content) n WHERE kind <> 'index' AND name LIKE '$i %'"),
			'==', scalar(@pages), "$encoding: $form, $set");
		is( run($database, qq{
				SELECT f.name
				  FROM file f,
				       sitemap_files(format('SELECT p.* FROM file, sitemap_parse(content) p WHERE name = %L', f.name),
				                     'http://www.example.com/', $form) g
				 WHERE f.name LIKE '$i %' AND f.kind <> 'index' AND f.content <> g.content}),
			'', "$encoding: they give the same files again");
	}

	# A document of type text says the same.
	is( run($database, q{
			SELECT text_rows(sitemap_agg(sitemap_url('http://www.example.com' || loc, lastmod, changefreq,
			                                         priority, extensions)))
			       = (SELECT bytea_rows(content) FROM file WHERE name = '0 sitemap.xml')
			  FROM page}),
		't', "$encoding: so does a document of type text");

	# The same in another encoding, with references to characters that it lacks.
	my $document = decode_utf8(
		pack('H*', run($database, q{SELECT encode(content, 'hex') FROM file WHERE name = '0 sitemap.xml'})));
	foreach my $other ('UTF-16', 'ISO-8859-1', 'windows-1252', 'US-ASCII', 'EUC-JP')
	{
		my $content = encode($other, $document =~ s/UTF-8/$other/r, Encode::FB_XMLCREF);

		run($database, sprintf(q{INSERT INTO file VALUES ('%s', 'urlset', '\x%s')}, $other, unpack('H*', $content)));
		my ($rows, $other_rows) =
		  map { resolved(run($database, "SELECT bytea_rows(content) FROM file WHERE name = '$_'")) }
		  ('0 sitemap.xml', $other);
		ok($rows eq $other_rows, "$encoding: so does $other");
	}
	return;
}

sub setup
{
	return q[
	CREATE TABLE given (id int GENERATED ALWAYS AS IDENTITY, page jsonb);
	CREATE TABLE file (name text, kind text, content bytea);
	CREATE FUNCTION bytea_rows(bytea) RETURNS text[] LANGUAGE sql AS 'SELECT array_agg(p::text) FROM sitemap_parse($1) p';
	CREATE FUNCTION text_rows(text) RETURNS text[] LANGUAGE sql AS 'SELECT array_agg(p::text) FROM sitemap_parse($1) p';
	CREATE FUNCTION entries(bytea) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM sitemap_parse($1)';
	CREATE FUNCTION extension(e jsonb) RETURNS xml LANGUAGE sql AS $$
	  SELECT CASE e->>'kind'
	         WHEN 'image' THEN sitemap_image(e->>'loc', e->>'caption', e->>'geo_location', e->>'title', e->>'license')
	         WHEN 'news' THEN sitemap_news(e->>'name', 'en', e->>'date', e->>'title', keywords => e->>'keywords')
	         WHEN 'alternate' THEN sitemap_alternate(e->>'hreflang', e->>'href')
	         WHEN 'video' THEN
	           sitemap_video(e->>'loc', e->>'title', e->>'description', e->>'content_loc', e->>'player_loc',
	                         category => e->>'category',
	                         tag => (SELECT array_agg(t) FROM jsonb_array_elements_text(e->'tag') t),
	                         uploader => e->>'uploader', gallery_loc => e->>'loc', gallery_loc_title => e->>'title',
	                         publication_date => e->>'date', rating => (e->>'rating')::float8, live => true)
	         WHEN 'xml' THEN (e->>'xml')::xml
	         END
	$$;
	CREATE VIEW page AS
	SELECT page->>'loc' AS loc, page->>'lastmod' AS lastmod, page->>'changefreq' AS changefreq,
	       (page->>'priority')::float8 AS priority,
	       (SELECT array_agg(extension(e) ORDER BY n)
	          FROM jsonb_array_elements(page->'extensions') WITH ORDINALITY u (e, n)) AS extensions
	  FROM given
	 ORDER BY id;
	];
}

# References to characters outside ASCII, replaced by the characters.
sub resolved
{
	my ($xml) = @_;
	return $xml =~ s/&#(x?)([0-9A-Fa-f]+);/my $c = $1 ? hex $2 : $2; $c < 128 ? $& : chr $c/ger;
}

# Random values

sub one_of
{
	my (@values) = @_;
	return $values[ int(rand(@values)) ];
}

sub maybe
{
	my ($value) = @_;
	return rand() < 0.5 ? $value : undef;
}

# A text of so many characters at the most, mostly short ones, sometimes as long as can be.
sub text
{
	my ($max) = @_;
	my $len = rand() < 0.1 ? $max : int(rand(20));
	my $text = join '', map { one_of(@characters) } 1 .. $len;

	return substr($text, 0, $max);
}

# One that is not blank.
sub title
{
	my ($max) = @_;
	return substr('x' . text($max - 1), 0, $max);
}

# A URL; its text is encoded, three or four bytes to twelve characters.
sub url
{
	my ($begin) = @_;
	return $begin . text(rand() < 0.05 ? 150 : 30);
}

sub date
{
	return one_of(
		'2026', '2026-11', '2026-11-21',
		'2026-11-21T12:30Z',
		'2026-11-21T12:30:59+05:30',
		'2026-11-21T12:30:59.123Z');
}

# XML as it would be written, so that it is not written differently.
sub ready_made
{
	my $text = text(20) =~ s/[\x00-\x1F\x7F-\x9F\\\x{FFFE}]//gr;

	$text =~ s/&/&amp;/g;
	$text =~ s/</&lt;/g;
	$text =~ s/>/&gt;/g;
	$text =~ s/"/&quot;/g;
	$text =~ s/'/&apos;/g;
	return {
		kind => 'xml',
		xml => one_of(
			qq{<a:b xmlns:a="urn:a" c="$text">x$text<a:d/></a:b>},
			qq{<PageMap xmlns="urn:p"><Attribute name="a">x$text</Attribute> <a/></PageMap>},
			'<m:mobile xmlns:m="http://www.google.com/schemas/sitemap-mobile/1.0"/>') };
}

sub image
{
	return {
		kind => 'image',
		loc => url('http://i/'),
		caption => maybe(text(300)),
		geo_location => maybe(text(50)),
		title => maybe(text(50)),
		license => maybe(url('https://l/')) };
}

# A page has one for each language.
sub alternate
{
	my ($n) = @_;
	my @languages = qw(de en fr it es pt nl pl);

	return {
		kind => 'alternate',
		hreflang => $languages[$n] . one_of('', '-AT', '-Latn-CH'),
		href => url('http://a/') };
}

sub video
{
	return {
		kind => 'video',
		loc => url('http://t/'),
		title => title(100),
		description => title(2048),
		content_loc => url('http://c/'),
		player_loc => maybe(url('http://p/')),
		category => maybe(text(256)),
		tag => [ map { title(30) } 1 .. int(rand(4)) ],
		uploader => maybe(title(255)),
		date => date(),
		rating => int(rand(51)) / 10 };
}

sub news
{
	return {
		kind => 'news',
		name => title(50),
		date => date(),
		title => title(200),
		keywords => maybe(text(100)) };
}

sub page
{
	my @kinds = (\&image, \&alternate, \&video, $has_libxml ? \&ready_made : ());
	my @extensions = map { one_of(@kinds)->($_ - 1) } 1 .. one_of(0, 0, 1, 2, 8);

	push @extensions, news() if rand() < 0.2;
	return {
		loc => url('/x'),
		lastmod => maybe(date()),
		changefreq => maybe(one_of(qw(always hourly daily weekly monthly yearly never))),
		priority => maybe(one_of(0, 1, 0.5, int(rand(1000001)) / 1000000)),
		extensions => \@extensions };
}

# What a statement returns, in characters.
sub run
{
	my ($database, $sql) = @_;
	local $ENV{PGCLIENTENCODING} = 'UTF8';
	local $ENV{PGOPTIONS} = '-c client_min_messages=error';

	return decode_utf8($node->safe_psql($database, encode_utf8($sql)));
}

sub quote
{
	my ($text) = @_;
	return q{'} . $text =~ s/'/''/gr . q{'};
}
