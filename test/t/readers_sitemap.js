// Reads the set of a directory with the parsers of the npm package sitemap: a line of
// JSON for each entry.  The sitemaps are those that the index lists, in its order.
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');
const { parseSitemapIndex, XMLToSitemapItemStream } = require('sitemap');

const directory = process.argv[2];

(async () => {
	for (const { url } of await parseSitemapIndex(fs.createReadStream(path.join(directory, 'sitemap.xml')))) {
		const name = url.slice(url.lastIndexOf('/') + 1);
		const file = fs.createReadStream(path.join(directory, name));
		const document = name.endsWith('.gz') ? file.pipe(zlib.createGunzip()) : file;
		let lines = '';

		for await (const item of document.pipe(new XMLToSitemapItemStream({ logger: false }))) {
			lines += JSON.stringify(item) + '\n';
		}
		await new Promise((done) => process.stdout.write(lines, done));
	}
})();
