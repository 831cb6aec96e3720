# Runs, watched tables and the edition in SQL behind pgbouncer in transaction mode: eight clients
# share two connections, and nothing of one is left to another.
use FindBin;
use IPC::Run ();

use lib $FindBin::RealBin;
use Node;

my $timeout = $PostgreSQL::Test::Utils::timeout_default;

$ENV{PATH} .= ':/usr/sbin:/sbin';
plan skip_all => 'pgbouncer is not here' unless has_program('pgbouncer');
plan skip_all => 'pgbouncer does not run as root' if $> == 0;

my $node = start_node("autovacuum = off\n");

my $folder = PostgreSQL::Test::Utils::tempdir_short();
my $user = getpwuid($>);
my $port = PostgreSQL::Test::Cluster::get_free_port();
append_to_file("$folder/users", qq{"$user" ""\n});
append_to_file("$folder/pgbouncer.ini", <<"END");
[databases]
postgres = host=${\ $node->host} port=${\ $node->port} user=$user
[pgbouncer]
listen_addr =
listen_port = $port
unix_socket_dir = $folder
auth_type = trust
auth_file = $folder/users
pool_mode = transaction
default_pool_size = 2
END
# libpq 19 asks for a newer protocol, which an older pgbouncer refuses.
$ENV{PGMAXPROTOCOLVERSION} = '3.0';
my $output = '';
my $bouncer = IPC::Run::start([ 'pgbouncer', "$folder/pgbouncer.ini" ], '<', \undef, '>', \$output, '2>&1');
wait_until(
	sub {
		die "pgbouncer does not start: $output" if !$bouncer->pumpable;
		$bouncer->pump_nb;
		return -S "$folder/.s.PGSQL.$port";
	},
	'pgbouncer');

my $query = 'SELECT path AS loc, id AS key FROM public.page ORDER BY id';
is(through(
		'CREATE EXTENSION sitemap',
		'CREATE TABLE page (id int PRIMARY KEY, path text)',
		q{INSERT INTO page SELECT n, '/' || n FROM generate_series(1, 1000) n},
		'CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name))',
		'CREATE TABLE queue (id int)',
		q{SELECT sitemap_watch('page', 'id', 'queue')},
		q{CREATE TABLE job OF sitemap_job (section WITH OPTIONS DEFAULT 'sitemap', PRIMARY KEY (base_url, section))},
		qq{INSERT INTO job (target, base_url, query, changes, max_urls)
		   VALUES ('target', 'http://a/', '$query', 'DELETE FROM public.queue RETURNING id', 100)},
		q{CALL sitemap_run('job')}),
	'', 'a job');

# Each client changes pages, runs the job, and publishes a site of its own.
my @clients = map {
	my $n = $_;
	my @statements = map {
		my $id = $n * 100 + $_;
		(   qq{UPDATE page SET path = path || '?' WHERE id = $id},
			q{CALL sitemap_run('job')},
			qq{SELECT FROM sitemap_publish('target', '$query', 'http://site-$n/') WHERE kind = 'none'})
	} 1 .. 5;
	my $said = '';
	[ \$said, IPC::Run::start(psql(@statements), '<', \undef, '>', \$said, '2>&1', IPC::Run::timeout($timeout)) ];
} 1 .. 8;
foreach (@clients)
{
	$_->[1]->finish;
	unlike(${ $_->[0] }, qr/ERROR|FATAL/, 'a client');
}
unlike(through(q{CALL sitemap_run('job')}), qr{ERROR|FATAL}, 'a last run');
is(sql('SELECT urls, error, failures FROM job'), '1000||0', 'the job has no error');
is(sql('SELECT count(DISTINCT base_url) FROM target'), 9, 'nine sites');
is( sql(qq{
		SELECT count(*), count(*) FILTER (WHERE f.digest = t.digest)
		  FROM sitemap_files('$query', 'http://a/', max_urls => 100, split => 'stable', compression => 1, index => 'never') f
		  LEFT JOIN target t ON t.base_url = 'http://a/' AND t.name = f.name}) =~ s/^(\d+)\|\1$/the same/r,
	'the same', 'the files are those of all pages');
cmp_ok(sql(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()}),
	'<=', 2, 'with two connections');

# The edition in SQL installs in one transaction only; then another client calls it.
my $script = "$FindBin::RealBin/../../managed/sitemap.sql";
my $installation = "CREATE SCHEMA managed;\nBEGIN;\nSET LOCAL search_path = managed;\n\\i $script\nCOMMIT;\n";
my $said = '';
like(through("\\i $script"), qr/ERROR:  no schema has been selected/, 'the edition in SQL is refused outside of a transaction');
IPC::Run::run(psql(), '<', \$installation, '>', \$said, '2>&1', IPC::Run::timeout($timeout));
is($said, '', 'and installs in one');
is( through(
		q{SELECT DISTINCT pronamespace::regnamespace FROM pg_proc WHERE proname = '_sitemap_entries'},
		'SHOW search_path',
		'CREATE TABLE managed_target OF managed.sitemap_file (PRIMARY KEY (base_url, name))'),
	"managed\n\"\$user\", public", 'its functions are in its schema only, and search_path is as before');
my $publish = q{SELECT name, action FROM managed.sitemap_publish('managed_target', 'SELECT path AS loc FROM public.page ORDER BY id', 'http://a/')};
is(through($publish, "BEGIN; $publish; COMMIT"), join("\n", map { ("sitemap-1.xml|$_", "sitemap.xml|$_") } 'inserted', 'unchanged'), 'another client publishes');
is(sql('SELECT url_count FROM managed_target WHERE kind = \'urlset\''), '1000', 'all pages');

$bouncer->signal('INT');
$bouncer->finish;
$node->stop;
done_testing();

END
{
	local $?;
	$bouncer->kill_kill if $bouncer;
}

# psql that connects to pgbouncer.
sub psql
{
	my (@statements) = @_;

	return [ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', "host=$folder port=$port dbname=postgres user=$user",
		map { ('-c', $_) } @statements ];
}

# What psql says of statements through pgbouncer.
sub through
{
	my (@statements) = @_;
	my $said;

	IPC::Run::run(psql(@statements), '<', \undef, '>', \$said, '2>&1', IPC::Run::timeout($timeout));
	return $said =~ s/\s+\z//r;
}
