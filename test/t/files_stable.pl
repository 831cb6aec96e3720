# split => 'stable' at full size: a million rows, and what edits change.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Node;

my $node = start_node("shared_buffers = 256MB\nmax_parallel_workers_per_gather = 0\n");
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION sitemap;
	CREATE TABLE page AS
	SELECT n::float8 AS position, 'https://www.example.com/category-' || n % 100 || '/item-' || n AS loc,
	       timestamptz '2026-01-01 00:00:00Z' + n * interval '37 seconds' AS lastmod
	  FROM generate_series(1, 1000000) n;
	CREATE INDEX ON page (position);
	VACUUM ANALYZE page;

	-- The files with their places in the set.
	CREATE FUNCTION files(options text) RETURNS TABLE (place bigint, name text, digest text, url_count int, byte_count bigint)
	LANGUAGE plpgsql AS $$
	BEGIN
	  RETURN QUERY EXECUTE format(
	    'SELECT ordinality, name, digest, url_count, byte_count
	       FROM sitemap_files(%L, %L, split => ''stable'', index => ''never'' %s) WITH ORDINALITY',
	    'SELECT loc, lastmod FROM page ORDER BY position', 'https://www.example.com/', options);
	END
	$$;

	-- A row that comes, goes, or changes its lastmod or its loc; somewhere.
	CREATE PROCEDURE edit(number int) LANGUAGE plpgsql AS $$
	DECLARE
	  at float8 := (SELECT position FROM page WHERE position >= random() * 1000000 ORDER BY position LIMIT 1);
	BEGIN
	  CASE number % 4
	  WHEN 0 THEN DELETE FROM page WHERE position = at;
	  WHEN 1 THEN INSERT INTO page VALUES (at + 0.5, 'https://www.example.com/new-' || number, now());
	  WHEN 2 THEN UPDATE page SET lastmod = now() WHERE position = at;
	  ELSE UPDATE page SET loc = 'https://www.example.com/moved-' || number WHERE position = at;
	  END CASE;
	END
	$$;

	-- For each of so many edits, each by itself: the names that it makes, changes or removes.
	CREATE FUNCTION edits(number int, options text) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
	DECLARE
	  changed bigint;
	BEGIN
	  PERFORM setseed(0.25);
	  CREATE TEMP TABLE base ON COMMIT DROP AS SELECT * FROM files(options);
	  FOR i IN 1 .. number LOOP
	    BEGIN
	      CALL edit(i);
	      SELECT count(*) INTO changed
	        FROM base b FULL JOIN files(options) f USING (name)
	       WHERE b.digest IS DISTINCT FROM f.digest;
	      RAISE EXCEPTION 'undo';
	    EXCEPTION WHEN raise_exception THEN
	      RETURN NEXT changed;
	    END;
	  END LOOP;
	END
	$$});

# By URLs, and by bytes: 5 MB are some 40,000 URLs.
foreach my $limit ('50000 URLs', '5000000 bytes')
{
	my ($max, $what) = split / /, $limit;
	my $options = $what eq 'URLs' ? '' : ", max_bytes => $max";
	my $column = $what eq 'URLs' ? 'url_count' : 'byte_count';

	my ($files, $average, $least, $most) = split /\|/,
	  $node->safe_psql(
		'postgres', qq{
		SELECT count(*), avg($column), min($column) FILTER (WHERE NOT is_last), max($column)
		  FROM (SELECT *, lead(place) OVER (ORDER BY place) IS NULL AS is_last FROM files('$options')) f});
	note("$limit: $files files, $column $average on average");
	cmp_ok($average, '>=', 0.85 * $max, "$limit: files are 85% full on average");
	cmp_ok($least, '>=', 0.5 * $max, "$limit: all but the last are half full");
	cmp_ok($most, '<=', $max, "$limit: none is over the limit");

	my $edits = $what eq 'URLs' ? 40 : 10;
	($average, $most) = split /\|/,
	  $node->safe_psql('postgres', "SELECT avg(n), max(n) FROM edits($edits, '$options') n");
	note("$limit: an edit changes $average files on average, $most at most");
	cmp_ok($average, '<=', 1.5, "$limit: an edit changes 1.5 files on average");
	cmp_ok($most, '<=', 3, "$limit: an edit changes 3 files at most");
}

# Edits of 1% of the rows, everywhere or in one part: whatever document is still there has its name.
my $survivors = q{
	SELECT count(*) >= %d, count(*) FILTER (WHERE b.name <> f.name)
	  FROM base b JOIN files('%s') f USING (digest)};
is( $node->safe_psql(
		'postgres', qq{
		CREATE TABLE base AS SELECT * FROM files(', max_urls => 100');
		SELECT setseed(0.75);
		DO 'BEGIN FOR i IN 1 .. 10000 LOOP CALL edit(i); END LOOP; END';
		} . sprintf($survivors, 3000, ', max_urls => 100')),
	"\nt|0",
	'random edits of 1% of the rows');
is( $node->safe_psql(
		'postgres', qq{
		DROP TABLE base;
		CREATE TABLE base AS SELECT * FROM files('');
		UPDATE page SET lastmod = now() WHERE position < 400000 AND position::int % 40 = 0;
		DELETE FROM page WHERE position < 400000 AND position::int % 80 = 1;
		} . sprintf($survivors, 5, '')),
	't|0',
	'and what comes after 5,000 rows that go is split as before');

$node->stop;
done_testing();
