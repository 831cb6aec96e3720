// The sitemap of the table page with sitemap.js.
import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import QueryStream from 'pg-query-stream';
import { SitemapAndIndexStream, SitemapStream } from 'sitemap';

const dir = process.argv[2];
const client = new pg.Client();
await client.connect();
const written = [];
const sitemaps = new SitemapAndIndexStream({
	limit: 50000,
	getSitemapStream: (i) => {
		const name = `sitemap-${i + 1}.xml.gz`;
		const stream = new SitemapStream({ hostname: 'https://www.example.com/' });
		const file = stream.pipe(createGzip({ level: 6 })).pipe(createWriteStream(`${dir}/${name}`));
		written.push(new Promise((resolve, reject) => file.on('finish', resolve).on('error', reject)));
		return [`https://www.example.com/${name}`, stream, file];
	}
});
const asItem = new Transform({
	objectMode: true,
	transform: (row, _, done) =>
		done(null, { url: row.loc, lastmod: row.lastmod.toISOString(), changefreq: row.changefreq, priority: row.priority })
});
await pipeline(client.query(new QueryStream('SELECT loc, lastmod, changefreq, priority FROM page', [], { batchSize: 1000 })),
	asItem, sitemaps, createGzip({ level: 6 }), createWriteStream(`${dir}/sitemap.xml.gz`));
await Promise.all(written);
await client.end();
