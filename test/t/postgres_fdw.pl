# Two nodes with pages and files of their own, and a coordinator with the index:
# the recipe of doc/shards.md for postgres_fdw, statement by statement.
use FindBin;
use lib $FindBin::RealBin;
use Node;

my ($node_setup, $setup, $run) = recipe('postgres_fdw');
my ($coordinator, @nodes) = map { new_node($_, "log_statement = 'all'\n") } 'coordinator', 'node1', 'node2';
foreach ($coordinator, @nodes)
{
	$_->start;
	$_->safe_psql('postgres', 'CREATE EXTENSION sitemap');
}

plan skip_all => 'postgres_fdw is not here'
  if $coordinator->psql('postgres', 'CREATE EXTENSION postgres_fdw') != 0;

# Odd pages are on one node, even ones on the other.
foreach my $n (1, 2)
{
	my $name = "node$n";
	my $node = $nodes[ $n - 1 ];

	$node->safe_psql(
		'postgres', qq{
		CREATE TABLE page AS
		SELECT n AS id, '/p/' || n AS path, timestamptz '2026-01-01 00:00Z' + n * interval '1 minute' AS changed
		  FROM generate_series($n, 5000, 2) n});
	$node->safe_psql('postgres', $node_setup =~ s/node1/$name/r);
	sql(sprintf(
			q{CREATE SERVER %s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%s', port '%s', dbname 'postgres');
			  CREATE USER MAPPING FOR CURRENT_USER SERVER %1$s},
			$name, $node->host, $node->port));
}
sql($setup);

my @rows = rows($run);
is_deeply(
	[ map { s/\|\d+$//r } @rows ],
	[ 'node1-51d8e999.xml.gz|urlset|inserted|2500', 'node2-51d8e999.xml.gz|urlset|inserted|2500', 'sitemap.xml|index|inserted|2' ],
	'a run: files of two nodes, and the index');
is_deeply(
	[ rows('SELECT tableoid::regclass, section, name FROM site_files') ],
	[
		'site_files_index|sitemap|sitemap.xml',
		'site_files_node1|node1|node1-51d8e999.xml.gz',
		'site_files_node2|node2|node2-51d8e999.xml.gz'
	],
	'the target has all of it');
is_deeply([ listed() ], [ 'node1-51d8e999.xml.gz', 'node2-51d8e999.xml.gz' ], 'the index lists the files');
foreach my $n (1, 2)
{
	my $expected = qq{SELECT name, digest FROM sitemap_files('SELECT path AS loc, changed AS lastmod FROM public.page ORDER BY id',
	                    'https://www.example.com/', section => 'node$n', split => 'stable', compression => 6, index => 'always')
	                  WHERE kind <> 'index'};

	is( sql("SELECT name, digest FROM site_files WHERE section = 'node$n'"),
		$nodes[ $n - 1 ]->safe_psql('postgres', $expected),
		"the files of node $n are those of its pages");
}
is_deeply([ map { (split /\|/)[2] } rows($run) ], [ ('unchanged') x 3 ], 'nothing changes');

# The index has seconds: what was changed long ago differs from what changes now.
age();

# The index does not read the files' content, nor does a change of it.
my @offsets = map { -s $_->logfile } @nodes;
$nodes[1]->safe_psql('postgres', q{UPDATE page SET path = path || 'x' WHERE id = 2500});
is_deeply(
	[ map { (split /\|/)[2] } rows($run) ],
	[ 'unchanged', 'updated', 'updated' ],
	'a page changes: its file and the index');
foreach my $n (0, 1)
{
	my $log = slurp_file($nodes[$n]->logfile, $offsets[$n]);

	like($log, qr/\tSELECT section, name, kind, loc, lastmod, url_count, byte_count, digest FROM public\.site_files WHERE \(\(base_url = '/m,
		'the coordinator reads the rows of node ' . ($n + 1));
	unlike($log, qr/\tSELECT [^\n]*\bcontent\b[^\n]* FROM public\.site_files/m, 'and not their content');
}

# What fails at one node leaves both as they were.
age();
my $before = state();
$nodes[1]->safe_psql('postgres', q{UPDATE page SET path = path || 'y' WHERE id = 2; INSERT INTO page VALUES (5002, 'ftp://a/')});
$nodes[0]->safe_psql('postgres', q{UPDATE page SET path = path || 'y' WHERE id = 1});
my ($status, $output, $errors) = $coordinator->psql('postgres', $run, on_error_stop => 1);
like($errors, qr/invalid loc: the scheme is neither http nor https\nDETAIL:  Row 2501 has the loc "ftp:/, 'a row that is not valid');
is(state(), $before, 'nothing has changed at either node');
$nodes[1]->safe_psql('postgres', 'DELETE FROM page WHERE id = 5002');
is_deeply(
	[ map { (split /\|/)[2] } rows($run =~ s/COMMIT/ROLLBACK/r) ],
	[ 'updated', 'updated', 'updated' ],
	'a run that is rolled back');
is(state(), $before, 'nothing has changed then');

# One node commits and the coordinator does not: the old index lists files that are gone,
# until the index is written by itself.
$nodes[0]->safe_psql('postgres', $node_setup =~ s/.*(?=CREATE VIEW)//sr =~ s/CREATE VIEW/CREATE OR REPLACE VIEW/r
	  =~ s/section => 'node1'/section => 'node1', max_urls => 100, max_shrink => 1/r);
sql($run);
is_deeply([ listed() ], [ files() ], 'many files of a node are listed');
$nodes[0]->safe_psql('postgres', 'DELETE FROM page WHERE id > 500; TABLE publish_node');
my @files = files();
my @gone = grep { my $name = $_; !grep { $_ eq $name } @files } listed();
cmp_ok(scalar(@gone), '>', 0, 'a run that only one node commits: the index lists files that are gone');
my ($index) = $run =~ /^(SELECT \* FROM sitemap_publish_index.*?;)/m;
like(sql($index), qr/^sitemap\.xml\|index\|updated\|${\ scalar @files}\|\d+$/, 'sitemap_publish_index');
is_deeply([ listed() ], \@files, 'lists the files that are there');
is_deeply([ grep { !/\|unchanged\|/ } rows($run) ], [], 'which are those of a run');

# A job instead of the view.
my $job = q{
	CREATE TABLE site OF sitemap_job (PRIMARY KEY (base_url, section));
	INSERT INTO site (target, section, base_url, query, index)
	VALUES ('site_files', 'node1', 'https://www.example.com/', 'SELECT path AS loc, changed AS lastmod FROM public.page ORDER BY id', 'never');
	CALL sitemap_run('site');
	SELECT written > 0, error IS NULL FROM site};
age();
$nodes[0]->safe_psql('postgres', q{DROP VIEW publish_node; UPDATE page SET path = path || 'z' WHERE id = 3});
is($nodes[0]->safe_psql('postgres', $job), 't|t', 'a job of a node');
like(sql($index), qr/\|updated\|/, 'the index of what it has written');
is_deeply([ listed() ], [ files() ], 'lists the files that are there');

# Keys of a node, which fails when "changes" is executed again to count missed files: the run
# goes on without the count.  If the node's session ends, the transaction cannot commit, and
# this failure is recorded.
$nodes[0]->safe_psql(
	'postgres', q{
	CREATE SEQUENCE execution;
	CREATE TABLE failure (statement text);
	INSERT INTO failure VALUES ('SELECT 1 / 0');
	CREATE FUNCTION changed() RETURNS int LANGUAGE plpgsql AS $$
	BEGIN
		IF nextval('public.execution') = 2 THEN
			EXECUTE (SELECT statement FROM public.failure);
		END IF;
		RETURN 50;
	END $$;
	CREATE VIEW change AS SELECT changed() AS id});
sql(q{
	CREATE FOREIGN TABLE change (id int) SERVER node1 OPTIONS (schema_name 'public');
	CREATE TABLE page AS SELECT n AS id, '/p/' || n AS path FROM generate_series(1, 1000) n;
	CREATE TABLE missed_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE missed_site OF sitemap_job (PRIMARY KEY (base_url, section));
	INSERT INTO missed_site (target, section, base_url, query, max_urls)
	VALUES ('missed_files', 'pages', 'https://www.example.com/', 'SELECT path AS loc, id AS key FROM public.page ORDER BY id', 100);
	CALL sitemap_run('missed_site');
	UPDATE missed_site SET changes = 'SELECT id FROM public.change', full_at = 'epoch', missed = 7;
	UPDATE page SET path = path || 'x' WHERE id = 700;
	CALL sitemap_run('missed_site')});
is(sql('SELECT written, missed, error FROM missed_site'), '2||', 'an error of the second execution: not counted');
$nodes[0]->safe_psql('postgres', q{
	ALTER SEQUENCE execution RESTART; UPDATE failure SET statement = 'SELECT pg_terminate_backend(pg_backend_pid())'});
sql(q{UPDATE missed_site SET full_at = 'epoch'; UPDATE page SET path = path || 'x' WHERE id = 700});
($status, $output, $errors) = $coordinator->psql('postgres', q{CALL sitemap_run('missed_site')});
like($errors, qr/^psql:.*ERROR:  1 job failed$/m, 'a session that ends in it');
like(sql('SELECT error FROM missed_site'), qr/^connection to server "node1"/, 'is recorded');

$_->stop foreach $coordinator, @nodes;
done_testing();

# Has all files be of long ago, in the index too.
sub age
{
	$_->safe_psql('postgres', q{UPDATE site_files SET lastmod = '2001-01-01 00:00Z'}) foreach @nodes;
	sql($run);
	return;
}

# The blocks of a recipe in doc/shards.md, below the heading of that name.
sub recipe
{
	my ($heading) = @_;
	my ($text) = slurp_file("$FindBin::RealBin/../../doc/shards.md") =~ /^## \Q$heading\E\n(.*?)(?:^#|\z)/ms
	  or die "the document has no recipe for $heading";

	return $text =~ /^```pgsql\n(.*?)^```\n/msg;
}

# The rows of statements' results, sorted.
sub rows
{
	my ($statements) = @_;

	return sort split /\n/, sql($statements);
}

sub listed
{
	return rows(
		q{SELECT m[1] FROM site_files, regexp_matches(convert_from(content, 'UTF8'), '<loc>https://www.example.com/(.*?)</loc>', 'g') m
		   WHERE kind = 'index'});
}

# The files of the nodes.
sub files
{
	return rows(q{SELECT name FROM site_files WHERE kind <> 'index'});
}

# All rows there are, to the transaction that wrote them.
sub state
{
	return join "\n",
	  map { $_->safe_psql('postgres', 'SELECT name, ctid, xmin, digest FROM site_files ORDER BY name') } $coordinator, @nodes;
}

