# Memory that does not grow: 100,000 calls of each function in one session, 10,000
# of those that write to a table, half of them with arguments that it refuses.
use FindBin;

use lib $FindBin::RealBin;
use Node;
use Session;

my $node = start_node("autovacuum = off\n");
$node->safe_psql('postgres', 'CREATE EXTENSION sitemap');

my $session = Session->start($node, 'postgres', on_error_stop => 0);

plan skip_all => 'no /proc here' unless defined memory_of($session->{pid}, 'RssAnon');

# Each function and how it is called: with what it takes, and with what it refuses.
my $loc = q{'http://a/' || n};
my $bad = q{'ftp://a/' || n};
my %date = (
	'timestamp with time zone' => q{timestamptz '2026-01-02 03:04:05Z'},
	'timestamp without time zone' => q{timestamp '2026-01-02 03:04:05'},
	date => q{date '2026-01-02'},
	text => q{'2026-01-02'::text});
my $query = q{'SELECT ''/'' AS loc'};
my $refused = q{'SELECT ''ftp://a/'' AS loc'};
my $options = 'text,integer,integer,bigint,text,text,text,text,text,text';
my $dir = PostgreSQL::Test::Utils::tempdir();
my $document = q{'<urlset><url><loc>http://a/' || n || '</loc><x:y xmlns:x="x"/></url>'};
my %document = (text => '%s', bytea => q{convert_to(%s, 'UTF8')});
my %calls = (
	(map { ("sitemap_agg(text,$_)" => [ "sitemap_agg($loc, $date{$_})", "sitemap_agg($bad, $date{$_})" ]) } keys %date),
	(map { ("sitemap_agg(text,$_,text,double precision)" => [ map { "sitemap_agg($loc, $_)" } "$date{$_}, 'daily', 0.5", "$date{$_}, 'daily', 7" ]) } keys %date),
	(map { ("sitemap_index_agg(text,$_)" => [ "sitemap_index_agg($loc, $date{$_})", "sitemap_index_agg($bad, $date{$_})" ]) } keys %date),
	(map { ("$_(text)" => [ "$_($loc)", "$_($bad)" ]) } 'sitemap_agg', 'sitemap_index_agg', 'sitemap_text_agg'),
	'sitemap_agg(xml)' => [ "sitemap_agg(sitemap_url($loc))", q{sitemap_agg(sitemap_image('http://a/' || n))} ],
	'sitemap_url(text,"any",text,double precision,xml[])' => [ "sitemap_url($loc, date '2026-01-02', 'daily', 0.5)", "sitemap_url($bad)" ],
	'sitemap_news(text,text,"any",text,text,text,text,text)' => [ "sitemap_news('n' || n, 'en', date '2026-01-02', 't')", "sitemap_news('n' || n, 'xyzzy', '2026', 't')" ],
	'sitemap_image(text,text,text,text,text)' => [ "sitemap_image($loc, 'c')", "sitemap_image($bad)" ],
	'sitemap_video(text,text,text,text,text,integer,"any",double precision,text[],bigint,"any",'
	  . 'text[],text,"any",text,text,numeric[],"any",text,text,"any",text[],"any",text,integer[],'
	  . 'text,text,text[],text[],text[],text,text,text[])' => [
		"sitemap_video($loc, 't', 'd', 'http://c/', expiration_date => date '2030-01-02', tag => ARRAY['a', 'b'])", "sitemap_video($loc, 't', 'd')" ],
	'sitemap_encode(text,text)' => [ "sitemap_encode(repeat($loc, 100), '/')", q{1 / (length(sitemap_encode('?' || n)) - length('?' || n) - 2)} ],
	'sitemap_alternate(text,text)' => [ map { "sitemap_alternate('de', $_)" } $loc, $bad ],
	'sitemap_alternates(jsonb)' => [ map { "sitemap_alternates(jsonb_build_object('de', $_))" } $loc, $bad ],
	"sitemap_files(text,text,text,$options)" => [ "sitemap_files($query, 'http://a/', compression => n % 2)", "sitemap_files($refused, 'http://a/', compression => 1)" ],
	"sitemap_audit(text,text,text,$options,text,text[])" => [ map { "sitemap_audit($_, 'http://a/')" } $refused, q{'SELECT 1 / 0 AS loc'} ],
	"sitemap_publish(regclass,text,text,text,$options,double precision,text,regclass,timestamp with time zone)" => [
		map { "sitemap_publish('target', $_, 'http://a/')" } $query, $refused ],
	'sitemap_publish_index(regclass,text,text,text)' => [ map { "sitemap_publish_index('target', '$_')" } 'http://a/', 'ftp://b/' ],
	'sitemap_export(text,text,text)' => [ map { "sitemap_export('$dir', 'SELECT ''$_'' AS name, ''a'' AS content')" } 'a.xml', '/' ],
	(map {
			my $type = $_;
			("sitemap_parse($type,bigint,text)" => [ map { sprintf "sitemap_parse($document{$type})", "$document || '$_'" } '</urlset>', '</url>' ],
			  "sitemap_kind($type)" => [ sprintf("sitemap_kind($document{$type})", "$document || '</urlset>'"),
				sprintf("1 / coalesce(length(sitemap_kind($document{$type})), 0)", q{'<!DOCTYPE html>'}) ])
		} keys %document),
	'sitemap_columns(xml[])' => [
		q{(SELECT count(images) FROM sitemap_columns(ARRAY[('<i:image xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><i:loc>' || n || '</i:loc></i:image>')::xml]))},
		q{(SELECT count(images) FROM sitemap_columns(ARRAY[n::text::xml]))} ],
	'sitemap_watch(regclass,name,regclass,name[])' => [ q{concat(sitemap_watch('page', 'id', 'queue'))}, q{sitemap_watch('page', 'none', 'queue')} ],
	'sitemap_unwatch(regclass,regclass)' => [ q{concat(sitemap_watch('page', 'id', 'queue'), sitemap_unwatch('page', 'queue'))}, q{sitemap_unwatch('queue', 'page')} ],
	'sitemap_status(regclass)' => [ q{(SELECT count(*) FROM sitemap_status('job'))}, q{sitemap_status('page')} ],
	'_sitemap_watch()' => [ q{write_page('watched') + write_page('without_queue')}, q{write_page('refused')} ]);

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
	CREATE TABLE refusing_queue (id int, number int DEFAULT 1 / (random() * 0)::int);
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

	$fresh->query_safe("SET client_min_messages = error; $statement");
	my $peak = memory_of($fresh->{pid}, 'VmHWM');
	$fresh->quit;
	return $peak;
}

# Check that memory does not grow in ten rounds.
sub check_growth
{
	my ($name, $round) = @_;

	# Rounds alike: what malloc keeps for the next one is there after two.
	$round->() foreach 1 .. 2;
	my ($resident, $contexts) = (memory_of($session->{pid}, 'RssAnon'), contexts());
	$round->() foreach 3 .. 10;
	my $growth = memory_of($session->{pid}, 'RssAnon') - $resident;

	# A block that malloc takes once can be larger than the limit: a leak goes on.
	if ($growth >= 1024)
	{
		note("$name: $growth kB at first");
		$resident = memory_of($session->{pid}, 'RssAnon');
		$round->() foreach 1 .. 8;
		$growth = memory_of($session->{pid}, 'RssAnon') - $resident;
	}

	cmp_ok($growth, '<', 1024, "$name, $growth kB");
	cmp_ok(contexts() - $contexts, '<=', 16384, 'nor do the memory contexts grow');
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

sub contexts
{
	return $session->query_safe('SELECT sum(total_bytes) FROM pg_backend_memory_contexts');
}
