# doc/managed.md: each of its examples, in order, for a shop whose owner may not create extensions.
use File::Path qw(make_path);
use FindBin;
use IPC::Run ();

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
my ($schema, $view, $policy, $publish, $schedule, $site_schema, $empty, $ranges, $pages, $body, $compare, $tle, $move, $foreign) = blocks('pgsql');
my ($robots) = blocks('javascript');
my $api = slurp_file("$tree/examples/postgrest/sitemap.sql");
my ($result) = blocks('text');
my ($export) = $document =~ m{export\.sh\) `(".*? /var/www/sitemaps)`};

my $node = start_node("TimeZone = UTC\n");
$node->safe_psql(
	'postgres', q{
	CREATE ROLE owner LOGIN;
	CREATE ROLE anon LOGIN;
	GRANT CREATE ON DATABASE postgres TO owner;
	GRANT CREATE ON SCHEMA public TO owner;
	CREATE TABLE product (id int PRIMARY KEY, slug text, title text, price int, updated_at timestamptz);
	ALTER TABLE product OWNER TO owner;
	INSERT INTO product SELECT n, CASE n WHEN 1 THEN '50%-off?' ELSE 'shoe-' || n END, 'Shoe ' || n, n, '2026-01-01 00:00Z'::timestamptz + n * interval '1 minute' FROM generate_series(1, 12000) n});

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

# A directory of a web server, as this user, with another site in the table
my $folder = PostgreSQL::Test::Utils::tempdir();
my $errors;
$node->safe_psql('postgres', q{INSERT INTO site_files SELECT 'https://other.example/', section, name, kind, loc, lastmod, url_count, byte_count, digest, NULL, NULL, NULL, '<x/>' FROM site_files WHERE kind = 'index'});
$export =~ s{^}{cd "$tree" && PGHOST='@{[$node->host]}' PGPORT=@{[$node->port]} PGUSER=owner PGDATABASE=postgres examples/psql/export.sh };
$export =~ s{/var/www/sitemaps}{$folder/www};
ok(IPC::Run::run([ 'bash', '-c', $export ], '>', \my $output, '2>', \$errors), 'export.sh') or diag($errors);
is(slurp_file("$folder/www/sitemap.xml"), $node->safe_psql('postgres', q{SELECT convert_from(content, 'UTF8') FROM site_files WHERE kind = 'index' AND base_url ~ 'www'}), 'a directory has the files of its site');
$node->safe_psql('postgres', q{DELETE FROM site_files WHERE base_url ~ 'other'});

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
	my @modules = ('pg', $has_supabase ? 'supabase' : ());
	foreach my $module (@modules)
	{
		append_to_file("$folder/find-$module.mjs", slurp_file("$tree/examples/nextjs/find-$module.js"));
		append_to_file("$folder/$module.mjs", slurp_file("$tree/examples/nextjs/route.js") =~ s{find\.js'}{find-$module.mjs'}r);
	}
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

# Recipe: a section for each range of keys
sub pages
{
	my ($section) = @_;

	return $node->safe_psql('postgres', qq{SELECT coalesce(sum(url_count), 0) FROM site_files WHERE kind = 'urlset' AND section ~ '^$section\$'});
}
sub publish_ranges { my ($since) = @_; return $node->safe_psql('postgres', "SET ROLE owner; SELECT string_agg(name || ' ' || action, ', ' ORDER BY name, action) FROM site.publish_products($since)") }
$node->safe_psql('postgres', 'SET ROLE owner; INSERT INTO product SELECT n, ($$boot-$$ || n), $$Boot$$, n, $$2026-01-01$$ FROM generate_series(30001, 50000) n');
is(run_as('owner', $site_schema, $ranges), '', 'recipe: ranges of keys');
my ($all_ranges) = $document =~ /`(SELECT \* FROM site\.publish_products\('-infinity'\))`/;
like(run_as('owner', $all_ranges), qr/products-0-1\.xml .* inserted.*products-2-1\.xml .* inserted/s, 'all ranges');
like(run_as('owner', $empty), qr/ sitemap-1\.xml .* deleted /, 'and no other section');
is(join(' ', map { pages($_) } 'products-0', 'products-1', 'products-2', '.*'), '12000 9999 10001 32000', 'each page is in the section of its range');
is(publish_ranges(q{'2026-06-01'}), '', 'nothing changed');
$node->safe_psql('postgres', 'UPDATE product SET updated_at = now() WHERE id IN (30001, 30002)');
is(publish_ranges(q{now() - interval '1 hour'}), 'products-1-1.xml updated, sitemap.xml updated', 'two rows of a range changed');
$node->safe_psql('postgres', q{UPDATE product SET updated_at = '2026-01-02' WHERE id > 30000; DELETE FROM product WHERE id = 17});
is(publish_ranges(q{now() - interval '1 hour'}), 'products-0-1.xml updated, sitemap.xml updated', 'a row was deleted');
$node->safe_psql('postgres', 'DELETE FROM product WHERE id BETWEEN 20000 AND 39999');
is(publish_ranges(q{now() - interval '1 hour'}), 'products-1-1.xml deleted, sitemap.xml updated', 'a range was emptied');
$node->safe_psql('postgres', 'ALTER TABLE product DISABLE TRIGGER note_gone; DELETE FROM product WHERE id >= 40000; ALTER TABLE product ENABLE TRIGGER note_gone');
is(publish_ranges(q{now() - interval '1 hour'}), '', 'a range was emptied unseen');
like(publish_ranges(q{'-infinity'}), qr/products-2-1\.xml deleted/, 'which the nightly run finds');
is(pages('.*'), '11999', 'all pages are listed');

# Recipe: a true lastmod, and what changed.  Two products can have one URL, or a product none.
$node->safe_psql('postgres', q{DROP TRIGGER note_gone ON product; DELETE FROM site_files WHERE section ~ '^products'});
like(run_as('owner', $publish), qr/inserted/, 'the section of step 2 again');
$node->safe_psql('postgres', q{INSERT INTO product VALUES (60001, 'twin', 'A', NULL), (60002, 'twin', 'B', NULL), (60003, NULL, 'x', NULL), (60004, 'null', '1', NULL)});
is(run_as('owner', $pages), '', 'recipe: pages');
is(run_as('owner', 'CALL site.refresh_pages()'), '', 'a first call');
$node->safe_psql('postgres', q{DELETE FROM product WHERE slug IS NULL});
like(run_as('owner', $empty), qr/sitemap-1\.xml .* deleted /, 'the other section is empty');
is(pages('.*'), pages('pages'), 'each page is listed once');
is($node->safe_psql('postgres', q{SELECT count(*) FROM site.page WHERE loc ~ 'twin'}), '1', 'two products with one URL are a page');
$node->safe_psql('postgres', q{DELETE FROM product WHERE slug = 'twin'; UPDATE product SET title = NULL, price = 1 WHERE slug = 'null'});
is(run_as('owner', 'CALL site.refresh_pages()') . $node->safe_psql('postgres', q{SELECT string_agg(loc, ' ' ORDER BY loc) FROM site.page_change}), '/products/null /products/twin', 'a page is gone, and a value has moved to another column');
$node->safe_psql('postgres', q{DELETE FROM product WHERE slug = 'null'});
is(run_as('owner', 'CALL site.refresh_pages()'), '', 'another page is gone');
$node->safe_psql('postgres', 'DELETE FROM site.page_change');
my $state = q{SELECT (SELECT string_agg(loc, ' ' ORDER BY loc) FROM site.page_change), count(*), count(lastmod), (SELECT sum(url_count) FROM site_files WHERE section = 'pages') FROM site.page};
is(run_as('owner', 'CALL site.refresh_pages()') . $node->safe_psql('postgres', $state), '|11999|0|11999', 'the first call: no lastmod, no change');
$node->safe_psql('postgres', q{UPDATE product SET updated_at = now(); UPDATE product SET price = 1000 WHERE id = 13; DELETE FROM product WHERE id = 14; INSERT INTO product VALUES (12001, 'é')});
is(run_as('owner', 'CALL site.refresh_pages()') . $node->safe_psql('postgres', $state), '/products/%C3%A9 /products/shoe-13 /products/shoe-14|11999|2|11999', 'a page changed, one is new, and one is gone');
is($node->safe_psql('postgres', q{SELECT count(*) FROM site_files, regexp_matches(convert_from(content, 'UTF8'), '<loc>[^<]*</loc><lastmod>' || to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD'), 'g') WHERE section = 'pages' AND kind = 'urlset'}), '2', 'the files have their time');
like(run_as('owner', $body), qr{"urlList": \["https://www\.example\.com/products/%C3%A9", "https://www\.example\.com/products/shoe-13", "https://www\.example\.com/products/shoe-14"\]}, 'the body for IndexNow');
is(run_as('owner', $body) =~ /\(0 rows\)/ ? 'none' : 'some', 'none', 'and nothing is left');
$node->safe_psql('postgres', 'CREATE TABLE saved AS TABLE product; DELETE FROM product WHERE id > 6000');
like(run_as('owner', 'CALL site.refresh_pages()'), qr/section "pages" would shrink from 11999 to \d+ URLs/, 'a deliberate mistake is refused');
is($node->safe_psql('postgres', $state), '|11999|2|11999', 'and undone, the changes too');
$node->safe_psql('postgres', 'INSERT INTO product SELECT * FROM saved WHERE id > 6000; DROP TABLE saved');
is(run_as('owner', 'CALL site.refresh_pages()') . $node->safe_psql('postgres', $state), '|11999|2|11999', 'the rows are back');
$node->safe_psql('postgres', q{DROP VIEW site.page_now CASCADE; DELETE FROM site_files WHERE section <> 'sitemap'});
like(run_as('owner', $publish), qr/inserted/, 'back to one section');

# The shop moves to a server of its own.
is(run_as('owner', 'DELETE FROM product WHERE id > 11990'), '', 'some products less');
$node->safe_psql('postgres', 'ALTER DATABASE postgres OWNER TO owner; GRANT ALL ON SCHEMA public TO owner');
my ($recreate, $drop) = $move =~ /(.*?)(^BEGIN;.*)/ms;
$node->safe_psql('postgres', 'CREATE VIEW public.other_page AS SELECT sitemap.sitemap_encode(slug) FROM product; CREATE INDEX slugs ON product (sitemap.sitemap_encode(slug));
	CREATE TABLE public.old_files OF sitemap.sitemap_file; INSERT INTO public.old_files SELECT * FROM public.site_files; CREATE SEQUENCE sitemap.counter;
	CREATE FUNCTION public.old_file() RETURNS sitemap.sitemap_file LANGUAGE sql BEGIN ATOMIC SELECT * FROM public.old_files LIMIT 1; END;
	ALTER TABLE public.old_files OWNER TO owner; ALTER FUNCTION public.old_file OWNER TO owner; ALTER SEQUENCE sitemap.counter OWNER TO owner');
is(run_as('owner', $recreate), '', 'move to the extension, as the owner of the database');
my $dependent = run_as('owner', $drop);
like($dependent, qr/ERROR:  cannot drop .* other objects depend on/, 'what still uses the earlier functions is an error');
like($dependent, qr/^(DETAIL:  )?\Q$_\E depends on /m, "which lists the $_") foreach 'view other_page', 'index slugs';
$node->safe_psql('postgres', 'DROP VIEW public.other_page; DROP INDEX slugs');
$dependent = run_as('owner', $drop);
like($dependent, qr/^(DETAIL:  )?\Q$_\E depends on type sitemap_sql\.sitemap_file/m, "then the $_, of the type") foreach 'table old_files', 'function old_file()';
is(run_as('owner', 'ALTER TABLE public.old_files NOT OF; DROP FUNCTION public.old_file'), '', 'each is moved');
like(run_as('owner', $drop), qr/sequence sitemap_sql\.counter depends on schema sitemap_sql/, 'then what else the schema has');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_proc WHERE pronamespace = 'sitemap_sql'::regnamespace AND proname = 'sitemap_files'}), '1', 'and nothing is dropped');
is(run_as('owner', 'DROP SEQUENCE sitemap_sql.counter', $drop), '', 'now they are dropped');
is($node->safe_psql('postgres', q{SELECT (SELECT count(*) FROM public.old_files) = (SELECT count(*) FROM public.site_files), to_regnamespace('sitemap_sql') IS NULL}), 't|t', 'and another table has its rows');
$node->safe_psql('postgres', q{DELETE FROM site_files WHERE section ~ '^products'});
like(run_as('owner', $all_ranges), qr/products-0-[0-9a-f]+\.xml\.gz .* inserted/s, "recipe 1's function works with the extension");
$node->safe_psql('postgres', q{DELETE FROM site_files WHERE section ~ '^products'; DROP SCHEMA site CASCADE});
like(run_as('owner', $publish), qr/sitemap-51d8e999\.xml\.gz .* inserted .*sitemap-1\.xml .* deleted .*sitemap\.xml .* updated /s, 'the same call');

# The second server is another database here.
$node->safe_psql('postgres', q{
	CREATE ROLE sitemap_reader LOGIN;
	CREATE VIEW sitemap_source AS SELECT id, '/p/' || id AS loc, updated_at AS lastmod FROM product;
	GRANT SELECT ON sitemap_source TO sitemap_reader;
	UPDATE product SET updated_at = now() WHERE id = 7;
	CREATE DATABASE second});
my ($host, $port) = ($node->host, $node->port);
$foreign =~ s/host 'db\.example\.com', dbname 'shop', sslmode 'verify-full', sslrootcert '[^']*'/host '$host', port '$port', dbname 'postgres'/;
is($node->psql('second', $foreign, stderr => \$errors, on_error_stop => 1), 0, 'a second server') or diag($errors);
is($node->safe_psql('second', q{SELECT sum(url_count) FROM site_files WHERE kind = 'urlset'}), '11988', 'has all pages');
$node->safe_psql('second', q{UPDATE site_files SET lastmod = lastmod - interval '1 day'});
$node->safe_psql('postgres', q{UPDATE product SET updated_at = now() - interval '20 hours' WHERE id = 8});
like($node->safe_psql('second', $foreign =~ s/.*(?=^SELECT FROM sitemap_publish)//smr =~ s/^SELECT FROM/SELECT * FROM/r),
	qr/^\S+-[0-9a-f]+\.xml\.gz\|urlset\|updated\|/m, 'and what changed since its last run, however long ago');

$node->stop;
done_testing();
