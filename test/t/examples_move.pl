# examples/psql/move.sh: a sitemap that is on the web, into a table.
use FindBin;
use IPC::Run ();

use lib $FindBin::RealBin;
use Node;

my $script = "$FindBin::RealBin/../../examples/psql/move.sh";
my $timeout = $PostgreSQL::Test::Utils::timeout_default;

foreach my $program ('curl', 'python3', 'gzip')
{
	plan skip_all => "$program is not here" unless has_program($program);
}

my $node = start_node();
sql('CREATE EXTENSION sitemap');

# A site: a directory, and a web server in front of it.
my $root = PostgreSQL::Test::Utils::tempdir();
my ($printed, $base) = ('');
my $server = IPC::Run::start([ 'python3', '-u', '-m', 'http.server', '0', '--bind', '127.0.0.1', '--directory', $root ],
	'>', \$printed, '2>', '/dev/null', my $timer = IPC::Run::timeout($timeout));
$server->pump until $printed =~ m{\((http://[^)]*/)\)};
$base = $1;
sql(qq{
	CREATE TABLE page AS
	SELECT '$base' || 'page/' || n AS loc, '2026-01-02' AS lastmod, 'daily' AS changefreq,
	       n / 10000.0::float8 AS priority,
	       ARRAY[sitemap_image('http://cdn.example.com/?a&b=' || n, 'Grüße ' || n)] AS extensions
	  FROM generate_series(1, 2500) n;
	CREATE TABLE file AS
	SELECT * FROM sitemap_files('TABLE page', '$base', max_urls => 1000, compression => 6)
	 UNION ALL
	SELECT * FROM sitemap_files('TABLE page', '$base', section => 'all');
	SELECT count(*) FROM sitemap_export('$root', 'TABLE file')});

move('sitemap.xml', 'by index');
is(same_pages('"by index"'), 't', 'the pages of all sitemaps in an index are in a table');
move('all.xml', 'whole');
is(same_pages('whole'), 't', 'so are those of one that is no index');

is(sql(qq{SELECT images FROM whole WHERE loc = '${base}page/7'}),
	'[{"loc": "http://cdn.example.com/?a&b=7", "caption": "Grüße 7"}]', 'images are values');
put('relative.xml', '<urlset><url><loc>/paris/</loc></url></urlset>');
my ($relative_status, $relative_output) = run_script('relative.xml', 'relative');
like($relative_output, qr{NOTICE:  1 loc has no scheme, such as "/paris/"}, 'a loc without a scheme is reported');

# An index in other forms, and what is none.
put('list.xml', "\x{FEFF}<?xml version='1.0'?><?xml-stylesheet href='<a>'?>\n<!-- no ?>\n<urlset> --><s:sitemapindex xmlns:s='http://www.sitemaps.org/schemas/sitemap/0.9'>"
	  . "<s:sitemap><s:loc>${base}a b[1]{2}.xml</s:loc></s:sitemap></s:sitemapindex>");
put('a b[1]{2}.xml', "<!-- <sitemapindex> --><?a --><sitemapindex ?><urlset><url><loc>${base}x</loc></url></urlset>");
move('list.xml', 'listed');
is(sql('SELECT loc FROM listed'), "${base}x", 'an index is known by its root, and its URLs are encoded');
move('a%20b[1]{2}.xml', 'alone');
is(sql('SELECT loc FROM alone'), "${base}x", 'a comment or an instruction makes no index');
put('lines.txt', "${base}1\n${base}2#<sitemapindex>\n");
move('lines.txt', 'lines');
is(sql('SELECT count(*) FROM lines'), 2, 'nor does a line of text');

put('feed.xml', "<rss version='2.0'><channel><item><link>${base}1</link></item></channel></rss>");
like(fails('feed.xml', 'feed'), qr/feed\.xml: invalid sitemap, line 1: the root element "rss" is neither/, 'a syndication feed is refused');
put('utf16.xml', "");
open(my $utf16, '>:raw:encoding(UTF-16)', "$root/utf16.xml") or die;
print $utf16 "<?xml version='1.0' encoding='UTF-16'?><sitemapindex><sitemap><loc>${base}lines.txt</loc></sitemap></sitemapindex>";
close $utf16;
move('utf16.xml', 'utf16');
is(sql('TABLE utf16'), sql('TABLE lines'), 'an index in UTF-16, of a text sitemap');

# What strangers may write into an index.
put('victim', 'http://a/secret');
foreach my $loc ('-K-', 'output=victim', "file://$root/victim", 'page.xml')
{
	put('evil.xml', "<sitemapindex><sitemap><loc>$loc</loc></sitemap></sitemapindex>");
	like(fails('evil.xml', 'evil'), qr/invalid loc: (?:not an absolute URL|the scheme is neither http nor https)/, "\"$loc\" is no sitemap's URL");
}
put('nested.xml', "<sitemapindex><sitemap><loc>${base}list.xml</loc></sitemap></sitemapindex>");
like(fails('nested.xml', 'nested'), qr/list\.xml is an index that is listed in an index/, 'nor is an index\'s');

# Nothing is half done.
unlink "$root/sitemap-2.xml.gz" or die "no such file: $!";
like(fails('sitemap.xml', 'missing'), qr/404.*cannot fetch .*sitemap-2\.xml\.gz/s, 'a file that is missing is an error');
put('sitemap-2.xml.gz', '<!DOCTYPE html><html></html>');
like(fails('sitemap.xml', 'broken'), qr/sitemap-2\.xml\.gz: invalid sitemap, line 1: the document is an HTML page/,
	'so is a file that is none');
put('sitemap-2.xml.gz', 'Service temporarily unavailable');
like(fails('sitemap.xml', 'broken'), qr/sitemap-2\.xml\.gz: invalid sitemap, line 1: the line is neither XML nor a URL/,
	'and a message');
is(sql(q{SELECT count(*) FROM pg_class WHERE relname IN ('evil', 'nested', 'missing', 'broken')}),
	'0', 'none leaves a table');

$server->kill_kill;
$node->stop;
done_testing();

# Are these the pages of the site, so that they make the same sitemap?
sub same_pages
{
	my ($table) = @_;

	return sql(qq{
		SELECT moved.content = file.content
		  FROM sitemap_files('TABLE $table', '$base', section => 'all') moved
		  JOIN file USING (name)});
}

sub put
{
	my ($name, $content) = @_;

	open(my $file, '>:utf8', "$root/$name") or die "$name: $!";
	print $file $content;
	close $file;
	return;
}

# Run the script, which succeeds.
sub move
{
	my ($file, $table) = @_;
	my ($status, $output) = run_script($file, $table);

	is($output, '', "$file into $table: no errors");
	ok($status, "$file into $table");
	return;
}

# Run the script, which fails: what it says.
sub fails
{
	my ($file, $table) = @_;
	my ($status, $output) = run_script($file, $table);

	ok(!$status, "$file into $table fails");
	return $output;
}

sub run_script
{
	my ($file, $table) = @_;
	local @ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, 'postgres');
	my $output = '';
	my $status = IPC::Run::run([ $script, "$base$file", $table ], '<', '/dev/null', '>', \$output, '2>&1');

	return ($status, $output);
}
