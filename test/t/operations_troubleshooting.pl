# What the troubleshooting of doc/operations.md says of each message and symptom: here they happen,
# and what is said to help helps.  Each of its headings has a test, here or in another
# file.
use FindBin;
use lib $FindBin::RealBin;
use Node;
use Session;

my $timeout = $PostgreSQL::Test::Utils::timeout_default;
my $folder = PostgreSQL::Test::Utils::tempdir();
my $document = slurp_file("$FindBin::RealBin/../../doc/operations.md");
my ($chapter) = $document =~ /^## Troubleshooting\n(.*)/ms;
my $publish = q{
	SELECT count(*)
	  FROM sitemap_publish('site_files', 'SELECT path AS loc, changed AS lastmod FROM public.page ORDER BY id',
	                       'https://www.example.com/')};

my %tests = (
	'connection failed' => 'test/t/operations_pg_cron.pl',
	'permission denied, must be owner of table' => sub { no_permission(); no_right() },
	'extension "sitemap" is not available' => \&not_available,
	'section "…" would shrink from … URLs to …' => \&would_shrink,
	'sitemap_run() cannot run inside a transaction block or a function' => \&in_transaction,
	'canceling statement due to statement timeout' => \&statement_timeout,
	'out of shared memory' => \&too_many_locks,
	'cannot alter type of a column used by a view or rule, cannot drop column' => \&column_of_view,
	'cannot add column to typed table' => \&typed_table,
	'could not lock directory' => 'test/t/export.pl',
	'could not create directory, could not open file' => \&no_directory,
	'A run that waits, or canceling statement due to lock timeout' => \&run_waits,
	'New pages are not in the sitemap' => sub { nothing_runs(); page_is_missing(); not_watched() },
	'The browser downloads the file' => 'test/t/guide_web_servers.pl',
	'What Search Console says' => \&search_console,);

my $node = start_node();
sql(qq{
	CREATE EXTENSION sitemap;
	CREATE TABLE page (id int PRIMARY KEY, path text, changed timestamptz);
	INSERT INTO page SELECT n, '/page/' || n, timestamptz '2026-01-01 00:00+00' FROM generate_series(1, 100) n;
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
	$publish;
	CREATE DATABASE other;
	CREATE ROLE shop_owner LOGIN});

my @headings = $chapter =~ /^### (.*)$/gm;
cmp_ok(scalar @headings, '>', 10, 'the chapter has headings');
is_deeply([ sort @headings ], [ sort keys %tests ], 'each heading has a test');
foreach my $heading (@headings)
{
	my $test = $tests{$heading};

	if (ref $test)
	{
		note($heading);
		$test->();
	}
	else
	{
		ok(-e "$FindBin::RealBin/../../$test", "$test");
	}
}
$node->stop;
done_testing();

# A statement fails with that.
sub fails
{
	my ($name, $expected, $sql, %options) = @_;
	my ($status, undef, $stderr) = $node->psql($options{database} // 'postgres', $sql);

	isnt($status, 0, "$name: it fails");
	like($stderr, $expected, "$name: the message");
	return;
}

# A query of the chapter, by a piece of it.
sub query_of_chapter
{
	my ($piece) = @_;
	my ($query) = grep { /\Q$piece\E/ } $chapter =~ /^```sql\n(.*?)^```$/gms;

	return $query // die "the chapter has no query with $piece";
}

# A session that has run a statement and stays in its transaction.
sub hold
{
	my ($sql) = @_;
	my $session = Session->start($node, 'postgres');

	$session->query_safe("BEGIN; $sql");
	return $session;
}

sub no_permission
{
	my $as_owner = 'SET ROLE shop_owner; CREATE EXTENSION sitemap';

	fails('no right', qr/permission denied to create extension "sitemap"/, $as_owner, database => 'other');
	my ($grant) = $chapter =~ /`(GRANT CREATE [^`]*)`/;
	sql($grant =~ s/DATABASE shop/DATABASE other/r);
	is($node->psql('other', $as_owner), 0, 'a right to create helps');
	return;
}

# The document's role, at first without its rights.
sub no_right
{
	my $directory = PostgreSQL::Test::Utils::tempdir();
	my $export = "SELECT count(*) FROM sitemap_export('$directory', 'TABLE public.site_files')";
	my $run = q{CALL sitemap_run('site')};
	my ($role, $rights) = $document =~ /^(CREATE ROLE site_owner .*?;)\n(.*?)^```$/ms;

	sql(qq{
		CREATE TABLE page_change (id int);
		CREATE TABLE site OF sitemap_job (PRIMARY KEY (base_url, section));
		INSERT INTO site (target, base_url, section, query, changes, directory)
		VALUES ('site_files', 'https://www.example.com/', 'sitemap', 'SELECT path AS loc, changed AS lastmod, id AS key FROM public.page ORDER BY id',
		        'DELETE FROM public.page_change RETURNING id', '$directory/run');
		$role GRANT SELECT ON page TO site_owner});
	fails('no right to publish', qr/permission denied for table site_files/, "SET ROLE site_owner; $publish");
	fails('no right to export', qr/permission denied to export to a directory/, "SET ROLE site_owner; $export");
	fails('no right to run jobs', qr/must be owner of table public.site/, "SET ROLE site_owner; $run");
	sql($rights);
	is(sql("SET ROLE site_owner; $publish; $export"),
		"2\n2", 'with these rights it does both');
	sql("SET ROLE site_owner; $run");
	is(sql('SELECT urls, finished > started, error IS NULL FROM site'),
		'100|t|t', 'and runs the job');
	sql('DROP TABLE site; DROP OWNED BY site_owner; DROP ROLE site_owner; DROP TABLE page_change');
	return;
}

# Another name stands for a server without the files.
sub not_available
{
	fails('no files', qr/extension "sitemaps" is not available/, 'CREATE EXTENSION sitemaps');
	return;
}

sub would_shrink
{
	my $empty = $publish =~ s/public\.page/public.page WHERE false/r;

	fails('an empty source', qr/section "sitemap" would shrink from 100 URLs to 0/, $empty);
	is(urls(), 100, 'nothing was changed');
	is($node->psql('postgres', 'BEGIN; ' . $empty =~ s{/'\)}{/', max_shrink => 1)}r . '; ROLLBACK'),
		0, 'max_shrink => 1 helps');
	return;
}

# Two calls of psql, with a setting.
sub in_transaction
{
	my @psql = ('psql', '-X', '-d', $node->connstr('postgres'));
	my @statements = map { [ '-c', $_ ] } 'SET lock_timeout = 0', q{CALL sitemap_run('site')};

	sql('CREATE TABLE site OF sitemap_job (PRIMARY KEY (base_url, section))');
	$node->command_fails_like([ @psql, '-c', join '; ', map { $_->[1] } @statements ],
		qr/cannot run inside a transaction block/, 'one -c: the message');
	$node->command_ok([ @psql, map { @$_ } @statements ], 'two -c help');
	sql('DROP TABLE site');
	return;
}

sub statement_timeout
{
	my ($no_timeout) = $document =~ /^(ALTER ROLE site_owner .*;)$/m;
	my $slow = $publish =~ s/FROM public\.page ORDER BY id/FROM public.page, pg_sleep(0.02) ORDER BY id/r;
	my $as_job = [ '-U', 'site_owner' ];

	sql(q{CREATE ROLE site_owner LOGIN SUPERUSER; ALTER ROLE site_owner SET statement_timeout = '5ms'});
	my ($status, undef, $stderr) = $node->psql('postgres', $slow, extra_params => $as_job);
	like($stderr, qr/canceling statement due to statement timeout/, 'a timeout: the message');
	is(urls(), 100, 'nothing was changed');
	sql($no_timeout);
	is($node->psql('postgres', $slow, extra_params => $as_job), 0, 'without a timeout the run ends');
	sql('DROP ROLE site_owner');
	return;
}

# The server has the fewest locks possible until the setting of the chapter.
sub too_many_locks
{
	my $setting = $chapter =~ s/.*`(max_locks_per_transaction)` to (\d+).*/$1 = $2/sr;
	my $read = 'SELECT count(*) FROM shop_files';

	$node->append_conf('postgresql.conf', "max_locks_per_transaction = 10\nmax_connections = 10\nmax_wal_senders = 0");
	$node->restart;
	sql('CREATE TABLE shop_files (shop_id int PRIMARY KEY) PARTITION BY LIST (shop_id)');
	sql(join '', map { "CREATE TABLE shop_files_$_ PARTITION OF shop_files FOR VALUES IN ($_);\n" } 1 .. 1500);
	fails('many partitions', qr/out of shared memory/, $read);
	is($node->psql('postgres', 'SELECT count(*) FROM shop_files_7'), 0, 'a single one is not too many');
	is($node->psql('postgres', "$read WHERE shop_id = 7"), 0, 'by its key, too');
	$node->append_conf('postgresql.conf', $setting);
	$node->restart;
	is($node->psql('postgres', $read), 0, 'the setting helps');
	return;
}

sub column_of_view
{
	my $create = 'CREATE VIEW sitemap_page AS SELECT path AS loc FROM page ORDER BY id';
	my $alter = 'ALTER TABLE page ALTER path TYPE varchar(1000)';

	sql($create);
	fails('a column of a view', qr/cannot alter type of a column used by a view or rule/, $alter);
	is(sql("BEGIN; DROP VIEW sitemap_page; $alter; $create; COMMIT; SELECT count(*) FROM sitemap_page"),
		'100', 'the view is dropped and created again');
	sql('DROP VIEW sitemap_page; ALTER TABLE page ALTER path TYPE text');
	return;
}

sub typed_table
{
	my ($not_of) = $chapter =~ /`(ALTER TABLE site_files NOT OF)`/;
	my $add = 'ALTER TABLE site_files ADD note text';

	fails('a column', qr/cannot add column to typed table/, $add);
	is(sql("BEGIN; $not_of; $add; $publish; ROLLBACK"), '2', 'the ordinary table is a target');
	return;
}

# How many URLs the target has.
sub urls
{
	return sql(q{SELECT sum(url_count) FROM site_files WHERE kind <> 'index'});
}

sub no_directory
{
	fails('no directory', qr/could not create directory/, "SELECT sitemap_export('$folder/none/none', 'TABLE site_files')");
	mkdir "$folder/locked" or die $!;
	chmod 0555, "$folder/locked" or die $!;
	fails('no right to write', qr/could not open file .*Permission denied/,
		"SELECT sitemap_export('$folder/locked', 'TABLE site_files')");
	chmod 0755, "$folder/locked" or die $!;
	is($node->psql('postgres', "SELECT sitemap_export('$folder/locked', 'TABLE site_files')"), 0, 'a right helps');
	return;
}

# A session that has published and is idle in its transaction.
sub run_waits
{
	my $first = hold($publish);
	my $pid = $first->{pid};
	my $second = Session->start($node, 'postgres')->begin($publish);
	my $query = query_of_chapter('pg_blocking_pids');

	$second->wait_for_lock;
	like(sql($query), qr/^\d+\|\{\Q$pid\E\}\|.*sitemap_publish/s, 'the query finds who holds up whom');
	is( sql("SELECT state FROM pg_stat_activity WHERE pid = $pid"),
		'idle in transaction', 'which is idle in its transaction');
	fails('a lock timeout', qr/canceling statement due to lock timeout/, "SET lock_timeout = '100ms'; $publish");
	$first->query_safe('COMMIT');
	$first->quit;
	$second->quit;
	is(urls(), 100, 'then the other run goes on');
	return;
}

sub nothing_runs
{
	my $newest = 'SELECT max(lastmod) FROM site_files';
	my $before = sql($newest);

	like($chapter, qr/`\Q$newest\E`/, 'the chapter has the query');
	sql(q{INSERT INTO page VALUES (101, '/page/101')});
	is(sql($newest), $before, 'without a run nothing changes');
	sql($publish);
	is(sql("SELECT (SELECT max(lastmod) FROM site_files) > '$before'"), 't', 'a run changes it');
	return;
}

sub page_is_missing
{
	my $query = query_of_chapter('sitemap_parse') =~ s{/600'}{/page/7'}r;

	is(sql($query), 'sitemap-51d8e999.xml.gz', 'the query finds the file of a page');
	my $skipping = $publish =~ s/\)\s*$/, on_invalid => 'skip')/r;
	my (undef, undef, $warning) = $node->psql('postgres', "UPDATE page SET path = NULL WHERE id = 7; $skipping");
	like($warning, qr/sitemap_publish left out 1 row/, 'a row whose loc is NULL: the message');
	is(sql($query), '', 'and none for a row whose loc is NULL, which was left out');
	sql("UPDATE page SET path = '/page/7' WHERE id = 7; $publish");
	return;
}

# A full run counts a change that no queue has seen, unless full_at is NULL.  The count stays until
# the next full run, whatever has been repaired.
sub not_watched
{
	my $run = sub {
		my ($full_at) = @_;

		return sql(($full_at ? "UPDATE shelf_site SET full_at = $full_at" : 'SELECT') . q{;
			CALL sitemap_run('shelf_site'); SELECT coalesce(missed::text, 'NULL') FROM shelf_site}) =~ s/\A\s+//r;
	};

	like($chapter, qr/`full_at` to NULL/, 'the chapter says how pages are read again');
	like(slurp_file("$FindBin::RealBin/../../doc/reference.md"), qr/^`full_at timestamptz` .*`'epoch'`/m, 'and the reference, how changes are counted');
	sql(q{
		CREATE TABLE shelf AS SELECT n AS id, '/shelf/' || n AS path FROM generate_series(1, 200) n;
		ALTER TABLE shelf ADD PRIMARY KEY (id);
		CREATE TABLE shelf_change (id int);
		CREATE TABLE shelf_files OF sitemap_file (PRIMARY KEY (base_url, name));
		CREATE TABLE shelf_site OF sitemap_job (PRIMARY KEY (base_url, section));
		INSERT INTO shelf_site (target, base_url, section, max_urls, query, changes)
		VALUES ('shelf_files', 'https://www.example.com/', 'shelves', 10, 'SELECT path AS loc, id AS key FROM public.shelf ORDER BY id',
		        'DELETE FROM public.shelf_change RETURNING id');
		CALL sitemap_run('shelf_site');
		UPDATE shelf SET path = path || '-a' WHERE id = 100});
	is($run->(), 'NULL', 'a run of changes does not count');
	is($run->(q{'epoch'}), '1', 'a full run does');
	sql(q{UPDATE shelf SET path = path || '-b' WHERE id = 150; SELECT sitemap_watch('shelf', 'id', 'shelf_change')});
	is($run->(), '1', 'the count stays after the table is watched');
	is($run->('NULL'), 'NULL', 'a full run does not count what the owner knows');
	is(sql(q{SELECT count(*) FROM shelf_files f, sitemap_parse(f.content) e WHERE f.kind = 'urlset' AND e.loc ~ '-[ab]$'}), '2', 'and finds all changes');
	sql(q{UPDATE shelf SET path = path || '-c' WHERE id = 50});
	is($run->(q{'epoch'}), '0', 'a watched table leaves nothing to count');
	return;
}

# What the messages of Search Console are about, as it is met here.
sub search_console
{
	my ($table) = $chapter =~ /### What Search Console says\n(.*)/s;
	my $loc = sub { "SELECT count(*) FROM sitemap_files(\$\$SELECT '$_[0]' AS loc\$\$, 'https://www.example.com/')" };

	foreach my $message ("Couldn't fetch", 'URL not allowed', 'Invalid date', 'Unsupported format')
	{
		like($table, qr/^- \*\*\Q$message\E/m, "the chapter explains: $message");
	}
	foreach my $other ('https://example.com/', 'http://www.example.com/', 'https://www.example.com:8443/')
	{
		fails("URL not allowed, $other", qr/invalid loc: the site is "[^"]*", not "[^"]*" as in base_url/, $loc->($other));
	}
	fails('Invalid date', qr/invalid lastmod "2026-01-02 03:04"/,
		q{SELECT count(*) FROM sitemap_files($$SELECT '/' AS loc, '2026-01-02 03:04'::text AS lastmod$$, 'https://www.example.com/')});
	is( sql(q{
			SELECT e.loc, a.problem
			  FROM sitemap_parse('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://www.example.com/</loc><lastmod>2026-01-02 03:04</lastmod></url></urlset>'::text) e,
			       sitemap_audit(format('SELECT %L AS loc, %L::text AS lastmod', e.loc, e.lastmod), 'https://www.example.com/') a}),
		'https://www.example.com/|lastmod_invalid',
		'Invalid date: an entry of others is found');
	fails('Sitemap is HTML', qr/sitemap/, q{SELECT * FROM sitemap_parse('<html><body>Log in</body></html>'::text)});
	my ($status, $empty) = $node->psql('postgres',
		q{SELECT count(*) FROM sitemap_files('SELECT NULL::text AS loc WHERE false', 'https://www.example.com/')});
	is("$status $empty", '0 0', 'Empty sitemap: there is no file without entries');
	return;
}
