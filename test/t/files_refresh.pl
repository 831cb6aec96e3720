# Materialized views over sitemap_files, by hand and by pg_cron.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->append_conf('postgresql.conf', "fsync = off\n");

# The extension's files alone would not do: the server loads the library.
my $has_cron = -e $node->config_data('--sharedir') . '/extension/pg_cron.control'
  && -e $node->config_data('--pkglibdir') . '/pg_cron.so';
$node->append_conf(
	'postgresql.conf', q{
shared_preload_libraries = 'pg_cron'
cron.database_name = 'postgres'
cron.use_background_workers = on
cron.timezone = 'UTC'
}) if $has_cron;
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE SCHEMA extensions;
	CREATE EXTENSION sitemap SCHEMA extensions;
	CREATE TABLE page (loc text PRIMARY KEY, lastmod timestamptz);
	INSERT INTO page VALUES ('/1', '2026-01-01 00:00+00'), ('/2', '2026-01-02 00:00+00');
	CREATE MATERIALIZED VIEW site AS
	SELECT *
	  FROM extensions.sitemap_files('SELECT loc, lastmod FROM public.page ORDER BY loc',
	                                'http://www.example.com/', max_urls => 2);
	CREATE UNIQUE INDEX ON site (name)});
my $files = q{SELECT string_agg(name || ' ' || url_count, ' ' ORDER BY name) FROM site};
my $two = 'sitemap.xml 2';
my $three = 'sitemap-1.xml 2 sitemap-2.xml 1 sitemap.xml 2';
is($node->safe_psql('postgres', $files), $two, 'a materialized view');

$node->safe_psql(
	'postgres', q{
	INSERT INTO page VALUES ('/3', '2026-01-03 00:00+00');
	REFRESH MATERIALIZED VIEW site});
is($node->safe_psql('postgres', $files), $three, 'refreshed');

$node->safe_psql(
	'postgres', q{
	DELETE FROM page WHERE loc = '/3';
	SET search_path = '';
	REFRESH MATERIALIZED VIEW CONCURRENTLY public.site});
is($node->safe_psql('postgres', $files), $two, 'refreshed concurrently, with an empty search_path');

# One row that changes its lastmod changes its file and the index, no other.
$node->safe_psql(
	'postgres', q{
	INSERT INTO page VALUES ('/3', '2026-01-03 00:00+00');
	REFRESH MATERIALIZED VIEW site;
	CREATE TABLE before AS SELECT name, digest, ctid AS place FROM site;
	UPDATE page SET lastmod = '2026-01-04 00:00+00' WHERE loc = '/3';
	REFRESH MATERIALIZED VIEW CONCURRENTLY site});
my $changed = q{
	SELECT string_agg(name, ' ' ORDER BY name)
	  FROM site JOIN before USING (name)
	 WHERE };
is( $node->safe_psql('postgres', $changed . 'site.digest <> before.digest'),
	'sitemap-2.xml sitemap.xml',
	'a digest tells which file has changed');
is( $node->safe_psql('postgres', $changed . 'site.ctid <> before.place'),
	'sitemap-2.xml sitemap.xml',
	'and only those are written anew');

# An error leaves the view as it was.
my ($status, $stdout, $stderr) = $node->psql(
	'postgres', q{
	INSERT INTO page VALUES ('ftp://example.com/', NULL);
	REFRESH MATERIALIZED VIEW CONCURRENTLY site});
like(
	$stderr,
	qr{ERROR:  invalid loc: the scheme is neither.*\nDETAIL:  Row 4 has the loc "ftp://example.com/"\.},
	'a refresh that fails says why');
is($node->safe_psql('postgres', $files), $three, 'and leaves the view as it was');
$node->safe_psql('postgres', q{DELETE FROM page WHERE loc LIKE 'ftp:%'});

# The query runs with the rights of the caller, here the owner of the view.
$node->safe_psql(
	'postgres', q{
	CREATE ROLE reader;
	GRANT SELECT ON site TO reader;
	GRANT USAGE ON SCHEMA extensions TO reader});
is($node->safe_psql('postgres', 'SET ROLE reader; SELECT count(*) FROM public.site'),
	3, 'another role reads the view');
($status, $stdout, $stderr) = $node->psql(
	'postgres', q{
	SET ROLE reader;
	SELECT * FROM extensions.sitemap_files('SELECT loc FROM public.page', 'http://www.example.com/')});
like($stderr, qr/permission denied for table page/, 'but not the table');

# In a read-only transaction.
is( $node->safe_psql(
		'postgres', q{
		BEGIN READ ONLY;
		SELECT count(*)
		  FROM extensions.sitemap_files('SELECT loc FROM public.page', 'http://www.example.com/');
		COMMIT}),
	1,
	'a read-only transaction');

# pg_cron, which comes to its jobs when a minute begins: one refreshes the view, one publishes.
SKIP:
{
	skip 'pg_cron is not installed', 5 unless $has_cron;

	# What differs from the last look at a target, whose files are of another second.
	my $published = q{
		SELECT coalesce(string_agg(name, ' ' ORDER BY name), 'nothing')
		  FROM site_files f FULL JOIN published_before b USING (name)
		 WHERE f.content IS DISTINCT FROM b.content OR f.place IS DISTINCT FROM b.place};

	$node->safe_psql(
		'postgres', q{
		CREATE EXTENSION pg_cron;
		CREATE TABLE target OF extensions.sitemap_file (PRIMARY KEY (base_url, name));
		CREATE VIEW site_files AS SELECT name, content, ctid AS place FROM target;
		INSERT INTO page SELECT '/more/' || n, '2026-01-01 00:00+00' FROM generate_series(1, 40) n;
		CREATE PROCEDURE publish() LANGUAGE sql AS $$
		  SELECT extensions.sitemap_publish('public.target', 'SELECT loc, lastmod FROM public.page ORDER BY loc',
		                                    'http://www.example.com/', max_urls => 10)
		$$;
		CALL publish();
		UPDATE target SET lastmod = '2001-01-01' WHERE kind <> 'index';
		CALL publish();
		CREATE TABLE published_before AS TABLE site_files;
		REFRESH MATERIALIZED VIEW site;
		CREATE TABLE site_before AS SELECT name, digest, ctid AS place FROM site});
	is($node->safe_psql('postgres', $published), 'nothing', 'a published set');

	# a schedule of seconds came with version 1.5
	my $version = $node->safe_psql('postgres',
		q{SELECT extversion FROM pg_extension WHERE extname = 'pg_cron'});
	my ($major, $minor) = $version =~ /^(\d+)\.(\d+)/;
	my $schedule = $major > 1 || $minor >= 5 ? '1 second' : '* * * * *';

	# The row is in one file, and the index has that file's lastmod.
	my $changed = $node->safe_psql(
		'postgres', qq{
		UPDATE page SET lastmod = '2026-06-01 00:00+00' WHERE loc = '/more/20';
		SELECT cron.schedule('refresh', '$schedule', 'REFRESH MATERIALIZED VIEW CONCURRENTLY public.site');
		SELECT cron.schedule('publish', '$schedule', 'CALL public.publish()');
		SELECT name
		  FROM extensions.sitemap_files('SELECT loc, lastmod FROM public.page ORDER BY loc',
		                                'http://www.example.com/', max_urls => 10, split => 'stable', compression => 6)
		 WHERE lastmod = '2026-06-01 00:00+00' AND kind <> 'index'}) =~ s/.*\n//sr;
	like($changed, qr/^sitemap-[0-9a-f]{8}\.xml\.gz$/, 'the file of a row that changes');
	ok( $node->poll_query_until(
			'postgres', $published, "$changed sitemap.xml"),
		"pg_cron publishes it, $schedule, and nothing else");
	ok( $node->poll_query_until(
			'postgres', q{
			SELECT string_agg(kind, ' ' ORDER BY kind)
			  FROM site s FULL JOIN site_before b USING (name)
			 WHERE s.digest IS DISTINCT FROM b.digest OR s.ctid IS DISTINCT FROM b.place}, 'index urlset'),
		'and refreshes one file and the index of the view');
	ok( $node->poll_query_until(
			'postgres', q{
			SELECT count(DISTINCT jobid) = 2 AND bool_and(status = 'succeeded')
			  FROM cron.job_run_details
			 WHERE status NOT IN ('starting', 'running')}),
		'and finds nothing wrong');
	$node->safe_psql('postgres', q{SELECT cron.unschedule(jobname) FROM cron.job});
}

$node->stop;
done_testing();
