# The calls from code in doc/applications.md, of jobs and without, with psycopg 2, psycopg 3,
# SQLAlchemy and node-postgres.
use FindBin;
use lib $FindBin::RealBin;
use Node;

my $document = slurp_file("$FindBin::RealBin/../../doc/applications.md");
my $node = start_node();
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE page (id int PRIMARY KEY, path text, changed timestamptz);
	INSERT INTO page VALUES (1, '/it''s/1', '2026-03-01 12:00Z'), (2, '/its/2', '2026-03-02 12:00Z');
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE site OF sitemap_job (PRIMARY KEY (base_url, section));
	INSERT INTO site (target, base_url, section, query)
	VALUES ('site_files', 'https://www.example.com/', 'pages', 'SELECT * FROM public.sitemap_page ORDER BY key')}
	  . ';' . block($document, 'pgsql', 'CREATE VIEW'));
local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => 'postgres', PGUSER => scalar getpwuid($<));

my %pages = (
	pages => "https://www.example.com/|\nhttps://www.example.com/about|\n"
	  . "https://www.example.com/it's/1|2026-03-01T12:00:00Z\nhttps://www.example.com/its/2|2026-03-02T12:00:00Z",
	its => "https://www.example.com/it's/1|");

foreach my $driver ('psycopg2', 'psycopg')
{
	my ($python) = grep { runs($_, '-c', "import $driver") } 'python3', '/usr/bin/python3';

  SKIP:
	{
		skip "$driver is not here", 6 unless $python;
		my $connect = "import $driver\nconnection = $driver.connect('')\n";
		my $run = block($document, 'python', 'CALL sitemap_run');

		publishes($driver, 'pages', $python, '-c', "$connect$run");
		refused($driver, $python, '-c', $connect . $run =~ s/^.*autocommit.*\n//r);
		publishes($driver, 'its', $python, '-c',
			$connect . "cursor = connection.cursor()\n" . block($document, 'python', 'starts_with') . "connection.commit()\n");
	}
}
SKIP:
{
	skip 'node or its package pg is not here', 4 unless runs('node', '-e', q{require('pg')});
	my @call = map { "const client = new (require('pg').Client)();\n(async () => { await client.connect();\n$_\nawait client.end(); })();" }
	  map { "$_ await client.query(\"CALL sitemap_run('site')\");" } '', 'await client.query("BEGIN");';

	publishes('node-postgres', 'pages', 'node', '-e', $call[0]);
	refused('node-postgres', 'node', '-e', $call[1]);
}
test_active_storage();
$node->stop;
done_testing();

# The images of a product, and no other attachments, in the tables of ActiveStorage.
sub test_active_storage
{
	sql(q{
		CREATE TABLE active_storage_blobs (id bigint PRIMARY KEY, key varchar NOT NULL);
		CREATE TABLE active_storage_attachments (id bigint PRIMARY KEY, name varchar NOT NULL, record_type varchar NOT NULL,
		  record_id bigint NOT NULL, blob_id bigint NOT NULL REFERENCES active_storage_blobs);
		INSERT INTO active_storage_blobs VALUES (1, 'xtapjjcjiudrlk3tmwyjgpuobabd'), (2, 'b'), (3, 'c');
		INSERT INTO active_storage_attachments VALUES (1, 'image', 'Product', 7, 1), (2, 'manual', 'Product', 7, 2), (3, 'image', 'User', 7, 3)});
	sql(block($document, 'pgsql', 'active_storage_blobs'));
	is(sql('SELECT * FROM product_image'), '7|https://cdn.example.com/xtapjjcjiudrlk3tmwyjgpuobabd', 'an image of ActiveStorage');
	return;
}

# What the section has, after a call by that program and no other.
sub publishes
{
	my ($driver, $section, @command) = @_;

	sql('DELETE FROM site_files');
	command_ok(\@command, "$driver: $section");
	is( sql(
			"SELECT e.loc, e.lastmod FROM site_files, sitemap_parse(content) e WHERE section = '$section' AND kind = 'urlset'"),
		$pages{$section},
		"$driver: its pages");
	return;
}

# The same call in a transaction block.
sub refused
{
	my ($driver, @command) = @_;

	command_fails_like(\@command, qr/cannot run inside a transaction block/, "$driver: in a transaction block");
	return;
}
