# A cluster that Citus shards, where the server has Citus: rows, and the files that
# are published, are spread over two workers, and come out as from one server.
use FindBin;
use lib $FindBin::RealBin;
use Node;

my ($library) = run_command([ 'pg_config', '--pkglibdir' ]);
plan skip_all => 'Citus is not here' unless -e "$library/citus.so";

my $settings = q{
shared_preload_libraries = 'citus'
wal_level = logical
max_connections = 200
max_prepared_transactions = 200
};
my ($coordinator, @workers) = map { new_node($_, $settings) } 'coordinator', 'worker1', 'worker2';
foreach my $node ($coordinator, @workers)
{
	$node->append_conf('postgresql.conf', "citus.local_hostname = '" . $node->host . "'\n");
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION citus');
}

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
sql(q{
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
test_shards();
test_many_shards();
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
	like(
		sql(q{EXPLAIN (VERBOSE, COSTS OFF) SELECT sitemap_agg('http://a' || loc ORDER BY id) FROM spread GROUP BY id}),
		qr/\ACustom Scan \(Citus Adaptive\).*Task.*Aggregate\n *Output: sitemap_agg\(/s,
		'groups by the column that shards the table are made by the workers, in an order that is asked for');
	is( sql(q{SELECT sitemap_agg('http://a' || loc ORDER BY id) FROM spread}),
		sql(q{SELECT sitemap_agg('http://a' || loc ORDER BY id) FROM page}),
		'an order that is asked for');
	return;
}

sub test_files
{
	is(files('spread', 'max_urls => 700'), files('page', 'max_urls => 700'), 'sitemap_files');
	is(sql(q{SELECT * FROM sitemap_audit('SELECT loc FROM public.spread', 'https://www.example.com/')}),
		'', 'sitemap_audit: clean');
	sql(q{INSERT INTO spread (id, loc) VALUES (5001, 'http://b/')});
	is( sql(q{SELECT row_number, loc, problem FROM sitemap_audit('SELECT loc FROM public.spread ORDER BY id', 'https://www.example.com/')}),
		'5001|http://b/|loc_outside',
		'sitemap_audit: one problem');
	sql('DELETE FROM spread WHERE id = 5001');
	return;
}

# A target that is on every node, or spread by the names of its files.
sub test_publish
{
	my ($kind) = @_;
	my $create = {
		reference => q{create_reference_table('target'), create_reference_table('feed')},
		distributed => q{create_distributed_table('target', 'name'), create_distributed_table('feed', 'base_url')} }->{$kind};

	sql(qq{
		CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));
		CREATE TABLE feed OF sitemap_change;
		SELECT $create});
	is(publish('max_urls => 700'), 'inserted', "$kind target: new");
	is(publish('max_urls => 700'), 'unchanged', "$kind target: nothing to do");
	sql(q{UPDATE spread SET loc = loc || 'y' WHERE id = 2500});
	is(publish(q{max_urls => 700, feed => 'feed'}), 'unchanged updated', "$kind target: a page changes");
	is(sql('SELECT base_url, section, loc, action, lastmod FROM feed ORDER BY loc'),
		"http://a/|sitemap|http://a/%C3%A9/2500&x|removed|\nhttp://a/|sitemap|http://a/%C3%A9/2500&xy|added|2026-01-02T17:40:00Z", "$kind target: its feed");
	foreach my $column ('base_url', $kind eq 'distributed' ? 'loc' : ())
	{
		sql(q{SELECT alter_distributed_table('feed', distribution_column => 'loc')}) if $column eq 'loc';
		sql(q{TRUNCATE feed; UPDATE spread SET changed = to_timestamp(1800000000 + id)});
		is(publish(q{max_urls => 700, feed => 'feed'}), 'updated', "$kind target: all pages change");
		is(sql('SELECT count(*), count(DISTINCT loc), count(DISTINCT at), min(action), max(action) FROM feed'),
			'5000|5000|1|changed|changed', "$kind target: its feed by $column");
		sql(q{UPDATE spread SET changed = to_timestamp(1767225600 + 60 * id)});
		publish('max_urls => 700');
	}
	is(publish('max_urls => 500'), 'deleted inserted updated', "$kind target: shorter files");
	is(publish(q{max_urls => 500, section => 'more'}), 'inserted updated', "$kind target: another section");
	is( publish(q{max_urls => 500, section => 'more', max_shrink => 1}, 'WHERE false'),
		'deleted updated',
		"$kind target: without it");
	is( sql(q{SELECT name, digest FROM target WHERE kind <> 'index' ORDER BY name COLLATE "C"}),
		files('spread', q{max_urls => 500, split => 'stable', compression => 6, index => 'never'}),
		"$kind target: its files are those of sitemap_files");
	my $shown = q{
		SELECT string_agg(DISTINCT action, ' ' ORDER BY action)
		  FROM sitemap_publish('target', 'SELECT ''/shown/'' || id AS loc, id AS key, loc AS shown FROM spread ORDER BY id',
		                       'http://a/', section => 'shown', max_urls => 700)
		 WHERE kind <> 'index'};
	is(sql($shown), 'inserted', "$kind target: what pages show");
	sql(q{UPDATE spread SET loc = loc || 'z' WHERE id = 77});
	is(sql($shown), 'unchanged updated', "$kind target: a page shows something else");
	is(sql(q{SELECT p.loc FROM target t, sitemap_parse(t.content) p WHERE t.section = 'shown' AND p.lastmod IS NOT NULL}),
		'http://a/shown/77', "$kind target: that page has a lastmod");
	sql(q{DROP TABLE target, feed; UPDATE spread SET loc = rtrim(loc, 'yz') WHERE id IN (77, 2500)});
	return;
}

# Each shard publishes its own pages, as doc/shards.md has it, and the index is made at the end.
sub test_shards
{
	my ($recipe) = slurp_file("$FindBin::RealBin/../../doc/shards.md") =~ /^## Citus\n(.*?)^#/ms;
	my ($setup, $run) = $recipe =~ /^```pgsql\n(.*?)^```\n/msg;
	my $action = sub { join ' ', map { (split /\|/)[2] } sort split /\n/, sql($_[0]) };
	my $state = sub { sql('SELECT name, xmin, digest FROM site_files ORDER BY name') };

	sql(q{
		SET citus.shard_count = 4;
		DROP TABLE page;
		CREATE TABLE page (id bigint PRIMARY KEY, path text, changed timestamptz);
		SELECT create_distributed_table('page', 'id', colocate_with => 'none');
		INSERT INTO page SELECT n, '/p/' || n, timestamptz '2026-01-01 00:00Z' + n * interval '1 minute'
		  FROM generate_series(1, 5000) n});
	sql($setup);
	is($action->($run), join(' ', ('inserted') x 5), 'shards: four files and the index');
	is(sql(q{SELECT sum(url_count), count(*) FROM site_files WHERE kind <> 'index'}), '5000|4', 'with all pages');
	is(sql(q{SELECT regexp_count(convert_from(content, 'UTF8'), '<sitemap>') FROM site_files WHERE kind = 'index'}),
		'4', 'and listed');
	foreach my $anchor (split /\n/, sql('SELECT anchor FROM site_anchor'))
	{
		my $shard = sql("SELECT get_shard_id_for_distribution_column('page', $anchor)");
		my $query = "SELECT path AS loc, changed AS lastmod FROM public.page WHERE get_shard_id_for_distribution_column(''public.page'', id) = $shard ORDER BY id";

		is( sql("SELECT anchor, name, digest FROM site_files WHERE section = 'shard-$anchor'"),
			sql(qq{SELECT $anchor, name, digest FROM sitemap_files('$query', 'https://www.example.com/', section => 'shard-$anchor',
				                                                       split => 'stable', compression => 6, index => 'always')
			        WHERE kind <> 'index'}),
			"the files of a shard are those of its pages");
	}
	my ($select) = $run =~ /^(SELECT p\..*?;)/ms;
	like(sql("EXPLAIN $select"), qr/Task Count: 4.*Function Scan on sitemap_publish/s, 'the plan has a task for each shard');
	is($action->($run), join(' ', ('unchanged') x 5), 'nothing changes');

	sql(q{UPDATE page SET path = path || 'x' WHERE id = 77; UPDATE site_files SET lastmod = '2001-01-01 00:00Z'});
	my ($status, $output, $notices) = $coordinator->psql('postgres', $run, extra_params => [ '-v', 'ON_ERROR_STOP=1' ],
		connstr => $coordinator->connstr('postgres') . q{ options='-c citus.log_remote_commands=on'});
	is(join(' ', sort map { (split /\|/)[2] } grep { /\|/ } split /\n/, $output),
		'unchanged unchanged unchanged updated updated', 'a page changes: its file and the index');
	my $connections = () = $notices =~ /issuing BEGIN TRANSACTION/g;
	is(scalar(() = $notices =~ /issuing PREPARE TRANSACTION/g), $connections, 'all workers commit in two phases');
	unlike($notices, qr/issuing SELECT [^\n]*\bcontent\b(?! IS (?:NOT )?NULL)[^\n]* FROM public\.site_files/, 'the index reads no content');

	# What one shard refuses leaves all as they were, and says why.
	my $before = $state->();
	sql(q{UPDATE page SET path = path || 'y' WHERE id % 2 = 0; INSERT INTO page VALUES (5001, 'ftp://a/')});
	($status, $output, $notices) = $coordinator->psql('postgres', $run);
	like($notices, qr/invalid loc: the scheme is neither http nor https\nDETAIL:  Row \d+ has the loc "ftp:/, 'a row that is not valid, in one shard');
	is($state->(), $before, 'nothing has changed in any');
	sql('DELETE FROM page WHERE id = 5001');
	is($action->($run), join(' ', ('updated') x 5), 'without it, all change');

	# A shard is split.  Its section has half of the pages, and the new shard a section of its own.
	my ($shard, $point) = split /\|/, sql(
		q{SELECT shardid, (shardminvalue::bigint + shardmaxvalue::bigint) / 2 - 100000000
		    FROM pg_dist_shard WHERE logicalrelid = 'page'::regclass ORDER BY shardid LIMIT 1});
	my $workers = join ', ', split /\n/, sql('SELECT nodeid FROM pg_dist_node WHERE shouldhaveshards ORDER BY nodeid LIMIT 2');
	sql("SELECT citus_split_shard_by_split_points($shard, ARRAY['$point'], ARRAY[$workers], 'block_writes')");
	$before = $state->();
	($status, $output, $notices) = $coordinator->psql('postgres', $run);
	like($notices, qr/ERROR:  section "shard-\d+" would shrink from \d+ URLs to \d+/, 'after a split of a shard: max_shrink');
	is($state->(), $before, 'nothing has changed');
	sql($run =~ s/index => 'never'/index => 'never', max_shrink => 1/r);
	is( sql(q{SELECT sum(url_count), count(*) FROM site_files WHERE kind <> 'index'}), '5000|5', 'with max_shrink => 1 all pages are there');
	is($action->($run), join(' ', ('unchanged') x 6), 'and the next run changes nothing');
	return;
}

# With 256 shards, of which a few hundred pages leave some empty, all pages are published:
# at first, when the empty shards get pages, and after a shard has lost all of its own.
sub test_many_shards
{
	my ($recipe) = slurp_file("$FindBin::RealBin/../../doc/shards.md") =~ /^## Citus\n(.*?)^#/ms;
	my ($setup, $run) = $recipe =~ /^```pgsql\n(.*?)^```\n/msg;
	my $published = q{SELECT sum(url_count), count(*), count(DISTINCT anchor) FROM site_files WHERE kind <> 'index'};
	my $there = q{SELECT count(*), count(DISTINCT get_shard_id_for_distribution_column('page', id)),
	                     count(DISTINCT get_shard_id_for_distribution_column('page', id)) FROM page};

	sql(q{
		DROP TABLE site_anchor, site_files, page;
		SET citus.shard_count = 256;
		CREATE TABLE page (id bigint PRIMARY KEY, path text, changed timestamptz);
		SELECT create_distributed_table('page', 'id', colocate_with => 'none');
		INSERT INTO page (id, path) SELECT n, '/p/' || n FROM generate_series(1, 300) n});
	sql($setup);
	sql($run);
	is(sql($published), sql($there), '256 shards, some of them empty: all pages');
	isnt(sql('SELECT count(*) FROM site_anchor'), '256', 'an empty shard has no anchor');

	sql(q{INSERT INTO page (id, path) SELECT n, '/p/' || n FROM generate_series(301, 5000) n});
	sql($run);
	is(sql($published), sql($there), 'all shards have pages: all pages');
	is(sql('SELECT count(*) FROM site_anchor'), '256', 'each shard has one anchor');

	# The anchor stays when its page goes, and so do the shard's files.
	sql(q{DELETE FROM page WHERE id = (SELECT min(anchor) FROM site_anchor)});
	sql($run);
	is(sql($published), sql($there), 'the page of an anchor is deleted');
	is(sql('SELECT count(*) FROM site_anchor'), '256', 'it is still an anchor');

	# A shard that cannot be read ends the run.
	my $anchor = sql('DELETE FROM site_anchor WHERE anchor = (SELECT max(anchor) FROM site_anchor) RETURNING anchor');
	my $shard = sql("SELECT get_shard_id_for_distribution_column('page', $anchor)");
	my ($worker) = grep { $_->safe_psql('postgres', "SELECT to_regclass('page_$shard') IS NOT NULL") eq 't' } @workers;
	my $rename = sub { $worker->safe_psql('postgres', "SET citus.enable_manual_changes_to_shards = on; ALTER TABLE $_[0] RENAME TO $_[1]") };
	$rename->("page_$shard", 'gone');
	my ($status, $output, $errors) = $coordinator->psql('postgres', $run, on_error_stop => 1);
	like($errors, qr/ERROR:  invalid input syntax for type bigint: "ERROR: +relation [^\n]* does not exist/, 'a shard without an anchor that cannot be read');
	$rename->('gone', "page_$shard");
	sql($run);
	is(sql($published), sql($there), 'readable again: all pages');
	return;
}

# What became of files, each action once.
sub publish
{
	my ($options, $where) = @_;
	my $query = 'SELECT loc, changed AS lastmod FROM public.spread ' . ($where // 'ORDER BY id');

	return sql(qq{SELECT string_agg(DISTINCT action, ' ' ORDER BY action)
		     FROM sitemap_publish('target', '$query', 'http://a/', $options)});
}

sub files
{
	my ($table, $options) = @_;

	return sql(qq{SELECT name, digest
		     FROM sitemap_files('SELECT loc, changed AS lastmod FROM public.$table ORDER BY id', 'http://a/', $options)
		    ORDER BY name COLLATE "C"});
}

# The entries of documents, sorted.
sub entries
{
	my @documents = split /\n/, sql($_[0]);

	return join "\n", sort map { split m{(?=<url>|<sitemap>|</urlset>|</sitemapindex>)} } @documents;
}

