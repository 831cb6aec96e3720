# pg_dump, pg_restore, pg_upgrade and DROP EXTENSION, with a database that uses
# the extension wherever it can be used.  Whatever comes back has the same bytes,
# and publishing goes on as if nothing had happened.
#
# pg_upgrade needs an older installation, or another of the same version, that has
# the extension, too: the environment variable oldinstall names its directory, as it
# does in PostgreSQL's own tests.
use FindBin;
use lib $FindBin::RealBin;
use Node;

sub make_site
{
	my $node = shift;

	$node->safe_psql('postgres', 'CREATE ROLE webmaster');
	$node->safe_psql('postgres', 'CREATE DATABASE site');
	$node->command_ok([ 'psql', '-XqAt', '-d', 'site', '-f', "$FindBin::RealBin/dump.sql" ],
		'a database that uses the extension');
	return;
}

# Every row of every table and view, as text.
sub rows
{
	my ($node, $db) = @_;
	my @relations = split /\n/, $node->safe_psql(
		$db, q{
		SELECT oid::regclass FROM pg_class
		 WHERE relnamespace = 'site'::regnamespace AND relkind IN ('r', 'p', 'v', 'm') AND relispopulated
		 ORDER BY relname});

	return $node->safe_psql(
		$db,
		join "\n",
		map { qq{SELECT '$_', r::text FROM $_ r ORDER BY r::text COLLATE "C";} } @relations);
}

# The relations that have rows among them.
sub relations_in
{
	my %seen = map { $_ => 1 } $_[0] =~ /^site\.(\w+)\|/gm;

	return join ' ', sort keys %seen;
}

# What publishing in all targets does, and with how many files.
my $publish = q{
	SELECT string_agg(action || ' ' || count, ', ' ORDER BY action)
	  FROM (SELECT p.action, count(*) FROM site.target t, site.publish(t.column1) p GROUP BY p.action) a};

my $refresh = join ' ', "SET search_path = '';",
  map { "REFRESH MATERIALIZED VIEW site.$_;" } qw(m_element m_document m_files m_image_file m_problem m_entry a_line);

# The database has what it had, publishing changes none of it, and refreshing neither.
sub is_same
{
	my ($node, $db, $expected, $what) = @_;

	ok(rows($node, $db) eq $expected, "$what: every row has the same bytes");
	like($node->safe_psql($db, $publish), qr/^unchanged \d+$/, "$what: publishing changes nothing");
	$node->safe_psql($db, $refresh);
	ok(rows($node, $db) eq $expected, "$what: after publishing and refreshing, too");
	return;
}

# A dump as text, apart from the key that each dump has of its own.
sub dump_of
{
	my ($node, $db, @options) = @_;
	my $file = "$PostgreSQL::Test::Utils::tmp_check/dump_of.sql";

	$node->command_ok([ 'pg_dump', '--no-sync', @options, '-f', $file, $db ], "pg_dump @options $db");
	return slurp_file($file) =~ s/^\\(?:un)?restrict .*\n//gmr;
}

my $node = new_node('main');
$node->start;
make_site($node);
my $rows = rows($node, 'site');

# In each of four targets: three files of XML and the index, two of text and the index.
my $all_relations = join ' ', sort qw(a_line archive document element entry files image_file inherited line log
  m_document m_element m_entry m_files m_image_file m_problem page parent parted parted_0 parted_1
  partitioned partitioned_0 partitioned_1 plain problem target typed);
is(relations_in($rows), $all_relations, 'every table and view has rows');
is($node->safe_psql('site', $publish), 'unchanged 28', 'its four targets are published');
is( $node->safe_psql(
		'site', q{
		SELECT p.oid::regprocedure
		  FROM pg_depend m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
		 -- no object can depend on a procedure, nor does one on what functions in PL/pgSQL call
		 WHERE p.prokind <> 'p' AND (p.proname !~ '^_sitemap' OR p.proname = '_sitemap_watch') AND m.deptype = 'e' AND m.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sitemap') AND
		       NOT EXISTS (SELECT FROM pg_depend d WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid)}),
	'',
	'no function of the extension is left unused');

# What is in a dump, and what is not.
my $dump = dump_of($node, 'site');
like($dump, qr/^SELECT pg_catalog\.set_config\('search_path', '', false\);$/m,
	'a dump is restored with an empty search_path');
like($dump, qr/^CREATE EXTENSION IF NOT EXISTS sitemap WITH SCHEMA "Site maps";$/m,
	'it has the extension');
unlike($dump, qr/^(?:CREATE|ALTER|COMMENT ON) (?:FUNCTION|AGGREGATE|TYPE) "Site maps"\./m,
	'but none of its members');
is( join("\n", $dump =~ /^(?:GRANT|REVOKE) .*"Site maps"\..*$/gm),
	join("\n",
		'REVOKE ALL ON FUNCTION "Site maps".sitemap_export(directory text, files text, base_url text) FROM PUBLIC;',
		'GRANT ALL ON FUNCTION "Site maps".sitemap_export(directory text, files text, base_url text) TO webmaster;'),
	'and of their privileges what the database added');

# Each way to restore has a database of its own.
my $dir = "$PostgreSQL::Test::Utils::tmp_check/dumps";
mkdir $dir or die "$dir: $!";
my %restores = (
	plain => [ [ 'pg_dump', '-f', "$dir/plain" ], [ 'psql', '-f', "$dir/plain" ] ],
	custom => [ [ 'pg_dump', '-Fc', '-f', "$dir/custom" ], [ 'pg_restore', "$dir/custom" ] ],
	'directory with two jobs' => [
		[ 'pg_dump', '-Fd', '-j2', '-f', "$dir/directory" ],
		[ 'pg_restore', '-j2', "$dir/directory" ]
	],
	sections => [
		map {
			[ 'pg_dump', "--section=$_", '-f', "$dir/$_" ],
			  [ 'psql', '-f', "$dir/$_" ]
		} qw(pre-data data post-data)
	],
	'sections of one archive' => [
		[ 'pg_dump', '-Fc', '-f', "$dir/archive" ],
		map { [ 'pg_restore', "--section=$_", "$dir/archive" ] } qw(pre-data data post-data)
	],
	# PostgreSQL fills no materialized view from the data alone.
	'schema only and data only' => [
		(
			map {
				[ 'pg_dump', '-Fc', "--$_-only", '-f', "$dir/$_" ],
				  [ 'pg_restore', "--$_-only", "$dir/$_" ]
			} qw(schema data)
		),
		[ 'psql', '-c', $refresh ]
	]);
my %options = (
	pg_dump => [ '--no-sync', 'site' ],
	pg_restore => [ '--exit-on-error', '-d' ],
	psql => [ '-XqAt', '-v', 'ON_ERROR_STOP=1', '-o', "$dir/output", '-d' ]);
my $number = 0;

foreach my $name (sort keys %restores)
{
	my $db = 'restored_' . ++$number;

	$node->safe_psql('postgres', "CREATE DATABASE $db");
	foreach my $command (@{ $restores{$name} })
	{
		my ($program, @arguments) = @$command;
		my @database = $program eq 'pg_dump' ? () : $db;

		$node->command_ok([ $program, @{ $options{$program} }, @database, @arguments ],
			"$name: $program " . join ' ', map { s/^\Q$dir\E\///r } @arguments);
	}
	is_same($node, $db, $rows, $name);
	ok(dump_of($node, $db) eq $dump, "$name: its dump is the same");
	is( $node->safe_psql(
			$db, q{
			SELECT has_function_privilege('webmaster', f, 'EXECUTE'), has_function_privilege('pg_monitor', f, 'EXECUTE')
			  FROM CAST('"Site maps".sitemap_export'::regproc AS oid) f}),
		't|f',
		"$name: the same roles may export");
}

# DROP EXTENSION, in one of them.
my ($status, $stdout, $stderr) = $node->psql('restored_1', '\set VERBOSITY verbose
DROP EXTENSION sitemap');
like($stderr, qr/^psql:<stdin>:\d+: ERROR:  2BP01: cannot drop extension sitemap because other objects depend on it$/m,
	'DROP EXTENSION is refused while something depends on it');
like($stderr, qr/^table site\.typed depends on type "Site maps"\.sitemap_file$/m, 'a typed table does');
unlike($stderr, qr/^table site\.plain /m, 'a plain one does not');
ok(rows($node, 'restored_1') eq $rows, 'and all is as it was');

my $plain = 'SELECT string_agg(p::text, E\'\n\' ORDER BY name) FROM site.plain p';
my $before = $node->safe_psql('restored_1', $plain);
$node->safe_psql('restored_1', 'SET client_min_messages = warning; DROP EXTENSION sitemap CASCADE');
is( $node->safe_psql(
		'restored_1', q{
		SELECT count(*) FROM pg_proc WHERE proname ~ '^sitemap_';
		SELECT string_agg(relname, ' ' ORDER BY relname)
		  FROM pg_class WHERE relnamespace = 'site'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')}),
	"0\narchive inherited log page parent plain queue watched",
	'CASCADE leaves the tables that are not made of it');
is($node->safe_psql('restored_1', $plain), $before, 'a published plain table keeps its files');
is($node->safe_psql('restored_1', 'SELECT count(id), count(path) FROM site.page'), '50|50', 'the source its rows');
$node->safe_psql('restored_1', 'CREATE EXTENSION sitemap');
is( $node->safe_psql(
		'restored_1', q{
		SELECT action, count(*)
		  FROM sitemap_publish('site.plain', 'SELECT path AS loc, changed AS lastmod FROM site.page ORDER BY id',
		                       'https://www.example.com/', max_urls => 20)
		 GROUP BY action}),
	'unchanged|4',
	'and publishing goes on in it when the extension is back');
is($node->safe_psql('restored_1', $plain), $before, 'without a change');
$node->stop;

SKIP:
{
	skip 'OLD_PG_CONFIG is not set', 1 unless $ENV{OLD_PG_CONFIG};

	# pg_upgrade wants both clusters to be alike.
	my @alike = (extra => ['--data-checksums']);
	my ($old_bin) = run_command([ $ENV{OLD_PG_CONFIG}, '--bindir' ]);
	my $old = new_node('old', '', install_path => $old_bin =~ s{/bin$}{}r, @alike);
	my $new = new_node('new', '', @alike);
	my $what = 'upgraded from ' . $old->pg_version . ' to ' . $new->pg_version;

	$old->start;
	make_site($old);
	$rows = rows($old, 'site');
	is(relations_in($rows), $all_relations, "$what: every table and view has rows");
	$old->stop;

	# It leaves scripts where it runs.
	chdir $PostgreSQL::Test::Utils::tmp_check or die $!;
	$new->command_ok(
		[
			'pg_upgrade', '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir,
			'-b', $old->config_data('--bindir'), '-B', $new->config_data('--bindir'),
			'-s', $new->host, '-p', $old->port, '-P', $new->port
		],
		"$what: pg_upgrade");
	# What went wrong is in its logs, which are gone if nothing did.
	note("$_:\n" . slurp_file($_)) foreach glob $new->data_dir . '/pg_upgrade_output.d/*/log/pg_upgrade_dump_*.log';
	$new->start;
	is_same($new, 'site', $rows, $what);
	is( $new->safe_psql('site', q{SELECT reloftype::regtype FROM pg_class WHERE oid = 'site.typed'::regclass}),
		'"Site maps".sitemap_file',
		"$what: a typed table is one");
	$new->stop;
}

done_testing();
