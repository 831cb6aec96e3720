# ALTER EXTENSION UPDATE, by a next version that this test makes of a copy of the sources as
# CONTRIBUTING.md says: an option more, and a column more in the row types.  In a database
# that has views over the functions, a target, jobs and a watch, all of them work with the
# new library before the update, and after it.  Then the extension equals a new one.
#
# Versions from which the extension can really be updated take the same way.
use FindBin;
use lib $FindBin::RealBin;
use Node;

my $sources = PostgreSQL::Test::Utils::tempdir() . '/sources';
my ($version) = slurp_file("$FindBin::RealBin/../../sitemap.control") =~ /^default_version = '(.*)'/m;
(my $next = $version) =~ s/(\d*)$/($1 || 0) + 1/e;

mkdir $sources or die $!;
system_or_bail("tar -C '$FindBin::RealBin/../..' --exclude=./.git --exclude=./build --exclude=./tmp_check -cf - . | tar -C '$sources' -xf -");
make_next_version();
my $pg_config = qx{cd '$sources' && test/copy '$sources/postgresql' 2>'$sources/log'};
is($?, 0, "version $next is built") or BAIL_OUT(slurp_file("$sources/log"));
chomp $pg_config;

my $node = start_node('', install_path => $pg_config =~ s{/bin/pg_config$}{}r);
sql('CREATE EXTENSION sitemap');
my $new = describe_extension('postgres');
like($new, qr/^function public\._sitemap_files_\w+\(/m, 'a new extension has the old function, for dumps of databases with views over it');

my @old = split /\n/, sql("SELECT source FROM pg_extension_update_paths('sitemap') WHERE target = '$next' AND path IS NOT NULL ORDER BY 1");
ok((grep { $_ eq $version } @old), "$version can be updated");
foreach my $old (@old)
{
	my $db = "from $old";

	sql(qq{CREATE DATABASE "$db"});
	$node->safe_psql($db, "CREATE EXTENSION sitemap VERSION '$old'");
	make_site($db);
	check_site($db, "$old with the library of $next", 1);
	$node->safe_psql($db, 'ALTER EXTENSION sitemap UPDATE');
	check_site($db, "$old, updated", 2);
	check_option($db);
	is(describe_extension($db), $new, "$old, updated, equals a new extension");

	# Views go on by the function's OID, which has another name now.  A dump writes that name.
	my $dump = "$sources/dump.sql";
	$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('postgres') =~ s/dbname=\S+/dbname='$db'/r ], "$old, updated, is dumped");
	sql(qq{CREATE DATABASE "restored $old"});
	$node->command_ok([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-f', $dump, '-d', $node->connstr('postgres') =~ s/dbname=\S+/dbname='restored $old'/r ], 'and restored');
	check_site("restored $old", "$old, updated and restored", 3);
}
$node->stop;
done_testing();

# What CONTRIBUTING.md says about an option: "greeting", which each function says in a NOTICE.
sub make_next_version
{
	my $sql = slurp_file("$sources/sql/sitemap--$version.sql");
	my $upgrade = '';
	my $suffix = $version =~ s/\.\d+$//r =~ s/\W/_/gr;

	edit('src/files/options.c', qr/^\toptions->skip_invalid = .*\n/m, q{
	options->skip_invalid = sm_choice_option(args, "on_invalid", on_invalids, false);
	if (sm_has_argument(args, "greeting"))
		ereport(NOTICE, (errmsg("greeting: %s", sm_text_argument(args, "greeting"))));
});
	edit('src/jobs/job.h', qr/^\tCOLUMN\(SM_JOB_EVERY,/m, qq{\tCOLUMN(SM_JOB_GREETING, .name = "greeting", .type = TEXTOID, .optional = true) \\\n\tCOLUMN(SM_JOB_EVERY,});
	foreach my $function (qw(sitemap_files sitemap_publish sitemap_audit))
	{
		my $old = "_${function}_$suffix";
		my ($create, $arguments) = $sql =~ /^(CREATE FUNCTION \Q$function\E\((.*?)\)\nRETURNS .*?;\n)/ms or die "no $function";
		my ($comment, $types) = $sql =~ /^(COMMENT ON FUNCTION \Q$function\E\((.*?)\) IS\n.*?;\n)/ms or die "no comment on $function";
		my $kept = $create =~ s/\b\Q$function\E\(/$old(/r =~ s/'MODULE_PATHNAME'/'MODULE_PATHNAME', '$function'/r;
		my $comment_kept = "COMMENT ON FUNCTION $old($types) IS '$function of version $version';\n";
		my $made = $create =~ s/\Q$arguments\E/$arguments, greeting text DEFAULT NULL/r;
		my $comment_made = $comment =~ s/\Q$types\E/$types, text/r;

		$sql =~ s/\Q$create\E/$made$kept$comment_kept/;
		$sql =~ s/\Q$comment\E/$comment_made/;
		$upgrade .= "ALTER FUNCTION $function($types) RENAME TO $old;\n$comment_kept$made$comment_made";
	}
	foreach my $column ([ 'sitemap_job', 'greeting' ], [ 'sitemap_file', 'etag' ], [ 'sitemap_change', 'title' ])
	{
		my ($type, $name) = @$column;

		$sql =~ s/^(CREATE TYPE $type AS \(.*?)\n\);/$1,\n\t$name text\n);/ms or die "no type $type";
		$upgrade .= "ALTER TYPE $type ADD ATTRIBUTE $name text CASCADE;\n";
	}
	# until the release, "unreleased" stands for its version
	write_file("sql/sitemap--unreleased.sql", $sql);
	write_file("sql/sitemap--$version--unreleased.sql", $upgrade);
	rename("$sources/sql/sitemap--unreleased.sql", "$sources/sql/sitemap--$next.sql") or die $!;
	rename("$sources/sql/sitemap--$version--unreleased.sql", "$sources/sql/sitemap--$version--$next.sql") or die $!;
	edit('sitemap.control', qr/^default_version = .*$/m, "default_version = '$next'");
	return;
}

sub edit
{
	my ($file, $old, $new) = @_;
	my $text = slurp_file("$sources/$file");

	$text =~ s/$old/$new/ or die "cannot edit $file";
	write_file($file, $text);
	return;
}

sub write_file
{
	my ($file, $text) = @_;

	open my $handle, '>', "$sources/$file" or die "$file: $!";
	print $handle $text;
	close $handle or die "$file: $!";
	return;
}

# The members of the extension with their definitions and comments, a line each.
sub describe_extension
{
	my ($db) = @_;

	return $node->safe_psql($db, q{
		SELECT replace(concat_ws(' ', o.identity, CASE WHEN p.prokind IN ('f', 'p') THEN pg_get_functiondef(p.oid) END,
		                         (SELECT string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod), col_description(attrelid, attnum)), ', ' ORDER BY attnum)
		                            FROM pg_attribute WHERE attrelid = t.typrelid AND attnum > 0),
		                         obj_description(d.objid, d.classid::regclass::name)), E'\n', ' ')
		  FROM pg_depend d
		 CROSS JOIN LATERAL (SELECT concat_ws(' ', type, identity) AS identity FROM pg_identify_object(d.classid, d.objid, 0)) o
		  LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
		  LEFT JOIN pg_type t ON d.classid = 'pg_type'::regclass AND t.oid = d.objid
		 WHERE d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sitemap')
		 ORDER BY 1});
}

sub make_site
{
	my ($db) = @_;

	$node->safe_psql($db, q{
		CREATE TABLE page (id int PRIMARY KEY, path text, views int DEFAULT 0);
		INSERT INTO page SELECT n, '/page-' || n FROM generate_series(1, 300) n;
		CREATE TABLE page_change (id int);
		SELECT sitemap_watch('page', 'id', 'page_change', '{path}');
		CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
		CREATE TABLE site_files_like (LIKE sitemap_file, PRIMARY KEY (base_url, name));
		CREATE TABLE site_changes OF sitemap_change;
		CREATE TABLE site OF sitemap_job (section WITH OPTIONS DEFAULT 'sitemap', PRIMARY KEY (base_url, section));
		INSERT INTO site (target, base_url, query, changes, feed, max_urls)
		VALUES ('site_files', 'https://www.example.com/', 'SELECT path AS loc, id AS key FROM public.page ORDER BY id',
		        'DELETE FROM public.page_change RETURNING id', 'site_changes', 100),
		       ('site_files_like', 'https://like.example.com/', 'SELECT path AS loc, id AS key FROM public.page ORDER BY id', NULL, NULL, 50);
		CREATE MATERIALIZED VIEW site_view AS SELECT * FROM sitemap_files('SELECT path AS loc FROM public.page ORDER BY id', 'https://www.example.com/');
		CREATE VIEW names AS SELECT name, url_count FROM sitemap_files('TABLE public.paths', 'https://www.example.com/', max_urls => 100);
		CREATE VIEW paths AS SELECT path AS loc FROM page ORDER BY id;
		CREATE VIEW problems AS SELECT * FROM sitemap_audit('SELECT ''ftp://a/'' AS loc', 'https://www.example.com/');
		CREATE VIEW published AS SELECT * FROM sitemap_publish('public.site_files', 'SELECT ''/static'' AS loc', 'https://www.example.com/', 'static');
		CREATE FUNCTION files_of(text) RETURNS bigint LANGUAGE sql BEGIN ATOMIC
			SELECT count(*) FROM sitemap_files($1, 'https://www.example.com/');
		END;
		CALL sitemap_run('site')});
	return;
}

# All that make_site made works.
sub check_site
{
	my ($db, $name, $number) = @_;
	my $ok = sub { is($node->safe_psql($db, $_[0]), $_[1], "$name: $_[2]") };

	$ok->("REFRESH MATERIALIZED VIEW site_view; SELECT name, url_count FROM site_view", 'sitemap.xml|300', 'a materialized view');
	$ok->('SELECT string_agg(url_count::text, \' \') FROM names', '100 100 100 3', 'a view over sitemap_files');
	$ok->('SELECT count(*) > 0, min(problem) FROM problems', 't|loc_invalid', 'a view over sitemap_audit');
	$ok->('SELECT count(*) > 0 FROM published', 't', 'a view over sitemap_publish');
	$ok->("SELECT files_of('TABLE public.paths')", '1', 'a function in SQL');
	$ok->("UPDATE page SET views = $number; UPDATE page SET path = '/changed-$number' WHERE id = 10; TABLE page_change", '10', 'the watch');
	$ok->(qq{DELETE FROM site_changes; CALL sitemap_run('site'); SELECT count(*) FILTER (WHERE error IS NULL AND reason IS NULL AND written > 0) FROM site}, '2', 'the jobs');
	$ok->("SELECT action FROM site_changes WHERE loc = 'https://www.example.com/changed-$number'", 'added', 'the feed');
	$ok->("SELECT count(*) FROM site_files_like f, sitemap_parse(f.content) e WHERE f.kind = 'urlset' AND e.loc = 'https://like.example.com/changed-$number'", '1',
		'a target of the columns that it was created with');
	$ok->("SELECT count(*) FROM sitemap_files('TABLE public.paths', 'https://www.example.com/')", '1', 'calls');
	return;
}

sub check_option
{
	my ($db) = @_;

	foreach my $statement (
		q{SELECT sitemap_files('TABLE public.paths', 'https://www.example.com/', greeting => 'hello')},
		q{SELECT sitemap_publish('site_files', 'TABLE public.paths', 'https://b.example/', greeting => 'hello')},
		q{SELECT sitemap_audit('TABLE public.paths', 'https://www.example.com/', greeting => 'hello')},
		q{UPDATE site SET greeting = 'hello'; CALL sitemap_run('site')})
	{
		my $stderr;

		$node->psql($db, $statement, stderr => \$stderr);
		like($stderr, qr/NOTICE:  greeting: hello/, "the new option: $statement");
	}
	return;
}
