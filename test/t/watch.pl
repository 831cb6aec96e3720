# sitemap_watch: the queue holds exactly the keys whose watched columns a statement
# changed, for random statements on tables of several kinds; and what happens to the
# triggers when tables are altered, or written to by other roles.
#
# SEED=n STEPS=n repeats a simulation that failed.
use FindBin;
use lib $FindBin::RealBin;
use Node;
use Session;

my $seed = $ENV{SEED} // int(rand(1_000_000));
my $steps = $ENV{STEPS} // 400;
my $node = start_node("wal_level = logical\n");

my $columns = q{
	rid int NOT NULL, region smallint NOT NULL, k int, path text, title text, body text, views int DEFAULT 0,
	category int REFERENCES category ON UPDATE CASCADE ON DELETE SET NULL,
	loud text GENERATED ALWAYS AS (upper(title)) STORED};
my $meddle = 'CREATE TRIGGER meddle BEFORE INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION meddle();';
my $partitions = qq{
	CREATE TABLE page ($columns, UNIQUE (rid, region)) PARTITION BY LIST (region);
	-- columns in another order, after one that was dropped
	CREATE TABLE page_0 (gone text, loud text GENERATED ALWAYS AS (upper(title)) STORED, title text, body text, views int DEFAULT 0, k int,
	                     path text, category int, region smallint NOT NULL, rid int NOT NULL);
	ALTER TABLE page_0 DROP gone;
	ALTER TABLE page ATTACH PARTITION page_0 FOR VALUES IN (0);
	CREATE TABLE page_12 PARTITION OF page FOR VALUES IN (1, 2) PARTITION BY LIST (region);
	CREATE TABLE page_1 PARTITION OF page_12 FOR VALUES IN (1);
	CREATE TABLE page_2 PARTITION OF page_12 FOR VALUES IN (2);};

simulate('a table', "CREATE TABLE page ($columns, UNIQUE (rid, region));", ['page'], 'true');
simulate('a table with a dropped column',
	"CREATE TABLE page (gone text, $columns, also text, UNIQUE (rid, region)); ALTER TABLE page DROP gone, DROP also, ADD COLUMN later int DEFAULT 7;", ['page'], 'true');
simulate('a table with a BEFORE trigger', "CREATE TABLE page ($columns, UNIQUE (rid, region)); " . sprintf($meddle, 'page'), ['page'], 'true');
simulate('partitions', $partitions, [ 'page', 'page_0', 'page_12', 'page_1', 'page_2' ], 'true');
simulate('partitions with BEFORE triggers', $partitions . sprintf($meddle, 'page_0') . sprintf($meddle, 'page_2'),
	[ 'page', 'page_0', 'page_12', 'page_1', 'page_2' ], 'false');
simulate('children', qq{CREATE TABLE page ($columns, UNIQUE (rid, region)); CREATE TABLE page_a (more text) INHERITS (page);
	CREATE TABLE page_b () INHERITS (page_a);}, [ 'page', 'page_a', 'page_b' ], 'true');

sql(q{
	CREATE EXTENSION sitemap;
	CREATE SCHEMA app;
	CREATE TABLE app.page (id int PRIMARY KEY, title text, views int);
	CREATE TABLE app.queue (id int);
	INSERT INTO app.page VALUES (1, 'one', 0);
	SELECT sitemap_watch('app.page', 'id', 'app.queue', '{title}')});

# A logical replica: its apply worker fires no statement triggers, as the reference says.
# session_replication_role says the same.
is(sql(q{SET session_replication_role = replica; UPDATE app.page SET title = 'quiet'; TABLE app.queue}),
	'', 'no key from a session that replicates');
is(sql(q{
		ALTER TABLE app.page ENABLE ALWAYS TRIGGER queue_id_update;
		SET session_replication_role = replica; UPDATE app.page SET title = 'loud'; TABLE app.queue}),
	'1', 'unless the trigger is enabled always');

# A publication of all tables contains the queue and the feed, which have no key.
sql(q{
	CREATE TABLE app.feed OF sitemap_change; CREATE TABLE app.files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE app.site OF sitemap_job (section WITH OPTIONS DEFAULT 'sitemap', PRIMARY KEY (base_url, section));
	INSERT INTO app.site (target, feed, base_url, query, changes) VALUES ('app.files', 'app.feed', 'http://a/',
		'SELECT ''/'' || title AS loc, id AS key FROM app.page ORDER BY id', 'DELETE FROM app.queue RETURNING id')});
sql(q{CALL sitemap_run('app.site')});
sql('CREATE PUBLICATION everything FOR ALL TABLES');
$node->psql('postgres', q{UPDATE app.page SET title = 'published'});
$node->psql('postgres', q{CALL sitemap_run('app.site')});
like(sql('SELECT error FROM app.site'), qr/cannot delete from table "queue" because it does not have a replica identity/, 'a queue in a publication');
isnt($node->psql('postgres', 'DELETE FROM app.feed'), 0, 'a feed in a publication');
sql('ALTER TABLE app.queue REPLICA IDENTITY FULL; ALTER TABLE app.feed REPLICA IDENTITY FULL');
sql(q{CALL sitemap_run('app.site')});
is(sql('SELECT count(*) FROM app.queue; DELETE FROM app.feed RETURNING loc, action'),
	"0\nhttp://a/loud|removed\nhttp://a/published|added", 'with REPLICA IDENTITY FULL');
sql('DROP PUBLICATION everything');

# The queue is renamed, altered, dropped, while a session has a plan for it.
my $session = Session->start($node, 'postgres', on_error_stop => 0);
$session->query_safe(q{TRUNCATE app.queue; UPDATE app.page SET title = title || 'x'});
sql('ALTER TABLE app.queue RENAME TO changed');
$session->query(q{UPDATE app.page SET title = title || 'x'});
like($session->errors, qr/WARNING:  the queue app\.queue of the watched table "page" does not exist\n.*HINT:  Repeat this call.*: SELECT public\.sitemap_watch\('app\.page', 'id', 'app\.queue', ARRAY\['title'\]\)/s, 'a queue that was renamed');
sql(q{SELECT sitemap_watch('app.page', 'id', 'app.changed', '{title}')});
$session->query_safe(q{UPDATE app.page SET title = title || 'x'});
sql('ALTER TABLE app.changed ALTER id TYPE bigint, ADD COLUMN at timestamptz DEFAULT now()');
$session->query_safe(q{UPDATE app.page SET title = title || 'x'});
is(sql('SELECT id, at IS NOT NULL FROM app.changed'), "1|t\n1|t\n1|t", 'a queue that was altered');
sql('ALTER TABLE app.page ALTER id TYPE bigint');
$session->query_safe(q{INSERT INTO app.page VALUES (9000000000)});
is(sql('SELECT max(id) FROM app.changed'), '9000000000', 'a key that was altered');
sql('CREATE SCHEMA other; ALTER TABLE app.page SET SCHEMA other; ALTER TABLE other.page RENAME TO article');
$session->query_safe(q{UPDATE other.article SET title = title || 'x' WHERE id = 1});
sql('ALTER TABLE other.article RENAME title TO headline');
$session->query(q{UPDATE other.article SET headline = headline || 'x'});
like($session->errors, qr/WARNING:  table "article" has no column "title" to watch\n.*SELECT public\.sitemap_watch\('other\.article', 'id', 'app\.changed', ARRAY\['title'\]\)/s, 'a watched column that was renamed');
sql('DROP TABLE app.changed');
$session->query(q{DELETE FROM other.article});
like($session->{stderr}, qr/WARNING:  the queue app\.changed of the watched table "article" does not exist/, 'a queue that was dropped');
$session->quit;
is(sql(q{CREATE TABLE app.third (id bigint); SELECT sitemap_watch('other.article', 'id', 'app.third');
	SELECT count(*) FROM pg_trigger WHERE tgrelid = 'other.article'::regclass AND NOT tgisinternal}), "\n4", 'watching again replaces the triggers of the lost queue');

# A session does not keep the plans of queues and of tables that were dropped.
$session = Session->start($node, 'postgres', on_error_stop => 0);
$session->query_safe('CREATE TABLE app.kept (id int); CREATE TABLE app.kept_queue (id int)');
$session->query_safe(q{SELECT sitemap_watch('app.kept', 'id', 'app.kept_queue')});
$session->query_safe(qq{
	CREATE TABLE app.lost_$_ (id int); CREATE TABLE app.lost_queue_$_ (id int);
	SELECT sitemap_watch('app.lost_$_', 'id', 'app.lost_queue_$_');
	INSERT INTO app.lost_$_ VALUES (1); INSERT INTO app.lost_$_ VALUES (2), (3); UPDATE app.lost_$_ SET id = -id;
	INSERT INTO app.kept VALUES ($_);
	DROP TABLE app.lost_$_, app.lost_queue_$_}) foreach 1 .. 100;
cmp_ok($session->query_safe(q{SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'CachedPlanSource' AND ident LIKE 'INSERT INTO app.%queue%'}),
	'<=', 70, 'few plans are kept');
is($session->query_safe('SELECT count(*) FROM app.kept_queue'), 100, 'and those of a queue in use');
$session->quit;

# Each section of a large site can have a queue of its own: a session plans their INSERTs once.
is(sql(q{
	CREATE TABLE shared (id int);
	INSERT INTO shared VALUES (1);
	SELECT format('CREATE TABLE queue_%s (id int)', n), format('SELECT FROM sitemap_watch(''shared'', ''id'', ''queue_%s'')', n)
	  FROM generate_series(1, 40) n \gexec
	UPDATE shared SET id = 2;
	UPDATE shared SET id = 3;
	SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'CachedPlanSource' AND ident LIKE 'INSERT INTO %queue_%';
}) =~ s/.*\n//sr, '40', 'the plans of forty queues are kept');

# As a partition that is attached later, PostgreSQL refuses writes to a foreign table, as the
# reference says.
SKIP:
{
	skip 'no postgres_fdw', 2 if sql(q{SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'}) == 0;
	my $stderr;
	my ($host, $port) = ($node->host, $node->port);
	sql(qq{
		CREATE EXTENSION postgres_fdw;
		CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw OPTIONS (dbname 'postgres', host '$host', port '$port');
		CREATE USER MAPPING FOR CURRENT_USER SERVER here;
		CREATE TABLE remote (id int); CREATE TABLE far_queue (id int);
		CREATE TABLE far (id int) PARTITION BY RANGE (id);
		CREATE TABLE far_1 PARTITION OF far FOR VALUES FROM (0) TO (100);
		SELECT sitemap_watch('far', 'id', 'far_queue');
		CREATE FOREIGN TABLE far_2 PARTITION OF far FOR VALUES FROM (100) TO (200) SERVER here OPTIONS (table_name 'remote')});
	$node->psql('postgres', 'INSERT INTO far VALUES (101)', stderr => \$stderr);
	like($stderr, qr/ERROR:  cannot collect transition tuples from child foreign tables/, 'a foreign partition');
	is(sql('INSERT INTO far VALUES (1); TABLE far_queue'), '1', 'other partitions');
}

# From 18 on, a generated column can be virtual: a transition table lacks its values.
SKIP:
{
	skip 'virtual generated columns take PostgreSQL 18', 4 if $node->pg_version < 18;
	my $stderr;
	sql('CREATE TABLE v (id int, a int, b int GENERATED ALWAYS AS (a + 1) VIRTUAL); CREATE TABLE v_queue (id int)');
	$node->psql('postgres', q{SELECT sitemap_watch('v', 'id', 'v_queue', '{b}')}, stderr => \$stderr);
	like($stderr, qr/ERROR:  cannot watch the virtual generated column "b" of table "v"\nHINT:  Watch the columns that it is generated from/, 'a virtual column');
	$node->psql('postgres', q{CREATE TABLE virtual_queue (id int GENERATED ALWAYS AS (a) VIRTUAL, a int); SELECT sitemap_watch('v', 'id', 'virtual_queue')}, stderr => \$stderr);
	like($stderr, qr/ERROR:  the queue "virtual_queue" generates its first column, "id"/, 'a queue whose first column is virtual');
	sql(q{SELECT sitemap_watch('v', 'id', 'v_queue', '{a}'); INSERT INTO v VALUES (1, 1)});
	sql(q{ALTER TABLE v DROP b, DROP a; ALTER TABLE v ADD a int GENERATED ALWAYS AS (id) VIRTUAL});
	$node->psql('postgres', 'UPDATE v SET id = 2', stderr => \$stderr);
	like($stderr, qr/WARNING:  cannot watch the virtual generated column "a" of table "v"\nDETAIL:  All columns count as watched/, 'a column that became virtual');
	is(sql(q{SELECT sitemap_watch('v', 'id', 'v_queue'); UPDATE v SET id = 2; SELECT string_agg(id::text, ' ' ORDER BY id) FROM v_queue}),
		"\n1 1 2", 'all columns');
}

$node->stop;
done_testing();

sub simulate
{
	my ($name, $tables, $names, $exact) = @_;
	my $this_seed = $seed++;
	my $database = "simulation_$this_seed";
	my %variables =
	  (tables => $tables, names => '{' . join(',', @$names) . '}', exact => $exact, seed => $this_seed, steps => $steps);

	sql("CREATE DATABASE $database");
	my ($status, $stdout, $stderr) = $node->psql($database, slurp_file('test/t/watch.sql'),
		on_error_stop => 1, extra_params => [ map { ('-v', "$_=$variables{$_}") } sort keys %variables ]);
	is($status, 0, "$name, seed $this_seed: $steps steps") or diag($stderr);
	my ($done, @wrong) = grep { $_ ne '' } split(/\n/, $stdout);
	cmp_ok($done // 0, '>', $steps / 2, "$name: most statements succeed");
	is("@wrong", '', "$name: the queue has what changed") or diag("SEED=$this_seed");
	return;
}
