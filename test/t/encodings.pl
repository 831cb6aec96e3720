# The same sitemaps whatever the encoding of the database.
use utf8;
use Encode qw(encode_utf8 decode_utf8);
use FindBin;

use lib $FindBin::RealBin;
use Node;

my $node = start_node();

# Without libxml there is no ready-made XML.
my $has_libxml = $node->psql('postgres', q{SELECT '<a/>'::xml}) == 0;

my @encodings = qw(UTF8 LATIN1 EUC_JP SQL_ASCII);
foreach my $encoding (@encodings)
{
	my $database = lc $encoding;

	sql("CREATE DATABASE $database ENCODING '$encoding' LOCALE 'C' TEMPLATE template0");
	value($database, 'CREATE EXTENSION sitemap');
	is(value($database, 'SHOW server_encoding'), $encoding, "$database has its encoding");
}

# All of them have these characters.
my $text = 'é § × "é" <é> \\é';

# A page with extensions; with libxml, one with ready-made XML among them.
my $page = qq{
	SELECT 'http://www.example.com/é?q=§' AS loc,
	       ARRAY[sitemap_image('http://i/×', '$text', title => 'é'),
	             sitemap_news('Le é', 'fr', '2026', '$text')]
	       || sitemap_alternates('{"fr": "http://www.example.com/é"}')
	       AS extensions};
my $ready_made = q{
	SELECT 'http://www.example.com/' AS loc,
	       '<a:b xmlns:a="urn:a" c="é"><![CDATA[é]]>×<!-- § --></a:b>'::xml AS extensions};

# Each element and aggregate.
my %elements = (
	'sitemap_url' => q{SELECT sitemap_url('http://www.example.com/é§×')},
	'sitemap_url with extensions' =>
	  "SELECT sitemap_url(loc, extensions => extensions) FROM ($page) s",
	'sitemap_image' => "SELECT sitemap_image('http://i/é', '$text', 'é', '×', 'http://l/§')",
	'sitemap_video' => qq{
		SELECT sitemap_video('http://t/é', '$text', '$text', 'http://c/×',
		                     tag => ARRAY['é'], uploader => 'é',
		                     gallery_loc => 'http://g/é', gallery_loc_title => 'é')},
	'sitemap_alternates' => q{SELECT sitemap_alternates('{"fr": "http://www.example.com/é"}')},
	'sitemap_agg of locs' => q{SELECT sitemap_agg('http://www.example.com/é')},
	'sitemap_agg of urls' =>
	  "SELECT sitemap_agg(sitemap_url(loc, extensions => extensions)) FROM ($page) s",
	'sitemap_text_agg' => q{SELECT sitemap_text_agg('http://www.example.com/é')},);

# Files: of locs, with extensions, and of url elements.
my %files = (
	'locs' => files(q{SELECT '/é?q=§#×' AS loc}, q{, index => 'always'}),
	'txt' => files($page, q{, format => 'txt'}),
	'gzip' => files(q{SELECT '/é' AS loc}, q{, compression => 6, stylesheet => 'é.css'}),
	'base_url' => q{
		SELECT loc, encode(content, 'hex')
		  FROM sitemap_files($$ SELECT './é' AS loc $$, 'http://www.example.com/é',
		                     stylesheet => '×.css')},
	'extensions' => files($page),
	'items' => files(q{
		SELECT '/é' AS loc, '["/é", {"loc": "http://i/§", "title": "×"}]'::jsonb AS images,
		       jsonb_build_object('thumbnail_loc', '/é', 'title', 'é§×', 'description', '×', 'content_loc', '/c', 'tag', ARRAY['é']) AS videos,
		       jsonb_build_object('publication_name', 'Le é', 'publication_language', 'fr', 'publication_date', '2026', 'title', '§') AS news}),
	'urls' => files("SELECT sitemap_url(loc, extensions => extensions) AS url FROM ($page) s"),);

# An index lists a file that somebody else has put into a target.
foreach my $encoding (qw(UTF8 LATIN1))
{
	my $database = lc $encoding;

	is( value(
			$database, q{
			CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));
			INSERT INTO target (base_url, section, name, kind, loc) VALUES ('http://www.example.com/', 'blog', 'é.xml', 'urlset', 'http://www.example.com/é.xml');
			SELECT name FROM sitemap_publish_index('target', 'http://www.example.com/');
			SELECT encode(content, 'escape') FROM target WHERE kind = 'index'}) =~ /<loc>(.*)<\/loc>/,
		1, "$encoding: a file by another hand");
	is($1, 'http://www.example.com/%C3%A9.xml', "$encoding: its URL in the index");
	my ($status, $stdout, $stderr) = $node->psql($database,
		q{SET client_encoding = 'UTF8'; UPDATE target SET base_url = 'http://www.example.org/';
		  SELECT sitemap_publish_index('target', 'http://www.example.org/')});
	like(decode_utf8($stderr), qr/^DETAIL: .*"http:\/\/www\.example\.com\/é\.xml"\.$/m, "$encoding: its URL in an error");
}

# In UTF8 they are what they should be.
like(value('utf8', $elements{sitemap_image}),
	qr/<image:geo_location>é</, 'text is as it is in UTF-8');
like(
	value('utf8', $elements{sitemap_url}),
	qr{<loc>http://www.example.com/%C3%A9%C2%A7%C3%97<},
	'URLs are percent-encoded UTF-8');
my ($document) = value('utf8', $files{extensions}) =~ /\|([0-9a-f]+)$/;
like(
	decode_utf8(pack('H*', $document)),
	qr{<image:caption>é § × &quot;é&quot; &lt;é&gt; &#92;é</image:caption>},
	'files are UTF-8');

# In the others elements have references, and files are the same.
foreach my $encoding (@encodings)
{
	my $database = lc $encoding;
	my ($stdout, $stderr);

	foreach my $name (sort keys %elements)
	{
		my $expected = value('utf8', $elements{$name});

		$expected = references($expected) if $encoding ne 'UTF8';
		is(value($database, $elements{$name}), $expected, "$encoding: $name");
	}
	foreach my $name (sort keys %files)
	{
		is(value($database, $files{$name}), value('utf8', $files{$name}), "$encoding: files, $name");
	}

	# messages
	($stdout, $stderr) = run($database, q{SELECT sitemap_url('ftp://é/')});
	like(
		$stderr,
		qr{ERROR:.*neither http nor https\nDETAIL:  The loc is "ftp://é/"\.},
		"$encoding: a message shows the value");
	($stdout, $stderr) = run($database,
		"SELECT sitemap_image('http://i', '$text' || repeat('é', 1000), license => '§')");
	like($stderr, qr{ERROR:  invalid license "§"}, "$encoding: a message of an element does");
	($stdout, $stderr) = run(
		$database, q{
		SELECT url_count
		  FROM sitemap_files($$ SELECT '/é' AS loc UNION ALL SELECT 'ftp://é' || repeat('é', 1000) $$,
		                     'http://www.example.com/', on_invalid => 'skip')});
	like(
		$stderr,
		qr{WARNING:.*left out 1 row\nDETAIL:  Row 2, loc "ftp://éééé.*é\.\.\."},
		"$encoding: a warning shows it, clipped");
	is($stdout, '1', "$encoding: and the other rows are there");
}

SKIP:
{
	skip 'ready-made XML takes libxml', 1 unless $has_libxml;
	my $element = "SELECT sitemap_url(loc, extensions => ARRAY[extensions]) FROM ($ready_made) s";
	my $document = "SELECT sitemap_agg(sitemap_url(loc, extensions => ARRAY[extensions])) FROM ($ready_made) s";
	my $files = files($ready_made);

	# A comment has no references, and CDATA becomes text, in a url that is ASCII.
	my $urls = files("SELECT sitemap_url(loc, extensions => ARRAY[extensions]) AS url FROM ($ready_made) s");
	$urls =~ s/<!--.*?-->|<!\[CDATA\[|\]\]>//g;

	foreach my $encoding (@encodings)
	{
		my $database = lc $encoding;

		foreach my $statement ($element, $document)
		{
			my $expected = value('utf8', $statement);

			if ($encoding ne 'UTF8')
			{
				$expected =~ s/<!\[CDATA\[é\]\]>/é/;
				$expected =~ s/<!-- § -->//;
				$expected = references($expected);
			}
			is(value($database, $statement), $expected, "$encoding: ready-made XML, $statement");
		}
		is(value($database, $files), value('utf8', $files), "$encoding: files with ready-made XML");
		is(value($database, $urls), value('utf8', $urls), "$encoding: files of urls with it");

		# References to ASCII stay, others mean the same.
		like(
			value(
				$database, q{
				SELECT convert_from(content, 'UTF8')
				  FROM sitemap_files($$
				         SELECT '/' AS loc,
				                '<a:b xmlns:a="urn:a" c="&#60;&#x26;&#10;&#233;">&#38;&#xe9;&amp;&#x5C;</a:b>'::xml
				                AS extensions
				       $$, 'http://a/')}),
			qr{<a:b xmlns:a="urn:a" c="&#60;&#x26;&#10;(é|&#233;)">&#38;(é|&#xe9;)&amp;&#x5C;</a:b>},
			"$encoding: references in files");
	}

	# Names have no references, so text cannot have them, but files can.
	my ($stdout, $stderr) = run('latin1',
		q{SELECT sitemap_url('http://a/', extensions => ARRAY['<é xmlns="urn:a"/>'::xml])});
	like(
		$stderr,
		qr/ERROR:.*names outside ASCII are not supported/,
		'LATIN1: an element with a name that text results cannot have');
	($stdout, $stderr) = run('latin1',
		q{SELECT sitemap_agg(sitemap_url('http://a/', extensions => ARRAY['<a:b xmlns:a="urn:é"/>'::xml]))});
	like(
		$stderr,
		qr/ERROR:.*names outside ASCII are not supported/,
		'LATIN1: nor one whose namespace has such a name, which no reader would take');
	my $namespace = files(q{SELECT '/' AS loc, '<a:b xmlns:a="urn:é"/>'::xml AS extensions});
	is(value('latin1', $namespace), value('utf8', $namespace), 'LATIN1: but files can');
	my $named = files(q{SELECT '/' AS loc, '<é xmlns="urn:a"/>'::xml AS extensions});
	is(value('latin1', $named), value('utf8', $named), 'LATIN1: but files can');
}

# What one encoding has and others have not.
is( value('euc_jp', q{SELECT sitemap_agg('http://www.example.com/日本語')}),
	value('utf8', q{SELECT sitemap_agg('http://www.example.com/日本語')}),
	'EUC_JP: kanji in a URL');
is( value('euc_jp', q{SELECT sitemap_image('http://i', '日本語 ｶﾅ')}),
	image('&#x65E5;&#x672C;&#x8A9E; &#xFF76;&#xFF85;'),
	'EUC_JP: kanji and kana in a text');
is( value('latin1', q{SELECT sitemap_image('http://i', chr(133) || chr(127) || chr(1) || 'ÿ')}),
	image("&#x85;\x7F&#xFF;"),
	'LATIN1: C1 characters');
is( value('sql_ascii', q{SELECT sitemap_image('http://i', '日本語 😀')}),
	image('&#x65E5;&#x672C;&#x8A9E; &#x1F600;'),
	'SQL_ASCII: any UTF-8');

# Extension elements become columns, whose text is in the encoding of the database.
if ($has_libxml)
{
	my $columns = qq{
		SELECT columns.*
		  FROM sitemap_files(\$\$ $page \$\$, 'http://www.example.com/') file,
		       sitemap_parse(file.content) entry, sitemap_columns(entry.extensions) columns};
	my $link = q{
		SELECT alternates ->> 'fr'
		  FROM sitemap_columns(ARRAY['<a:link xmlns:a="http://www.w3.org/1999/xhtml" hreflang="fr" href="/&#xE9;\&#92;x41&#x65E5;"/>'::xml])};

	like(value('utf8', $columns), qr{"caption": "é § × \\"é\\" <é> \\\\é"}, 'columns have characters for references');
	foreach my $encoding (qw(LATIN1 EUC_JP SQL_ASCII))
	{
		is(value(lc $encoding, $columns), value('utf8', $columns), "$encoding: columns of an entry");
	}
	is(value('euc_jp', $link), '/é\\\\x41日', 'EUC_JP: kanji in a link');

	# A backslash or quote after the bytes of a character, which EUC_JP would divide elsewhere.
	foreach my $title ('日\\101', '日\\x', '日\\\\', q{'日'' x'}, q{'}, 'E', '')
	{
		my $xml = references($title) =~ s/'/&apos;/gr;
		my $image = qq{SELECT images -> 0 ->> 'title' FROM sitemap_columns(ARRAY['<i:image xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><i:loc>http://a/</i:loc><i:title>$xml</i:title></i:image>'::xml])};

		foreach my $encoding (qw(UTF8 EUC_JP SQL_ASCII))
		{
			is(value(lc $encoding, $image), $title, "$encoding: the title $title");
		}
		is(value('euc_jp', qq{SELECT alternates ->> 'ja' FROM sitemap_columns(ARRAY['<a:link xmlns:a="http://www.w3.org/1999/xhtml" hreflang="ja" href="$xml"/>'::xml])}),
			$title, "EUC_JP: the link $title");
	}
	my ($stdout, $stderr) = run('latin1', $link);
	like($stderr, qr/has no equivalent in encoding "LATIN1"/, 'LATIN1: no kanji');
}

# on_invalid => 'skip' says which rows have bytes that are not text, and leaves them out.
# In privileges.pl each function refuses them.
my ($stdout, $stderr) = run(
	'sql_ascii', q{
	SELECT encode(content, 'escape')
	  FROM sitemap_files($$
	         SELECT loc, c AS changefreq, e AS extensions
	           FROM (VALUES ('/1', NULL, NULL),
	                        (E'/\xE9', NULL, NULL),
	                        ('/3', E'\xE9', NULL),
	                        ('/4', NULL, sitemap_image('http://i', 'é'))) v (loc, c, e)
	       $$, 'http://a/', on_invalid => 'skip')});
like($stderr, qr/WARNING:.*left out 1 row and 1 optional element\n/, 'rows with invalid bytes');
like($stderr, qr/\nDETAIL:  Row 2: invalid loc: .*SQL_ASCII/, 'a loc is not shown');
like($stderr, qr/\nRow 3, loc "\/3": invalid changefreq/, 'another value neither');
like(
	$stdout,
	qr{<url><loc>http://a/1</loc></url><url><loc>http://a/3</loc></url><url><loc>http://a/4</loc>},
	'the others are there');
like($stdout, qr{<image:caption>\\303\\251<}, 'in UTF-8');

$node->stop;
done_testing();

# What a statement returns, and what it says on the way, both as characters.
# It goes to the server in UTF-8; SQL_ASCII keeps it as that.
sub run
{
	my ($database, $sql) = @_;
	local $ENV{PGCLIENTENCODING} = 'UTF8';
	my ($status, $stdout, $stderr) = $node->psql($database, encode_utf8($sql));

	return (decode_utf8($stdout), decode_utf8($stderr));
}

# What a statement returns that says nothing on the way.
sub value
{
	my ($database, $sql) = @_;
	my ($stdout, $stderr) = run($database, $sql);

	is($stderr, '', "$database: no complaint") if $stderr ne '';
	return $stdout;
}

# A statement that shows the files of a query.
sub files
{
	my ($query, $options) = @_;

	$options //= '';
	return "SELECT name, loc, digest, encode(content, 'hex')"
	  . " FROM sitemap_files(\$\$ $query \$\$, 'http://www.example.com/'$options)";
}

# An image with that caption.
sub image
{
	my ($caption) = @_;

	return "<image:image><image:loc>http://i</image:loc><image:caption>$caption</image:caption></image:image>";
}

# What UTF-8 has as characters others have as references.
sub references
{
	my ($xml) = @_;

	return $xml =~ s/([^\x00-\x7F])/sprintf('&#x%X;', ord($1))/ger;
}
