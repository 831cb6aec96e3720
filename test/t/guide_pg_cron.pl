# pg_cron with the pg_hba.conf that Debian brings: a job fails, as the guide's
# troubleshooting says, and each of the three ways out makes it run.

use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
my $folder = PostgreSQL::Test::Utils::tempdir();

# The password file is read when a job begins.  Nobody's own is touched.
$ENV{PGPASSFILE} = "$folder/pgpass";
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
if (!-e $node->config_data('--pkglibdir') . '/pg_cron.so')
{
	plan skip_all => 'pg_cron is not here';
}
my $user = getpwuid($>);
$node->append_conf(
	'postgresql.conf', qq{
	listen_addresses = 'localhost'
	shared_preload_libraries = 'pg_cron'
	cron.database_name = 'postgres'});

# Debian: over TCP a password, over the socket the user of the operating system.
unlink $node->data_dir . '/pg_hba.conf';
append_to_file(
	$node->data_dir . '/pg_hba.conf', q{
local   all             postgres                                peer
local   all             all                                     peer
host    all             all             127.0.0.1/32            scram-sha-256
host    all             all             ::1/128                 scram-sha-256
});
append_to_file($ENV{PGPASSFILE}, '');
chmod 0600, $ENV{PGPASSFILE} or die $!;
$node->start;
$node->safe_psql(
	'postgres', qq{
	SET password_encryption = 'scram-sha-256';
	ALTER ROLE "$user" PASSWORD 'secret';
	CREATE EXTENSION pg_cron;
	CREATE EXTENSION sitemap;
	CREATE TABLE page (id int PRIMARY KEY, path text);
	INSERT INTO page SELECT n, '/page/' || n FROM generate_series(1, 10) n;
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (name))});

# An interval of seconds came with version 1.5.
my $can_wait =
  $node->psql('postgres', q{SELECT cron.schedule('seconds', '1 second', 'SELECT 1'), cron.unschedule('seconds')}) == 0;
my $schedule = $can_wait ? '1 second' : '* * * * *';

like(run_job('fails'), qr/^failed: connection failed/, 'a job fails with what Debian brings');
is(files(), 0, 'it has done nothing');

$node->append_conf('postgresql.conf', 'cron.use_background_workers = on');
$node->restart;
like(run_job('worker'), qr/^succeeded: /, 'a background worker needs no connection');
is(files(), 2, 'it has published');

$node->append_conf('postgresql.conf', 'cron.use_background_workers = off');
append_to_file($ENV{PGPASSFILE}, 'localhost:' . $node->port . ":postgres:$user:secret\n");
$node->restart;
like(run_job('pgpass'), qr/^succeeded: /, 'a password file');
is(files(), 2, 'it has published');

unlink $ENV{PGPASSFILE} or die $!;
$node->append_conf('postgresql.conf', "cron.host = '" . $node->host . "'");
$node->restart;
like(run_job('peer'), qr/^succeeded: /, 'the socket, by peer authentication');
is(files(), 2, 'it has published');

$node->stop;
done_testing();

# Wait for the first run of a job that publishes anew: its status and message.
sub run_job
{
	my ($name) = @_;

	$node->safe_psql(
		'postgres', qq{
		DELETE FROM site_files;
		SELECT cron.schedule('$name', '$schedule',
			\$\$SELECT public.sitemap_publish('public.site_files', 'SELECT path AS loc FROM public.page ORDER BY id', 'https://www.example.com/')\$\$)});
	my $runs = qq{
		FROM cron.job_run_details d JOIN cron.job j USING (jobid)
		WHERE jobname = '$name' AND d.status IN ('failed', 'succeeded')};
	$node->poll_query_until('postgres', "SELECT count(*) > 0 $runs") or die "$name does not run";
	my $result = $node->safe_psql('postgres',
		"SELECT d.status || ': ' || d.return_message $runs ORDER BY runid LIMIT 1");
	$node->safe_psql('postgres', "SELECT cron.unschedule('$name')");
	note("$name: $result");
	return $result;
}

sub files
{
	return $node->safe_psql('postgres', 'SELECT count(*) FROM site_files');
}
