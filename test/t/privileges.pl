# What a role can reach: directories and files through sitemap_export, and what
# takes a database of its own or two sessions.  See also test/sql/privileges.sql,
# search_path.sql and hostile.sql.
use FindBin;
use lib $FindBin::RealBin;
use Node;

my $node = start_node();
my $root = PostgreSQL::Test::Utils::tempdir();
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE file AS SELECT 'a.xml'::text AS name, 'x'::text AS content;
	GRANT SELECT ON file TO PUBLIC});

test_roles();
test_directories();
test_names();
test_invalid_bytes();
test_owner_of_a_database();
test_own_schema();
$node->stop;
done_testing();

# It takes the rights of pg_write_server_files, those that are in force.
sub test_roles
{
	my $dir = fresh_directory();
	my $export = "SELECT name, action FROM sitemap_export('$dir', 'TABLE file')";

	sql(q{
		CREATE ROLE heir IN ROLE pg_write_server_files;
		CREATE ROLE idle NOINHERIT IN ROLE pg_write_server_files;
		CREATE ROLE reader IN ROLE pg_read_server_files, pg_execute_server_program, pg_read_all_data;
		CREATE ROLE stranger;
		GRANT CREATE ON SCHEMA public TO heir});
	is(sql("SET ROLE heir; $export"), 'a.xml|created', 'a member can export');
	is(state("SET ROLE idle; $export"), '42501', 'one that does not inherit cannot');
	is(sql("SET ROLE idle; SET ROLE pg_write_server_files; $export"),
		'a.xml|unchanged', 'but as that role');
	is(state("SET ROLE $_; $export"), '42501', "$_ cannot") foreach qw(reader stranger);

	# not even by a query that would make another role the current one
	foreach my $role (qw(idle stranger))
	{
		is( state(
				qq{SET SESSION AUTHORIZATION $role;
				   SELECT sitemap_export('$dir', 'SELECT set_config(''role'', ''pg_write_server_files'', false) AS name, name AS content FROM file')}),
			'42501',
			"$role cannot, whatever its query");
	}
	is_deeply([ files($dir) ], ['a.xml'], 'nothing more was written');

	sql(qq{
		SET ROLE heir;
		CREATE FUNCTION export_as_heir() RETURNS text LANGUAGE sql SECURITY DEFINER
		SET search_path = pg_catalog, pg_temp
		AS 'SELECT name FROM public.sitemap_export(''$dir'', ''SELECT current_user || ''''.xml'''' AS name, name AS content FROM public.file'')'});
	is(sql('SET ROLE stranger; SELECT export_as_heir()'),
		'heir.xml', 'a function with SECURITY DEFINER exports as its owner');
	is_deeply([ files($dir) ], ['heir.xml'], 'and removes what the query has no more');

	sql(q{
		CREATE TABLE guarded (name text, content text);
		INSERT INTO guarded VALUES ('mine.xml', ''), ('other.xml', '');
		ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
		CREATE POLICY own ON guarded USING (name = 'mine.xml');
		GRANT SELECT ON guarded TO heir});
	my $guarded = "SELECT name FROM sitemap_export('$dir', 'TABLE guarded') WHERE action = 'created'";
	is(sql("SET ROLE heir; $guarded"), 'mine.xml', 'row security applies to the query');
	is(state("SET ROLE heir; SET row_security = off; $guarded"),
		'42501', 'where it is off that is an error');
	return;
}

# Where a directory leads is where the server's user can write, as with COPY.
sub test_directories
{
	my $dir = fresh_directory();
	my $long = '/' . 'x' x 5000;
	my %refused = (
		'42602' => [ '', '.', '..', 'base', '~', '$HOME', 'file:///tmp', " $dir" ],
		'42622' => [ $dir . '/' . 'x' x 256, $long ],
		'42809' => [ '/dev/null', map { "$dir/$_" } qw(fifo file to_file loop) ],
		'58P01' => [
			$dir . ('/' . 'x' x 100) x 10, "$dir/nowhere",
			map { "$dir/missing/$_" } '..', '%s%n%d', "a\nb", "\x01", q{'"; rm -rf /} ]);

	system_or_bail('mkfifo', "$dir/fifo");
	append_to_file("$dir/file", 'kept');
	symlink 'file', "$dir/to_file" or die $!;
	symlink 'loop', "$dir/loop" or die $!;
	symlink 'missing', "$dir/nowhere" or die $!;
	my @before = files($dir);
	foreach my $expected (sort keys %refused)
	{
		foreach my $path (@{ $refused{$expected} })
		{
			my $shown = $path =~ s/\Q$dir\E/.../r =~ s/[[:cntrl:]]/?/gr =~ s/(x{9})x+/$1.../gr;

			is( state('SELECT sitemap_export(' . quoted($path) . ", 'TABLE file')"),
				$expected, "directory \"$shown\" is refused");
		}
	}
	is(state("SELECT sitemap_export('/dev', 'SELECT ''null'' AS name, content FROM file')"),
		'42501', 'a device is not replaced');
	is_deeply([ files($dir) ], \@before, 'nothing has changed');
	is(slurp_file("$dir/file"), 'kept', 'in a file neither');
	like(slurp_file($node->logfile), qr/could not create directory "\Q$dir\E\/missing\/%s%n%d"/,
		'the log has a path as it was given');

	# ".." and links are what they are to the operating system
	mkdir "$dir/sub" or die $!;
	mkdir "$dir/target" or die $!;
	symlink 'target', "$dir/link" or die $!;
	sql("SELECT sitemap_export('$dir/sub/../link/.', 'TABLE file')");
	is_deeply([ files("$dir/target") ], ['a.xml'], '".." and a link lead to a directory');
	is_deeply([ files("$dir/sub") ], [], 'and to no other');

	# whoever can write files can write the server's own, by both ways
	my $data = $node->data_dir;
	sql("SET ROLE heir; COPY file TO '$data/by_copy'");
	sql("SET ROLE heir; SELECT sitemap_export('$data', 'SELECT ''by_export.txt'' AS name, content FROM file')");
	ok(-e "$data/by_copy" && -e "$data/by_export.txt", 'the data directory is one of those, as with COPY');
	unlink map { "$data/$_" } qw(by_copy by_export.txt .sitemap_export .sitemap_export.lock);
	return;
}

# A name is that of a file in the directory, and of no other.
sub test_names
{
	my $dir = fresh_directory();
	my @names = map { "$_.xml" } (
		'-rf', '--', '*', '~', '$HOME', '%s%n%d', 'a b', ' ', 'a"b', "a'b", 'a;b', 'a`b', 'a|b', '<b>&', 'CON', 'a..b', 'a.',
		'ü', "e\x{CC}\x{81}", "\xE2\x80\xAE", "\xE2\x80\xA8", "\xEF\xBB\xBFa", "\xEF\xBC\x8Fa", 'sitemap_export', 'x' x 251, "\xC3\xBC" x 125);
	my $values = join ', ', map { '(' . quoted($_) . ')' } @names;

	sql("SELECT sitemap_export('$dir', \$\$SELECT v AS name, v AS content FROM (VALUES $values) n (v)\$\$)");
	is_deeply([ files($dir) ], [ sort @names ], 'names that are allowed are those of files');
	is_deeply([ grep { slurp_file("$dir/$_") ne $_ } @names ], [], 'each with its content');

	my @before = files($dir);
	my @refused = (
		(map { sprintf 'a%cb.xml', $_ } 1 .. 31, 127),
		'', '.', '..', '.sitemap_export', '.sitemap_export.tmp', '.htaccess', '/', 'a/',
		'a', 'a.php', 'a.html', 'a.xml.php', 'a.xml.', 'a.xml ', 'a.XML', 'web.config',
		map { "$_.xml" } '', '.', '/', '/a', 'a/../b', '../a', '..\\a', 'x' x 252, "\xC3\xBC" x 126, "$dir/a");
	my @accepted = grep {
		state("SELECT sitemap_export('$dir', \$\$SELECT " . quoted($_) . " AS name, '' AS content\$\$)") ne '22023'
	} @refused;
	is_deeply(\@accepted, [], 'others are refused');
	is(state("SELECT sitemap_export('$dir', 'SELECT chr(0) AS name, content FROM file')"),
		'54000', 'there is no name with a NUL');
	is_deeply([ files($dir) ], \@before, 'and nothing has changed');
	return;
}

# In SQL_ASCII, text can be any bytes: what is not UTF-8 is refused, and gets nowhere.
sub test_invalid_bytes
{
	my %bytes = (
		'a byte that is never valid' => 'ff',
		'LATIN1' => 'e9',
		'a continuation alone' => '80',
		'a sequence cut off' => 'e282',
		'an overlong slash' => 'c0af',
		'an overlong NUL' => 'c080',
		'an overlong <' => 'e080bc',
		'a surrogate' => 'eda080',
		'a pair of surrogates' => 'eda0bdedb880',
		'beyond U+10FFFF' => 'f4908080',
		'UTF-16' => 'fffe3c');
	my %call = (
		'sitemap_url' => q{sitemap_url('http://a/' || v)},
		'sitemap_url, lastmod' => q{sitemap_url('http://a/', v)},
		'sitemap_url, changefreq' => q{sitemap_url('http://a/', changefreq => v)},
		'sitemap_image, loc' => q{sitemap_image('http://a/' || v)},
		'sitemap_image, title' => q{sitemap_image('http://a/', title => v)},
		'sitemap_video, title' => q{sitemap_video('http://a/', v, 'd', 'http://b/')},
		'sitemap_video, expiration_date' => q{sitemap_video('http://a/', 't', 'd', 'http://b/', expiration_date => v)},
		'sitemap_video, tag' => q{sitemap_video('http://a/', 't', 'd', 'http://b/', tag => ARRAY['t', v])},
		'sitemap_news, keywords' => q{sitemap_news('n', 'en', '2026', 't', keywords => v)},
		'sitemap_alternate' => q{sitemap_alternate('de', 'http://a/' || v)},
		'sitemap_agg' => q{(SELECT sitemap_agg('http://a/' || v) FROM (SELECT) s)},
		'sitemap_text_agg' => q{(SELECT sitemap_text_agg('http://a/' || v) FROM (SELECT) s)},
		'sitemap_files, loc' => q{sitemap_files(format('SELECT %L::text AS loc', 'http://a/' || v), 'http://a/')},
		'sitemap_files, changefreq' => q{sitemap_files(format('SELECT ''/''::text AS loc, %L::text AS changefreq', v), 'http://a/')},
		'sitemap_files, base_url' => q{sitemap_files('SELECT ''a''::text AS loc', 'http://a/' || v || '/')},
		'sitemap_files, stylesheet' => q{sitemap_files('SELECT ''a''::text AS loc', 'http://a/', stylesheet => v || '.css')});

	sql(q{CREATE DATABASE bytes ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0});
	$node->safe_psql(
		'bytes', q{
		CREATE EXTENSION sitemap;
		CREATE FUNCTION text_of(bytes bytea) RETURNS text LANGUAGE sql AS $$
		  SELECT string_agg(chr(get_byte(bytes, n)), '' ORDER BY n) FROM generate_series(0, length(bytes) - 1) n
		$$});
	foreach my $what (sort keys %call)
	{
		my %state = map {
			$_ => state("SELECT $call{$what}::text FROM text_of('\\x$bytes{$_}') v", 'bytes')
		} keys %bytes;

		is_deeply([ grep { $state{$_} ne '22021' } sort keys %state ],
			[], "$what: what is no UTF-8 is refused");
		is(state("SELECT $call{$what}::text FROM text_of('\\xc3bc') v", 'bytes') =~ s/^22(?:P02|007)$//r,
			'', "$what: UTF-8 is not");
	}

	my (undef, undef, $errors) =
	  $node->psql('bytes', q{SELECT sitemap_news('n', 'en', text_of('\xff'), 't')});
	like(
		$errors,
		qr/invalid publication_date: bytes that are not text/,
		'the error of a date has its name');

	# Names of files are bytes there, too; the same characters are refused.
	my $dir = fresh_directory();
	$node->safe_psql('bytes',
		"SELECT sitemap_export('$dir', 'SELECT text_of(v) || ''.xml'' AS name, ''x'' AS content FROM unnest(''{\\\\xc0af,\\\\xff,\\\\xc080}''::bytea[]) v')");
	is_deeply([ files($dir) ], [ sort map { "$_.xml" } "\xC0\xAF", "\xFF", "\xC0\x80" ], 'an overlong slash is no slash');
	is( state("SELECT sitemap_export('$dir', 'SELECT text_of(''\\x2f'') || ''.xml'' AS name, ''x'' AS content')", 'bytes'),
		'22023', 'a slash is one');
	return;
}

# The SQLSTATE that statements end with, empty if they do not fail.
sub state
{
	my ($statements, $database) = @_;
	my ($status, undef, $errors) = $node->psql($database // 'postgres', $statements,
		extra_params => [ '-v', 'VERBOSITY=sqlstate' ]);

	return $status == 0 ? '' : $errors =~ /ERROR:  (\w{5})$/m ? $1 : $errors;
}

# What CREATE EXTENSION advises where every role can create functions in its schema: the
# statements leave a database in which new sessions find the extension.
sub test_own_schema
{
	$node->safe_psql('postgres', 'CREATE DATABASE "old shop"');
	my (undef, undef, $stderr) = $node->psql('old shop', 'GRANT CREATE ON SCHEMA public TO PUBLIC; CREATE EXTENSION sitemap');
	my ($advice) = $stderr =~ /^HINT:  .*?: (CREATE SCHEMA .*)$/m;
	my ($lines) = slurp_file("$FindBin::RealBin/../../README.md") =~ /^```pgsql\n(CREATE SCHEMA .*?)^```/ms;

	is($advice =~ s/"old shop"/shop/r, $lines =~ s/\n(?!\z)/ /gr =~ s/\n//r, 'README has the statements of the hint');
	$node->safe_psql('old shop', "DROP EXTENSION sitemap; $advice");
	$node->safe_psql('old shop', 'CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name))');
	is($node->safe_psql('old shop', q{SELECT count(*) FROM sitemap_publish('site_files', 'SELECT ''/'' AS loc', 'https://www.example.com/')}),
		2, 'a new session finds the extension');
	is($node->safe_psql('old shop', q{SELECT relnamespace::regnamespace FROM pg_class WHERE relname = 'site_files'}),
		'public', 'and creates its tables where it did');
	return;
}

# The extension is trusted: who owns a database installs it there, in a schema of
# his own that has functions and operators to be taken for others, and gets no
# rights by that.
sub test_owner_of_a_database
{
	my $dir = fresh_directory();
	my $owner = sub {
		my ($statements) = @_;
		my ($status, $out, $errors) =
		  $node->psql('owned', "\\set VERBOSITY sqlstate\n$statements", connstr => $node->connstr('owned') . ' user=owner');

		return $status == 0 ? $out : $errors =~ /ERROR:  (\w{5})$/m ? $1 : $errors;
	};

	sql(q{CREATE ROLE owner LOGIN});
	sql(q{CREATE DATABASE owned OWNER owner});
	is( $owner->(
			q{
			CREATE SCHEMA own;
			CREATE FUNCTION own._sitemap_agg_transfn(anyelement, text) RETURNS anyelement LANGUAGE plpgsql
			AS $$BEGIN RAISE 'taken for another'; END$$;
			CREATE FUNCTION own._sitemap_agg_finalfn(anyelement) RETURNS text LANGUAGE sql AS $$SELECT 'taken for another'$$;
			CREATE FUNCTION own.sitemap_export(text, varchar) RETURNS text LANGUAGE sql AS $$SELECT 'taken for another'$$;
			CREATE DOMAIN own.text AS pg_catalog.text;
			ALTER ROLE owner SET search_path = own, pg_catalog;
			SET search_path = own, pg_catalog;
			CREATE EXTENSION sitemap SCHEMA own}),
		'', 'who owns a database installs the extension');
	is( $owner->(
			q{
			SELECT string_agg(DISTINCT r.rolname, ' ') = (SELECT rolname FROM pg_roles WHERE oid = 10)
			  FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
			  JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
			 WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sitemap')}),
		't', 'what it has does not belong to him');
	is($owner->(q{SELECT own.sitemap_agg('http://a/'::pg_catalog.text) ~ '<loc>http://a/</loc>'}),
		't', 'it is what he can use');
	is($owner->(q{SELECT count(*) FROM own.sitemap_files('SELECT ''/'' AS loc', 'http://a/')}),
		1, 'every function of it');
	my $export = "SELECT * FROM own.sitemap_export('$dir'::pg_catalog.text, 'SELECT ''a'' AS name, ''x'' AS content'::pg_catalog.text)";
	is($owner->($export), '42501', 'but he cannot export');
	is($owner->("GRANT EXECUTE ON FUNCTION own.sitemap_export(pg_catalog.text, pg_catalog.text, pg_catalog.text) TO owner; $export"),
		'42501', 'nor let himself');
	is($owner->(
			qq{
			CREATE FUNCTION own.export() RETURNS SETOF record LANGUAGE sql SECURITY DEFINER AS \$\$$export\$\$;
			SELECT own.export()}),
		'42501', 'not by a function either');
	is_deeply([ files($dir) ], [], 'and nothing was written');
	is($owner->('DROP EXTENSION sitemap; CREATE EXTENSION sitemap SCHEMA own'), '', 'he can drop it and install it again');

	my (undef, undef, $errors) =
	  $node->psql('template1', 'CREATE EXTENSION sitemap', connstr => $node->connstr('template1') . ' user=owner');
	like($errors, qr/permission denied to create extension/, 'in a database of others he cannot');
	return;
}

# A literal of SQL.
sub quoted
{
	my ($string) = @_;

	return "'" . $string =~ s/'/''/gr . "'";
}

my $ndirectories;

sub fresh_directory
{
	my $dir = "$root/" . ++$ndirectories;

	mkdir $dir or die "$dir: $!";
	return $dir;
}

# The files of a directory, without those of sitemap_export itself.
sub files
{
	my ($dir) = @_;

	opendir my $handle, $dir or die "$dir: $!";
	return sort grep { !/^\.(?:\.?|sitemap_export(?:\.lock)?)$/ } readdir $handle;
}
