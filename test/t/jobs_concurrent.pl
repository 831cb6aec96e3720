# Calls of sitemap_run at the same time: each job runs once, and no call is left without
# one.  Deadlocks and serialization failures: recorded, counted, and over at the next call.
use FindBin;
use lib $FindBin::RealBin;
use Node;
use Session;

my $node = start_node();
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sitemap;
	CREATE TABLE files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE job OF sitemap_job (PRIMARY KEY (base_url, section));
	CREATE TABLE run (section text, pid int);

	-- Waits as long as another session holds the lock.
	CREATE FUNCTION wait_for(lock int) RETURNS text VOLATILE LANGUAGE plpgsql AS $$
	BEGIN
	  PERFORM pg_advisory_xact_lock_shared(lock);
	  RETURN '/';
	END
	$$;
	CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
	  INSERT INTO public.run VALUES (NEW.section, pg_backend_pid());
	  RETURN NEW;
	END
	$$;
	CREATE TRIGGER note BEFORE UPDATE ON job FOR EACH ROW WHEN (NEW.finished IS DISTINCT FROM OLD.finished) EXECUTE FUNCTION note()});

# Two calls, and four.  All wait in their first job until each has one.  Due at each call, a
# job that had started before a later call began can run once more, in that call.
foreach my $calls (2, 4)
{
	foreach my $every (q{'1 hour'}, 'NULL')
	{
		$node->safe_psql('postgres', qq{
			TRUNCATE job, files, run;
			INSERT INTO job (target, base_url, section, query, index, every)
			SELECT 'files', 'https://www.example.com/', 'section-' || n, 'SELECT public.wait_for(1) AS loc', 'never', $every FROM generate_series(1, 40) n});
		my $holder = Session->hold($node, 1);
		my @sessions = map { Session->start($node, 'postgres') } 1 .. $calls;
		$_->begin(q{CALL sitemap_run('job')}) foreach @sessions;
		$_->wait_for_lock foreach @sessions;
		is($node->safe_psql('postgres', 'SELECT count(*) FROM job WHERE started IS NOT NULL AND finished IS NULL'),
			$calls, "$calls calls run $calls jobs at the same time, with every $every");
		$holder->query_safe('SELECT pg_advisory_unlock(1)');
		$_->query_safe('SELECT 1') foreach @sessions;
		$_->quit foreach $holder, @sessions;
		my $more = $every eq 'NULL' ? $calls - 1 : 0;
		is($node->safe_psql('postgres', "SELECT count(*) BETWEEN 40 AND 40 + $more, count(DISTINCT section), count(DISTINCT pid) FROM run"),
			"t|40|$calls", 'each job runs once, each call has at least one');
		is($node->safe_psql('postgres', 'SELECT count(*) FROM job WHERE finished > started AND urls = 1 AND error IS NULL AND failures = 0'),
			'40', 'all succeed');
	}
}

# Jobs that are due, and calls that begin at the same time: none of the jobs is left, and none is run twice.
foreach my $round (1 .. 20)
{
	foreach my $calls (2, 4)
	{
		$node->safe_psql('postgres', q{
			TRUNCATE job, files, run;
			INSERT INTO job (target, base_url, section, query, index, every)
			SELECT 'files', 'https://' || n || '.example.com/', 'section', 'SELECT ''/'' AS loc', 'never', '1 day' FROM generate_series(1, 60) n});
		my $gate = Session->start($node, 'postgres');
		$gate->query_safe('BEGIN; LOCK job');
		my @sessions = map { Session->start($node, 'postgres') } 1 .. $calls;
		$_->begin(q{CALL sitemap_run('job')}) foreach @sessions;
		$_->wait_for_lock foreach @sessions;
		$gate->query_safe('COMMIT');
		$_->query_safe('SELECT 1') foreach @sessions;
		$_->quit foreach $gate, @sessions;
		is($node->safe_psql('postgres', q{SELECT count(*), (SELECT count(*) FROM job WHERE finished > started AND failures = 0), (SELECT count(*) FROM files) FROM run}),
			'60|60|60', "round $round, $calls calls: each job runs once");
	}
}

# The guide's many shops: a statement moves the changes from the queue to the column "requested".  It never waits for a run,
# and a request during a run is one for the next.
$node->safe_psql('postgres', q{
	CREATE TABLE product (id int PRIMARY KEY, shop_id bigint, path text);
	INSERT INTO product SELECT n, n % 3 + 1, '/product-' || n FROM generate_series(1, 6) n;
	CREATE TABLE shop_change (shop_id bigint);
	SELECT sitemap_watch('product', 'shop_id', 'shop_change');
	CREATE TABLE shop_site (shop_id bigint UNIQUE, LIKE sitemap_job, PRIMARY KEY (base_url, section));
	INSERT INTO shop_site (shop_id, target, base_url, section, query, index, every)
	SELECT n, 'files', 'https://shop-' || n || '.example.com/', 'products',
	       'SELECT path AS loc FROM public.product WHERE shop_id = ' || n || CASE n WHEN 1 THEN ' AND public.wait_for(1) = ''/''' ELSE '' END, 'never', '1 day'
	  FROM generate_series(1, 3) n;
	CALL sitemap_run('shop_site')});
my $schedule = q{
	WITH change AS (DELETE FROM shop_change RETURNING shop_id)
	UPDATE shop_site SET requested = now() WHERE shop_id IN (SELECT shop_id FROM change);};
my $shops = q{SELECT string_agg(concat_ws(' ', shop_id, s.urls, state), ', ' ORDER BY shop_id), (SELECT count(*) FROM shop_change) FROM shop_site JOIN sitemap_status('shop_site') s USING (base_url)};
{
	$node->safe_psql('postgres', "INSERT INTO product VALUES (7, 1, '/new-1'); $schedule");
	is($node->safe_psql('postgres', $shops), '1 2 due, 2 2 ok, 3 2 ok|0', 'the shop that changed is requested');
	my $holder = Session->hold($node, 1);
	my $caller = Session->start($node, 'postgres')->begin(q{CALL sitemap_run('shop_site')});
	$caller->wait_for_lock;
	$node->safe_psql('postgres', "INSERT INTO product VALUES (8, 1, '/new-2'), (9, 2, '/new-3'); $schedule");
	is($node->safe_psql('postgres', $shops), '1 2 running, 2 2 due, 3 2 ok|0', 'while it runs, it and another shop are requested');
	$node->safe_psql('postgres', q{CALL sitemap_run('shop_site')});
	is($node->safe_psql('postgres', $shops), '1 2 running, 2 3 ok, 3 2 ok|0', 'the other one runs');
	$holder->query_safe('SELECT pg_advisory_unlock(1)');
	$caller->query_safe('SELECT 1');
	is($node->safe_psql('postgres', $shops), '1 3 due, 2 3 ok, 3 2 ok|0', 'after its run the shop is due again');
	$node->safe_psql('postgres', q{CALL sitemap_run('shop_site')});
	is($node->safe_psql('postgres', $shops), '1 4 ok, 2 3 ok, 3 2 ok|0', 'and runs');
	$_->quit foreach $holder, $caller;
}

# A transaction changes pages, or the view that the query reads, and requests the job by the time of its own beginning.
# A run that starts and ends before its COMMIT does not take the request away.
$node->safe_psql('postgres', q{
	CREATE VIEW shop_page AS SELECT path AS loc FROM product;
	CREATE TABLE late_site OF sitemap_job (PRIMARY KEY (base_url, section));
	INSERT INTO late_site (target, base_url, section, query, every) VALUES ('files', 'https://late.example.com/', 'products', 'TABLE public.shop_page', '1 day');
	CALL sitemap_run('late_site')});
foreach my $change ([ 'changed', q{UPDATE product SET path = '/changed' WHERE id = 1} ], [ 'viewed', q{CREATE OR REPLACE VIEW shop_page AS SELECT path || '?viewed' AS loc FROM product} ])
{
	my $writer = Session->start($node, 'postgres');
	my $published = qq{SELECT bool_or(e.loc LIKE '%$change->[0]') FROM files, sitemap_parse(content) e WHERE base_url LIKE '%late%' AND kind = 'urlset'};

	$writer->query_safe('BEGIN; SELECT now()');
	$node->safe_psql('postgres', $_) foreach 'UPDATE late_site SET requested = now()', q{CALL sitemap_run('late_site')};
	$writer->query_safe("$change->[1]; UPDATE late_site SET requested = now(); COMMIT");
	is($node->safe_psql('postgres', $published), 'f', "$change->[0]: committed after a run");
	is($node->safe_psql('postgres', q{SELECT requested < started, state FROM late_site JOIN sitemap_status('late_site') USING (section)}), 't|due', 'its request is older than the run, but counts');
	$node->safe_psql('postgres', q{CALL sitemap_run('late_site')});
	is($node->safe_psql('postgres', $published), 't', 'the next run publishes it');
	$writer->quit;
}

# Pages that become due milliseconds apart, while three calls follow one another and some runs fail: each page arrives once,
# and runs with changes read only some of the pages.
{
	my @callers = map { Session->start($node, 'postgres', on_error_stop => 0) } 1 .. 3;

	$node->safe_psql('postgres', q{
		CREATE TABLE due_page (id int PRIMARY KEY, path text, publish_at timestamptz);
		INSERT INTO due_page SELECT n * 10, '/' || n, '-infinity' FROM generate_series(1, 2000) n;
		CREATE FUNCTION sometimes() RETURNS bool VOLATILE LANGUAGE plpgsql AS $$
		BEGIN
		  ASSERT random() > 0.1, 'sometimes';
		  RETURN true;
		END
		$$;
		CREATE TABLE due_feed OF sitemap_change;
		CREATE TABLE due_run (reason text, failures int);
		CREATE TABLE due_site OF sitemap_job (PRIMARY KEY (base_url, section));
		CREATE FUNCTION note_due() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.due_run VALUES (NEW.reason, NEW.failures); RETURN NULL; END';
		CREATE TRIGGER note AFTER UPDATE ON due_site FOR EACH ROW WHEN (NEW.finished IS DISTINCT FROM OLD.finished OR NEW.failures > OLD.failures) EXECUTE FUNCTION note_due();
		INSERT INTO due_site (target, base_url, section, query, changes, max_urls)
		VALUES ('files', 'https://due.example.com/', 'due', 'SELECT path AS loc, id AS key FROM public.due_page WHERE publish_at <= now() ORDER BY id',
		        'SELECT id FROM public.due_page WHERE publish_at > $1 AND publish_at <= now()', 50);
		CALL sitemap_run('due_site');
		UPDATE due_site SET feed = 'due_feed', changes = changes || ' AND (SELECT public.sometimes())';
		INSERT INTO due_page SELECT n * 10 + 5, '/due-' || n, now() + n * interval '10 milliseconds' FROM generate_series(1, 300) n});
	do
	{
		$_->begin("CALL sitemap_run('due_site'); UPDATE due_site SET failures = 0 WHERE failures > 2;\n" x 20) foreach @callers;
		$_->query('SELECT 1') foreach @callers;
	} until $node->safe_psql('postgres', q{
		SELECT now() > max(publish_at) AND (SELECT count(*) > 20 AND max(failures) > 0 FROM due_run) FROM due_page}) eq 't';
	$_->quit foreach @callers;
	$node->psql('postgres', q{UPDATE due_site SET failures = 0; CALL sitemap_run('due_site')})
	  until $node->safe_psql('postgres', "SELECT finished - make_interval(secs => seconds) > (SELECT max(publish_at) FROM due_page) AND failures = 0 FROM due_site") eq 't';
	is($node->safe_psql('postgres', q{SELECT count(*), count(DISTINCT loc), min(action), max(action) FROM due_feed}), '300|300|added|added', 'each page that becomes due arrives once');
	is($node->safe_psql('postgres', 'SELECT count(reason) FROM due_run'), '0', 'no run read all pages');
	is($node->safe_psql('postgres', q{UPDATE due_site SET full_at = 'epoch', changes = replace(changes, ' AND (SELECT public.sometimes())', ''); CALL sitemap_run('due_site'); SELECT written, missed, urls FROM due_site}),
		'0|0|2300', 'a full run changes nothing');
}

# A partitioned table of jobs, of which a call passes over a row that is locked and, with its lock still to come, one that another
# call has started: PostgreSQL 18 crashes if a statement prunes partitions by the values of a join, and does so again after it has
# looked at a row that has changed since its snapshot.
$node->safe_psql('postgres', q{
	CREATE FUNCTION compare_slowly(a text, b text) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
	BEGIN
	  IF a = b AND a = 'http://b/' AND current_setting('application_name') = 'slow' THEN
	    PERFORM pg_advisory_xact_lock_shared(1);
	  END IF;
	  RETURN bttextcmp(a, b);
	END
	$$;
	CREATE OPERATOR CLASS slow_ops FOR TYPE text USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 compare_slowly(text, text);
	CREATE TABLE divided (LIKE sitemap_job, PRIMARY KEY (base_url, section)) PARTITION BY LIST (base_url);
	CREATE TABLE divided_a PARTITION OF divided FOR VALUES IN ('http://a/');
	CREATE TABLE divided_b PARTITION OF divided FOR VALUES IN ('http://b/');
	CREATE TABLE divided_other PARTITION OF divided DEFAULT;
	CREATE INDEX ON divided (base_url slow_ops, section slow_ops);
	INSERT INTO divided (target, base_url, section, query) SELECT 'files', 'http://' || site || '/', 'sitemap', 'SELECT ''/'' AS loc' FROM unnest('{a,b,c}'::text[]) site});
{
	my ($holder, $locker) = (Session->hold($node, 1), Session->start($node, 'postgres'));
	my $caller = Session->start($node, 'postgres');

	$locker->query_safe(q{BEGIN; SELECT FROM divided WHERE base_url = 'http://a/' FOR UPDATE});
	$caller->query_safe(q{SET application_name = slow; SET enable_seqscan = off; SET enable_bitmapscan = off});
	$caller->begin(q{CALL sitemap_run('divided')})->wait_for_lock;
	$node->safe_psql('postgres', q{UPDATE divided SET started = '2026-01-01 00:00+00' WHERE base_url = 'http://b/'});
	$holder->query_safe('SELECT pg_advisory_unlock(1)');
	$caller->query_safe('SELECT 1');
	$_->quit foreach $holder, $locker, $caller;
}
is($node->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', base_url, started = '2026-01-01 00:00+00', urls), ', ' ORDER BY base_url) FROM divided}),
	'http://a/, http://b/ t, http://c/ f 1', 'partitions: jobs that others have locked or started are passed over');

# A deadlock.  The job has lock 1, and waits for lock 2 of a session that waits for lock 1;
# only the session of the job looks for deadlocks.
$node->safe_psql('postgres', q{
	TRUNCATE job, files;
	CREATE FUNCTION deadlock() RETURNS text VOLATILE LANGUAGE plpgsql AS $$
	BEGIN
	  PERFORM pg_advisory_xact_lock(1);
	  PERFORM wait_for(3);
	  PERFORM pg_advisory_xact_lock(2);
	  RETURN '/';
	END
	$$;
	INSERT INTO job (target, base_url, section, query, index, every) VALUES
	  ('files', 'https://www.example.com/', 'a', 'SELECT public.deadlock() AS loc', 'never', '1 hour'),
	  ('files', 'https://www.example.com/', 'b', 'SELECT ''/'' AS loc', 'never', '1 hour')});
my $status = q{SELECT string_agg(concat_ws(' ', section, urls, failures, split_part(error, E'\n', 1)), ', ' ORDER BY section) FROM job};
{
	my $gate = Session->hold($node, 3);
	my ($other, $caller) = map { Session->start($node, 'postgres', on_error_stop => 0) } 1, 2;

	$other->query_safe(q{SET deadlock_timeout = '1h'; BEGIN; SELECT pg_advisory_xact_lock(2)});
	$caller->query_safe(q{SET deadlock_timeout = '10ms'});
	$caller->begin(q{CALL sitemap_run('job')})->wait_for_lock;
	$other->begin('SELECT pg_advisory_xact_lock(1)')->wait_for_lock;
	$gate->query_safe('SELECT pg_advisory_unlock(3)');
	$caller->query('SELECT 1');
	like($caller->{stderr}, qr/job of section "a" of .* failed: deadlock detected.*ERROR:  1 job failed/s, 'a deadlock');
	$other->query_safe('COMMIT');
	$_->quit foreach $other, $gate, $caller;
}
is($node->safe_psql('postgres', $status), 'a 1 deadlock detected, b 1 0', 'is recorded, and the other job runs');
$node->safe_psql('postgres', q{TRUNCATE run; CALL sitemap_run('job')});
is($node->safe_psql('postgres', $status), 'a 1 0, b 1 0', 'the next call tries again');
is($node->safe_psql('postgres', 'SELECT string_agg(section, $$ $$) FROM run'), 'a', 'only the job that failed');

# Rows that somebody has locked: a call passes over them, however many, and runs all others once.
$node->safe_psql('postgres', q{
	TRUNCATE job, files, run;
	INSERT INTO job (target, base_url, section, query, index)
	SELECT 'files', 'https://www.example.com/', 'section-' || n, $$SELECT '/' AS loc$$, 'never' FROM generate_series(100, 199) n});
my $locker = Session->start($node, 'postgres');
$locker->query_safe(q{BEGIN; SELECT FROM job WHERE section < 'section-160' FOR UPDATE});
$node->safe_psql('postgres', q{CALL sitemap_run('job')});
is($node->safe_psql('postgres', q{SELECT count(*), count(DISTINCT section), min(section) FROM run}), '40|40|section-160', 'locked rows are passed over');
$locker->query_safe('COMMIT');
$locker->quit;
$node->safe_psql('postgres', q{CALL sitemap_run('job')});
is($node->safe_psql('postgres', q{SELECT count(DISTINCT section) FROM run}), '100', 'and run by the next call');

$node->stop;
done_testing();
