# Column "shown" in other encodings, parallel plans and isolation levels, in a foreign
# partition, and for a site with many pages.
use utf8;
use Encode qw(encode_utf8);
use FindBin;

use lib $FindBin::RealBin;
use Node;

my $node = start_node("TimeZone = UTC\n");

# What a page shows has one digest in all encodings that have its characters.
my %states;
foreach my $encoding (qw(UTF8 LATIN1 EUC_JP SQL_ASCII))
{
	my $database = lc $encoding;

	sql("CREATE DATABASE $database ENCODING '$encoding' LOCALE 'C' TEMPLATE template0");
	$states{$encoding} = $node->safe_psql(
		$database, encode_utf8(q{
			CREATE EXTENSION sitemap;
			CREATE TABLE files OF sitemap_file (PRIMARY KEY (base_url, name));
			SET client_min_messages = warning;
			SELECT count(*) FROM sitemap_publish('files', 'SELECT ''/é'' AS loc, 1 AS key, ''é § ×'' AS shown', 'https://www.example.com/');
			SELECT encode(shown, 'hex') FROM files WHERE kind = 'urlset'}),
		extra_params => [ '-q', '-v', 'ON_ERROR_STOP=1' ], connstr => $node->connstr($database) . ' client_encoding=' . ($encoding eq 'SQL_ASCII' ? 'SQL_ASCII' : 'UTF8'));
	is($states{$encoding}, $states{UTF8}, "$encoding: the states of UTF8");
}
like($states{UTF8}, qr/^2\n73686f776e20310a[0-9a-f]{48}$/, 'a header and a page');
like(
	$node->safe_psql('sql_ascii', q{
		SELECT count(*) FROM sitemap_publish('files', 'SELECT ''/x'' AS loc, 1 AS key, E''\xe9'' AS shown', 'https://www.example.com/')}),
	qr/^2$/, 'bytes that are no text are hashed as they are');

# Pages of several files, published by this query; edits change one of them.
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE page (id int PRIMARY KEY, title text, visits int DEFAULT 0);
	INSERT INTO page SELECT n, 'title ' || n FROM generate_series(1, 5000) n;
	ANALYZE page;
	CREATE TABLE files OF sitemap_file (PRIMARY KEY (base_url, name))});
my $query = q{SELECT '/page/' || id AS loc, id AS key, title AS shown FROM public.page ORDER BY id};

sub publish
{
	my ($target, $settings) = @_;

	return sql(qq{
		SET client_min_messages = warning;
		$settings;
		SELECT string_agg(DISTINCT action, ' ' ORDER BY action)
		  FROM sitemap_publish('$target', \$q\$$query\$q\$, 'https://www.example.com/', max_urls => 500) WHERE kind <> 'index'});
}

# The pages that have a lastmod.
sub dated
{
	my ($target) = @_;

	return sql(qq{
		SELECT string_agg(substring(p.loc FROM '\\d+\$'), ' ' ORDER BY p.loc)
		  FROM $target f, sitemap_parse(f.content) p WHERE f.kind = 'urlset' AND p.lastmod IS NOT NULL});
}

my $force = sql(q{SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')});
is(publish('files', "SET $force = on"), 'inserted', 'a first run in parallel mode');
sql("UPDATE page SET title = 'other' WHERE id = 4321");
is(publish('files', "SET $force = on"), 'unchanged updated', 'a change in parallel mode');
is(dated('files'), '4321', 'the page that changed has a lastmod');
sql("UPDATE page SET title = 'other' WHERE id = 17");
is(publish('files', 'BEGIN ISOLATION LEVEL SERIALIZABLE') , 'unchanged updated', 'serializable');
is(dated('files'), '4321', 'rolled back');
is(sql(qq{
	BEGIN ISOLATION LEVEL REPEATABLE READ;
	SELECT string_agg(DISTINCT action, ' ' ORDER BY action) FROM sitemap_publish('files', \$q\$$query\$q\$, 'https://www.example.com/', max_urls => 500);
	COMMIT}), 'unchanged updated', 'repeatable read');
is(dated('files'), '17 4321', 'committed');

# A partition that is a foreign table.
SKIP:
{
	skip 'without postgres_fdw', 3
	  if $node->psql('postgres', 'CREATE EXTENSION postgres_fdw') != 0;
	my ($host, $port) = ($node->host, $node->port);

	sql(qq{
		CREATE DATABASE far;
		CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'far');
		CREATE USER MAPPING FOR CURRENT_USER SERVER far});
	$node->safe_psql('far', 'CREATE EXTENSION sitemap; CREATE TABLE files OF sitemap_file (PRIMARY KEY (base_url, name))');
	sql(q{
		CREATE TABLE spread (LIKE sitemap_file) PARTITION BY LIST (base_url);
		CREATE FOREIGN TABLE spread_far PARTITION OF spread DEFAULT SERVER far OPTIONS (table_name 'files')});
	is(publish('spread', ''), 'inserted', 'a first run in a foreign partition');
	sql("UPDATE page SET title = 'far' WHERE id = 99; UPDATE page SET visits = 1");
	is(publish('spread', ''), 'unchanged updated', 'a change');
	is(dated('spread'), '99', 'the page that changed has a lastmod');
}

# Memory: that of a few files' states, however many there are.
sql(q{
	CREATE TABLE many OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE memory (pages int, bytes bigint);
	CREATE FUNCTION measure(pages int) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
	  -- a tuplestore holds work_mem
	  PERFORM set_config('sitemap.bytes', greatest(current_setting('sitemap.bytes')::bigint, sum(total_bytes)::bigint)::text, false)
	     FROM pg_backend_memory_contexts;
	  RETURN 'text';
	END
	$$});
my @bytes;
foreach my $pages (100000, 400000)
{
	my $text = qq{SELECT '/x' || n AS loc, n AS key, CASE WHEN n % 20000 = 0 THEN public.measure($pages) ELSE 'text' END AS shown FROM generate_series(1, $pages) n};

	push @bytes, sql(qq{
		SET work_mem = '1MB';
		SET sitemap.bytes = 0;
		TRUNCATE many;
		SELECT FROM sitemap_publish('many', '${\ ($text =~ s/'/''/gr)}', 'https://www.example.com/', compression => 1);
		SELECT FROM sitemap_publish('many', '${\ ($text =~ s/'/''/gr)}', 'https://www.example.com/', compression => 1);
		SELECT current_setting('sitemap.bytes')}, extra_params => ['-q']);
	$bytes[-1] =~ s/\s//g;
}
note("bytes: @bytes");
cmp_ok($bytes[1], '<', $bytes[0] + 3 * 1024 * 1024, '400,000 pages take as much memory as 100,000');

$node->stop;
done_testing();
