# The handler for Express in examples/express, in an application that has other pages as well.
use strict;
use warnings;

use FindBin;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $timeout = $PostgreSQL::Test::Utils::timeout_default;

plan skip_all => 'node or one of its packages express and pg is not here'
  unless eval { IPC::Run::run([ 'node', '-e', q{require('express'); require('pg')} ], '<', \undef, '>', \my $stdout, '2>&1') };

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->append_conf('postgresql.conf', "log_statement = 'all'\n");
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sitemap;
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
	SELECT sitemap_publish('site_files', 'SELECT ''/'' || n AS loc FROM generate_series(1, 3) n ORDER BY n', 'https://www.example.com/maps/', scope => 'any');
	UPDATE site_files SET lastmod = '2026-03-01 09:55+00';
	INSERT INTO site_files SELECT * FROM sitemap_files('SELECT ''/'' AS loc', 'https://www.example.com/maps/', section => 'plain', format => 'txt');
	INSERT INTO site_files (base_url, section, name, kind, loc)
	VALUES ('https://www.example.com/maps/', 'blog', 'blog.xml', 'urlset', 'https://www.example.com/maps/blog.xml')});
my ($part, $index, $text) = map {
	[ split /\|/, $node->safe_psql('postgres', "SELECT digest, byte_count, length(content) FROM site_files WHERE name = '$_'") ]
} 'sitemap-51d8e999.xml.gz', 'sitemap.xml', 'plain.txt';
my ($etag, $size, $gzip_size) = @$part;
local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => 'postgres', PGUSER => scalar getpwuid($<));

# Express 4 and 5, whichever is here.  A line for each request: its status, the headers in
# question, and the end of its body.
my $program = q{
const http = require('node:http');
const { gunzipSync } = require('node:zlib');
const express = require('express');
const { Pool } = require('pg');
const sitemap = require(process.argv[1]);

const pool = new Pool();
const app = express();
app.disable('etag');
app.use((request, response, next) => { response.vary('Cookie'); next(); });
app.use('/maps', sitemap(pool, 'https://www.example.com/maps/'));
app.use('/broken', sitemap(pool, 'https://www.example.com/maps/', 'no_such_table'));
app.use((request, response) => response.status(404).type('txt').send('not here'));
app.use((error, request, response, next) => response.status(500).type('txt').send(error.message));

const server = app.listen(0, '127.0.0.1', async () => {
  const get = (name, method, path, headers = {}) => new Promise((resolve, reject) => {
    http.request({ port: server.address().port, host: '127.0.0.1', method, path, headers }, (response) => {
      const pieces = [];
      response.on('data', (piece) => pieces.push(piece));
      response.on('end', () => {
        const h = response.headers;
        const bytes = Buffer.concat(pieces);
        const body = h['content-encoding'] === 'gzip' && bytes.length ? gunzipSync(bytes) : bytes;
        console.log([name, response.statusCode, h['content-type'], h['content-encoding'], h['content-length'], h.etag, h['last-modified'],
                     h.vary, h['cache-control'], h['x-robots-tag'], body.toString().trim().slice(-9)].join('|'));
        resolve();
      });
    }).on('error', reject).end();
  });
  const part = '/maps/sitemap-51d8e999.xml.gz';
  const etag = `"${process.argv[2]}"`;

  await get('not modified', 'GET', part, { 'If-None-Match': etag, 'Accept-Encoding': 'gzip' });
  await get('not modified, no gzip', 'GET', part, { 'If-None-Match': etag });
  await get('not modified since', 'GET', part, { 'If-Modified-Since': 'Sun, 01 Mar 2026 09:55:00 GMT' });
  await get('head', 'HEAD', part, { 'Accept-Encoding': 'gzip' });
  await get('head, no gzip', 'HEAD', part);
  await pool.query('SELECT 1 AS mark');
  await get('index', 'GET', '/maps/sitemap.xml');
  await get('part', 'GET', part, { 'Accept-Encoding': 'br, gzip' });
  await get('part, no gzip', 'GET', part, { 'Accept-Encoding': 'gzip;q=0' });
  await get('other version', 'GET', part, { 'If-None-Match': '"0"', 'Accept-Encoding': 'gzip' });
  await get('older', 'HEAD', part, { 'If-Modified-Since': 'Sun, 01 Mar 2026 09:54:59 GMT', 'Accept-Encoding': 'gzip' });
  await get('text', 'GET', '/maps/plain.txt');
  await get('no file', 'GET', '/maps/other.xml');
  await get('of another program', 'GET', '/maps/blog.xml');
  await get('other path', 'GET', '/maps/a/sitemap.xml');
  await get('post', 'POST', '/maps/sitemap.xml');
  await get('quotes', 'GET', "/maps/x'--.xml");
  await get('error', 'GET', '/broken/sitemap.xml');
  server.close();
  await pool.end();
});
};
my $log_size = -s $node->logfile;
my ($output, $errors);
IPC::Run::run([ 'node', '-e', $program, "$FindBin::RealBin/../../examples/express/sitemap.js", $etag ],
	'<', \undef, '>', \$output, '2>', \$errors, IPC::Run::timeout($timeout))
  or diag($errors);
my %answers = map { my ($name, @values) = split /\|/, $_, -1; ($name => join '|', @values) } split /\n/, $output;

my $date = 'Sun, 01 Mar 2026 09:55:00 GMT';
my $common = "$date|Cookie, Accept-Encoding|public, max-age=600|noindex";
my $not_here = '404|text/plain; charset=utf-8||8|||Cookie|||not here';
my %expected = (
	'not modified' => "304||||\"$etag\"|$common|",
	'not modified, no gzip' => "304||||W/\"$etag\"|$common|",
	'not modified since' => "304||||W/\"$etag\"|$common|",
	'head' => "200|application/xml|gzip|$gzip_size|\"$etag\"|$common|",
	'head, no gzip' => "200|application/xml||$size|W/\"$etag\"|$common|",
	'index' => "200|application/xml||$index->[1]|\"$index->[0]\"|$date|Cookie|public, max-age=600|noindex|mapindex>",
	'part' => "200|application/xml|gzip|$gzip_size|\"$etag\"|$common|</urlset>",
	'part, no gzip' => "200|application/xml||$size|W/\"$etag\"|$common|</urlset>",
	'other version' => "200|application/xml|gzip|$gzip_size|\"$etag\"|$common|</urlset>",
	'older' => "200|application/xml|gzip|$gzip_size|\"$etag\"|$common|",
	'text' => "200|text/plain; charset=utf-8||$text->[1]|\"$text->[0]\"||Cookie|public, max-age=600|noindex|mple.com/",
	(map { $_ => $not_here } 'no file', 'of another program', 'other path', 'post', 'quotes'),
	'error' => '500|text/plain; charset=utf-8||39|||Cookie|||not exist',);

is_deeply([ sort keys %answers ], [ sort keys %expected ], 'each request has an answer');
is($answers{$_}, $expected{$_}, $_) foreach sort keys %expected;

# Of 304 and HEAD, no statement has read the content.
my ($before, $after) = split /AS mark/, slurp_file($node->logfile, $log_size), 2;
like($before, qr/octet_length\(content\)/, 'the statements are in the log');
unlike($before, qr/lastmod, content/, 'a 304 and a HEAD read no content');
like($after, qr/lastmod, content/, 'a GET does');

$node->stop;
done_testing();
