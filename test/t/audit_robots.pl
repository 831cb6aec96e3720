# The rules of a robots.txt: random ones, and what RFC 9309 says about random URLs, by a
# model that has regular expressions for rules and no regard to speed.  And the guide's
# script that gets a robots.txt.
use FindBin;
use lib $FindBin::RealBin;
use Node;

my $node = start_node();
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE robots (id int, robots text);
	CREATE TABLE url (id int, path text)});

my @agents = qw(Foobot foo bar-bot);
my $unreserved = qr/[A-Za-z0-9\-._~]/;
my $decisions = 0;

srand(20261122);
foreach my $round (1 .. 20)
{
	my @robots = map { random_robots() } 1 .. 100;
	my @paths = map { random_path() } 1 .. 60;
	my @wanted;

	foreach my $i (0 .. $#robots)
	{
		my @rules = map { [ rules_for($robots[$i], $_) ] } @agents;
		foreach my $k (0 .. $#paths)
		{
			my $path = without_dots(form("/$paths[$k]" =~ s/#.*//sr));
			foreach my $n (0 .. $#agents)
			{
				my $rule = $path eq '/robots.txt' ? undef : decide($path, $rules[$n]);
				push @wanted, "$i $k $agents[$n] $rule->{line}" if $rule && !$rule->{allow};
				$decisions++;
			}
		}
	}

	my $values = sub {
		my $n = 0;
		return join ', ', map { sprintf q{(%d, convert_from('\x%s', 'UTF8'))}, $n++, unpack 'H*', $_ } @_;
	};
	my $found = sql(qq{
		TRUNCATE robots, url;
		INSERT INTO robots VALUES ${\$values->(@robots)};
		INSERT INTO url VALUES ${\$values->(@paths)};
		-- twenty at a time: a rule that forbids more than half of more URLs is one row
		SELECT r.id, 20 * part + a.row_number - 1, agent, substring(detail FROM ': line (\\d+) of')
		  FROM robots r, generate_series(0, 2) part,
		       LATERAL sitemap_audit(format('SELECT ''http://a/'' || path AS loc FROM public.url WHERE id / 20 = %s ORDER BY id', part),
		                             'http://a/', robots => robots, agents => '{${\join ',', @agents}}') a,
		       LATERAL regexp_split_to_table(substring(detail FROM '^(.*) must not fetch'), ', | and ') agent
		 WHERE problem = 'robots_disallowed'});
	is_deeply(
		[ sort map { tr/|/ /r } split /\n/, $found ],
		[ sort @wanted ],
		sprintf '%d forbidden of %d URLs, for %d robots.txt and %d agents',
		scalar @wanted, scalar @paths, scalar @robots, scalar @agents);
}
cmp_ok($decisions, '>', 300_000, "$decisions decisions");

# The guide's script stops where there is no robots.txt.
SKIP:
{
	skip 'curl is not here', 4 if system('curl --version >/dev/null 2>&1') != 0;
	my $dir = PostgreSQL::Test::Utils::tempdir();
	my ($script) = slurp_file("$FindBin::RealBin/../../doc/guide.md") =~ /^```pgsql\n(\\set robots.*?)^```/ms;
	$script =~ s{https://www\.example\.com/robots\.txt}{file://$dir/robots.txt};
	sql(q{
		CREATE TABLE site OF sitemap_job;
		INSERT INTO site (section, base_url, query) VALUES ('pages', 'https://www.example.com/', 'SELECT ''/cart'' AS loc, 1 AS key')});

	append_to_file("$dir/robots.txt", "User-agent: *\nDisallow: /cart\nSitemap: https://www.example.com/sitemap.xml\n");
	my ($status, $stdout, $stderr) = $node->psql('postgres', $script);
	like($stdout, qr{\Apages\|1\|/cart\|robots_disallowed\|.*\z}, "the guide's script, with a robots.txt");
	is($stderr, '', 'it says nothing else');
	unlink "$dir/robots.txt";
	($status, $stdout, $stderr) = $node->psql('postgres', $script);
	is($stdout, '', 'without one, it audits nothing');
	like($stderr, qr/^robots\.txt was not fetched$/m, 'and says so');
}

$node->stop;
done_testing();

sub pick
{
	return $_[ rand @_ ];
}

# A few pieces of paths, which often match each other.
sub random_path
{
	return pick('robots.txt', '', 'robots.txt?') if rand() < 0.05;
	return join '', map { pick(qw(a b c A / // . ? = & - ~ % %61 %2f %2F %2A %24 %c3%BC %zz), "\xC3\xBC", '$', '*', '!', '[', '"', ' a', '#') }
	  1 .. rand 9;
}

sub random_rule
{
	my $rule = join '',
	  map { pick(qw(a b c A / // . ? = & - ~ % %61 %2f %2F %2A %24 %c3%BC %zz ** * * * $), "\xC3\xBC", '!', '[', '"', ' ', '#') } 1 .. rand 7;

	return pick('/', '/', '/', '*', '') . $rule . pick('', '', '', '$', '*$', ' ', "\t");
}

sub random_robots
{
	my $end = pick("\n", "\r", "\r\n");
	my @lines = map {
		pick(
			sub { pick('User-agent', 'user-AGENT', ' User-agent ') . ':' . pick('', ' ') . pick('foo', 'FOOBOT', 'Foobot/2.1', 'bar-bot', 'bar', '*', '* x', '*x', '', 'foo bar') },
			sub { pick('Disallow', 'disallow', "Disallow\t") . ':' . pick('', ' ') . random_rule() },
			sub { pick('Disallow', 'Allow') . ': ' . random_rule() },
			sub { pick('Allow', 'aLLOW', ' Allow') . ':' . pick('', ' ') . random_rule() },
			sub { pick('', '# x', 'Sitemap: http://a/s', 'Crawl-delay: 1', 'Disallow /', 'Allow # : /', 'Disallow:') })->()
	} 1 .. rand 20;

	return pick('', '', "\xEF\xBB\xBF") . join('', map { $_ . $end } @lines);
}

# The lines of a robots.txt: [number, key, value]
sub read_lines
{
	my ($robots) = @_;
	my $number = 0;
	my @lines;

	$robots =~ s/^\xEF\xBB\xBF//;
	foreach my $line (split /\r\n|\r|\n/, $robots, -1)
	{
		$number++;
		$line =~ s/#.*//;
		push @lines, [ $number, lc $1, $2 // $3 ] if $line =~ /^[ \t]*([A-Za-z-]+)(?:[ \t]*:[ \t]*(.*?)|[ \t]+([^ \t:]+))[ \t]*$/;
	}
	return @lines;
}

sub names
{
	my ($value, $agent) = @_;

	return $value =~ /^([A-Za-z_-]*)/ && lc $1 eq lc $agent;
}

# The rules that an agent obeys.
sub rules_for
{
	my ($robots, $agent) = @_;
	my @lines = read_lines($robots);
	my $is_named = grep { $_->[1] eq 'user-agent' && names($_->[2], $agent) } @lines;
	my ($obeys, $has_rules) = (0, 0);
	my @rules;

	foreach (@lines)
	{
		my ($number, $key, $value) = @$_;
		if ($key eq 'user-agent')
		{
			($obeys, $has_rules) = (0, 0) if $has_rules;
			$obeys ||= $is_named ? names($value, $agent) : $value =~ /^\*(?:[ \t]|$)/;
		}
		elsif ($key eq 'allow' || $key eq 'disallow')
		{
			$has_rules = 1;
			push @rules, read_rule($value, $number, $key eq 'allow') if $obeys && $value ne '';
		}
	}
	return @rules;
}

# The one form of a path and a rule: RFC 9309, section 2.2.2.
sub form
{
	my ($s) = @_;
	my $result = '';

	while ($s =~ /\G(?:%([0-9A-Fa-f]{2})|(.))/gs)
	{
		my $octet = $2 // chr hex $1;
		my $stays = defined $2 ? $octet =~ m{$unreserved|[!&'()+,/:;=?@]} : $octet =~ $unreserved;
		$result .= $stays ? $octet : sprintf '%%%02X', ord $octet;
	}
	return $result;
}

# A path without its dot segments: RFC 3986, section 5.2.4.
sub without_dots
{
	my ($path, $query) = $_[0] =~ /^([^?]*)(.*)$/s;
	my (undef, @segments) = split m{/}, $path, -1;
	my @result;

	foreach my $i (0 .. $#segments)
	{
		my $is_dots = $segments[$i] =~ /^\.\.?$/;

		pop @result if $segments[$i] eq '..';
		push @result, $segments[$i] if !$is_dots;
		push @result, '' if $is_dots && $i == $#segments;
	}
	return join('', map { "/$_" } @result) . $query;
}

sub read_rule
{
	my ($value, $line, $allow) = @_;
	my $is_whole = $value =~ s/\$$//;
	my @pieces = split /\*/, $value, -1;
	my $dollars = () = $value =~ /\$/g;
	my $regex = join '.*', map { quotemeta form($_) } @pieces;

	$regex .= '\z' if $is_whole;
	return {
		line => $line,
		allow => $allow,
		regex => qr/^$regex/s,
		length => $is_whole + $#pieces - 2 * $dollars + length join '', map { form($_) } @pieces };
}

# The longest rule that matches; among several an "Allow", then the first.
sub decide
{
	my ($path, $rules) = @_;
	my $best;

	foreach my $rule (@$rules)
	{
		next if $path !~ $rule->{regex};
		next if $best && $best->{length} > $rule->{length};
		next if $best && $best->{length} == $rule->{length} && ($best->{allow} || !$rule->{allow});
		$best = $rule;
	}
	return $best;
}
