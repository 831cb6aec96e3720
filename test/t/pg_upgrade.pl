# pg_upgrade from an older major: the queue, the triggers of watched tables, the jobs and
# the published files work on, and the next run costs only what changed.
#
# OLD_PG_CONFIG is the pg_config of the older major, which needs sitemap, too:
#	OLD_PG_CONFIG=/usr/lib/postgresql/15/bin/pg_config make installcheck PROVE_TESTS=test/t/pg_upgrade.pl
use FindBin;
use lib $FindBin::RealBin;
use Node;

plan skip_all => 'OLD_PG_CONFIG is not set' unless $ENV{OLD_PG_CONFIG};

my ($old_bin) = run_command([ $ENV{OLD_PG_CONFIG}, '--bindir' ]);
my $old = new_node('old', '', install_path => $old_bin =~ s{/bin$}{}r, extra => ['--data-checksums']);
my $new = new_node('new', '', extra => ['--data-checksums']);
my $new_bin = $new->config_data('--bindir');

$old->start;
sql(q{
	CREATE EXTENSION sitemap;
	CREATE TABLE page (id int PRIMARY KEY, path text, views int DEFAULT 0) PARTITION BY RANGE (id);
	CREATE TABLE page_1 PARTITION OF page FOR VALUES FROM (1) TO (500);
	CREATE TABLE page_2 PARTITION OF page FOR VALUES FROM (500) TO (2000);
	INSERT INTO page SELECT n, '/page-' || n FROM generate_series(1, 1000) n;
	CREATE TABLE page_change (id int);
	SELECT sitemap_watch('page', 'id', 'page_change', '{path}');
	CREATE TABLE site_files OF sitemap_file (PRIMARY KEY (base_url, name));
	CREATE TABLE site_changes OF sitemap_change;
	CREATE TABLE site OF sitemap_job (section WITH OPTIONS DEFAULT 'sitemap', PRIMARY KEY (base_url, section));
	INSERT INTO site (target, base_url, query, changes, feed, max_urls)
	VALUES ('site_files', 'https://www.example.com/', 'SELECT path AS loc, id AS key FROM public.page ORDER BY id',
	        'DELETE FROM public.page_change RETURNING id', 'site_changes', 100);
	CALL sitemap_run('site');
	UPDATE page SET path = '/before' WHERE id = 10});
my $files = q{SELECT md5(string_agg(f::text, ' ' ORDER BY name)) FROM site_files f};
my $before = $old->safe_psql('postgres', $files);
my $status = $old->safe_psql('postgres', 'TABLE site');

$old->stop;
$new->command_ok(
	[
		'pg_upgrade', '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir, '-b', $old_bin, '-B', $new_bin,
		'-s', $new->host, '-p', $old->port, '-P', $new->port
	],
	'pg_upgrade');
$new->start;
is($new->safe_psql('postgres', $files), $before, 'the files are the same');
is($new->safe_psql('postgres', 'TABLE site'), $status, 'the jobs are the same');
is($new->safe_psql('postgres', 'TABLE page_change'), '10', 'the queue has what it had');
is($new->safe_psql('postgres', q{
	UPDATE page SET views = 1; UPDATE page_2 SET path = '/after' WHERE id = 600; INSERT INTO page VALUES (1001, '/new');
	SELECT string_agg(id::text, ' ' ORDER BY id) FROM page_change}), '10 600 1001', 'and gets what changes');
is($new->safe_psql('postgres', q{CALL sitemap_run('site'); SELECT urls, reason, error, failures, full_at < finished FROM site}), '1001|||0|t', 'a run with changes');
is($new->safe_psql('postgres', q{SELECT string_agg(concat_ws(' ', action, loc), ', ' ORDER BY loc) FROM site_changes}),
	join(', ', 'added https://www.example.com/after', 'added https://www.example.com/before', 'added https://www.example.com/new',
		'removed https://www.example.com/page-10', 'removed https://www.example.com/page-600'), 'has found them');
is($new->safe_psql('postgres', q{SELECT count(*) FROM sitemap_publish('site_files', 'SELECT path AS loc, id AS key FROM public.page ORDER BY id',
	'https://www.example.com/', max_urls => 100) WHERE action <> 'unchanged'}), '0', 'a full run finds no more');
$new->stop;
done_testing();
