# doc/managed.md: each of its examples, in order, for a shop whose owner may not create extensions.
use strict;
use warnings;

use File::Path qw(make_path);
use FindBin;
use IPC::Run ();
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Node;

my $timeout = $PostgreSQL::Test::Utils::timeout_default;
my $tree = "$FindBin::RealBin/../..";
my $document = slurp_file("$tree/doc/managed.md");
my @blocks;
while ($document =~ /^```(\w+)\n(.*?)^```$/gms)
{
	push @blocks, { language => $1, text => $2 };
}
sub blocks { my ($language) = @_; return map { $_->{text} } grep { $_->{language} eq $language } @blocks }
my ($schema, $view, $policy, $publish, $schedule, $api, $compare, $tle, $move, $foreign) = blocks('pgsql');
my ($with_pg, $with_supabase, $robots) = blocks('javascript');
my ($result) = blocks('text');

my $node = start_node("TimeZone = UTC\n");
$node->safe_psql(
	'postgres', q{
	CREATE ROLE owner LOGIN;
	CREATE ROLE anon LOGIN;
	GRANT CREATE ON DATABASE postgres TO owner;
	GRANT CREATE ON SCHEMA public TO owner;
	CREATE TABLE product (id int PRIMARY KEY, slug text, updated_at timestamptz);
	ALTER TABLE product OWNER TO owner;
	INSERT INTO product SELECT n, CASE n WHEN 1 THEN '50%-off?' ELSE 'shoe-' || n END, '2026-01-01 00:00Z'::timestamptz + n * interval '1 minute' FROM generate_series(1, 12000) n});

sub run_as
{
	my ($role, @statements) = @_;
	my ($output, $errors);

	foreach my $statement (@statements)
	{
		IPC::Run::run([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-h', $node->host, '-p', $node->port, '-U', $role, 'postgres' ],
			'<', \$statement, '>', \$output, '2>', \$errors, IPC::Run::timeout($timeout)) or return $errors;
	}
	return $output;
}

is(run_as('owner', $schema . slurp_file("$tree/managed/sitemap.sql") . 'COMMIT;'), '', 'install');
is(run_as('owner', $view), '', 'a table and a view');
is(run_as('owner', $policy), '', 'a policy');
is(run_as('owner', $publish), "$result\n", 'publish');
my ($scheduled) = $schedule =~ /\$\$\n(.*)\$\$/s;
is(run_as('owner', "SELECT xmin, name FROM site_files", $scheduled), "--\n(3 rows)\n\n", 'the scheduled statement');
$node->safe_psql('postgres', 'GRANT SELECT ON site_files TO anon');
like(run_as('anon', 'DELETE FROM site_files'), qr/permission denied/, 'visitors may only read');

# The function for PostgREST, called as its documentation says: read only, as the role of visitors, with the headers in a setting.
is(run_as('owner', $api), '', 'a function for PostgREST');
sub request
{
	my ($name, $if_none_match) = @_;

	return run_as('anon', qq{\\pset format unaligned
		\\pset tuples_only on
		START TRANSACTION READ ONLY;
		SELECT set_config('request.headers', '{"accept": "*/*", "if-none-match": $if_none_match}', true) AS headers \\gset
		SELECT length(c), right(convert_from(c, 'UTF8'), 9) FROM sitemap(name => '$name') AS c;
		SELECT current_setting('response.status', true), current_setting('response.headers', true);
		COMMIT});
}
my ($digest, $size, $changed) = split /\|/, $node->safe_psql('postgres', q{SELECT digest, byte_count, to_char(lastmod AT TIME ZONE 'UTC', 'Dy, DD Mon YYYY HH24:MI:SS "GMT"') FROM site_files WHERE kind = 'index'});
my $headers = qq([{"Content-Type" : "application/xml"}, {"ETag" : "\\"$digest\\""}, {"Last-Modified" : "$changed"}]);
is(request('sitemap.xml', 'null'), "$size|mapindex>\n|$headers\n", 'it serves a file with its type, ETag and Last-Modified');
is(request('sitemap.xml', qq("W/\\"$digest\\"")), "0|\n304|$headers\n", 'and answers 304');
like(request('x.xml', 'null'), qr/ERROR:  Not found/, 'and 404');
my $has_libxml = $node->psql('postgres', q{SELECT '<a/>'::xml}) == 0;
like(run_as('owner', $compare), qr{https://www\.example\.com/products/50%25-off%3F\n.*\(12000 rows\)}s, 'the URLs') if $has_libxml;

SKIP:
{
	my $folder = PostgreSQL::Test::Utils::tempdir();
	my ($paths, $output, $errors);

	# Modules find packages in node_modules, not in NODE_PATH.
	IPC::Run::run([ 'node', '-p', q{require('path').resolve(require.resolve('pg'), '../../..')} ], '<', \undef, '>', \$paths, '2>', \$errors)
	  or skip 'node or its package pg is not here', 1;
	chomp $paths;
	symlink $paths, "$folder/node_modules" or die $!;
	my $has_supabase = -d "$paths/\@supabase/supabase-js";
	append_to_file("$folder/pg.mjs", $with_pg);
	append_to_file("$folder/supabase.mjs", $with_supabase . $with_pg =~ s/.*?(?=^export)//msr) if $has_supabase;
	append_to_file("$folder/robots.mjs", $robots);

	# The stub answers as PostgREST does: rows as JSON, bytea as "\x...", and "eq.", "not.is.null".
	append_to_file("$folder/test.mjs", q{
import http from 'node:http';
import pg from 'pg';

globalThis.WebSocket ??= class {};	// which supabase-js wants, and node has since version 22
const anon = new pg.Pool({ user: 'anon' });
const stub = http.createServer(async (request, response) => {
  const url = new URL(request.url, 'http://stub');
  const columns = url.searchParams.get('select').split(',');
  const conditions = [], values = [];
  for (const [column, value] of url.searchParams) {
    if (column === 'select') continue;
    if (value === 'not.is.null') conditions.push(`${column} IS NOT NULL`);
    else { values.push(value.replace(/^eq\./, '')); conditions.push(`${column} = $${values.length}`); }
  }
  const { rows } = await anon.query(`SELECT coalesce(json_agg(r), '[]')::text AS body FROM (SELECT ${columns} FROM ${url.pathname.replace('/rest/v1/', '')}
    WHERE ${conditions.join(' AND ')}) r`, values);
  response.writeHead(request.headers.apikey === 'key' ? 200 : 401, { 'Content-Type': 'application/json; charset=utf-8' });
  response.end(rows[0].body);
}).listen(0, '127.0.0.1', async () => {
  process.env.SUPABASE_URL = `http://127.0.0.1:${stub.address().port}`;
  process.env.SUPABASE_ANON_KEY = 'key';
  process.env.DATABASE_URL = `postgres://owner@/postgres?host=${process.env.PGHOST}&port=${process.env.PGPORT}`;
  for (const module of process.argv.slice(2)) {
    const { GET } = await import(`./${module}.mjs`);
    const get = async (name, headers = {}) => {
      const response = await GET(new Request(`https://www.example.com/sitemaps/${name}`, { headers }), { params: Promise.resolve({ name }) });
      const body = await response.text();
      console.log(module, name, response.status, response.headers.get('content-type'), response.headers.get('etag'), response.headers.get('last-modified'), body.length, body.slice(-9));
      return response;
    };
    await get('sitemap.xml');
    const part = await get('sitemap-1.xml');
    await get('sitemap-1.xml', { 'If-None-Match': `W/${part.headers.get('etag')}` });
    await get('sitemap-1.xml', { 'If-None-Match': '"other"' });
    await get("x'--.xml");
  }
  console.log('robots', (await import('./robots.mjs')).default().sitemap);
  process.exit();
});
});
	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => 'postgres');
	my @modules = ('pg', $has_supabase ? 'supabase' : ());
	IPC::Run::run([ 'node', "$folder/test.mjs", @modules ], '<', \undef, '>', \$output, '2>', \$errors, IPC::Run::timeout($timeout)) or diag($errors);
	my %files = map { my ($name, @values) = split /\|/; ($name => \@values) } split /\n/, $node->safe_psql('postgres',
		q{SELECT name, digest, byte_count, to_char(lastmod, 'Dy, DD Mon YYYY HH24:MI:SS "GMT"') FROM site_files});
	foreach my $module (@modules)
	{
		my $line = sub {
			my ($name, $status, $end) = @_;
			my ($digest, $size, $lastmod) = @{ $files{$name} };

			return "$module $name $status application/xml \"$digest\" $lastmod " . ($status == 200 ? $size : 0) . " $end\n";
		};
		my ($lines) = $output =~ /((?:^$module .*\n)+)/m;

		is($lines,
			$line->('sitemap.xml', 200, 'mapindex>') . $line->('sitemap-1.xml', 200, '</urlset>') . $line->('sitemap-1.xml', 304, '')
			  . $line->('sitemap-1.xml', 200, '</urlset>') . "$module x'--.xml 404 text/plain;charset=UTF-8 null null 9 Not found\n",
			"the route with $module");
	}
	like($output, qr{^robots https://www.example.com/sitemaps/sitemap.xml$}m, 'robots.js');
}

# The shop moves to a server of its own.
is(run_as('owner', 'DELETE FROM product WHERE id > 11990'), '', 'some products less');
$node->safe_psql('postgres', 'ALTER DATABASE postgres OWNER TO owner; GRANT ALL ON SCHEMA public TO owner');
is(run_as('owner', $move), '', 'move to the extension, as the owner of the database');
like(run_as('owner', $publish), qr/sitemap-51d8e999\.xml\.gz .* inserted .*sitemap-1\.xml .* deleted .*sitemap\.xml .* updated /s, 'the same call');

# The second server is another database here.
$node->safe_psql('postgres', q{
	CREATE ROLE sitemap_reader LOGIN;
	CREATE VIEW sitemap_source AS SELECT id, '/p/' || id AS loc, updated_at AS lastmod FROM product;
	GRANT SELECT ON sitemap_source TO sitemap_reader;
	UPDATE product SET updated_at = now() WHERE id = 7;
	CREATE DATABASE second});
my $errors;
my ($host, $port) = ($node->host, $node->port);
$foreign =~ s/host 'db\.example\.com', dbname 'shop', sslmode 'verify-full', sslrootcert '[^']*'/host '$host', port '$port', dbname 'postgres'/;
is($node->psql('second', $foreign, stderr => \$errors, on_error_stop => 1), 0, 'a second server') or diag($errors);
is($node->safe_psql('second', q{SELECT sum(url_count) FROM site_files WHERE kind = 'urlset'}), '11990', 'has all pages');
$node->safe_psql('second', q{UPDATE site_files SET lastmod = lastmod - interval '1 day'});
$node->safe_psql('postgres', q{UPDATE product SET updated_at = now() - interval '20 hours' WHERE id = 8});
like($node->safe_psql('second', $foreign =~ s/.*(?=^SELECT FROM sitemap_publish)//smr =~ s/^SELECT FROM/SELECT * FROM/r),
	qr/^\S+-[0-9a-f]+\.xml\.gz\|urlset\|updated\|/m, 'and what changed since its last run, however long ago');

$node->stop;
done_testing();
