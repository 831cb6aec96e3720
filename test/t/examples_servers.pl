# The programs in examples/: each serves a table of sitemap files, to curl.
use strict;
use warnings;

use FindBin;
use IO::Socket::INET;
use IO::Uncompress::Gunzip qw(gunzip);
use IPC::Run ();
use MIME::Base64 qw(decode_base64);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $timeout = $PostgreSQL::Test::Utils::timeout_default;
my @takes_gzip = ('-H', 'Accept-Encoding: gzip');

# Where a runtime may be, how to ask whether its driver is there too, and how much memory
# a file of 50 MB may take: V8 waits with what is outside of its heap.
my @programs = (
	{
		name => 'node',
		file => 'server.js',
		runtimes => ['node'],
		question => [ '-e', q{require('pg')} ],
		needs => 'node and its package pg',
		memory => 100_000_000,
	},
	{
		name => 'python',
		file => 'server.py',
		runtimes => [ 'python3', '/usr/bin/python3' ],
		question => [ '-c', 'import psycopg' ],
		needs => 'python3 and its package psycopg',
		memory => 40_000_000,
	},);

plan skip_all => 'curl is not here' unless runs(undef, 'curl', '--version');

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->append_conf('postgresql.conf', "fsync = off\nlog_statement = 'all'\n");
$node->start;

# The programs take the right to read the table, and no particular settings.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sitemap;
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
	ALTER TABLE site_files ALTER COLUMN content SET STORAGE EXTERNAL;
	CREATE SCHEMA "The Site";
	CREATE TABLE "The Site"."""files""" OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE ROLE web LOGIN;
	GRANT USAGE ON SCHEMA "The Site" TO web;
	CREATE TABLE tenant_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE INDEX ON tenant_files (base_url text_pattern_ops);
	GRANT SELECT ON site_files, "The Site"."""files""", tenant_files TO web;
	ALTER ROLE web SET DateStyle = 'German';
	ALTER ROLE web SET TimeZone = 'Asia/Kolkata';
	ALTER ROLE web SET bytea_output = 'escape'});

# The program under test: its harness and timer, what it has printed, the URL it is at.
my ($program, $timer, $output, $base);

foreach (@programs)
{
	my ($name, $question) = @{$_}{qw(name question)};
	my $folder = "$FindBin::RealBin/../../examples/$name";
	my ($runtime) = grep { runs($folder, $_, @$question) } @{ $_->{runtimes} };

  SKIP:
	{
		skip "$name: $_->{needs} are not here", 1 unless defined $runtime;
		my $command = [ $runtime, "$folder/$_->{file}" ];
		my $port = PostgreSQL::Test::Cluster::get_free_port();

		$base = "http://127.0.0.1:$port";
		start($name, $command, PORT => $port);
		is($output, "listening on $base/\n", "$name says where it listens");
		publish(1500);
		check_files($name);
		check_conditions($name);
		check_refusals($name);
		check_outage($name);
		check_download($name, $_->{memory});

		# Another table, a port of its own choice.
		start($name, $command, PORT => 0, SITEMAP_TABLE => 'The Site."files"');
		($base) = $output =~ m{^listening on (http://127\.0\.0\.1:[1-9]\d*)/$};
		is( fetch('/robots.txt')->{body},
			"User-agent: *\nDisallow:\n\n",
			"$name: robots.txt of an empty table");
		$node->safe_psql('postgres',
			q{INSERT INTO "The Site"."""files""" SELECT * FROM site_files WHERE name = 'plain.txt'}
		);
		is(fetch('/plain.txt', '-H', "Host: 127.0.0.1:$port")->{status},
			200, "$name: a table with a name that takes quotes");
		stop($name);

		# The sites of many tenants.
		start($name, $command, PORT => 0, SITEMAP_TABLE => 'tenant_files');
		($base) = $output =~ m{^listening on (http://127\.0\.0\.1:[1-9]\d*)/$};
		check_tenants($name);
		check_proxy($name);
		stop($name);
		$node->safe_psql('postgres', 'TRUNCATE "The Site"."""files"""');
	}
}

$node->stop;
done_testing();

END
{
	local $?;
	$program->kill_kill if $program;
}

# Does a command succeed, in that folder?
sub runs
{
	my ($folder, @command) = @_;

	return eval {
		IPC::Run::run(\@command, '<', \undef, '>', \my $stdout, '2>&1',
			init => sub { !defined $folder or chdir $folder or die "$folder: $!" });
	};
}

# Start the program with these environment variables, and wait for its line.
sub start
{
	my ($name, $command, %environment) = @_;
	local %ENV = (
		%ENV, %environment,
		PGHOST => $node->host,
		PGPORT => $node->port,
		PGDATABASE => 'postgres',
		PGUSER => 'web');

	$output = '';
	$timer = IPC::Run::timeout($timeout);
	$program = IPC::Run::start($command, '<', \undef, '>', \$output, '2>>',
		"$PostgreSQL::Test::Utils::log_path/examples_servers_$name.log", $timer);
	$program->pump until $output =~ /\n/;
	return;
}

# SIGTERM ends it.
sub stop
{
	my ($name) = @_;

	$program->signal('TERM');
	finish($name);
	return;
}

# It ends as it should.
sub finish
{
	my ($name) = @_;

	$timer->start;
	$program->finish;
	is($program->full_result(0), 0, "$name: SIGTERM ends it, with exit status 0");
	like($output, qr/^.*\n\z/, "$name: it has printed one line");
	undef $program;
	return;
}

# Fill the table: a published set of so many pages, with times that are known; and a text file
# and a plain sitemap that are in no index.
sub publish
{
	my ($pages) = @_;

	$node->safe_psql(
		'postgres', qq{
		BEGIN;
		DELETE FROM site_files;
		SELECT *
		  FROM sitemap_publish('site_files', 'SELECT ''/page/'' || n AS loc FROM generate_series(1, $pages) n ORDER BY n',
		                       '$base/maps/', max_urls => 1000, split => 'full');
		UPDATE site_files SET lastmod = '2026-03-01 09:55+00';
		INSERT INTO site_files
		SELECT * FROM sitemap_files('SELECT ''/'' AS loc', '$base/', section => 'plain', format => 'txt');
		INSERT INTO site_files
		SELECT * FROM sitemap_files('SELECT ''/'' AS loc', '$base/a%20b/', section => 'plain');
		COMMIT});
	return;
}

# From robots.txt to every file.
sub check_files
{
	my ($name) = @_;
	my $answer = fetch('/robots.txt');

	is($answer->{status}, 200, "$name: robots.txt");
	is($answer->{'content-type'}, 'text/plain; charset=utf-8', "$name: is a text");
	is( $answer->{body},
		"User-agent: *\nDisallow:\n\nSitemap: $base/maps/sitemap.xml\n",
		"$name: that names the index");
	my ($url) = $answer->{body} =~ /^Sitemap: (.*)$/m;
	my @listed = fetch($url)->{body} =~ m{<loc>([^<]*)</loc>}g;
	is_deeply(
		\@listed,
		[ map { "$base/maps/sitemap-$_.xml.gz" } 1, 2 ],
		"$name: the index lists its sitemaps");

	foreach my $url ($url, @listed, "$base/plain.txt", "$base/a%20b/plain.xml")
	{
		my ($file) = $url =~ m{([^/]*)$};
		my ($etag, $content) = split /\|/, $node->safe_psql(
			'postgres', qq{
			SELECT '"' || digest || '"', translate(encode(content, 'base64'), E'\\n', '')
			  FROM site_files
			 WHERE loc = '$url'});
		my $document = $content = decode_base64($content);
		my $is_gzip = $file =~ /\.gz$/;
		gunzip(\$content, \$document) if $is_gzip;

		$answer = fetch($url, @takes_gzip);
		is($answer->{status}, 200, "$name: $file");
		ok($answer->{body} eq $content, "$name: $file has the bytes of the table");
		is($answer->{'content-length'}, length $content, "$name: $file, Content-Length");
		is( $answer->{'content-type'},
			$file =~ /\.txt$/ ? 'text/plain; charset=utf-8' : 'application/xml',
			"$name: $file, Content-Type");
		is( $answer->{'content-encoding'},
			$is_gzip ? 'gzip' : undef,
			"$name: $file, Content-Encoding");
		is($answer->{etag}, $etag, "$name: $file, ETag");
		is($answer->{'cache-control'}, 'max-age=600', "$name: $file, Cache-Control");
		is($answer->{'x-robots-tag'}, 'noindex', "$name: $file, X-Robots-Tag");
		is($answer->{vary}, $is_gzip ? 'Accept-Encoding' : undef, "$name: $file, Vary");
		check_head($name, $url, $answer, @takes_gzip);

		# A client that does not take gzip.
		$answer = fetch($url);
		ok($answer->{body} eq $document, "$name: $file, decompressed");
		is($answer->{'content-length'}, length $document, "$name: $file, Content-Length then");
		is($answer->{'content-encoding'}, undef, "$name: $file, Content-Encoding then");
		is($answer->{etag}, $is_gzip ? "W/$etag" : $etag, "$name: $file, ETag then");
		check_head($name, $url, $answer);
	}
	is( fetch('/maps/sitemap-2.xml.gz')->{'last-modified'},
		'Sun, 01 Mar 2026 09:55:00 GMT',
		"$name: Last-Modified");
	is(fetch('/plain.txt')->{'last-modified'}, undef, "$name: none where it is not known");
	is(fetch('/plain.txt?a=b')->{status}, 200, "$name: a query makes no difference");

	# Without an index each file is named.
	$node->safe_psql('postgres', q{DELETE FROM site_files WHERE kind = 'index'});
	is( fetch('/robots.txt')->{body},
		"User-agent: *\nDisallow:\n\n"
		  . "Sitemap: $base/plain.txt\nSitemap: $base/a%20b/plain.xml\n"
		  . "Sitemap: $base/maps/sitemap-1.xml.gz\nSitemap: $base/maps/sitemap-2.xml.gz\n",
		"$name: robots.txt without an index");
	is(fetch('/robots.txt', '--head')->{body}, '', "$name: HEAD of it");
	publish(1500);
	return;
}

# HEAD has no body, but the same header.
sub check_head
{
	my ($name, $url, $answer, @options) = @_;
	my $head = fetch($url, '--head', @options);

	is($head->{body}, '', "$name: HEAD of $url has no body");
	delete @{$_}{qw(date body)} foreach $head, $answer;
	is_deeply($head, $answer, "$name: but the same header");
	return;
}

# Each host has its own files, all in one table.
sub check_tenants
{
	my ($name) = @_;
	my @hosts = qw(tea.example coffee.example:8443);
	my @directories = qw(/ /en/);

	foreach my $tenant (1, 2)
	{
		$node->safe_psql(
			'postgres', qq{
			SELECT sitemap_publish('tenant_files', 'SELECT ''/$tenant-'' || n AS loc FROM generate_series(1, 30) n ORDER BY n',
			                       'https://$hosts[$tenant - 1]$directories[$tenant - 1]', max_urls => 20)});
	}
	foreach my $tenant (1, 2)
	{
		my @host = ('-H', 'Host: ' . uc $hosts[ $tenant - 1 ]);
		my $site = "https://$hosts[$tenant - 1]";
		my $directory = $directories[ $tenant - 1 ];
		my @sitemaps = fetch('/robots.txt', @host)->{body} =~ /^Sitemap: (.*)$/gm;

		is_deeply(\@sitemaps, ["$site${directory}sitemap.xml"], "$name: robots.txt of tenant $tenant");
		my @listed = fetch("${directory}sitemap.xml", @host)->{body} =~ m{<loc>([^<]*)</loc>}g;
		cmp_ok(scalar @listed, '>=', 2, "$name: the index of tenant $tenant");
		my $pages = join '', map { fetch(s/^\Q$site\E//r, @host)->{body} } @listed;
		is_deeply(
			[ sort $pages =~ m{<loc>([^<]*)</loc>}g ],
			[ sort map { "$site/$tenant-$_" } 1 .. 30 ],
			"$name: the pages of tenant $tenant");
		isnt(fetch($listed[0] =~ s/^\Q$site\E//r)->{status}, 200, "$name: of no other host");
	}
	foreach my $host ('', 'third.example', 'tea.example.evil', "tea.example'--", '%', 'x' x 5000)
	{
		is(fetch('/sitemap.xml', '-H', "Host: $host")->{status}, 404, "$name: host " . substr($host, 0, 20));
		is( fetch('/robots.txt', '-H', "Host: $host")->{body},
			"User-agent: *\nDisallow:\n\n",
			"$name: has no sitemap");
	}
	return;
}

# 304 where the client has the file, and only then.
sub check_conditions
{
	my ($name) = @_;
	my $url = '/maps/sitemap-2.xml.gz';
	my $etag = fetch($url, @takes_gzip)->{etag};
	my $other = fetch('/maps/sitemap-1.xml.gz', @takes_gzip)->{etag};
	my $log_size = -s $node->logfile;

	foreach my $tags ($etag, "W/$etag", "\"a,b\", $etag", "\"\" ,W/$etag,\"c\"", '*')
	{
		my $answer = fetch($url, @takes_gzip, '-H', "If-None-Match: $tags");

		is($answer->{status}, 304, "$name: If-None-Match: $tags");
		is(status($url, "If-None-Match: $tags"), 304, "$name: without gzip, too");
		is($answer->{etag}, $etag, "$name: has the ETag again");
		is($answer->{'cache-control'}, 'max-age=600', "$name: and Cache-Control");
	}
	is(fetch($url, '--head', '-H', "If-None-Match: $etag")->{status}, 304, "$name: HEAD as well");
	foreach my $date (
		'Sun, 01 Mar 2026 09:55:00 GMT',
		'Sun, 01 Mar 2026 09:55:01 GMT',
		'Sunday, 01-Mar-26 09:55:00 GMT')
	{
		is(status($url, "If-Modified-Since: $date"), 304, "$name: If-Modified-Since: $date");
	}

	# No content has been read for these, nor for a HEAD.
	fetch($url, '--head');
	my $log = slurp_file($node->logfile, $log_size);
	like($log, qr/octet_length\(content\)/, "$name: the database has been asked");
	unlike($log, qr/\$\d = '1048576'/, "$name: but not for the content");

	foreach my $tags ($other, $etag =~ tr/"//dr, '"*"', 'W/"*"', '"', ',', "x$etag" =~ s/"$//r)
	{
		is(status($url, "If-None-Match: $tags"), 200, "$name: If-None-Match: $tags");
	}
	is(status($url, 'If-None-Match;'), 200, "$name: an empty If-None-Match");
	is(status($url, "If-None-Match: $other", 'If-Modified-Since: Sun, 01 Mar 2026 09:55:00 GMT'),
		200, "$name: the ETag decides, not the date");
	foreach my $date (
		'Sun, 01 Mar 2026 09:54:59 GMT',
		'2027',
		'Tue, 99 Foo 2027 99:99:99 GMT',
		'Fri, 01 Jan 2027 00:00:00 +99999999999999')
	{
		is(status($url, "If-Modified-Since: $date"), 200, "$name: If-Modified-Since: $date");
	}
	is(status($url, 'If-Modified-Since;'), 200, "$name: an empty If-Modified-Since");
	is(status('/plain.txt', 'If-Modified-Since: Fri, 01 Jan 2027 00:00:00 GMT'),
		200, "$name: a file without lastmod");

	# A fraction of a second has no place in the header.
	$node->safe_psql('postgres',
		q{UPDATE site_files SET lastmod = '2026-03-01 23:59:59.9+00' WHERE name = 'plain.txt'});
	my $date = 'Sun, 01 Mar 2026 23:59:59 GMT';
	is(fetch('/plain.txt')->{'last-modified'}, $date, "$name: a fraction of a second");
	is(status('/plain.txt', "If-Modified-Since: $date"), 304, "$name: is of no account");

	# One page more changes the second file and leaves the first.
	publish(1501);
	my $answer = fetch($url, @takes_gzip, '-H', "If-None-Match: $etag");
	is($answer->{status}, 200, "$name: a file that has changed");
	isnt($answer->{etag}, $etag, "$name: has another ETag");
	gunzip(\$answer->{body}, \my $document);
	like($document, qr{<loc>$base/page/1501</loc>}, "$name: and another content");
	is(status('/maps/sitemap-1.xml.gz', "If-None-Match: $other"),
		304, "$name: a file that has not");
	return;
}

# What is not there, or not allowed, or not HTTP.
sub check_refusals
{
	my ($name) = @_;

	foreach my $path (
		qw(/ /maps /maps/ /sitemap.xml /maps/sitemap.xml.gz /maps/sitemap.xml/ /maps//sitemap.xml
		/a/../maps/sitemap.xml /MAPS/sitemap.xml /maps/sitemap.xml%00 /maps/%00sitemap.xml.gz
		/maps/sitemap.xml%0A /maps/% /maps/%zz /%FF%FE /maps/%27%20OR%20true-- /maps/..%2f..%2fetc%2fpasswd),
		'/maps/' . 'x' x 10000,
		'/' x 10000)
	{
		is(fetch($path)->{status}, 404, "$name: " . substr($path, 0, 40));
	}
	foreach my $accept ('gzip;q=0', 'gzip; q=0.0, *', 'br, deflate', 'identity', ',;', '*;q=0')
	{
		is(fetch('/maps/sitemap-1.xml.gz', '-H', "Accept-Encoding: $accept")->{'content-encoding'},
			undef, "$name: Accept-Encoding: $accept");
	}
	foreach my $accept ('GZIP', 'br, gzip;q=0.5', '*', '*;q=0, gzip', 'deflate,gzip ; q=1.0')
	{
		is(fetch('/maps/sitemap-1.xml.gz', '-H', "Accept-Encoding: $accept")->{'content-encoding'},
			'gzip', "$name: Accept-Encoding: $accept");
	}
	foreach my $method (qw(POST PUT PATCH DELETE OPTIONS TRACE PROPFIND))
	{
		my $answer = fetch('/maps/sitemap.xml', '-X', $method);

		is($answer->{status}, 405, "$name: $method");
		is($answer->{allow}, 'GET, HEAD', "$name: says which methods there are");
	}
	foreach my $request (
		"GET /\0 HTTP/1.0\r\n\r\n",
		"GET /\xFF/\xE9.xml HTTP/1.0\r\n\r\n",
		"GET /maps/sitemap.xml HTTP/x\r\n\r\n",
		"\0\0\r\n\r\n",
		'GET /' . 'x' x 100000 . " HTTP/1.0\r\n\r\n")
	{
		my $answer = send_bytes($request);

		# Python tells its errors in HTTP 0.9 where it has read no version.  An answer
		# can get lost when a server closes before it has read all.
		like(
			$answer,
			qr{^HTTP/1\.[01] 4\d\d |Error code: 4\d\d|^$},
			"$name: " . substr($request =~ s/[^!-~]+/./gr, 0, 40));
		unlike($answer, qr/Traceback|\.py|\.js/, "$name: does not show what is inside");
		is(fetch('/maps/sitemap.xml')->{status}, 200, "$name: and it works on");
	}
	return;
}

# The database goes away and comes back.
sub check_outage
{
	my ($name) = @_;

	$node->stop;
	foreach my $path (qw(/maps/sitemap.xml /maps/sitemap.xml /robots.txt))
	{
		my $answer = fetch($path);

		is( "$answer->{status} $answer->{body}",
			"503 Service Unavailable\n",
			"$name: $path without the database");
		is($answer->{'retry-after'}, 60, "$name: says when to come back");
	}
	$node->start;
	is(fetch($_)->{status}, 200, "$name: $_ when it is back")
	  foreach qw(/maps/sitemap.xml /robots.txt);
	return;
}

# A file of 50 MB, and clients that are slow to read it.
sub check_download
{
	my ($name, $most) = @_;

	$node->safe_psql(
		'postgres', qq{
		INSERT INTO site_files
		SELECT *
		  FROM sitemap_files('SELECT ''/'' || repeat(''x'', 1000) || generate_series(1, 48000) AS loc',
		                     '$base/', section => 'large')});
	my $size = fetch('/large.xml', '--head')->{'content-length'};
	my $memory = memory();
	local $SIG{ALRM} = sub { die "no answer\n" };
	alarm $timeout;

	is(length fetch('/large.xml')->{body}, $size, "$name: all of a large file");
	cmp_ok(memory() - $memory, '<', $most, "$name: of which it holds a part at a time")
	  if defined $memory;

	# A file that changes meanwhile: the client sees that it has not got all.
	my $socket = begin_download($name);
	$node->safe_psql('postgres',
		q{UPDATE site_files SET digest = reverse(digest) WHERE name = 'large.xml'});
	cmp_ok(length join('', <$socket>), '<', $size, "$name: two versions are never mixed");
	$node->safe_psql('postgres',
		q{UPDATE site_files SET digest = reverse(digest) WHERE name = 'large.xml'});

	# SIGTERM: no more connections, but this one is served.
	$socket = begin_download($name);
	$program->signal('TERM');
	usleep(10_000) while connection();
	my (undef, $body) = split /\r\n\r\n/, join('', <$socket>), 2;
	is(length $body, $size, "$name: SIGTERM lets a download end");
	alarm 0;
	finish($name);
	return;
}

# A connection that a download has begun on, with its first line read.
sub begin_download
{
	my ($name) = @_;
	my $socket = connection();
	my ($host) = $base =~ m{^http://(.*)};

	print $socket "GET /large.xml HTTP/1.0\r\nHost: $host\r\n\r\n";
	$socket->flush;
	like(scalar <$socket>, qr{^HTTP/1\.[01] 200 }, "$name: a download begins");
	return $socket;
}

# The most memory that the program has had, in bytes; undef where the system does not say.
sub memory
{
	my $status = "/proc/$program->{KIDS}[0]{PID}/status";

	return -e $status && slurp_file($status) =~ /^VmHWM:\s*(\d+) kB/m ? 1024 * $1 : undef;
}

# What curl gets for a path or URL: a hash with the status, the body, and each
# header line by its name in lower case.
# nginx in front, with the settings of examples/README.md: the files of a site below a path,
# the host's robots.txt, and nothing else.
sub check_proxy
{
	my ($name) = @_;
	my ($location) = slurp_file("$FindBin::RealBin/../../examples/README.md") =~ /^```nginx\n(.*?)^```$/ms;
	my $port = PostgreSQL::Test::Cluster::get_free_port();
	my $folder = PostgreSQL::Test::Utils::tempdir();
	my @host = ('-H', 'Host: cocoa.example');
	local $ENV{PATH} = "$ENV{PATH}:/usr/sbin";

	$location =~ s{http://127\.0\.0\.1:8080}{$base};
	append_to_file("$folder/nginx.conf", "pid $folder/nginx.pid; error_log $folder/nginx.log; events {}
		http { access_log off; " . join(' ', map { "${_}_temp_path $folder/$_;" } qw(client_body proxy fastcgi uwsgi scgi)) . "
		server { listen 127.0.0.1:$port; root $folder; $location } }");
  SKIP:
	{
		skip 'nginx is not here', 1 if !runs($folder, 'nginx', '-e', "$folder/nginx.log", '-c', "$folder/nginx.conf");
		my $direct = $base;

		$base = "http://127.0.0.1:$port";
		$node->safe_psql('postgres',
			q{SELECT sitemap_publish('tenant_files', 'SELECT ''/en/1'' AS loc', 'https://cocoa.example/en/')});
		my $index = fetch('/en/sitemap.xml', @host)->{body};
		like($index, qr/<sitemapindex/, "$name behind nginx: the index of a site below a path");
		my ($part) = $index =~ m{<loc>https://cocoa\.example([^<]*)</loc>};
		like(fetch($part, @host)->{body}, qr{<loc>https://cocoa\.example/en/1</loc>}, "$name behind nginx: its pages");
		like(
			fetch('/robots.txt', @host)->{body},
			qr{^Sitemap: https://cocoa\.example/en/sitemap\.xml$}m,
			"$name behind nginx: robots.txt");
		append_to_file("$folder/ads.txt", "ads\n");
		is(fetch('/ads.txt', @host)->{body}, "ads\n", "$name behind nginx: other files are the web server's");
		kill TERM => slurp_file("$folder/nginx.pid");
		$base = $direct;
	}
	return;
}

sub fetch
{
	my ($url, @options) = @_;
	my @command = ('curl', '-q', '-sS', '-i', '--noproxy', '*', '--path-as-is', @options);
	my ($stdout, $stderr);

	$url = $base . $url unless $url =~ /^http:/;
	IPC::Run::run([ @command, $url ], '>', \$stdout, '2>', \$stderr, IPC::Run::timeout($timeout))
	  or die "curl @options $url: $stderr";
	my ($head, $body) = split /\r\n\r\n/, $stdout, 2;
	my ($status, @lines) = split /\r\n/, $head;
	my %answer = map { /^([^:]*): *(.*)/ ? (lc $1 => $2) : () } @lines;

	($answer{status}) = $status =~ m{^HTTP/\S+ (\d+)};
	$answer{body} = $body;
	return \%answer;
}

# The status of a GET with these header lines.
sub status
{
	my ($url, @lines) = @_;

	return fetch($url, map { ('-H', $_) } @lines)->{status};
}

# A connection to the program; undef if there is none to be had.
sub connection
{
	return IO::Socket::INET->new($base =~ m{^http://(.*)});
}

# All that comes back for some bytes.
sub send_bytes
{
	my ($bytes) = @_;
	my $socket = connection() or die "connect: $!";
	local $SIG{PIPE} = 'IGNORE';
	local $SIG{ALRM} = sub { die "no answer\n" };

	alarm $timeout;
	print $socket $bytes;
	$socket->flush;
	my $answer = join '', <$socket>;
	alarm 0;
	return $answer;
}
