# Memory that does not grow: 100,000 calls of each function in one session, 10,000
# of those that write to a table, half of them with arguments that it refuses.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Node;
use Session;

my $node = start_node("autovacuum = off\n");
$node->safe_psql('postgres', 'CREATE EXTENSION sitemap');

my $session = Session->start($node, 'postgres', on_error_stop => 0);
my $pid = $session->query_safe('SELECT pg_backend_pid()');

plan skip_all => 'no /proc here' unless defined resident();

# Each function and how it is called: with what it takes, and with what it refuses.
my $loc = q{'http://a/' || n};
my $bad = q{'ftp://a/' || n};
my %date = (
	'timestamp with time zone' => q{timestamptz '2026-01-02 03:04:05Z'},
	'timestamp without time zone' => q{timestamp '2026-01-02 03:04:05'},
	date => q{date '2026-01-02'},
	text => q{'2026-01-02'::text});
my %calls;

foreach my $type (sort keys %date)
{
	my $value = $date{$type};

	call("sitemap_agg(text,$type)", "sitemap_agg($loc, $value)", "sitemap_agg($bad, $value)");
	call("sitemap_agg(text,$type,text,double precision)",
		"sitemap_agg($loc, $value, 'daily', 0.5)",
		"sitemap_agg($loc, $value, 'daily', 7)");
	call("sitemap_index_agg(text,$type)",
		"sitemap_index_agg($loc, $value)",
		"sitemap_index_agg($bad, $value)");
}
call('sitemap_url(text,"any",text,double precision,xml[])', "sitemap_url($loc, date '2026-01-02', 'daily', 0.5)", "sitemap_url($bad)");
call(
	'sitemap_news(text,text,"any",text,text,text,text,text)',
	"sitemap_news('n' || n, 'en', date '2026-01-02', 't')",
	"sitemap_news('n' || n, 'xyzzy', '2026', 't')");
call('sitemap_image(text,text,text,text,text)', "sitemap_image($loc, 'c')", "sitemap_image($bad)");
call(
	'sitemap_video(text,text,text,text,text,integer,"any",double precision,text[],bigint,"any",'
	  . 'text[],text,"any",text,text,numeric[],"any",text,text,"any",text[],"any",text,integer[],'
	  . 'text,text,text[],text[],text[],text,text,text[])',
	"sitemap_video($loc, 't', 'd', 'http://c/', expiration_date => date '2030-01-02', tag => ARRAY['a', 'b'])",
	"sitemap_video($loc, 't', 'd')");
call('sitemap_encode(text,text)', "sitemap_encode(repeat($loc, 100), '/')", q{1 / (length(sitemap_encode('?' || n)) - length('?' || n) - 2)});
call('sitemap_alternate(text,text)', "sitemap_alternate('de', $loc)", "sitemap_alternate('de', $bad)");
call(
	'sitemap_alternates(jsonb)',
	"sitemap_alternates(jsonb_build_object('de', $loc))",
	"sitemap_alternates(jsonb_build_object('de', $bad))");
call('sitemap_agg(text)', "sitemap_agg($loc)", "sitemap_agg($bad)");
call('sitemap_agg(xml)', "sitemap_agg(sitemap_url($loc))", q{sitemap_agg(sitemap_image('http://a/' || n))});
call('sitemap_index_agg(text)', "sitemap_index_agg($loc)", "sitemap_index_agg($bad)");
call('sitemap_text_agg(text)', "sitemap_text_agg($loc)", "sitemap_text_agg($bad)");

my $query = q{'SELECT ''/'' AS loc'};
my $refused = q{'SELECT ''ftp://a/'' AS loc'};
my $options = 'text,integer,integer,bigint,text,text,text,text,text,text';

call("sitemap_files(text,text,text,$options)",
	"sitemap_files($query, 'http://a/', compression => n % 2)",
	"sitemap_files($refused, 'http://a/', compression => 1)");
call("sitemap_audit(text,text,text,$options,text,text[])",
	"sitemap_audit($refused, 'http://a/')",
	"sitemap_audit('SELECT 1 / 0 AS loc', 'http://a/')");
call(
	"sitemap_publish(regclass,text,text,text,$options,double precision,text,regclass,timestamp with time zone)",
	"sitemap_publish('target', $query, 'http://a/')",
	"sitemap_publish('target', $refused, 'http://a/')");
call(
	'sitemap_publish_index(regclass,text,text,text)',
	"sitemap_publish_index('target', 'http://a/')",
	"sitemap_publish_index('target', 'ftp://b/')");

my $dir = PostgreSQL::Test::Utils::tempdir();
my $export = "sitemap_export('$dir', %s)";

call('sitemap_export(text,text,text)',
	sprintf($export, q{'SELECT ''a.xml'' AS name, ''a'' AS content'}),
	sprintf($export, q{'SELECT ''/'' AS name, ''a'' AS content'}));

my $document = q{'<urlset><url><loc>http://a/' || n || '</loc><x:y xmlns:x="x"/></url>' %s};

foreach my $type ('text', 'bytea')
{
	my ($to, $end) = $type eq 'text' ? ('', '') : (q{convert_to(}, q{, 'UTF8')});

	call("sitemap_parse($type,bigint,text)",
		sprintf("sitemap_parse($to$document$end)", q{|| '</urlset>'}),
		sprintf("sitemap_parse($to$document$end)", q{|| '</url>'}));
	call("sitemap_kind($type)",
		sprintf("sitemap_kind($to$document$end)", q{|| '</urlset>'}),
		"1 / coalesce(length(sitemap_kind(${to}'<!DOCTYPE html>'$end)), 0)");
}

call(
	'sitemap_columns(xml[])',
	q{(SELECT count(images) FROM sitemap_columns(ARRAY[('<i:image xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><i:loc>' || n || '</i:loc></i:image>')::xml]))},
	q{(SELECT count(images) FROM sitemap_columns(ARRAY[n::text::xml]))});
call(
	'sitemap_watch(regclass,name,regclass,name[])',
	q{concat(sitemap_watch('page', 'id', 'queue'))},
	q{sitemap_watch('page', 'none', 'queue')});
call(
	'sitemap_unwatch(regclass,regclass)',
	q{concat(sitemap_watch('page', 'id', 'queue'), sitemap_unwatch('page', 'queue'))},
	q{sitemap_unwatch('queue', 'page')});
call('sitemap_status(regclass)', q{(SELECT count(*) FROM sitemap_status('job'))}, q{sitemap_status('page')});
call('_sitemap_watch()', q{write_page('watched') + write_page('without_queue')}, q{write_page('refused')});

# What only an aggregate calls, in the plans of workers, too.
my $inner = '_sitemap_(text_|index_)?agg_(transfn|combine|serialize|deserialize|finalfn)';

is( $node->safe_psql(
		'postgres', qq{
		SELECT string_agg(objid::regprocedure::text, E'\\n' ORDER BY objid::regprocedure::text COLLATE "C")
		  FROM pg_depend
		 WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND classid = 'pg_proc'::regclass
		       AND objid NOT IN (SELECT oid FROM pg_proc WHERE proname ~ '^_sitemap' AND proname <> '_sitemap_watch' OR proname = 'sitemap_run')
		       AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sitemap')
		       AND objid::regprocedure::text !~ '^$inner'}),
	join("\n", sort keys %calls),
	'each function is called');
$session->query_safe('CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name))');
$session->query_safe(q{
	CREATE TABLE page (id int);
	CREATE TABLE job OF sitemap_job (section WITH OPTIONS DEFAULT 'sitemap', PRIMARY KEY (base_url, section));
	CREATE TABLE watched (id int);
	CREATE TABLE without_queue (id int);
	CREATE TABLE refused (id int);
	CREATE TABLE queue (id int);
	CREATE TABLE other_queue (id int);
	CREATE TABLE refusing_queue (id int CHECK (id = 0));
	SELECT sitemap_watch('watched', 'id', 'queue');
	SELECT sitemap_watch('without_queue', 'id', 'other_queue');
	SELECT sitemap_watch('refused', 'id', 'refusing_queue');
	DROP TABLE other_queue;
	CREATE FUNCTION write_page(name text) RETURNS int LANGUAGE plpgsql SET client_min_messages = error AS $$
	BEGIN
	  EXECUTE format('INSERT INTO %I VALUES (1)', name);
	  EXECUTE format('INSERT INTO %I VALUES (2), (3)', name);
	  EXECUTE format('UPDATE %I SET id = 2', name);
	  EXECUTE format('DELETE FROM %I', name);
	  DELETE FROM queue;
	  RETURN 1;
	END $$});

foreach my $function (sort keys %calls)
{
	my ($good, $bad) = @{ $calls{$function} };
	my $number = $function =~ /watch\(|status/ ? 2000 : $function =~ /^sitemap_publish/ ? 10000 : 100000;

	check_growth("$function: $number calls", sub { run($good, $bad, $number / 10) });
}

# A procedure that commits: not in a query.
$session->query_safe(q{
	CREATE TABLE job_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE bad_job OF sitemap_job (section WITH OPTIONS DEFAULT 'sitemap', PRIMARY KEY (base_url, section));
	INSERT INTO job (target, base_url, query) VALUES ('job_files', 'http://a/', 'SELECT ''/'' AS loc');
	INSERT INTO bad_job (target, base_url, query) VALUES ('job_files', 'http://b/', 'SELECT ''ftp://a/'' AS loc')});
check_growth(
	'sitemap_run(regclass): 2000 calls',
	sub {
		foreach (1 .. 100)
		{
			$session->query_safe("CALL sitemap_run('job')");
			$session->query_safe('UPDATE bad_job SET failures = 0');
			$session->query("CALL sitemap_run('bad_job')");
			die 'a bad job has no error' if $session->{stderr} !~ /1 job failed/;
			$session->{stderr} = '';
		}
	});

# In one call: messages of elements that are skipped take no memory.
my $elements = q{SELECT count(*) FROM sitemap_parse('<urlset %s>' || repeat('<a:b/>', 2000000) || '</urlset>',
	on_invalid => 'skip')};
my $declared = peak(sprintf $elements, 'xmlns:a="urn:a"');
my $undeclared = peak(sprintf $elements, 'xmlns:b="urn:a"');
cmp_ok($undeclared - $declared, '<', 8192, "undeclared prefixes: $undeclared kB, declared: $declared kB");

$session->quit;
$node->stop;
done_testing();

# The memory of a new session at its height, in kB.
sub peak
{
	my ($statement) = @_;
	my $fresh = Session->start($node, 'postgres');
	my $process = $fresh->query_safe('SELECT pg_backend_pid()');

	$fresh->query_safe("SET client_min_messages = error; $statement");
	my ($peak) = slurp_file("/proc/$process/status") =~ /^VmHWM:\s+(\d+) kB/m;
	$fresh->quit;
	return $peak;
}

# Check that memory does not grow in ten rounds.
sub check_growth
{
	my ($name, $round) = @_;

	# Rounds alike: what malloc keeps for the next one is there after two.
	$round->() foreach 1 .. 2;
	my ($resident, $contexts) = (resident(), contexts());
	$round->() foreach 3 .. 10;
	my $growth = resident() - $resident;

	# A block that malloc takes once can be larger than the limit: a leak goes on.
	if ($growth >= 1024)
	{
		note("$name: $growth kB at first");
		$resident = resident();
		$round->() foreach 1 .. 8;
		$growth = resident() - $resident;
	}

	cmp_ok($growth, '<', 1024, "$name, $growth kB");
	cmp_ok(contexts() - $contexts, '<=', 16384, 'nor do the memory contexts grow');
	return;
}

sub call
{
	my ($function, @arguments) = @_;

	$calls{$function} = \@arguments;
	return;
}

# So many calls, half of them with what is refused, which has to raise an error.
sub run
{
	my ($good, $bad, $number) = @_;
	my $half = $number / 2;
	my $group = $good =~ /^\w+_agg\(/ ? 'GROUP BY n' : '';

	my $count = $session->query_safe(
		"SELECT count(f) >= $half FROM (SELECT $good AS f FROM generate_series(1, $half) n $group) s");
	die "$good: not as many results as calls\n" if $count ne 't';
	$session->query_safe(
		qq{
		DO \$do\$
		BEGIN
		  FOR n IN 1 .. $half LOOP
		    BEGIN
		      PERFORM $bad;
		      RAISE SQLSTATE 'ZZ000';
		    EXCEPTION
		      WHEN SQLSTATE 'ZZ000' THEN RAISE 'an error is missing';
		      WHEN OTHERS THEN NULL;
		    END;
		  END LOOP;
		END
		\$do\$});
	return;
}

# The session's memory in kB, that of libraries too; undef if nobody says.
sub resident
{
	open(my $status, '<', "/proc/$pid/status") or return;
	my ($kilobytes) = join('', <$status>) =~ /^RssAnon:\s+(\d+)/m;

	close $status;
	return $kilobytes;
}

sub contexts
{
	return $session->query_safe('SELECT sum(total_bytes) FROM pg_backend_memory_contexts');
}
