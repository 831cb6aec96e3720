# A managed database, where the extension cannot be created, and a publisher beside it: the
# guide's chapter, statement by statement, over TLS; and docker/publisher, which does the
# same from a URL.
use strict;
use warnings;

use FindBin;
use HTTP::Tiny;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($chapter) = slurp_file("$FindBin::RealBin/../../doc/guide.md") =~ /^## Managed services\n(.*?)^## /ms
  or die 'the guide has no such chapter';
my ($role, $queue, $setup, $call) = $chapter =~ /^```pgsql\n(.*?)^```\n/msg;
my $dir = PostgreSQL::Test::Utils::tempdir();
my %program_env;	# what docker/publisher reads

# Runs of the job that say what they do: of all pages, and of what changed.
my $all = 'SELECT p.* FROM site j CROSS JOIN LATERAL sitemap_publish(j.target, j.query, j.base_url, section => j.section) p';
my $changed = $all =~ s/j\.section\)/j.section, changes => j.changes)/r;

# A certificate of its own, for localhost.
plan skip_all => 'no openssl to make a certificate'
  if system("openssl req -new -x509 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout $dir/key.pem -out $dir/cert.pem >$dir/log 2>&1") != 0;
chmod 0600, "$dir/key.pem";

my $service = PostgreSQL::Test::Cluster->new('service');
my $publisher = PostgreSQL::Test::Cluster->new('publisher');

$service->init(allows_streaming => 1, extra => [ '--encoding=UTF8', '--no-locale' ]);
$service->append_conf('postgresql.conf', qq{
fsync = off
listen_addresses = 'localhost'
ssl = on
ssl_cert_file = '$dir/cert.pem'
ssl_key_file = '$dir/key.pem'
log_statement = all
});
$service->append_conf('pg_hba.conf', 'hostssl all all localhost scram-sha-256');
plan skip_all => 'a PostgreSQL without TLS' if !eval { $service->start; 1 };
$publisher->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$publisher->append_conf('postgresql.conf', "fsync = off\n");
$publisher->start;
plan skip_all => 'postgres_fdw is not here'
  if $publisher->psql('postgres', 'CREATE EXTENSION postgres_fdw; DROP EXTENSION postgres_fdw') != 0;

$service->safe_psql('postgres', 'CREATE DATABASE shop');
$service->safe_psql(
	'shop', q{
	CREATE TABLE page (id int PRIMARY KEY, path text, changed timestamptz);
	INSERT INTO page SELECT n, '/p/' || n, timestamptz '2026-01-01 00:00Z' + n * interval '1 minute'
	  FROM generate_series(1, 120000) n});
service($role);
service($queue);
my $port = $service->port;
sql($setup =~ s/db\.example\.com/localhost/r =~ s/port '5432'/port '$port'/r =~ s{/etc/ssl/service\.pem}{$dir/cert.pem}r
	  =~ s{/var/www/sitemaps}{$dir/sitemaps}r);

# The job: all pages, then what changed.
my $status = 'SELECT urls, written, error IS NULL FROM site';
sql($call);
is(sql($status), '120000|4|t', 'the job publishes');
ok(-s "$dir/sitemaps/sitemap.xml", 'and exports');
age('postgres', 'site_files');
service(q{UPDATE page SET path = path || 'j' WHERE id = 7});
like(log_of(sub { sql($call) }), qr/DELETE FROM public\.page_change RETURNING id/, 'the queue is emptied by one statement');
is(sql($status), '120000|2|t', 'a page changes: its file and the index');
sql('DELETE FROM site_files');

# Runs of all pages.
is(actions($all), 'inserted inserted inserted inserted', 'a run of all pages');
like(log_of(sub { sql($all) }), qr/DECLARE \w+ CURSOR FOR\s+SELECT id, path, changed FROM public\.page ORDER BY id ASC/,
	'the service sorts the rows');
is_deeply(
	[ rows(q{SELECT name, digest FROM site_files WHERE kind <> 'index'}) ],
	[
		rows(q{CREATE TEMPORARY TABLE page AS TABLE shop.page;
		       SELECT name, digest FROM sitemap_files('SELECT path AS loc, changed AS lastmod FROM page ORDER BY id', 'https://www.example.com/',
		                                              split => 'stable', compression => 6, index => 'always', section => 'pages') WHERE kind <> 'index'})
	],
	'the files are those of a local table');

# Runs that read what changed.
is(actions($changed), 'unchanged', 'no changes: nothing but the index is looked at');
age('postgres', 'site_files');
service(q{UPDATE page SET path = path || 'x' WHERE id = 77});
my $log = log_of(sub { is(actions($changed), 'updated updated', 'a page changes: its file and the index') });
like($log, qr/DELETE FROM public\.page_change RETURNING id/, 'the queue is emptied by one statement');
like($log, qr/WHERE \(\(id < \d+\)\) ORDER BY id ASC/, 'the service selects a range of keys');
is(service('SELECT count(*) FROM page_change'), '0', 'the queue is empty');
service(q{DELETE FROM page WHERE id = 78; INSERT INTO page VALUES (120001, '/p/120001', now())});
like(actions($changed), qr/updated/, 'a page goes, and one comes');
is(sql(q{SELECT sum(url_count) FROM site_files WHERE kind <> 'index'}), '120000', 'all pages are there');
service(q{TRUNCATE page_change; BEGIN; TRUNCATE page; INSERT INTO page SELECT n, '/q/' || n, '2026-02-01 00:00Z' FROM generate_series(1, 120000) n; COMMIT});
like(actions($changed), qr/inserted|updated/, 'TRUNCATE: all pages');
is(actions($all), 'unchanged unchanged unchanged unchanged', 'a run of all pages finds nothing else');

# What fails leaves both sides as they were.
service(q{UPDATE page SET path = path || 'x' WHERE id = 99});
my $before = state();
sql('ALTER TABLE site_files ADD CONSTRAINT never CHECK (length(name) < 0) NOT VALID');
(undef, my $output, my $errors) = $publisher->psql('postgres', $changed);
like($errors, qr/violates check constraint "never"/, 'a run that the publisher cannot write');
sql('ALTER TABLE site_files DROP CONSTRAINT never');
is(state(), $before, 'nothing has changed at either side');
service(q{ALTER ROLE sitemap_reader SET statement_timeout = '100ms'});
my $lock = $service->background_psql('shop');
$lock->query_safe('BEGIN; LOCK TABLE page');
(undef, $output, $errors) = $publisher->psql('postgres', $changed);
like($errors, qr/canceling statement due to statement timeout/, 'the timeout of the service');
$lock->query_safe('COMMIT');
$lock->quit;
service(q{ALTER ROLE sitemap_reader RESET statement_timeout});
is(state(), $before, 'nothing has changed then, either');

# The service commits and the publisher does not: the next run of all pages has the change.
service('DELETE FROM page_change');
age('postgres', 'site_files');
is(actions($changed), 'unchanged', 'a change that only the queue has lost is missing');
is(join(' ', grep { $_ eq 'updated' } split / /, actions($all)), 'updated updated', 'until all pages are read');

# The reader can do nothing else, and TLS is verified.
(undef, $output, $errors) = $publisher->psql('postgres', q{UPDATE shop.page SET path = ''});
like($errors, qr/permission denied for table page/, 'the reader cannot write');
(undef, $output, $errors) = $publisher->psql('postgres',
	q{ALTER SERVER shop OPTIONS (SET sslrootcert '/nonexistent'); SELECT 1 FROM shop.page LIMIT 1});
like($errors, qr/root certificate file "\/nonexistent" does not exist/, 'without the certificate there is no connection');

test_program();
test_standby();
$_->stop foreach $service, $publisher;
done_testing();

# A standby serves all pages, and a condition instead of the queue, which it cannot empty.
sub test_standby
{
	my $standby = PostgreSQL::Test::Cluster->new('standby');
	my $from = sub {
		sql("ALTER SERVER shop OPTIONS (SET port '" . $_[0]->port . "')");
	};
	my ($condition) = $chapter =~ /`(SELECT id FROM shop\.page WHERE .*?)`/;

	$service->backup('backup');
	$standby->init_from_backup($service, 'backup', has_streaming => 1);
	$standby->start;
	sql('IMPORT FOREIGN SCHEMA public LIMIT TO (page_change) FROM SERVER shop INTO shop');
	$from->($service);
	sql($all);
	$from->($standby);
	service(q{UPDATE page SET path = path || 's', changed = now() WHERE id = 9});
	$service->wait_for_catchup($standby, 'replay', $service->lsn('insert'));
	age('postgres', 'site_files');
	is(actions($changed =~ s/j\.changes/\$\$$condition\$\$/r), 'updated updated', 'a standby: a page that changed');
	unlike(actions($all), qr/inserted|deleted|updated updated/, 'all pages');
	my (undef, $output, $errors) = $publisher->psql('postgres', $changed);
	like($errors, qr/cannot execute DELETE in a read-only transaction/, 'its queue cannot be emptied');
	my ($program) = do {
		local %ENV = (%ENV, %program_env, SITEMAP_BASE_URL => 'https://standby.example.com/');
		delete $ENV{SITEMAP_QUEUE};
		$ENV{DATABASE_URL} =~ s/:$port\//':' . $standby->port . '\/'/e;
		run_command([ "$FindBin::RealBin/../../docker/publisher", 'once' ]);
	};
	is($program, "https://standby.example.com/: 120000 URLs in 3 files, 4 written\nhttps://www.example.com/: 4 files removed",
		'docker/publisher reads from it');
	$standby->stop;
	return;
}

# docker/publisher, in a database of its own.  The password has what a URL has to encode.
sub test_program
{
	my $web = "$dir/web";
	mkdir $web;
	service(q{ALTER ROLE sitemap_reader PASSWORD 'a/b@c %:d'; CREATE SCHEMA "Shop"; GRANT USAGE ON SCHEMA "Shop" TO sitemap_reader;
	          REVOKE TEMPORARY ON DATABASE shop FROM PUBLIC;
	          -- types that the publisher lacks, in columns that the query reads and in others
	          CREATE TYPE status AS ENUM ('draft', 'live');
	          CREATE DOMAIN page_key AS int;
	          CREATE TYPE author AS (name text);
	          CREATE VIEW "Shop"."all ""pages""" AS
	          SELECT path::varchar(50) AS loc, changed AS lastmod, id::page_key AS key, ARRAY['live'::status] AS statuses,
	                 (CASE WHEN path LIKE '/retired%' THEN 'retired' ELSE 'live' END)::status AS status,
	                 ROW('x')::author AS author, ARRAY[ROW('x')::author] AS authors, '[1,2]'::int4range AS range, 'x'::information_schema.sql_identifier AS id
	            FROM page;
	          GRANT SELECT ON "Shop"."all ""pages""" TO sitemap_reader});
	sql('CREATE DATABASE program');
	%program_env = (
		DATABASE_URL => "postgres://sitemap_reader:a%2Fb%40c%20%25%3Ad\@localhost:$port/shop?sslmode=verify-full&sslrootcert=$dir/cert.pem",
		SITEMAP_QUERY => q{SELECT '/' || sitemap_encode(substr(loc, 2, 1)) || substr(loc, 3) AS loc, lastmod, key
			FROM "Shop"."all ""pages""" p WHERE status <> 'draft' AND 'live'::status = ANY (statuses) ORDER BY key;},
		SITEMAP_BASE_URL => 'https://www.example.com/',
		SITEMAP_QUEUE => 'public.page_change',
		SITEMAP_DIRECTORY => $web,
		PGHOST => $publisher->host, PGPORT => $publisher->port, PGDATABASE => 'program');
	local %ENV = (%ENV, %program_env);
	my @program = ("$FindBin::RealBin/../../docker/publisher", 'once');

	service(q{UPDATE page SET path = path || 'y' WHERE id = 5});
	my ($first, $errors) = run_command(\@program);
	is($first, 'https://www.example.com/: 120000 URLs in 3 files, 4 written', 'docker/publisher: all is set up, published and exported')
	  or diag($errors);
	is(service('SELECT count(*) FROM page_change'), '0', 'the queue is emptied');
	is($publisher->safe_psql('program', q{SELECT name, digest FROM sitemap.site_files WHERE kind <> 'index'}),
		sql(qq{DROP SCHEMA shop CASCADE; ALTER SERVER shop OPTIONS (SET sslrootcert '$dir/cert.pem');
		       ALTER USER MAPPING FOR CURRENT_USER SERVER shop OPTIONS (SET password 'a/b\@c %:d');
		       CREATE SCHEMA shop; IMPORT FOREIGN SCHEMA public LIMIT TO (page) FROM SERVER shop INTO shop;
		       SELECT name, digest FROM sitemap_files('SELECT path AS loc, changed AS lastmod FROM shop.page ORDER BY id', 'https://www.example.com/',
		                                              split => 'stable', compression => 6, index => 'always') WHERE kind <> 'index'}),
		'the files are those of the pages');
	ok(-s "$web/sitemap.xml", 'in the directory');
	age('program', 'sitemap.site_files');
	service(q{UPDATE page SET path = path || 'z' WHERE id = 6});
	my ($second) = run_command(\@program);
	is($second, 'https://www.example.com/: 120000 URLs in 3 files, 2 written', 'it can be started again: one file changes, and the index');
	my ($third, $third_errors) = run_command(\@program);
	is($third . $third_errors, '', 'nothing changes');
	foreach my $wrong ([ SITEMAP_EVERY => '5 minutes', qr/SITEMAP_EVERY must be a number of seconds, not "5 minutes"/ ],
		[ DATABASE_URL => "host=localhost port=$port dbname=shop user=sitemap_reader password='a/b\@c %:d' sslmode=verify-full sslrootcert=$dir/cert.pem",
			qr/DATABASE_URL must be postgres:/ ])
	{
		my ($name, $value, $message) = @$wrong;
		local $ENV{$name} = $value;
		my (undef, $refused) = run_command(\@program);
		like($refused, $message, "$name is checked");
	}
	my ($empty) = do { local $ENV{SITEMAP_QUERY} = $ENV{SITEMAP_QUERY} =~ s/WHERE/WHERE false AND/r;
		local $ENV{SITEMAP_BASE_URL} = 'https://new.example.com/'; run_command(\@program) };
	is($empty, 'https://new.example.com/: 0 URLs in 0 files, 0 written', 'a site without pages is reported');
	my $sets = 'SELECT DISTINCT base_url FROM sitemap.site_files';
	is($publisher->safe_psql('program', $sets), 'https://www.example.com/', 'and the files of the earlier base URL stay');
	my ($moved) = do { local $ENV{SITEMAP_BASE_URL} = 'https://new.example.com'; run_command(\@program) };
	is($moved, "https://new.example.com/: 120000 URLs in 3 files, 4 written\nhttps://www.example.com/: 4 files removed",
		'until the new one has pages');
	is($publisher->safe_psql('program', $sets), 'https://new.example.com/', 'then they are gone from the table');
	is_deeply([ glob "$web/*" ], [ map { "$web/$_" } split /\n/, $publisher->safe_psql('program', 'SELECT name FROM sitemap.site_files ORDER BY name COLLATE "C"') ],
		'and from the directory');

	test_web_server($web);

	# The files have a host of their own.
	my ($own) = do { local @ENV{qw(SITEMAP_BASE_URL SITEMAP_SCOPE)} = ('https://sitemaps.example.com/', 'any');
		local $ENV{SITEMAP_QUERY} = "SELECT 'https://www.example.com' || path AS loc, id AS key FROM page ORDER BY id"; run_command(\@program) };
	like($own, qr{^https://sitemaps\.example\.com/: 120000 URLs}, 'SITEMAP_SCOPE');

	# Without "once", it goes on with runs that read what changed, until it is told to end.
	local $ENV{SITEMAP_EVERY} = 1;
	my $loop = IPC::Run::start([ $program[0] ], '>', \my $output, '2>&1');
	my $published = sub {
		my ($loc) = @_;
		$publisher->poll_query_until('program',
			"SELECT EXISTS (SELECT FROM sitemap.site_files, sitemap.sitemap_parse(content) e WHERE kind = 'urlset' AND e.loc = 'https://www.example.com$loc')");
	};
	service(q{UPDATE page SET path = '/loop/1' WHERE id = 7});
	ok($published->('/loop/1'), 'a run of all pages at its start');
	my $log = log_of(sub {
		service(q{UPDATE page SET path = '/loop/2' WHERE id = 7});
		ok($published->('/loop/2'), 'then a run that reads what changed');
	});
	like($log, qr/WHERE \(\(key < \d+\)\)/, 'and a range of keys only');
	service(q{ALTER TYPE status ADD VALUE 'retired'});
	service(q{UPDATE page SET path = '/retired' WHERE id = 7});
	ok($published->('/retired'), 'a run that failed, because of a new label: all is set up again');
	my $lock = $service->background_psql('shop');
	$lock->query_safe('BEGIN; LOCK TABLE page');
	service('INSERT INTO page_change VALUES (7)');
	$service->poll_query_until('shop', q{SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'page'::regclass AND NOT granted)});
	$loop->signal('TERM');
	$loop->finish;
	is($loop->full_result(0), 0, 'SIGTERM ends it in the middle of a run');
	ok($publisher->poll_query_until('program', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE datname = 'program'}), 'and the run on the server');
	$lock->quit;

	my (undef, $complaint) = do { local $ENV{SITEMAP_QUERY} = 'SELECT nothing FROM page'; run_command(\@program) };
	like($complaint, qr/column "nothing" does not exist/, 'a query with a mistake');
	service('CREATE TABLE secret (path text)');
	(undef, $complaint) = do { local $ENV{SITEMAP_QUERY} = 'SELECT path AS loc FROM secret'; run_command(\@program) };
	like($complaint, qr/permission denied for table secret/, 'a table that the role cannot read');
	(undef, $complaint) = do { local $ENV{DATABASE_URL}; delete $ENV{DATABASE_URL}; run_command(\@program) };
	like($complaint, qr/DATABASE_URL/, 'without the URL');
	return;
}

# docker/nginx.conf serves the directory; the guide's line passes requests on to it.
sub test_web_server
{
	my ($web) = @_;
	my ($line) = $chapter =~ /`(location ~ .*?proxy_pass .*?\})`/ or die 'the guide has no line for nginx';
	my ($port, $front) = map { PostgreSQL::Test::Cluster::get_free_port() } 1, 2;
	my $settings = slurp_file("$FindBin::RealBin/../../docker/nginx.conf") =~ s/listen 80;/listen 127.0.0.1:$port;/r
	  =~ s{/var/www/sitemaps;}{$web;}r;

	local $ENV{PATH} = "$ENV{PATH}:/usr/sbin";
	$line =~ s/publisher:8080/127.0.0.1:$port/;
	append_to_file("$dir/nginx.conf", "pid $dir/nginx.pid; error_log $dir/nginx.log; events {}
		http { access_log off; " . join(' ', map { "${_}_temp_path $dir/$_;" } qw(client_body proxy fastcgi uwsgi scgi)) . "
		$settings server { listen 127.0.0.1:$front; $line } }");
  SKIP: {
		skip 'no nginx', 5 if system("nginx -e $dir/nginx.log -c $dir/nginx.conf >$dir/log 2>&1") != 0;
		my $get = sub {
			my ($path, $encoding, @headers) = @_;
			return HTTP::Tiny->new->get("http://127.0.0.1:$front$path", { headers => { 'Accept-Encoding' => $encoding // 'identity', @headers } });
		};
		my $index = $get->('/sitemap.xml');
		is($index->{content}, slurp_file("$web/sitemap.xml"), 'the site has the sitemap');
		is($index->{headers}{'x-robots-tag'}, 'noindex', 'which is no search result');
		my ($name) = $index->{content} =~ m{/(sitemap-\w+\.xml\.gz)<};
		like($get->("/$name")->{content}, qr/<urlset/, 'and a file of it');
		is($get->("/$name", 'gzip', Via => '1.1 cdn')->{headers}{'content-encoding'}, 'gzip', 'compressed for who takes that');
		is($get->('/.sitemap_export')->{status}, 404, 'and nothing else');
		kill TERM => slurp_file("$dir/nginx.pid");
	}
	return;
}

sub service
{
	return $service->safe_psql('shop', $_[0]);
}

sub sql
{
	return $publisher->safe_psql('postgres', $_[0]);
}

# Has all files be of long ago, in the index too, which has seconds.
sub age
{
	my ($database, $target) = @_;

	my $index = $target =~ s/site_files/sitemap_publish_index/r;

	$publisher->safe_psql($database, "UPDATE $target SET lastmod = '2001-01-01 00:00Z'; SELECT $index('$target', 'https://www.example.com/')");
	return;
}

sub rows
{
	return sort split /\n/, sql($_[0]);
}

sub actions
{
	return join ' ', sort map { (split /\|/)[2] } split /\n/, sql($_[0]);
}

# All rows there are, to the transaction that wrote them.
sub state
{
	return sql('SELECT name, ctid, xmin, digest FROM site_files ORDER BY name') . service('SELECT xmin, ctid, id FROM page_change');
}

# What the service logs meanwhile.
sub log_of
{
	my ($action) = @_;
	my $offset = -s $service->logfile;

	$action->();
	return slurp_file($service->logfile, $offset);
}
