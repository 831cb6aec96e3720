# A cluster that Citus shards, where the server has Citus: rows, and the files that
# are published, are spread over two workers, and come out as from one server.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($library) = run_command([ 'pg_config', '--pkglibdir' ]);
plan skip_all => 'Citus is not here' unless -e "$library/citus.so";

my ($coordinator, @workers) = map { new_node($_) } 'coordinator', 'worker1', 'worker2';

sql("SELECT citus_set_coordinator_host('" . $coordinator->host . "', " . $coordinator->port . ')');
sql("SELECT citus_add_node('" . $_->host . "', " . $_->port . ')') foreach @workers;
sql('CREATE EXTENSION sitemap');
foreach my $worker (@workers)
{
	is($worker->safe_psql('postgres', q{SELECT extversion FROM pg_extension WHERE extname = 'sitemap'}),
		sql(q{SELECT default_version FROM pg_available_extensions WHERE name = 'sitemap'}),
		$worker->name . ' has the extension, too');
}

# The same pages on one server, and spread; no aggregate has more than 50,000.
sql(
	q{
	CREATE TABLE page AS
	SELECT n AS id, n % 7 AS site, '/é/' || n || '&x' AS loc,
	       timestamptz '2026-01-01 00:00Z' + n * interval '1 minute' AS changed,
	       timestamp '2026-01-01 00:00' + n * interval '1 second' AS saved,
	       date '2026-01-01' + n % 300 AS day, n % 11 / 10.0::float8 AS priority
	  FROM generate_series(1, 5000) n;
	CREATE TABLE spread (LIKE page);
	SELECT create_distributed_table('spread', 'id');
	INSERT INTO spread TABLE page});
test_aggregates();
test_files();
test_publish($_) foreach 'reference', 'distributed';
$_->stop foreach $coordinator, @workers;
done_testing();

# Workers make parts of a document; they come in any order, and so do its entries.
sub test_aggregates
{
	foreach my $call (
		q{sitemap_agg('http://a' || loc, changed, 'daily', priority)},
		q{sitemap_agg('http://a' || loc, saved)},
		q{sitemap_agg('http://a' || loc, day)},
		q{sitemap_agg('http://a' || loc, day::text)},
		q{sitemap_agg(sitemap_url('http://a' || loc, changed, extensions => ARRAY[sitemap_image('http://a/' || id), sitemap_alternate('de', 'http://a' || loc)]))},
		q{sitemap_index_agg('http://a' || loc, changed)},
		q{sitemap_text_agg('http://a' || loc)})
	{
		is(entries("SELECT $call FROM spread"), entries("SELECT $call FROM page"), $call);
		is(entries("SELECT $call FROM spread GROUP BY site"), entries("SELECT $call FROM page GROUP BY site"),
			"$call, in groups");
	}
	like(
		sql(q{EXPLAIN (VERBOSE) SELECT sitemap_agg('http://a' || loc) FROM spread}),
		qr/partial_agg/,
		'workers take part in it')
	  if sql(q{SELECT split_part(extversion, '.', 1)::int >= 15 FROM pg_extension WHERE extname = 'citus'}) eq 't';
	is( sql(q{SELECT sitemap_agg('http://a' || loc ORDER BY id) FROM spread}),
		sql(q{SELECT sitemap_agg('http://a' || loc ORDER BY id) FROM page}),
		'an order that is asked for');
	return;
}

sub test_files
{
	is(files('spread', 'max_urls => 700'), files('page', 'max_urls => 700'), 'sitemap_files');
	is(sql(q{SELECT * FROM sitemap_audit('SELECT loc FROM public.spread', 'http://a/')}),
		'', 'sitemap_audit: clean');
	sql(q{INSERT INTO spread (id, loc) VALUES (5001, 'http://b/')});
	is( sql(q{SELECT row_number, loc, problem FROM sitemap_audit('SELECT loc FROM public.spread ORDER BY id', 'http://a/')}),
		'5001|http://b/|loc_outside',
		'sitemap_audit: one problem');
	sql('DELETE FROM spread WHERE id = 5001');
	return;
}

# A target that is on every node, or spread by the names of its files.
sub test_publish
{
	my ($kind) = @_;
	my $create = { reference => q{create_reference_table('target')},
		distributed => q{create_distributed_table('target', 'name')} }->{$kind};

	sql(qq{CREATE TABLE target OF sitemap_file (PRIMARY KEY (name)); SELECT $create});
	is(publish('max_urls => 700'), 'inserted', "$kind target: new");
	is(publish('max_urls => 700'), 'unchanged', "$kind target: nothing to do");
	sql(q{UPDATE spread SET loc = loc || 'y' WHERE id = 2500});
	is(publish('max_urls => 700'), 'unchanged updated', "$kind target: a page changes");
	is(publish('max_urls => 500'), 'deleted inserted updated', "$kind target: shorter files");
	is(publish(q{max_urls => 500, section => 'more'}), 'inserted updated', "$kind target: another section");
	is( publish(q{max_urls => 500, section => 'more', max_shrink => 1}, 'WHERE false'),
		'deleted updated',
		"$kind target: without it");
	is( sql(q{SELECT name, digest FROM target WHERE kind <> 'index' ORDER BY name COLLATE "C"}),
		files('spread', q{max_urls => 500, split => 'stable', compression => 6, index => 'never'}),
		"$kind target: its files are those of sitemap_files");
	sql(q{DROP TABLE target; UPDATE spread SET loc = rtrim(loc, 'y') WHERE id = 2500});
	return;
}

# What became of files, each action once.
sub publish
{
	my ($options, $where) = @_;
	my $query = 'SELECT loc, changed AS lastmod FROM public.spread ' . ($where // 'ORDER BY id');

	return sql(
		qq{SELECT string_agg(DISTINCT action, ' ' ORDER BY action)
		     FROM sitemap_publish('target', '$query', 'http://a/', $options)});
}

sub files
{
	my ($table, $options) = @_;

	return sql(
		qq{SELECT name, digest
		     FROM sitemap_files('SELECT loc, changed AS lastmod FROM public.$table ORDER BY id', 'http://a/', $options)
		    ORDER BY name COLLATE "C"});
}

# The entries of documents, sorted.
sub entries
{
	my @documents = split /\n/, sql($_[0]);

	return join "\n", sort map { split m{(?=<url>|<sitemap>|</urlset>|</sitemapindex>)} } @documents;
}

sub sql
{
	my ($statements) = @_;

	return $coordinator->safe_psql('postgres', $statements);
}

sub new_node
{
	my ($name) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
	$node->append_conf(
		'postgresql.conf', q{
fsync = off
shared_preload_libraries = 'citus'
wal_level = logical
max_connections = 200
max_prepared_transactions = 200
});
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION citus');
	return $node;
}
