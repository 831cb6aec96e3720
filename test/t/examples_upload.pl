# examples/s3/upload.sh: what changed goes into a bucket, the index last, and what is
# gone is removed.
#
# Where the AWS command line and moto_server are, an S3 server takes the files.  In any
# case they go to a program that stands for the command line, and writes down what it is
# asked for.
use FindBin;
use HTTP::Tiny;
use IO::Socket::INET;
use IPC::Run ();

use lib $FindBin::RealBin;
use Node;

my $timeout = $PostgreSQL::Test::Utils::timeout_default;
my $script = "$FindBin::RealBin/../../examples/s3/upload.sh";
my $folder = PostgreSQL::Test::Utils::tempdir();

foreach my $program (qw(base64 bash))
{
	plan skip_all => "$program is not here" unless has_program($program);
}

my $node = start_node();

# A role with the rights that the script takes, and names that take quotes.
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE "the files" OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE "the uploaded" (name text PRIMARY KEY, digest text NOT NULL);
	CREATE TABLE page (id int PRIMARY KEY, path text);
	INSERT INTO page SELECT n, '/page/' || n FROM generate_series(1, 3000) n;
	CREATE ROLE uploader LOGIN;
	GRANT SELECT ON "the files" TO uploader;
	GRANT SELECT, INSERT, UPDATE, DELETE ON "the uploaded" TO uploader});

check_with_stub();
check_with_server();
$node->stop;
done_testing();

# Publish all pages, gzipped, and some as a plain text in another section.
sub publish
{
	sql(q{
		SELECT sitemap_publish('"the files"', 'SELECT path AS loc FROM page ORDER BY id',
		                       'https://www.example.com/', max_urls => 1000, max_shrink => 1);
		SELECT sitemap_publish('"the files"', 'SELECT path AS loc FROM page WHERE id < 10 ORDER BY id',
		                       'https://www.example.com/', section => 'plain', format => 'txt', compression => 0)});
	return;
}

# The script's exit status and what it says.
sub upload
{
	my ($bucket) = @_;
	my ($stdout, $stderr);
	local @ENV{qw(PGHOST PGPORT PGDATABASE PGUSER)} =
	  ($node->host, $node->port, 'postgres', 'uploader');

	IPC::Run::run([ $script, 'the files', 'the uploaded', $bucket ],
		'>', \$stdout, '2>', \$stderr, IPC::Run::timeout($timeout));
	my $status = $? & 127 || $? >> 8;
	note($stderr) if $stderr;
	return "$status: " . $stdout =~ s/\n/, /gr;
}

# The files of the table: their bytes by name.
sub in_table
{
	return {
		map { my ($name, $hex) = split /\|/; ($name => pack('H*', $hex)) }
		  split /\n/,
		sql(q{SELECT name, encode(content, 'hex') FROM "the files"})
	};
}

# From nothing to a set, through changes, failures and removals.  $read returns what the
# bucket has: bytes by name.
sub check_bucket
{
	my ($title, $bucket, $read) = @_;

	sql(q{TRUNCATE "the files", "the uploaded", page;
		  INSERT INTO page SELECT n, '/page/' || n FROM generate_series(1, 3000) n});
	publish();
	my @parts = sort grep { /\.gz$/ } keys %{ in_table() };
	is( upload($bucket),
		'0: ' . join('', map { "uploaded $_, " } @parts, 'plain-51d8e999.txt', 'sitemap.xml'),
		"$title: everything is uploaded, the index last");
	is_deeply($read->(), in_table(), "$title: the bucket has what the table has");
	is(upload($bucket), '0: ', "$title: nothing has changed");

	# One part, and the index unless all is in one second.
	my $before = in_table();
	sql(q{UPDATE page SET path = '/other' WHERE id = 1500});
	publish();
	my $after = in_table();
	my @changed = grep { $before->{$_} ne $after->{$_} } @parts, 'sitemap.xml';
	is(upload($bucket), '0: ' . join('', map { "uploaded $_, " } @changed), "$title: a page has changed");
	is_deeply($read->(), $after, "$title: and is in the bucket");

	# Pages go, and with them parts: those are removed when the index does not list them.
	sql(q{DELETE FROM page WHERE id > 500});
	publish();
	my ($left, @more) = grep { in_table()->{$_} } @parts;
	my @gone = grep { !in_table()->{$_} } @parts;
	is("@more", '', "$title: one part is left");
	is( upload($bucket),
		'0: ' . join('', "uploaded $left, uploaded sitemap.xml, ", map { "removed $_, " } sort @gone),
		"$title: what is gone goes last");
	is_deeply($read->(), in_table(), "$title: and they are removed");
	return;
}

# A program "aws" that copies files into a folder and writes down what it is asked for.
# While there is a file "broken", every other call fails.  A file "killed" says after
# every how many calls the caller is killed.
sub check_with_stub
{
	my $bucket = "$folder/bucket";
	my $log = "$folder/log";
	my $read = sub {
		opendir my $handle, $bucket or die $!;
		return { map { $_ => slurp_file("$bucket/$_") } grep { !/^\./ } readdir $handle };
	};
	local $ENV{PATH} = "$folder/bin:$ENV{PATH}";

	mkdir $_ or die "$_: $!" foreach "$folder/bin", $bucket;
	append_to_file($log, '');
	append_to_file(
		"$folder/bin/aws", qq{#!/bin/bash
echo "\$*" >>"$log"
[ ! -e "$folder/broken" ] || [ \$((\$(wc -l <"$log") % 2)) = 1 ] || exit 1
[ "\$1" = s3 ] || shift 2
case "\$2" in
	cp) cp "\$4"* "$bucket" ;;
	rm) rm -f "$bucket/\${3##*/}" ;;
esac
[ ! -e "$folder/killed" ] || [ \$((\$(wc -l <"$log") % \$(cat "$folder/killed"))) != 0 ] || kill -9 \$PPID
});
	chmod 0755, "$folder/bin/aws" or die $!;

	check_bucket('stub', 's3://site/', $read);
	my $calls = slurp_file($log);
	like($calls, qr{^s3 cp --recursive \S+/files/ s3://site/ --cache-control max-age=600 --content-type text/plain; charset=utf-8 --only-show-errors$}m,
		'stub: the call for texts');
	like($calls, qr{^s3 cp --recursive \S+/files/ s3://site/ --cache-control max-age=600 --content-type application/xml --content-encoding gzip --only-show-errors$}m,
		'stub: the call for gzipped parts');
	like($calls, qr{^s3 cp --recursive \S+/files/ s3://site/ --cache-control max-age=600 --content-type application/xml --only-show-errors$}m,
		'stub: the call for the index');
	like($calls, qr{^s3 rm s3://site/sitemap-\w+\.xml\.gz --only-show-errors$}m, 'stub: the call for what is gone');

	# Each run gets a little further, and an index never lists what is not there.
	sql(q{INSERT INTO page SELECT n, '/more/' || n FROM generate_series(501, 4000) n});
	publish();
	append_to_file("$folder/broken", '');
	my $runs = 0;
	until (upload('s3://site') =~ /^0:/ || $runs++ > 20)
	{
		my $now = $read->();
		my @listed = $now->{'sitemap.xml'} =~ m{<loc>https://www\.example\.com/([^<]*)</loc>}g;

		is(scalar(grep { !exists $now->{$_} } @listed), 0, 'stub: after a failure the index lists what is there');
	}
	cmp_ok($runs, '>', 0, 'stub: calls have failed');
	is_deeply($read->(), in_table(), 'stub: in the end the bucket has what the table has');
	unlink "$folder/broken" or die $!;

	# A run that is killed after each object, and another table between: what a bucket
	# has is known.  With batches of a file each, the next run goes on.
	local $ENV{BATCH_MB} = 0;
	my @version;
	foreach my $version ('a', 'b')
	{
		sql("UPDATE page SET path = '/$version/' || id");
		publish();
		push @version, in_table();
		sql('CREATE TABLE first AS TABLE "the files"') if $version eq 'a';
		append_to_file("$folder/killed", '1') if $version eq 'b';
		is(upload('s3://site') =~ s/:.*//r, $version eq 'a' ? 0 : 9, "stub: version $version");
	}
	unlink "$folder/killed" or die $!;
	my $now = $read->();
	my @written = grep { $now->{$_} ne ($version[0]{$_} // '') } keys %$now;
	is(scalar @written, 1, 'stub: killed after the first object');
	sql('BEGIN; TRUNCATE "the files"; INSERT INTO "the files" TABLE first; DROP TABLE first; COMMIT');
	like(upload('s3://site'), qr/^0: (?:uploaded|removed) $written[0], $/, 'stub: which is put right');
	is_deeply($read->(), $version[0], 'stub: the bucket has what the table has');
	publish();
	append_to_file("$folder/killed", '2');
	my @results;
	push @results, upload('s3://site') until @results && $results[-1] eq '0: ' || @results > 50;
	unlink "$folder/killed" or die $!;
	is($results[-1], '0: ', 'stub: each run that is killed gets further');
	cmp_ok(scalar(grep { /^9/ } @results), '>', 1, 'stub: by a file');
	is_deeply($read->(), in_table(), 'stub: and the bucket has what the table has');

	# Another store.  No table, nothing uploaded.
	local $ENV{S3_ENDPOINT} = 'http://store.example';
	sql(q{UPDATE page SET path = '/another' WHERE id = 1});
	publish();
	like(upload('s3://site'), qr/^0: uploaded /, 'stub: another store');
	like(slurp_file($log), qr{^--endpoint-url http://store\.example s3 cp }m, 'stub: is named');
	sql('ALTER TABLE "the files" RENAME TO away');
	is(upload('s3://site'), '3: ', 'stub: an error of psql is an error');
	sql('ALTER TABLE away RENAME TO "the files"');
	return;
}

# The AWS command line and an S3 server, as HTTP clients see it.
sub check_with_server
{
  SKIP:
	{
		skip 'aws or moto_server is not here', 1 unless has_program('aws') && has_program('moto_server');
		my $port = PostgreSQL::Test::Cluster::get_free_port();
		my $http = HTTP::Tiny->new(proxy => undef, http_proxy => undef);
		my $url = "http://127.0.0.1:$port";
		local @ENV{qw(AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_DEFAULT_REGION)} =
		  qw(key secret us-east-1);
		local $ENV{S3_ENDPOINT} = $url;
		local $ENV{HOME} = $folder;
		my $server = IPC::Run::start(
			[ 'moto_server', '-H', '127.0.0.1', '-p', $port ],
			'<', \undef, '>', "$PostgreSQL::Test::Utils::log_path/examples_upload_moto_server.log", '2>&1');

		wait_until(sub { IO::Socket::INET->new("127.0.0.1:$port") }, 'moto_server');
		my $policy = q({"Statement": [{"Effect": "Allow", "Principal": "*", "Action": ["s3:GetObject", "s3:ListBucket"],)
		  . q( "Resource": ["arn:aws:s3:::site", "arn:aws:s3:::site/*"]}]});
		is($http->put("$url/site")->{status}, 200, 'server: a bucket');
		like($http->put("$url/site?policy", { content => $policy })->{status}, qr/^2/, 'server: that everybody can read');
		my $read = sub {
			my @names = $http->get("$url/site?list-type=2")->{content} =~ m{<Key>([^<]*)</Key>}g;

			return { map { $_ => $http->get("$url/site/$_")->{content} } @names };
		};
		check_bucket('server', 's3://site', $read);
		my $headers = $http->get("$url/site/sitemap-51d8e999.xml.gz")->{headers};
		is("@{$headers}{qw(content-type content-encoding cache-control)}", 'application/xml gzip max-age=600', 'server: a gzipped part');
		is($http->get("$url/site/sitemap.xml")->{headers}{'content-type'}, 'application/xml', 'server: the index');
		$server->signal('TERM');
		$server->finish;
	}
	return;
}
