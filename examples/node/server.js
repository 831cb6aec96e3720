// Serves a table of sitemap files over HTTP, each at the path of its loc, and a
// robots.txt that tells crawlers where to begin.
'use strict';

const http = require('node:http');
const { Pool } = require('pg');

const { PORT = '8080', SITEMAP_TABLE = 'site_files' } = process.env;

// An index may name files that a newer set no longer has, so no cache keeps it
// for long; but most requests need not come here.
const CACHE = { 'Cache-Control': 'max-age=600' };

// A name cannot be a parameter of a statement.  Quoted, it cannot be anything else.
const table = SITEMAP_TABLE.split('.').map((part) => `"${part.replaceAll('"', '""')}"`).join('.');

// What the header lines take.  octet_length() does not read the content, and
// to_char() writes days and months in English whatever the locale.
const columns = `kind, loc, '"' || digest || '"' AS etag, octet_length(content) AS length,
       to_char(lastmod AT TIME ZONE 'UTC', 'Dy, DD Mon YYYY HH24:MI:SS "GMT"') AS last_modified`;

// PGHOST, PGDATABASE and so on say where the database is.
const pool = new Pool({ connectionTimeoutMillis: 5000 });

// When the database stops, idle connections break.  Unheard, that would end the program.
pool.on('error', (error) => console.error(error.stack));

// A loc and what a client asks for are both percent-encoded, and compared as they are.
const pathOf = (url) => url.replace(/^\w+:\/\/[^/]*/, '').split('?')[0];

async function findFile(path, moreColumns = '') {
  // The characters that names of sitemap files have.  No other text gets to the database.
  const name = /\/([\w.~-]+)$/.exec(path)?.[1];
  if (name === undefined) return undefined;

  const statement = `SELECT ${columns}${moreColumns} FROM ${table} WHERE name = $1`;
  const { rows } = await pool.query(statement, [name]);
  return rows.find(({ loc }) => pathOf(loc) === path);
}

// Has the client this version?  Dates count only where it sends no ETags.
function isCurrent(file, headers) {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.trim() === '*' || (tags.match(/"[^"]*"/g) ?? []).includes(file.etag);
  }

  // What is no date is NaN, which is not >= anything; without GMT it would be local time.
  const since = headers['if-modified-since'] ?? '';
  return since.endsWith(' GMT') && Date.parse(since) >= Date.parse(file.last_modified);
}

function text(status, body, headers) {
  return {
    status,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      ...headers,
    },
    body,
  };
}

const message = (status, headers) => text(status, `${http.STATUS_CODES[status]}\n`, headers);

// An index stands for all of its files.
async function robots() {
  const { rows } = await pool.query(`
    SELECT loc
      FROM ${table}
     WHERE kind = 'index' OR NOT EXISTS (SELECT FROM ${table} WHERE kind = 'index')
     ORDER BY name`);
  const sitemaps = rows.map(({ loc }) => `Sitemap: ${loc}\n`).join('');
  return text(200, `User-agent: *\nDisallow:\n\n${sitemaps}`, CACHE);
}

async function respond({ method, url, headers }) {
  if (method !== 'GET' && method !== 'HEAD') return message(405, { Allow: 'GET, HEAD' });

  const path = pathOf(url);
  if (path === '/robots.txt') return robots();

  let file = await findFile(path);
  if (file && isCurrent(file, headers)) {
    return { status: 304, headers: { ETag: file.etag, ...CACHE } };
  }

  // By now there may be another version: the content comes with header lines of its own.
  if (file && method === 'GET') file = await findFile(path, ', content');
  if (!file) return message(404);

  return {
    status: 200,
    headers: {
      'Content-Type': file.kind === 'text' ? 'text/plain; charset=utf-8' : 'application/xml',
      ...(path.endsWith('.gz') && { 'Content-Encoding': 'gzip' }),
      'Content-Length': file.length,
      ETag: file.etag,
      ...(file.last_modified && { 'Last-Modified': file.last_modified }),
      ...CACHE,
    },
    body: file.content,
  };
}

const server = http.createServer(async (request, response) => {
  // Without the database this is not the end: crawlers come back after a 503.
  const { status, headers, body } = await respond(request).catch((error) => {
    console.error(error.stack);
    return message(503, { 'Retry-After': '60' });
  });
  // A response that has ended counts as idle even if its body is still on the way, so
  // it ends after that.  For a HEAD the body is left out.
  response.writeHead(status, headers).write(body ?? '', () => response.end());
});

// Finish what is under way, but wait no longer than ten seconds for a slow client.
function stop() {
  server.close(() => pool.end());
  server.closeIdleConnections();
  setTimeout(() => server.closeAllConnections(), 10_000).unref();
}
process.once('SIGINT', stop);
process.once('SIGTERM', stop);

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/`);
});
