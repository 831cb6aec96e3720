// Serves the files of a target in Next.js, as app/sitemaps/[name]/route.js.  The function find is in
// find-pg.js or find-supabase.js: copy one of them to find.js beside this file.
import { find } from './find.js';

export async function GET(request, { params }) {
  const { name } = await params;
  let file = await find(name, 'digest, lastmod');
  const isCached = file && request.headers.get('if-none-match')?.includes(file.digest);
  if (file && !isCached) file = await find(name, 'digest, lastmod, content');
  if (!file) return new Response('Not found', { status: 404 });
  const headers = {
    'Content-Type': 'application/xml',
    ...(name.endsWith('.gz') && { 'Content-Encoding': 'gzip' }),
    'Cache-Control': 'public, max-age=600',
    'ETag': `"${file.digest}"`,
    'Last-Modified': new Date(file.lastmod).toUTCString(),
  };
  return isCached ? new Response(null, { status: 304, headers }) : new Response(file.content, { headers });
}
