# With a column "shown", each page has the lastmod of a model (shown.sql), whatever the
# edits.  Runs with changes leave what full runs at the same times leave.
#
# SEED=n takes other edits, and STEPS=n so many steps of them; SIMULATION=name takes one
# simulation; PAGES=n so many pages for the replay of a week.
use FindBin;
use lib $FindBin::RealBin;
use Node;

my $node = start_node("max_parallel_workers_per_gather = 0\nTimeZone = UTC\n");
sql('CREATE EXTENSION sitemap');

our $steps = $ENV{STEPS} // 60;
our $locs = 30000;
my $seed = $ENV{SEED} // 70700;

my $query = q{SELECT CASE WHEN valid THEN loc ELSE 'ftp:' END AS loc, changed AS lastmod, shown, key FROM page ORDER BY key, part};
my $silent = $query =~ s/changed AS lastmod, //r;
my $stable = q{, on_invalid => 'skip'};

simulate('with lastmod', $query, 'int', 'int', 'n', $stable, '40,40,41', 900, 1);
simulate('without lastmod', $silent, 'text', 'text COLLATE "C"', q{lpad(n::text, 1 + n % 5, '0')}, "$stable, compression => 0", '50,30', 700, 2);
# Each run is a transaction, which keeps its snapshot.
{
	local $ENV{PGOPTIONS} = '-c default_transaction_isolation=repeatable\ read';
	simulate('limits of bytes', $silent, 'date', 'date', q{date '2026-01-01' + n}, "$stable, max_bytes => 3000", '1000', 900, 1);
}
simulate('a full split', $query, 'bigint', 'bigint', 'n::bigint * 10000000000', "$stable, split => 'full'", '60,45', 600, 2);
{
	local $locs = 15;
	simulate('the same locs', $query, 'int', 'int', 'n', $stable, '25,30', 500, 2);
	simulate('the same locs without lastmod', $silent, 'int', 'int', 'n', "$stable, max_bytes => 2500", '1000', 500, 3);
}

replay();
$node->stop;
done_testing();

sub simulate
{
	my ($name, $text, $type, $column, $key, $options, $max_urls, $numbers, $parts) = @_;
	my $this_seed = $seed++;
	my $schema = 's' . $this_seed;
	my $is_stable = $options !~ /split/;

	return if $ENV{SIMULATION} && $ENV{SIMULATION} ne $name;
	sql((slurp_file('test/t/pages.sql') . slurp_file('test/t/shown.sql')) =~ s/page_key/$type/gr,
		extra_params => [ map { ('-v', $_) } "schema=$schema", "type=$type", "column=$column", "key=$key" ]);
	my ($status, $stdout, $stderr) = $node->psql(
		'postgres', sprintf(
			q{SET client_min_messages = error; SET test.locs = %d; SET search_path = %s, public; SELECT setseed(%f);
			CALL simulate($q$%s$q$, $q$%s$q$, '{%s}', %d, %d, %d, %s, NULL, NULL)},
			$locs, $schema, $this_seed / 1_000_000, $text, $options, $max_urls, $numbers, $parts, $steps, $is_stable ? 'true' : 'false'));
	is($status, 0, "$name, seed $this_seed: $steps steps") or diag("SIMULATION='$name' SEED=$this_seed STEPS=$steps: $stderr");
	my ($partial, $same) = $stdout =~ /(\d+)\|(\d+)$/ or return;

	cmp_ok($partial, '>', $steps / 4, "$name: runs are partial") if $is_stable;
	cmp_ok($same, '>', $steps / 12, "$name: imports that change nothing write nothing");
	return;
}

# A week of a shop: each night an import rewrites every row and changes 2% of the pages.
# Only these have a lastmod of that week, and a night writes nothing else.
sub replay
{
	my $pages = $ENV{PAGES} // 7500;
	my $text = q{SELECT '/item/' || id AS loc, updated_at AS lastmod, id AS key, concat_ws(E'\n', title, price) AS shown FROM item ORDER BY id};
	my $publish = "SELECT count(*) FILTER (WHERE action <> 'unchanged') FROM sitemap_publish('item_files', \$q\$$text\$q\$, 'https://www.example.com/', max_urls => 5000, changes => %s)";

	return if $ENV{SIMULATION} && $ENV{SIMULATION} ne 'replay';
	sql(qq{
		CREATE TABLE item (id int PRIMARY KEY, title text, price numeric, stock int, updated_at timestamptz);
		INSERT INTO item SELECT n, 'Item ' || n, n % 90, 5, '2039-01-01' FROM generate_series(1, $pages) n;
		CREATE TABLE item_change (id int);
		SELECT sitemap_watch('item', 'id', 'item_change');
		CREATE TABLE item_files OF sitemap_file (PRIMARY KEY (base_url, name));} . sprintf($publish, 'NULL'));
	foreach my $night (1 .. 7)
	{
		my $at = "timestamptz '2040-01-01 03:00Z' + interval '$night days'";

		# stands for the clock
		sql("UPDATE item_files SET lastmod = $at - interval '1 second' WHERE kind <> 'index'");
		sql("UPDATE item SET stock = stock + 1, updated_at = $at, price = price + (id % 50 = $night)::int");
		sql(sprintf($publish, q{'DELETE FROM item_change RETURNING id'}));
	}
	my $counts = q{SELECT round(100.0 * count(*) FILTER (WHERE %s >= timestamptz '2040-01-02 03:00Z') / count(*)) FROM };

	is(sql(sprintf($counts, 'updated_at') . 'item'), 100, "$pages pages, 7 nights: updated_at says that all changed");
	is(sql(sprintf($counts, 'p.lastmod::timestamptz') . q{item_files f, sitemap_parse(f.content) p WHERE f.kind = 'urlset'}),
		14, 'but 14% have a lastmod of that week');
	is(sql(q{
			SELECT string_agg(pages::text, ' ' ORDER BY at)
			  FROM (SELECT p.lastmod AS at, count(*) AS pages FROM item_files f, sitemap_parse(f.content) p WHERE f.kind = 'urlset' GROUP BY 1) p}),
		join(' ', $pages * 43 / 50, ($pages / 50) x 7), 'as many for each night, the others from before');
	sql('UPDATE item SET stock = 0, updated_at = now()');
	is(sql(sprintf($publish, q{'DELETE FROM item_change RETURNING id'})), 0, 'an import that changes nothing writes nothing');
	return;
}
