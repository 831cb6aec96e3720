// A handler for Express 4 and 5 that serves the sitemap files of one base_url from a target.
// What it has no file for, it leaves to the application:
//
//	app.use(sitemap(new Pool(), 'https://www.example.com/'));
//
// A base_url with a directory, such as https://www.example.com/maps/, is mounted there:
// app.use('/maps', sitemap(...)).
'use strict';

const { promisify } = require('node:util');
const gunzip = promisify(require('node:zlib').gunzip);

// The database is a Pool of pg, the target is written as in SQL.
module.exports = (database, baseUrl, target = 'site_files') => {
  // Only a statement that names the column content reads it.
  async function read(name, columns) {
    const { rows } = await database.query(
      `SELECT kind, digest, lastmod, ${columns}
         FROM ${target}
        WHERE base_url = $1 AND name = $2 AND digest IS NOT NULL`,
      [baseUrl, name],
    );
    return rows[0];
  }

  async function serve(request, response, next) {
    // The characters that names of sitemap files have.
    const [, name] = /^\/([\w.~-]+)$/.exec(request.path) ?? [];
    if (name === undefined || !['GET', 'HEAD'].includes(request.method)) return next();

    let file = await read(name, 'byte_count, octet_length(content) AS length');
    if (!file) return next();

    const isGzip = name.endsWith('.gz');
    const inflate = isGzip && !request.acceptsEncodings('gzip');
    const version = () => ({
      ETag: `${inflate ? 'W/' : ''}"${file.digest}"`,
      ...(file.lastmod && { 'Last-Modified': file.lastmod.toUTCString() }),
    });
    const common = {
      // An index may list files that a newer set no longer has: caches keep it for a short time.
      'Cache-Control': 'public, max-age=600',
      // A sitemap is for crawlers, and no page to find.
      'X-Robots-Tag': 'noindex',
    };
    if (isGzip) response.vary('Accept-Encoding');

    // request.fresh compares these with what the client has.
    response.set(version());
    if (request.fresh) return response.set(common).status(304).end();

    // Read the version again, with the content: the file may have changed meanwhile.
    if (request.method === 'GET') file = await read(name, 'content');
    if (!file) {
      response.removeHeader('ETag');
      response.removeHeader('Last-Modified');
      return next();
    }

    const content = file.content && (inflate ? await gunzip(file.content) : file.content);
    return response.set({
      ...common,
      ...version(),
      'Content-Type': file.kind === 'text' ? 'text/plain; charset=utf-8' : 'application/xml',
      'Content-Length': content?.length ?? (inflate ? file.byte_count : file.length),
      ...(isGzip && !inflate && { 'Content-Encoding': 'gzip' }),
    }).end(content);
  }

  // Express 4 does not wait for a handler, and would not see its errors.
  return (request, response, next) => serve(request, response, next).catch(next);
};
