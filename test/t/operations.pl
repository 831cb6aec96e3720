# What doc/operations.md says: the preview is what a run does, a paused job does not run, VACUUM
# keeps the target small, a restored database goes on, and the tables can outlive the extension.
use FindBin;
use IPC::Run ();

use lib $FindBin::RealBin;
use Node;

my $seed = $ENV{SEED} // 1;
my $document = slurp_file("$FindBin::RealBin/../../doc/operations.md");
my $node = start_node("autovacuum = off\n");

note("SEED=$seed");
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE page (id int PRIMARY KEY, path text, changed timestamptz);
	INSERT INTO page SELECT n, '/p/' || n, timestamptz '2026-01-01 00:00Z' + n * interval '1 minute' FROM generate_series(1, 30000) n;
	CREATE TABLE page_change (id int);
	SELECT sitemap_watch('page', 'id', 'page_change');
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE site_changes OF sitemap_change;
	CREATE TABLE site OF sitemap_job (PRIMARY KEY (base_url, section));
	INSERT INTO site (target, base_url, section, max_urls, query, changes, feed)
	VALUES ('site_files', 'https://www.example.com/', 'pages', 1000,
	        'SELECT path AS loc, changed AS lastmod, id AS key FROM public.page ORDER BY id',
	        'DELETE FROM public.page_change RETURNING id', 'site_changes');
	CALL sitemap_run('site')});

test_preview();
test_pause();
test_cron();
test_vacuum();
test_restore();
test_history();
test_leaving();
$node->stop;
done_testing();

# Before each run, the preview has the files that the run then writes.
sub test_preview
{
	my $statement = block($document, 'sql', 'ROLLBACK');
	my $preview = sub {
		return join "\n", sort grep { !/^sitemap\.xml\||\|unchanged$/ } split /\n/, sql($statement);
	};

	srand($seed);
	foreach my $step (1 .. 20)
	{
		my $id = 1 + int rand 30000;
		my $last = $id + int rand 300;

		sql((
				"UPDATE page SET path = path || 'x' WHERE id = $id",
				"DELETE FROM page WHERE id BETWEEN $id AND $last",
				"INSERT INTO page SELECT n, '/n/' || n FROM generate_series($id, $last) n ON CONFLICT (id) DO UPDATE SET path = excluded.path",
				'SELECT'
			)[ rand 4 ]);
		my $expected = $preview->();
		my $before = 'CREATE TABLE before AS SELECT name, digest FROM site_files';
		my $actions = q{
			SELECT name, CASE WHEN b.name IS NULL THEN 'inserted' WHEN f.name IS NULL THEN 'deleted' ELSE 'updated' END
			  FROM before b FULL JOIN site_files f USING (name)
			 WHERE f.digest IS DISTINCT FROM b.digest AND name <> 'sitemap.xml'};
		sql($_) foreach $before, q{CALL sitemap_run('site')};
		is(join("\n", sort split /\n/, sql("$actions; DROP TABLE before")), $expected, "step $step: the preview is what the run does");
		is($preview->(), '', "step $step: after which there is no drift");
	}
	sql(q{SET session_replication_role = replica; UPDATE page SET path = '/drift' WHERE id = (SELECT min(id) FROM page)});
	sql(q{CALL sitemap_run('site')});
	like($preview->(), qr/^\S+\|updated$/, 'a change that no trigger saw is drift');
	sql($_) foreach q{UPDATE site SET full_at = NULL}, q{CALL sitemap_run('site')};
	is($preview->(), '', 'until all pages are read');
	return;
}

sub test_pause
{
	my ($pause, $continue) = block($document, 'sql', '100 years') =~ /^(.*)$/mg;
	my $page = q{SELECT count(*) FROM site_files f, sitemap_parse(f.content) e WHERE f.kind = 'urlset' AND e.loc LIKE '%/paused'};

	sql($_) foreach $pause, q{UPDATE page SET path = '/paused' WHERE id = (SELECT min(id) FROM page)}, q{CALL sitemap_run('site')};
	is(sql($page), '0', 'a paused job does not run');
	sql($_) foreach $continue, q{CALL sitemap_run('site')};
	is(sql($page), '1', 'and goes on');
	return;
}

# The lines for cron: the call of the tutorial, and the export of another node.
sub test_cron
{
	my $tutorial = slurp_file("$FindBin::RealBin/../../doc/tutorial.md");
	my $folder = PostgreSQL::Test::Utils::tempdir();
	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port);

	sql(q{UPDATE page SET path = '/cron' WHERE id = (SELECT max(id) FROM page)});
	foreach my $line ($tutorial =~ /^\* \* \* \* \* postgres (psql .*)$/m, block($document, 'ini', 'psql') =~ /^\* \* \* \* \* postgres (psql .*)$/m)
	{
		my $command = $line =~ s/\bshop$/postgres/r =~ s{/var/www/sitemaps}{$folder}r;

		is(IPC::Run::run([ 'sh', '-c', $command ], '<', \undef, '>', \my $output, '2>&1'), 1, $line);
		is($output, '', 'without a word');
	}
	is(sql(q{SELECT count(*) FROM site_files f, sitemap_parse(f.content) e WHERE f.kind = 'urlset' AND e.loc LIKE '%/cron'}),
		'1', 'the call has run the job');
	ok(-s "$folder/sitemap.xml", 'the export has written files');
	return;
}

# Without autovacuum, a VACUUM after each run keeps the target within three times its live size.
sub test_vacuum
{
	my $size = q{SELECT pg_total_relation_size('site_files')};

	sql('VACUUM FULL site_files');
	my $live = sql($size);
	foreach (1 .. 10)
	{
		sql($_)
		  foreach q{UPDATE page SET changed = changed + '1 minute'}, q{CALL sitemap_run('site')}, 'VACUUM site_files';
	}
	cmp_ok(sql($size), '<=', 3 * $live, 'VACUUM after each run: up to three times the size');
	return;
}

# A dump, restored into a database of another name.
sub test_restore
{
	my $dump = "$PostgreSQL::Test::Utils::tmp_check/shop.dump";

	$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, '-d', $node->connstr('postgres') ], 'pg_dump');
	sql('CREATE DATABASE other');
	$node->command_ok([ 'pg_restore', '-d', $node->connstr('other'), $dump ], 'pg_restore');
	$node->safe_psql('other', $_)
	  foreach q{CALL sitemap_run('site')},
	  q{TRUNCATE site_changes; UPDATE page SET path = '/restored' WHERE id = (SELECT max(id) FROM page)},
	  q{CALL sitemap_run('site')};
	is($node->safe_psql('other', 'SELECT written, reason IS NULL, error IS NULL FROM site'), '2|t|t', 'the triggers and the next call go on there');
	is($node->safe_psql('other', q{SELECT string_agg(action, ' ' ORDER BY action) FROM site_changes}), 'added removed', 'with its feed');
	$node->safe_psql('other', $_)
	  foreach block($document, 'pgsql', 'directory = NULL'),
	  q{TRUNCATE site_changes; UPDATE page SET path = '/staging' WHERE id = (SELECT max(id) FROM page)},
	  q{CALL sitemap_run('site')};
	is($node->safe_psql('other', q{SELECT written FROM site; SELECT count(*) FROM site_changes}), "2\n0", 'a staging copy announces nothing');
	return;
}

# The history has a query's text where it changed, and rows are deleted in time.
sub test_history
{
	my $history = block($document, 'sql', 'CREATE TABLE site_history');
	my $change = q{UPDATE page SET path = path || 'h' WHERE id = (SELECT max(id) FROM page)};
	my $delete = block($document, 'pgsql', 'DELETE FROM site_history') =~ s/^DELETE FROM cron.*//mr;

	sql($_) foreach $history, $change, q{CALL sitemap_run('site')}, $change, q{CALL sitemap_run('site')}, $change,
	  q{UPDATE site SET query = query || ' '}, q{CALL sitemap_run('site')}, $change, q{CALL sitemap_run('site')};
	is(sql('SELECT string_agg((query IS NOT NULL)::text, $$ $$ ORDER BY started) FROM site_history'), 'true false true false', 'four runs, and the query where it changed');
	sql(q{UPDATE site_history SET started = now() - interval '91 days' WHERE started = (SELECT min(started) FROM site_history)});
	sql($delete);
	is(sql('SELECT count(*) FROM site_history'), '3', 'an old row is deleted');
	sql('DROP TRIGGER history ON site');
	return;
}

# The tables outlive the extension, after all examples of the guide.
sub test_leaving
{
	my $files = q{SELECT count(*), md5(string_agg(base_url || name || digest, ' ' ORDER BY base_url, name)) FROM site_files};
	my $folder = PostgreSQL::Test::Utils::tempdir();
	my $guide = join "\n", slurp_file("$FindBin::RealBin/../../doc/guide.md") =~ /^```sql\n(.*?)^```$/msg;

	sql('CREATE DATABASE guide');
	$node->psql('guide', $guide =~ s{/var/www/sitemaps}{$folder}gr, on_error_stop => 0);
	my $before = $node->safe_psql('guide', $files);
	my ($status, undef, $errors) = $node->psql('guide', 'DROP EXTENSION sitemap');

	like($errors, qr/table site_files depends on type sitemap_file/, 'DROP EXTENSION says what depends on it');
	$node->safe_psql('guide', block($document, 'pgsql', 'DROP EXTENSION'));
	is($node->safe_psql('guide', $files), $before, 'the files stay');
	is($node->safe_psql('guide', q{UPDATE page SET path = '/left' WHERE id = 5; SELECT count(*) FROM site_changes, pg_extension WHERE extname = 'sitemap'}),
		'0', 'and the pages can be written');
	$node->safe_psql('other', 'DROP EXTENSION sitemap CASCADE');
	is($node->safe_psql('other', q{SELECT to_regclass('site_files'), to_regclass('site'), to_regclass('site_changes'), to_regclass('page_change')}),
		'|||page_change', 'CASCADE drops the typed tables');
	return;
}
