// Serves the files of a target over HTTP: as a program,
//
//	PGDATABASE=shop PORT=8080 node examples/node/sitemap.js
//
// or as a handler for Express, Connect or node:http, which calls next() for a request that
// the target has no file for:
//
//	app.use(sitemap(new Pool(), { baseUrl: 'https://www.example.com/' }));
//
// Mount a base URL with a directory there: app.use('/maps', sitemap(...)).  Without
// baseUrl, the base URL is https:// or http:// with the host and directory of the request,
// so one handler serves all sites of a target.
'use strict';

const http = require('node:http');
const { promisify } = require('node:util');
const gunzip = promisify(require('node:zlib').gunzip);

// Does the client take gzip?
function takesGzip({ 'accept-encoding': codings = '' }) {
  const taken = new Map(codings.toLowerCase().split(',').map((coding) => {
    const [name, weight = ''] = coding.split(';').map((part) => part.trim());
    return [name, !/^q=0(\.0*)?$/.test(weight)];
  }));
  return taken.get('gzip') ?? taken.get('*') ?? false;
}

// Does the client have this version?  Its date counts only if it sends no ETag.
function isCurrent({ digest, last_modified: lastModified }, headers) {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.trim() === '*' || (tags.match(/"[^"]*"/g) ?? []).includes(`"${digest}"`);
  }

  // An invalid date is NaN, which is not >= anything.  A date without GMT would be local time.
  const since = headers['if-modified-since'] ?? '';
  return since.endsWith(' GMT') && Date.parse(since) >= Date.parse(lastModified);
}

// The base URLs that a request can mean, and the name of the file.  No other names reach the
// database.
function locate(request, baseUrl) {
  const path = ((baseUrl ? undefined : request.originalUrl) ?? request.url).split('?')[0];
  const [, directory, name] = /^(.*\/)([\w.~-]+\.(?:xml|txt)(?:\.gz)?)$/.exec(path) ?? [];
  if (baseUrl) return directory === '/' ? [[baseUrl], name] : [];
  const host = (request.headers.host ?? '').toLowerCase();
  return [[`https://${host}${directory}`, `http://${host}${directory}`], name];
}

// database: a Pool of pg; target: its name as written in SQL.
function sitemap(database, { baseUrl, target = 'site_files' } = {}) {
  // Only a statement that names the column content reads it.  to_char writes the date as
  // HTTP wants it, whatever the settings.
  async function read(baseUrls, name, columns) {
    const { rows } = await database.query(
      `SELECT kind, digest, ${columns},
              to_char(lastmod AT TIME ZONE 'UTC', 'Dy, DD Mon YYYY HH24:MI:SS "GMT"') AS last_modified
         FROM ${target}
        WHERE base_url = ANY ($1) AND name = $2 AND digest IS NOT NULL`,
      [baseUrls, name],
    );
    return rows[0];
  }

  async function serve(request, response, next) {
    const [baseUrls, name] = locate(request, baseUrl);
    if (name === undefined || !['GET', 'HEAD'].includes(request.method)) return next();

    let file = await read(baseUrls, name, 'byte_count, octet_length(content) AS length');
    if (!file) return next();

    const current = isCurrent(file, request.headers);
    // Read the version again, with the content: the file may have changed meanwhile.
    if (!current && request.method === 'GET') file = await read(baseUrls, name, 'content');
    if (!file) return next();

    const isGzip = name.endsWith('.gz');
    const inflate = isGzip && !takesGzip(request.headers);
    const headers = {
      ETag: `${inflate ? 'W/' : ''}"${file.digest}"`,
      ...(file.last_modified && { 'Last-Modified': file.last_modified }),
      // An index may list files that a newer set no longer has: caches keep it for a short time.
      'Cache-Control': 'public, max-age=600',
      // Search results should not list sitemaps.
      'X-Robots-Tag': 'noindex',
    };
    if (isGzip) response.setHeader('Vary', [].concat(response.getHeader('Vary') ?? [], 'Accept-Encoding').join(', '));
    if (current) return response.writeHead(304, headers).end();

    const content = file.content && (inflate ? await gunzip(file.content) : file.content);
    return response.writeHead(200, {
      ...headers,
      'Content-Type': file.kind === 'text' ? 'text/plain; charset=utf-8' : 'application/xml',
      'Content-Length': content?.length ?? (inflate ? file.byte_count : file.length),
      ...(isGzip && !inflate && { 'Content-Encoding': 'gzip' }),
    }).end(content);
  }

  // Express 4 does not wait for a handler, and would not see its errors.
  return (request, response, next) => serve(request, response, next).catch(next);
}

module.exports = sitemap;

if (require.main === module) {
  const { Pool } = require('pg');
  const pool = new Pool({ connectionTimeoutMillis: 5000 });
  // An idle connection breaks when the database stops.  That must not end the program.
  pool.on('error', (error) => console.error(error.message));

  const handler = sitemap(pool, { target: process.env.SITEMAP_TABLE });
  const server = http.createServer((request, response) => handler(request, response, (error) => {
    // Crawlers come back after a 503.
    if (error) response.writeHead(503, { 'Retry-After': '60' });
    else if (['GET', 'HEAD'].includes(request.method)) response.writeHead(404);
    else response.writeHead(405, { Allow: 'GET, HEAD' });
    response.end();
    if (error) console.error(error.message);
  }));

  process.once('SIGTERM', () => server.close(() => pool.end()));
  server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${server.address().port}/`);
  });
}
