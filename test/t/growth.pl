# Time and memory grow with the input and no faster, whatever that is: each function
# that takes values of strangers gets generated ones of size n and 2n, in many shapes.
#
# Time is what the scheduler says the backend was on a processor, so other work on the
# machine counts little.  n is doubled until a call takes long enough to measure, then
# the median of several calls with 2n is compared with that of n.  If it is more than
# 2.5 times as long, more calls are made, all of which count, and then with 4n beside
# 2n, up to a limit: that evens out noise and the step where a cache is full, and what
# is quadratic stays at 4.
#
# Memory is the peak of the backend in its first call, above what it had.  That of 2n is
# too much where it is more than 2.5 times that of n and more than 16 MB above it, or more
# than 20 times the input and 32 MB.
use FindBin;
use List::Util qw(max min);

use lib $FindBin::RealBin;
use Node;
use Session;

my $max_growth = 2.5;
my $max_memory = 20;             # times the input
my $free_memory = 32 * 1024;     # kB, beside that
my $least_growth = 16 * 1024;    # kB, that 2n may always take beside n
my $least_time = 0.02;           # seconds on a processor, to be measured
my $largest = 12_800_000;        # bytes of input, at most
my $largest_xml = 6_400_000;     # libxml refuses a token of more than 10,000,000

my $node = start_node("autovacuum = off\nshared_buffers = 2MB\nmax_parallel_workers_per_gather = 0\n");
my $has_libxml = $node->safe_psql('postgres',
	q{CREATE EXTENSION sitemap; SELECT count(*) FROM pg_config WHERE setting ~ '--with-libxml'});

# An input, as text or in the type that a function takes; not compressed, since its size counts.
my @types = qw(text bytea jsonb xml text[] xml[]);
$node->safe_psql(
	'postgres', q{
	CREATE UNLOGGED TABLE input (size int, "text" text, "bytea" bytea, "jsonb" jsonb, "xml" xml,
	                             "text[]" text[], "xml[]" xml[]);
	} . join '', map { qq{ALTER TABLE input ALTER "$_" SET STORAGE EXTERNAL;} } @types);
# Ready-made XML without a parser between: an array or value from its text.
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION xmls(item text, n bigint) RETURNS xml[] IMMUTABLE LANGUAGE sql AS $$
	  SELECT array_agg(item::xml) FROM generate_series(1, n)
	$$;
	SET xmloption = content});

plan skip_all => 'the scheduler tells no times here' unless defined on_processor($$);

my $video = q{'http://t/', 't', 'd', 'http://c/'};
my $v = '"urn:' . 'v' x 40 . '"';
my $many_prefixes = join ' ', map { "xmlns:p$_='urn:p$_'" } 1 .. 60;
my $many_attributes = join ' ', map { "a$_='$_'" } 1 .. 60;
my $same_name = join(' ', map { sprintf q{xmlns:p%d='%s%02d'}, $_, 'u' x 200, $_ } 1 .. 30) . ' '
  . join(' ', map { "p$_:a=''" } 1 .. 30);
my $deep = ('<a>' x 60) . ('</a>' x 60);
my $link = q{<xhtml:link rel="alternate" hreflang="de" href="http://a/"/>};
my $quotes = q{'http://a/?' || repeat('''', 2000)};
my $entry = '<url><loc>http://a.example/page</loc><lastmod>2026-01-02</lastmod><priority>0.5</priority></url>';
my $urlset = q{'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' || %s || '</urlset>'};

# A name; the type of the input; an expression for an input of about n bytes, called size
# there; the statement, where v is the input.  Where no more is read, such as of a
# robots.txt, or a limit refuses larger inputs, end has to keep twice end below it.
my @cases = (
	# one long value
	[ 'sitemap_url, a long loc', 'text', q{'http://a/' || repeat('é', size / 2)}, 'sitemap_url(v)', error => '22001' ],
	[ 'sitemap_url, blanks around a loc', 'text', q{repeat(' ', size / 2) || 'http://a/' || repeat(' ', size / 2)}, 'sitemap_url(v)' ],
	[ 'sitemap_url, a loc of dots', 'text', q{'http://a/' || repeat('../', size / 3)}, 'sitemap_url(v)', error => '22001' ],
	[ 'sitemap_url, a long host', 'text', q{'http://' || repeat('a.', size / 2)}, 'sitemap_url(v)', error => '22001' ],
	[ 'sitemap_url, a long lastmod', 'text', q{repeat(' ', size)}, q{sitemap_url('http://a/', v)} ],
	[ 'sitemap_url, a long changefreq', 'text', q{repeat(' ', size)}, q{sitemap_url('http://a/', changefreq => v)} ],
	[ 'sitemap_image, a long loc', 'text', q{'http://a/?' || repeat('&é ', size / 4)}, 'sitemap_image(v)' ],
	[ 'sitemap_image, a long caption', 'text', q{repeat('"é', size / 3)}, q{sitemap_image('http://a/', v)} ],
	[ 'sitemap_video, a long content_loc', 'text', q{'http://a/' || repeat('''', size)}, q{sitemap_video('http://t/', 't', 'd', v)} ],
	[ 'sitemap_video, a long title', 'text', q{repeat('é', size / 2)}, q{sitemap_video('http://t/', v, 'd', 'http://c/')}, error => '22001' ],
	[ 'sitemap_video, many countries', 'text', q{repeat('DE ', size / 3)}, "sitemap_video($video, restriction => v, restriction_relationship => 'allow')" ],
	[ 'sitemap_video, many segments', 'text[]', q{array_fill('http://a/'::text, ARRAY[size::int / 16])}, "sitemap_video($video, content_segment_loc => v)", end => 5_000_000 ],
	[ 'sitemap_video, many ids', 'text[]', q{array_fill('x'::text, ARRAY[size::int / 8])}, "sitemap_video($video, id => v, id_type => array_fill('url'::text, ARRAY[cardinality(v)]))", end => 3_200_000 ],
	[ 'sitemap_news, a long title', 'text', q{repeat('<', size)}, q{sitemap_news('n', 'en', '2026', v)} ],
	[ 'sitemap_news, many genres', 'text', q{repeat('Blog,', size / 5) || 'Blog'}, q{sitemap_news('n', 'en', '2026', 't', genres => v)} ],
	[ 'sitemap_news, many tickers', 'text', q{repeat('A:B,', size / 4)}, q{sitemap_news('n', 'en', '2026', 't', stock_tickers => v)}, error => '22023' ],
	[ 'sitemap_encode', 'text', q{repeat('é', size / 2)}, q{sitemap_encode(v)} ],
	[ 'sitemap_alternate, a long href', 'text', q{'http://a/' || repeat('%', size)}, q{sitemap_alternate('de', v)} ],
	[ 'sitemap_alternate, a long hreflang', 'text', q{repeat('de-', size / 3)}, q{sitemap_alternate(v, 'http://a/')}, error => '22023' ],
	[
		'sitemap_alternates, many links', 'jsonb',
		q{(SELECT jsonb_object_agg(l || '-' || s || '-' || c, 'http://a/') FROM unnest('{de,en,fr,it,es,pl,sv,da,nl,fi,cs,el,hu,ro,bg,hr,sk,sl,et,lv}'::text[]) l,
		   unnest('{Latn,Cyrl,Grek,Arab,Hebr,Thai,Hans,Hant,Jpan,Kore}'::text[]) s,
		   LATERAL (SELECT c FROM unnest('{DE,AT,CH,FR,BE,NL,LU,IT,ES,PT,GB,IE,DK,SE,NO,FI,IS,PL,CZ,SK,HU,SI,HR,BG,RO,GR,CY,MT,EE,LV,LT,US,CA,MX,BR,AR,CL,PE,CO,VE,AU,NZ,JP,CN,KR,IN,ZA,EG,MA,TR}'::text[])
		            WITH ORDINALITY c (c, n) WHERE n <= size / 10000) c)},
		'sitemap_alternates(v)', start => 50_000, end => 500_000 ],
	[ 'sitemap_alternates, a long href', 'jsonb', q{jsonb_build_object('de', 'http://a/' || repeat('é', size / 2))}, 'sitemap_alternates(v)' ],

	# ready-made XML
	[ 'extensions, many elements', 'xml[]', q{xmls('<a xmlns="urn:a"/>', size / 24)}, q{sitemap_url('http://a/', extensions => v)} ],
	[ 'extensions, NULLs', 'xml[]', 'array_fill(NULL::xml, ARRAY[size::int * 8])', q{sitemap_url('http://a/', extensions => v)} ],
	xml('values with a rule', "<video:video>%s</video:video>", '<video:content_loc/>', call => "sitemap_url($quotes, extensions => ARRAY[v])"),
	xml('uploaders', '<video:video>%s</video:video>', q{<video:uploader info="http://a/"/>}),
	xml('dates of news', '<news:news>%s</news:news>', '<news:publication_date/>'),
	xml('images', '<a xmlns="urn:a">%s</a>', '<image:image/>'),
	xml('deep elements', '<a xmlns="urn:a">%s</a>', $deep),
	xml('attributes', '<a xmlns="urn:a">%s</a>', "<b $many_attributes/>"),
	xml('prefixes', '<a xmlns="urn:a">%s</a>', "<b $many_prefixes/>"),
	xml('attributes of one name', '<a xmlns="urn:a">%s</a>', "<b $same_name/>"),
	xml('a long name of a namespace', '<a:b xmlns:a="%s"/>', 'u', error => '2200N'),
	xml('a long attribute', '<a xmlns="urn:a" b="%s"/>', '&amp;'),
	xml('references', '<a xmlns="urn:a">%s</a>', '&#233;'),
	xml('tabs', '<a xmlns="urn:a">%s</a>', '\\\\'),
	xml('comments', '<a xmlns="urn:a">%s</a>', '<!-- -->'),
	xml('CDATA', '<a xmlns="urn:a">%s</a>', '<![CDATA[<]]>'),

	# aggregates
	[ 'sitemap_agg, elements', 'text', q{repeat('x', size)}, rows(40, q{sitemap_agg('http://a/' || n)}), start => 400_000, end => 1_000_000 ],
	[ 'sitemap_agg, large elements', 'xml[]', q{xmls('<url><loc>http://a/</loc><a xmlns="urn:a">' || repeat('x', 1000) || '</a></url>', size / 1000)}, 'SELECT length(sitemap_agg(u)) FROM input, unnest(v) u' ],
	[ 'sitemap_text_agg', 'text', q{repeat('x', size)}, rows(40, q{sitemap_text_agg('http://a/' || n)}), start => 400_000, end => 1_000_000 ],
	[ 'sitemap_index_agg', 'text', q{repeat('x', size)}, rows(40, q{sitemap_index_agg('http://a/' || n)}), start => 400_000, end => 1_000_000 ],

	# documents
	document('entries', sprintf($urlset, "repeat('$entry', size / 110)")),
	document('extensions', sprintf($urlset, "repeat('<url><loc>http://a/</loc>' || repeat('<a xmlns=\"urn:a\"/>', 20) || '</url>', size / 430)")),
	document('one entry of extensions', sprintf($urlset, "'<url><loc>http://a/</loc>' || repeat('<a xmlns=\"urn:a\"/>', size / 30) || '</url>'"), start => 400_000, error => '54000'),
	document('attributes of one name', sprintf($urlset, "repeat('<url><loc>http://a/</loc><b xmlns=\"urn:b\" " . $same_name =~ s/'/''/gr . "/></url>', size / 7000)")),
	document('priorities', sprintf($urlset, "repeat('<url><loc>http://a/</loc><priority>0.5' || repeat(' ', 1000) || '</priority></url>', size / 1060)")),
	document('a long loc', sprintf($urlset, "'<url><loc>' || repeat('&amp;', size / 5) || '</loc></url>'")),
	document('a long name', sprintf($urlset, "'<url><loc>http://a/</loc><a' || repeat('a', size) || ' xmlns=\"urn:a\"/></url>'")),
	document('comments', "repeat('<!-- -->', size / 8) || " . sprintf($urlset, "'$entry'")),
	document('an end that is missing', q{'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' || } . "repeat('$entry', size / 110)", error => '2200M'),
	document('broken entries, skipped', sprintf($urlset, "repeat('<url><loc/><x/></url>', size / 21)"), arguments => q{, on_invalid => 'skip'}),
	document('blanks', q{repeat(' ', size) || '<urlset/>'}, arguments => q{, on_invalid => 'skip'}),
	document('lines', q{repeat(E'http://a.example/page\n', size / 22)}),
	[ 'sitemap_parse, bytes', 'bytea', 'convert_to(' . sprintf($urlset, "repeat('$entry', size / 110)") . ", 'UTF8')", 'SELECT count(*) FROM input, sitemap_parse(v)' ],
	[ 'sitemap_columns, many items', 'xml[]', q{xmls('<i:image xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><i:loc>http://a/</i:loc></i:image>', size / 100)},
		'SELECT count(images) FROM input, sitemap_columns(v)' ],
	[ 'sitemap_columns, many values', 'xml[]', q{ARRAY[('<v:video xmlns:v="http://www.google.com/schemas/sitemap-video/1.1">' || repeat('<v:price currency="EUR">1</v:price>', size / 40) || '</v:video>')::xml]},
		'SELECT count(videos) FROM input, sitemap_columns(v)' ],
	[ 'sitemap_kind, comments', 'text', "repeat('<!-- -->', size / 8) || '<urlset/>'", 'sitemap_kind(v)' ],

	# queries
	query('columns', 20, q{SELECT '/' || n AS loc, '2026-01-02'::text AS lastmod, 'daily' AS changefreq, 0.5 AS priority}),
	query('languages', 40_000, q{SELECT '/' || n AS loc, (SELECT array_agg(format('<xhtml:link xmlns:xhtml="http://www.w3.org/1999/xhtml" hreflang="%%s"/>', m)::xml) FROM generate_series(1, 500) m) AS extensions}),
	query('locs that are skipped', 20, q{SELECT 'ftp://' || n AS loc}),
	query('elements that are skipped', 2_000, q{SELECT '/' AS loc, xmls('<a/>', 500) AS extensions}),
	query('images', 2_000, q{SELECT '/' || n AS loc, array_fill('http://a/1.jpg'::text, '{100}') AS images}),
	query('alternates', 200, q{SELECT '/' || n AS loc, '{"de": "http://a/", "en": "http://b/"}'::jsonb AS alternates}),
	query('videos', 300, q{SELECT '/' || n AS loc, '[{"thumbnail_loc": "/t", "title": "t", "description": "d", "content_loc": "/c", "tag": ["a", "b"]}]'::jsonb AS videos}),
	query('items of a page', 20_000, q{SELECT '/' || n AS loc, (SELECT jsonb_agg(jsonb_build_object('thumbnail_loc', '/t', 'title', m, 'description', 'd', 'content_loc', '/c')) FROM generate_series(1, 100) m) AS videos}),
	query('unknown keys', 20, q{SELECT '/' || n AS loc, jsonb_build_object(repeat('x', 300), 1) AS videos}, 'sitemap_audit'),
	query('duplicates', 20, q{SELECT '/' AS loc}, 'sitemap_audit'),
	query('pages of the future', 20, q{SELECT '/' || n AS loc, '2999-01-01'::date AS lastmod}, 'sitemap_audit'),
	[
		'sitemap_audit, rules of robots.txt', 'text', q{E'User-agent: *\n' || repeat(E'Disallow: /a*b*c*d$\n', size / 20)},
		q{SELECT count(*) FROM input, sitemap_audit('SELECT ''/a'' || repeat(''b'', 100) || n AS loc FROM generate_series(1, 10) n', 'http://a/', robots => v)},
		end => 250_000 ],
	[
		'sitemap_audit, groups of robots.txt', 'text', q{repeat(E'User-agent: b\nUser-agent: *\nDisallow: /a*b*c*d$\n', size / 50)},
		q{SELECT count(*) FROM input, sitemap_audit('SELECT ''/'' AS loc', 'http://a/', robots => v, agents => array_fill('a'::text, '{50}'))},
		end => 250_000 ],
	[
		'sitemap_audit, a long rule of robots.txt', 'text', q{E'User-agent: *\nDisallow: /*' || repeat('/', size)},
		q{SELECT count(*) FROM input, sitemap_audit('SELECT repeat(''/b'', 900) || n AS loc FROM generate_series(1, 10) n', 'http://a/', robots => v)},
		end => 250_000 ],
);

# sitemap_url with an element that has many of an item.
sub xml
{
	my ($name, $around, $item, %more) = @_;
	my ($before, $after) = map { s/'/''/gr } split /%s/, $around;
	my $call = delete $more{call} // q{sitemap_url('http://a/', extensions => ARRAY[v])};

	$item =~ s/'/''/g;
	return [
		"extensions, $name", 'xml', "('$before' || repeat('$item', size::int / length('$item')) || '$after')::xml",
		$call, %more ];
}

# An aggregate of so many rows that they make up the input, each with that many bytes.
sub rows
{
	my ($bytes, $aggregate) = @_;

	return "SELECT length($aggregate) FROM input, generate_series(1, input.size / $bytes) n";
}

sub document
{
	my ($name, $generate, %more) = @_;
	my $arguments = delete $more{arguments} // '';

	return [ "sitemap_parse, $name", 'text', $generate, "SELECT count(*) FROM input, sitemap_parse(v$arguments)", %more ];
}

# A query of so many rows that they make up the input, each with that many bytes.
sub query
{
	my ($name, $bytes, $query, $function) = @_;

	$function //= 'sitemap_files';
	return [
		"$function, $name", 'text', q{repeat('x', size)},
		"SELECT count(*) FROM input, $function(format(\$q\$$query FROM generate_series(1, %s) n\$q\$, size / $bytes), 'http://a/', on_invalid => 'skip')",
		end => 25_600_000
	];
}

my %covered;

foreach my $case (@cases)
{
  SKIP:
	{
		skip 'values of type xml take libxml', 2 if !$has_libxml && "@$case" =~ /xml\[\]|::xml/;
		eval { measure(@$case); 1 } or fail("$case->[0]: $@");
		$node->safe_psql('postgres', 'TRUNCATE input');
	}
	$covered{$_} = 1 foreach $case->[3] =~ /\b(sitemap_\w+)\(/g;
}

# A timeout takes effect in the middle of a call, not at its end.  The call takes long
# enough for the difference to show.  (sitemap_alternates takes 1,000 links, 10 ms.)
foreach my $name (
	'sitemap_video, many countries',
	'sitemap_video, many segments',
	'sitemap_video, many ids',
	'sitemap_news, many genres',
	'extensions, many elements')
{
	my ($case) = grep { $_->[0] eq $name } @cases;
	my (undef, $type, $generate, $call, %more) = @$case;
	my $size = 2 * ($more{end} // $largest_xml);
	my %state = (type => $type, generate => $generate, error => '');

	next if !$has_libxml && $type =~ /xml/;
	$state{call} = "SELECT ($call)::text IS NULL FROM input" =~ s/\bv\b/"$type"/gr;
	make_input(\%state, $size);
	my $whole = median(map { call(\%state, $size) } 1 .. 3);
	$state{session}->query_safe(q{SET statement_timeout = '5ms'});
	$state{error} = '57014';
	my $cut_off = median(map { call(\%state, $size) } 1 .. 3);
	cmp_ok($cut_off, '<', 0.7 * $whole, sprintf '%s: a timeout of 5 ms, %.3f s instead of %.3f', $name, $cut_off, $whole);
	$state{session}->quit;
	$node->safe_psql('postgres', 'TRUNCATE input');
}

# A run with changes takes no more than about twice as long as a full run, whether the
# query can use an index for ranges of keys or not.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE page AS SELECT n AS id, '/page-' || n AS path FROM generate_series(1, 60000) n;
	CREATE TABLE indexed AS TABLE page;
	ALTER TABLE indexed ADD PRIMARY KEY (id);
	ANALYZE;
	CREATE TABLE target OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE FUNCTION pages(first int, last int) RETURNS TABLE (loc text, key int) LANGUAGE plpgsql AS $$
	BEGIN
	  RETURN QUERY SELECT path, id FROM public.indexed WHERE id >= coalesce(first, 0) AND (last IS NULL OR id < last) ORDER BY id;
	END
	$$});
my %changed = (
	'a table without index' => 'SELECT path AS loc, id AS key FROM public.page ORDER BY id',
	'bounds without index' => 'SELECT path AS loc, id AS key FROM public.page WHERE ($1 IS NULL OR id >= $1) AND ($2 IS NULL OR id < $2) ORDER BY id',
	'an index' => 'SELECT path AS loc, id AS key FROM public.indexed ORDER BY id',
	'an expression' => 'SELECT path AS loc, id + 0 AS key FROM public.indexed ORDER BY key',
	'a window' => 'SELECT path AS loc, id AS key, count(*) OVER (PARTITION BY id / 10) % 1 + 0.5 AS priority FROM public.indexed ORDER BY id',
	'UNION ALL, one part without index' => 'SELECT path AS loc, id AS key FROM public.indexed UNION ALL SELECT path, id FROM public.page WHERE id % 100 = 0 ORDER BY key',
	'a function' => 'SELECT * FROM public.pages(NULL, NULL)',
	'a function with bounds' => 'SELECT * FROM public.pages($1, $2)');
foreach my $name (sort keys %changed)
{
	my $publish = "sitemap_publish('target', \$q\$$changed{$name}\$q\$, 'http://a/', max_urls => 50, max_shrink => 1, compression => 0, changes => '%s')";
	my %state = (error => '');

	$node->safe_psql('postgres', 'TRUNCATE target; SELECT ' . sprintf($publish, 'VALUES (NULL)'));
	$state{session} = begin_session(\%state);
	my %seconds;
	foreach my $every ((60000, 2000, 200) x 3)
	{
		my $changes = $every == 60000 ? 'VALUES (NULL)' : "SELECT n FROM generate_series(1, 60000, $every) n";

		$state{call} = 'SELECT count(*) FROM ' . sprintf($publish, $changes);
		push @{ $seconds{$every} }, call(\%state, 0);
	}
	my $full = median(@{ $seconds{60000} });
	foreach my $every (2000, 200)
	{
		my $partial = median(@{ $seconds{$every} });

		cmp_ok($partial, '<=', 2.2 * $full,
			sprintf '%s, a change in %d rows: %.3f s, a full run: %.3f s', $name, $every, $partial, $full);
	}
	$state{session}->quit;
}
$node->safe_psql('postgres', 'DROP TABLE target');

# In a full split, memory has the keys of one row or two, not of a whole file; in a stable
# split, the keys of a window.
foreach my $split ('full', 'stable')
{
	my %state = (error => '');

	$state{session} = begin_session(\%state);
	$state{call} = "SELECT count(*) FROM sitemap_files('SELECT ''/'' || n AS loc, lpad(n::text, 22000, ''0'') AS key FROM generate_series(1, 20000) n', 'http://a/', split => '$split')";
	my $memory = peak(\%state, 0);
	cmp_ok($memory, '<', 32 * 1024, "$split split, long keys: $memory kB");
	$state{session}->quit;
}

# What is quadratic is found: time, and memory of a text that has a byte for each pair.
my %quadratic = (type => 'text', generate => q{repeat('x', size)}, error => '');
my (%quadratic_time, %quadratic_memory);
make_input(\%quadratic, $_) foreach 100_000, 200_000;
$quadratic{call} = 'SELECT count(*) FROM input, generate_series(1, size / 100) a, generate_series(1, size / 100) b';
push @{ $quadratic_time{$_} }, call(\%quadratic, $_) foreach (100_000, 200_000) x 7;
cmp_ok(growth(\%quadratic_time, 100_000), '>', $max_growth, 'what is quadratic is found');
$quadratic{call} = q{SELECT length(repeat('x', (size / 20) * (size / 20))) FROM input};
$quadratic_memory{$_} = peak(\%quadratic, $_) foreach 100_000, 200_000;
cmp_ok($quadratic_memory{200_000}, '>', most_memory($quadratic_memory{100_000}, 10_000_000), 'and in memory');
$quadratic{session}->quit;

# Those that are left take names of tables and directories, or what sitemap_files takes.
my @left = grep { !$covered{$_} } split /\n/, $node->safe_psql(
	'postgres', q{
	SELECT DISTINCT proname
	  FROM pg_depend d
	  JOIN pg_proc p ON p.oid = d.objid
	 WHERE d.refclassid = 'pg_extension'::regclass
	   AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sitemap')
	   AND d.classid = 'pg_proc'::regclass
	   AND proname !~ '_agg_|^_'
	 ORDER BY proname});
is("@left", 'sitemap_export sitemap_publish sitemap_publish_index sitemap_run sitemap_status sitemap_unwatch sitemap_watch', 'each function is measured');
$node->stop;
done_testing();

# Measure a case with n and 2n.
sub measure
{
	my ($name, $type, $generate, $call, %more) = @_;
	my $column = qq{"$type"};
	my %state = (type => $type, generate => $generate, error => $more{error} // '');
	my $n = $more{start} // 100_000;
	my $end = $more{end} // ($type =~ /xml/ ? $largest_xml : $largest);
	my (%input, %time, %memory);

	$call = "SELECT ($call)::text IS NULL FROM input" if $call !~ /^SELECT/;
	$state{call} = $call =~ s/\bv\b/$column/gr;

	# as much as it takes to see something
	$input{$n} = make_input(\%state, $n);
	while (call(\%state, $n) < $least_time && 4 * $n <= $end)
	{
		$n *= 2;
		$input{$n} = make_input(\%state, $n);
	}
	$input{ 2 * $n } = make_input(\%state, 2 * $n);
	$memory{$_} = peak(\%state, $_) foreach $n, 2 * $n;
	while (1)
	{
		foreach my $calls (3, 7, 15)
		{
			foreach my $size (($n, 2 * $n) x $calls)
			{
				push @{ $time{$size} }, call(\%state, $size);
			}
			last if growth(\%time, $n) <= $max_growth;
		}
		last if growth(\%time, $n) <= $max_growth || 4 * $n > ($type =~ /xml/ ? $end : 2 * $end);
		$n *= 2;
		$input{ 2 * $n } = make_input(\%state, 2 * $n);
		$memory{ 2 * $n } = peak(\%state, 2 * $n);
	}
	cmp_ok(
		growth(\%time, $n),
		'<=', $max_growth,
		sprintf '%s: time, %.3f s for %d bytes, %.3f s for %d',
		$name, median(@{ $time{$n} }),
		$input{$n}, median(@{ $time{ 2 * $n } }),
		$input{ 2 * $n });
	cmp_ok(
		$memory{ 2 * $n },
		'<=', most_memory($memory{$n}, $input{ 2 * $n }),
		sprintf '%s: memory, %d kB, then %d kB, %.1f times the input',
		$name, $memory{$n},
		$memory{ 2 * $n },
		$memory{ 2 * $n } * 1024 / $input{ 2 * $n });
	$state{session}->quit;
	return;
}

# Put an input of about so many bytes into the table: its size.
sub make_input
{
	my ($state, $size) = @_;

	return $node->safe_psql(
		'postgres', qq{
		INSERT INTO input (size, "$state->{type}") SELECT size, $state->{generate} FROM (SELECT $size AS size) s;
		SELECT pg_column_size("$state->{type}") FROM input WHERE size = $size});
}

# Call the function with the input of that size: seconds on a processor.
sub call
{
	my ($state, $size) = @_;

	$state->{session} //= begin_session($state);
	my $before = on_processor($state->{session}{pid});
	$state->{session}->query($state->{call} =~ s/FROM input\b/FROM (SELECT * FROM input WHERE size = $size) input/r);
	my $after = on_processor($state->{session}{pid});
	my ($code) = $state->{session}{stderr} =~ /ERROR:\s+(\w{5})/;

	$state->{session}{stderr} = '';
	die "$state->{call}: SQLSTATE " . ($code // '') . "\n" if ($code // '') ne $state->{error};
	return $after - $before;
}

# A session that has loaded the extension.
sub begin_session
{
	my ($state) = @_;
	my $session = Session->start($node, 'postgres', on_error_stop => 0);

	$session->query_safe(q{\set VERBOSITY sqlstate});
	$session->query_safe(q{SET work_mem = '16MB'; SELECT sitemap_url('http://a/') IS NULL});
	return $session;
}

# The memory that a call takes at its height, in kB, in a session that has seen nothing
# large.
sub peak
{
	my ($state, $size) = @_;

	$state->{session}->quit;
	$state->{session} = begin_session($state);
	append_to_file("/proc/$state->{session}{pid}/clear_refs", '5');
	my $before = memory_of($state->{session}{pid}, 'VmRSS');
	call($state, $size);
	return max(0, memory_of($state->{session}{pid}, 'VmHWM') - $before);
}

# Seconds that a process was on a processor; undef if nobody says.
sub on_processor
{
	my ($pid) = @_;

	open(my $handle, '<', "/proc/$pid/schedstat") or return;
	my ($nanoseconds) = split / /, <$handle>;
	close $handle;
	return $nanoseconds > 0 ? $nanoseconds / 1e9 : undef;
}

# The most memory in kB for an input of so many bytes, where half of it took that much.
sub most_memory
{
	my ($memory, $bytes) = @_;

	return min($free_memory + $max_memory * $bytes / 1024, max($max_growth * $memory, $memory + $least_growth));
}

sub growth
{
	my ($time, $n) = @_;

	return median(@{ $time->{ 2 * $n } }) / max(1e-4, median(@{ $time->{$n} }));
}

sub median
{
	my @sorted = sort { $a <=> $b } @_;

	return $sorted[ $#sorted / 2 ];
}
