# What a run with changes reads and writes: how many files an edit takes, and the
# plans of the queries that the guide shows.
use FindBin;
use lib $FindBin::RealBin;
use Node;

my $node = start_node("autovacuum = off\n");
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE page (id bigint PRIMARY KEY, path text NOT NULL, changed timestamptz NOT NULL DEFAULT now());
	INSERT INTO page (id, path) SELECT n * 100, '/page-' || n FROM generate_series(1, 100000) n;
	CREATE TABLE image (page_id bigint, number int, url text NOT NULL, PRIMARY KEY (page_id, number));
	INSERT INTO image SELECT id, n, path || '-' || n || '.jpg' FROM page, generate_series(1, 2) n WHERE id % 300 = 0;
	CREATE TABLE archived (id bigint PRIMARY KEY, path text NOT NULL);
	INSERT INTO archived SELECT id + 50, '/archive' || path FROM page WHERE id % 1000 = 0;
	VACUUM ANALYZE;
	CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));

	-- Rows that this transaction has read of a table so far, by scans of all of it and by an index.
	CREATE FUNCTION rows_read(relation regclass, OUT scanned bigint, OUT fetched bigint) LANGUAGE sql AS $$
	  SELECT seq_tup_read, coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables WHERE relid = relation
	$$;

	-- A row that comes, goes, or changes; somewhere.  The result is its key.
	CREATE FUNCTION edit(number int) RETURNS bigint LANGUAGE plpgsql AS $$
	DECLARE
	  at bigint := random() * 10000000;
	BEGIN
	  at := (SELECT id FROM page WHERE id >= at ORDER BY id LIMIT 1);
	  CASE number % 3
	  WHEN 0 THEN DELETE FROM page WHERE id = at;
	  WHEN 1 THEN at := at + 1 + (random() * 90)::int; INSERT INTO page VALUES (at, '/new-' || number) ON CONFLICT DO NOTHING;
	  ELSE UPDATE page SET path = '/moved-' || number WHERE id = at;
	  END CASE;
	  RETURN at;
	END
	$$;

	-- For each of so many edits: how many rows the run read, in files of the average size, and the files it wrote.
	CREATE PROCEDURE count_edits(query text, max_urls int, edits int, INOUT read float8, INOUT written float8, INOUT scanned bigint)
	LANGUAGE plpgsql AS $$
	DECLARE
	  key bigint;
	  size float8;
	  before record;
	  after record;
	  nwritten int;
	BEGIN
	  read := 0;
	  written := 0;
	  scanned := 0;
	  TRUNCATE target;
	  PERFORM sitemap_publish('target', query, 'https://www.example.com/', max_urls => max_urls, compression => 0);
	  SELECT avg(url_count) INTO size FROM target WHERE kind <> 'index';
	  FOR i IN 1 .. edits LOOP
	    key := edit(i);
	    COMMIT;
	    before := rows_read('page');
	    SELECT count(*) INTO nwritten
	      FROM sitemap_publish('target', query, 'https://www.example.com/', max_urls => max_urls, compression => 0,
	                           changes => format('SELECT %s', key))
	     WHERE kind <> 'index' AND action IN ('inserted', 'updated');
	    after := rows_read('page');
	    read := read + (after.fetched - before.fetched) / size / edits;
	    scanned := scanned + after.scanned - before.scanned;
	    written := written + nwritten::float8 / edits;
	    COMMIT;
	  END LOOP;
	END
	$$;
	CREATE PROCEDURE must_be_current(query text, max_urls int) LANGUAGE plpgsql AS $$
	BEGIN
	  IF EXISTS (SELECT FROM sitemap_publish('target', query, 'https://www.example.com/', max_urls => max_urls, compression => 0)
	              WHERE action <> 'unchanged') THEN
	    RAISE 'a full run found something to change';
	  END IF;
	END
	$$});

# How many files an edit takes.
my $plain = q{SELECT path AS loc, changed AS lastmod, id AS key FROM public.page ORDER BY id};
my $seed = $ENV{SEED} // 500;
foreach my $case ([ 1000, 400, 2.2, 1.2 ], [ 200, 400, 3.0, 2.0 ])
{
	my ($max_urls, $edits, $max_read, $max_written) = @$case;
	my ($read, $written, $scanned) = split /\|/,
	  (split /\n/, sql(qq{
		SELECT setseed(($seed + $max_urls) % 1000 / 1000.0);
		CALL count_edits(\$\$$plain\$\$, $max_urls, $edits, NULL, NULL, NULL)}))[-1];

	note(sprintf("seed %d, %d URLs a file: an edit reads %.2f files and writes %.2f", $seed, $max_urls, $read, $written));
	cmp_ok($read, '<=', $max_read, "$max_urls URLs a file, seed $seed: an edit reads at most $max_read files");
	cmp_ok($written, '<=', $max_written, "$max_urls URLs a file, seed $seed: an edit writes at most $max_written files");
	is($scanned, 0, "$max_urls URLs a file: no run scans the table");
	sql("CALL must_be_current(\$\$$plain\$\$, $max_urls)");
}

# The queries of the guide: the run with one change reads ranges of the page's table by its index.
my %queries = (
	'plain' => [ $plain, 1 ],
	'a view' => [ 'TABLE public.page_view', 1 ],
	'WITH' => [ "WITH p AS (SELECT * FROM public.page) SELECT path AS loc, id AS key FROM p ORDER BY id -- a comment", 1 ],
	'LEFT JOIN and GROUP BY' => [
		q{SELECT p.path AS loc, array_agg(public.sitemap_image('https://www.example.com' || i.url) ORDER BY i.number) FILTER (WHERE i.url IS NOT NULL) AS extensions, p.id AS key
		    FROM public.page p LEFT JOIN public.image i ON i.page_id = p.id GROUP BY p.id ORDER BY p.id}, 1 ],
	'LATERAL' => [
		q{SELECT p.path AS loc, i.images AS extensions, p.id AS key
		    FROM public.page p
		    LEFT JOIN LATERAL (SELECT array_agg(public.sitemap_image('https://www.example.com' || url) ORDER BY number) AS images
		                         FROM public.image WHERE page_id = p.id) i ON true
		   ORDER BY p.id}, 1 ],
	'a correlated array' => [
		q{SELECT p.path AS loc, ARRAY(SELECT public.sitemap_image('https://www.example.com' || url) FROM public.image WHERE page_id = p.id ORDER BY number) AS extensions, p.id AS key
		    FROM public.page p ORDER BY p.id}, 1 ],
	'UNION ALL' => [
		q{SELECT path AS loc, id AS key FROM public.page UNION ALL SELECT path, id + 0 FROM public.archived ORDER BY key}, 1, 'archived' ],
	'UNION ALL with bounds' => [
		q{SELECT path AS loc, id AS key FROM public.page WHERE ($1 IS NULL OR id >= $1) AND ($2 IS NULL OR id < $2)
		   UNION ALL
		  SELECT path, id + 0 FROM public.archived WHERE ($1 IS NULL OR id >= $1) AND ($2 IS NULL OR id < $2)
		   ORDER BY key}, 1 ],
	'a window' => [ q{SELECT path || '?' || count(*) OVER (PARTITION BY id / 1000) AS loc, id AS key FROM public.page ORDER BY id}, 0 ],
	'a window with bounds' => [
		q{SELECT path || '?' || count(*) OVER (PARTITION BY id / 1000) AS loc, id / 1000 AS key FROM public.page
		   WHERE ($1 IS NULL OR id >= $1 * 1000) AND ($2 IS NULL OR id < $2 * 1000) ORDER BY id}, 1 ]);

sql('CREATE VIEW page_view AS SELECT path AS loc, id AS key FROM page ORDER BY id');
foreach my $name (sort keys %queries)
{
	my ($query, $is_range, $scanned_too) = @{ $queries{$name} };
	my $key = $name eq 'a window with bounds' ? 5000 : 5000000;

	# A run with one change at the first file's end, in the middle, and behind the last: no bound at one end.
	sql("TRUNCATE target; SELECT sitemap_publish('target', \$q\$$query\$q\$, 'https://www.example.com/', max_urls => 1000, compression => 0)");
	foreach my $at ("$key", '0', "$key * 10")
	{
		my ($page_scanned, $page_fetched, $other_scanned) = split /\|/, sql(qq{
			BEGIN;
			CREATE TEMP TABLE result ON COMMIT DROP AS 
			SELECT * FROM sitemap_publish('target', \$q\$$query\$q\$, 'https://www.example.com/', max_urls => 1000, compression => 0, changes => 'SELECT $at');
			SELECT p.scanned, p.fetched, coalesce(a.scanned, 0) FROM rows_read('page') p, rows_read('archived') a;
			COMMIT});

		cmp_ok($page_fetched, '<=', 4000, "$name, at $at: an index range of the pages") if $is_range;
		is($page_scanned, 0, "$name, at $at: no scan of the pages") if $is_range;
		cmp_ok($page_scanned + $page_fetched, '>', 90000, "$name, at $at: all pages are read") if !$is_range;
		is($other_scanned, $scanned_too ? 10000 : 0, "$name, at $at: scan of the other branch") if $name =~ /UNION/;
	}
	sql("CALL must_be_current(\$q\$$query\$q\$, 1000)");
}

# A range of keys costs the same over all files as over one.  Both runs make all files
# again, for the last change.
sql(q{
	CREATE TABLE small_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE FUNCTION publish_ranges(last_key bigint, OUT milliseconds float8) LANGUAGE plpgsql AS $$
	BEGIN
	  FOR i IN 1 .. 3 LOOP
	    DECLARE
	      start timestamptz := clock_timestamp();
	    BEGIN
	      PERFORM sitemap_publish('small_files', 'SELECT path AS loc, id AS key FROM public.page WHERE id <= 3000000 ORDER BY id',
	                              'https://www.example.com/', max_urls => 2, compression => 0,
	                              changes => format('SELECT 0, %s FROM generate_series(1, 200000) UNION ALL SELECT NULL, NULL', last_key));
	      milliseconds := least(milliseconds, 1000 * extract(epoch FROM clock_timestamp() - start));
	    END;
	  END LOOP;
	END
	$$;
	SELECT sitemap_publish('small_files', 'SELECT path AS loc, id AS key FROM public.page WHERE id <= 3000000 ORDER BY id',
	                       'https://www.example.com/', max_urls => 2, compression => 0)});
cmp_ok(sql('SELECT count(*) FROM small_files'), '>=', 10000, 'there are more than 10,000 files');
my $one = sql('SELECT publish_ranges(0)');
my $all = sql('SELECT publish_ranges(3000000)');
note(sprintf('200,000 ranges over one file take %.0f ms, over all files %.0f ms', $one, $all));
cmp_ok($all, '<', 2.5 * $one, 'ranges over many files cost no more than ranges over one');

# Ranges are read without parallel workers, all rows with them: each loc says whether the
# leader made it.
sql(q{
	CREATE FUNCTION leader_is_here() RETURNS bool PARALLEL SAFE LANGUAGE plpgsql AS $$
	BEGIN
	  RETURN pg_backend_pid() = current_setting('test.leader')::int;
	END
	$$;
	CREATE TABLE parallel_files OF sitemap_file (PRIMARY KEY (base_url, name))});
my $by_leader = q{SELECT count(*) FILTER (WHERE p.loc ~ 'true$') FROM parallel_files f, sitemap_parse(f.content) p WHERE f.kind <> 'index'};
my $parallel = q{sitemap_publish('parallel_files', 'SELECT path || ''/'' || public.leader_is_here() AS loc, id AS key FROM public.page ORDER BY id', 'https://www.example.com/', max_urls => 1000, compression => 0};
my $rows = sql(qq{
	SET parallel_setup_cost = 0;
	SET parallel_tuple_cost = 0;
	SET min_parallel_table_scan_size = 0;
	SET min_parallel_index_scan_size = 0;
	SET parallel_leader_participation = off;
	SET enable_indexscan = off;
	SELECT set_config('test.leader', pg_backend_pid()::text, false);
	SELECT count(*) > 10 FROM $parallel);
	$by_leader;
	SELECT count(*) FROM $parallel, changes => 'SELECT 5000000');
	SELECT ($by_leader) > 500;
});
like($rows, qr/^t\n0\n\d+\nt$/m, 'workers read all rows, and none reads a range');

$node->stop;
done_testing();
