# Names of tables that become those of others.  Wherever a run, a job or the status waits, the
# owner of a schema renames it, and puts code of his own under the old names: in a view, in a
# partition with triggers, or in a domain.  It must not run, and the call goes on with the
# tables that it has found.  The same while the trigger of a watched table waits.
use FindBin;
use lib $FindBin::RealBin;
use Node;
use Session;

my $node = start_node();
my $directory = PostgreSQL::Test::Utils::tempdir();
sql(q{
	CREATE EXTENSION sitemap;
	CREATE ROLE walter;
	GRANT CREATE ON DATABASE postgres TO walter;
	CREATE TABLE page (id int PRIMARY KEY, path text);

	-- Where a call can wait: in its query, or when a row of a table is written.
	CREATE FUNCTION wait_at(place text) RETURNS bool VOLATILE LANGUAGE plpgsql AS $$
	BEGIN
	  IF current_setting('test.wait', true) = place THEN
	    PERFORM pg_advisory_xact_lock_shared(1);
	  END IF;
	  RETURN true;
	END
	$$;
	CREATE FUNCTION wait_to_write() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
	  PERFORM public.wait_at(place) FROM jsonb_each_text(to_jsonb(NEW)) n (place, value)
	    WHERE TG_ARGV[0] = place AND value IS DISTINCT FROM to_jsonb(OLD)->>place;
	  RETURN NEW;
	END
	$$;
	CREATE VIEW slow_files AS SELECT '.'::text AS base_url, 'a'::text AS name, ''::bytea AS content WHERE public.wait_at('export')});

# The tables, in a schema of walter, published once.
sub make_tables
{
	sql(qq{
		SET client_min_messages = warning;
		DROP SCHEMA IF EXISTS app, gone CASCADE;
		CREATE SCHEMA app AUTHORIZATION walter;
		CREATE TABLE app.files OF sitemap_file (PRIMARY KEY (base_url, name));
		CREATE TABLE app.feed OF sitemap_change;
		CREATE TABLE app.site OF sitemap_job (PRIMARY KEY (base_url, section));
		TRUNCATE page;
		INSERT INTO page SELECT n, '/' || n FROM generate_series(1, 20) n;
		INSERT INTO app.site (target, base_url, section, query, max_urls, feed, directory)
		VALUES ('app.files', 'https://www.example.com/', 'pages',
		        'SELECT path AS loc, id AS key FROM public.page WHERE public.wait_at(''query'') ORDER BY id', 10, 'app.feed', '$directory');
		CALL sitemap_run('app.site');
		CREATE TRIGGER wait BEFORE INSERT OR UPDATE ON app.files FOR EACH ROW EXECUTE FUNCTION wait_to_write('digest');
		CREATE TRIGGER wait BEFORE INSERT OR UPDATE ON app.feed FOR EACH ROW EXECUTE FUNCTION wait_to_write('action');
		CREATE TRIGGER started BEFORE UPDATE ON app.site FOR EACH ROW EXECUTE FUNCTION wait_to_write('started');
		CREATE TRIGGER finished BEFORE UPDATE ON app.site FOR EACH ROW EXECUTE FUNCTION wait_to_write('finished');
		CREATE TRIGGER failures BEFORE UPDATE ON app.site FOR EACH ROW EXECUTE FUNCTION wait_to_write('failures');
		UPDATE page SET path = path || '-x';
		DELETE FROM page WHERE id = 20;
		INSERT INTO page SELECT n, '/' || n FROM generate_series(21, 30) n});
	return;
}

my %type = (files => 'sitemap_file', feed => 'sitemap_change', site => 'sitemap_job');
my $evil = q{
	SET client_min_messages = warning;
	CREATE FUNCTION app.evil(int) RETURNS bool IMMUTABLE LANGUAGE plpgsql AS
	  $$ BEGIN RAISE WARNING 'code of walter runs as %', current_user; RETURN true; END $$;
	CREATE FUNCTION app.evil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM app.evil(1); RETURN NEW; END $$;
	CREATE DOMAIN app.evil AS text CHECK (app.evil(1));
	GRANT ALL ON SCHEMA app TO PUBLIC};

# Statements that put something else under the name of a table.
my %decoy = (
	view => sub {
		"CREATE VIEW app.$_[0] AS SELECT f.* FROM (SELECT NULL::$type{$_[0]} AS x) y, LATERAL (SELECT (x).*) f WHERE app.evil(1)";
	},
	partition => sub {
		qq{CREATE TABLE app.$_[0]_all (LIKE $type{$_[0]}, CHECK (app.evil(1))) PARTITION BY LIST (base_url);
		   CREATE TABLE app.$_[0] PARTITION OF app.$_[0]_all DEFAULT;
		   CREATE TRIGGER a BEFORE INSERT OR UPDATE OR DELETE ON app.$_[0] FOR EACH STATEMENT EXECUTE FUNCTION app.evil();
		   CREATE TRIGGER b BEFORE INSERT OR UPDATE OR DELETE ON app.$_[0] FOR EACH ROW EXECUTE FUNCTION app.evil()};
	},
	domain => sub {
		qq{CREATE TABLE app.$_[0] (LIKE $type{$_[0]});
		   DO \$\$ DECLARE name text; BEGIN
		     FOR name IN SELECT attname FROM pg_attribute WHERE attrelid = 'app.$_[0]'::regclass AND attnum > 0 LOOP
		       EXECUTE format('ALTER TABLE app.$_[0] DROP %I, ADD %I app.evil[]', name, name);
		     END LOOP;
		   END \$\$};
	});

# Rename the schema, whose tables may be locked.
sub rename_schema
{
	my ($decoy) = @_;

	return 'SET ROLE walter; BEGIN; ALTER SCHEMA app RENAME TO gone; CREATE SCHEMA app;' .
	  join(';', $evil, (map { $decoy{$decoy}->($_) . "; GRANT ALL ON app.$_ TO PUBLIC" } sort keys %type)) . '; COMMIT';
}

# Rename a table, by the transaction that has locked it.
sub rename_table
{
	my ($decoy, $table) = @_;

	return join(';', "ALTER TABLE app.$table RENAME TO $table\_moved", 'SET LOCAL ROLE walter', $evil, $decoy{$decoy}->($table)) .
	  "; GRANT ALL ON app.$table TO PUBLIC; COMMIT";
}

my $attacker = Session->start($node, 'postgres');
my $holder = Session->start($node, 'postgres');
my $publish = q{SELECT count(*) FROM sitemap_publish('app.files', 'SELECT path AS loc, id AS key FROM public.page WHERE public.wait_at(''query'') ORDER BY id',
                'https://www.example.com/', section => 'pages', max_urls => 10, feed => 'app.feed')};
my $lock = 'BEGIN; SELECT pg_advisory_xact_lock(1)';

# Where a call waits: what holds it up, as a transaction of another session.
my @places = (
	[ publish => 'its section', $publish, 'BEGIN; ' . ($publish =~ s/'pages'/'pages', index => 'never'/r) ],
	[ publish => 'its table', $publish, 'BEGIN; LOCK TABLE app.files', 'files' ],
	[ publish => 'its feed', $publish, 'BEGIN; LOCK TABLE app.feed', 'feed' ],
	[ publish => 'query', $publish, $lock ],
	[ publish => 'its site', $publish, q{BEGIN; SELECT FROM sitemap_publish_index('app.files', 'https://www.example.com/')} ],
	[ publish => 'digest', $publish, $lock ],
	[ publish => 'action', $publish, $lock ],
	[ job => 'its table', q{CALL sitemap_run('app.site')}, 'BEGIN; LOCK TABLE app.site', 'site' ],
	(map { [ job => $_, q{CALL sitemap_run('app.site')}, $lock ] } 'started', 'query', 'digest', 'action', 'finished'),
	[ job => 'its directory', q{CALL sitemap_run('app.site')}, 'export' ],
	[ failure => 'failures', q{CALL sitemap_run('app.site')}, $lock ],
	[ status => 'its table', q{SELECT count(*) FROM sitemap_status('app.site')}, 'BEGIN; LOCK TABLE app.site', 'site' ]);

foreach my $place (@places)
{
	my ($what, $where, $call, $hold, $table) = @$place;

	foreach my $decoy (sort keys %decoy)
	{
		my $name = "$what that waits for $where; a $decoy";

		make_tables();
		sql(q{UPDATE app.site SET query = 'SELECT 1 / 0 AS loc'}) if $what eq 'failure';
		# Another session exports to the directory.
		my $exporter = Session->start($node, 'postgres', on_error_stop => 0) if $hold eq 'export';
		$holder->query_safe($hold eq 'export' ? $lock : $hold);
		if ($exporter)
		{
			$exporter->query_safe("SET test.wait = 'export'");
			$exporter->begin("SELECT FROM sitemap_export('$directory', 'TABLE slow_files')")->wait_for_lock($attacker);
		}
		my $victim = Session->start($node, 'postgres', on_error_stop => 0);
		$victim->query_safe("SET test.wait = '$where'");
		$victim->begin($call)->wait_for_lock($attacker);
		if ($table)
		{
			$holder->query_safe(rename_table($decoy, $table));
		}
		else
		{
			$attacker->query_safe(rename_schema($decoy));
			$attacker->query_safe('RESET ROLE');
			$holder->query_safe('ROLLBACK');
		}
		my $errors = $victim->errors;
		unlike($errors, qr/code of walter/, "$name: it does not run");
		$what eq 'failure' ? like($errors, qr/ERROR:  1 job failed/, 'the job fails') : is($errors, '', 'the call succeeds');
		my ($files, $feed, $site) = map { $table ? "app.$_" . ($_ eq $table ? '_moved' : '') : "gone.$_" } 'files', 'feed', 'site';
		is(sql("SELECT sum(url_count) FROM $files WHERE kind <> 'index'"),
			$what =~ /publish|job/ ? 29 : 20, 'in the right table');
		is(sql("SELECT count(*) FROM $feed"), $what =~ /publish|job/ ? 49 : 0, 'and feed')
		  if $what =~ /publish|job/;
		is(sql("SELECT finished > started, failures FROM $site"),
			$what eq 'failure' ? 'f|1' : 't|0', 'and table of jobs')
		  if $what =~ /job|failure/;
		$_->quit foreach grep { defined } $victim, $exporter;
	}
}

# The name is written, and becomes that of another table before the parser has found it.  The
# catalog of schemas is locked where the parser looks the name up.
foreach my $case (
	[ 'files', q{SELECT FROM sitemap_publish(%d::regclass, 'SELECT ''/'' AS loc', 'https://www.example.com/')} ],
	[ 'feed', q{SELECT FROM sitemap_publish('other.files', 'SELECT ''/%1$d'' AS loc', 'https://www.example.com/', split => 'full', feed => %1$d::regclass)} ],
	[ 'site', q{CALL sitemap_run(%d::regclass)} ])
{
	my ($table, $call) = @$case;

	foreach my $decoy (sort keys %decoy)
	{
		make_tables();
		# The same in another schema fills the caches of the session.
		sql(q{
			SET client_min_messages = warning;
			DROP SCHEMA IF EXISTS other CASCADE;
			CREATE SCHEMA other;
			CREATE TABLE other.files OF sitemap_file (PRIMARY KEY (base_url, name));
			CREATE TABLE other.feed OF sitemap_change;
			CREATE TABLE other.site OF sitemap_job (PRIMARY KEY (base_url, section))});
		my $victim = Session->start($node, 'postgres', on_error_stop => 0);
		my ($oid, $other) = map { sql("SELECT '$_.$table'::regclass::oid") } 'app', 'other';
		$victim->query_safe(sprintf($call, $other));
		$victim->query_safe("SELECT $oid\::regclass");
		$holder->query_safe('BEGIN; LOCK TABLE pg_namespace');
		$victim->begin(sprintf $call, $oid)->wait_for_lock($holder);
		$holder->query_safe(rename_schema($decoy) =~ s/SET ROLE walter; BEGIN/SET LOCAL ROLE walter/r);
		my $errors = $victim->errors;
		unlike($errors, qr/code of walter/, "a name that changes before the parser reads it: $table, a $decoy");
		# A domain is no type for an operator, which can be found out first.
		like($errors, $decoy eq 'domain' ? qr/ERROR:  / : qr/the name of the (?:target table|feed table|table of jobs) "$table" has become that of another relation/, 'is an error');
		$victim->quit;
	}
}

# The queue of a watched table.  Its name changes when the trigger has found it, and the INSERT waits for its index.
foreach my $has_plan (1, 0)
{
	sql(q{
		SET client_min_messages = warning;
		DROP SCHEMA IF EXISTS app, gone CASCADE;
		DROP TABLE IF EXISTS watched;
		CREATE SCHEMA app AUTHORIZATION walter;
		CREATE TABLE watched (id int PRIMARY KEY);
		CREATE TABLE app.queue (id int);
		CREATE INDEX queue_id ON app.queue (id);
		SELECT sitemap_watch('watched', 'id', 'app.queue')});
	my $victim = Session->start($node, 'postgres', on_error_stop => 0);
	$victim->query_safe('INSERT INTO watched VALUES (1)') if $has_plan;
	# This locks the index, but not the table.
	$holder->query_safe('BEGIN; ALTER INDEX app.queue_id SET TABLESPACE pg_default');
	$victim->begin('INSERT INTO watched VALUES (2)')->wait_for_lock($attacker);
	$attacker->query_safe("SET ROLE walter; BEGIN; ALTER SCHEMA app RENAME TO gone; CREATE SCHEMA app; $evil;
		CREATE TABLE app.queue (id int);
		CREATE TRIGGER a BEFORE INSERT ON app.queue FOR EACH ROW EXECUTE FUNCTION app.evil(); GRANT ALL ON app.queue TO PUBLIC; COMMIT; RESET ROLE");
	$holder->query_safe('ROLLBACK');
	my $errors = $victim->errors;
	unlike($errors, qr/code of walter/, 'a watch whose queue gets another name, ' . ($has_plan ? 'with' : 'without') . ' a plan: no other code runs');
	is($errors, '', 'no error');
	is(sql(q{SELECT (SELECT count(*) FROM app.queue), (SELECT string_agg(id::text, ' ') FROM gone.queue)}), $has_plan ? '0|1 2' : '0|2', 'the keys are in the right queue');
	$victim->quit;
}

$_->quit foreach $attacker, $holder;
$node->stop;
done_testing();
