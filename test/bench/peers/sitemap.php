<?php
// The sitemap of the table page with PHP's XMLWriter.
$db = pg_connect('');
$pages = pg_query($db, 'DECLARE pages CURSOR WITH HOLD FOR SELECT loc, lastmod AT TIME ZONE \'UTC\' AS lastmod, changefreq, priority FROM page');

function write(string $name, string $root, string $element, iterable $entries): void
{
	global $argv;
	$file = gzopen("$argv[1]/$name", 'wb6');
	$xml = new XMLWriter();
	$xml->openMemory();
	$xml->startDocument('1.0', 'UTF-8');
	$xml->startElementNs(null, $root, 'http://www.sitemaps.org/schemas/sitemap/0.9');
	foreach ($entries as $entry) {
		$xml->startElement($element);
		foreach ($entry as $tag => $value) {
			$xml->writeElement($tag, $value);
		}
		$xml->endElement();
		if (strlen($chunk = $xml->flush()) > 0) {
			gzwrite($file, $chunk);
		}
	}
	$xml->endElement();
	gzwrite($file, $xml->flush());
	gzclose($file);
}

for ($n = 0; $rows = pg_fetch_all(pg_query($db, 'FETCH 50000 FROM pages')); ) {
	write('sitemap-' . ++$n . '.xml.gz', 'urlset', 'url', (function () use ($rows) {
		foreach ($rows as $row) {
			$row['lastmod'] = str_replace(' ', 'T', $row['lastmod']) . 'Z';
			$row['priority'] = sprintf('%.1F', $row['priority']);
			yield $row;
		}
	})());
}
write('sitemap.xml.gz', 'sitemapindex', 'sitemap', (function () use ($n) {
	for ($i = 1; $i <= $n; $i++) {
		yield ['loc' => "https://www.example.com/sitemap-$i.xml.gz"];
	}
})());
