# sitemap_export: a directory that holds what a query says, whatever happens.
use Digest::MD5 qw(md5_hex);
use Fcntl qw(:flock :mode);
use FindBin;
use MIME::Base64 qw(decode_base64);
use POSIX ();
use Time::HiRes ();

use lib $FindBin::RealBin;
use Node;
use Session;

my $root = PostgreSQL::Test::Utils::tempdir();
my $ndirectories = 0;

# Each file is a fault that a library shows to the server, as long as the file is there.
my %fault = map { ($_ => "$root/$_") } qw(FOREIGN EXCHANGED LAST FAILING UNCLOSED);
my $library = preload();
my $node = do
{
	local %ENV = (%ENV, %fault, LD_PRELOAD => $library // '');
	start_node("restart_after_crash = on\n");
};

# site is the set to export: two files, and their index in the first row.  The content
# of sitemap-2.xml is in a TOAST table of its own, so that a lock can stop an export when
# it reads that content.
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE site (name text, kind text, content bytea, id serial,
	                   digest text GENERATED ALWAYS AS (md5(content)) STORED) PARTITION BY LIST (name);
	CREATE TABLE locked PARTITION OF site FOR VALUES IN ('sitemap-2.xml');
	CREATE TABLE others PARTITION OF site DEFAULT;
	CREATE TABLE original (name text, kind text, content bytea, id int);
	ALTER TABLE locked ALTER COLUMN content SET STORAGE EXTERNAL;
	ALTER TABLE original ALTER COLUMN content SET STORAGE EXTERNAL;
	INSERT INTO original
	SELECT name, kind, content || '', row_number() OVER (ORDER BY kind, name) AS id
	  FROM sitemap_files('SELECT ''/'' || n || repeat(''x'', 300) AS loc FROM generate_series(1, 20) n',
	                     'http://a/', max_urls => 10)});
my $site = 'SELECT name, kind, content, digest FROM site ORDER BY id';
my $toast = sql(q{SELECT reltoastrelid::regclass FROM pg_class WHERE relname = 'locked'});

my @names = qw(sitemap-1.xml sitemap-2.xml sitemap.xml);
my $manifest = '.sitemap_export';
my $lock = '.sitemap_export.lock';
my $temporary = '.sitemap_export.tmp';

# The directory that is exported to; each test begins with an empty one.
my $dir;

test_files();
test_changes();
test_cost();
test_times();
test_ownership();
test_manifest();
test_sites();
test_index_is_last();
test_refused_rows();
test_refused_files();
test_directories();
test_sessions();
test_interrupts();
test_full_disk();
SKIP:
{
	skip 'there is no C compiler for a library to preload', 3 if !defined $library;
	test_foreign_manifest();
	test_crash_points();
	test_failing_disk();
}
$node->stop;
done_testing();

# What is written, byte for byte.
sub test_files
{
	my %option = (plain => '', gzipped => ', compression => 6', text => q{, format => 'txt'});

	foreach my $format (sort keys %option)
	{
		my $files = "TABLE $format";

		fresh_directory();
		sql(qq{
			CREATE TABLE $format AS
			SELECT *
			  FROM sitemap_files('SELECT ''/'' || n AS loc FROM generate_series(1, 50001) n',
			                     'http://a/'$option{$format})});
		my %content = content_of($files);
		my @order =
		  sort { ($a =~ /^sitemap\./) <=> ($b =~ /^sitemap\./) || $a cmp $b } keys %content;

		is(scalar @order, 3, "$format: two files and their index");
		is( export($files),
			join("\n", map { "$_ created " . length $content{$_} } @order),
			'are created, the index last');
		same_files(\%content, 'with the content of the rows');
	}
	is(mode('sitemap.xml'), 0644, 'a web server can read them');
	is(mode($_), 0600, "but not $_") foreach $manifest, $lock;

	fresh_directory();
	is(export(q{SELECT 'a.xml'::name AS name, '<a>ü</a>' AS content}), 'a.xml created 9',
		'content can be text');
	same_files({ 'a.xml' => '<a>ü</a>' }, 'and is written in UTF-8');
	sql(q{CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0});
	unlink "$dir/$manifest" or die $!;	# it is of another database
	$node->safe_psql(
		'latin', qq{
		CREATE EXTENSION sitemap;
		SELECT * FROM sitemap_export('$dir', 'SELECT ''a.xml'' AS name, chr(252) AS content')});
	same_files({ 'a.xml' => 'ü' }, 'from another encoding too');
	unlink "$dir/$manifest" or die $!;
	is(export(q{SELECT 1 AS other, ''::bytea AS content, 'a.xml'::varchar AS name}),
		'a.xml updated 0', 'it can be empty, and other columns are ignored');
	is( export(
			q{SELECT name::char(12), 'b'::char(9) AS content, kind::char(8)
			    FROM (VALUES ('i.xml', 'index'), ('a.xml', 'urlset')) v (name, kind)}),
		"a.xml updated 9\ni.xml created 9",
		'in name and kind of char(n), blanks at the end do not count');
	return;
}

# A second export does what has changed, and nothing else.
sub test_changes
{
	begin_with_export();
	my %before = identities();
	done_is(all_files('unchanged'), 'the same again');
	is_deeply({ identities() }, \%before, 'touches no file, not even the manifest');
	spew($temporary, '');
	done_is(all_files('unchanged'), 'and again');
	is_deeply({ identities() }, \%before, 'removes the temporary file of one that was killed');

	sql(q{UPDATE site SET content = content || '\x0a' WHERE name = 'sitemap-2.xml'});
	done_is('sitemap-1.xml unchanged, sitemap-2.xml updated, sitemap.xml unchanged',
		'a row has changed');
	my %after = identities();
	is( join(' ', sort grep { $after{$_} ne $before{$_} } keys %after),
		"$manifest sitemap-2.xml",
		'its file is another one');
	same_files({ content_of($site) }, 'with the new content');

	sql(q{UPDATE site SET content = set_byte(content, 0, 33) WHERE name = 'sitemap-1.xml'});
	done_is('sitemap-1.xml updated, sitemap-2.xml unchanged, sitemap.xml unchanged',
		'a change that keeps the length');

	# It takes the right to the directory, not to the file.
	foreach my $mode (0444, 0)
	{
		chmod $mode, "$dir/sitemap-1.xml" or die $!;
		sql(q{UPDATE site SET content = set_byte(content, 1, get_byte(content, 1) - 1) WHERE name = 'sitemap-1.xml'});
		done_is('sitemap-1.xml updated, sitemap-2.xml unchanged, sitemap.xml unchanged',
			sprintf('a file with permissions %03o', $mode));
		same_files({ content_of($site) }, 'is replaced as any');
		is(mode('sitemap-1.xml'), 0644, 'and has the usual ones then');
	}

	my $size = -s "$dir/sitemap-2.xml";
	sql(q{DELETE FROM site WHERE name = 'sitemap-2.xml'});
	like(
		export($site),
		qr/\nsitemap\.xml unchanged \d+\nsitemap-2\.xml deleted $size$/,
		'a row is gone: its file is deleted, after all else');
	same_files({ content_of($site) }, 'and no other');

	fails("$site LIMIT 0", qr/55000: the query has no rows\n.*\nHINT:  .* pass its base_url/s,
		'a query without rows is refused');
	same_files({ content_of($site) }, 'and removes nothing');
	is( sql("BEGIN READ ONLY; SELECT count(*) FROM sitemap_export('$dir', 'TABLE site')"),
		2, 'a read-only transaction can export');
	return;
}

# Where nothing has changed, neither contents nor files are read.
sub test_cost
{
	begin_with_export();
	chmod 0, map { "$dir/$_" } @names or die $!;
	my $holder = hold();
	done_is(all_files('unchanged'), 'with every content and file locked', q{SET lock_timeout = '1s'});
	sql(q{UPDATE site SET content = content || '\x0a' WHERE name = 'sitemap-1.xml'});
	done_is('sitemap-1.xml updated, sitemap-2.xml unchanged, sitemap.xml unchanged',
		'as far as nothing has changed', q{SET lock_timeout = '1s'});
	fails($site =~ s/digest/'x' AS $&/r, qr/55P03: canceling statement due to lock timeout/,
		'what has changed is read', q{SET lock_timeout = '1s'});
	fails($site =~ s/, digest//r, qr/55P03: canceling statement due to lock timeout/,
		'and all that has no digest', q{SET lock_timeout = '1s'});
	$holder->quit;
	chmod 0644, map { "$dir/$_" } @names or die $!;

	done_is('sitemap-1.xml updated, sitemap-2.xml unchanged, sitemap.xml unchanged',
		'what was interrupted is known');
	foreach my $query ($site =~ s/, digest//r, $site =~ s/digest/NULL AS $&/r)
	{
		like(export($query), qr/ updated .*\n.* updated .*\n.* updated /, 'without digests, contents are read');
		unlike(export($query), qr/updated/, 'and have not changed');
		sql(q{UPDATE site SET content = content || '\x0a' WHERE name = 'sitemap-1.xml'});
		like(
			export($query),
			qr/^sitemap-1.xml updated .*\nsitemap-2.xml unchanged .*\nsitemap.xml unchanged /,
			'or have');
		export($site);
	}
	same_files({ content_of($site) }, 'the directory has them');

	# a sitemap of another program, which the table lists
	is( export("($site) UNION ALL SELECT 'blog', 'urlset', NULL, NULL") =~ s/ \d+$//gmr,
		join("\n", map { "$_ unchanged" } @names),
		'a row without digest and content is another program\'s');
	fails("($site) UNION ALL SELECT 'blog.xml', 'urlset', NULL, 'x'",
		qr/22004: column "content" of the query must not be null/, 'not so with a digest');
	fails("SELECT 'blog' AS name, NULL AS content, NULL AS digest",
		qr/55000: the query has no rows/, 'it does not count as a file');
	return;
}

# A file's time is its row's lastmod, unless a cache would take it for the old file.
sub test_times
{
	my $name = 'a.xml';
	my $row = sub {
		my ($content, $lastmod) = @_;
		return "SELECT '$name' AS name, '$content' AS content, $lastmod AS lastmod";
	};
	my $mtime = sub { return (stat "$dir/$name")[9] };
	my $is_now = sub {
		my ($since, $title) = @_;
		cmp_ok($mtime->(), '>=', $since, $title);
		cmp_ok($mtime->(), '<=', time, '... that is, now');
	};
	my $begin = time;

	fresh_directory();
	foreach (
		[ 'a', q{'2026-01-01 00:00:00.9+00'::timestamptz}, 1767225600, 'lastmod, in whole seconds' ],
		[ 'a', q{'2026-01-02 00:00:00+00'::timestamptz}, 1767225600, 'where the content changes' ],
		[ 'b', q{'2026-01-01 00:00:01+00'::timestamptz}, 1767225601, 'a lastmod that is a second later' ])
	{
		my ($content, $lastmod, $expected, $title) = @$_;

		export($row->($content, $lastmod));
		is($mtime->(), $expected, $title);
	}
	export($row->('c', q{'2026-01-01 00:00:01.5+00'::timestamptz}));
	$is_now->($begin, 'not so a lastmod in the same second');
	my $before = $mtime->();
	export($row->($_, q{'2026-01-01 00:00:02+00'::timestamptz})) foreach qw(d e f);
	cmp_ok($mtime->(), '>=', $before + 3, 'each replacement has a later time');
	like(slurp($manifest), qr/^\w{16} 1 ${\ $mtime->()} a\.xml$/m, 'which the list has');
	is(export($row->('f', 'NULL::timestamptz')), 'a.xml unchanged 1', 'and the file is ours');

	foreach (
		[ q{'infinity'::timestamptz}, undef ],
		[ q{'-infinity'::timestamptz}, undef ],
		[ q{'1969-12-31 23:59:59+00'::timestamptz}, undef ],
		[ q{'294276-12-31 23:59:59+00'::timestamptz}, undef ],
		[ 'NULL::timestamptz', undef ],
		[ q{'1999-12-31 23:59:59.5+00'::timestamptz}, 946684799 ])
	{
		my ($lastmod, $expected) = @$_;

		fresh_directory();
		export($row->('a', $lastmod));
		$expected ? is($mtime->(), $expected, $lastmod) : $is_now->($begin, $lastmod);
		is(export($row->('a', $lastmod)), 'a.xml unchanged 1', 'the file is ours');
	}
	return;
}

# What somebody else wrote or changed is not ours to remove.
sub test_ownership
{
	begin_with_site();
	spew('sitemap-1.xml', 'foreign');
	spew('other', 'foreign');
	done_is('sitemap-1.xml updated, sitemap-2.xml created, sitemap.xml created',
		'a file of somebody else is replaced if the query has it');
	spew('sitemap-2.xml', 'changed');
	sql(q{DELETE FROM site WHERE name <> 'sitemap.xml'});
	my ($output, $errors) = export($site);
	like(
		$output,
		qr/^sitemap\.xml unchanged \d+\nsitemap-1\.xml deleted \d+$/,
		'and then it is ours to remove');
	like(
		$errors,
		qr{WARNING:  01000: file "\Q$dir\E/sitemap-2.xml" was not removed\nDETAIL:  It is no longer the file},
		'but not one of ours that was changed');
	same_files({ content_of($site), 'sitemap-2.xml' => 'changed', other => 'foreign' },
		'it stays, as do all others');
	done_is('sitemap.xml unchanged', 'and is no longer ours, without a warning');

	begin_with_site();
	spew('sitemap-1.xml', {content_of($site)}->{'sitemap-1.xml'});
	done_is('sitemap-1.xml updated, sitemap-2.xml created, sitemap.xml created',
		'a file that has the right content already is replaced, too');
	sql(q{DELETE FROM site WHERE name = 'sitemap-1.xml'});
	done_is('sitemap-2.xml unchanged, sitemap.xml unchanged, sitemap-1.xml deleted',
		'and is ours then');

	# by size and time, without a look at the content
	my @time = (stat "$dir/sitemap.xml")[8, 9];
	my $size = -s "$dir/sitemap.xml";
	utime $time[0], $time[1] + 1, "$dir/sitemap.xml" or die $!;
	done_is('sitemap-2.xml unchanged, sitemap.xml updated', 'another time: not the file that we wrote');
	@time = (stat "$dir/sitemap.xml")[8, 9];
	spew('sitemap.xml', 'x' x $size);
	utime @time, "$dir/sitemap.xml" or die $!;
	done_is('sitemap-2.xml unchanged, sitemap.xml unchanged',
		'an edit that keeps size and time is not noticed');
	is(slurp('sitemap.xml'), 'x' x $size, 'and stays');

	unlink "$dir/sitemap-2.xml" or die $!;
	sql(q{DELETE FROM site WHERE name = 'sitemap-2.xml'});
	done_is('sitemap.xml unchanged', 'a file of ours that is gone already');

	begin_with_export();
	unlink "$dir/sitemap-1.xml" or die $!;
	mkdir "$dir/sitemap-1.xml" or die $!;
	sql(q{DELETE FROM site WHERE name = 'sitemap-1.xml'});
	($output, $errors) = export($site);
	like($errors, qr/sitemap-1.xml" was not removed/, 'that is a directory now');
	ok(-d "$dir/sitemap-1.xml", 'stays');

	# a file that nobody could read to the end
	begin_with_export();
	truncate "$dir/sitemap-1.xml", 8 * 1024**4 or note "no file of 8 TB here: $!";
	utime 0, 0, "$dir/sitemap-1.xml" or die $!;
	sql(q{DELETE FROM site WHERE name = 'sitemap-1.xml'});
	($output, $errors) = export($site, q{SET statement_timeout = '60s'});
	like($errors, qr/sitemap-1.xml" was not removed/, 'that is very large now');
	ok(-e "$dir/sitemap-1.xml", 'stays');
	return;
}

# The manifest: no line that is wrong does harm.
sub test_manifest
{
	begin_with_export();
	my $lines = slurp($manifest);
	like($lines, qr/\Adatabase postgres\n(?:[0-9a-f]{16} \d+ \d+ sitemap[^ ]*\.xml\n){3}\z/, 'has a line for each file');

	# a path that leads out of the directory, what is no line, and one that a crash tore
	my ($version) = $lines =~ /^(.*) sitemap-1\.xml$/m;
	my ($digest, $size, $mtime) = split / /, $version;
	my $outside = "$root/outside.xml";
	my @kept = qw(a.xsl a.xsl.g a);
	append_to_file($outside, slurp('sitemap-1.xml'));
	spew($_, slurp('sitemap-1.xml')) foreach @kept;
	utime $mtime, $mtime, $outside, map { "$dir/$_" } @kept or die $!;
	spew($manifest,
		"$version ../outside.xml\n$version $outside\n\n \n\0\n$digest\nx\n$version a\n$version a.xsl.g\n"
		  . "${lines}$version a.xsl");
	sql(q{DELETE FROM site WHERE name = 'sitemap-1.xml'});
	done_is('sitemap-2.xml unchanged, sitemap.xml unchanged, sitemap-1.xml deleted',
		'lines that are wrong count for nothing');
	is(join(' ', grep { !-e } $outside, map { "$dir/$_" } @kept), '', 'and remove nothing');
	is(slurp($manifest), $lines =~ s/^.*-1\.xml\n//mr, 'they are gone then');

	# an export that came to its end, and one that did not
	$lines = slurp($manifest);
	my ($true) = $lines =~ /^(.* sitemap-2\.xml\n)/m;
	my $false = ('0' x 16) . " 1 1 sitemap-2.xml\n";
	foreach my $journal ("$false$true", "$true$false", "$false$true$false", "$true$true")
	{
		spew($manifest, $lines =~ s/\Q$true/$journal/r);
		done_is('sitemap-2.xml unchanged, sitemap.xml unchanged', 'several lines for a name');
		is(slurp($manifest), $lines, 'the true one stays');
	}

	unlink "$dir/$manifest" or die $!;
	sql(q{DELETE FROM site WHERE name = 'sitemap-2.xml'});
	my $not_ours = qr{58P02: file "\Q$dir/sitemap.xml\E" was not written by sitemap_export\nDETAIL:  It is not in .*\nHINT:  Rename};
	fails($site, $not_ours, 'a sitemap.xml of another program is not overwritten');
	spew($manifest, $lines =~ s/^.* sitemap\.xml\n//mr);
	fails($site, $not_ours, 'nor if the manifest has other files only');
	unlink "$dir/$manifest", "$dir/sitemap.xml" or die $!;
	done_is('sitemap.xml created', 'without a manifest nothing is ours');
	ok(-e "$dir/sitemap-2.xml", 'and nothing is removed');

	unlink "$dir/$manifest" or die $!;
	symlink $outside, "$dir/$manifest" or die $!;
	fails($site, qr{42809: "\Q$dir/$manifest\E" is not a regular file},
		'a symbolic link as the manifest');
	unlink "$dir/$manifest" or die $!;
	make_fifo("$dir/$manifest");
	fails($site, qr{42809: "\Q$dir/$manifest\E" is not a regular file}, 'or a fifo');

	# somebody else exchanges it while an export runs
	foreach my $put (\&make_fifo, sub { symlink $outside, shift or die $! }, sub { mkdir shift or die $! })
	{
		begin_with_export();
		sql(q{UPDATE site SET content = content || '\x0a'});
		my $before = slurp_file($outside);
		my $holder = hold();
		my $session = begin_export($site);
		$session->wait_for_lock;
		unlink "$dir/$manifest" or die $!;
		$put->("$dir/$manifest");
		my $is_directory = -d "$dir/$manifest";
		$holder->quit;
		my $errors = $session->finish;
		like(
			$errors,
			$is_directory ? qr{could not replace file "\Q$dir/$manifest\E": Is a directory} : qr/^$/,
			'it meets something else in place of the manifest, and does not wait for it');
		ok($is_directory || (-f "$dir/$manifest" && !-l "$dir/$manifest"), 'then the manifest is a file');
		is(slurp_file($outside), $before, 'and what a link led to is as it was');
		next if $is_directory;
		sql(q{DELETE FROM site WHERE name = 'sitemap-1.xml'});
		done_is('sitemap-2.xml unchanged, sitemap.xml unchanged, sitemap-1.xml deleted',
			'that lists what was written');
	}
	return;
}

# A manifest of another user, or exchanged for a pipe just before it is opened: who may write
# to the directory must not have us remove files.  It takes root to make the first, and luck
# to meet the second, so the library shows them.
sub test_foreign_manifest
{
	foreach my $which ('FOREIGN', 'EXCHANGED')
	{
		begin_with_export();
		sql(q{DELETE FROM site WHERE name = 'sitemap-1.xml'});
		make_fifo($fault{$which});
		fails($site, qr{42501: "\Q$dir/$manifest\E" is not a regular file of the user that the server runs as\nHINT: },
			'such a manifest is not believed');
		unlink $fault{$which} or die $!;
		done_is('sitemap-2.xml unchanged, sitemap.xml unchanged, sitemap-1.xml deleted', 'one of this server is');
	}
	return;
}

# A directory belongs to a site, by whatever name it is reached.
sub test_sites
{
	my $files = sub {
		my ($site, @files) = @_;
		return "SELECT name, name AS content, $site AS base_url FROM unnest('{" . join(',', @files) . "}'::text[]) name";
	};
	my ($a, $b, $none) = (q{'http://a/'}, q{'http://b/'}, 'NULL::text');
	my $plain = q{SELECT 'c.xml' AS name, '' AS content};
	my $wrong_directory = qr{22023: cannot export site "http://b/" to the directory of site "http://a/"};
	my $home = fresh_directory();

	is(export($files->($a, 'a.xml', 'b.xml')), "a.xml created 5\nb.xml created 5", 'a directory of a site');
	my %before = identities();
	mkdir "$root/x" or die $!;
	symlink $home, "$root/x/link" or die $!;
	my $name = $home =~ s{.*/}{}r;
	foreach my $path ($home, "$home/", "$root//$name", "$root/./$name", "$root/x/../$name", "$root/x/link")
	{
		$dir = $path;
		fails($files->($b, 'a.xml'),
			qr{$wrong_directory\nHINT:  .* If "\Q$path/$manifest\E" has a line "site", delete it},
			"is refused to another site as $path");
	}
	fails("$plain LIMIT 0", $wrong_directory, 'whether it has files or not', undef, $b);
	foreach my $query ($files->($none, 'a.xml'), $plain, $files->($a, 'a.xml') . ' UNION ALL ' . $files->($none, 'b.xml'))
	{
		fails($query,
			qr{22023: cannot export files without base_url to the directory of site "http://a/"\nHINT:  Add the column base_url},
			'and to files without a site');
	}
	is_deeply({ identities() }, \%before, 'no file was touched');
	is(export("$plain UNION ALL SELECT 'a.xml', 'a.xml'", undef, q{'HTTP://A:80'}), "c.xml created 0\na.xml unchanged 5\nb.xml deleted 5",
		'base_url says whose files they are where the query does not');

	# a site without files
	spew('other.xml', '');
	fails("$plain LIMIT 0", qr/55000: the query has no rows/, 'a query without files is refused');
	is(export("$plain LIMIT 0", undef, $a), "a.xml deleted 5\nc.xml deleted 0", 'unless its site is named');
	same_files({ 'other.xml' => '' }, 'and removes what exports wrote, nothing else');
	is(export("$plain LIMIT 0", undef, $_), '', 'once') foreach undef, $a;
	fails($files->($b, 'a.xml'), $wrong_directory, 'the directory remains that of the site');

	# the line of the site
	is(export($files->($a, 'a.xml', 'b.xml')), "a.xml created 5\nb.xml created 5", 'the site has files again');
	my $list = slurp($manifest);
	like($list, qr{\Asite http://a/\n}, 'the list begins with the site');
	spew($manifest, "\n$list" . "site http://b/\n");
	fails($files->($b, 'a.xml'), $wrong_directory, 'a line that was moved, or added, does not change it');
	export($files->($a, 'a.xml', 'b.xml'));
	is(slurp($manifest), $list, 'and is put right');
	foreach ([ $files->($b, 'a.xml'), undef, "a.xml unchanged 5\nb.xml deleted 5", "http://b/" ],
		[ "$plain LIMIT 0", $b, "a.xml deleted 5\nb.xml deleted 5", "http://b/" ],
		[ $files->($none, 'a.xml'), undef, "a.xml unchanged 5\nb.xml deleted 5", undef ])
	{
		my ($query, $base_url, $expected, $owner) = @$_;

		fresh_directory();
		export($files->($a, 'a.xml', 'b.xml'));
		spew($manifest, slurp($manifest) =~ s/^site .*\n//r);
		is(export($query, undef, $base_url), $expected, 'without that line, the next export takes the directory');
		is((slurp($manifest) =~ /^site (.*)/)[0], $owner, 'and names its site');
	}

	# the line of the database: a copy under another name does not write into the directory
	fresh_directory();
	export($files->($a, 'a.xml'));
	$list = slurp($manifest);
	like($list, qr{^database postgres\n}m, 'the list has the database');
	spew($manifest, $list =~ s/^database .*/database caf%C3%A9/mr);
	%before = identities();
	fails($files->($a, 'a.xml', 'b.xml'),
		qr{22023: cannot export from database "postgres" to the directory of database "caf%C3%A9"\nHINT:  .* delete the line "database" of "\Q$dir/$manifest\E"},
		'a directory of another database');
	is_deeply({ identities() }, \%before, 'no file was touched');
	spew($manifest, $list =~ s/^database .*\n//mr);
	is(export($files->($a, 'a.xml')), 'a.xml unchanged 5', 'without that line, the next export takes the directory');
	is(slurp($manifest), $list, 'and names its database');

	# base_url in any spelling, also that of rows
	fresh_directory();
	is(export($files->(q{' HTTP://Ü.example:80 '}, 'a.xml')), 'a.xml created 5', 'base_url of rows in any spelling');
	like(slurp($manifest), qr{\Asite http://xn--tda\.example/\n}, 'the list has it as runs write it');
	is(export($files->($_, 'a.xml'), undef, q{'http://ü.example'}), 'a.xml unchanged 5', "the same site: $_")
	  foreach q{'http://ü.example/'}, q{CASE WHEN name > '' THEN 'http://Ü.example' END};
	is(export($files->(q{'http://Ü.example'}, 'a.xml') . ' LIMIT 0', undef, q{'http://Ü.example'}), 'a.xml deleted 5', 'the spelling of the rows removes them');

	# sites within one call
	fresh_directory();
	foreach (
		[ $files->($a, 'a.xml') . ' UNION ALL ' . $files->($b, 'b.xml'), undef, 'site "http://b/" to the directory of site "http://a/"' ],
		[ $files->($b, 'b.xml'), $a, 'site "http://b/" to the directory of site "http://a/"' ],
		[ $files->($none, 'a.xml') . ' UNION ALL ' . $files->($b, 'b.xml'), undef, 'site "http://b/" to the directory of files without base_url' ],
		[ $files->($a, 'a.xml') . ' UNION ALL ' . $files->($none, 'b.xml'), undef, 'files without base_url to the directory of site "http://a/"' ])
	{
		my ($query, $base_url, $error) = @$_;

		fails($query, qr/22023: cannot export \Q$error\E\nHINT: /, $error, undef, $base_url);
	}
	fails($files->($_, 'a.xml'), qr/22023: invalid base_url ".*": .*\nHINT/, "base_url $_")
	  foreach q{'http://a b/'}, q{'a'}, q{''};
	fails($plain, qr/22023: invalid base_url ".*": .*\nHINT/, "$_ as the argument", undef, $_) foreach q{'http://a b/'}, q{'a'}, q{''};
	fails($files->(q{'http://u:s3cret@a/'}, 'a.xml'), qr{22023: invalid base_url "http://\*\*\*\@a/"}, 'a password');
	fails($plain, qr{22023: invalid base_url "http://\*\*\*\@a/"}, 'a password in the argument', undef, q{'http://u:s3cret@a/'});
	is(join(' ', files()), $lock, 'nothing was written');
	return;
}

# The index comes after the files that it lists, wherever its row stands.
sub test_index_is_last
{
	begin_with_export();
	my %old = content_of($site);
	sql(q{UPDATE site SET content = content || '\x0a'});
	my %new = content_of($site);

	fails("($site) UNION ALL SELECT '/', NULL, '', ''", qr{22023: invalid file name "/"},
		'an error in the last row');
	same_files(\%old, 'nothing has changed');
	done_is(all_files('updated'), 'without it');

	sql(q{UPDATE site SET content = content || '\x0a'});
	my %newer = content_of($site);
	my $holder = hold();
	my $session = begin_export($site);
	$session->wait_for_lock;
	same_files(
		{
			'sitemap-1.xml' => $newer{'sitemap-1.xml'},
			'sitemap-2.xml' => $new{'sitemap-2.xml'},
			'sitemap.xml' => $new{'sitemap.xml'}
		},
		'the index is old while others are written');
	$holder->quit;
	$session->finish;
	same_files(\%newer, 'and then new');
	return;
}

# Rows and columns that are refused; nothing changes.
sub test_refused_rows
{
	my $row = q{SELECT name, content FROM site WHERE name = 'sitemap.xml'};
	my @names_refused = (
		'', '.hidden.xml', 'a/b.xml', 'a\\b.xml', "a\nb.xml", "a\x7f.xml", 'x' x 252 . '.xml',
		qw(xml a.html a.gz xml.gz a.xml.gz.gz));
	my @queries_refused = (
		[ "$row UNION ALL SELECT NULL, 'a'", '22004: column "name" of the query must not be null' ],
		[ "$row UNION ALL SELECT 'a', NULL", '22004: column "content" of the query must not be null' ],
		[ "$row UNION ALL $row", '21000: file name "sitemap.xml" appears more than once in the query' ],
		[ 'SELECT name FROM site', '42703: the query has no column "content"' ],
		[ 'SELECT content FROM site', '42703: the query has no column "name"' ],
		[ 'SELECT name, content, name FROM site', '42701: column "name" appears more than once in the query' ],
		[ 'DELETE FROM site RETURNING *', '42P11: the query must be one SELECT, TABLE or WITH statement' ],
		[ 'site', "42601: the query must be one SELECT, TABLE or WITH statement\nHINT:  To read the table, write TABLE site." ]);

	my %type = (
		name => 'text',
		content => 'bytea, text or xml',
		kind => 'text',
		digest => 'text',
		lastmod => 'timestamp with time zone');
	foreach my $column (sort keys %type)
	{
		push @queries_refused,
		  [ 'SELECT 1 AS ' . join(', ', $column, grep { $_ ne $column } 'name', 'content') . ' FROM site',
			qq{42804: column "$column" of the query must be of type $type{$column}, not integer} ];
	}

	begin_with_export();
	my %before = identities();
	foreach (@names_refused)
	{
		my $shown = substr $_, 0, 255;

		fails(
			"SELECT \$name\$$_\$name\$ AS name, '' AS content",
			qr/22023: invalid file name "\Q$shown\E"\nDETAIL:  A name ends in .xml,.*and no dot at its beginning\./,
			"name \"$_\"");
	}
	foreach (@queries_refused)
	{
		my ($query, $error) = @$_;

		fails($query, qr/\Q$error\E\n/, $query);
	}
	fails("$row UNION ALL SELECT 'a', NULL", qr/.*\nDETAIL:  It is null in row 2\.\n/,
		'an error names the row');
	is_deeply({ identities() }, \%before, 'no file was touched');

	my $longest = ('x' x 251) . '.xml';
	like(
		export("SELECT '$longest' AS name, 'x' AS content"),
		qr/^$longest created 1\n/,
		'the longest name');
	my @names = map { ("a.$_", "a.b.$_.gz") } qw(xml txt css xsl xslt);
	is( export("SELECT unnest('{" . join(',', @names) . "}'::text[]) AS name, 'x' AS content") =~ s/\nx.*//r,
		join("\n", map { "$_ created 1" } @names),
		'all endings');
	return;
}

# Something that is no file in the place of one.
sub test_refused_files
{
	my %make = (
		'a symbolic link' => sub { symlink "$dir/other", shift },
		'a dangling link' => sub { symlink "$dir/nothing", shift },
		'a directory' => sub { mkdir shift },
		'a fifo' => sub { make_fifo(shift) });

	foreach my $what (sort keys %make)
	{
		foreach my $name ('sitemap-2.xml', $lock)
		{
			begin_with_site();
			spew('other', 'foreign');
			$make{$what}->("$dir/$name") or die "$what: $!";
			my @before = lstat "$dir/$name";

			fails(
				$site,
				qr{42809: "\Q$dir/$name\E" is not a regular file\nDETAIL:  .* only regular},
				"$what in place of $name");
			is((lstat "$dir/$name")[1], $before[1], 'it stays');
			is(slurp('other'), 'foreign', 'and what it leads to');
			ok(!-e "$dir/$temporary" && !-e "$dir/nothing", 'and there is nothing new');
		}
	}
	return;
}

# Directories that are none, that are links, or that cannot be written to.
sub test_directories
{
	begin_with_site();
	spew('file', '');
	my $base = $dir;

	foreach (
		[ "$base/missing/sub", '58P01: could not create directory ".*": No such file or directory\nHINT:  .* First create "/.*/missing"\.' ],
		[ "$base/file", '42809: could not open directory ".*": Not a directory' ],
		[ 'relative', '42602: directory "relative" is not an absolute path\nHINT:  Begin the path at the root, as in "/var/www/sitemaps".' ],
		[ '', '42602: directory "" is not an absolute path' ])
	{
		my ($path, $error) = @$_;

		$dir = $path;
		fails($site, qr/$error/, "directory \"$path\"");
	}
	foreach my $path ("$base/new", "$base/other//")
	{
		$dir = $path;
		done_is(all_files('created'), 'a directory that is missing');
		same_files({ content_of($site) }, 'is made');
		is(S_IMODE((stat $dir)[2]), 0755, 'and a web server can read it');
	}
	chmod 0555, $base or die $!;
	$dir = "$base/third";
	fails($site, qr{42501: could not create directory "\Q$dir\E": Permission denied\nHINT:  The operating system's user "\w+", .* directory "\Q$base\E"\.}, 'if that is permitted');
	chmod 0755, $base or die $!;

	my $long = $base . ('/' . 'x' x 200) x 10;
	system_or_bail('mkdir', '-p', $long);
	$dir = $long;
	done_is(all_files('created'), 'a long path');
	same_files({ content_of($site) }, 'is that of a directory as any');

	# a directory that is renamed in the middle of an export, whose link a deployment moves
	begin_with_site();
	my ($link, $home, $moved) = ("$base/current", $dir, "$dir.moved");
	my $elsewhere = fresh_directory();
	symlink $home, $link or die $!;
	$dir = "$link/.//";
	my $holder = hold();
	my $session = begin_export($site);
	$session->wait_for_lock;
	rename $home, $moved or die $!;
	unlink $link or die $!;
	symlink $elsewhere, $link or die $!;
	$dir = $moved;
	fails(
		$site,
		qr{55P03: canceling statement due to lock timeout},
		'a directory has its lock under its new name', q{SET lock_timeout = '10ms'});
	$holder->quit;
	is($session->finish, '', 'a link to the directory is followed when the export begins');
	same_files({ content_of($site) }, 'the export goes on there');
	$dir = $elsewhere;
	is(join(' ', files()), '', 'and not where the link leads now');

	begin_with_export();
	chmod 0555, $dir or die $!;
	done_is(all_files('unchanged'), 'that becomes read-only does where nothing has changed');
	sql(q{UPDATE site SET content = '' WHERE name = 'sitemap-2.xml'});
	fails($site, qr{42501: could not create file "\Q$dir\E/.*": Permission denied\nHINT:  The operating system's user "\w+", .* directory "\Q$dir\E"\.},
		'a file cannot be updated');
	sql(q{DELETE FROM site WHERE name = 'sitemap-2.xml'});
	fails($site, qr{42501: could not remove file "\Q$dir\E/sitemap-2.xml": Permission denied},
		'or removed');
	chmod 0755, $dir or die $!;
	done_is('sitemap-1.xml unchanged, sitemap.xml unchanged, sitemap-2.xml deleted',
		'but nothing is forgotten');
	return;
}

# One export at a time; an error gives the directory back.
sub test_sessions
{
	begin_with_site();

	# whoever can read a directory can lock it
	open(my $handle, '<', $dir) or die $!;
	flock $handle, LOCK_EX or die $!;

	my $holder = hold();
	my $session = begin_export($site);
	$session->wait_for_lock;
	fails($site, qr{55P03: canceling statement due to lock timeout}, 'a second export to a directory waits', q{SET lock_timeout = '10ms'});
	sql('CREATE DATABASE elsewhere');
	my ($status, $output, $errors) = $node->psql('elsewhere', "CREATE EXTENSION sitemap; SELECT sitemap_export('$dir', \$\$SELECT 'a.xml' AS name, '' AS content\$\$)");
	like($errors, qr{could not lock directory "\Q$dir\E"\nDETAIL:  Another sitemap_export is writing}, 'that of another database is refused');
	my $busy = $dir;
	fresh_directory();
	is(export(q{SELECT 'a.xml' AS name, 'x' AS content}), 'a.xml created 1', 'another directory is free');
	$dir = $busy;
	$holder->quit;
	$session->finish;
	same_files({ content_of($site) }, 'the first export comes to its end');
	close $handle;

	is( sql(qq{
			DO \$\$
			BEGIN
			  PERFORM * FROM sitemap_export('$dir', 'TABLE site UNION ALL TABLE site');
			EXCEPTION WHEN cardinality_violation THEN
			  NULL;
			END
			\$\$;
			SELECT count(*) FROM sitemap_export('$dir', 'TABLE site')}),
		3, 'after an error in a block with EXCEPTION the session can export');
	fails("SELECT name, action AS content FROM sitemap_export('$dir', 'TABLE site')",
		qr/55006: could not lock directory/, 'an export in the query of an export');
	return;
}

# Cancel and termination in the middle of a file, and a timeout between two.
sub test_interrupts
{
	my $size = 100000000;
	my $query = "SELECT 'large.txt' AS name, convert_to(repeat('x', $size), 'UTF8') AS content, 'x' AS digest"
	  . " UNION ALL SELECT name, content, 'x' FROM site WHERE name = 'sitemap-2.xml'";

	begin_with_export();
	foreach (
		[ 'INT', 'ERROR:  canceling statement due to user request' ],
		[ 'TERM', 'FATAL:  terminating connection due to administrator command' ])
	{
		my ($signal, $error) = @$_;
		my $holder = hold();
		my $session = begin_export($query);

		wait_until(sub { -s "$dir/$temporary" || !kill 0, $session->{pid} }, 'a file is written');
		kill $signal, $session->{pid};
		my $errors = $session->finish;
		$holder->quit;
		like($errors, qr/$error/, "SIG$signal in the middle of a file");

		# it may have come to the end of that file before the signal did
		is((-s "$dir/large.txt") // $size, $size, 'leaves no part of it in its place');
		unlink "$dir/large.txt";
		same_files({ content_of($site) }, 'nor a temporary file');
	}

	sql(q{UPDATE site SET content = content || '\x0a'});
	my $holder = hold();
	fails($site, qr/57014: canceling statement due to statement timeout/,
		'statement_timeout', q{SET statement_timeout = '1s'});
	$holder->quit;
	done_is('sitemap-1.xml unchanged, sitemap-2.xml updated, sitemap.xml updated',
		'the directory is free, and the next export goes on');
	return;
}

# kill -9 at every change that an export makes to the directory, and in the middle of a
# large file: the library counts them.  The next export, of other files, is killed there as
# well.
sub test_crash_points
{
	my $query = "SELECT *, '%s' AS base_url FROM ($site) site";
	my $killed = 1;

	for (my $n = 1; $killed; $n++)
	{
		begin_with_site();
		export(sprintf $query, 'http://a/');
		my @versions = ({ content_of($site) });

		foreach my $name (qw(sitemap-1.xml sitemap-3.xml))
		{
			sql(qq{UPDATE site SET content = content || repeat('\n', 1100000)::bytea;
				   UPDATE site SET name = 'sitemap-' || id + 2 || '.xml' WHERE name = '$name'});
			push @versions, { content_of($site) };
			append_to_file($fault{LAST}, $n);
			my $session = begin_export(sprintf $query, 'http://a/');
			$killed = $session->finish =~ /connection/;
			unlink $fault{LAST} or die $!;
			Session::wait_for_restart($node, $session->{pid}) if $killed;

			is(join(' ', grep { !is_whole($_, @versions) } files()),
				'', "killed at change $n: each file is whole, old or new");
			my ($listed) = grep { $_->{'sitemap.xml'} eq slurp('sitemap.xml') } @versions;
			is(join(' ', grep { !-e "$dir/$_" } sort keys %$listed),
				'', 'all files that the index lists are there');
			fails((sprintf $query, 'http://b/'), qr{22023: cannot export site "http://b/" to the directory of},
				'the directory belongs to its site');
		}

		# forth or back
		sql('TRUNCATE site; INSERT INTO site TABLE original') if $n % 2;
		my ($output, $errors) = export(sprintf $query, 'http://a/');
		is($errors, '', 'the next export knows which files are ours');
		same_files({ content_of($site) }, 'and leaves what the query says, and no temporary file');
		ok($n > 10, "there are $n changes") if !$killed;
	}
	return;
}

# Is a file as one of the versions has it, or in none of them?
sub is_whole
{
	my ($name, @versions) = @_;
	my @contents = map { $_->{$name} // () } @versions;

	return !@contents || grep { $_ eq slurp($name) } @contents;
}

# A write that the system cuts off, here by a limit on the size of files: the server
# takes it for a full disk.
sub test_full_disk
{
	begin_with_export();

  SKIP:
	{
		skip 'prlimit is not here', 9 if system("prlimit --version >$root/log 2>&1") != 0;
		my $session = Session->start($node, 'postgres', on_error_stop => 0);

		system_or_bail('prlimit', "--pid=$session->{pid}", '--fsize=1000000');
		$session->query_safe('\set VERBOSITY verbose');
		foreach (1 .. 2)
		{
			$session->query(export_statement(with_large_file()));
			like(
				$session->{stderr},
				qr{ERROR:  53100: could not write to file "\Q$dir/large.txt\E": No space left on device},
				'a file that does not fit');
			$session->{stderr} = '';
			same_files({ content_of($site) }, 'leaves others as they were, and no temporary file');
		}
		sql(q{DELETE FROM site WHERE name = 'sitemap-2.xml'});
		like($session->query(export_statement($site)),
			qr/sitemap-1.xml unchanged.*sitemap-2.xml deleted/s, 'the next export that fits does its work');
		same_files({ content_of($site) }, 'and no other');
	}
	return;
}

# A disk that cannot make a directory durable: an error, and not the server's end,
# which such a failure is where it is the server's own data.
sub test_failing_disk
{
	begin_with_site();
	sql('ALTER SYSTEM SET fsync = on');
	$node->reload;
	wait_until(sub { sql('SHOW fsync') eq 'on' }, 'a setting is read');
	symlink $dir, $fault{FAILING} or die $!;
	fails($site, qr{58030: could not fsync directory "\Q$dir\E": Input/output error}, 'a failing disk');
	is(join(' ', grep { $_ eq $temporary } files()), '', 'leaves no temporary file');
	unlike(slurp_file($node->logfile), qr/PANIC/, 'and no server that recovers');
	unlink $fault{FAILING} or die $!;
	append_to_file($fault{UNCLOSED}, '');
	fails($site, qr{58030: could not close file "\Q$dir/$manifest\E": Input/output error}, 'a file that cannot be closed');
	is(join(' ', grep { $_ eq $temporary } files()), '', 'leaves no temporary file either');
	unlink $fault{UNCLOSED} or die $!;
	done_is(all_files('created'), 'a disk that works again');
	return;
}

# The library that shows faults to the server.
sub preload
{
	return library(q{
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

uid_t
geteuid(void)
{
	return syscall(SYS_geteuid) + (access(getenv("FOREIGN"), F_OK) == 0);
}

int
openat(int at, const char *name, int flags, ...)
{
	va_list		args;
	mode_t		mode;

	va_start(args, flags);
	mode = va_arg(args, mode_t);
	va_end(args);
	if (strcmp(name, ".sitemap_export") == 0 && access(getenv("EXCHANGED"), F_OK) == 0)
		name = getenv("EXCHANGED");
	return syscall(SYS_openat, at, name, flags, mode);
}

int			openat64(int at, const char *name, int flags, ...) __attribute__((alias("openat")));

static void
count(int dir)
{
	static int	n = 0;
	int			last;
	int			error = errno;
	FILE	   *file = dir == AT_FDCWD ? NULL : fopen(getenv("LAST"), "r");

	if (file && fscanf(file, "%d", &last) == 1 && ++n == last)
		kill(getpid(), SIGKILL);
	if (file)
		fclose(file);
	errno = error;
}

int
renameat(int from, const char *old, int to, const char *new)
{
	count(to);
	return syscall(SYS_renameat2, from, old, to, new, 0);
}

int
unlinkat(int dir, const char *name, int flags)
{
	count(dir);
	return syscall(SYS_unlinkat, dir, name, flags);
}

ssize_t
write(int fd, const void *bytes, size_t n)
{
	if (n > 50000)
		count(fd);
	return syscall(SYS_write, fd, bytes, n);
}

int
futimens(int fd, const struct timespec times[2])
{
	count(fd);
	return syscall(SYS_utimensat, fd, NULL, times, 0);
}

int
close(int fd)
{
	char		link[30];
	char		path[4096] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (access(getenv("UNCLOSED"), F_OK) == 0 && readlink(link, path, sizeof(path) - 1) > 0 &&
		strstr(path, "/.sitemap_export.tmp"))
	{
		syscall(SYS_close, fd);
		errno = EIO;
		return -1;
	}
	return syscall(SYS_close, fd);
}

int
fsync(int fd)
{
	struct stat failing;
	struct stat file;

	if (stat(getenv("FAILING"), &failing) == 0 && fstat(fd, &file) == 0 &&
		failing.st_dev == file.st_dev && failing.st_ino == file.st_ino)
	{
		errno = EIO;
		return -1;
	}
	return syscall(SYS_fsync, fd);
}
});
}

sub make_fifo
{
	return POSIX::mkfifo(shift, 0644) || die $!;
}

# The site with a file of 1.5 MB, which comes first.
sub with_large_file
{
	return "SELECT 'large.txt' AS name, 'text' AS kind, decode(repeat('00', 1500000), 'hex') AS content, '' AS digest"
	  . " UNION ALL ($site)";
}

# Begin with an empty directory.
sub fresh_directory
{
	$dir = "$root/" . ++$ndirectories;
	mkdir $dir or die "$dir: $!";
	return $dir;
}

# Begin with an empty directory and the original site.
sub begin_with_site
{
	sql('TRUNCATE site; INSERT INTO site TABLE original');
	fresh_directory();
	return;
}

# Begin with an export of it.
sub begin_with_export
{
	begin_with_site();
	done_is(all_files('created'), 'an export');
	return;
}

sub export_statement
{
	my ($query, $base_url) = @_;
	my $arguments = "'$dir', \$query\$$query\$query\$" . (defined $base_url ? ", $base_url" : '');

	return "SELECT concat_ws(' ', name, action, byte_count) FROM sitemap_export($arguments);";
}

# Run psql: its status, what it prints, and the errors without their places.
sub psql
{
	my ($statements) = @_;
	my ($status, $output, $errors) =
	  $node->psql('postgres', $statements, extra_params => [ '-v', 'VERBOSITY=verbose' ]);

	$errors =~ s/^psql:.*?: (?=[A-Z])//gm;
	return ($status, $output, $errors);
}

# Export a query: a line of name, action and size for each file; and the warnings.
sub export
{
	my ($query, $setting, $base_url) = @_;
	my ($status, $output, $errors) = psql(($setting // '') . ';' . export_statement($query, $base_url));

	die $errors if $status != 0;
	return wantarray ? ($output, $errors) : $output;
}

# Export the site, without a warning: what is done with each file.
sub done_is
{
	my ($expected, $name, $setting) = @_;
	my ($output, $errors) = export($site, $setting);

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(join(', ', split /\n/, $output =~ s/ \d+$//gmr) . $errors, $expected, $name);
	return;
}

sub all_files
{
	my ($action) = @_;

	return join ', ', map { "$_ $action" } @names;
}

# Exporting a query fails with this error.
sub fails
{
	my ($query, $error, $name, $setting, $base_url) = @_;
	my ($status, $output, $errors) = psql(($setting // '') . ';' . export_statement($query, $base_url));

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	like($errors, qr/^ERROR:  $error/, $name);
	return;
}

# The bytes of a query's files.
sub content_of
{
	my ($query) = @_;
	my $rows = sql(qq{
		SELECT name, translate(encode(content, 'base64'), E'\\n', '')
		  FROM ($query) query});

	return map { my ($name, $content) = split /\|/; ($name => decode_base64($content // '')) }
	  split /\n/, $rows;
}

# The files of the directory.
sub files
{
	opendir(my $handle, $dir) or die "$dir: $!";
	my @files = sort grep { !/^\.\.?$/ } readdir $handle;
	closedir $handle;
	return @files;
}

# Beside the manifest and the lock, the directory has these files and nothing else.
sub same_files
{
	my ($expected, $name) = @_;
	my %actual = map { ($_ => slurp($_)) } grep { $_ ne $manifest && $_ ne $lock } files();
	my $brief = sub { return { map { ($_ => length($_[0]{$_}) . ' ' . md5_hex($_[0]{$_})) } keys %{ $_[0] } } };

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is_deeply($brief->(\%actual), $brief->($expected), $name);
	return;
}

# Tells a file from one that was written anew; empty if there is none.
sub identity
{
	my ($name) = @_;
	my @stat = Time::HiRes::stat("$dir/$name");

	# a new file can have the inode of the one before, so ctime counts, too
	return @stat ? "$stat[1] $stat[9] $stat[10]" : '';
}

sub identities
{
	return map { ($_ => identity($_)) } files();
}

sub mode
{
	my ($name) = @_;

	return S_IMODE((stat "$dir/$name")[2]);
}

sub slurp
{
	my ($name) = @_;

	return slurp_file("$dir/$name");
}

sub spew
{
	my ($name, $content) = @_;

	open(my $handle, '>:raw', "$dir/$name") or die "$dir/$name: $!";
	print $handle $content;
	close $handle or die "$dir/$name: $!";
	return;
}

# A session with a lock that others wait for to read the content of sitemap-2.xml.
sub hold
{
	my $session = Session->start($node, 'postgres');

	$session->query_safe("BEGIN; REINDEX TABLE $toast");
	return $session;
}

# A session that exports a query, and can be watched, signalled and killed.
sub begin_export
{
	my ($query) = @_;

	return Session->start($node, 'postgres')->begin(export_statement($query));
}
