# Runs with changes leave what a full run leaves: the same names, boundaries, keys
# and contents, whatever the edits.
#
# SEED=n takes other edits, and STEPS=n so many steps of them; SIMULATION=name takes one simulation.
use FindBin;
use lib $FindBin::RealBin;
use Node;

my $node = start_node("max_parallel_workers_per_gather = 0\nTimeZone = UTC\n");
sql('CREATE EXTENSION sitemap; CREATE DOMAIN public.page_number AS int CHECK (VALUE > -1000)');

our $steps = $ENV{STEPS} // 250;
our $locs = 30000;
my $seed = $ENV{SEED} // 66242;

# A key has one large row at most, since all rows of a key have to fit into a file.
my $wrapped = q{
	SELECT CASE kind WHEN 'bad' THEN 'ftp:' WHEN 'null' THEN NULL ELSE loc || CASE WHEN kind = 'big' AND part = 1 THEN '/' || repeat('x', 1500) ELSE '' END END AS loc,
	       CASE kind WHEN 'news' THEN public.sitemap_news('n', 'en', date '2026-01-01', 't') END AS extensions,
	       key
	  FROM page -- where
	 ORDER BY key, part};
my $bounded = $wrapped =~ s/-- where/WHERE (\$1 IS NULL OR key >= \$1) AND (\$2 IS NULL OR key < \$2)/r;

my @kinds = ('page', 'page', 'page');
my $text = q{(CASE WHEN n % 7 = 0 THEN 'É' WHEN n % 5 = 0 THEN 'é' WHEN n % 3 = 0 THEN 'E' ELSE 'e' END) || lpad((n + 1000)::text, 1 + n % 6, '0')};

simulate('int', 'int', 'int', 'n', ', max_urls => 40', 2000, 1, [ @kinds, 'bad', 'null' ], 1, q{, on_invalid => 'skip'});
simulate('bigint', 'bigint', 'bigint', 'n::bigint * 10000000000', ', max_urls => 60', 1200, 5, \@kinds);
simulate('text in C', 'text', 'text COLLATE "C"', $text, ', max_urls => 20', 1500, 2, \@kinds);
simulate('padded text', 'bpchar', 'char(9) COLLATE "POSIX"', $text, ', max_urls => 30', 1500, 2, \@kinds);
# Each run is a transaction, which keeps its snapshot.
{
	local $ENV{PGOPTIONS} = '-c default_transaction_isolation=repeatable\ read';
	simulate('uuid', 'uuid', 'uuid', 'md5(n::text)::uuid', ', max_urls => 25', 2000, 1, \@kinds, 1);
	$ENV{PGOPTIONS} = '-c default_transaction_isolation=serializable';
	simulate('timestamptz', 'timestamptz', 'timestamptz', q{timestamptz 'epoch' + n * interval '7 minutes 0.1 seconds'}, ', max_urls => 50', 2500, 1, \@kinds);
}
simulate('a domain', 'public.page_number', 'public.page_number', 'n', ', max_urls => 45', 1000, 3, \@kinds, 1);
simulate('bytes', 'int', 'int', 'n', ', max_bytes => 5000', 1500, 1, [ @kinds, 'big' ]);
simulate('URLs and bytes', 'int', 'int', 'n', ', max_urls => 20, max_bytes => 3500', 1200, 1, [ @kinds, 'big' ]);
simulate('bytes, text', 'int', 'int', 'n', q{, max_bytes => 4000, format => 'txt'}, 1500, 2, [ @kinds, 'big' ]);
simulate('entries that are too large', 'timestamp', 'timestamp', q{timestamp 'epoch' + n * interval '20 minutes'}, q{, max_bytes => 1400, on_invalid => 'skip'}, 1500, 1, [ @kinds, 'big', 'bad' ]);
{
	local $locs = 20;
	simulate('the same locs', 'int', 'int', 'n', ', max_urls => 25', 2000, 2, \@kinds);
}
{
	local $steps = $steps / 4;
	simulate('news', 'int', 'int', 'n', ', max_urls => 1500', 15000, 1, [ 'page', 'news' ]);
}

$node->stop;
done_testing();

sub simulate
{
	my ($name, $type, $column, $key, $options, $numbers, $parts, $kinds, $two, $more) = @_;
	my $this_seed = $seed++;
	my $schema = 's' . $this_seed;
	my $query = $this_seed % 2 ? $wrapped : $bounded;

	return if $ENV{SIMULATION} && $ENV{SIMULATION} ne $name;
	sql((slurp_file('test/t/pages.sql') . slurp_file('test/t/changes.sql')) =~ s/page_key/$type/gr,
		extra_params => [ map { ('-v', $_) } "schema=$schema", "type=$type", "column=$column", "key=$key" ]);
	my ($status, $stdout, $stderr) = $node->psql(
		'postgres', sprintf(
			q{SET client_min_messages = error; SET test.locs = %d; SET test.kinds = '{%s}'; SET search_path = %s, public; SELECT setseed(%f);
			CALL simulate($q$%s$q$, $q$%s$q$, %d, %d, %d, %s, NULL, NULL)},
			$locs, join(',', @$kinds), $schema, $this_seed / 1_000_000, $query, $options . ($more // ''), $numbers, $parts,
			$steps, $two ? 'true' : 'false'));
	is($status, 0, "$name, seed $this_seed: $steps steps") or diag("SIMULATION='$name' SEED=$this_seed STEPS=$steps: $stderr");
	my ($partial, $looked_at) = $stdout =~ /(\d+)\|(\d+)$/ or return;

	note(sprintf('%s: %d partial runs, which looked at %.1f files each', $name, $partial, $looked_at / ($partial || 1)));
	cmp_ok($partial, '>', $steps / 4, "$name: runs are partial");
	return;
}
