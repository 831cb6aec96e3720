# examples/psql/export.sh, which mirrors a published set into a directory of a client:
# every byte, what changed and nothing else, in the memory of one file.
use Digest::MD5;
use FindBin;
use IPC::Run ();

use lib $FindBin::RealBin;
use Node;

# What the large set has in URLs, and what each process of the client may take, in kB.
my $urls = 2_500_000;
my $memory = 100_000;

my $script = "$FindBin::RealBin/../../examples/psql/export.sh";
my $list = '.sitemap_files';

foreach my $program (qw(awk base64 bash flock))
{
	plan skip_all => "there is no $program here" unless has_program($program);
}

my $node = start_node("max_wal_size = 4GB\n", allows_streaming => 1);

# The client's role may read the target, and nothing else.
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
	ALTER TABLE site_files ALTER COLUMN content SET STORAGE EXTERNAL;
	CREATE TABLE page AS SELECT n AS id, '/page/' || n AS path FROM generate_series(1, 3000) n;
	CREATE ROLE reader LOGIN;
	REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC;
	GRANT SELECT ON site_files TO reader});

local @ENV{qw(PGHOST PGPORT PGDATABASE)} = ($node->host, $node->port, 'postgres');

our $dir = PostgreSQL::Test::Utils::tempdir() . '/a directory';
our $query = 'TABLE site_files';

test_changes();
test_times();
test_errors();
test_other_programs();
test_other_users();
test_sites();
test_crashes();
test_standby();
test_memory();
$node->stop;
done_testing();

# A directory that is missing, a change, a page less.
sub test_changes
{
	publish();
	my @names = names();
	cmp_ok(scalar @names, '>', 3, 'a set of files and an index');
	is(run(), '0: ' . join('', map { "wrote $_, " } grep({ !/^sitemap\.xml/ } @names), 'sitemap.xml'),
		'the first run writes all, the index last');
	same_files('byte for byte');
	my %before = identities();
	is(run(), '0: ', 'the second writes nothing');
	is_deeply({ identities() }, \%before, 'not even the list');

	sql(q{UPDATE page SET path = '/other' WHERE id = 1500});
	publish();
	my @changed = split /\n/, sql(q{SELECT name FROM site_files WHERE kind <> 'index' AND lastmod = (SELECT max(lastmod) FROM site_files) ORDER BY name});
	like(run(), qr/^0: wrote $changed[0], (?:wrote sitemap\.xml, )?$/, 'a page has changed: its file is written');
	same_files('byte for byte');

	sql(q{DELETE FROM page WHERE id > 1000});
	publish();
	my %now = map { $_ => 1 } names();
	my @gone = grep { !$now{$_} } @names;
	cmp_ok(scalar @gone, '>', 0, 'files are gone');
	append_to_file("$dir/mine.xml", 'foreign');
	like(run(), qr/^0: (?:wrote \S+, )+@{[ join '', map { "removed $_, " } @gone ]}$/, 'they are removed, last');
	is(slurp_file("$dir/mine.xml"), 'foreign', 'a file of somebody else stays');
	unlink "$dir/mine.xml" or die $!;
	same_files('byte for byte');

	unlink "$dir/sitemap.xml" or die $!;
	is(run(), '0: wrote sitemap.xml, ', 'a file that was lost is written again');
	return;
}

# A file's time is its lastmod, unless a cache would take it for the old file.
sub test_times
{
	my $mtime = sub { return (stat "$dir/sitemap.xml")[9] };
	my $set = sub {
		my ($content, $lastmod) = @_;
		sql("UPDATE site_files SET content = '$content', digest = md5('$content'), lastmod = $lastmod WHERE kind = 'index'");
		like(run(), qr/^0: wrote sitemap\.xml, $/, "an index with lastmod $lastmod");
	};
	my $begin = time;

	is($mtime->(), sql(q{SELECT floor(extract(epoch FROM lastmod)) FROM site_files WHERE kind = 'index'}),
		'the time of a file is lastmod');
	$set->('a', q{'2030-01-01 00:00:01.9+00'});
	is($mtime->(), 1893456001, 'in whole seconds');
	utime 1, 1, "$dir/sitemap.xml" or die $!;
	$set->('b', q{'1970-01-01 00:00:01+00'});
	cmp_ok($mtime->(), '>=', $begin, 'unless it is not later than that of the old file');
	foreach my $lastmod ('NULL', q{'infinity'}, q{'-infinity'}, q{'1969-01-01'}, q{'2300-01-01'})
	{
		utime 1, 1, "$dir/sitemap.xml" or die $!;
		$set->("c $lastmod" =~ s/'//gr, $lastmod);
		cmp_ok($mtime->(), '>=', $begin, 'now');
	}
	$set->('d', 'now()');
	return;
}

# Nothing is lost by an error.
sub test_errors
{
	my %before = identities();

	foreach (
		[ 'TABLE nothing', qr/relation "nothing" does not exist/ ],
		[ 'TABLE site_files LIMIT 0', qr/the query has no files/ ],
		(map { [ "SELECT E'$_' AS name, kind, digest, lastmod, content FROM site_files", qr/invalid file name/ ] }
			'../x.xml', '.htaccess', 'a.php', '', 'a\tb', 'a\\\\b'),
		# the contents come, but not all
		[ q{SELECT name, kind, digest || 'x' AS digest, lastmod, CASE WHEN pg_backend_pid() % 1 = 0 THEN decode(repeat('x', 3), 'hex') END AS content FROM site_files}, qr/invalid hexadecimal/ ],
		# they are other ones each time
		[ q{SELECT name, kind, random()::text AS digest, lastmod, content FROM site_files}, qr/change faster/ ])
	{
		my ($wrong, $error) = @$_;
		local $query = $wrong;
		my ($result, $errors) = run();

		like($errors, $error, $wrong);
		like($result, qr/^[13]: $/, 'is an error');
	}
	sql(q{INSERT INTO site_files (base_url, name, kind, loc) VALUES ('https://www.example.com/', 'blog', 'urlset', 'https://www.example.com/blog.xml')});
	is(run(), '0: ', q{a sitemap of another program is left alone});
	sql(q{DELETE FROM site_files WHERE name = 'blog'});
	is_deeply({ identities() }, \%before, 'nothing has changed');

	# one run at a time
	open(my $lock, '<', $dir) or die $!;
	flock $lock, 2 or die $!;
	like((run())[1], qr/another run writes/, 'a second run at a time is refused');
	close $lock;
	return;
}

# Only files that the list names are replaced or removed.
sub test_other_programs
{
	my %mine = contents();
	local $dir = PostgreSQL::Test::Utils::tempdir();

	append_to_file("$dir/sitemap.xml", 'foreign');
	foreach my $time ('first', 'second')
	{
		my ($result, $errors) = run();

		is($result, '1: ', "the $time run is refused beside a sitemap.xml of another program");
		like($errors, qr{\Q$dir/sitemap.xml\E is not in the list .*: rename it}, 'and says what to do');
		is_deeply([files()], ['sitemap.xml'], 'nothing is written');
		is(slurp_file("$dir/sitemap.xml"), 'foreign', 'nor replaced');
	}
	rename "$dir/sitemap.xml", "$dir/old.xml" or die $!;
	like(run(), qr/^0: (?:wrote \S+, )+$/, 'the old file has another name');
	$mine{'old.xml'} = 'foreign';
	is_deeply({ map { $_ => slurp_file("$dir/$_") } files() }, \%mine, 'and stays');

	symlink '/nonexistent', "$dir/link.xml" or die $!;
	my $new = q{SELECT 'link.xml' AS name, 'urlset' AS kind, 'd' AS digest, NULL::timestamptz AS lastmod, '\x00'::bytea AS content};
	local $query = "SELECT name, kind, digest, lastmod, content FROM site_files UNION ALL $new";
	is(run(), '1: ', 'a link of another program is not replaced');
	unlink "$dir/link.xml" or die $!;

	# a list that names files outside of the directory
	my $outside = "$dir/../outside-$$.xml";
	append_to_file($outside, 'precious');
	append_to_file("$dir/$list", "../outside-$$.xml\td\n");
	is(run(), '1: ', 'a list with a path');
	is(slurp_file($outside), 'precious', 'removes nothing outside');
	unlink $outside or die $!;
	return;
}

# Another user could lead the script to any file of ours by a link.
sub test_other_users
{
	my $precious = PostgreSQL::Test::Utils::tempdir() . '/precious';
	my $refused = sub {
		my ($error, $name) = @_;
		my ($result, $errors) = run();

		is($result, '1: ', $name);
		like($errors, $error, 'and why');
		return;
	};

	append_to_file($precious, 'precious');
	foreach my $file ('', '.lock', '.new', '.tmp')
	{
		local $dir = PostgreSQL::Test::Utils::tempdir();

		symlink $precious, "$dir/$list$file" or die $!;
		$file eq '' ? $refused->(qr/is not a file of this user/, 'a list that is a link') : run();
		is(slurp_file($precious), 'precious', "a link $list$file is not followed");
	}
	{
		local $dir = PostgreSQL::Test::Utils::tempdir();

		chmod 0777, $dir or die $!;
		$refused->(qr/belongs to another user/, 'a directory to which every user can write');
		is_deeply([files()], [], 'has nothing new');
	}
  SKIP:
	{
		skip 'root owns all directories', 2 if $> == 0;
		local $dir = '/';
		$refused->(qr/belongs to another user/, 'a directory of root');
	}
	return;
}

# The directory belongs to one site.
sub test_sites
{
	sql(q{SELECT FROM sitemap_publish('site_files', 'SELECT ''/x'' AS loc', 'https://shop.example.com/')});
	my ($result, $errors) = run();
	is($result, '1: ', 'two sites in the query');
	like($errors, qr/two files of the name \S+\.xml\S*: select those of one base_url/, 'are refused');
	{
		local $query = q{SELECT * FROM site_files WHERE base_url = 'https://www.example.com/'};
		is(run(), '0: ', 'one site of a table of two');
	}
	sql(q{DELETE FROM site_files WHERE base_url = 'https://shop.example.com/'});
	return;
}

# Runs that are killed anywhere; the last one completes the work.
sub test_crashes
{
	my $bin = PostgreSQL::Test::Utils::tempdir();
	my $count = "$bin/count";
	my $mv = has_program('mv');
	my $killed = 0;

	# mv that kills the script before or after its work
	append_to_file("$bin/mv", qq{#!/bin/sh
n=\$((\$(cat "$count") - 2))
echo \$n >"$count"
[ \$n != -1 ] || { kill -9 \$PPID; exit; }
$mv "\$@"
[ \$n != 0 ] || kill -9 \$PPID
});
	chmod 0755, "$bin/mv" or die $!;
	for (my $n = 1; ; $n++)
	{
		# from one version to another, and back
		my @versions = map { sql("UPDATE page SET path = '/$_/' || id"); publish(); +{ contents() } } 'a', 'b';
		my $unchanged = run();
		sql(q{UPDATE page SET path = '/c/' || id});
		publish();
		push @versions, {contents()};
		{
			local $ENV{PATH} = "$bin:$ENV{PATH}";
			unlink $count;
			append_to_file($count, $n);
			$killed = run() !~ /^0: /;
		}
		is( join(' ', grep { my $name = $_; my $has = slurp_file("$dir/$name"); !grep { ($_->{$name} // '') eq $has } @versions } files()),
			'', "killed at $n: each file is whole, old or new");
		if ($n % 2)
		{
			sql(q{UPDATE page SET path = '/b/' || id});
			publish();
		}
		like(run(), qr/^0: /, 'the next run');
		same_files('completes the work');
		if (!$killed)
		{
			cmp_ok($n, '>', 6, "there are $n places");
			last;
		}
	}
	return;
}

# A standby takes no temporary tables.
sub test_standby
{
	$node->backup('backup');
	my $standby = PostgreSQL::Test::Cluster->new('standby');
	$standby->init_from_backup($node, 'backup', has_streaming => 1);
	$standby->start;
	local $dir = PostgreSQL::Test::Utils::tempdir();

	sql(q{UPDATE page SET path = '/standby/' || id});
	publish();
	$node->wait_for_catchup($standby);
	{
		local @ENV{qw(PGHOST PGPORT)} = ($standby->host, $standby->port);
		like(run(), qr/^0: wrote /, 'a standby');
		same_files('has all files');
	}
	my %time = map { $_ => (stat "$dir/$_")[9] } files();
	$dir = PostgreSQL::Test::Utils::tempdir();
	run();
	is_deeply({ map { $_ => (stat "$dir/$_")[9] } files() }, \%time, 'with the same times');
	$standby->stop;
	return;
}

# Millions of URLs, of which the client never has more than a file.
sub test_memory
{
	foreach my $case ('gzipped', 'plain', 'text')
	{
		my $compression = $case eq 'gzipped' ? 6 : 0;
		my $format = $case eq 'text' ? 'txt' : 'xml';
		my ($count, $bytes) = split /\|/, sql(qq{
			TRUNCATE site_files;
			SELECT count(*) FROM sitemap_publish('site_files',
			  'SELECT ''/category/item-'' || n || ''?x=1&y=2'' AS loc FROM (SELECT generate_series(1, $urls) AS n) s',
			  'https://www.example.com/', compression => $compression, format => '$format');
			SELECT count(*), sum(byte_count) FROM site_files}) =~ s/.*\n//r;

		$dir = PostgreSQL::Test::Utils::tempdir();
		like(run('bash', '-c', "ulimit -v $memory; exec \"\$@\"", '-'),
			qr/^0: wrote /, "$case: a set of $count files and $bytes bytes, with $memory kB");
		cmp_ok($bytes, '>', $memory * 1024, "$case: which is more than the client may take");
		my $expected = sql(q{SELECT string_agg(name || ' ' || md5(content), E'\n' ORDER BY name COLLATE "C") FROM site_files});
		is(join("\n", map { "$_ " . md5("$dir/$_") } files()), $expected, "$case: byte for byte, and nothing else");
	}
	return;
}

sub publish
{
	sql(q{SELECT FROM sitemap_publish('site_files', 'SELECT path AS loc FROM page ORDER BY id',
	                                  'https://www.example.com/', max_urls => 1000, max_shrink => 1)});
	return;
}

# Run the script, by another program if one is given: its exit status and what it says,
# and its errors.
sub run
{
	my (@by) = @_;
	my ($stdout, $stderr);
	local $ENV{PGUSER} = 'reader';

	IPC::Run::run([ @by, $script, $query, $dir ],
		'>', \$stdout, '2>', \$stderr, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	my $result = (($? & 127) || $? >> 8) . ': ' . $stdout =~ s/\n/, /gr;
	note($stderr) if $stderr;
	return wantarray ? ($result, $stderr) : $result;
}

# The files of the set, the index last as the script has it.
sub names
{
	return split /\n/, sql(q{SELECT name FROM site_files ORDER BY kind = 'index', name COLLATE "C"});
}

sub contents
{
	return map { my ($name, $hex) = split /\|/; ($name => pack('H*', $hex)) }
	  split /\n/, sql(q{SELECT name, encode(content, 'hex') FROM site_files});
}

# The files of the directory, without those of the script.
sub files
{
	opendir(my $handle, $dir) or die "$dir: $!";
	return sort grep { !/^\.(?:\.?|sitemap_files(?:\.\w+)?)$/ } readdir $handle;
}

sub same_files
{
	my ($name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is_deeply({ map { $_ => slurp_file("$dir/$_") } files() }, {contents()}, $name);
	return;
}

sub identities
{
	return map { my @stat = stat "$dir/$_"; ($_ => "$stat[1] $stat[9]") } files(), $list;
}

sub md5
{
	my ($path) = @_;

	open(my $file, '<:raw', $path) or die "$path: $!";
	return Digest::MD5->new->addfile($file)->hexdigest;
}
