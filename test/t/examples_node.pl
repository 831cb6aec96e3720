# examples/node/sitemap.js: a program that serves the files of a target, and a handler for
# Express, both asked by curl.
use FindBin;
use IO::Uncompress::Gunzip qw(gunzip);
use IPC::Run ();
use MIME::Base64 qw(decode_base64);

use lib $FindBin::RealBin;
use Node;

my $timeout = $PostgreSQL::Test::Utils::timeout_default;
my $file = "$FindBin::RealBin/../../examples/node/sitemap.js";
my @takes_gzip = ('-H', 'Accept-Encoding: gzip');

plan skip_all => 'curl, or node with its package pg, is not here'
  unless runs('curl', '--version') && runs('node', '-e', q{require('pg')});

my $node = start_node("log_statement = 'all'\n");

# The program needs the right to read the table, and no particular settings.
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE SCHEMA "The Site";
	CREATE TABLE "The Site"."files" OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE ROLE web LOGIN;
	GRANT USAGE ON SCHEMA "The Site" TO web;
	GRANT SELECT ON site_files, "The Site"."files" TO web;
	ALTER ROLE web SET DateStyle = 'German';
	ALTER ROLE web SET TimeZone = 'Asia/Kolkata';
	ALTER ROLE web SET bytea_output = 'escape'});

# The program under test, its timer, what it has printed, and its URL.
my ($program, $timer, $output, $base);

start('program', $file);
like($output, qr{^listening on http://127\.0\.0\.1:\d+/\n$}, 'the program says where it listens');
publish(1500);
check_files();
check_conditions('/maps/');
check_refusals();
check_tenants();
check_outage();
stop('program');

start('another table', $file, SITEMAP_TABLE => '"The Site"."files"');
sql(qq{SELECT sitemap_publish('"The Site"."files"', 'SELECT ''/a'' AS loc', '$base/')});
is(fetch('/sitemap.xml')->{status}, 200, 'a table whose name needs quotes');
stop('another table');

SKIP:
{
	skip 'the package express is not here', 1 unless runs('node', '-e', q{require('express')});
	check_express();
}
$node->stop;
done_testing();

END
{
	local $?;
	$program->kill_kill if $program;
}

# Start node with these arguments and environment variables, and wait for the first line.
sub start
{
	my ($name, $script, %environment) = @_;
	local %ENV = (
		%ENV, PORT => 0, %environment,
		PGHOST => $node->host,
		PGPORT => $node->port,
		PGDATABASE => 'postgres',
		PGUSER => 'web');

	$output = '';
	$timer = IPC::Run::timeout($timeout);
	$program = IPC::Run::start([ 'node', ref $script ? @$script : $script ],
		'<', \undef, '>', \$output, '2>>', "$PostgreSQL::Test::Utils::log_path/examples_node.log", $timer);
	$program->pump until $output =~ /\n/;
	($base) = $output =~ m{(http://127\.0\.0\.1:[1-9]\d*)/};
	return;
}

# SIGTERM ends the program.
sub stop
{
	my ($name) = @_;

	$program->signal('TERM');
	$timer->start;
	$program->finish;
	is($program->full_result(0), 0, "$name: SIGTERM ends it, with exit status 0");
	undef $program;
	return;
}

# Fill the target with a set of so many pages whose times are known, a text sitemap, and a
# sitemap of another program.
sub publish
{
	my ($pages) = @_;

	sql(qq{
		BEGIN;
		DELETE FROM site_files;
		SELECT *
		  FROM sitemap_publish('site_files', 'SELECT ''/page/'' || n AS loc FROM generate_series(1, $pages) n ORDER BY n',
		                       '$base/maps/', max_urls => 1000, split => 'full');
		UPDATE site_files SET lastmod = '2026-03-01 09:55:00.9+00';
		INSERT INTO site_files
		SELECT * FROM sitemap_files('SELECT ''/'' AS loc', '$base/', section => 'plain', format => 'txt');
		INSERT INTO site_files
		SELECT * FROM sitemap_files('SELECT ''/'' AS loc', '$base/a%20b/', section => 'plain');
		INSERT INTO site_files (base_url, section, name, kind, loc)
		VALUES ('$base/', 'blog', 'blog.xml', 'urlset', '$base/blog.xml');
		COMMIT});
	return;
}

# Every file that the index lists, and others.
sub check_files
{
	my @listed = fetch('/maps/sitemap.xml')->{body} =~ m{<loc>([^<]*)</loc>}g;

	is_deeply(\@listed, [ map { "$base/maps/sitemap-$_.xml.gz" } 1, 2 ], 'the index lists its sitemaps');
	foreach my $url ("$base/maps/sitemap.xml", @listed, "$base/plain.txt", "$base/a%20b/plain.xml")
	{
		my ($name) = $url =~ m{([^/]*)$};
		my ($etag, $content) = split /\|/, sql(qq{
			SELECT '"' || digest || '"', translate(encode(content, 'base64'), E'\\n', '')
			  FROM site_files
			 WHERE loc = '$url'});
		my $document = $content = decode_base64($content);
		my $is_gzip = $name =~ /\.gz$/;
		gunzip(\$content, \$document) if $is_gzip;

		my %common = (
			status => 200,
			'content-type' => $name =~ /\.txt$/ ? 'text/plain; charset=utf-8' : 'application/xml',
			'cache-control' => 'public, max-age=600',
			'x-robots-tag' => 'noindex',
			$url =~ m{/maps/} ? ('last-modified' => 'Sun, 01 Mar 2026 09:55:00 GMT') : (),
			$is_gzip ? (vary => 'Accept-Encoding') : ());
		my %stored = (%common, etag => $etag, 'content-length' => length $content,
			$is_gzip ? ('content-encoding' => 'gzip') : ());
		my %inflated = (%common, etag => $is_gzip ? "W/$etag" : $etag, 'content-length' => length $document);

		is_deeply(answer($url, @takes_gzip), { %stored, body => $content }, "$name, as stored");
		is_deeply(answer($url, '--head', @takes_gzip), { %stored, body => '' }, "$name, HEAD");
		is_deeply(answer($url), { %inflated, body => $document }, "$name, for a client without gzip");
		is_deeply(answer($url, '--head'), { %inflated, body => '' }, "$name, HEAD without gzip");
	}
	is(fetch('/plain.txt?a=b')->{status}, 200, 'a query makes no difference');
	return;
}

# 304 where the client has the file, and only then.
sub check_conditions
{
	my ($directory) = @_;
	my $url = "${directory}sitemap-2.xml.gz";
	my $etag = fetch($url, @takes_gzip)->{etag};
	my $log_size = -s $node->logfile;

	foreach my $line (
		(map { "If-None-Match: $_" } $etag, "W/$etag", "\"a,b\", $etag", '*'),
		(map { "If-Modified-Since: $_" } 'Sun, 01 Mar 2026 09:55:00 GMT', 'Sunday, 01-Mar-26 09:55:01 GMT'))
	{
		my $answer = fetch($url, @takes_gzip, '-H', $line);

		is($answer->{status}, 304, "$line");
		is($answer->{etag}, $etag, 'the 304 has the ETag');
		is(fetch($url, '-H', $line)->{status}, 304, 'without gzip');
	}
	fetch($url, '--head');
	my $log = slurp_file($node->logfile, $log_size);
	like($log, qr/octet_length\(content\)/, 'the database was asked');
	unlike($log, qr/digest, content/, 'a 304 and a HEAD read no content');

	foreach my $line (
		(map { "If-None-Match: $_" } '"0"', $etag =~ tr/"//dr, '"*"', "x$etag" =~ s/"$//r),
		'If-None-Match;',
		(map { "If-Modified-Since: $_" } 'Sun, 01 Mar 2026 09:54:59 GMT', '2027', 'Tue, 99 Foo 2027 99:99:99 GMT'))
	{
		is(fetch($url, '-H', $line)->{status}, 200, $line);
	}
	is(fetch($url, '-H', 'If-None-Match: "0"', '-H', 'If-Modified-Since: Sun, 01 Mar 2026 09:55:00 GMT')->{status},
		200, 'the ETag decides, not the date');
	return;
}

# Paths without a file, methods, and what a client may say of gzip.
sub check_refusals
{
	foreach my $path (
		qw(/ /maps /maps/ /sitemap.xml /maps/sitemap.xml.gz /maps/sitemap.xml/ /maps//sitemap.xml /blog.xml
		/a/../maps/sitemap.xml /MAPS/sitemap.xml /maps/sitemap.xml%00 /maps/% /%FF%FE
		/maps/%27%20OR%20true-- /maps/..%2f..%2fetc%2fpasswd),
		'/maps/' . 'x' x 10000)
	{
		is(fetch($path)->{status}, 404, substr $path, 0, 40);
	}
	foreach my $accept ('gzip;q=0', 'gzip; q=0.0, *', 'br, deflate', 'identity', ',;', '*;q=0')
	{
		is(fetch('/maps/sitemap-1.xml.gz', '-H', "Accept-Encoding: $accept")->{'content-encoding'}, undef, $accept);
	}
	foreach my $accept ('GZIP', 'br, gzip;q=0.5', '*', '*;q=0, gzip', 'deflate,gzip ; q=1.0')
	{
		is(fetch('/maps/sitemap-1.xml.gz', '-H', "Accept-Encoding: $accept")->{'content-encoding'}, 'gzip', $accept);
	}
	foreach my $method (qw(POST PUT DELETE OPTIONS))
	{
		my $answer = fetch('/maps/sitemap.xml', '-X', $method);

		is("$answer->{status} $answer->{allow}", '405 GET, HEAD', $method);
	}
	return;
}

# Each host has its own files, all in one table.
sub check_tenants
{
	my %sites = ('tea.example' => '/', 'coffee.example:8443' => '/en/');

	foreach my $host (sort keys %sites)
	{
		sql(
			qq{SELECT sitemap_publish('site_files', 'SELECT ''/$host'' AS loc', 'https://$host$sites{$host}', scope => 'any')});
		my @host = ('-H', 'Host: ' . uc $host);
		my ($part) = fetch("$sites{$host}sitemap.xml", @host)->{body} =~ m{<loc>https://\Q$host\E([^<]*)</loc>};

		like(fetch($part, @host)->{body}, qr{<loc>https://\Q$host\E/\Q$host\E</loc>}, "the page of $host");
	}
	foreach my $host ('', 'third.example', 'tea.example.evil', "tea.example'--", '%', 'x' x 5000)
	{
		is(fetch('/sitemap.xml', '-H', "Host: $host")->{status}, 404, 'host ' . substr $host, 0, 20);
	}
	return;
}

# The database goes away and comes back.
sub check_outage
{
	$node->stop;
	foreach (1, 2)
	{
		my $answer = fetch('/maps/sitemap.xml');

		is("$answer->{status} $answer->{'retry-after'}", '503 60', 'without the database');
	}
	$node->start;
	is(fetch('/maps/sitemap.xml')->{status}, 200, 'when the database is back');
	return;
}

# Express 4 or 5: an application with other pages, and a header line of its own.
sub check_express
{
	my $site = 'https://www.example.com/maps/';

	sql(
		qq{SELECT sitemap_publish('site_files', 'SELECT ''/'' || n AS loc FROM generate_series(1, 3) n', '$site', section => 'shop', scope => 'any');
		   SELECT sitemap_publish('site_files', 'SELECT ''/'' AS loc', 'https://www.example.com/')});
	start('Express', [ '-e', q{
		const express = require('express');
		const { Pool } = require('pg');
		const sitemap = require(process.argv[1]);

		const pool = new Pool();
		const app = express();
		app.use((request, response, next) => { response.vary('Cookie'); next(); });
		app.use('/maps', sitemap(pool, { baseUrl: process.argv[2] }));
		} . readme_lines() . q{
		app.use('/broken', sitemap(pool, { baseUrl: process.argv[2], target: 'no_such_table' }));
		app.use((request, response) => response.status(404).type('txt').send('the application'));
		app.use((error, request, response, next) => response.status(500).type('txt').send(error.message));
		const server = app.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
		process.once('SIGTERM', () => server.close(() => pool.end()));
	}, $file, $site ]);

	my ($part) = fetch('/maps/sitemap.xml')->{body} =~ m{<loc>\Q$site\E([^<]*)</loc>};
	my $answer = fetch("/maps/$part", @takes_gzip);
	is($answer->{status}, 200, 'Express: a file');
	is($answer->{vary}, 'Cookie, Accept-Encoding', "Express: Vary keeps the application's value");
	gunzip(\$answer->{body}, \my $document);
	like($document, qr{<loc>https://www\.example\.com/3</loc>}, 'Express: its content');
	is(fetch("/maps/$part", '-H', "If-None-Match: $answer->{etag}")->{status}, 304, 'Express: the client has the file');
	foreach my $request ([qw(/maps/other.xml)], [qw(/maps/a/sitemap.xml)], [qw(/sitemap.xml)], [qw(/maps/sitemap.xml -X POST)])
	{
		is(fetch(@$request)->{body}, 'the application', "Express: @$request is the application's");
	}
	is(fetch('/broken/sitemap.xml')->{status}, 500, "Express: an error is the application's");
	is(fetch('/root/sitemap.xml')->{status}, 200, 'Express: as in examples/README.md');
	stop('Express');
	return;
}

# The lines of examples/README.md for Express, below the path /root.
sub readme_lines
{
	my ($lines) = slurp_file("$FindBin::RealBin/../../examples/README.md") =~ /^```javascript\n(.*?)^```/ms;

	return '{' . ($lines =~ s{app\.use\(}{app.use('/root', }r =~ s{'\./sitemap\.js'}{process.argv[1]}r) . '}';
}

# What curl gets for a path or URL: a hash with the status, the body, and each header line
# by its name in lower case.
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

# The same, without the header lines of every answer of node.
sub answer
{
	my $answer = fetch(@_);

	delete @{$answer}{qw(date connection keep-alive)};
	return $answer;
}
