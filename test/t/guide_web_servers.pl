# The settings for nginx of doc/tutorial.md and for Apache of doc/guide.md, in the configuration
# that Debian brings: an exported set, from robots.txt to every file, as a crawler reads it.
# Then the settings for many shops, on the same server.
#
# Only the paths and the port are others than in the documents.
use FindBin;
use IO::Socket::INET;
use IO::Socket::UNIX;
use IO::Uncompress::Gunzip qw(gunzip);
use IPC::Run ();
use POSIX ();

use lib $FindBin::RealBin;
use Node;
use Time::HiRes qw(usleep);

my $timeout = $PostgreSQL::Test::Utils::timeout_default;
my $guide = slurp_file("$FindBin::RealBin/../../doc/guide.md");
my $documents = slurp_file("$FindBin::RealBin/../../doc/tutorial.md") . $guide;
my $folder = PostgreSQL::Test::Utils::tempdir();
my $maps = "$folder/sitemaps";
my $site = "$folder/html";

# default: the type that the server sends for a .gz where nobody has told it otherwise.
my @servers = (
	{
		name => 'nginx',
		start => \&start_nginx,
		default => 'application/octet-stream',
	},
	{
		name => 'apache',
		start => \&start_apache,
		default => 'application/x-gzip',
	},);

$ENV{PATH} .= ':/usr/sbin:/sbin';
plan skip_all => 'curl is not here' unless has_program('curl');

my $node = start_node();

mkdir $_ or die "$_: $!" foreach $maps, $site;
append_to_file("$site/robots.txt", "Sitemap: https://www.example.com/sitemap.xml\n");
append_to_file("$site/$_", "the site's $_") foreach 'other.xml', 'notes.txt', 'backup.gz';
$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION sitemap;
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
	SELECT sitemap_publish('site_files', 'SELECT ''/news/1'' AS loc',
	                       'https://www.example.com/', section => 'news', compression => 0);
	SELECT sitemap_publish('site_files', 'SELECT ''/page/'' || n AS loc FROM generate_series(1, 25000) n ORDER BY n',
	                       'https://www.example.com/', max_urls => 10000);
	SELECT sitemap_export('$maps', 'TABLE site_files')});

# Two hosts, one of which has a site at its root and one below a path.
mkdir $_ or die "$_: $!" foreach "$folder/tenants", "$folder/tenants/coffee.example";
$node->safe_psql(
	'postgres', q{
	CREATE TABLE shop_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE shop_site OF sitemap_job (PRIMARY KEY (base_url, section));
	INSERT INTO shop_site (target, base_url, section, query)
	SELECT 'shop_files', base_url, 'products', format('SELECT %L || n AS loc FROM generate_series(1, 3) n', base_url)
	  FROM (VALUES ('https://coffee.example/en/'), ('https://tea.example/'), ('https://coffee.example/')) shop (base_url)});
$node->safe_psql('postgres', $_) foreach q{CALL sitemap_run('shop_site')},
  block($documents, 'pgsql', 'UPDATE shop_site') =~ s{/var/www/sitemaps}{$folder/tenants}gr, q{CALL sitemap_run('shop_site')};

# What runs, and where; the host that curl asks for.
my ($process, $base);
our $host = 'www.example.com';

foreach (@servers)
{
	my ($name, $start, $default) = @{$_}{qw(name start default)};

  SKIP:
	{
		$base = 'http://127.0.0.1:' . PostgreSQL::Test::Cluster::get_free_port();
		my @command = $start->($base =~ /(\d+)$/) or skip "$name is not here", 1;

		start($name, @command);
		check_set($name);
		check_conditions($name);
		check_refusals($name);
		check_new_sections($name);
		check_tenants($name);
		check_proxy() if $name eq 'nginx';
		is(fetch("/default/" . part())->{'content-type'},
			$default, "$name: without these settings a part is a download");
		stop($name);
	}
}

$node->stop;
done_testing();

END
{
	local $?;
	$process->kill_kill if $process;
}

# The settings of both chapters, with this test's paths and port.
sub settings
{
	my ($language, $port, $more) = @_;
	my $text = block($documents, $language, 'www.example.com') =~ s{(?=^(?:\}|</VirtualHost>)$)}{$more}mr;

	$text =~ s{/var/www/sitemaps}{$maps}g;
	$text .= settings_for_tenants($language) =~ s{/var/www/sitemaps}{$folder/tenants}gr;
	$text =~ s{/var/www/html}{$site}g;
	$text =~ s{\blisten 80\b}{listen 127.0.0.1:$port}g;
	$text =~ s{\blisten \[::\]:80\b.*}{}g;
	$text =~ s{<VirtualHost \*:80>}{<VirtualHost *:$port>}g;
	$text .= "server {\n\tlisten 127.0.0.1:$port;\n\tserver_name proxy.example;\n\troot $site;\n" . proxy() . "}\n" if $language eq 'nginx';
	return $text;
}

# The settings with what the guide says of many shops.
sub settings_for_tenants
{
	my ($language) = @_;
	my $text = block($documents, $language, 'www.example.com');
	my ($nginx, $old, $names, $default, $apache) =
	  $guide =~ /`server_name tea\.example .*?`.*?write `(\S+)` in place of `(\S+)`.*?write `(server_name _;)`, add `(\w+)` to both `listen` lines.*?after `RewriteEngine` write `(\S+)`/s;

	$text =~ s/(listen \S+);/$1 $default;/g;
	$text =~ s/server_name .*/$names/;
	$text =~ s/ServerName .*/ServerName tea.example\n\tServerAlias coffee.example/;
	$text =~ s/\Q$old\E/$nginx/g if $language eq 'nginx';
	$text =~ s/^\s*Rewrite(?:Cond|Rule) .*\K\Q$old\E/$apache/mg if $language eq 'apache';
	return $text;
}

# The location of examples/README.md, in front of examples/node/sitemap.js, here of a server that
# says which path of which host it was asked for.
sub proxy
{
	my ($location) = slurp_file("$FindBin::RealBin/../../examples/README.md") =~ /^```nginx\n(.*?)^```/ms;

	return $location =~ s{http://127\.0\.0\.1:8080}{http://unix:$folder/proxied}r;
}

# Each writes its configuration, Debian's with other paths, and returns the command.
sub start_nginx
{
	my ($port) = @_;
	my $debian = '/etc/nginx/nginx.conf';

	return unless has_program('nginx') && -e $debian;
	my $main = slurp_file($debian);
	my $mine = settings('nginx', $port, "location /default/ { alias $maps/; }\n");

	# The modules that somebody has enabled are no part of this.
	$main =~ s{^(?:user|pid|error_log|include /etc/nginx/modules).*$}{}gm;
	$main =~ s{access_log .*;}{access_log $folder/nginx.access.log;};
	$main =~ s{include /etc/nginx/conf\.d.*}{};
	$main =~ s{include /etc/nginx/sites-enabled.*}{$mine}
	  or die "$debian includes no sites";
	my $paths = join '', map { "\t${_}_temp_path $folder/$_;\n" } qw(client_body proxy fastcgi uwsgi scgi);
	$main =~ s/^(http \{\n)/$1$paths/m or die "$debian has no http";
	append_to_file("$folder/nginx.conf",
		"daemon off;\npid $folder/nginx.pid;\nerror_log $folder/nginx.error.log;\n$main");
	return ('nginx', '-e', "$folder/nginx.error.log", '-c', "$folder/nginx.conf");
}

sub start_apache
{
	my ($port) = @_;
	my $debian = '/etc/apache2/apache2.conf';

	return unless has_program('apache2') && -e $debian;
	my $main = slurp_file($debian);
	my $mine = "<Directory $folder>\nRequire all granted\n</Directory>\n" . settings('apache', $port, "Alias /default $folder/default\n");

	# a2enmod headers rewrite
	foreach my $module ('headers', 'rewrite')
	{
		$mine = slurp_file("/etc/apache2/mods-available/$module.load") . $mine unless -e "/etc/apache2/mods-enabled/$module.load";
	}

	# By another path, so that the settings of the directory do not hold.
	system('cp', '-r', $maps, "$folder/default") == 0 or die 'cp failed';
	$main =~ s{^Include ports\.conf$}{ServerName localhost\nListen 127.0.0.1:$port}m
	  or die "$debian listens nowhere";
	$main =~ s{^IncludeOptional sites-enabled.*$}{$mine}m or die "$debian includes no sites";
	append_to_file("$folder/apache2.conf", $main);
	$ENV{$_} = $folder foreach qw(APACHE_RUN_DIR APACHE_LOCK_DIR APACHE_LOG_DIR);
	$ENV{APACHE_PID_FILE} = "$folder/apache2.pid";
	@ENV{qw(APACHE_RUN_USER APACHE_RUN_GROUP)} = (scalar getpwuid($>), scalar getgrgid((split / /, $))[0]));
	return ('apache2', '-D', 'FOREGROUND', '-d', '/etc/apache2', '-f', "$folder/apache2.conf");
}

# Start a server, and wait until it answers.
sub start
{
	my ($name, @command) = @_;
	my $end = time + $timeout;
	my $output = '';

	$process = IPC::Run::start(\@command, '<', \undef, '>', \$output, '2>&1');
	until (IO::Socket::INET->new($base =~ m{//(.*)}))
	{
		usleep(10_000);
		die "$name does not start: $output" if time > $end || !$process->pumpable;
		$process->pump_nb;
	}
	pass("$name starts");
	return;
}

sub stop
{
	my ($name) = @_;

	$process->signal('TERM');
	$process->finish;
	is($process->full_result(0), 0, "$name stops");
	undef $process;
	return;
}

# A gzipped part of the set.
sub part
{
	return $node->safe_psql('postgres', q{SELECT min(name) FROM site_files WHERE name LIKE '%.gz'});
}

# From robots.txt to the index to each file, with the bytes of the table.
sub check_set
{
	my ($name) = @_;
	my ($index) = fetch('/robots.txt')->{body} =~ m{^Sitemap: https://www\.example\.com(/.*)$}m;

	is($index, '/sitemap.xml', "$name: robots.txt names the index");
	my @listed =
	  fetch($index)->{body} =~ m{<loc>https://www\.example\.com(/[^<]*)</loc>}g;
	is( scalar @listed,
		$node->safe_psql('postgres', q{SELECT count(*) FROM site_files WHERE kind <> 'index'}),
		"$name: the index lists each part");
	cmp_ok(scalar(grep { /\.gz$/ } @listed), '>=', 3, "$name: gzipped ones");
	cmp_ok(scalar(grep { /\.xml$/ } @listed), '==', 1, "$name: and a plain one");

	my $urls = 0;
	foreach my $path ($index, @listed)
	{
		$urls += () = check_file($name, $path, slurp_file($maps . $path)) =~ /<url>/g;
	}
	is($urls, 25001, "$name: all pages are there");
	return;
}

# A file as clients get it that take gzip, and those that do not.  Returns the document.
sub check_file
{
	my ($name, $path, $content, $type) = @_;
	my $label = "$name: $host$path";
	my $document = $content;
	gunzip(\$content, \$document) if $path =~ /\.gz$/;

	my $answer = fetch($path, '--compressed');
	is($answer->{status}, 200, $label);
	like($answer->{'content-type'}, $type // qr{^application/xml$}, "$label, Content-Type");
	ok($answer->{body} eq $document, "$label is the document");
	like($answer->{etag}, qr/^(W\/)?"/, "$label, ETag");
	like($answer->{'last-modified'}, qr/ GMT$/, "$label, Last-Modified");
	is($answer->{'x-robots-tag'}, 'noindex', "$label, X-Robots-Tag");
	is(fetch($path, '--compressed', '-H', "If-None-Match: $answer->{etag}")->{status}, 304, "$label, If-None-Match");
	if ($path =~ /\.gz$/)
	{
		is($answer->{'content-encoding'}, 'gzip', "$label, Content-Encoding");
		ok(fetch($path, '-H', 'Accept-Encoding: gzip')->{body} eq $content, "$label goes out as it is on disk");
		is(fetch($path, '--http1.0', '-H', 'Via: 1.1 cdn', '-H', 'Accept-Encoding: gzip')->{'content-encoding'},
			'gzip', "$label, through a proxy, too");
	}
	$answer = fetch($path);
	is($answer->{'content-encoding'}, undef, "$label, no gzip unless asked for");
	like($answer->{'content-type'}, $type // qr{^application/xml$}, "$label, Content-Type then");
	ok($answer->{body} eq $document, "$label is the document then");
	return $document;
}

# 304 where the client has the file, until a run changes it.
sub check_conditions
{
	my ($name) = @_;

	foreach my $path ('/sitemap.xml', '/' . part())
	{
		my @gzip = ('-H', 'Accept-Encoding: gzip');

		# The index can be a second ahead of the clock, since it is later than the one
		# that it replaced.  Apache never sends a date in the future: until then,
		# Last-Modified is the time of the request.
		usleep(10_000) until time >= (stat $maps . $path)[9];
		is(fetch($path, @gzip, '-H', 'If-Modified-Since: ' . fetch($path, @gzip)->{'last-modified'})->{status},
			304, "$name: $path, If-Modified-Since");
		is(fetch($path, @gzip, '-H', 'If-None-Match: "another"')->{status},
			200, "$name: $path, another ETag");
	}
	return;
}

# Nothing but the set: not what the export keeps for itself, and no other directory.
sub check_refusals
{
	my ($name) = @_;

	foreach my $path (qw(/.sitemap_export /none.xml /none.xml.gz /a/sitemap.xml),
		'/..%2fsitemaps%2fsitemap.xml')
	{
		like(fetch($path)->{status}, qr/^40[034]$/, "$name: no $path");
	}

	is(fetch("/$_")->{body}, "the site's $_", "$name: $_ is the site's") foreach 'other.xml', 'notes.txt', 'backup.gz';
	is(fetch('/sitemap.xml.gz')->{status}, 404, "$name: no compressed form of the index");

	# A directory that the web server may not read: "Couldn't fetch" in Search Console.
	chmod 0, $maps or die $!;
	like(fetch($_)->{status}, qr/^40[34]$/, "$name: $_ of a directory that it may not read")
	  foreach '/sitemap.xml', '/' . part();
	chmod 0755, $maps or die $!;
	return;
}

# Sections that come and go while the server runs, under all names that a file can have.
sub check_new_sections
{
	my ($name) = @_;
	my $publish = sub {
		my ($section, $options) = @_;

		return "SELECT count(*) FROM sitemap_publish('site_files', 'SELECT ''/$section'' AS loc', 'https://www.example.com/', section => '$section', $options)";
	};
	my $export = "SELECT count(*) FROM sitemap_export('$maps', 'TABLE site_files')";

	$node->safe_psql('postgres', $_) foreach $publish->('recent', "index => 'section'"), $publish->('plain', "format => 'txt', compression => 0"),
	  $publish->('packed', "format => 'txt'"), $export;
	my @files = map { [ split /\|/ ] } split /\n/, $node->safe_psql('postgres',
		q{SELECT name, kind, encode(content, 'hex') FROM site_files WHERE section IN ('recent', 'plain', 'packed') ORDER BY name});

	is(join(' ', map { $_->[0] =~ s/-\w+//r } @files), 'packed.txt.gz plain.txt recent.xml.gz recent.xml', "$name: new sections");
	foreach (@files)
	{
		my ($file, $kind, $content) = @$_;

		check_file($name, "/$file", pack('H*', $content), $kind eq 'text' ? qr{^text/plain} : undef);
	}
	$node->safe_psql('postgres', $_) foreach q{DELETE FROM site_files WHERE section IN ('recent', 'plain', 'packed')},
	  q{SELECT count(*) FROM sitemap_publish_index('site_files', 'https://www.example.com/')}, $export;
	is(fetch("/$_->[0]")->{status}, 404, "$name: $_->[0] is gone") foreach @files;
	return;
}

# Each tenant has its own files, by host and path.
sub check_tenants
{
	my ($name) = @_;
	my @files = map { [ split /\|/ ] }
	  split /\n/, $node->safe_psql('postgres', q{SELECT base_url, name, encode(content, 'hex') FROM shop_files ORDER BY base_url, name});

	cmp_ok(scalar @files, '==', 6, "$name: three tenants of two files");
	foreach (@files)
	{
		my ($base_url, $file, $content) = @$_;
		local $host = $base_url =~ s{^https://|/.*}{}gr;
		my $path = $base_url =~ s{^https://[^/]*}{}r;

		check_file($name, "$path$file", pack('H*', $content));
		is(fetch("${path}de/$file")->{status}, 404, "$name: ${base_url}de/$file is none");
		like(fetch("$path.sitemap_export")->{status}, qr/^40[34]$/, "$name: ${base_url}.sitemap_export is none");
	}
	local $host = 'Coffee.Example:8080';
	is(fetch('/en/sitemap.xml')->{status}, 200, "$name: a host in capitals, with a port");
	foreach my $other ('tea.example', 'www.example.com', '..')
	{
		$host = $other;
		like(fetch('/en/sitemap.xml')->{status}, qr/^40[04]$/, "$name: no /en/sitemap.xml of $host");
	}
	return;
}

# Requests go to the program with their path and host, and those that it refuses to the site.
sub check_proxy
{
	local $host = 'proxy.example';
	my $listener = IO::Socket::UNIX->new(Local => "$folder/proxied", Listen => 1) or die $!;
	my $program = fork // die $!;

	if ($program == 0)
	{
		while (my $client = $listener->accept)
		{
			my ($path, $asked) = ('', '');
			while (defined(my $line = <$client>))
			{
				$path = $1 if $line =~ m{^GET (\S+)};
				$asked = $1 if $line =~ /^Host: (\S+)/i;
				last if $line =~ /^\r?\n/;
			}
			print $client 'HTTP/1.0 ' . ($path =~ /products/ ? '200 OK' : '404 Not Found') . "\r\n\r\n$asked$path";
			close $client;
		}
		POSIX::_exit(0);
	}
	chmod 0777, "$folder/proxied";
	is(fetch('/maps/products-1.xml.gz')->{body}, 'proxy.example/maps/products-1.xml.gz', 'nginx: the proxy passes on host and path');
	is(fetch('/other.xml')->{body}, "the site's other.xml", 'nginx: a file of the site');
	is(fetch('/none.xml')->{status}, 404, 'nginx: and no other file');
	kill 'KILL', $program;
	waitpid $program, 0;
	return;
}

# What curl gets for a path: a hash with the status, the body, and each header line
# by its name in lower case.
sub fetch
{
	my ($path, @options) = @_;
	my @command = (
		'curl', '-q', '-sS', '-i', '--noproxy', '*', '--path-as-is',
		'-H', "Host: $host", @options, $base . $path);
	my ($stdout, $stderr);

	IPC::Run::run(\@command, '>', \$stdout, '2>', \$stderr, IPC::Run::timeout($timeout))
	  or die "@command: $stderr";
	my ($head, $body) = split /\r\n\r\n/, $stdout, 2;
	my ($status, @lines) = split /\r\n/, $head;
	my %answer = map { /^([^:]*): *(.*)/ ? (lc $1 => $2) : () } @lines;

	($answer{status}) = $status =~ m{^HTTP/\S+ (\d+)};
	$answer{body} = $body;
	return \%answer;
}
