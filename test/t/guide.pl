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
test_one_language();
test_removed();
test_shared_queue();
test_pg_net();
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
		my $publish = "SELECT count(*) FROM sitemap_publish('site_files', 'SELECT ''/'' || (${key})::text AS loc, $key AS key FROM public.$table ORDER BY $key', 'https://www.example.com/', section => '$table', max_urls => 1000";

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
		UPDATE site SET since = now() - interval '3 hours', started = now() - interval '3 hours', finished = now() - interval '3 hours'},
		'film-0 added', 'a film that has become due in a pause');
	$run->(q{ALTER TABLE film DISABLE TRIGGER USER; UPDATE film SET expires = now() WHERE id = 201; ALTER TABLE film ENABLE TRIGGER USER},
		'film-201 removed', 'a film that has expired');
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
	is($run->('User-agent: *\nDisallow: /film/\nSitemap: https://www.example.com/sitemap.xml\n'),
		'films|1|/film/film-0|robots_disallowed|Googlebot and Bingbot must not fetch the page: line 2 of robots.txt is "Disallow: /film/". This is found 201 times.',
		'pages that crawlers must not fetch');
	foreach my $rule ('/*.gz$', '/films-')
	{
		like($run->('User-agent: *\nDisallow: ' . $rule . '\nSitemap: https://www.example.com/sitemap.xml\n'),
			qr/\Afilms\|\|\|robots_blocks_sitemap\|Googlebot and Bingbot must not fetch the file "https:\/\/www\.example\.com\/films-51d8e999\.xml\.gz": .*\z/, "files: $rule");
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

# One queue for all shops: which of them a call runs.
sub test_shops
{
	$node->safe_psql('postgres', 'DROP TABLE product');
	$node->safe_psql('postgres', block($guide, 'sql', $_)) foreach 'CREATE TABLE shop (', 'CREATE TABLE shop_change', 'CREATE PROCEDURE run_shops';
	foreach my $case (
		[ 'one' => q{UPDATE product SET slug = 'sour' WHERE id = 4}, 'https://cocoa.example/' ],
		[ 'two, by a move' => 'UPDATE product SET shop_id = 2 WHERE id = 2', 'https://coffee.example/en/ https://tea.example/' ],
		[ 'none' => q{}, '' ],
		[ 'all' => 'TRUNCATE product', 'https://cocoa.example/ https://coffee.example/en/ https://tea.example/' ])
	{
		my ($name, $change, $shops) = @$case;

		$node->safe_psql('postgres', "CREATE TABLE before AS SELECT base_url, started FROM shop_site; $change");
		# without products, the jobs fail
		is($node->psql('postgres', 'CALL run_shops()'), $name eq 'all' ? 3 : 0, "a call: $name");
		is($node->safe_psql('postgres', q{
				SELECT string_agg(base_url, ' ' ORDER BY base_url) FROM before JOIN shop_site j USING (base_url) WHERE j.started > before.started;
				DROP TABLE before}),
			$shops, "shops that a call publishes: $name");
	}
	return;
}

# A page with one language stays, also if the alternates of such pages are left out.
sub test_one_language
{
	my $tutorial = slurp_file("$tree/doc/tutorial.md");
	my $tables = block($tutorial, 'sql', 'CREATE TABLE product_text');
	my ($view) = block($tutorial, 'sql', 'CREATE VIEW product_page') =~ /^(CREATE VIEW.*)/ms;
	my ($query) = block($guide, 'sql', 'CREATE TABLE item_page') =~ /\$\$(.*?)\$\$/s;

	$node->safe_psql('postgres', "DROP TABLE product CASCADE; $tables; DELETE FROM product_text WHERE product_id > 3; DELETE FROM product_text WHERE (product_id, lang) = (3, 'de')");
	$node->safe_psql('postgres', q{
		CREATE TABLE item AS SELECT id FROM product WHERE id <= 3;
		CREATE TABLE item_page AS SELECT product_id AS item_id, lang, '/' || lang || '/' || product_id AS url FROM product_text;
		CREATE TABLE picture (item_id int, url text)});
	foreach my $having ('', ' HAVING count(*) > 1')
	{
		foreach my $case ([ tutorial => $view =~ s/(FROM product_text WHERE product_id = p\.id)(?=\) a\b)/$1$having/r . ';SELECT loc FROM product_page' ],
			[ guide => $query =~ s/(FROM public\.item_page WHERE item_id = t\.id)(?=\) a\b)/$1$having/r ])
		{
			my ($name, $statements) = @$case;

			like($statements, qr/HAVING/, 'the query has it') if $having;
			my @pages = split /\n/, $node->safe_psql('postgres', "BEGIN; $statements; ROLLBACK");
			is(scalar(@pages), 5, "all pages of the $name$having");
		}
	}
	return;
}

# The section of removed pages: those whose newest row says so, found by an index.
sub test_removed
{
	my ($query) = block($guide, 'sql', q{'removed', $$}) =~ /\$\$(.*?)\$\$/s;

	$node->safe_psql('postgres', block($guide, 'sql', 'CREATE TABLE site_changes') =~ s/UPDATE.*//sr . block($guide, 'sql', q{'removed', $$}) =~ s/INSERT.*//sr . q{;
		INSERT INTO site_changes (base_url, at, section, loc, action)
		SELECT 'https://www.example.com/', now() - n * interval '1 minute', 'pages', 'https://www.example.com/' || n % 20000,
		       CASE WHEN n IN (1, 2, 20002, 20003) THEN 'removed' ELSE 'changed' END
		  FROM generate_series(1, 30000) n;
		INSERT INTO site_changes (base_url, at, section, loc, action) VALUES
		  ('https://www.example.com/', now() - interval '31 days', 'pages', 'https://www.example.com/old', 'removed');
		ANALYZE site_changes});
	is($node->safe_psql('postgres', "SELECT string_agg(substring(loc, '[^/]*\$'), ' ' ORDER BY loc) FROM ($query) removed"), '1 2', 'pages whose newest change is their removal');
	unlike($node->safe_psql('postgres', "EXPLAIN $query"), qr/Seq Scan/, 'the whole feed is not read');
	return;
}

# Sections that share a queue take their own keys.
sub test_shared_queue
{
	my ($changes) = $guide =~ /`(DELETE FROM public\.page_change WHERE id >= \d+ AND id < \d+ RETURNING id)`/;

	$node->safe_psql('postgres', qq{
		DELETE FROM site;
		CREATE TABLE page (id int PRIMARY KEY); CREATE TABLE page_change (id int);
		INSERT INTO page VALUES (1000000), (1999999), (2000000);
		SELECT sitemap_watch('page', 'id', 'page_change');
		INSERT INTO site (target, base_url, section, query, changes)
		VALUES ('site_files', 'https://pages.example.com/', 'second',
		        'SELECT ''/'' || id AS loc, id AS key FROM public.page WHERE id >= 1000000 AND id < 2000000 ORDER BY id', '$changes')});
	$node->safe_psql('postgres', $_)
	  foreach q{CALL sitemap_run('site')}, q{INSERT INTO page VALUES (999999), (1500000)}, q{INSERT INTO page_change VALUES (NULL)}, q{CALL sitemap_run('site')};
	is($node->safe_psql('postgres', q{SELECT string_agg(coalesce(id::text, 'all'), ' ') FROM page_change}), '999999 all', 'the keys of other sections stay, and NULL');
	is($node->safe_psql('postgres', q{SELECT urls, error FROM site}), '3|', 'the change is published');
	return;
}

# The request by pg_net, which is not here: its function has this signature.
sub test_pg_net
{
	my $managed = slurp_file("$tree/doc/managed.md");
	my ($function) = $managed =~ /`SELECT (net\.http_post\('[^']*', )…\)`/;
	my $request = block($managed, 'pgsql', 'AS body') =~ s/SELECT (jsonb_build_object.*?) AS body/SELECT $function$1)/sr;

	$node->safe_psql('postgres', q{
		CREATE SCHEMA site;
		CREATE TABLE site.page_change (loc text NOT NULL);
		INSERT INTO site.page_change VALUES ('/1'), ('/0'), ('/1');
		CREATE SCHEMA net;
		CREATE TABLE net.request (url text, body jsonb);
		CREATE FUNCTION net.http_post(url text, body jsonb DEFAULT '{}', params jsonb DEFAULT '{}',
		  headers jsonb DEFAULT '{"Content-Type": "application/json"}', timeout_milliseconds int DEFAULT 5000) RETURNS bigint
		LANGUAGE sql AS 'INSERT INTO net.request VALUES ($1, $2) RETURNING 1'});
	$node->safe_psql('postgres', $request) foreach 1 .. 2;
	is($node->safe_psql('postgres', q{SELECT url, body ->> 'host', body ->> 'urlList' FROM net.request}),
		'https://api.indexnow.org/indexnow|www.example.com|["https://www.example.com/0", "https://www.example.com/1"]', 'one request, by pg_net');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM site.page_change'), '0', 'which forgets its URLs');
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

		$node->safe_psql('postgres', 'DELETE FROM site_changes; CREATE TABLE site_purges OF sitemap_change');
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
