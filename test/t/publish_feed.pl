# The feed of sitemap_publish: which URLs a run added, changed or removed.
use FindBin;
use lib $FindBin::RealBin;
use Node;
use Session;

my $seed = $ENV{SEED} // 1;
srand $seed;
note "SEED=$seed";

my $node = start_node("work_mem = '64kB'\n");

# A page has everything that an entry can have, among it ready-made XML with
# elements and text that look like the end of an entry.
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE page (id int PRIMARY KEY, path text NOT NULL, lastmod timestamptz, priority float8,
	                   images text[], extension xml);
	CREATE VIEW site AS
	SELECT 'https://www.example.com/' || path AS loc, lastmod, priority, images,
	       CASE WHEN extension IS NOT NULL THEN ARRAY[extension] END AS extensions, id AS key
	  FROM public.page ORDER BY id;
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE site_changes OF sitemap_change;
	CREATE TABLE page_change (id int);
	CREATE TABLE listed (loc text, entry text);
	CREATE TABLE expected (loc text, action text, lastmod text);

	CREATE FUNCTION random_page(id int) RETURNS page LANGUAGE sql VOLATILE AS $$
	SELECT id,
	       (ARRAY['page-', 'o''brien?a=1&b=', 'ümlat/', '%22%3C/url%3E'])[1 + floor(random() * 4)::int] || id,
	       CASE WHEN random() < 0.7 THEN timestamptz '2026-01-01' + floor(random() * 1000) * interval '1 hour' END,
	       CASE WHEN random() < 0.5 THEN round(random()::numeric, 1) END,
	       CASE WHEN random() < 0.3 THEN ARRAY['https://www.example.com/image-' || floor(random() * 5)] END,
	       (ARRAY['<x:a xmlns:x="http://x.example/"><url xmlns="http://y.example/"><loc>https://z.example/</loc></url></x:a>',
	              '<x:a xmlns:x="http://x.example/"><![CDATA[</url><url><loc>]]></x:a>',
	              '<x:a xmlns:x="http://x.example/" b="xmlns"><!-- </url> --></x:a>'])[1 + floor(random() * 20)::int]::xml
	$$;

	-- All entries of a section, as another reader sees them.  In another format a URL has
	-- another entry.
	CREATE FUNCTION entries(section text) RETURNS TABLE (loc text, entry text) LANGUAGE sql STABLE AS $$
	SELECT p.loc, f.kind || p::text
	  FROM site_files f, sitemap_parse(f.content) p
	 WHERE f.section = entries.section AND f.kind <> 'index'
	$$;
	CREATE FUNCTION remember(section text) RETURNS void LANGUAGE sql AS $$
	DELETE FROM listed; DELETE FROM site_changes;
	INSERT INTO listed SELECT * FROM entries(section)
	$$;
	-- The differences between the feed and that of the two lists, by brute force.
	CREATE FUNCTION wrong(section text) RETURNS bigint LANGUAGE sql AS $$
	WITH expected AS (
	    SELECT coalesce(o.loc, n.loc) AS loc,
	           CASE WHEN o.loc IS NULL THEN 'added' WHEN n.loc IS NULL THEN 'removed' ELSE 'changed' END AS action
	      FROM listed o FULL JOIN entries(section) n ON n.loc = o.loc
	     WHERE o.entry IS DISTINCT FROM n.entry),
	feed AS (SELECT loc, action FROM site_changes c WHERE c.section = wrong.section)
	SELECT (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE feed) a) +
	       (SELECT count(*) FROM (TABLE feed EXCEPT ALL TABLE expected) b)
	$$});

my $publish = q{SELECT count(*) FROM sitemap_publish('site_files', 'TABLE public.site', 'https://www.example.com/', feed => 'site_changes'};

# The first run of a section has no feed; one that changes nothing has none either.
sql('INSERT INTO page SELECT (random_page(n)).* FROM generate_series(1, 1000) n');
sql("$publish, max_urls => 100)");
is(sql('SELECT count(*) FROM site_changes'), 0, 'a first run has no feed');
sql("$publish, max_urls => 100)");
is(sql('SELECT count(*) FROM site_changes'), 0, 'nor has one that changes nothing');

# Random edits.
my @edits = (
	'UPDATE page SET lastmod = now() WHERE id = %d RETURNING id',
	'UPDATE page SET path = path || \'x\' WHERE id = %d RETURNING id',
	'DELETE FROM page WHERE id = %d RETURNING id',
	'DELETE FROM page WHERE id BETWEEN %1$d AND %1$d + 150 RETURNING id',
	'INSERT INTO page SELECT (random_page(%1$d)).* ON CONFLICT DO NOTHING RETURNING id',
	'INSERT INTO page SELECT (random_page(n)).* FROM generate_series(%1$d, %1$d + 120) n ON CONFLICT DO NOTHING RETURNING id',
	'UPDATE page SET extension = (random_page(id)).extension WHERE id = %d RETURNING id');
my @options = (
	q{max_urls => 100},
	q{max_urls => 100, changes => 'DELETE FROM page_change RETURNING id'},
	q{max_urls => 100, changes => 'DELETE FROM page_change RETURNING id'},
	q{max_urls => 100, changes => 'DELETE FROM page_change RETURNING id'},
	q{max_urls => 100, compression => 0},
	q{max_urls => 70, split => 'full'},
	q{max_urls => 100, format => 'txt'});
my ($wrong, $steps, $rows) = (0, 150, 0);
for my $step (1 .. $steps)
{
	my $edits = join '; ', map {
		my $edit = sprintf $edits[ rand @edits ], 1 + int rand 1500;
		"WITH e AS ($edit) INSERT INTO page_change SELECT id FROM e"
	} 1 .. 1 + int rand 5;
	my $options = $options[ rand @options ];
	my $result = sql("$edits; SELECT remember('sitemap'); $publish, max_shrink => 1, $options) \\g /dev/null\n"
		  . q{SELECT wrong('sitemap') || ' ' || count(*) FROM site_changes});
	my ($n, $total) = $result =~ /^(\d+) (\d+)$/m;
	$rows += $total;
	next if $n == 0;
	$wrong++;
	diag "step $step: $n differences; $options; $edits";
}
is($wrong, 0, "$steps random runs: the feed is the difference of the lists");
cmp_ok($rows, '>', $steps, "which has $rows rows");

# What a row says.
sql("TRUNCATE page; INSERT INTO page VALUES (1, 'a', '2026-01-01Z'), (2, 'b&c', NULL), (3, 'c', NULL);
	$publish, max_shrink => 1)");
sql("DELETE FROM site_changes;
	UPDATE page SET lastmod = '2026-02-02Z' WHERE id = 2; DELETE FROM page WHERE id = 3; INSERT INTO page VALUES (4, 'd', '2026-03-03Z');
	$publish)");
is( sql(q{SELECT section, loc, action, lastmod FROM site_changes ORDER BY loc}),
	"sitemap|https://www.example.com/b&c|changed|2026-02-02T00:00:00Z\n"
	  . "sitemap|https://www.example.com/c|removed|\n"
	  . "sitemap|https://www.example.com/d|added|2026-03-03T00:00:00Z",
	'the rows');
is( sql(q{SELECT count(DISTINCT at) || ' ' || bool_and(at >= (SELECT max(lastmod) FROM site_files)) FROM site_changes}),
	'1 true', 'all of a run have one time');

# "at" grows even where the clock was set back.
sql("UPDATE site_files SET lastmod = now() + interval '1 day'; UPDATE page SET path = 'z' WHERE id = 4; $publish)");
is(sql(q{SELECT bool_and(at > (SELECT max(lastmod) FROM site_files WHERE kind <> 'index') - interval '1 s') FROM site_changes WHERE loc ~ 'z$'}),
	't', 'time goes on');
sql(q{
	CREATE TABLE gone_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE gone_changes OF sitemap_change});
foreach my $list ('a', 'b', '', 'c')
{
	sql(qq{
		SELECT FROM sitemap_publish('gone_files', \$\$SELECT '/' || p AS loc FROM unnest('{$list}'::text[]) p\$\$,
		                            'https://www.example.com/', max_shrink => 1, feed => 'gone_changes');
		UPDATE gone_files SET lastmod = now() + interval '1 day'});
}
sql(q{
	UPDATE gone_files SET lastmod = now();
	SELECT FROM sitemap_publish('gone_files', 'SELECT ''/d'' AS loc', 'https://www.example.com/', feed => 'gone_changes', index => 'never')});
is(sql(q{SELECT string_agg(right(loc, 1) || ' ' || action, ', ' ORDER BY at, loc) FROM gone_changes}),
	'a removed, b added, b removed, c added, c removed, d added', 'also after the files with later times are gone');

# All of the run or nothing; another section's URLs are its own.
sql("DELETE FROM site_changes; UPDATE page SET path = 'y' WHERE id = 4");
sql("BEGIN; $publish); ROLLBACK");
is(sql('SELECT count(*) FROM site_changes'), 0, 'a run that is rolled back has no feed');
sql("$publish, section => 'news')");
is(sql('SELECT count(*) FROM site_changes'), 0, 'a first run of another section');
sql("$publish)");
is(sql(q{SELECT string_agg(section || ' ' || action, ', ' ORDER BY loc) FROM site_changes}),
	'sitemap added, sitemap removed', 'the section is named');

# A section that was emptied is not new when it is filled again.
sub feed
{
	my ($section) = @_;

	return sql(
		"SELECT string_agg(replace(loc, 'https://www.example.com/', '') || ' ' || action, ', ' ORDER BY at, loc) FROM site_changes WHERE section = '$section'");
}

sub publish_list
{
	my ($section, $list, $max_urls) = @_;

	sql(qq{
		DELETE FROM site_changes WHERE section <> '$section' OR action <> 'removed';
		SELECT FROM sitemap_publish('site_files', \$\$SELECT '/' || p AS loc FROM unnest('{$list}'::text[]) WITH ORDINALITY l (p, n) ORDER BY n\$\$,
		                            'https://www.example.com/', section => '$section', max_urls => $max_urls, max_shrink => 1,
		                            split => 'full', feed => 'site_changes')});
	return feed($section);
}
is(publish_list('refilled', 'a,b', 10), '', 'a section');
is(publish_list('refilled', '', 10), 'a removed, b removed', 'is emptied');
is(publish_list('refilled', 'b,c', 10), 'a removed, b removed, b added, c added', 'and filled again');

# URLs that a section lists more than once: what counts is how often, not in which files.
foreach my $max_urls (1, 2, 3, 10)
{
	my $section = "often$max_urls";
	my $change = sub {
		my ($list) = @_;

		sql('TRUNCATE site_changes');
		return publish_list($section, $list, $max_urls);
	};

	publish_list($section, 'c,d', $max_urls);
	is($change->('d,d,c'), 'd added', "$max_urls URLs a file: listed more often");
	is($change->('c,d,d'), '', "$max_urls URLs a file: moved");
	is($change->('c,d,e,e'), 'd removed, e added', "$max_urls URLs a file: listed less often, and twice");
	is($change->('c,d'), 'e removed', "$max_urls URLs a file: no longer listed");
}

# Two runs within a second.
sql("TRUNCATE site_changes; UPDATE page SET path = 'y1' WHERE id = 4; $publish); UPDATE page SET path = 'y2' WHERE id = 4; $publish)");
is(sql(q{
	SELECT (SELECT max(at) FROM site_changes) >= (SELECT max(lastmod) FROM site_files) AND
	       (SELECT max(at) FROM site_changes WHERE loc ~ 'y1' AND action = 'added') < (SELECT max(at) FROM site_changes WHERE loc ~ 'y2')}),
	't', 'two runs within a second: "at" grows, and is not earlier than any lastmod');

# No memory grows with the rows of a feed: as a trigger sees it at each INSERT.
sql(q{
	CREATE TABLE many_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE many_changes OF sitemap_change;
	CREATE TABLE memory (bytes bigint);
	CREATE FUNCTION measure() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
	    INSERT INTO memory SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name = 'SPI Proc';
	    RETURN NULL;
	END $$;
	CREATE TRIGGER measure AFTER INSERT ON many_changes EXECUTE FUNCTION measure();
	SELECT count(*) FROM sitemap_publish('many_files', $$SELECT '/' || n AS loc FROM generate_series(1, 50000) n$$,
	                                     'https://www.example.com/');
	SELECT count(*) FROM sitemap_publish('many_files', $$SELECT '/' AS loc$$, 'https://www.example.com/',
	                                     feed => 'many_changes', max_shrink => 1)});
is(sql('SELECT count(*) FROM many_changes'), 50001, 'a feed of many rows');
cmp_ok(sql('SELECT max(bytes) - min(bytes) FROM memory'), '<', 65536,
	'takes no more memory than one of few');

# What cannot be a feed is refused before the query runs, and what is read must be ours.
sub refused
{
	my ($feed, $pattern, $test) = @_;
	my ($status, $stdout, $stderr) = $node->psql('postgres',
		"SET ROLE none; SELECT * FROM sitemap_publish('site_files', 'SELECT 1/0 AS loc', 'https://www.example.com/', feed => $feed)");
	like($stderr, $pattern, $test);
	return;
}
sql(q{CREATE TABLE other (base_url text, at timestamptz, section text, loc text, action int, lastmod text);
	CREATE SEQUENCE counter});
refused(q{'site_files'}, qr/the feed table "site_files" has no column "at"/, 'a feed that is the target');
refused(q{'other'}, qr/column "action" of the feed table "other" must be of type text, not integer/, 'a column of another type');
refused(q{'counter'}, qr/"counter" is not a table/, 'a sequence');
refused(q{0}, qr/the feed table does not exist/, 'no table');
sql(q{UPDATE site_files SET content = 'nonsense' WHERE section = 'sitemap' AND kind = 'urlset'; UPDATE page SET path = 'w' WHERE id = 4});
my ($status, $stdout, $stderr) = $node->psql('postgres', "$publish)");
like($stderr, qr/ERROR:  file "sitemap-[0-9a-f]+\.xml\.gz" of the target is not as sitemap_publish writes it/, 'content by another hand');
# Nobody gets memory for a forged size.
sql("DELETE FROM site_files WHERE section = 'sitemap'; $publish); UPDATE page SET path = 'v' WHERE id = 4;
	UPDATE site_files SET byte_count = 900000000 WHERE section = 'sitemap' AND kind = 'urlset'");
my $session = Session->start($node, 'postgres', on_error_stop => 0);
my $before = memory_of($session->{pid}, 'VmPeak') // 0;
$session->query("$publish)");
is($session->errors, '', 'a forged byte_count');
cmp_ok((memory_of($session->{pid}, 'VmPeak') // 0) - $before, '<', 400 * 1024, 'takes no memory');
$session->quit;
sql("UPDATE page SET path = 'u' WHERE id = 4");
foreach my $loc ('\377', '\303\274', '\000', 'https://www.example.com/\000', 'a</loc><lastmod>\377</lastmod><loc>')
{
	sql(
		"UPDATE site_files SET content = '<?xml ?><urlset ><url><loc>$loc</loc></url></urlset>' WHERE section = 'sitemap' AND kind = 'urlset'");
	($status, $stdout, $stderr) = $node->psql('postgres', "$publish)");
	like($stderr, qr/of the target is not as sitemap_publish writes it/, "bytes by another hand: $loc");
}
sql("CREATE ROLE web; GRANT ALL ON site_files, page TO web; GRANT SELECT ON site TO web");
($status, $stdout, $stderr) = $node->psql('postgres', "SET ROLE web; $publish)");
like($stderr, qr/permission denied for table site_changes/, 'a feed that the caller may not write to');

$node->stop;
done_testing();

