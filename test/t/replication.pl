# A hot standby, where all works that does not write to a table; and a subscriber of
# logical replication, whose table has what our functions make of each row.
use FindBin;
use lib $FindBin::RealBin;
use Node;
use Session;

my $primary = start_node("autovacuum = off\n", allows_streaming => 'logical');
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE page (id int PRIMARY KEY, loc text, lastmod timestamptz);
	INSERT INTO page SELECT n, '/' || n, '2026-01-01 00:00+00' FROM generate_series(1, 25) n;
	CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE FUNCTION wait(loc text) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
	  PERFORM pg_catalog.pg_advisory_xact_lock_shared(1);
	  RETURN loc;
	END
	$$});
my $publish = q{
	SELECT count(*)
	  FROM sitemap_publish('target', 'SELECT loc, lastmod FROM public.page ORDER BY id', 'http://a/',
	                       max_urls => 10)};
sql($publish);
$primary->backup('backup');

my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = 100ms\nhot_standby_feedback = off\n");
$standby->start;

my $subscriber = new_node('subscriber', "autovacuum = off\n");
$subscriber->start;

test_standby();
test_publish_on_standby();
test_conflict();
test_promotion();
test_subscriber();
$subscriber->stop;
$standby->stop;
$primary->stop;
done_testing();

# Whatever reads gives on the standby what it gives on the primary.
sub test_standby
{
	my $query = q{'SELECT loc, lastmod FROM public.page ORDER BY id', 'http://a/'};
	my %reads = (
		'sitemap_files' => "SELECT name, digest, md5(content) FROM sitemap_files($query, compression => 6, max_urls => 10)",
		'sitemap_audit' => "SELECT * FROM sitemap_audit($query, max_bytes => 130)",
		'sitemap_agg' => q{SELECT md5(sitemap_agg('http://a' || loc, lastmod ORDER BY id)) FROM page},
		'sitemap_parse' => q{SELECT p.* FROM target, sitemap_parse(content) p WHERE kind = 'index'},
		'a published target' => 'SELECT * FROM target ORDER BY name',
		'a large result' => q{SET work_mem = '64kB'; SELECT sum(url_count), count(*) FROM sitemap_files('SELECT ''/'' || n || repeat(md5(n::text), 9) AS loc FROM generate_series(1, 10000) n', 'http://a/', max_urls => 100)}
	);

	$primary->wait_for_catchup($standby);
	is($standby->safe_psql('postgres', 'SELECT pg_is_in_recovery()'), 't', 'a standby');
	foreach my $what (sort keys %reads)
	{
		my $expected = sql($reads{$what});

		isnt($expected, '', "$what: there is something to see");
		is($standby->safe_psql('postgres', $reads{$what}), $expected, "$what: a standby has the same");
	}

	my @dirs = map { PostgreSQL::Test::Utils::tempdir() } 1 .. 2;
	my @exported = map {
		my ($node, $dir) = @$_;
		$node->safe_psql('postgres', "SELECT * FROM sitemap_export('$dir', 'TABLE target')")
	} ([ $primary, $dirs[0] ], [ $standby, $dirs[1] ]);
	like($exported[0], qr/\|created\|/, 'sitemap_export: a directory');
	is($exported[1], $exported[0], 'sitemap_export: a standby exports the same');
	is_deeply(contents($dirs[1]), contents($dirs[0]), 'and has the same files');
	is_deeply(times_of($dirs[1]), times_of($dirs[0]), 'with the same times');

	# what changes has the same new time
	my $before = times_of($dirs[0]);
	sql(q{UPDATE page SET loc = '/changed' WHERE id = 7} . ";$publish");
	$primary->wait_for_catchup($standby);
	@exported = map {
		my ($node, $dir) = @$_;
		$node->safe_psql('postgres', "SELECT * FROM sitemap_export('$dir', 'TABLE target')")
	} ([ $primary, $dirs[0] ], [ $standby, $dirs[1] ]);
	like($exported[0], qr/\|updated\|/, 'a page changes');
	is($exported[1], $exported[0], 'a standby exports the same');
	isnt(join(' ', %{ times_of($dirs[0]) }), join(' ', %$before), 'with new times');
	is_deeply(times_of($dirs[1]), times_of($dirs[0]), 'that are the same');
	return;
}

sub test_publish_on_standby
{
	my $before = $standby->safe_psql('postgres', 'SELECT * FROM target ORDER BY name');
	my ($status, $output, $errors) = $standby->psql('postgres', $publish, extra_params => [ '-v', 'VERBOSITY=verbose' ]);

	like($errors, qr/ERROR:  25006: cannot execute sitemap_publish\(\) during recovery/,
		'sitemap_publish says that it cannot');
	is($standby->safe_psql('postgres', 'SELECT * FROM target ORDER BY name'), $before, 'and changes nothing');
	return;
}

# Rows that the query of a call may see are vacuumed on the primary: replay cancels
# the call, and nothing of it stays.
sub test_conflict
{
	my $dir = PostgreSQL::Test::Utils::tempdir();
	my $query = q{'SELECT wait(loc) AS loc FROM public.page ORDER BY id', 'http://a/'};
	my %call = (
		sitemap_audit => "SELECT count(*) FROM sitemap_audit($query)",
		sitemap_export => "SELECT * FROM sitemap_export('$dir', \$\$SELECT name, content FROM sitemap_files($query)\$\$)",
		sitemap_files => "SELECT count(*) FROM sitemap_files($query)");
	my $before = {};

	foreach my $function (sort keys %call)
	{
		my $holder = Session->start($standby, 'postgres');
		my $session = Session->start($standby, 'postgres', on_error_stop => 0);

		$holder->query_safe('SELECT pg_advisory_lock(1)');
		$session->query_safe('\set VERBOSITY verbose');
		$session->begin($call{$function})->wait_for_lock($holder);

		sql(q{UPDATE page SET lastmod = lastmod + interval '1 day'});
		sql('VACUUM page');
		$primary->wait_for_catchup($standby);
		# replay signals until the transaction has ended; a signal at its end ends the session, too
		my $lives = eval { $session->query('SELECT'); 1 };
		like(
			$session->{stderr},
			qr/ERROR:  40001: canceling statement due to conflict with recovery/,
			"$function: a conflict with recovery ends it");
		$session->{stderr} = '';
		$holder->quit;
		is_deeply(contents($dir), $before, "$function: the directory is as it was");
		is($standby->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'),
			0, "$function: nor a temporary one");
		$session = Session->start($standby, 'postgres') unless $lives;
		like($session->query_safe($call{$function}), qr/\S/, "$function: the next one works");
		$before = contents($dir);
		$session->quit;
	}
	return;
}

sub test_promotion
{
	$standby->promote;
	is( $standby->safe_psql(
			'postgres',
			q{UPDATE page SET lastmod = '2026-02-02 00:00+00'} . ";$publish"),
		$standby->safe_psql('postgres', 'SELECT count(*) FROM target'),
		'a standby that was promoted publishes');
	return;
}

# The subscriber has a generated column, an index and a trigger of our functions, in
# the first copy of the table and in what comes after.
sub test_subscriber
{
	my $connection = $primary->connstr . ' dbname=postgres';
	my $same = q{SELECT id, sitemap_url('http://a' || loc, lastmod)::text, sitemap_agg('http://a' || loc, lastmod)
	               FROM page GROUP BY id ORDER BY id};

	sql('CREATE PUBLICATION pages FOR TABLE page');
	$subscriber->safe_psql(
		'postgres', qq{
		CREATE EXTENSION sitemap;
		CREATE TABLE page (id int PRIMARY KEY, loc text, lastmod timestamptz,
		                   url text GENERATED ALWAYS AS (sitemap_url('http://a' || loc, lastmod)::text) STORED,
		                   document text);
		CREATE INDEX ON page ((sitemap_url('http://a' || loc, lastmod)::text));
		CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));
		CREATE FUNCTION set_document() RETURNS trigger LANGUAGE plpgsql AS \$\$
		BEGIN
		  NEW.document := (SELECT public.sitemap_agg('http://a' || NEW.loc, NEW.lastmod));
		  RETURN NEW;
		END
		\$\$;
		CREATE TRIGGER document BEFORE INSERT OR UPDATE ON page FOR EACH ROW EXECUTE FUNCTION set_document();
		ALTER TABLE page ENABLE ALWAYS TRIGGER document;
		CREATE SUBSCRIPTION pages CONNECTION '$connection' PUBLICATION pages});
	$subscriber->wait_for_subscription_sync($primary, 'pages');
	is_deeply(
		[ rows($subscriber, 'SELECT id, url, document FROM page ORDER BY id') ],
		[ rows($primary, $same) ],
		'a subscriber: the first copy');

	sql(q{
		INSERT INTO page VALUES (100, '/ü & <x>', '2026-03-04 05:06:07+00'), (101, '/none', NULL);
		UPDATE page SET loc = loc || '/new' WHERE id % 2 = 0;
		DELETE FROM page WHERE id = 3});
	$primary->wait_for_catchup('pages');
	is_deeply(
		[ rows($subscriber, 'SELECT id, url, document FROM page ORDER BY id') ],
		[ rows($primary, $same) ],
		'a subscriber: what is applied');
	is( $subscriber->safe_psql(
			'postgres', q{
			SET enable_seqscan = off;
			SELECT id FROM page
			 WHERE sitemap_url('http://a' || loc, lastmod)::text = '<url><loc>http://a/none</loc></url>'}),
		101,
		'its index finds a row');

	# the subscriber publishes what the primary has
	my $files = q{SELECT name, digest FROM target WHERE kind <> 'index' ORDER BY name};
	$_->safe_psql('postgres', $publish) foreach $primary, $subscriber;
	cmp_ok(scalar rows($subscriber, $files), '>', 1, 'a subscriber publishes');
	is_deeply([ rows($subscriber, $files) ], [ rows($primary, $files) ], 'what the primary does');

	# A row that the subscriber's functions refuse stops the subscription, until it is gone.
	my $log = -s $subscriber->logfile;
	sql(q{INSERT INTO page VALUES (200, '/far', 'infinity')});
	$subscriber->wait_for_log(qr/ERROR: .*invalid lastmod: infinity/, $log);
	is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM page WHERE id = 200'),
		0, 'a row that is refused is not applied');
	$subscriber->safe_psql(
		'postgres', q{
		DROP TRIGGER document ON page;
		ALTER TABLE page DROP url;
		DROP INDEX page_sitemap_url_idx});
	$primary->wait_for_catchup('pages');
	is($subscriber->safe_psql('postgres', 'SELECT lastmod FROM page WHERE id = 200'),
		'infinity', 'and is, as soon as nothing refuses it');
	$subscriber->safe_psql('postgres', 'DROP SUBSCRIPTION pages');
	return;
}

sub rows
{
	my ($node, $query) = @_;

	return split /\n/, $node->safe_psql('postgres', $query);
}

# The files of a directory, by their names.
sub contents
{
	my ($dir) = @_;

	opendir(my $handle, $dir) or die "$dir: $!";
	my %contents = map { ($_ => slurp_file("$dir/$_")) } grep { /^[^.]|tmp/ } readdir $handle;
	closedir $handle;
	return \%contents;
}

# Their times.
sub times_of
{
	my ($dir) = @_;

	return { map { ($_ => (stat "$dir/$_")[9]) } keys %{ contents($dir) } };
}
