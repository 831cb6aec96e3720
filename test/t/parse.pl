# sitemap_parse with documents that mean no good, or are damaged, or very large.
use utf8;
use Compress::Zlib ();
use Encode qw(encode encode_utf8);
use FindBin;

use lib $FindBin::RealBin;
use Node;
use Session;

# No notices, such as that a loc has no scheme: a session takes what is written to stderr for an error.
my $node = start_node("client_min_messages = warning\n");
sql('CREATE EXTENSION sitemap');

# Documents, gzipped: a megabyte that can be repeated, with what is around it.
my $megabyte = 1048576;
sql('CREATE TABLE document (name text, content bytea)');
add('blanks', '<urlset>', ' ' x $megabyte, 1024, '</urlset>');
add('one loc', '<urlset><url><loc>', 'a' x $megabyte, 1024, '</loc></url></urlset>');
add('one line', '', 'a' x $megabyte, 1024, '');
add('zeros', '', "\0" x $megabyte, 1024, '');
add('one comment', '<urlset><!--', 'a' x $megabyte, 1024, '--></urlset>');
add('one tag', '<urlset><a', ' b=""' x 200000, 1024, '/></urlset>');
my $entry = '<url><loc>http://www.example.com/' . 'x' x 70 . '</loc></url>';
add('entries', '<urlset>', $entry x 1000, 100, '</urlset>');
add('four times the entries', '<urlset>', $entry x 1000, 400, '</urlset>');
add('entries without end', '<urlset>', $entry x 1000, 20000, '');

my $session = Session->start($node, 'postgres', on_error_stop => 0);

# A gigabyte out of a megabyte: refused at the limit, or before.
foreach my $name ('blanks', 'one loc', 'one line', 'zeros', 'one comment', 'one tag')
{
	is( sql("SELECT length(content) < 2000000 FROM document WHERE name = '$name'"),
		't', "$name: it is small");
	my $error = failure("SELECT count(*) FROM document, sitemap_parse(content) WHERE name = '$name'");
	like(
		$error,
		$name eq 'one tag' ? qr/invalid sitemap, line 1: an element has more than 64 attributes/
		: qr/invalid sitemap, line 1: the document is longer than max_bytes.*HINT:/s,
		"$name: it is refused");
}

SKIP:
{
	skip 'no /proc here', 4 unless defined memory_of($session->{pid}, 'VmHWM');
	cmp_ok(memory_of($session->{pid}, 'VmHWM'), '<', 512 * 1024, 'with the memory of one value, at the most');

	# Memory is that of the document, as it was given and inflated, and of one entry.
	$session->quit;
	$session = Session->start($node, 'postgres', on_error_stop => 0);
	my $count =
	  "SELECT count(*) FROM document, sitemap_parse(content, 1000000000000) WHERE name = '%s'";
	is($session->query_safe(sprintf($count, 'entries')), 100000, '100,000 entries');
	my $before = memory_of($session->{pid}, 'VmHWM');
	is($session->query_safe(sprintf($count, 'four times the entries')),
		400000, 'four times as many');
	my $growth = memory_of($session->{pid}, 'VmHWM') - $before;
	my $longer = int(300 * 1000 * length($entry) / 1024);
	cmp_ok($growth, '<', $longer * 1.5 + 4096, "take so much more memory as the document is longer ($longer kB, $growth kB more)");
}

# Cancel, in the middle of a document.
like(
	$session->query_within(
		200, q{SELECT count(*) FROM document, sitemap_parse(content, 1000000000000) WHERE name = 'entries without end'}),
	qr/canceling statement due to statement timeout/,
	'a cancel takes effect');
is($session->query_safe(q{SELECT loc FROM sitemap_parse('<urlset><url><loc>a</loc></url></urlset>')}),
	'a', 'and the session works on');

# Nothing is left behind: not by calls that succeed, nor by those that fail or are not read to the end.
my $calls = q{
	DO $$
	DECLARE
	  n int;
	BEGIN
	  FOR i IN 1 .. %d LOOP
	    FOREACH n IN ARRAY ARRAY[0, 1, 2, 3] LOOP
	      BEGIN
	        PERFORM loc
	           FROM sitemap_parse(CASE n
	                  WHEN 0 THEN '<urlset><url><loc>a</loc><b xmlns="urn:b">c</b></url></urlset>'
	                  WHEN 1 THEN '<urlset><url><loc>a</loc><b xmlns="urn:b">c</url></urlset>'
	                  WHEN 2 THEN '<!DOCTYPE urlset [<!ENTITY a "b">]><urlset><url><loc>&a;</loc></url></urlset>'
	                  WHEN 3 THEN '<urlset><url><loc>a</loc></url></urlset>' END)
	          WHERE n < 3 OR (1 / (n - 3))::text = loc
	          LIMIT 1;
	      EXCEPTION WHEN invalid_xml_document OR division_by_zero THEN
	        NULL;
	      END;
	    END LOOP;
	  END LOOP;
	END
	$$};
SKIP:
{
	skip 'no /proc here', 1 unless defined memory_of($session->{pid}, 'VmRSS');
	$session->query_safe(sprintf($calls, 1000));
	my $before = memory_of($session->{pid}, 'VmRSS');
	$session->query_safe(sprintf($calls, 3000));
	my $growth = memory_of($session->{pid}, 'VmRSS') - $before;
	cmp_ok($growth, '<', 1024, "12,000 calls leave no memory behind ($before kB, then $growth kB more)");
}

# Broken documents give rows or an error, and what is read of one that is cut off is its begin.
sql(q{
	CREATE TABLE sample AS
	SELECT content
	  FROM unnest(ARRAY[0, 6]) compression, unnest(ARRAY['xml', 'txt']) format,
	       sitemap_files($q$
	         SELECT '/' || n || 'ü?a&b' AS loc, '2026-01-02'::date AS lastmod, 'daily' AS changefreq, 0.5 AS priority,
	                sitemap_image('http://i/' || n, 'Ü & 😀')
	                || sitemap_alternates('{"de": "http://a/", "en": "http://b/?a&b"}') AS extensions
	           FROM generate_series(1, 3) n
	       $q$, 'http://a/', compression => compression, format => format);
	INSERT INTO sample
	SELECT convert_to('<?xml version="1.0" encoding="ISO-8859-1"?>' || chr(10) || '<!-- c -->'
	                  || '<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>' || chr(233)
	                  || '</s:loc><a:b xmlns:a="urn:a" c="d"><![CDATA[<]]>&#233;<?p i?> </a:b></s:url></s:urlset>', 'LATIN1');
	CREATE FUNCTION outcome(content bytea) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
	  entries text[];
	BEGIN
	  entries := array_agg(p::text) FROM sitemap_parse(content) p;
	  RETURN 'rows';
	EXCEPTION
	  WHEN invalid_xml_document OR invalid_binary_representation OR character_not_in_repertoire
	    OR program_limit_exceeded OR feature_not_supported THEN
	    RETURN 'error';
	END
	$$});
is( $session->query_safe(
		q{
		SELECT count(*) FILTER (WHERE o IN ('rows', 'error')) = count(*), count(*) > 1000
		  FROM sample, generate_series(0, length(content)) n, outcome(substr(content, 1, n)) o}),
	't|t', 'cut off at any byte');
is( $session->query_safe(
		q{
		SET client_min_messages = error;
		SELECT count(*)
		  FROM sample s, generate_series(2, length(content)) n
		 WHERE get_byte(s.content, 0) <> ascii('h')
		   AND NOT ARRAY(SELECT p::text FROM sitemap_parse(s.content) p) @>
		           ARRAY(SELECT p::text FROM sitemap_parse(substr(s.content, 1, n), on_invalid => 'skip') p)}),
	'0', 'only complete entries are returned in part');
is( $session->query_safe(
		q{
		RESET client_min_messages;
		SELECT setseed(0.5);
		SELECT count(*) FILTER (WHERE o IN ('rows', 'error')) = count(*), count(DISTINCT o)
		  FROM (SELECT set_byte(set_byte(content, (random() * (length(content) - 1))::int, (random() * 255)::int),
		                        (random() * (length(content) - 1))::int, (random() * 255)::int) AS broken
		          FROM sample, generate_series(1, 2000)) s, outcome(broken) o}) =~ s/^\n//r,
	't|2', 'with bytes that are different');

# Databases of other encodings.
my $document =
  '<urlset><url><loc>http://a/é</loc><a:b xmlns:a="urn:a" c="é日">日😀</a:b></url>'
  . "\n<url><loc>http://a/日</loc></url></urlset>";
foreach my $encoding (qw(LATIN1 EUC_JP SQL_ASCII))
{
	my $database = lc $encoding;

	sql("CREATE DATABASE $database ENCODING '$encoding' LOCALE 'C' TEMPLATE template0");
	$node->safe_psql($database, 'CREATE EXTENSION sitemap');
	my $parse = sprintf(q{SELECT loc, extensions[1] FROM sitemap_parse('\x%s'::bytea, on_invalid => '%%s')},
		unpack('H*', encode_utf8($document)));

	my ($status, $stdout, $stderr) = query($database, sprintf($parse, 'error'));
	my $element = '<a:b xmlns:a="urn:a" c="&#xE9;&#x65E5;">&#x65E5;&#x1F600;</a:b>';
	if ($encoding eq 'LATIN1')
	{
		like(
			$stderr,
			qr/ERROR:  22P05: invalid sitemap, line 2: the entry has a character that the database's encoding lacks/,
			'LATIN1: a character that it lacks');
		($status, $stdout, $stderr) = query($database, sprintf($parse, 'skip'));
		is($stdout, encode_utf8("http://a/é|$element"), 'LATIN1: the other entries');
		like($stderr, qr/WARNING:.*left out 1 entry\n/, 'LATIN1: with a warning');
	}
	else
	{
		is($stdout, encode_utf8("http://a/é|$element\nhttp://a/日|"), "$encoding: as text, and references in XML");
	}
	if ($encoding eq 'SQL_ASCII')
	{
		# The hint says what helps.
		my $bytes = q{E'<?xml version="1.0" encoding="LATIN1"?><urlset><url><loc>http://a/\xE9</loc></url></urlset>'::text};

		($status, $stdout, $stderr) = query($database, "SELECT * FROM sitemap_parse($bytes)");
		like($stderr, qr/ERROR:  22021: the document has bytes that are not text in encoding "SQL_ASCII" .*\nHINT:  Pass the document as bytea, such as convert_to\(document, 'SQL_ASCII'\)/,
			'SQL_ASCII: text in another encoding');
		is((query($database, "SELECT loc FROM sitemap_parse(convert_to($bytes, 'SQL_ASCII'))"))[1], encode_utf8('http://a/é'), 'SQL_ASCII: the same as bytea');
		($status, $stdout, $stderr) = query($database, q{SELECT sitemap_text_agg(E'http://a/\xE9')});
		like($stderr, qr/invalid loc: bytes that are not text in encoding "SQL_ASCII"/, 'SQL_ASCII: a loc in another encoding');
		is((query($database, q{SELECT sitemap_encode(convert_from(convert(convert_to(t, 'SQL_ASCII'), 'LATIN1', 'UTF8'), 'SQL_ASCII')) FROM (VALUES (E'\xE9')) v (t)}))[1],
			'%C3%A9', 'SQL_ASCII: converted');
	}
	is( (query($database, encode_utf8(q{
			SELECT loc
			  FROM sitemap_parse('<?xml version="1.0" encoding="UTF-16"?>'
			                     '<urlset><url><loc>§</loc></url></urlset>')})))[1],
		encode_utf8('§'),
		"$encoding: a text that names another encoding");
	is( (query($database, encode_utf8(q{SELECT loc FROM sitemap_parse(E'http://a/§\nhttp://b/×')})))[1],
		encode_utf8("http://a/§\nhttp://b/×"), "$encoding: a text sitemap");
}

$session->quit;
$node->stop;
done_testing();

# Store a document, gzipped: begin, so many times the middle, end.  A gzip file
# may have several members.
sub add
{
	my ($name, $begin, $middle, $times, $end) = @_;
	my ($first, $each, $last) =
	  map { '\x' . unpack('H*', Compress::Zlib::memGzip($_)) } ($begin, $middle, $end);

	sql(qq{
		ALTER TABLE document ALTER content SET STORAGE EXTERNAL;
		INSERT INTO document
		SELECT '$name', '$first'::bytea || string_agg('$each'::bytea, '') || '$last'::bytea
		  FROM generate_series(1, $times)});
	return;
}

# What the session's statement fails with.
sub failure
{
	my ($statement) = @_;

	$session->query($statement);
	my $error = $session->{stderr};
	$session->{stderr} = '';
	return $error;
}

# What a statement ends with, as UTF-8.
sub query
{
	my ($database, $sql) = @_;
	local $ENV{PGCLIENTENCODING} = 'UTF8';

	return $node->psql($database, "\\set VERBOSITY verbose\n$sql");
}
