# The guide's migrations in Django and Rails, forth and back, as the owner of a database
# who is no superuser.

use strict;
use warnings;
use FindBin;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $timeout = $PostgreSQL::Test::Utils::timeout_default;
my $guide = slurp_file("$FindBin::RealBin/../../doc/guide.md");
my $folder = PostgreSQL::Test::Utils::tempdir();

my ($python) = grep { runs($_, '-c', 'import django, psycopg2') } 'python3', '/usr/bin/python3';
my ($ruby) = grep { runs($_, '-e', 'require "active_record"; require "pg"') } 'ruby', '/usr/bin/ruby';
plan skip_all => 'neither Django nor Active Record is here' unless $python || $ruby;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--no-locale' ]);
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE shop_owner LOGIN');
$node->safe_psql('postgres', "CREATE DATABASE $_ OWNER shop_owner") foreach qw(python ruby);

SKIP:
{
	skip 'Django is not here', 1 unless $python;
	write_django();
	local $ENV{PYTHONPATH} = $folder;
	my @migrate = ($python, '-m', 'django', 'migrate', '--settings=settings', 'shop');

	check('python', [@migrate], [ @migrate, '0001' ]);
}
SKIP:
{
	skip 'Active Record is not here', 1 unless $ruby;
	write_rails();
	check('ruby', map { [ $ruby, "$folder/migrate.rb", $_ ] } 'up', 'down');
}
$node->stop;
done_testing();

sub runs
{
	my (@command) = @_;

	return eval { IPC::Run::run(\@command, '<', \undef, '>', \my $stdout, '2>&1') };
}

# The guide's block in that language.
sub block
{
	my ($language) = @_;

	return ($guide =~ /^```$language\n(.*?)^```$/ms)[0] // die "the guide has no $language";
}

sub write_django
{
	my $host = $node->host;
	my $port = $node->port;

	mkdir "$folder/$_" or die $! foreach 'shop', 'shop/migrations';
	append_to_file("$folder/shop/$_", '') foreach '__init__.py', 'migrations/__init__.py';
	append_to_file("$folder/shop/migrations/0001_initial.py",
		"from django.db import migrations\n\n\nclass Migration(migrations.Migration):\n    pass\n");
	append_to_file("$folder/shop/migrations/0002_sitemap.py", block('python'));
	append_to_file(
		"$folder/settings.py", qq{
SECRET_KEY = 'secret'
INSTALLED_APPS = ['shop']
DATABASES = {'default': {'ENGINE': 'django.db.backends.postgresql', 'NAME': 'python',
                         'USER': 'shop_owner', 'HOST': '$host', 'PORT': '$port'}}
});
	return;
}

sub write_rails
{
	my $host = $node->host;
	my $port = $node->port;

	append_to_file(
		"$folder/migrate.rb", qq{
require 'active_record'
ActiveRecord::Base.establish_connection(
  adapter: 'postgresql', host: '$host', port: $port, database: 'ruby', username: 'shop_owner')
} . block('ruby') . "CreateSiteFiles.migrate(ARGV[0].to_sym)\n");
	return;
}

# Up: the owner can publish.  Down: nothing is left.
sub check
{
	my ($database, $up, $down) = @_;
	my $left = q{
		SELECT (SELECT count(*) FROM pg_extension WHERE extname = 'sitemap'),
		       (SELECT count(*) FROM pg_class WHERE relname = 'site_files')};
	my $output;

	ok(IPC::Run::run($up, '>', \$output, '2>&1', IPC::Run::timeout($timeout)), "$database: up")
	  or diag($output);
	is($node->safe_psql($database, $left), '1|1', "$database: the extension and the table");
	is( $node->safe_psql(
			$database, q{
			SET ROLE shop_owner;
			SELECT action
			  FROM sitemap_publish('site_files', 'SELECT ''/'' AS loc', 'https://www.example.com/')}),
		"inserted\ninserted",
		"$database: the owner can publish");
	is( $node->safe_psql(
			$database,
			q{SELECT attstorage FROM pg_attribute WHERE attrelid = 'site_files'::regclass AND attname = 'content'}),
		'e', "$database: content is stored as it is");
	ok(IPC::Run::run($down, '>', \$output, '2>&1', IPC::Run::timeout($timeout)), "$database: down")
	  or diag($output);
	is($node->safe_psql($database, $left), '0|0', "$database: nothing is left");
	return;
}
