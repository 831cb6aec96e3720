# The edition in SQL, managed/sitemap.sql, beside the extension: the same rows give the same
# bytes, and invalid rows the same SQLSTATE.
use utf8;

use Encode qw(encode_utf8);
use FindBin;
use IPC::Run ();
use lib $FindBin::RealBin;
use Node '!sql';
use Session;

my $site = 'https://www.example.com/';
my $script = "$FindBin::RealBin/../../managed/sitemap.sql";

my $node = start_node("TimeZone = UTC\n");

# As a role without rights, except in the schema of the functions and in that of its tables.
# None of the functions is in search_path.  The extension, in "ext", is for comparison.
sub sql
{
	my ($statement, %options) = @_;

	return $node->safe_psql('postgres', encode_utf8($statement),
		extra_params => [ '-U', 'app', '-q', '-v', 'ON_ERROR_STOP=1', '-v', 'VERBOSITY=verbose' ], %options);
}

# Try statements, in one session.  Returns for each its SQLSTATE, message and detail, or "none".
sub attempts
{
	return split /\n/, sql('SELECT attempt(statement) FROM (VALUES ' . join(',', map { "(\$s\$$_\$s\$)" } @_) . ') AS v (statement)');
}

sub state_of
{
	my ($error) = @_;

	return substr $error, 0, 5;
}

$node->safe_psql('postgres', q{
	CREATE SCHEMA ext;
	CREATE EXTENSION sitemap SCHEMA ext;
	CREATE ROLE app LOGIN;
	CREATE SCHEMA "site maps" AUTHORIZATION app;
	CREATE SCHEMA app AUTHORIZATION app;
	GRANT USAGE ON SCHEMA ext TO app;
	ALTER ROLE app SET search_path = app});
sql(q{
	CREATE FUNCTION attempt(statement text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		detail text;
	BEGIN
		EXECUTE statement;
		RETURN 'none ';
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
		RETURN translate(concat_ws(' ', SQLSTATE, SQLERRM, detail), E'\n', ' ');
	END
	$$});

# Outside of a transaction SET LOCAL selects no schema, and nothing happens, whatever psql does after an error.
my $errors;
my $install = sub {
	my ($schema) = @_;

	return qq{BEGIN;\nSET LOCAL search_path = $schema, app;\n\\i $script\nCOMMIT;\n};
};
my $count = q{SELECT count(*) FROM pg_proc WHERE pronamespace IN ('"site maps"'::regnamespace, 'app'::regnamespace) AND proname ~ 'sitemap'};
sql('ALTER ROLE app SET search_path = "site maps"');
$node->psql('postgres', qq{SET LOCAL search_path = "site maps";\n\\i $script}, extra_params => [ '-U', 'app' ], on_error_stop => 0, stderr => \$errors);
like($errors, qr/ERROR:  no schema has been selected to create in, .*\nHINT:  Run BEGIN, CREATE SCHEMA IF NOT EXISTS sitemap, SET LOCAL search_path/, 'refused outside of a transaction');
sql('ALTER ROLE app RESET search_path');
is(sql($count), '0', 'and no function is there');
$node->psql('postgres', qq{BEGIN; SET LOCAL search_path = nowhere;\n\\i $script\nCOMMIT}, extra_params => [ '-U', 'app' ], stderr => \$errors);
like($errors, qr/no schema has been selected/, 'refused without a schema');

# In a schema of another role, or in which others may create, they could replace the functions.
$node->safe_psql('postgres', q{
	CREATE ROLE other; CREATE ROLE team; GRANT team TO app; CREATE ROLE boss SUPERUSER LOGIN;
	CREATE SCHEMA planted AUTHORIZATION app; CREATE DOMAIN planted.int AS int CHECK (value > 0);
	CREATE TYPE planted.sitemap_file AS (url_count planted.int); ALTER TYPE planted.sitemap_file OWNER TO other;
	CREATE SCHEMA overloaded AUTHORIZATION app;
	CREATE FUNCTION overloaded._sitemap_masked(url varchar) RETURNS text LANGUAGE sql AS 'SELECT url'; ALTER FUNCTION overloaded._sitemap_masked OWNER TO other;
	CREATE SCHEMA others AUTHORIZATION other; GRANT ALL ON SCHEMA others TO app;
	CREATE SCHEMA shared AUTHORIZATION app; GRANT CREATE ON SCHEMA shared TO other; GRANT ALL ON SCHEMA shared TO PUBLIC, boss;
	CREATE SCHEMA teams AUTHORIZATION team; GRANT ALL ON SCHEMA teams TO app, boss; GRANT USAGE ON SCHEMA teams TO other});
foreach my $case (
	[ 'app', 'others', 'other' ], [ 'app', 'shared', 'PUBLIC, other' ],
	# A superuser is a member of all roles, as pg_has_role has it.
	[ 'boss', 'others', 'app, other' ], [ 'boss', 'teams', 'app, team' ],
	# What another role has planted: a type whose domain runs a function of his, or an overloaded function
	[ 'app', 'planted', 'other' ], [ 'boss', 'planted', 'app, other' ], [ 'app', 'overloaded', 'other' ])
{
	my ($role, $schema, $others) = @$case;

	$node->psql('postgres', "\\set VERBOSITY verbose\n" . $install->($schema), extra_params => [ '-U', $role ], stderr => \$errors);
	like($errors, qr/ERROR:  42501: other roles could replace the functions in the schema "$schema"\nHINT:  Create a schema of your own\..* run REVOKE CREATE ON SCHEMA $schema FROM \Q$others\E\.\n/,
		"refused in the schema $schema, for $role");
}
sql($install->('teams'));
is(sql(q{SELECT count(*) FROM teams.sitemap_files('SELECT ''/'' AS loc', 'https://www.example.com/')}), '1', 'but not in a schema of a role that the role is a member of');
$node->safe_psql('postgres', $install->('public'), extra_params => [ '-U', 'boss' ]);
is($node->safe_psql('postgres', q{SELECT count(*) FROM public.sitemap_files('SELECT ''/'' AS loc', 'https://www.example.com/')}), '1', 'nor, for a superuser, in public');
$node->safe_psql('postgres', 'DROP SCHEMA others; DROP SCHEMA shared; DROP SCHEMA teams, planted, overloaded, public CASCADE; CREATE SCHEMA public AUTHORIZATION pg_database_owner; GRANT USAGE ON SCHEMA public TO PUBLIC');

# Twice, the second time all statements at once, as an SQL console sends them.
sql(q{SET search_path = "site maps"; CREATE FUNCTION note() RETURNS text LANGUAGE sql AS $$SELECT 'look: here.sitemap_files'$$});
sql($install->('"site maps"'));
IPC::Run::run([ 'psql', '-X', '-q', '-h', $node->host, '-p', $node->port, '-U', 'app', 'postgres', '-c', 'SET LOCAL search_path = "site maps"; ' . slurp_file($script) ], '2>', \$errors)
  or diag($errors);
is($errors, '', 'as one string');
is(sql(q{
	SELECT string_agg(proname, ' ' ORDER BY proname) FILTER (WHERE proname !~ '^_'), count(*) FILTER (WHERE obj_description(p.oid, 'pg_proc') IS NULL AND proname !~ '^_|note'),
	       string_agg(proname, ' ') FILTER (WHERE pg_get_functiondef(p.oid) ~ '\mhere\.') FROM pg_proc p WHERE pronamespace = '"site maps"'::regnamespace}),
	'note sitemap_audit sitemap_encode sitemap_files sitemap_publish|0|note', 'all functions for users have a comment, and know their schema; another function is as it was');
is(sql(q{
	SELECT count(*) FROM pg_attribute m FULL JOIN pg_attribute e ON e.attrelid = 'ext.sitemap_file'::regclass AND (e.attname, e.attnum, e.atttypid) = (m.attname, m.attnum, m.atttypid)
	 WHERE m.attrelid = '"site maps".sitemap_file'::regclass AND e.attname IS NULL}), '0', 'the type is that of the extension');

sql(q{
	CREATE TABLE managed OF "site maps".sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE extension OF ext.sitemap_file (PRIMARY KEY (base_url, name));
	-- The times in the indexes are those of the two runs.
	CREATE FUNCTION document(kind text, content bytea) RETURNS text LANGUAGE sql AS
		$$SELECT CASE kind WHEN 'index' THEN regexp_replace(encode(content, 'escape'), '<lastmod>20[-0-9T:]+Z</lastmod>', '<lastmod/>', 'g') ELSE md5(content) END$$;
	CREATE VIEW differences AS
	SELECT * FROM (SELECT base_url, section, name, kind, loc, url_count, byte_count, document(kind, content) FROM managed) m
	  FULL JOIN (SELECT base_url, section, name, kind, loc, url_count, byte_count, document(kind, content) FROM extension) e
	 USING (base_url, section, name, kind, loc, url_count, byte_count, document)
	 WHERE m IS NULL OR e IS NULL});

# Publish by both editions.  Returns what differs: files, and the rows of the results.  The extension
# can have a query of its own, with types that only it takes.
sub compare
{
	my ($query, $options, $base_url, $own_query) = @_;
	my ($managed, $extension) = map { sprintf(q{$query$%s$query$, '%s', %s max_shrink => 1}, $_, $base_url // $site, $options // '') } $query, $own_query // $query;

	return sql(qq{
		CREATE TEMP TABLE by_managed AS SELECT * FROM "site maps".sitemap_publish('managed', $managed);
		CREATE TEMP TABLE by_extension AS SELECT * FROM ext.sitemap_publish('extension', $extension, split => 'full', compression => 0);
		SELECT (SELECT count(*) FROM differences) || ' files, ' || count(*) || ' results'
		  FROM by_managed m FULL JOIN by_extension e USING (name, kind, action, url_count, byte_count) WHERE m IS NULL OR e IS NULL});
}

# Each value is valid, and half of the slugs need no encoding.
my $rows = $ENV{SITEMAP_TEST_ROWS} // 100000;
my $seed = $ENV{SITEMAP_TEST_SEED} // 0.38;
note("SITEMAP_TEST_SEED=$seed");
sql(qq{
	SELECT setseed($seed);
	CREATE TABLE pieces AS SELECT ARRAY[
		'a', 'B', '-', '_', '~', '.x', '0', '/', '//', '?', '&', '&amp;', '''', '"', '<b>', ' ', E'\\t', E'\\n', E'\\x01', E'\\x7f', '%', '%2', '%zz', '%41', '%c3%bc', '100%',
		'[1]', '{}', '|', '^', '`', E'\\\\', 'ü', 'ß', 'é', 'Б', '日本', '😀', 'e\x{301}', '\x{a0}x', '\x{200b}', '#', '##', '+', '=', ';', ':', '\@', ',', '!', '*', '(', ')', '\$', ']]>'] AS pieces;
	CREATE FUNCTION slug(n int) RETURNS text LANGUAGE sql VOLATILE AS \$\$
		SELECT CASE WHEN random() < 0.5 THEN 'item-' || \$1 ELSE (
			SELECT string_agg((SELECT pieces[1 + floor(random() * cardinality(pieces)) + 0 * i] FROM pieces), '') FROM generate_series(0, (random() * 8)::int) AS i) END
	\$\$;
	CREATE TABLE page AS
	SELECT n AS id,
	       (ARRAY['/p/', '$site', 'https://WWW.Example.com/', '/', 'HTTPS://www.example.com/', '//www.example.com/', '  $site'])[least(1 + floor(random() * 30), 7)] ||
	           n || slug(n) || (ARRAY['', '', '', ' ', E'\\r\\n', '\x{a0}'])[1 + floor(random() * 6)] AS loc,
	       CASE WHEN random() < 0.9 THEN timestamptz '2026-01-01 00:00Z' + (random() - 0.5) * interval '4000 years' END AS changed,
	       (ARRAY['always', ' Daily ', 'WEEKLY', '', ' ', NULL, 'never'])[1 + floor(random() * 7)] AS changefreq,
	       CASE floor(random() * 4) WHEN 0 THEN random() WHEN 1 THEN round(random()::numeric, 1)::float8 WHEN 2 THEN (ARRAY[0, -0.0, 1, 1e-5, 1e-300])[1 + floor(random() * 5)]::float8 END AS priority,
	       CASE WHEN random() < 0.1 THEN ARRAY[NULL, '/i/' || slug(n), 'https://cdn.example.net/' || slug(n), 'http://images.example.com:8080' ] END AS images,
	       CASE WHEN random() < 0.1 THEN jsonb_build_object('x-default', '/x/' || slug(n), 'de-AT', 'http://de.example.com/?' || slug(n), 'zh-Hant', NULL) END AS alternates
	  FROM generate_series(1, $rows) AS n});
my $columns = 'loc, changefreq, priority, images, alternates';
my @dates = ('changed', 'changed::timestamp', 'changed::date');

my $pages = "SELECT $columns, changed AS lastmod FROM app.page ORDER BY id";
is(compare($pages), '0 files, 0 results', "$rows random rows");
sql(qq{
	UPDATE page SET loc = '/p/' || id || slug(id), changed = now() WHERE random() < 0.0001;
	DELETE FROM page WHERE id > $rows - 10;
	INSERT INTO page (id, loc) VALUES (200000, '/new')});
foreach my $case (
	[ 'after changes', $pages ],
	[ 'without changes', $pages ],
	(map { [ "lastmod $dates[$_]", "SELECT $columns, $dates[$_] AS lastmod FROM app.page WHERE id % 7 = $_ ORDER BY id", 'max_urls => 900,' ] } 0 .. $#dates),
	(map {
			my ($zone, $options) = ($_, q{section => 'zone', max_urls => 1000,});
			[ $zone, 'SELECT loc, changed AS lastmod FROM app.page WHERE id <= 2000 ORDER BY id', $options, undef, $zone ],
			  [ "$zone, date", 'SELECT loc, changed::timestamp::date AS lastmod FROM app.page WHERE id <= 2000 ORDER BY id', $options, undef, $zone ]
		} 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Apia'),
	[ 'a stylesheet', 'SELECT loc FROM app.page WHERE id <= 10 ORDER BY id', q{stylesheet => '/a b/ü.css?x=''1''&y',} ],
	[ 'no index', 'SELECT loc FROM app.page WHERE id <= 10 ORDER BY id', q{index => 'never', section => 'one',} ],
	[ 'a section without rows', 'SELECT loc FROM app.page WHERE false', q{section => 'one',} ],
	[ 'other types', q{SELECT loc::varchar(100), priority::numeric AS priority, changefreq::char(10) FROM app.page WHERE loc ~ 'item' AND id < 5000 ORDER BY id}, q{section => 'types',} ],
	[ 'another base_url', q{SELECT '/p/' || n AS loc FROM generate_series(1, 10) n}, '', 'http://shop.example.com:8080/a&b/ü' ])
{
	my ($name, $query, $options, $base_url, $zone) = @$case;

	$node->safe_psql('postgres', 'ALTER ROLE app SET TimeZone = ' . ($zone ? "'$zone'" : 'UTC'));
	is(compare($query, $options, $base_url), '0 files, 0 results', $name);
}
is(sql(q{
	SELECT count(*), count(DISTINCT s.content) FROM (
		SELECT name, kind, loc, lastmod, url_count, byte_count, content FROM "site maps".sitemap_files('SELECT loc, changed AS lastmod FROM page WHERE id < 500', 'https://www.example.com', max_urls => 100)
		 UNION
		SELECT name, kind, loc, lastmod, url_count, byte_count, content FROM ext.sitemap_files('SELECT loc, changed AS lastmod FROM page WHERE id < 500', 'https://www.example.com', max_urls => 100)) s}),
	'6|6', 'sitemap_files');
is(sql(q{
	SELECT count(*) FILTER (WHERE "site maps".sitemap_encode(piece, keep) IS DISTINCT FROM ext.sitemap_encode(piece, keep))
	  FROM (SELECT unnest(pieces || NULL) AS piece FROM pieces) p, unnest(ARRAY['', '/', '[]', ':[:', '+-/', 'a-_.~Z9', NULL, ':/?#[]@!$&''()*+,;=']) AS keep}), '0', 'sitemap_encode');
is(sql(q{SELECT "site maps".sitemap_encode('a/b-[c]!ü', '/[]!') || "site maps".sitemap_encode('%41')}), 'a/b-[c]!%C3%BC%2541', 'sitemap_encode, characters to keep');
is(sql(qq{SELECT string_agg($_.sitemap_encode(s, './'), ' ' ORDER BY s COLLATE "C") FROM unnest('{.,..,...,./}'::text[]) s}), '%2E %2E%2E ... ./', "$_: sitemap_encode, dots")
  foreach '"site maps"', 'ext';
foreach my $keep ('%', '/ ', 'ü', '^-]', '\\')
{
	is(join(' ', map { state_of($_) } attempts(map { "SELECT $_.sitemap_encode('x', '$keep')" } '"site maps"', 'ext')), '22023 22023', encode_utf8("sitemap_encode, keep '$keep'"));
}

# Invalid rows: the same SQLSTATE, and the row's loc is named.
my $before = sql('SELECT count(*), sum(url_count), max(lastmod) FROM managed');
my @invalid = (
	[ q{NULL::text} ],
	map({ [ "'$_'" ] } '', 'ftp://www.example.com/', 'mailto:a@b', 'javascript:x', 'www.example.com/a', 'example.com/b', 'cdn.example.com/a.jpg', 'page', 'item/7', '#top', '..', '.', 'a:b', '127.0.0.1:8080/', '"https://www.example.com/"',
		'http:///a', 'https://', 'https://exa mple.com/', 'https://www.example.com:0/', 'https://www.example.com:x/', 'https://evil.example\@www.example.com/', 'https://www.example.com\a',
		'https://other.example.com/', 'http://www.example.com/', 'https://www.example.com:8443/', '//other.example.com/x', 'https://-/', 'https://192.168.0.257/', 'https:/a', '://x',
		'https://[::1/', 'https://a..b/', 'https://www.example.com:99999/', '/%2e', '/a/.%2E/b', '//www.example.com/%2e%2E?x', 'https://u:p@www.example.com/', '//u@www.example.com/'),
	[ q{'/' || repeat('x', 2030)} ], [ q{'/' || repeat('ü', 400)} ], [ q{'https://www.example.com/' || repeat('x', 7000)} ],
	map({ [ q{'/a'}, "$_ AS lastmod" ] } q{'infinity'::date}, q{'-infinity'::timestamptz}, q{'0001-01-01 BC'::date}, q{'10000-01-01'::timestamp}),
	map({ [ q{'/a'}, "$_ AS changefreq" ] } "'biweekly'", "'\x{212a}'"),
	map({ [ q{'/a'}, "$_ AS priority" ] } '-0.1', '1.1', "'NaN'::float8", "'Infinity'::float4"),
	map({ [ q{'/a'}, "$_ AS images" ] } q{ARRAY['ftp://x/']}, q{ARRAY['https://a_b c/']}, q{ARRAY['cdn.example.com/a.jpg']}, q{ARRAY['https://a.1/']}, q{ARRAY['https://a.example:65536/']}, q{ARRAY['https://a.example:8a/']}, q{ARRAY['https://a.example:000/']}, q{ARRAY['https://:80/']}, q{ARRAY['/%2e./a']}, q{ARRAY['https://u@h.example/']}),
	map({ [ q{'/a'}, "'$_'::text AS lastmod" ] } '2026-02-30', '2026-13', '0000', '2026-01-01T24:00Z', '2026-01-01T00:00:60Z', '2026-01-01T00:00+14:01', '2026-01-01T00:00+13:60', '9999-12-31T23:59-00:01',
		'2026-1-1', '2026-01-01T00:00', '2026-01-01 00:00:00Z', '1767225600', 'now', '\x{0662}026'),
	map({ [ q{'/a'}, "'$_'::jsonb AS alternates" ] } '[{}]', '{"en": [1]}', '{"en": {}}', '{"en": 1}', '{"e": "/"}', '{"en_US": "/"}', '{"en": "x:y"}', '{"en": "en/a"}', '{"en": "/%2E%2e"}', '{"en": "//u:p@h.example/"}', '[1]', '{"en": [[]]}'));
my @statements;
foreach my $invalid (@invalid)
{
	my ($loc, $column) = @$invalid;
	my ($value, $name) = defined $column ? $column =~ /(.*) AS (\w+)/ : ('1', 'priority');
	my $query = "SELECT '/first' AS loc, (SELECT $value WHERE false) AS $name UNION ALL SELECT $loc, $value";

	push @statements, map { "SELECT $_ \$q\$$query\$q\$, '$site', max_shrink => 1)" } q{"site maps".sitemap_publish('managed',}, q{ext.sitemap_publish('extension',};
}
my @errors = attempts(@statements);
foreach my $invalid (@invalid)
{
	my ($managed, $extension) = splice @errors, 0, 2;
	my $label = encode_utf8(join ', ', map { length > 60 ? substr($_, 0, 60) . '...' : $_ } @$invalid);

	is(state_of($managed), state_of($extension), "$label: " . state_of($extension)) or diag("$managed\n$extension");
	like($managed, qr/It is row 2(\.|, with the loc ")/, "$label: the row is named");
}
is(sql('SELECT count(*), sum(url_count), max(lastmod) FROM managed'), $before, 'after these errors nothing has changed');

# A URL without a scheme, in any place, is refused with the beginnings that are taken.
like($_, qr{neither "http://", "https://", "/", "\./", "\.\./" nor "\?" at the beginning}, 'the beginnings of a URL')
  foreach attempts(map { "SELECT \"site maps\".sitemap_files(\$\$SELECT $_\$\$, '$site')" } q{'item/7' AS loc}, q{'/' AS loc, '{cdn.example.com/a.jpg}'::text[] AS images}, q{'/' AS loc, '{"en": "en/a"}'::jsonb AS alternates});

# Arguments and queries
my @calls = (
	q{'SELECT ''/'' AS loc, now() AS last_mod', 'https://www.example.com/'}, q{'SELECT 1 AS x', 'https://www.example.com/'}, q{'SELECT now() AS lastmod', 'https://www.example.com/'},
	q{'SELECT ''/'' AS loc, 1 AS lastmod', 'https://www.example.com/'}, q{'SELECT 1 AS loc', 'https://www.example.com/'}, q{'SELECT ''/'' AS loc, ''1'' AS priority', 'https://www.example.com/'},
	q{'SELECT ''/'' AS loc, ''/'' AS images', 'https://www.example.com/'}, q{'SELECT ''/'' AS loc, ''{}''::json AS alternates', 'https://www.example.com/'},
	q{NULL, 'https://www.example.com/'}, q{'TABLE page', NULL}, q{'SELECT ''/'' AS loc', 'https://www.example.com/sitemap.xml'}, q{'SELECT ''/'' AS loc', 'https://www.example.com/?x'},
	q{'SELECT ''/'' AS loc', 'https://a@www.example.com/'}, q{'SELECT ''/'' AS loc', 'www.example.com'}, q{'SELECT ''/'' AS loc', ''},
	map { "'SELECT ''/'' AS loc', 'https://www.example.com/', $_" } q{section => 'a/b'}, q{section => ''}, q{section => '.x'}, q{section => 'sitemap-index'}, 'max_urls => 0', 'max_urls => 50001', q{index => 'x'},
	q{stylesheet => '/x.xsl'}, q{stylesheet => '?>.css'}, q{stylesheet => ''});
@errors = attempts(map { ("SELECT \"site maps\".sitemap_files($_)", "SELECT ext.sitemap_files($_)") } @calls);
foreach my $call (@calls)
{
	my ($managed, $extension) = splice @errors, 0, 2;

	is(state_of($managed), state_of($extension), "$call: " . state_of($extension)) or diag("$managed\n$extension");
	isnt(state_of($managed), 'none ', "$call: refused");
}
like((attempts(qq{SELECT "site maps".sitemap_files('SELECT ''/'' AS loc', '$site', section => '$_')}))[0], qr/^22023 invalid section "\Q$_\E": it must be/, "section $_")
  foreach 'sitemap-index', '.a', 'a b', 'a.xml';
like((attempts(qq{SELECT "site maps".sitemap_files('SELECT ''/'' AS loc, ''/'' AS loc', '$site')}))[0], qr/^42702 column reference "loc" is ambiguous/, 'two columns of a name');

# A column of any name is refused as unknown, also if the edition's own statements have that name.
my %words = map { $_ => 1 } slurp_file($script) =~ /\b([a-z_][a-z_0-9]*)\b/g;
delete @words{qw(loc lastmod changefreq priority images alternates)};
my @words = sort keys %words;
my @refused = attempts(map { qq{SELECT "site maps".sitemap_files('SELECT ''/'' AS loc, 1 AS "$_"', '$site')} } @words);
is(join(' ', grep { $refused[$_] !~ /^42703 unrecognized column "$words[$_]" / } 0 .. $#words), '', scalar(@words) . ' names of columns');

foreach my $query ('DELETE FROM page', 'DELETE FROM page RETURNING loc', 'WITH d AS (DELETE FROM page RETURNING loc) SELECT loc FROM d', 'SELECT loc FROM page; DELETE FROM page', 'SELECT loc FROM page FOR UPDATE', 'COMMIT', '', 'page')
{
	isnt(state_of(attempts("SELECT \"site maps\".sitemap_files('$query', '$site')")), 'none ', "refused: $query");
}
is(sql('SELECT count(*) > 1000 FROM page'), 't', 'nothing was deleted');
foreach my $query ('DELETE FROM page', 'SELECT 1; SELECT 2', q{SELECT '/' AS loc) AS q, (SELECT '/x' AS x}, q{SELECT '/' AS loc) AS query OFFSET 0) AS query --}, q{SELECT '/' AS loc /*})
{
	my ($managed, $extension) = map { state_of($_) } attempts(map { "SELECT $_.sitemap_files(\$\$$query\$\$, '$site')" } '"site maps"', 'ext');

	is($managed, $extension, "refused, with $extension: $query");
}
is(sql(qq{SELECT count(*) FROM "site maps".sitemap_files('TABLE one;  ', '$site')}, replicating => 0) // '', '1', 'TABLE, and a semicolon')
  foreach sql(q{CREATE VIEW one AS SELECT '/' AS loc; SELECT 1});

# What only one edition accepts: the SQLSTATE of the edition in SQL, and whether the extension accepts it.
sql(q{CREATE TYPE addresses AS ENUM ('/path'); CREATE DOMAIN address AS addresses;
	CREATE TABLE written (); CREATE FUNCTION write() RETURNS void LANGUAGE sql AS 'INSERT INTO app.written DEFAULT VALUES'});
foreach my $case (
	# of the file's rows, each of 1.1 kB: the extension ends a file at its limit of bytes
	[ 'bytes', q{SELECT '/' || n || repeat('x', 1050) AS loc FROM generate_series(1, 50000) n}, '54000 .*lower max_urls', 1 ],
	# SQL does not resolve paths
	[ 'dot segments', q{SELECT '/a/../b' AS loc}, '0A000', 1 ],
	[ 'a directory above', q{SELECT '../b' AS loc}, '0A000', 1 ],
	[ 'a long URL of an image', q{SELECT '/' AS loc, ARRAY['https://cdn.example.com/' || repeat('x', 4200)] AS images}, '22001', 1 ],
	# hosts are names, in ASCII, and a loc has that of base_url as it is written there
	[ 'a host outside ASCII', q{SELECT '/' AS loc, ARRAY['https://bücher.de/'] AS images}, '22P02', 1 ],
	[ 'an address', q{SELECT '/' AS loc, ARRAY['http://127.0.0.1/'] AS images}, '22P02', 1 ],
	# types that a cast makes valid
	[ 'a domain over an enum', q{SELECT '/path'::address AS loc}, '42804', 1 ],
	# what it does not write, and columns that it does not have
	map({ [ "images as jsonb, $_", "SELECT '/' AS loc, '$_'::jsonb AS images", '42804 loc and changefreq must be', 1 ] } '["/x"]', '[{"loc": "/x", "title": "X"}]'),
	map({ [ $_, "SELECT '/' AS loc, $_", '42703', 1 ] } q{1 AS key}, q{'{}'::jsonb AS videos}, q{NULL::jsonb AS news}),
	# elements are not compared or counted
	[ '1,001 images', q{SELECT '/' AS loc, array_fill('/x'::text, ARRAY[1001]) AS images}, 'none ', 0 ],
	[ 'two alternates of a language', q{SELECT '/' AS loc, '{"en": "/", "EN": "/"}'::jsonb AS alternates}, 'none ', 0 ],
	# languages and labels are not looked up
	map({ [ "a language that ISO does not have, or has another code for, $_", qq{SELECT '/' AS loc, '{"$_": "/"}'::jsonb AS alternates}, 'none ', 0 ] } qw(jp us iw deu)),
	[ 'a label that is no Punycode', q{SELECT '/' AS loc, ARRAY['https://xn--zzzz.example/'] AS images}, 'none ', 0 ],
	# SQL keeps a query from writing, and not a function of the query
	[ 'a function that writes', q{SELECT '/' AS loc FROM write()}, 'none ', 0 ])
{
	my ($name, $query, $state, $is_accepted) = @$case;
	my ($managed, $extension) = attempts(map { "SELECT count(*) FROM $_.sitemap_files(\$\$$query\$\$, '$site')" } '"site maps"', 'ext');

	like($managed, qr/^$state/, "$name, in SQL");
	is($extension =~ /^none / || $is_accepted && $extension =~ /libidn2/ ? 1 : 0, $is_accepted, "$name, in the extension") or diag($extension);
}

# lastmod, and files that do not change
sub publish
{
	my ($query, $options) = @_;

	return sql(qq{SELECT string_agg(name || ' ' || action, ', ') FROM "site maps".sitemap_publish('target', '$query', '$site' @{[$options // '']})});
}
sql('CREATE TABLE target OF "site maps".sitemap_file (PRIMARY KEY (base_url, name)); CREATE TABLE source AS SELECT n AS id FROM generate_series(1, 1000) n');
my $source = "SELECT ''/'' || id AS loc FROM app.source ORDER BY id";
is(publish($source, ', max_urls => 600'), 'sitemap-1.xml inserted, sitemap-2.xml inserted, sitemap.xml inserted', 'a first run');
my $versions = q{SELECT string_agg(concat_ws(' ', name, xmin, lastmod), ', ' ORDER BY name) FROM target};
$before = sql($versions);
is(publish($source, ', max_urls => 600'), 'sitemap-1.xml unchanged, sitemap-2.xml unchanged, sitemap.xml unchanged', 'a run without changes');
is(sql($versions), $before, 'writes nothing');
sql(q{UPDATE target SET lastmod = '2100-01-01' WHERE name = 'sitemap-2.xml'; UPDATE source SET id = 2000 WHERE id = 1000});
is(publish($source, ', max_urls => 600'), 'sitemap-1.xml unchanged, sitemap-2.xml updated, sitemap.xml updated', 'a page changes');
is(sql(q{SELECT name, lastmod = '2100-01-01 00:00:01Z', convert_from(t.content, 'UTF8') ~ '<lastmod>2100-01-01T00:00:01Z</lastmod>' FROM target t WHERE lastmod > now() OR kind = 'index' ORDER BY name}),
	"sitemap-2.xml|t|f\nsitemap.xml|f|t", 'lastmod is later, though the clock is not');
is(sql(q{SELECT bool_and(digest = encode(sha256(content), 'hex') AND byte_count = length(content) AND loc = base_url || name) FROM target}), 't', 'digest, byte_count and loc');

# Sections, files of another program, and of another section
is(publish("SELECT ''/n/'' || n AS loc FROM generate_series(1, 3) n", q{, section => 'news', index => 'never'}), 'news-1.xml inserted', 'a section');
sql(qq{INSERT INTO target (base_url, section, name, kind, loc, lastmod) VALUES ('$site', 'blog', 'blog', 'urlset', '${site}b&w.xml', 'infinity')});
is(publish($source), 'sitemap-1.xml updated, sitemap-2.xml deleted, sitemap.xml updated', 'fewer files');
is(sql(q{SELECT url_count, convert_from(content, 'UTF8') ~ '<loc>https://www.example.com/b&amp;w.xml</loc></sitemap><sitemap><loc>https://www.example.com/news-1.xml</loc>' FROM target WHERE kind = 'index'}),
	'3|t', 'the index lists all files of the site');
sql(qq{INSERT INTO target (base_url, section, name, kind, loc) VALUES ('$site', 'x', 'more-1.xml', 'urlset', '${site}x')});
is(state_of(attempts(qq{SELECT "site maps".sitemap_publish('target', 'SELECT ''/'' AS loc', '$site', section => 'more')})), '42710', 'a name that another program has');
sql(qq{INSERT INTO target (base_url, name, loc) VALUES ('$site', 'unnamed-1.xml', '${site}unnamed-1.xml')});
is(state_of(attempts(qq{SELECT "site maps".sitemap_publish('target', 'SELECT ''/'' AS loc', '$site', section => 'unnamed')})), '42710', 'also if its section is NULL');
sql(q{DELETE FROM target WHERE section IS NULL});

# The query changes search_path, and another schema has a table of the same name.
$node->safe_psql('postgres', 'CREATE SCHEMA tenant AUTHORIZATION app');
sql(q{CREATE TABLE tenant.target OF "site maps".sitemap_file (PRIMARY KEY (base_url, name))});
sql(qq{SELECT FROM "site maps".sitemap_publish('$_', '$source', '$site', section => 'moving', max_urls => 500)}) foreach 'target', 'tenant.target';
$before = sql('SELECT count(*), sum(url_count), max(lastmod) FROM tenant.target');
is(publish(q{SELECT ''/'' || id AS loc FROM app.source WHERE id < 6 AND set_config(''search_path'', ''tenant'', false) <> ''''}, q{, section => 'moving', max_shrink => 1}),
	'moving-1.xml updated, moving-2.xml deleted, sitemap.xml updated', 'a query that changes search_path');
is(sql(q{SELECT string_agg(name || ' ' || url_count, ' ') FROM target WHERE section = 'moving'}), 'moving-1.xml 5', 'the target has what the run says');
is(sql('SELECT count(*), sum(url_count), max(lastmod) FROM tenant.target'), $before, 'a table of the same name has not changed');
sql(q{DELETE FROM target WHERE section = 'moving'; DROP SCHEMA tenant CASCADE});
is(publish($source), 'sitemap-1.xml unchanged, sitemap.xml updated', 'the section is gone');

# max_shrink, by both editions
sql('CREATE TABLE shrunk OF ext.sitemap_file (PRIMARY KEY (base_url, name))');
foreach my $case ([ 1000, 799, '', '55000' ], [ 1000, 800, '', 'none ' ], [ 150, 50, '', 'none ' ], [ 150, 49, '', '55000' ], [ 10, 0, '', '55000' ], [ 10, 1, '', 'none ' ],
	[ 10, 8, ', max_shrink => 0.1', '55000' ], [ 10, 9, ', max_shrink => 0.1', 'none ' ], [ 10, 0, ', max_shrink => 0.99', '55000' ], [ 10, 0, ', max_shrink => 1', 'none ' ], [ 0, 0, '', 'none ' ])
{
	my ($from, $to, $option, $state) = @$case;

	my @calls = map { "SELECT count(*) FROM $_, 'SELECT ''/'' || n AS loc FROM generate_series(1, %s) n', '$site', section => 'shrink'%s)" }
	  q{"site maps".sitemap_publish('target'}, q{ext.sitemap_publish('shrunk'};
	sql(sprintf $_, $from, ', max_shrink => 1') foreach @calls;
	is(join(' ', map { state_of($_) } attempts(map { sprintf $_, $to, $option } @calls)), "$state $state", "from $from to $to URLs$option");
}
is(state_of(attempts(qq{SELECT "site maps".sitemap_publish('target', '$source', '$site', max_shrink => 1.5)})), '22023', 'max_shrink 1.5');
is(state_of(attempts(qq{SELECT "site maps".sitemap_publish('target', '$source', '$site', index => 'x')})), '22023', 'index x');
is(join(' ', map { state_of($_) } attempts(map { "SELECT $_.sitemap_publish(999999::regclass, '$source', '$site')" } '"site maps"', 'ext')), '42P01 42P01', 'a target that was dropped');
is(publish($source, ', section => NULL, max_urls => NULL, index => NULL, stylesheet => NULL, max_shrink => NULL'), 'sitemap-1.xml unchanged, sitemap.xml unchanged', 'NULL is the default');

# The cost of a long text is not that of its characters times its pieces.
my $long = q{(SELECT string_agg('слово' || n, ' a ') FROM generate_series(1, 8000) n)};
is(sql(qq{SET statement_timeout = '10s'; SELECT "site maps".sitemap_encode(t) = ext.sitemap_encode(t) FROM $long AS l (t)}), 't', 'a long text');
like((attempts(qq{SELECT "site maps".sitemap_publish('target', \$q\$SELECT '/' || string_agg(n || 'ж', ' ') AS loc FROM generate_series(1, 100000) n\$q\$, '$site')}))[0],
	qr/^22001/, 'a loc that is much too long');

# Settings of the session: compiling the query would take longer than a small site's run.
is(sql(q{SET standard_conforming_strings = off; SET escape_string_warning = off; SET statement_timeout = '10s'; SELECT "site maps".sitemap_encode('a b')}),
	'a%20b', 'standard_conforming_strings = off') if sql('SHOW server_version_num') < 190000;
is(sql(q{SET jit = on; SELECT loc FROM "site maps".sitemap_files('SELECT ''/'' || current_setting(''jit'') AS loc', 'https://www.example.com/') f, LATERAL (SELECT convert_from(f.content, 'UTF8') ~ '/off<' AS off) c WHERE off}),
	'https://www.example.com/sitemap.xml', 'the query runs without JIT');

# Row security that hides rows from a run would hide changes.
sql('ALTER TABLE target ENABLE ROW LEVEL SECURITY');
is(publish($source), 'sitemap-1.xml unchanged, sitemap.xml unchanged', "row security does not apply to the target's owner");
sql('ALTER TABLE target FORCE ROW LEVEL SECURITY; CREATE POLICY readable ON target FOR SELECT USING (true)');
is(join(' ', map { state_of($_) } attempts(map { "SELECT $_.sitemap_publish('target', '$source', '$site')" } '"site maps"', 'ext')),
	'0A000 0A000', 'row security that applies, by both editions');
sql('ALTER TABLE target DISABLE ROW LEVEL SECURITY');

# Two runs of a site wait for each other, and the second has newer rows.
my @sessions = map { Session->start($node, 'postgres', extra_params => [ '-U', 'app' ]) } 1 .. 3;
sql(qq{SELECT FROM "site maps".sitemap_publish('target', 'SELECT ''/'' AS loc', 'https://other.example.com')});
$sessions[0]->query_safe(qq{BEGIN; SELECT FROM "site maps".sitemap_publish('target', '$source', '$site')});
$sessions[1]->begin(qq{SELECT FROM "site maps".sitemap_publish('target', '$source', '$site')})->wait_for_lock;
is($sessions[2]->query_safe(qq{SELECT count(*) FROM "site maps".sitemap_publish('target', 'SELECT ''/'' AS loc', 'https://other.example.com')}), '2', 'another site does not wait');
$sessions[0]->query_safe('INSERT INTO source VALUES (3000); COMMIT');
$sessions[1]->query_safe('SELECT 1');
is(sql(qq{SELECT url_count FROM target WHERE base_url = '$site' AND name = 'sitemap-1.xml'}), '1001', 'and sees what was committed meanwhile');

# The first row of the site is another one after the wait: the run locks that.
$sessions[0]->query_safe(qq{BEGIN; SELECT FROM "site maps".sitemap_publish('target', 'SELECT ''/'' AS loc', '$site', section => 'a')});
$sessions[1]->begin(qq{BEGIN; SELECT FROM "site maps".sitemap_publish('target', '$source', '$site')})->wait_for_lock;
$sessions[0]->query_safe('COMMIT');
$sessions[1]->query_safe('SELECT 1');
$sessions[2]->begin(qq{SELECT FROM "site maps".sitemap_publish('target', '$source', '$site')})->wait_for_lock;
is(sql("SELECT pg_blocking_pids($sessions[2]{pid})"), "{$sessions[1]{pid}}", 'a run waits for one that adds a row before the first, and a third run for that');
$sessions[1]->query_safe('COMMIT');
$sessions[2]->query_safe('SELECT 1');

# First runs of two sites, and runs of the first site as soon as its row is there.
$sessions[0]->query_safe(qq{BEGIN; SELECT FROM "site maps".sitemap_publish('target', 'SELECT ''/'' AS loc', 'https://one.example.com')});
$sessions[1]->begin(q{SELECT FROM "site maps".sitemap_publish('target', 'SELECT ''/'' AS loc', 'https://two.example.com')})->wait_for_lock;
is(sql("SELECT pg_blocking_pids($sessions[1]{pid})"), "{$sessions[0]{pid}}", 'the first run of another site waits for the table');
$sessions[0]->query_safe('COMMIT');
$sessions[1]->query_safe('SELECT 1');
is(sql(q{SELECT count(*) FROM target WHERE base_url ~ '//(one|two)\.'}), '4', 'both are published');
sql(q{DELETE FROM target WHERE base_url ~ '//(one|two|other)\.'});
is(publish("SELECT ''/'' AS loc WHERE false", q{, section => 'a', max_shrink => 1}), 'a-1.xml deleted, sitemap.xml updated', 'the section is empty again');

# Nobody who may only read the files, or connect, can stop a run.
$node->safe_psql('postgres', 'CREATE ROLE guest LOGIN; GRANT USAGE ON SCHEMA app, "site maps" TO guest; GRANT SELECT ON app.target TO guest');
my $guest = Session->start($node, 'postgres', extra_params => [ '-U', 'guest' ]);
$guest->query_safe(qq{BEGIN; SELECT pg_advisory_lock('app.target'::regclass::oid::int, hashtext('$site')); LOCK TABLE app.target IN ACCESS SHARE MODE; SELECT count(*) FROM app.target});
is(sql(qq{SET lock_timeout = '5s'; SELECT count(*) FROM "site maps".sitemap_publish('target', '$source', '$site')}), '2', 'a reader stops nobody');
$guest->query_safe('ROLLBACK');
foreach my $lock ((map { "BEGIN; LOCK TABLE app.target IN $_ MODE" } 'ROW EXCLUSIVE', 'SHARE UPDATE EXCLUSIVE', 'SHARE', 'ACCESS EXCLUSIVE'),
	(map { "SELECT FROM app.target FOR $_" } 'KEY SHARE', 'SHARE', 'UPDATE'))
{
	$node->psql('postgres', $lock, extra_params => [ '-U', 'guest' ], stderr => \$errors);
	like($errors, qr/permission denied/, "a reader cannot $lock");
}
$_->quit foreach @sessions, $guest;

# A trigger that returns NULL, by both editions
sql(q{CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'});
foreach my $event ('INSERT', 'UPDATE', 'DELETE')
{
	my @tables = ('trig_managed', 'trig_extension');
	my @errors = map {
		my $call = ($_ eq 'trig_managed' ? '"site maps"' : 'ext') . ".sitemap_publish('$_', 'SELECT ''/%s'' || n AS loc FROM generate_series(1, %s) n', '$site', max_urls => 1" . ($_ eq 'trig_managed' ? '' : ", split => 'full'") . ')';

		sql("CREATE TABLE $_ OF ext.sitemap_file (PRIMARY KEY (base_url, name))");
		sql("SELECT count(*) FROM " . sprintf $call, 'a', 2) if $event ne 'INSERT';
		sql("CREATE TRIGGER refuse BEFORE $event ON $_ FOR EACH ROW WHEN ((" . ($event eq 'INSERT' ? 'NEW' : 'OLD') . ".kind = 'urlset')) EXECUTE FUNCTION refuse()");
		attempts('SELECT ' . sprintf $call, $event eq 'UPDATE' ? 'b' : 'a', $event eq 'DELETE' ? 1 : 2);
	} @tables;
	like($errors[$_], qr/^55000 .*interfered: .* expected, /, "a trigger that returns NULL for $event: $tables[$_]") foreach 0, 1;
	sql("DROP TABLE $_") foreach @tables;
}

# To the extension: the same table, whose files it replaces.
is(sql(qq{SELECT string_agg(action, ' ' ORDER BY kind, action) FROM ext.sitemap_publish('target', '$source', '$site')}), 'updated deleted inserted', 'the extension takes the table over');
is(sql(qq{SELECT count(*) FROM ext.sitemap_publish('target', '$source', '$site') WHERE action <> 'unchanged'}), '0', 'and its next run finds nothing to do');
is(publish($source), 'sitemap-1.xml inserted, sitemap-51d8e999.xml.gz deleted, sitemap.xml updated', 'and back');

# What the extension of today does with these rows, the edition in SQL does, too.
my %same = (
	'base_url in another spelling' => [ q{SELECT '/a' AS loc}, 'HTTPS://WWW.Example.com.:443' ],
	'locs in other spellings' => [ q{SELECT unnest('{HTTPS://www.EXAMPLE.com:443/a,//www.example.com:0443/b,https://www.example.com.:/c}'::text[]) AS loc} ],
	'changefreq with blanks' => [ q{SELECT '/' || n AS loc, (ARRAY[E'daily\n', E'\t', E' \u3000 ', U&'\3000Weekly\2003', NULL])[n] AS changefreq FROM generate_series(1, 5) n} ],
	'an enum' => [ q{SELECT '/' AS loc, 'daily'::app.frequency AS changefreq UNION ALL SELECT '/x', NULL} ],
	'a domain that is NOT NULL' => [ q{SELECT '/a'::app.filled AS loc} ],
	'an enum as loc' => [ q{SELECT '/path'::app.frequency AS loc} ],
	'arrays of varchar and of a domain' => [ q{SELECT '/a' AS loc, '{/b,NULL,/c}'::varchar(200)[] AS images} ],
	'arrays of a domain' => [ q{SELECT '/a'::app.url AS loc, '{/b}'::app.url[] AS images} ],
	'a domain over an array' => [ q{SELECT '/a'::varchar AS loc, '{/b}'::app.urls AS images} ],
	'W3C datetimes as text' => [ q{SELECT '/' || row_number() OVER () AS loc, d::varchar(50) AS lastmod FROM unnest(ARRAY['2026', '2026-01', ' 2026-01-02 ', E'2026-01-02T03:04Z\u3000', '2026-01-02T03:04+14:00', '2026-01-02T03:04:05-14:00', '2026-01-02T03:04:59.9999999999Z',
		'', ' ', NULL, '0001', '9999-12-31', '2024-02-29', '2000-02-29', '0001-01-01T00:00-00:01', '9999-12-31T23:59:59+00:01', '2026-01-02T03:04:05+00:00']) d} ],
	'an empty array in JSON' => [ q{SELECT '/a' AS loc, '[]'::jsonb AS alternates} ],
	'an array of two dimensions' => [ q{SELECT '/a' AS loc, '{{/i,NULL},{/k,/l}}'::text[] AS images} ],
	'JSON null, blanks, and languages of three letters' => [ q{SELECT '/' || n AS loc, ('["null"]'::jsonb || '[{"en": null, " de ": "/de", "fil": "/fil", "yue-Hant-HK": "/yue", "x-default": "/"}]'::jsonb -> n) AS alternates FROM generate_series(1, 1) n
		UNION ALL SELECT '/null', 'null'::jsonb UNION ALL SELECT '/empty', '{}'} ],
	'relative URLs' => [ q{SELECT './a' AS loc, '{./i,?i}'::text[] AS images, '{"en": "./en", "de": "?de", "fr": "/fr?/./x"}'::jsonb AS alternates UNION ALL SELECT v, NULL, NULL
		FROM unnest('{?,?a=./b,./,./?x,./a:b,./ü b,.//a,?#x#y}'::text[]) v}, 'https://www.example.com/a b/ü' ],
	'blank images and alternates' => [ q{SELECT '/a' AS loc, ARRAY['', ' ', '/i', E'\t', NULL] AS images, '{"en": "", "de": " ", "fr": "/fr"}'::jsonb AS alternates UNION ALL SELECT '/b', '{""}', '{"en": ""}'} ],
	'hosts' => [ q{SELECT '/a' AS loc, '{https://a~b.example/,https://b.1a,http://c.example.:080/,https://d.example:00443/,https://e.example:/,https://f.example:65535/x}'::text[] AS images} ],
	'priorities with seven decimals' => [ q{SELECT '/' || n AS loc, n / 128.0::float8 AS priority FROM generate_series(0, 128) n} ],
	'a comment' => [ "SELECT '/;--a' AS loc -- pages; /* all */" ],
	'letters and digits' => [ q{SELECT loc || n AS loc, ARRAY[loc || '-' || n || '.jpg', 'https://cdn.example.net' || loc] AS images FROM (VALUES ('/p/große-tür-17-für-häuser'), ('/产品/红色17号皮鞋'), ('/товары/зимние-ботинки-7-мужские'), ('/منتجات/حذاء-7-شتوي')) v (loc), generate_series(1, 50) n} ],
	'letters of other scripts' => [ q{SELECT loc FROM (VALUES ('/товар/зимние-ботинки-7.html'), ('/產品/靴子'), ('товар'), ('/a/товар-nike-б'), ('/товар '), (U&'/\3042\3000'), ('/б%zz'), ('/😀-😀/x?y=б#б#б'), ('https://www.example.com/б')) v (loc) WHERE loc ~ '[/:]'} ],
	'options in another case' => [ q{SELECT '/a' AS loc}, undef, q{index => ' Never ', stylesheet => ' /a.css ', on_invalid => 'ERROR',} ],
	'skip' => [ q{SELECT * FROM app.faulty ORDER BY id}, undef, q{on_invalid => 'skip', max_urls => 3,} ]);
sql(q{
	CREATE TYPE frequency AS ENUM ('daily', '/path');
	CREATE DOMAIN url AS varchar(200);
	CREATE DOMAIN urls AS text[];
	CREATE DOMAIN filled AS text NOT NULL CHECK (value <> '');
	CREATE VIEW faulty AS SELECT loc, changefreq, priority, images, alternates, lastmod FROM (VALUES
		(1, '/a', 'daily', 0.5::float8, ARRAY['/i', 'x:y', '/j'], '{"en": "/en", "de": 1, "e": "/"}'::jsonb, '2026-01-01'::date),
		(2, NULL, 'x', 7, NULL, NULL, 'infinity'), (3, 'ftp://x/', 'x', 7, NULL, NULL, 'infinity'), (4, '/b', 'x', 7, NULL, '[1]', 'infinity'),
		(5, 'https://other.example/', NULL, NULL, NULL, NULL, NULL), (6, '/' || repeat('x', 2050), NULL, NULL, NULL, NULL, NULL),
		(7, '/c', NULL, 'NaN', NULL, 'null', '10000-01-01'), (8, '/d', NULL, NULL, NULL, NULL, NULL), (9, '/e', NULL, NULL, NULL, NULL, NULL),
		(10, 'https://u:s3cret@www.example.com/', NULL, NULL, ARRAY['https://u:s3cret@x.example/'], NULL, NULL)) AS v (id, loc, changefreq, priority, images, alternates, lastmod) ORDER BY id});
foreach my $case (sort keys %same)
{
	my ($query, $base_url, $options) = @{ $same{$case} };

	$query =~ s/SELECT \* FROM app.faulty ORDER BY id/TABLE app.faulty/;
	is(compare($query, ($options // '') . "section => 'same',", $base_url), '0 files, 0 results', "the same bytes: $case");
}

is(sql(qq{SELECT count(DISTINCT digest) FROM (VALUES ('{"en": "/en", "de": []}'), ('{"en": "/en", "de": null}'), ('{"en": "/en"}')) v (alternates),
	"site maps".sitemap_files(format(\$q\$SELECT '/' AS loc, %L::jsonb AS alternates\$q\$, alternates), '$site')}), '1', 'an empty array in place of the URL of an alternate means none');

# The same problems of the same rows, and the same WARNING.
my $queries = [ 'TABLE app.faulty', q{SELECT '/x' AS loc, now() AS lastmod, ARRAY['/i', 'https://a b/', 'ftp://u:s3cret@x/', ''] AS images UNION ALL SELECT '/y', 'infinity', '{https://u:s3cret@x/}'} ];
foreach my $query (@$queries)
{
	my $problems = 'SELECT row_number, loc, problem, substring(detail FROM \'^Invalid (?:image|href) "[^"]*"\') AS url FROM %s.sitemap_audit($q$%s$q$, \'%s\') WHERE row_number IS NOT NULL ORDER BY 1, 3, 4';
	my ($managed, $extension) = map { sql(sprintf $problems, $_, $query, $site) } '"site maps"', 'ext';

	# not of a single row
	$extension =~ s/^.*\|(?:loc_duplicate|hreflang_\w+)\|.*\n//mg;
	is($managed, $extension, "sitemap_audit: $query");
}

foreach my $calls ([ '"site maps".sitemap_files(', 'ext.sitemap_files(' ], [ q{"site maps".sitemap_publish('target', }, q{ext.sitemap_publish('shrunk', } ])
{
	my @warnings = map {
		$node->psql('postgres', qq{BEGIN; SELECT count(*) FROM ${_}'TABLE app.faulty', '$site', on_invalid => 'skip', section => 'faulty')},
			extra_params => [ '-U', 'app' ], stderr => \$errors);
		like($errors, qr/^DETAIL:  sitemap_audit lists them\.$/m, 'in place of the reasons') if /site maps/;
		$errors =~ /WARNING:  (.*)/ ? $1 : $errors;
	} @$calls;
	is($warnings[0], $warnings[1] =~ s/^sitemap_publish/sitemap_files/r, "the WARNING: $warnings[0]");
	like($warnings[1], qr/left out \d+ rows/, 'which counts');
}
like((attempts(qq{SELECT "site maps".sitemap_files('SELECT 1', '$_')}))[0], qr/^22023 invalid base_url "\Q$_\E": it must/, "base_url $_")
  foreach 'x.example', '', 'ftp://a/', 'https://a:443:443/', 'https://a:65536/';
unlike($errors . sql(q{SELECT detail FROM "site maps".sitemap_audit('TABLE app.faulty', 'https://www.example.com')}), qr/s3cret/, 'no message has a password');
is(sql(qq{SELECT loc FROM "site maps".sitemap_audit('SELECT ''https://u:s3cret%40www.example.com/'' AS loc', '$site')}), 'https://***%40www.example.com/', 'an audit has no password, however "\@" is written');
my %shown = (
	'//пароль:пароль@www.example.com/' => '//***@www.example.com/', '//u:p@www.example.com/' => '//***@www.example.com/', 'u:p@www.example.com/x' => 'u:***@www.example.com/x',
	'https://u:p@a@www.example.com/@b' => 'https://***@www.example.com/@b', 'https://u:p/w@www.example.com/' => 'https://***@www.example.com/', 'https:/u:p@www.example.com/' => 'https:/***@www.example.com/',
	map { $_ => $_ } 'https://medium.example/@joe/my-post', 'https://medium.example:443/@joe', 'https://medium.example?a=b:c@d', 'ftp://x/a:b@c', 'https://medium.example/' . 'x' x 300 . '@joe');
foreach my $url (sort keys %shown)
{
	is(sql(qq{SELECT loc FROM "site maps".sitemap_audit('SELECT ''$url'' AS loc', '$site')}), encode_utf8($shown{$url}), encode_utf8('without a password: ' . substr $url, 0, 60));
}
like((attempts(qq{SELECT "site maps".sitemap_files(query, '$site') FROM (VALUES ('SELECT ''https://u:s3cret\@www.example.com/'' AS loc')) v (query)}))[0],
	qr{^22P02 invalid loc: a user name or password before the host It is row 1, with the loc "https://\*\*\*\@www\.example\.com/"}, 'not in an error, either');

# Limits: of an index, and of a row's elements, whose errors name the row.
my @limits = attempts(
	qq{SELECT count(*) FROM "site maps".sitemap_files('SELECT ''/'' || n AS loc FROM generate_series(1, 50001) n', '$site', max_urls => 1)},
	map { qq{SELECT count(*) FROM "site maps".sitemap_files(\$q\$SELECT '/' AS loc, $_\$q\$, '$site')} }
	  q{'294277-01-01'::date AS lastmod}, q{'{{/i,x:y}}'::text[] AS images});
like($limits[0], qr/^54000 an index would have 50001 sitemaps/, 'more sitemaps than an index can list');
like($limits[$_], qr/It is row 1, with the loc/, $limits[$_] =~ s/ It is.*//r) foreach 1 .. $#limits;

# Time in proportion to the input: different characters, and images with many of them.
is(sql(q{SET statement_timeout = '10s'; SELECT length("site maps".sitemap_encode(string_agg(chr(n), ''))) FROM generate_series(19968, 39968) n}), '180009', 'many different characters');
is(sql(qq{SET statement_timeout = '20s'; SELECT url_count FROM "site maps".sitemap_files(\$q\$
	SELECT '/' AS loc, (SELECT array_agg((SELECT '/' || string_agg(chr(19968 + (i * 400 + m) % 20000), '') FROM generate_series(1, 400) m)) FROM generate_series(1, 1000) i) AS images\$q\$, '$site')}), '1', 'in a thousand images');

# The memory of a run with a file of 46 MB: about nine copies of it.
SKIP:
{
	skip 'no /proc/self/status', 1 unless -r '/proc/self/status';
	my ($size, $memory) = split /\n/, $node->safe_psql('postgres', qq{
		CREATE TABLE large OF "site maps".sitemap_file (PRIMARY KEY (base_url, name));
		SELECT byte_count / 1000000 FROM "site maps".sitemap_publish('large', 'SELECT ''/'' || n || repeat(''x'', 870) AS loc FROM generate_series(1, 50000) n', '$site') WHERE kind = 'urlset';
		SELECT sum(substring(status FROM line || ':\\s+(\\d+)')::bigint * sign) / 1024
		  FROM pg_read_file('/proc/self/status', 0, 10000) AS status, (VALUES ('VmHWM', 1), ('RssShmem', -1), ('RssFile', -1)) AS v (line, sign);
		DROP TABLE large});
	cmp_ok($memory, '<', 496, "a file of $size MB");
	note(int($memory) . ' MB');

	# A NULL and a URL that is encoded take different ways, which must not make each other's functions be planned anew.
	($memory) = $node->safe_psql('postgres', encode_utf8(qq{
		SELECT FROM "site maps".sitemap_files('SELECT ''/'' || n AS loc, ARRAY[NULL, ''/ü'' || n] AS images FROM generate_series(1, 10000) n', '$site');
		SELECT substring(pg_read_file('/proc/self/status', 0, 10000) FROM 'VmHWM:\\s+(\\d+)')::int / 1024})) =~ /(\d+)$/;
	cmp_ok($memory, '<', 150, '10,000 rows with a NULL and an encoded URL');
}

# Two first runs: under an older snapshot, the second is told to try again.
sql('CREATE TABLE first_run OF "site maps".sitemap_file (PRIMARY KEY (base_url, name))');
my $older = Session->start($node, 'postgres', extra_params => [ '-U', 'app' ]);
my $first = qq{SELECT FROM "site maps".sitemap_publish('first_run', 'SELECT ''/'' AS loc', '$site')};
$older->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; TABLE one');
sql($first);
is(state_of($older->query_safe("SELECT attempt(\$s\$$first\$s\$)")), '40001', 'a second first run');
$older->quit;

# The same bytes for all types that both editions take, and with all options that both have.
my $some = $rows < 20000 ? $rows : 20000;
sql(qq{CREATE TABLE sample AS SELECT id, loc, changefreq, priority, images, alternates, changed FROM page WHERE id <= $some;
	CREATE DOMAIN image AS varchar(5000)});
my @options = ('', 'max_urls => 700,', q{index => 'never', section => 'b',}, q{index => 'always', stylesheet => '/a.css', on_invalid => 'skip',});
my @types = ('changed AS lastmod, images::varchar(5000)[] AS images', 'changed::timestamp AS lastmod, images::image[] AS images', 'changed::date AS lastmod, images',
	'changed AS lastmod, priority::numeric AS priority, changefreq::varchar(10) AS changefreq', 'changed::timestamp(0) AS lastmod, round(priority::numeric, 6)::real AS priority');
sql('DELETE FROM managed; DELETE FROM extension');
foreach my $n (0 .. $#types)
{
	my $others = join ', ', grep { $types[$n] !~ /\b$_\b/ } qw(loc changefreq priority images alternates);

	is(compare("SELECT $others, $types[$n] FROM app.sample ORDER BY id", $options[$n % @options]), '0 files, 0 results', "$some rows, $types[$n]");
}
# Dates as text, valid and invalid: also the same problems.
sql(q{
	CREATE FUNCTION date_text(changed timestamptz) RETURNS text LANGUAGE sql VOLATILE AS $$
		SELECT CASE WHEN random() < 0.1 THEN overlay(d PLACING (ARRAY['9', '0', 'x', '-', '', ' ', '1'])[1 + floor(random() * 7)] FROM 1 + floor(random() * length(d))::int FOR 1) ELSE d END
		  FROM to_char(changed, (ARRAY['YYYY', 'YYYY-MM', 'YYYY-MM-DD', 'YYYY-MM-DD"T"HH24:MI', 'YYYY-MM-DD"T"HH24:MI:SS', 'YYYY-MM-DD"T"HH24:MI:SS.MS', ' YYYY-MM-DD"T"HH24:MI:SS.US'])[1 + floor(random() * 7)]) AS t,
		       concat(t, CASE WHEN t ~ 'T' THEN (ARRAY['Z', 'Z', '+00:00', '-05:30', '+13:59', '-14:00', '+14:01', '+12', ''])[1 + floor(random() * 9)] END) AS d
	$$;
	CREATE TABLE sample_text AS SELECT id, loc, changefreq, priority, alternates, date_text(changed) AS lastmod,
		CASE WHEN random() < 0.5 THEN images || (ARRAY['', 'ftp://x/', 'x:y', ' /i'])[1 + floor(random() * 4)] ELSE images END AS images FROM sample});
my $texts = 'SELECT loc, changefreq, priority, alternates, lastmod, images FROM app.sample_text ORDER BY id';
is(compare($texts, q{on_invalid => 'skip', max_urls => 900,}), '0 files, 0 results', "$some rows, dates as text");
my ($by_managed, $by_extension) = map { sql(qq{
	SELECT row_number, problem, CASE problem WHEN 'lastmod_invalid' THEN substring(detail, '^.*": (?:not a W3C datetime|there is no such date)') END FROM $_.sitemap_audit('$texts', '$site') WHERE problem ~ '_invalid' ORDER BY 1, 2}) } '"site maps"', 'ext';
is($by_managed, $by_extension, 'the same problems');
like($by_managed, qr/$_/, "among them $_") foreach 'image_invalid', 'no such date', 'not a W3C datetime';

# In a database of another language, whose "i" is no lower-case "I".
SKIP:
{
	my $icu = $node->psql('postgres', q{CREATE DATABASE tr TEMPLATE template0 ENCODING utf8 LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR' LOCALE 'C.UTF-8'});
	skip 'no ICU', 3 if $icu != 0;
	my $query = q{SELECT loc, changefreq, lower(changefreq) AS lower, images, alternates FROM (VALUES ('HTTPS://WWW.EXAMPLE.COM/I', 'DAILY', '{HTTP://IMAGES.EXAMPLE/I}'::text[], '{"ID": "/i"}'::jsonb),
		('/%2e/', 'x', NULL, '{"id": "/i", "I": "/I"}'), ('MAILTO:i', NULL, '{FILE://I}', NULL), ('https://i.i/', U&'DA\0130LY', NULL, NULL)) AS v (loc, changefreq, images, alternates)};
	my $calls = qq{SELECT convert_from(f.content, 'UTF8') FROM here.sitemap_files(\$q\$SELECT loc, changefreq, images, alternates FROM ($query) AS q\$q\$, 'HTTPS://WWW.Example.com/', on_invalid => 'SKIP', index => 'ALWAYS', stylesheet => '/I.CSS') AS f
		UNION ALL SELECT a::text FROM here.sitemap_audit(\$q\$SELECT loc, changefreq, images, alternates FROM ($query) AS q\$q\$, 'HTTPS://WWW.Example.com/') AS a};
	$node->safe_psql('tr', encode_utf8(qq{CREATE SCHEMA ext; CREATE EXTENSION sitemap SCHEMA ext; BEGIN; CREATE SCHEMA sql; SET LOCAL search_path = sql;\n\\i $script\nCOMMIT}));
	is($node->safe_psql('tr', encode_utf8("SELECT lower('DAILY'), lower FROM ($query) AS q LIMIT 1")), encode_utf8("da\x{131}ly|da\x{131}ly"), 'a Turkish database');
	my ($turkish, $english) = map { $node->safe_psql($_->[0], encode_utf8($calls =~ s/here\./$_->[1]./gr)) } [ 'tr', 'sql' ], [ 'postgres', '"site maps"' ];
	is($turkish, $english, 'the same files and problems');
	like($turkish, qr{<changefreq>daily</changefreq>.*hreflang="ID"}s, 'of words in capitals');
}

# Traps: functions, operators and types that PostgreSQL prefers to those of pg_catalog where it can, made for
# all names in the file, by a role that may create in a schema of the publisher's search_path.
sql(q{CREATE TABLE trap_target OF "site maps".sitemap_file (PRIMARY KEY (base_url, name)); CREATE TABLE good (loc text, lastmod date, changefreq text, images text[], alternates jsonb)});
sql(q{INSERT INTO good VALUES ('/a', '2026-01-01', ' Daily', ARRAY['/i', 'https://cdn.example.com/ü?'], '{"en": "/en", "de": "/dé"}'), ('/ü/б-в?#x#y', '2026-01-02', NULL, NULL, NULL);
	CREATE TABLE good_text AS SELECT loc, lastmod::text || 'T05:06+01:00' AS lastmod, '{/i,/ü}'::text[] AS images FROM good;
	CREATE TABLE bad_text AS SELECT '/' AS loc, unnest('{2026-02-30,x}'::text[]) AS lastmod, '{x,42}'::varchar[] AS images;
	CREATE TABLE bad AS SELECT loc, 'x'::text AS changefreq, 7.5::numeric AS priority, 'infinity'::timestamp AS lastmod FROM unnest('{/c,ftp://x/,NULL}'::text[]) AS loc});
$node->safe_psql('postgres', q{CREATE ROLE mallory; CREATE SCHEMA attack AUTHORIZATION mallory; GRANT USAGE ON SCHEMA attack TO app; GRANT USAGE ON SCHEMA "site maps" TO mallory});
my ($names, $operators) = (join(' ', keys %{ { map { $_ => 1 } slurp_file($script) =~ /\b([a-z_0-9]+) ?\(/g } }), "= <> < > <= >= || ~ !~ ~* !~* + - * / @? #>> -> ->>");
$node->safe_psql('postgres', qq{SET ROLE mallory; SET search_path = pg_catalog;
	CREATE FUNCTION attack.trap(what text) RETURNS bool LANGUAGE plpgsql AS \$\$BEGIN RAISE EXCEPTION 'trapped by %', what; END\$\$;
	DO \$do\$
	DECLARE
		types regtype[] := '{text,varchar,name,regclass,oid,int4,int8,float8,numeric,bytea,jsonb,text[],bool,timestamptz,timestamp,date,json}';
		few regtype[] := '{text,varchar,name,regclass,int4,int8,bytea,text[]}';
		r record;
	BEGIN
		FOR r IN
			SELECT DISTINCT proname, arguments FROM (
				SELECT proname, array_to_string(proargtypes::regtype[], ',') AS arguments FROM pg_proc p, pg_namespace n
				 WHERE n.oid = pronamespace AND nspname IN ('pg_catalog', 'site maps') AND proname = ANY (string_to_array('$names', ' ')) AND proargtypes::regtype[]::text !~ 'any|internal|cstring|record'
				 UNION ALL SELECT name, a::text FROM unnest(string_to_array('$names', ' ')) name, unnest(types) a
				 UNION ALL SELECT name, a || ',' || b FROM unnest(string_to_array('$names', ' ')) name, unnest(few) a, unnest(few) b
				 UNION ALL SELECT name, 'text,' || a || ',' || b FROM unnest(string_to_array('$names', ' ')) name, unnest(few) a, unnest(few) b) s
			 WHERE proname IN (SELECT p.proname FROM pg_proc p)
		LOOP
			EXECUTE format('CREATE FUNCTION attack.%I(%s) RETURNS text LANGUAGE sql AS \$\$SELECT attack.trap(%L)::pg_catalog.text\$\$', r.proname, r.arguments, r.proname || '(' || r.arguments || ')');
		END LOOP;
		FOR r IN SELECT a, b FROM unnest(types) a, unnest(types) b LOOP
			EXECUTE format('CREATE FUNCTION attack.operator_(%s, %s) RETURNS bool LANGUAGE sql AS \$\$SELECT attack.trap(%L)\$\$', r.a, r.b, 'operator of ' || r.a || ', ' || r.b);
			EXECUTE (SELECT string_agg(format('CREATE OPERATOR attack.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = attack.operator_)', o, r.a, r.b), ';') FROM unnest(string_to_array('$operators', ' ')) o);
		END LOOP;
		FOR r IN SELECT format_type(t, NULL) AS name, typname FROM unnest(types) t, pg_type p WHERE p.oid = t AND typname !~ '^_' LOOP
			EXECUTE format('CREATE DOMAIN attack.%I AS pg_catalog.%I CHECK (attack.trap(%L))', r.typname, r.typname, 'type ' || r.typname);
		END LOOP;
	END
	\$do\$});
my $everything = sub {
	my ($path) = @_;
	my @calls = (
		(map { qq{SELECT name, kind, action, url_count, byte_count FROM "site maps".sitemap_publish('app.trap_target', '$_', '$site', max_urls => 1, stylesheet => '/ü.css', on_invalid => 'skip', max_shrink => 1)} }
			'TABLE app.good', 'SELECT loc FROM app.good', 'SELECT loc, changefreq FROM app.good LIMIT 1', 'TABLE app.bad'),
		qq{SELECT name, digest FROM "site maps".sitemap_files('TABLE app.good;', 'https://WWW.example.com:443')},
		(map { qq{SELECT name, digest FROM "site maps".sitemap_files('TABLE app.$_', '$site', on_invalid => 'skip')} } 'bad', 'good_text', 'bad_text'),
		qq{SELECT name, digest FROM "site maps".sitemap_files('SELECT ''/path''::app.frequency AS loc, ''daily''::app.frequency AS changefreq, ''{/a,/ü-ж7}''::varchar[] AS images', '$site')},
		(map { qq{SELECT row_number, loc, problem, detail FROM "site maps".sitemap_audit('TABLE app.$_', '$site')} } 'good', 'bad'),
		qq{SELECT "site maps".sitemap_encode('a b/ü%', '/')},
		(map { qq{SELECT * FROM "site maps".sitemap_files($_)} } "'TABLE app.bad', '$site'", "'TABLE app.good', 'x'", "'SELECT 1 AS x', '$site'", "'SELECT 1 AS loc', '$site'", "'TABLE app.good; -- x', '$site', index => 'x'"));
	my $output;

	sql('TRUNCATE trap_target');
	$node->psql('postgres', encode_utf8(join ";\n", "SET search_path = $path", @calls), extra_params => [ '-U', 'app', '-q', '-At' ], on_error_stop => 0, stdout => \$output, stderr => \$errors);
	return $output . join '', map { s/pg_catalog\.//gr } $errors =~ /((?:ERROR|WARNING|DETAIL): .*\n)/g;
};
my $safe = $everything->('app');
like($safe, qr/inserted.*updated.*deleted.*priority_invalid.*a%20b.*left out.*invalid lastmod/s, 'without traps');
foreach my $path ('app, attack', 'attack, pg_catalog, app')
{
	my $trapped = $everything->($path);

	unlike($trapped, qr/trapped/, "no traps with search_path = $path");
	is($trapped, $safe, "and the same results");
}
like((attempts(q{SET search_path = app, attack}, q{SELECT concat('a'::text, 'app.good'::regclass)}, q{SELECT 'a'::text || 1::oid}))[$_], qr/trapped by/, 'the traps work') foreach 1, 2;

# Over an earlier version: one of its helpers has another result, and views call its functions.
my $file = slurp_file($script);
my $earlier = $file;
is($earlier =~ s/(RETURNS TABLE \(n bigint, loc text,) (.*?BEGIN ATOMIC\n\tSELECT n, loc,) /$1 more int, $2 0, /s, 1, 'an earlier version, with one more column in a helper');
$earlier =~ s/\QCREATE FUNCTION _sitemap_raise\E/CREATE FUNCTION _sitemap_gone() RETURNS int LANGUAGE sql RETURN 1;\n$&/;
$node->safe_psql('postgres', 'CREATE SCHEMA earlier AUTHORIZATION app');
my $functions = q{SELECT string_agg(oid::regprocedure::text, ' ' ORDER BY oid::regprocedure::text COLLATE "C") FROM pg_proc WHERE pronamespace = '%s'::regnamespace};
sql("BEGIN; SET LOCAL search_path = earlier;\n$earlier\nCOMMIT");
like(sql(sprintf $functions, 'earlier'), qr/_sitemap_gone/, 'has a helper of its own');
sql(qq{
	CREATE VIEW encoded AS SELECT earlier.sitemap_encode('a b') AS encoded;
	CREATE VIEW listed AS SELECT f.name FROM earlier.sitemap_files('SELECT ''/'' AS loc', '$site') AS f;
	CREATE VIEW audited AS SELECT problem FROM earlier.sitemap_audit('SELECT ''/'' AS loc', '$site')});
sql("BEGIN; SET LOCAL search_path = earlier;\n$file\nCOMMIT") foreach 1, 2;
is(sql(sprintf $functions, 'earlier'), sql(sprintf $functions, '"site maps"') =~ s/"site maps"\.note\(\) //r =~ s/"site maps"/earlier/gr, 'after the update, its functions are those of this version');
is(sql('SELECT encoded, name, (SELECT count(*) FROM audited) FROM encoded, listed'), 'a%20b|sitemap.xml|0', 'and views work');
sql('DROP SCHEMA earlier CASCADE');

# As a Trusted Language Extension: what a release has for pg_tle and database.dev.  pg_tle keeps the file, and
# CREATE EXTENSION or ALTER EXTENSION runs it with a search_path of the extension's schema.
my $folder = PostgreSQL::Test::Utils::tempdir();
my $tree = "$folder/tree";
my $version = qx("$FindBin::RealBin/../../packaging/version");
chomp $version;
# in a later release, the changelog has an earlier one
mkdir $tree or die $!;
is(system(qq(cd "$FindBin::RealBin/../.." && cp -R CHANGELOG.md Dockerfile META.json README.md sitemap.control debian managed packaging sql "$tree")), 0, 'a copy');
append_to_file("$tree/CHANGELOG.md", "\n## 0.9.0 (2026-01-01)\n");
is(system("$tree/packaging/tle", $folder), 0, 'packaging/tle');
is(slurp_file("$folder/sitemap/sitemap.control") =~ s/^comment = '[^']+'\n//mr, "default_version = '$version'\nrelocatable = false\nrequires = 'plpgsql'\n", 'the control file');
is(slurp_file("$folder/sitemap/$_"), $file, $_) foreach "sitemap--$version.sql", "sitemap--0.9.0--$version.sql";
is(join(' ', map { s{.*/}{}r } sort glob "$folder/sitemap/*"), "README.md sitemap--0.9.0--$version.sql sitemap--$version.sql sitemap.control", 'no other file');
$node->safe_psql('postgres', 'CREATE SCHEMA pgtle AUTHORIZATION app; CREATE SCHEMA tle AUTHORIZATION app');
sql(q{
	SET search_path = pgtle;
	CREATE TABLE script (name name, source text, version text, ext text, requires text[]);
	CREATE FUNCTION install_extension(name text, version text, description text, ext text, requires text[] DEFAULT NULL) RETURNS bool LANGUAGE sql
	SET search_path = pgtle AS $$INSERT INTO script VALUES (name, NULL, version, ext, requires) RETURNING true$$;
	CREATE FUNCTION install_update_path(name text, fromvers text, tovers text, ext text) RETURNS bool LANGUAGE sql
	SET search_path = pgtle AS $$INSERT INTO script VALUES (name, fromvers, tovers, ext) RETURNING true$$;
	CREATE FUNCTION available_extensions(OUT name name) RETURNS SETOF name LANGUAGE sql SET search_path = pgtle AS $$SELECT DISTINCT name FROM script$$;
	CREATE FUNCTION available_extension_versions(OUT name name, OUT version text) RETURNS SETOF record LANGUAGE sql
	SET search_path = pgtle AS $$SELECT DISTINCT name, version FROM script$$;
	CREATE FUNCTION extension_update_paths(name name, OUT source text, OUT target text, OUT path text) RETURNS SETOF record LANGUAGE sql
	SET search_path = pgtle AS $$SELECT source, version, 'x' FROM script WHERE source IS NOT NULL$$});
sql(slurp_file("$folder/sitemap-tle.sql"));
is(sql('SELECT source, version, requires FROM pgtle.script'), "|$version|{plpgsql}", 'registered');
my $run = sub {
	my ($condition) = @_;
	sql("DO \$\$BEGIN SET LOCAL search_path = tle, pg_temp; EXECUTE (SELECT ext FROM pgtle.script WHERE $condition); END\$\$");
};
$run->('source IS NULL');
is(sql(q{SELECT count(*) FROM tle.sitemap_files('SELECT ''/'' AS loc', 'https://www.example.com/')}), '1', 'created');
sql("UPDATE pgtle.script SET version = '0.9.0'");
sql(slurp_file("$folder/sitemap-tle.sql")) foreach 1, 2;
is(sql(q{SELECT string_agg(concat_ws('-', source, version), ' ' ORDER BY source NULLS FIRST) FROM pgtle.script}), "0.9.0 0.9.0-$version", 'where an earlier version is registered, an update');
$run->('source IS NOT NULL');
is(sql(q{SELECT count(*) FROM tle.sitemap_files('SELECT ''/'' AS loc', 'https://www.example.com/')}), '1', 'updated');
sql('DROP SCHEMA tle CASCADE; DROP SCHEMA pgtle CASCADE');

# The schema is renamed: run the file again.
$node->safe_psql('postgres', 'ALTER SCHEMA "site maps" RENAME TO there');
sql($install->('there'));
is(sql(qq{SELECT count(*) FROM there.sitemap_files('$source', '$site')}), '1', 'in a schema of another name');

$node->stop;

# With pg_tle itself, under another name: it refuses that of an extension with files.
SKIP:
{
	my $trusted = new_node('trusted', '');
	$trusted->start;
	skip 'pg_tle is not here', 5
	  if $trusted->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_tle'}) eq '0';
	my $registered = slurp_file("$folder/sitemap-tle.sql") =~ s/'sitemap'/'sitemap_tle'/gr;

	$trusted->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_tle'");
	$trusted->restart;
	$trusted->safe_psql('postgres', 'CREATE EXTENSION pg_tle; CREATE SCHEMA sitemap');
	$trusted->safe_psql('postgres', encode_utf8($registered =~ s/'\Q$version\E'/'0.9.0'/gr));
	$trusted->safe_psql('postgres', q{CREATE EXTENSION sitemap_tle SCHEMA sitemap; CREATE VIEW encoded AS SELECT sitemap.sitemap_encode('a b') AS encoded});
	is($trusted->safe_psql('postgres', q{SELECT url_count FROM sitemap.sitemap_files('SELECT ''/'' AS loc', 'https://www.example.com/')}), '1', 'an earlier version, with pg_tle');
	$trusted->safe_psql('postgres', $registered) foreach 1, 2;
	$trusted->safe_psql('postgres', "ALTER EXTENSION sitemap_tle UPDATE TO '$version'");
	is($trusted->safe_psql('postgres', q{SELECT extversion FROM pg_extension WHERE extname = 'sitemap_tle'}), $version, 'is updated');
	is($trusted->safe_psql('postgres', 'TABLE encoded'), 'a%20b', 'and a view works');
	$trusted->safe_psql('postgres', 'DROP SCHEMA sitemap CASCADE');
	my $available = q{SELECT count(*) FROM pgtle.available_extensions() WHERE name = 'sitemap_tle'};
	is($trusted->safe_psql('postgres', $available), '1', 'DROP SCHEMA leaves the registration');
	$trusted->safe_psql('postgres', q{SELECT pgtle.uninstall_extension('sitemap_tle')});
	is($trusted->safe_psql('postgres', $available), '0', 'which uninstall_extension removes');
	$trusted->stop;
}
done_testing();
