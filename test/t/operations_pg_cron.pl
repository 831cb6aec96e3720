# pg_cron with the pg_hba.conf that Debian brings: a job fails, as the troubleshooting of
# doc/operations.md says, and each of the three ways out makes it run.  So does a call of
# sitemap_run, which commits: with a job that fails, pg_cron says so, and keeps the others.
# A dump has the schedules; a copy in another database has all but pg_cron.
#
# Each case has a server of its own, so that all of them wait for the same minute: an
# interval of seconds takes pg_cron 1.5.
use FindBin;
use IPC::Run ();

use lib $FindBin::RealBin;
use Node;

my $user = getpwuid($>);
my $folder = PostgreSQL::Test::Utils::tempdir();

# Over TCP a password, over the socket the user of the operating system.
my $pg_hba = q{
local   all             postgres                                peer
local   all             all                                     peer
host    all             all             127.0.0.1/32            scram-sha-256
host    all             all             ::1/128                 scram-sha-256
};
my $publish = q{
	SELECT public.sitemap_publish('public.site_files', 'SELECT path AS loc FROM public.page ORDER BY id',
	                              'https://www.example.com/')};

my $guide = slurp_file("$FindBin::RealBin/../../doc/guide.md");
my @cases = (
	{ name => 'debian' },
	{ name => 'workers', settings => \&of_tutorial },
	{ name => 'pgpass', password => 1 },
	{ name => 'peer', settings => sub { "cron.host = '" . $_[0]->host . "'" } },);

foreach my $case (@cases)
{
	my $node = $case->{node} = start($case);

	$node->safe_psql(
		'postgres', qq{
		CREATE EXTENSION sitemap;
		CREATE TABLE page (id int PRIMARY KEY, path text);
		INSERT INTO page SELECT n, '/page/' || n FROM generate_series(1, 10) n;
		CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
		SELECT cron.schedule('publish', '* * * * *', \$job\$$publish\$job\$);
		CREATE TABLE job_files OF sitemap_file (PRIMARY KEY (base_url, name));
		CREATE TABLE job OF sitemap_job (PRIMARY KEY (base_url, section));
		INSERT INTO job (target, base_url, section, query) VALUES
		  ('job_files', 'https://www.example.com/', 'a-fails', 'SELECT ''/'' || 1 / (id - 5) AS loc FROM public.page'),
		  ('job_files', 'https://www.example.com/', 'b-works', 'SELECT path AS loc FROM public.page ORDER BY id');
		SELECT cron.schedule('run', '* * * * *', 'CALL public.sitemap_run(''public.job'')')});
	# The guide's shops, none of which is due, with a change of one.
	$node->safe_psql('postgres', $_)
	  foreach block($guide, 'sql', 'CREATE TABLE shop ('), block($guide, 'sql', 'CREATE TABLE shop_change') =~ s/^UPDATE.*//mr,
	  block($guide, 'sql', 'CREATE PROCEDURE run_shops'),
	  q{UPDATE product SET slug = 'bitter' WHERE id = 4; SELECT cron.schedule('shops', '* * * * *', 'CALL public.run_shops()')};
	# Tables of jobs of other owners: one that can log in, and one that cannot.
	$node->safe_psql(
		'postgres', q{
		CREATE ROLE site_owner LOGIN;
		CREATE ROLE group_owner;
		CREATE ROLE scheduler LOGIN IN ROLE group_owner;
		ALTER ROLE scheduler SET role = group_owner});
	foreach my $owner ('site_owner', 'group_owner')
	{
		my $user = $owner eq 'site_owner' ? 'site_owner' : 'scheduler';
		$node->safe_psql(
			'postgres', qq{
			CREATE SCHEMA $owner AUTHORIZATION $owner;
			SELECT cron.schedule_in_database('$owner', '* * * * *', 'CALL public.sitemap_run(''$owner.job'')', 'postgres', username => '$user');
			SET ROLE $owner;
			CREATE TABLE $owner.files OF sitemap_file (PRIMARY KEY (base_url, name));
			CREATE TABLE $owner.job OF sitemap_job (PRIMARY KEY (base_url, section));
			INSERT INTO $owner.job (target, base_url, section, query) VALUES ('$owner.files', 'https://www.example.com/', 'pages', 'SELECT ''/'' || current_user AS loc')});
	}
}
foreach my $case (@cases)
{
	my ($name, $node) = @{$case}{qw(name node)};
	my $runs = q{FROM cron.job_run_details WHERE status IN ('failed', 'succeeded') AND command LIKE '%sitemap_publish%'};
	my $calls = q{FROM cron.job_run_details WHERE status IN ('failed', 'succeeded') AND command LIKE 'CALL %'};

	$node->poll_query_until('postgres', "SELECT (SELECT count(*) > 0 $runs) AND (SELECT count(*) > 0 $calls)") or die "$name: no job has run";
	my $result = $node->safe_psql('postgres',
		"SELECT status || ': ' || return_message $runs ORDER BY runid LIMIT 1");
	my $files = $node->safe_psql('postgres', 'SELECT count(*) FROM site_files');

	if ($name eq 'debian')
	{
		like($result, qr/^failed: connection failed/, 'a job fails with what Debian brings');
		is($files, 0, 'it has done nothing');
	}
	else
	{
		like($result, qr/^succeeded: /, "$name: the job runs");
		is($files, 2, "$name: it has published");
		like($node->safe_psql('postgres', "SELECT status || ': ' || return_message $calls ORDER BY runid LIMIT 1"),
			qr/^failed: .*1 job failed/, "$name: a call of sitemap_run with a failed job");
		is($node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', section, urls, failures > 0, split_part(error, E'\n', 1)), ', ' ORDER BY section) FROM job}),
			'a-fails t division by zero, b-works 10 f', "$name: the other job is kept");
	}
	if ($name ne 'debian')
	{
		$node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM cron.job_run_details WHERE status IN ('failed', 'succeeded') AND command LIKE '%run_shops%'}) or die "$name: no call";
		like($node->safe_psql('postgres', q{SELECT status || ': ' || return_message FROM cron.job_run_details WHERE command LIKE '%run_shops%' ORDER BY runid LIMIT 1}),
			qr/^succeeded: /, "$name: the guide's procedure for many shops");
		is($node->safe_psql('postgres', q{SELECT string_agg(e.loc, ' ') FROM shop_files f, sitemap_parse(f.content) e WHERE e.loc LIKE '%bitter'}),
			'https://cocoa.example/bitter', "$name: one call requests and publishes the changed shop");
		is($node->safe_psql('postgres', 'SELECT count(*) FROM shop_site WHERE started >= (SELECT min(start_time) FROM cron.job_run_details WHERE command LIKE $$%run_shops%$$)'), '1', "$name: and no other");
	}
	if ($name eq 'workers')
	{
		foreach my $owner ('site_owner', 'group_owner')
		{
			$node->poll_query_until('postgres', "SELECT finished IS NOT NULL FROM $owner.job") or die "$owner: no call";
			is($node->safe_psql('postgres', "SELECT urls, error FROM $owner.job"), '1|', "a call as $owner");
		}
		check_dump($node);
	}
	$node->stop;
}
done_testing();

sub check_dump
{
	my ($node) = @_;
	my $dump = "$folder/dump";
	my ($schedules, $errors);

	$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, '-d', $node->connstr('postgres') ], 'pg_dump');
	IPC::Run::run([ 'pg_restore', '-a', '-t', 'job', '-n', 'cron', '-f', '-', $dump ], '>', \$schedules);
	like($schedules, qr/CALL public\.sitemap_run/, 'a dump has the schedules');
	$node->safe_psql('postgres', 'CREATE DATABASE copy');
	IPC::Run::run([ 'pg_restore', '-d', $node->connstr('copy'), $dump ], '2>', \$errors);
	like($errors, qr/can only create extension in database postgres/, 'a copy has no pg_cron');
	unlike($errors, qr/^pg_restore: error: (?!.*(?:\bcron\b|pg_cron|can only create extension))/m, 'and no other errors');
	is($node->safe_psql('copy', 'SELECT section, urls FROM job ORDER BY section'), "a-fails|\nb-works|10", 'but the jobs');
	return;
}

# The third line of the tutorial's settings; the others are those of each case.
sub of_tutorial
{
	my ($settings) = slurp_file("$FindBin::RealBin/../../doc/tutorial.md") =~ /^```ini\n(shared_preload_libraries .*?)^```/ms;

	return (split /\n/, $settings)[2];
}

# A server with pg_cron and the settings of a case.
sub start
{
	my ($case) = @_;
	my $node = new_node($case->{name});
	my $settings = $case->{settings} // sub { '' };
	local $ENV{PGPASSFILE} = "$folder/$case->{name}";

	if (!-e $node->config_data('--pkglibdir') . '/pg_cron.so')
	{
		plan skip_all => 'pg_cron is not here';
	}
	$node->append_conf(
		'postgresql.conf', "
		listen_addresses = 'localhost'
		shared_preload_libraries = 'pg_cron'
		cron.database_name = 'postgres'
		" . $settings->($node));
	unlink $node->data_dir . '/pg_hba.conf';
	append_to_file($node->data_dir . '/pg_hba.conf', $pg_hba);
	append_to_file($ENV{PGPASSFILE},
		$case->{password} ? 'localhost:' . $node->port . ":postgres:$user:secret\n" : '');
	chmod 0600, $ENV{PGPASSFILE} or die $!;
	$node->start;
	$node->safe_psql(
		'postgres', qq{
		SET password_encryption = 'scram-sha-256';
		ALTER ROLE "$user" PASSWORD 'secret';
		CREATE EXTENSION pg_cron});
	return $node;
}
