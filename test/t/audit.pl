# sitemap_audit: many rows in little memory, the same verdict as sitemap_files,
# and databases that are not UTF-8.
use FindBin;
use lib $FindBin::RealBin;
use Node;
use Session;

my $node = start_node("work_mem = '1MB'\n");
sql('CREATE EXTENSION sitemap');

# Memory is that of work_mem, however many rows there are.  Each 1,000th row
# repeats the loc of the row before it, each 1,000th has a bad changefreq.
my $session = Session->start($node, 'postgres', on_error_stop => 0);
my $pid = $session->{pid};

SKIP:
{
	skip 'no /proc here', 4 unless defined memory_of($pid, 'VmHWM');
	my $audit = q{
		SELECT problem || ' ' || count(*) || ' ' || bool_and(loc = '/item/' || row_number - (problem = 'loc_duplicate')::int)
		  FROM sitemap_audit($q$
		         SELECT '/item/' || n - (n %% 1000 = 7)::int AS loc, CASE WHEN n %% 1000 = 8 THEN 'x' END AS changefreq
		           FROM generate_series(1, %d) n$q$, 'https://www.example.com/')
		 GROUP BY problem ORDER BY problem};

	is($session->query_safe(sprintf($audit, 500000)),
		"changefreq_invalid 500 true\nloc_duplicate 500 true", 'half a million rows');
	my $before = memory_of($pid, 'VmHWM');
	is($session->query_safe(sprintf($audit, 2000000)),
		"changefreq_invalid 2000 true\nloc_duplicate 2000 true", 'two million rows');
	my $growth = memory_of($pid, 'VmHWM') - $before;

	cmp_ok($growth, '<', 8192, "memory does not grow with the rows ($before kB, then $growth kB more)");
	is(temporary_files(), 0, 'no temporary file is left');
}

# Every row has problems, a million.
is( $session->query_safe(
		q{
		SELECT count(*), count(DISTINCT row_number), max(detail)
		  FROM sitemap_audit($$SELECT 'http://a.example/x' AS loc, 2 AS priority FROM generate_series(1, 500000)$$,
		                     'https://a.example/', scope => 'any')}),
	'1000000|500000|The scheme is http, while base_url or other pages have https. This is found 500000 times.',
	'nothing but problems');

# Languages: each page of a set has ten, one set in a hundred lacks a link back.
is( $session->query_safe(
		q{
		SELECT problem, count(*)
		  FROM sitemap_audit($$
		         SELECT '/' || l || '/' || n AS loc,
		                jsonb_object_agg((ARRAY['ar','bn','cs','da','de','en','es','fi','fr','hi'])[m],
		                                 'http://a.example/' || m || '/' || n)
		                FILTER (WHERE n % 100 <> 0 OR l <> 3 OR m <> 5) AS alternates
		           FROM generate_series(1, 2000) n, generate_series(1, 10) l, generate_series(1, 10) m
		          GROUP BY n, l$$, 'http://a.example/')
		 GROUP BY problem}),
	'hreflang_not_reciprocal|20',
	'links between pages');

# An error and a cancel request leave nothing behind.
$session->query(
	q{SELECT count(*) FROM sitemap_audit('SELECT ''/'' || n / (400000 - n) AS loc FROM generate_series(1, 500000) n', 'http://a.example/')}
);
like($session->{stderr}, qr/division by zero/, 'an error of the query');
$session->{stderr} = '';
is(temporary_files(), 0, 'leaves no temporary file');
like(
	$session->query_within(
		500, q{SELECT count(*) FROM sitemap_audit('SELECT ''/'' || generate_series(1, 1000000000) AS loc', 'http://a.example/')}),
	qr/canceling statement due to statement timeout/,
	'statement_timeout');

# robots is read before the query: tens of milliseconds for the longest.
like(
	$session->query_within(
		1, q{SELECT count(*) FROM sitemap_audit('not a query', 'http://a.example/',
			robots => repeat(E'User-agent: *\nDisallow: /a\n', 20000), agents => array_fill('a'::text, ARRAY[50]))}),
	qr/canceling statement due to statement timeout/,
	'statement_timeout among many agents');

# However many agents obey the rules, they are there once.
SKIP:
{
	skip 'no /proc here', 2 unless defined memory_of($pid, 'VmHWM');
	my $agents = join ',', map { "'a" . chr(97 + $_) . "'" } 0 .. 25;
	my $rules = q{string_agg('Disallow: /' || n || E'\n', '') FROM generate_series(1, 25000) n};
	my $before = memory_of($pid, 'VmHWM');

	is( $session->query_safe(
			qq{SELECT count(*) FROM sitemap_audit('SELECT ''/123'' AS loc', 'http://a.example/', agents => ARRAY[$agents],
				robots => (SELECT string_agg('User-agent: ' || a || E'\n', '') || (SELECT $rules) FROM unnest(ARRAY[$agents]) a))}),
		2, '25,000 rules for 26 agents');
	my $growth = memory_of($pid, 'VmHWM') - $before;
	cmp_ok($growth, '<', 16384, "in little memory ($growth kB)");
}

# A long URL takes long with long rules.
like(
	$session->query_within(
		500, q{SELECT count(*) FROM sitemap_audit($$SELECT '/' AS loc, ARRAY['http://a/ab' || repeat('a', 90000)] AS images$$, 'http://a/',
			robots => (SELECT E'User-agent: *\n' || string_agg(format(E'Allow: /*%sb\n', repeat('a', 1000 + n)), '') FROM generate_series(1, 500) n))}),
	qr/canceling statement due to statement timeout/,
	'statement_timeout in a URL');
is(temporary_files(), 0, 'leaves no temporary file');

# What sitemap_files leaves out is what sitemap_audit says that it would.
sql(q{
	CREATE FUNCTION pick(VARIADIC choices text[]) RETURNS text LANGUAGE sql VOLATILE
	RETURN choices[1 + floor(random() * cardinality(choices))];
	SELECT setseed(0.27);
	CREATE TABLE page AS
	SELECT n AS id,
	       pick('/', '/', '/', '/', 'http://a/', 'http://b/', 'ftp://a/', 'http://a:0/', '', E'\x01', 'http://', NULL) ||
	       pick('', n::text, 'x y', 'ü', '?a&b', repeat('x', 300), repeat('ü', 400)) AS loc,
	       pick('2026', '2026-01-01', '2999-12-31', '2026-02-30', 'now', '', NULL) AS lastmod,
	       pick('daily', 'DAILY', 'dayly', '', NULL) AS changefreq,
	       pick('0', '0.5', '1.5', 'NaN', NULL)::numeric AS priority,
	       ARRAY[pick('http://i/' || n, 'ftp://i/', NULL)] AS images,
	       CASE pick('0', '1') WHEN '1' THEN
	         jsonb_build_object('publication_name', 'n', 'publication_language', pick('en', 'EN'), 'title', 't',
	                            'publication_date', pick('2020', '2999')) END AS news,
	       CASE pick('0', '1') WHEN '1' THEN
	         jsonb_build_object('de', pick('http://a/' || n, NULL), pick('en', 'DE', 'xx'), 'http://a/' || n - 1) END AS alternates,
	       CASE pick('0', '1') WHEN '1' THEN
	         jsonb_build_object('thumbnail_loc', 'http://t/', 'title', 't', 'description', 'd',
	                            'content_loc', pick('http://a/1', 'http://a/', 'http://a'), 'uploader', 'u',
	                            'uploader_info', pick('http://a/', 'http://c/')) END AS videos,
	       ARRAY[CASE pick('0', '1') WHEN '1' THEN sitemap_news('n', 'en', '2020', 't') END,
	             CASE pick('0', '1') WHEN '1' THEN '<a/>'::xml END] AS extensions
	  FROM generate_series(1, 20000) n});
foreach my $arguments ('', ", scope => 'path'", ", scope => 'any'", ', max_bytes => 600',
	", format => 'txt'", ", protocol => '0.84'")
{
	my $query =
	  q{$q$SELECT loc, lastmod, changefreq, priority, images, news, alternates, videos, extensions FROM public.page ORDER BY id$q$};
	my $call = "$query, 'http://a/', index => 'never'$arguments";
	my ($status, $urls, $warning) = $node->psql(
		'postgres',
		"SELECT sum(url_count) FROM sitemap_files($call, on_invalid => 'skip')");
	my ($lost_rows) = $warning =~ /left out (\d+) rows/;
	my ($lost_elements) = $warning =~ /(\d+) optional elements/;

	# Of a row without a usable loc the other values are not looked at there.
	is( sql(qq{
			WITH problem AS MATERIALIZED (
				SELECT *, bool_or(problem ~ '^(loc_(null|invalid|too_long|outside)|url_element_invalid)\$')
				          OVER (PARTITION BY row_number) AS unread
				  FROM sitemap_audit($call))
			SELECT (SELECT count(*) FROM page) - count(DISTINCT row_number) FILTER (WHERE unread OR problem = 'entry_too_large'),
			       count(DISTINCT row_number) FILTER (WHERE unread OR problem = 'entry_too_large'),
			       count(*) FILTER (WHERE NOT unread AND problem ~ '^(lastmod|changefreq|priority|image|news|video|extension)_invalid\$')
			  FROM problem}),
		join('|', $urls, $lost_rows, $lost_elements),
		"audit and files agree: $call");

	# Which rows they are, and that nothing is left to reject once those are gone.
	is( sql(qq{
			CREATE TABLE good AS
			SELECT p.*
			  FROM (SELECT *, row_number() OVER (ORDER BY id) FROM page) p
			 WHERE row_number NOT IN (SELECT row_number
			                            FROM sitemap_audit($call)
			                           WHERE problem ~ '_(null|invalid|too_long|outside|too_large)\$');
			SELECT sum(url_count) = (SELECT count(*) FROM good)
			  FROM sitemap_files(replace($query, 'public.page', 'public.good'), 'http://a/', index => 'never'$arguments);
			DROP TABLE good}),
		't',
		'without those rows nothing is refused');
}
$session->quit;

# Other encodings: a loc that the database cannot show, or cannot read.
sql(q{
	CREATE DATABASE latin1 ENCODING LATIN1 LOCALE 'C' TEMPLATE template0;
	CREATE DATABASE bytes ENCODING SQL_ASCII LOCALE 'C' TEMPLATE template0});
foreach my $database ('latin1', 'bytes')
{
	$node->safe_psql($database, 'CREATE EXTENSION sitemap');
}
is( $node->safe_psql(
		'latin1', q{
		SELECT row_number, octet_length(loc), loc = '/' || chr(252), problem
		  FROM sitemap_audit('SELECT ''/'' || chr(252) AS loc, 2 AS priority FROM generate_series(1, 2)', 'http://a.example/')}),
	"1|2|t|priority_invalid\n2|2|t|priority_invalid\n2|2|t|loc_duplicate",
	'a loc in LATIN1');
is( $node->safe_psql(
		'latin1', q{
		SELECT row_number, problem, detail LIKE '%line 2 of robots.txt is "Disallow: /' || chr(252) || '".'
		  FROM sitemap_audit($$SELECT unnest(ARRAY['/' || chr(252) || '/1', '/%c3%bc/2', '/%FC/3']) AS loc$$, 'http://a.example/', agents => '{x}',
		                     robots => 'User-agent: *' || chr(10) || 'Disallow: /' || chr(252) || chr(10) || 'Sitemap: http://a.example/sitemap.xml')}),
	"1|robots_disallowed|t\n2|robots_disallowed|t",
	'a robots.txt in LATIN1');
my ($robots_status, undef, $robots_error) = $node->psql(
	'bytes', q{SELECT sitemap_audit('SELECT 1', 'http://a.example/', robots => E'Disallow: /\\xFC')});
like($robots_error, qr/invalid robots: bytes that are not text in encoding "SQL_ASCII"/,
	'a robots.txt that is no text');
is( $node->safe_psql(
		'bytes', q{
		SELECT row_number, loc IS NULL, problem, detail
		  FROM sitemap_audit($$SELECT E'/\\xFF' AS loc, 'x' AS changefreq, E'\\xFF'::text AS lastmod$$, 'http://a.example/')}),
	join("\n",
		'1|t|loc_invalid|Invalid loc: bytes that are not text in encoding "SQL_ASCII" or have no counterpart in UTF-8.',
		'1|t|lastmod_invalid|Invalid lastmod: bytes that are not text in encoding "SQL_ASCII" or have no counterpart in UTF-8.',
		'1|t|changefreq_invalid|Invalid changefreq "x". It can be always, hourly, daily, weekly, monthly, yearly or never.'),
	'a loc that is no text');
is( $node->safe_psql(
		'bytes', q{
		SELECT problem, detail
		  FROM sitemap_audit($$SELECT '/' AS loc, to_jsonb(E'/\\xFF'::text) AS images,
		                              jsonb_build_object('title', E'\\xFF') AS videos,
		                              jsonb_build_object('de', E'/\\xFF', E'\\xFE', '/') AS alternates$$, 'http://a.example/')}),
	join("\n",
		map { "$_: bytes that are not text in encoding \"SQL_ASCII\" or have no counterpart in UTF-8." }
		  'image_invalid|Invalid image', 'video_invalid|Invalid videos.title',
		'extension_invalid|Invalid href', 'extension_invalid|Invalid hreflang'),
	'jsonb that is no text');
SKIP:
{
	skip 'no libxml here', 1 if $node->psql('latin1', q{SELECT '<a/>'::xml}) != 0;
	is( $node->safe_psql(
			'latin1', q{
			SELECT row_number, loc, problem
			  FROM sitemap_audit($$SELECT '<url><loc>/&#x4E2D;</loc><priority>2</priority></url>'::xml AS url$$, 'http://a.example/')}),
		'1||priority_invalid',
		'a loc that the database cannot show');
}

$node->stop;
done_testing();

sub temporary_files
{
	return sql('SELECT count(*) FROM pg_ls_tmpdir()');
}
