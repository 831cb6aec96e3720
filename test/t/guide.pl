# What doc/guide.md shows and documentation.pl does not run: indexes for keys of other types, changes
# of joined tables, requests of shops, and the lines for cron that post the changed URLs.
use FindBin;
use IPC::Run ();

use lib $FindBin::RealBin;
use Node;

my $tree = "$FindBin::RealBin/../..";
my $guide = slurp_file("$tree/doc/guide.md");
my $node = start_node();
$node->safe_psql('postgres', 'CREATE EXTENSION sitemap');
test_keys();
test_joined_tables();
test_audit();
test_rename();
test_shops();
test_cron();
$node->stop;
done_testing();

# With the index on the expression that the key is, a run with changes reads its range.
sub test_keys
{
	my $indexes = block($guide, 'pgsql', 'CREATE INDEX ON invoice');

	$node->safe_psql(
		'postgres', q{
		CREATE TABLE product AS SELECT 'tea-' || n AS slug FROM generate_series(1, 20000) n;
		CREATE TABLE invoice AS SELECT n::numeric AS id FROM generate_series(1, 20000) n;
		CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name))} . ";$indexes; ANALYZE");
	foreach my $case ([ 'product', 'slug COLLATE "C"', q{SELECT 'tea-777'} ], [ 'invoice', 'id::bigint', 'SELECT 777::bigint' ])
	{
		my ($table, $key, $changes) = @$case;
		my $publish = "SELECT count(*) FROM sitemap_publish('site_files', 'SELECT (${key})::text AS loc, $key AS key FROM public.$table ORDER BY $key', 'https://www.example.com/', section => '$table', max_urls => 1000";

		like($indexes, qr/^-- SELECT … \Q$key\E AS key … ORDER BY \Q$key\E$/m, "the guide has the key $key");
		$node->safe_psql('postgres', "$publish)");
		my $scans = "SELECT seq_scan, idx_scan FROM pg_stat_user_tables WHERE relname = '$table'";
		my ($before) = split /\|/, $node->safe_psql('postgres', $scans);
		my (undef, undef, $notice) = $node->psql('postgres', "$publish, changes => \$\$$changes\$\$)");
		my ($after, $index) = split /\|/, $node->safe_psql('postgres', $scans);

		is($notice, '', "$key: a run with changes says nothing");
		is($after, $before, "$key: it does not read the table");
		cmp_ok($index, '>', 0, "$key: but the index");
	}
	return;
}

# Which films the job finds: those of a renamed actor, all after TRUNCATE, and those that become due.
sub test_joined_tables
{
	my $query = block($guide, 'sql', 'WITH RECURSIVE read');
	my $job = block($guide, 'sql', 'CREATE TABLE actor_change');
	my ($coverage) = $query =~ /^(WITH RECURSIVE read .*)/ms;
	my $run = sub {
		my ($change, $expected, $name) = @_;

		$node->safe_psql('postgres', "DELETE FROM film_feed; $change; CALL sitemap_run('site')");
		is($node->safe_psql('postgres', q{SELECT string_agg(substring(loc, '[^/]*$') || ' ' || action, ', ' ORDER BY loc, action) FROM film_feed}), $expected, $name);
		is($node->safe_psql('postgres', 'SELECT coalesce(reason, error) FROM site'), '', "$name, without reading all films");
	};

	$node->safe_psql('postgres', "CREATE TABLE site OF sitemap_job (PRIMARY KEY (base_url, section)); CREATE TABLE film_feed OF sitemap_change; $query");
	is($node->safe_psql('postgres', $coverage), "actor|\nfilm|public.film_change\nfilm_actor|public.film_change", 'a table that is not watched');
	$node->safe_psql('postgres', q{CREATE TABLE other_change (id int); SELECT sitemap_watch('actor', 'id', 'other_change')});
	is($node->safe_psql('postgres', $coverage), "actor|public.other_change\nfilm|public.film_change\nfilm_actor|public.film_change", 'a table that only another queue watches');
	$node->safe_psql('postgres', q{
		DELETE FROM film; INSERT INTO film SELECT n, 'film-' || n, now() - interval '1 day' FROM generate_series(1, 200) n;
		INSERT INTO actor SELECT n, 'actor ' || n FROM generate_series(1, 200) n;
		INSERT INTO film_actor SELECT n, n FROM generate_series(1, 200) n;
		INSERT INTO film_actor VALUES (1, 30), (2, 30);
		INSERT INTO film SELECT n, 'film-' || n, now() + interval '1 day' FROM unnest('{0,201}'::int[]) n});
	$node->safe_psql('postgres', "$job; UPDATE site SET feed = 'film_feed', max_urls = 10; CALL sitemap_run('site')");
	is($node->safe_psql('postgres', $coverage), "actor|public.actor_change, public.other_change\nfilm|public.film_change\nfilm_actor|public.film_change", 'all tables are watched');
	is($node->safe_psql('postgres', 'SELECT urls FROM site'), '200', 'the films that are due');
	$run->(q{UPDATE actor SET name = 'New' WHERE id = 1}, 'film-1 changed, film-30 changed', 'an actor of two films');
	$run->(q{INSERT INTO actor VALUES (300, 'nobody')}, '', 'an actor without films');
	$run->(q{DELETE FROM film_actor WHERE film_id = 7}, 'film-7 changed', 'a film without actors');
	# no statement changes a film when the time comes
	$run->(q{ALTER TABLE film DISABLE TRIGGER USER; UPDATE film SET published = now() WHERE id = 201; ALTER TABLE film ENABLE TRIGGER USER},
		'film-201 added', 'a film that has become due');
	$run->(q{ALTER TABLE film DISABLE TRIGGER USER; UPDATE film SET published = now() - interval '2 hours' WHERE id = 0; ALTER TABLE film ENABLE TRIGGER USER;
		UPDATE site SET started = now() - interval '3 hours', finished = now() - interval '3 hours'},
		'film-0 added', 'a film that has become due in a pause');
	$node->safe_psql('postgres', 'DELETE FROM film_feed; TRUNCATE actor, film_actor');
	$node->safe_psql('postgres', q{CALL sitemap_run('site')});
	is($node->safe_psql('postgres', q{SELECT count(*), min(action) FROM film_feed}), '199|changed', 'TRUNCATE of actors');
	return;
}

# The audit of all jobs finds what a robots.txt forbids, of pages and of the files that runs make.
sub test_audit
{
	my $audit = block($guide, 'pgsql', 'no_robots');
	my $run = sub {
		my ($robots) = @_;

		return $node->safe_psql('postgres', $audit =~ s/^\\set robots .*/\\set robots '$robots'/mr);
	};
	my @findings = split /\n/, $run->('User-agent: *\nDisallow: /film/\nSitemap: https://www.example.com/sitemap.xml\n');

	is_deeply([ map { /^films\|\d+\|.*\|robots_disallowed\|(?:Google|Bing)bot / ? () : $_ } @findings ], [], 'pages that crawlers must not fetch');
	cmp_ok(scalar @findings, '>', 100, 'all of them');
	foreach my $rule ('/*.gz$', '/films-')
	{
		like($run->('User-agent: *\nDisallow: ' . $rule . '\nSitemap: https://www.example.com/sitemap.xml\n'),
			qr/\Afilms\|\|\|robots_blocks_sitemap\|Bingbot must not fetch .*\nfilms\|\|\|robots_blocks_sitemap\|Googlebot must not fetch the file "https:\/\/www\.example\.com\/films-51d8e999\.xml\.gz": .*\z/, "files: $rule");
	}
	return;
}

# A renamed section and a moved site lose no due page and no change, and miss nothing.
sub test_rename
{
	my ($rename) = block($guide, 'sql', q{section = 'fixed'}) =~ /^(UPDATE.*?)^COMMIT/ms;
	my ($move) = block($guide, 'sql', q{https://shop.example.com/'}) =~ /^(UPDATE.*?)^COMMIT/ms;
	my $state = q{SELECT section, base_url, missed, error FROM site};
	my $added = q{SELECT string_agg(loc, ' ' ORDER BY loc) FROM film_feed WHERE loc LIKE '%/due-%'};
	my $due = sub {
		my ($id) = @_;

		return "ALTER TABLE film DISABLE TRIGGER USER; INSERT INTO film VALUES ($id, 'due-$id', clock_timestamp()); ALTER TABLE film ENABLE TRIGGER USER;";
	};

	$node->safe_psql('postgres', 'DELETE FROM film_feed; ' . $due->(-1) . $rename =~ s/static/films/gr);
	$node->safe_psql('postgres', q{CALL sitemap_run('site')});
	is($node->safe_psql('postgres', $state), 'fixed|https://www.example.com/||', 'a renamed section misses nothing');
	is($node->safe_psql('postgres', $added), 'https://www.example.com/film/due--1', 'and has the page that became due');
	is($node->safe_psql('postgres', q{SELECT string_agg(DISTINCT section, ' ') FROM site_files WHERE section IN ('films', 'fixed')}), 'fixed', 'under the new name only');
	$move =~ s/site_changes/film_feed/;
	$move =~ s/, directory = '[^']*'//;
	$node->safe_psql('postgres', $due->(-2) . $move);
	$node->safe_psql('postgres', q{CALL sitemap_run('site')});
	is($node->safe_psql('postgres', $state), 'fixed|https://shop.example.com/||', 'a moved site misses nothing');
	is($node->safe_psql('postgres', q{SELECT DISTINCT base_url FROM film_feed}), 'https://shop.example.com/', 'and takes the rows of the feed along');
	is($node->safe_psql('postgres', q{SELECT count(*) FILTER (WHERE loc LIKE 'https://shop%/due--2') FROM film_feed}), 1, 'and has the page that became due');
	return;
}

# One queue for all shops: which of them are requested.
sub test_shops
{
	my ($request) = block($guide, 'sql', 'WITH change AS (DELETE FROM shop_change');

	$node->safe_psql('postgres', q{DROP TABLE product} . ';' . block($guide, 'sql', 'CREATE TABLE shop (') . ';' . block($guide, 'sql', 'CREATE TABLE shop_change'));
	foreach my $case (
		[ 'one' => q{}, 'https://cocoa.example/' ],
		[ 'two, by a move' => 'UPDATE product SET shop_id = 1 WHERE id = 3', 'https://coffee.example/en/ https://tea.example/' ],
		[ 'none' => q{}, '' ],
		[ 'all' => 'TRUNCATE product', 'https://cocoa.example/ https://coffee.example/en/ https://tea.example/' ])
	{
		my ($name, $change, $shops) = @$case;

		is($node->safe_psql('postgres', qq{
				UPDATE shop_site SET requested = NULL; $change; $request;
				SELECT string_agg(base_url, ' ' ORDER BY base_url) FROM shop_site WHERE requested IS NOT NULL}),
			$shops, "shops to publish: $name");
	}
	return;
}

# The commands of the cron lines, with an empty feed: they take their options, and end.
sub test_cron
{
	my ($python) = grep { eval { IPC::Run::run([ $_, '-c', 'import psycopg' ], '>', \my $output, '2>&1') } } 'python3', '/usr/bin/python3';

  SKIP:
	{
		skip 'psycopg is not here', 4 unless $python;
		local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port);

		$node->safe_psql('postgres', "CREATE TABLE $_ OF sitemap_change") foreach 'site_changes', 'site_purges';
		$node->safe_psql('postgres', block($guide, 'sql', 'CREATE TABLE site_posted'));
		foreach my $name ('indexnow', 'purge')
		{
			my $lines = block($guide, 'ini', "$name.py");
			my ($variable, $value) = $lines =~ /^(\w+)='?(.*?)'?$/m;
			my ($command) = $lines =~ m{^\*/10 \* \* \* \* announcer (/usr/local/lib/sitemap/.*)$}m;
			local $ENV{$variable} = $value;

			$command = $command =~ s{/usr/local/lib/sitemap}{$python $tree}r =~ s/dbname=shop/dbname=postgres/r;
			is(IPC::Run::run([ 'sh', '-c', $command ], '<', \undef, '>', \my $output, '2>&1'), 1, $command);
			is($output, '', 'without a word');
		}
	}
	return;
}
