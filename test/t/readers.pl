# Random rows of all columns, made into files, and read by two programs that are not ours:
# Python's ElementTree, and the parser of sitemap.js where node finds the npm package
# sitemap.  So are files made of what sitemap_parse reads in them.  SITEMAP_ROWS is the number
# of rows.
use FindBin;
use IPC::Run ();

use lib $FindBin::RealBin;
use Node;

my $timeout = 10 * $PostgreSQL::Test::Utils::timeout_default;
my $rows = $ENV{SITEMAP_ROWS} || 4000;
my $seed = 20261122;
my $here = $FindBin::RealBin;

plan skip_all => 'python3 is not here' unless runs('python3', '--version');

my $node = start_node();
local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => 'postgres', PGUSER => scalar getpwuid($<));

# Without the server's libxml there is no ready-made XML.
my $extensions = $node->psql('postgres', q{SELECT '<a/>'::xml}) == 0 ? 'extensions' : 'none';
my $folder = PostgreSQL::Test::Utils::tempdir();
my @arguments = ($rows, $seed, $extensions);

IPC::Run::run(
	[ 'python3', "$here/readers_rows.py", 'rows', @arguments ], '|',
	[
		'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', 'CREATE TABLE given (id int GENERATED ALWAYS AS IDENTITY, page jsonb)',
		'-c', q{COPY given (page) FROM STDIN (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')}
	],
	IPC::Run::timeout($timeout)) or die 'no rows';
sql(qq{
	CREATE EXTENSION sitemap;
	CREATE VIEW page AS
	SELECT page->>'loc' AS loc, page->>'lastmod' AS lastmod, page->>'changefreq' AS changefreq, (page->>'priority')::float8 AS priority,
	       page->'images' AS images, page->'alternates' AS alternates, page->'videos' AS videos, page->'news' AS news,
	       (SELECT array_agg(x::xml ORDER BY n) FROM jsonb_array_elements_text(page->'extensions') WITH ORDINALITY e (x, n)) AS extensions,
	       id AS key
	  FROM given
	 ORDER BY id;
	CREATE TABLE file AS SELECT * FROM sitemap_files('TABLE public.page', 'https://www.example.com/shop/', compression => 6, index => 'always');
	SELECT sitemap_export('$folder', 'TABLE file');
	SELECT sitemap_export('$folder/parsed', \$\$
	         SELECT f.*
	           FROM sitemap_files('SELECT p.* FROM public.file f, sitemap_parse(f.content) p WHERE f.kind = ''urlset''',
	                              'https://www.example.com/shop/', index => 'always') f\$\$)});
is(sql(q{SELECT sum(url_count) FROM file WHERE kind = 'urlset'}), $rows, "$rows rows, with $extensions");

agrees('elementtree', 'python3', "$here/readers_elementtree.py", $folder);
agrees('elementtree', 'python3', "$here/readers_elementtree.py", "$folder/parsed");
SKIP:
{
	skip 'node or its package sitemap is not here', 1 unless runs('node', '-e', q{require('sitemap')});
	agrees('sitemap.js', 'node', "$here/readers_sitemap.js", $folder);
}
$node->stop;
done_testing();

# A program reads the same as was given.
sub agrees
{
	my ($reader, @command) = @_;
	my $output;

	IPC::Run::run(\@command, '|', [ 'python3', "$here/readers_rows.py", $reader, @arguments ],
		'>', \$output, '2>&1', IPC::Run::timeout($timeout));
	is($output, "$rows entries, 0 differences\n", "$reader reads what was given: @command");
	return;
}
