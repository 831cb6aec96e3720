// Serves a table of sitemap files over HTTP, each at its base_url and name,
// and a robots.txt that tells crawlers where to begin.
'use strict';

const http = require('node:http');
const { pipeline } = require('node:stream');
const { createGunzip } = require('node:zlib');
const { Pool } = require('pg');

const { PORT = '8080', SITEMAP_TABLE = 'site_files' } = process.env;

// The most bytes of a file in memory at a time.
const CHUNK = 1024 * 1024;

// An index may name files that a newer set no longer has, so caches keep it for a
// short time only; but most requests need not come here.
const CACHE = { 'Cache-Control': 'max-age=600' };

// The name of a table cannot be a parameter.  The quotes make sure that it is a name.
const table = SITEMAP_TABLE.split('.').map((part) => `"${part.replaceAll('"', '""')}"`).join('.');

// Read what the header lines need, and a piece of the content.  octet_length() does not
// read the content, and to_char() writes days and months in English whatever the locale.
const FILE = `
    SELECT kind, digest, byte_count, octet_length(content) AS length,
           to_char(lastmod AT TIME ZONE 'UTC', 'Dy, DD Mon YYYY HH24:MI:SS "GMT"') AS last_modified,
           substring(content FROM $3 FOR $4) AS piece
      FROM ${table}
     WHERE base_url = ANY ($2) AND name = $1 AND digest IS NOT NULL`;

// Name the index of a host, or if there is none all its files.
const ROBOTS = `
    WITH file AS (SELECT kind, name, loc
                    FROM ${table}
                   WHERE starts_with(base_url, $1) OR starts_with(base_url, $2))
    SELECT loc
      FROM file
     WHERE kind = 'index' OR NOT EXISTS (SELECT FROM file WHERE kind = 'index')
     ORDER BY name, loc`;

// PGHOST, PGDATABASE and so on name the database.  bytea_output=escape, which a role
// may have set, is slow to read.
const pool = new Pool({ connectionTimeoutMillis: 5000, options: '-c bytea_output=hex' });

// When the database stops, idle connections break.  Without a listener, that error
// would end the program.
pool.on('error', (error) => console.error(error.stack));

// A proxy in front may speak https for us.  A base_url and what a client asks for are both
// percent-encoded, and compared as they are.
const urls = (host, path) => [`https://${host}${path}`, `http://${host}${path}`];

// The file, with so many bytes of its content from an offset on.
async function readFile({ host, path }, offset, length) {
  // The characters that names of sitemap files have.  No other text gets to the database.
  const [, directory, name] = /^(.*\/)([\w.~-]+)$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  return (await pool.query(FILE, [name, urls(host, directory), offset + 1, length])).rows[0];
}

// The whole content, in pieces.  No connection waits for a slow client, so the file
// can change meanwhile: then the response breaks off, and the client asks again.
async function* content(place, file) {
  yield file.piece;
  for (let offset = CHUNK; offset < file.length; offset += CHUNK) {
    const next = await readFile(place, offset, CHUNK);
    if (next?.digest !== file.digest) throw new Error(`${place.path} has changed`);
    yield next.piece;
  }
}

async function* inflated(pieces) {
  yield* pipeline(pieces, createGunzip(), () => {});
}

// Does the client take gzip?
function takesGzip({ 'accept-encoding': codings = '' }) {
  const weights = new Map(codings.toLowerCase().split(',').map((coding) => {
    const [name, weight = ''] = coding.split(';').map((part) => part.trim());
    return [name, !/^q=0(\.0*)?$/.test(weight)];
  }));
  return weights.get('gzip') ?? weights.get('*') ?? false;
}

// Does the client have this version?  Its date counts only if it sends no ETag.
function isCurrent(file, headers) {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.trim() === '*' || (tags.match(/"[^"]*"/g) ?? []).includes(`"${file.digest}"`);
  }

  // An invalid date is NaN, which is not >= anything.  A date without GMT would be local time.
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
    body: [body],
  };
}

const message = (status, headers) => text(status, `${http.STATUS_CODES[status]}\n`, headers);

async function robots(host) {
  const { rows } = await pool.query(ROBOTS, urls(host, '/'));
  const sitemaps = rows.map(({ loc }) => `Sitemap: ${loc}\n`).join('');
  return text(200, `User-agent: *\nDisallow:\n\n${sitemaps}`, CACHE);
}

async function respond({ method, url, headers }) {
  if (method !== 'GET' && method !== 'HEAD') return message(405, { Allow: 'GET, HEAD' });

  const place = {
    host: (headers.host ?? '').toLowerCase(),
    path: url.replace(/^\w+:\/\/[^/]*/, '').split('?')[0],
  };
  if (place.path === '/robots.txt') return robots(place.host);

  let file = await readFile(place, 0, 0);
  const isGzip = place.path.endsWith('.gz');
  const inflate = isGzip && !takesGzip(headers);
  // A sitemap is for crawlers, and no page to find.
  const common = { ...CACHE, 'X-Robots-Tag': 'noindex', ...(isGzip && { Vary: 'Accept-Encoding' }) };
  const etag = () => `${inflate ? 'W/' : ''}"${file.digest}"`;

  if (file && isCurrent(file, headers)) return { status: 304, headers: { ETag: etag(), ...common }, body: [] };

  // Read the header lines again, with the content: the file may have changed meanwhile.
  if (file && method === 'GET') file = await readFile(place, 0, CHUNK);
  if (!file) return message(404);

  const pieces = content(place, file);
  return {
    status: 200,
    headers: {
      'Content-Type': file.kind === 'text' ? 'text/plain; charset=utf-8' : 'application/xml',
      'Content-Length': inflate ? file.byte_count : file.length,
      ...(isGzip && !inflate && { 'Content-Encoding': 'gzip' }),
      ETag: etag(),
      ...(file.last_modified && { 'Last-Modified': file.last_modified }),
      ...common,
    },
    body: inflate ? inflated(pieces) : pieces,
  };
}

// Wait until a piece is sent before reading the next.  Wait for the last one, too: after
// response.end() the connection counts as idle, and stop() would close it.
async function send({ method }, response, { status, headers, body }) {
  response.writeHead(status, headers);
  if (method !== 'HEAD') {
    for await (const piece of body) {
      await new Promise((resolve, reject) => {
        response.write(piece, (error) => (error ? reject(error) : resolve()));
      });
    }
  }
  response.end();
}

const server = http.createServer(async (request, response) => {
  // If the database does not answer, go on: crawlers come back after a 503.
  const answer = await respond(request).catch((error) => {
    console.error(error.stack);
    return message(503, { 'Retry-After': '60' });
  });
  await send(request, response, answer).catch((error) => {
    console.error(error.stack);
    response.destroy();
  });
});

// Finish the requests under way, but wait at most ten seconds for a slow client.
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
