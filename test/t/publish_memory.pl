# The memory of sitemap_publish for each file of the target.
use FindBin;
use lib $FindBin::RealBin;
use Node;

# Files that wait take work_mem at most.
my $node = start_node("work_mem = 64kB\n");

# The memory when the index is written: the files of the section were listed.
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE memory (run serial, bytes bigint);
	CREATE FUNCTION measure() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
	  INSERT INTO memory (bytes) SELECT sum(total_bytes) FROM pg_backend_memory_contexts;
	  RETURN NULL;
	END
	$$;
	CREATE TRIGGER measure AFTER INSERT OR UPDATE ON target FOR EACH ROW WHEN (NEW.kind = 'index') EXECUTE FUNCTION measure()});

my $files = 20000;
foreach my $pages ($files, $files + 1)
{
	sql(qq{
		SELECT FROM sitemap_publish('target', 'SELECT ''/x'' || n AS loc, n AS key FROM generate_series(1, $pages) n',
		                            'http://www.example.com/', max_urls => 1, compression => 0)});
}
my $bytes = sql('SELECT max(bytes) - min(bytes) FROM memory') / $files;
cmp_ok($bytes, '<', 750, "the files that are there: $bytes bytes each");

# The memory of each range of keys that a run reads, for a query with a column "shown".
my $ranges = 1600;
sql(q{
	CREATE TABLE page AS SELECT n AS id, '/' || n AS loc, 1 AS shown FROM generate_series(1, 400000) n;
	CREATE UNIQUE INDEX ON page (id);
	ANALYZE page;
	TRUNCATE target, memory});
my $notices = '';
foreach my $every (0, 200000, 400000 / $ranges)
{
	my $status = $node->psql('postgres', qq{
		UPDATE page SET shown = shown + 1 WHERE id % @{[$every || 500000]} = 0;
		SELECT FROM sitemap_publish('target', 'SELECT loc, id AS key, shown::text FROM public.page ORDER BY id', 'http://www.example.com/',
		                            max_urls => 40, changes => @{[$every ? "'SELECT id FROM public.page WHERE id % $every = 0'" : 'NULL']})},
		stderr => \my $notice);
	$notices .= "$status $notice";
}
is($notices, '0 0 0 ', 'a run reads ranges');
my ($most, $few) = split /\n/, sql('SELECT bytes FROM memory ORDER BY run DESC LIMIT 2');
$bytes = ($most - $few) / $ranges;
cmp_ok($bytes, '<', 400, "the ranges: $bytes bytes each");

$node->stop;
done_testing();
