# examples/indexnow and examples/purge: the URLs of a feed are posted to a server that
# enforces the rules, and that loses, delays and refuses requests.  What it takes leaves
# the feed, and nothing else does, also where a program is killed.
use FindBin;
use HTTP::Tiny;
use IPC::Run ();
use JSON::PP qw(decode_json);
use List::Util qw(uniq);
use POSIX qw(strftime);
use Time::HiRes qw(time usleep);

use lib $FindBin::RealBin;
use Node;

my $timeout = $PostgreSQL::Test::Utils::timeout_default;
my $examples = "$FindBin::RealBin/../../examples";
my ($python) = grep { runs($_, '-c', 'import psycopg') } 'python3', '/usr/bin/python3';
plan skip_all => 'python3 and its package psycopg are not here' unless defined $python;

my $node = start_node();

# The feed of the programs is written by hand here, but for check_publish().
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE site_changes OF sitemap_change;
	CREATE INDEX ON site_changes (loc);
	CREATE SCHEMA "The Site";
	CREATE TABLE "The Site"."Changes" (LIKE sitemap_change) PARTITION BY LIST (section);
	CREATE TABLE changes_1 PARTITION OF "The Site"."Changes" FOR VALUES IN ('one');
	CREATE TABLE changes_2 PARTITION OF "The Site"."Changes" DEFAULT;
	CREATE ROLE sender LOGIN;
	GRANT SELECT, UPDATE, DELETE ON site_changes TO sender;
	GRANT USAGE ON SCHEMA "The Site" TO sender;
	GRANT SELECT, UPDATE, DELETE ON "The Site"."Changes" TO sender});

my $key = 'a1b2c3d4-E5F6';
local @ENV{qw(INDEXNOW_KEY PURGE_HEADER)} = ($key, 'Authorization: Bearer secret');

# The server, what it writes down, and how many bytes of that the test has read.
my $log = PostgreSQL::Test::Utils::tempdir() . '/log';
my $read = 0;
my $http = HTTP::Tiny->new(timeout => $timeout);
append_to_file($log, '');
my $server = IPC::Run::start([ $python, "$FindBin::RealBin/receive_urls.py", $key, 'secret', $log ],
	'<', \undef, '>', \my $printed, '2>', "$PostgreSQL::Test::Utils::log_path/receive_urls.log",
	my $timer = IPC::Run::timeout($timeout));
$server->pump until $printed =~ m{^listening on (http://\S+)\n};
my $base = $1;
# The server is also the proxy for the key files of all sites.
local @ENV{qw(http_proxy no_proxy)} = ($base, '127.0.0.1');
my %commands = (
	indexnow => [ $python, "$examples/indexnow/indexnow.py", '--endpoint', "$base/indexnow" ],
	indexnow_old => [ $python, "$examples/indexnow/indexnow.py", '--endpoint', "$base/old" ],
	purge => [ $python, "$examples/purge/purge.py", '--api', "$base/purge" ]);

check_publish();
check_batches();
check_key_location();
foreach my $name ('indexnow', 'purge')
{
	check_temporary($name);
	check_refusals($name);
}

check_endpoints_and_log();

# Their transactions are in the module that both share.
check_two('indexnow');
check_kill('indexnow');
check_kill_anywhere();
check_usage();
$server->kill_kill;
$node->stop;
done_testing();

# Start a program on a table: a hash with what it prints.
sub start_for
{
	my ($table, $name, @options) = @_;
	my %run = (stdout => '', stderr => '');
	local @ENV{qw(PGHOST PGPORT PGDATABASE PGUSER)} = ($node->host, $node->port, 'postgres', 'sender');

	$run{harness} = IPC::Run::start([ @{ $commands{$name} }, @options, $table ],
		'<', \undef, '>', \$run{stdout}, '2>', \$run{stderr}, IPC::Run::timeout($timeout));
	return \%run;
}

# On the table of most tests.
sub start
{
	return start_for('site_changes', @_);
}

# Wait for its end: the exit status, and what it has printed.
sub finish
{
	my ($run) = @_;

	$run->{harness}->finish;
	return join '', ($run->{harness}->full_result(0) >> 8), "\n", $run->{stdout}, $run->{stderr};
}

sub run
{
	return finish(start(@_));
}

sub run_for
{
	return finish(start_for(@_));
}

# Put these URLs into the feed.
sub change
{
	my (@urls) = @_;

	sql(
		"INSERT INTO site_changes SELECT 'http://www.example.com/', now(), 'sitemap', loc, 'changed', NULL FROM unnest('{"
		  . join(',', @urls)
		  . "}'::text[]) AS loc");
	return;
}

# The URLs in the feed.
sub feed
{
	return [ split /\n/, sql('SELECT loc FROM site_changes ORDER BY loc') ];
}

# URLs of a site.
sub pages
{
	my ($host, $n) = @_;

	return map { sprintf 'http://%s/%05d', $host, $_ } 1 .. $n;
}

sub post
{
	my ($path, @lines) = @_;
	my $answer = $http->post("$base/$path", { content => join("\n", @lines) });

	die $answer->{content} unless $answer->{success};
	return;
}

# The requests that are new.
sub requests
{
	my $new = slurp_file($log, $read);

	$read += length $new;
	return map { decode_json($_) } split /\n/, $new;
}

# The requests as lines: the answer and the number of URLs.
sub answers
{
	return [ map { "$_->{answer}: " . @{ $_->{urls} } } @_ ];
}

# All URLs that were taken, sorted.
sub taken
{
	return [ sort map { @{ $_->{urls} } } grep { $_->{answer} =~ /^2\d\d$/ } @_ ];
}

# Wait for a new request that has that answer, or is held.
sub wait_for_answer
{
	my ($answer) = @_;

	return wait_until(sub { slurp_file($log, $read) =~ /"answer": "$answer"/ }, "a request with the answer $answer");
}

# So many rows of the feed are locked by nobody.
sub wait_for_rows
{
	my ($rows) = @_;

	$node->poll_query_until('postgres',
		"SELECT count(*) = $rows FROM (SELECT FROM site_changes FOR UPDATE SKIP LOCKED) AS free")
	  or die 'rows are locked';
	return;
}

# SIGKILL, and the end of its session.
sub kill_program
{
	my ($run) = @_;

	$run->{harness}->signal('KILL');
	$run->{harness}->finish;
	$node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE usename = 'sender'})
	  or die 'the session is still there';
	return;
}

# A date as HTTP has it, so many seconds from now.
sub date
{
	my ($seconds) = @_;

	return strftime('%a, %d %b %Y %H:%M:%S GMT', gmtime(time + $seconds));
}

# What sitemap_publish writes into the feed is what the servers get.
sub check_publish
{
	my $publish = q{
		SELECT sitemap_publish('site_files', 'SELECT path AS loc, changed AS lastmod FROM public.page ORDER BY id',
		                       'http://www.example.com/', feed => 'site_changes')};

	sql(qq{
		CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
		CREATE TABLE page AS SELECT n AS id, '/' || n AS path, date '2026-03-01' AS changed FROM generate_series(1, 100) n;
		$publish});
	is(run('indexnow'), "0\n", 'the first run of sitemap_publish has changed nothing');
	sql(qq{
		UPDATE page SET changed = '2026-03-02' WHERE id IN (7, 8);
		DELETE FROM page WHERE id = 50;
		INSERT INTO page VALUES (101, '/a?b&c', '2026-03-03');
		$publish;
		UPDATE page SET changed = '2026-03-04' WHERE id = 7;
		$publish});
	is(scalar @{ feed() }, 5, 'sitemap_publish fills the feed');
	is(run('indexnow'), "0\nhttp://www.example.com: URLs taken: 4\n", 'indexnow empties it');
	is_deeply(taken(requests()), [ map { "http://www.example.com/$_" } 50, 7, 8, 'a?b&c' ], 'each URL is sent once');
	is_deeply(feed(), [], 'and leaves the feed');
	return;
}

# Batches have one host, and so many URLs as may be; other tables.
sub check_batches
{
	my @urls = (pages('a.example', 10_001), 'http://a.example:81', 'http://a.example:8080/x', pages('a.example.net', 2));

	change(@urls, $urls[0], $urls[9999], $urls[5000]);
	is( run('indexnow'), "0\n"
		  . "http://a.example.net: URLs taken: 2\n"
		  . "http://a.example: URLs taken: 10000\n"
		  . "http://a.example: URLs taken: 1\n"
		  . "http://a.example:8080: URLs taken: 1\n"
		  . "http://a.example:81: URLs taken: 1\n",
		'indexnow: batches');
	my @requests = requests();
	is_deeply(answers(@requests), [ '200: 2', '200: 10000', '202: 1', '202: 1', '202: 1' ], 'indexnow: requests');
	is_deeply(taken(@requests), [ sort @urls ], 'indexnow: every URL once');

	@urls = (pages('a.example', 65), pages('b.example', 2));
	change(@urls, @urls);
	is( run('purge'), "0\n"
		  . "http://a.example: URLs taken: 30\n" x 2
		  . "http://a.example: URLs taken: 5\n"
		  . "http://b.example: URLs taken: 2\n",
		'purge: batches');
	is_deeply(taken(requests()), \@urls, 'purge: every URL once');
	change(@urls);
	is( run('purge', '--batch', 20), "0\n"
		  . "http://a.example: URLs taken: 20\n" x 3
		  . "http://a.example: URLs taken: 5\n"
		  . "http://b.example: URLs taken: 2\n",
		'purge: batches of another size');
	is_deeply(taken(requests()), \@urls, 'purge: every URL once, again');

	# Partitions, in which different rows have one ctid.
	sql(q{
		INSERT INTO "The Site"."Changes"
		SELECT 'http://c.example/', now(), section, 'http://c.example/' || section || n, 'added', NULL
		  FROM unnest('{one,two}'::text[]) AS section, generate_series(1, 40) n});
	is( run_for('The Site.Changes', 'purge'), "0\n"
		  . "http://c.example: URLs taken: 30\n" x 2
		  . "http://c.example: URLs taken: 20\n",
		'a table with a name that takes quotes, and partitions');
	is_deeply(
		taken(requests()),
		[ sort map { ("http://c.example/one$_", "http://c.example/two$_") } 1 .. 40 ],
		'every URL of all partitions');
	is(sql('SELECT count(*) FROM "The Site"."Changes"'), 0, 'it is empty then');
	return;
}

# A key in a directory is for the URLs below it.
sub check_key_location
{
	my @below = map { "http://$_.example/shop/1" } 'a', 'b';
	my @others = ('http://a.example/', 'http://b.example/shop', 'http://b.example/shopping');

	change(@below, @others);
	like(run('indexnow', '--key-location', "/shop/$key.txt"),
		qr{^1\n.*a\.example: URLs outside the directory of the key: 1\n.*b\.example: URLs outside the directory of the key: 2\n}s,
		'a key in a directory');
	is_deeply(taken(requests()), \@below, 'the URLs below it are taken');
	is_deeply(feed(), \@others, 'the others stay');
	like(run('indexnow', '--key-location', "http://b.example/$key.txt"), qr/^1\n.*: URLs taken: 2/s, 'a URL');
	is_deeply(taken(requests()), [ @others[ 1, 2 ] ], 'is for its site');
	is(run('indexnow'), "0\nhttp://a.example: URLs taken: 1\n", 'no location is for all');
	requests();
	return;
}

# Faults that pass: the program tries again, and after a while lets it be.
sub check_temporary
{
	my ($name) = @_;
	my $site = 'http://a.example';
	my @urls = pages('a.example', 3);

	# It waits 1 second, then 2, or longer if it is asked to.
	my @faults = $name eq 'purge' ? ('garbage', '503 ' . date(-5)) : ('drop', '429 3');
	change(@urls);
	post('faults', @faults);
	my $output = run($name);
	my @requests = requests();
	my @waits = $name eq 'purge' ? (1, 2) : (1, 3);
	is_deeply([ $output =~ /; trying again in (\d+) s\n/g ], \@waits, "$name: it says how long it waits");
	is_deeply(
		[ map { $requests[ $_ + 1 ]{time} - $requests[$_]{time} >= $waits[$_] ? 'enough' : 'too little' } 0 .. $#waits ],
		[ ('enough') x @waits ],
		"$name: and waits");
	like($output, qr{\A0\n.*^$site: URLs taken: 3\n\z}ms, "$name: then the URLs are taken");
	is_deeply(
		answers(@requests),
		[ (map { "$_: 3" } @faults), '200: 3' ],
		"$name: and it has not asked more often");
	is_deeply(feed(), [], "$name: they leave the feed");
	return unless $name eq 'indexnow';

	# What it has no patience for: a number of seconds, a date, and a second attempt.
	@urls = (@urls, pages('b.example', 1), pages('c.example', 2));
	change(@urls);
	post('faults', '429 301', '503 ' . date(3600));
	is( run($name), "1\n"
		  . "http://c.example: URLs taken: 2\n"
		  . "$site: URLs not taken: 3: 429 Too Many Requests: the answer is 429\n"
		  . "http://b.example: URLs not taken: 1: 503 Service Unavailable: the answer is 503\n",
		"$name: servers ask for more time than it has");
	is(scalar requests(), 3, "$name: one attempt for each site");
	post('faults', 'reset', '503');
	like(run($name, '--patience', 0.5), qr/\A1\n$site: URLs not taken: 3: .*\nhttp:.*: 503 /, "$name: it has no time");
	is(scalar requests(), 2, "$name: one attempt for each site");
	is_deeply(feed(), [ @urls[ 0 .. 3 ] ], "$name: what was not taken stays");

	# An answer that comes too late, and one that is lost: the URLs are sent twice.
	post('faults', 'hold take', 'cut');
	my $run = start($name, '--timeout', 0.3);
	wait_for_answer('held');
	wait_for_answer(200);
	post('release');
	like(finish($run), qr{\A0\n}, "$name: answers are lost");
	is_deeply([ uniq @{ taken(requests()) } ], [ @urls[ 0 .. 3 ] ], "$name: no URL is");
	is_deeply(feed(), [], "$name: all leave the feed");
	return;
}

# Faults that stay: the program says so, and goes on.
sub check_refusals
{
	my ($name) = @_;
	my @a = pages('a.example', 31);
	my @urls = (@a, pages('no-key.example', 31), pages('z.example', 1));
	my $says = 'URLs not taken:';

	change(@urls);
	if ($name eq 'indexnow')
	{
		my $no_key = qr{\A1\n.*^http://no-key\.example: no URLs posted: http://no-key\.example/\S+\.txt does not contain the key: 404 }ms;

		my $output = run($name);
		like($output, $no_key, "$name: a site without the key file");
		like($output, qr{^http://a\.example: URLs taken: 31\nhttp://z\.example: URLs taken: 1$}m, "$name: other sites");
		is_deeply(answers(requests()), [ '200: 31', '202: 1' ], "$name: nothing is posted for that site");
		is_deeply(feed(), [ @urls[ 31 .. 61 ] ], "$name: its URLs stay");
		{
			local $ENV{INDEXNOW_KEY} = 'another-key';
			like(run($name), $no_key, "$name: the wrong key");
		}
		sql('TRUNCATE site_changes');
		change(@a);
		post('faults', '403');
		like(run($name), qr{\A1\nhttp://a\.example: $says 31: 403 Forbidden}, "$name: a refusal");
		requests();
		like(run('indexnow_old'), qr{\A1\n.*$says 31: 301 Moved Permanently}, "$name: a redirect takes nothing");
		is_deeply([ requests() ], [], "$name: and is not followed");
		is_deeply(feed(), \@a, "$name: all stay");
	}
	else
	{
		post('faults', '422', 'take', '403', '400');
		is( run($name), "1\n"
			  . "http://a.example: URLs taken: 1\n"
			  . "http://a.example: $says 30: 422 Unprocessable Entity: the answer is 422\n"
			  . "http://no-key.example: $says 30: 403 Forbidden: the answer is 403\n"
			  . "http://z.example: $says 1: 400 Bad Request: the answer is 400\n",
			"$name: what is refused");
		is_deeply(answers(requests()), [ '422: 30', '200: 1', '403: 30', '400: 1' ],
			"$name: after a 422 the site goes on, after a 403 another one");
		is_deeply(feed(), [ @urls[ 0 .. 29, 31 .. 62 ] ], "$name: what is refused stays");
		local $ENV{PURGE_HEADER} = 'Authorization: Bearer wrong';
		like(run($name), qr{\A1\nhttp://a\.example: $says 30: 401 }, "$name: the wrong token");
		requests();
	}
	sql('TRUNCATE site_changes');
	return;
}

# Several endpoints, of which one has to accept; any 2xx; and a table of what was posted.
sub check_endpoints_and_log
{
	my @a = pages('a.example', 3);
	my @both = ('indexnow', '--endpoint', "$base/second", '--log', 'posted');
	my $posted = sub
	{
		return sql(q{
			SELECT count(*), substring(endpoint, '[a-z]+$'), accepted, substring(answer, '^\d+')
			  FROM posted GROUP BY 2, 3, 4 ORDER BY 4});
	};

	sql(q{
		CREATE TABLE posted (loc text, at timestamptz, endpoint text, accepted boolean, answer text);
		CREATE INDEX ON posted (loc, at);
		GRANT SELECT, INSERT ON posted TO sender});
	change(@a);
	post('faults', '400', '203');
	is(run(@both), "0\nhttp://a.example: URLs taken: 3\n", 'the second endpoint accepts what the first refuses');
	is_deeply(answers(requests()), [ '400: 3', '203: 3' ], 'each endpoint gets the URLs once');
	is_deeply(feed(), [], 'they leave the feed');
	is($posted->(), '3|second|t|203', 'the log has them');

	change(@a, pages('b.example', 1));
	post('faults', '400', '422');
	like(run(@both), qr{\A1\nhttp://b\.example: URLs not taken: 1: 400 }, 'both endpoints refuse');
	is_deeply(answers(requests()), [ '400: 1', '422: 1' ], 'nothing is posted again within ten minutes');
	is($posted->(), "3|second|t|203\n1|indexnow|f|400", 'the log has the refusal');
	is(scalar @{ feed() }, 4, 'all stay in the feed');
	sql("UPDATE posted SET at = at - interval '11 minutes'");
	is(run(@both), "0\nhttp://a.example: URLs taken: 3\nhttp://b.example: URLs taken: 1\n", 'later they are posted');
	requests();
	return;
}

# Two of them at a time send different URLs; what changes meanwhile stays.
sub check_two
{
	my ($name) = @_;
	my @a = pages('a.example', 2);
	my @b = pages('b.example', 2);

	change(@a, @b);
	post('faults', 'hold take');
	my $first = start($name);
	wait_for_answer('held');
	is(run($name), "0\nhttp://b.example: URLs taken: 2\n", "$name: the second leaves to the first what it has");
	change($a[0]);
	post('release');
	is(finish($first), "0\nhttp://a.example: URLs taken: 2\n", "$name: and the first to the second");
	is_deeply([ map { $_->{urls} } grep { $_->{answer} ne 'held' } requests() ], [ \@b, \@a ], "$name: each is sent once");
	is_deeply(feed(), [ $a[0] ], "$name: a page that changed meanwhile stays");
	is(run($name), "0\nhttp://a.example: URLs taken: 1\n", "$name: and is sent again");
	requests();
	return;
}

# Killed while a request is under way, and between two attempts.
sub check_kill
{
	my ($name) = @_;
	my @urls = pages('a.example', 5);

	change(@urls);
	post('faults', 'hold take');
	my $run = start($name);
	wait_for_answer('held');
	wait_for_rows(0);
	kill_program($run);
	is_deeply(feed(), \@urls, "$name: killed during a request, it has lost nothing");
	post('release');
	wait_for_answer(200);

	post('faults', '503 60');
	$run = start($name);
	$run->{harness}->pump until $run->{stdout} =~ /trying again in 60 s\n/;
	wait_for_rows(5);
	kill_program($run);
	is_deeply(feed(), \@urls, "$name: nor while it waits, when its rows are free");
	is(run($name), "0\nhttp://a.example: URLs taken: 5\n", "$name: the next run goes on");
	is_deeply(answers(requests()), [ 'held: 5', '200: 5', '503 60: 5', '200: 5' ],
		"$name: what was taken without an answer is sent twice");
	return;
}

# Killed at any moment.
sub check_kill_anywhere
{
	my @urls = pages('a.example', 1500);
	my $kills = 3;
	my @requests;

	change(@urls);
	foreach (1 .. $kills)
	{
		my $run = start('purge');
		wait_for_answer('200');
		usleep(rand 50_000);
		kill_program($run);
		push @requests, requests();
		push @urls, pages("b$_.example", 3);
		change(@urls[ -3 .. -1 ]);
		note(scalar @{ feed() } . ' rows are left');
	}
	like(run('purge'), qr/\A0\n/, 'killed three times, the program ends');
	my $taken = taken(@requests, requests());
	is_deeply([ uniq @$taken ], [ sort @urls ], 'what has changed was sent, and nothing else');
	cmp_ok(@$taken - @urls, '<=', 30 * $kills, 'at most one batch for each kill was sent twice');
	is_deeply(feed(), [], 'nothing is left');
	return;
}

# Mistakes in arguments, and what the database refuses.
sub check_usage
{
	foreach my $test (
		[ qr/a key has 8 to 128/, 'indexnow', '--key', "eight_88\n" ],
		[ qr/not a URL with http/, 'indexnow', '--endpoint', 'ftp://example.com/' ])
	{
		my ($message, @arguments) = @$test;

		like(run(@arguments), qr/\A2\n.*$message/s, "refused: @arguments" =~ s/\s+/ /gr);
	}
	like(run_for('missing', 'purge'), qr/\A1\nrelation "missing" does not exist/, 'a table that is not there');
	like(run('purge', '--dsn', 'dbname=missing'), qr/\A1\n.*database "missing" does not exist/s, 'a database that is not there');
	is_deeply([ requests() ], [], 'nothing is sent');
	return;
}
