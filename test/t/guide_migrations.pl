# The guide's migrations in Django and Rails, forth and back, as the owner of a database
# who is no superuser, and what serves the files in both.

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
my $has_action_pack = $ruby && runs($ruby, '-e', 'require "action_controller"');
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

	check('python', [@migrate], [ @migrate, '0001' ], \&check_view);
}
SKIP:
{
	skip 'Active Record is not here', 1 unless $ruby;
	write_rails();
	check('ruby', (map { [ $ruby, "$folder/migrate.rb", $_ ] } 'up', 'down'), \&check_rails);
}
$node->stop;
done_testing();

sub runs
{
	my (@command) = @_;

	return eval { IPC::Run::run(\@command, '<', \undef, '>', \my $stdout, '2>&1') };
}

# The guide's block in that language that has this text.
sub block
{
	my ($language, $text) = @_;
	my ($block) = grep { /\Q$text\E/ } $guide =~ /^```$language\n(.*?)^```$/msg;

	return $block // die "the guide has no $language with $text";
}

sub write_django
{
	my $host = $node->host;
	my $port = $node->port;

	mkdir "$folder/$_" or die $! foreach 'shop', 'shop/migrations';
	append_to_file("$folder/shop/$_", '') foreach '__init__.py', 'migrations/__init__.py';
	append_to_file("$folder/shop/migrations/0001_initial.py",
		"from django.db import migrations\n\n\nclass Migration(migrations.Migration):\n    pass\n");
	append_to_file("$folder/shop/migrations/0002_sitemap.py", block('python', 'class Migration'));
	append_to_file("$folder/shop/views.py", block('python', 'def sitemap'));
	append_to_file("$folder/shop/publish.py", block('python', 'def publish'));
	append_to_file("$folder/shop/models.py",
		"from django.db import models\n\n\nclass Page(models.Model):\n    path = models.TextField()\n    changed = models.DateTimeField()\n");
	append_to_file(
		"$folder/settings.py", qq{
SECRET_KEY = 'secret'
INSTALLED_APPS = ['shop']
USE_TZ = True
ROOT_URLCONF = 'shop.views'
ALLOWED_HOSTS = ['testserver']
DATABASES = {'default': {'ENGINE': 'django.db.backends.postgresql', 'NAME': 'python',
                         'USER': 'shop_owner', 'HOST': '$host', 'PORT': '$port'}}
});
	return;
}

sub write_rails
{
	my $host = $node->host;
	my $port = $node->port;

	my $connect = qq{
require 'active_record'
ActiveRecord::Base.establish_connection(
  adapter: 'postgresql', host: '$host', port: $port, database: 'ruby', username: 'shop_owner')
};

	append_to_file("$folder/migrate.rb",
		$connect . block('ruby', 'Migration') . "CreateSite.migrate(ARGV[0].to_sym)\n");
	append_to_file("$folder/publish.rb", $connect . "class Page < ActiveRecord::Base\nend\n" . block('ruby', 'def publish') . "publish\n");
	append_to_file("$folder/serve.rb",
		$connect
		  . q{
require 'action_controller'
ActionDispatch::Flash
module Rails
  def self.application
    @application ||= Struct.new(:routes).new(ActionDispatch::Routing::RouteSet.new)
  end
end
}
		  . block('ruby', 'ActionController')
		  . block('ruby', 'routes.draw'));
	return;
}

# Up: the owner can publish.  Down: nothing is left.  $while_up is called in between.
sub check
{
	my ($database, $up, $down, $while_up) = @_;
	my $left = q{
		SELECT (SELECT count(*) FROM pg_extension WHERE extname = 'sitemap'),
		       (SELECT count(*) FROM pg_class WHERE relname IN ('site', 'site_files'))};
	my $output;

	ok(IPC::Run::run($up, '>', \$output, '2>&1', IPC::Run::timeout($timeout)), "$database: up")
	  or diag($output);
	is($node->safe_psql($database, $left), '1|2', "$database: the extension and the tables");
	is( $node->safe_psql(
			$database, q{
			SET ROLE shop_owner;
			CREATE VIEW sitemap_page AS SELECT '/' AS loc, 1 AS key;
			CALL sitemap_run('site');
			DROP VIEW sitemap_page;
			SELECT urls, written, error IS NULL FROM site}),
		'1|2|t',
		"$database: the owner can run the job");
	$while_up->() if $while_up;
	ok(IPC::Run::run($down, '>', \$output, '2>&1', IPC::Run::timeout($timeout)), "$database: down")
	  or diag($output);
	is($node->safe_psql($database, $left), '0|0', "$database: nothing is left");
	return;
}

# What both have to print: the index, the index again to a client that has it, a part for
# clients that take gzip and for others, and a file that is not there; then, for what the
# query of the ORM found, the files of a run.
sub serves
{
	my ($name, @command) = @_;
	my ($output, $errors);

	IPC::Run::run(\@command, '>', \$output, '2>', \$errors, IPC::Run::timeout($timeout)) or diag($errors);
	is($output, "200 application/xml </sitemapindex>\n304\n200 gzip </urlset>\n200 </urlset>\n404\n", $name);
	return;
}

# The call with the SQL of the ORM lists the pages of its query, whose values have quotes.
sub publishes
{
	my ($database, $table, @command) = @_;
	my $output;

	$node->safe_psql($database, qq{SET ROLE shop_owner; DELETE FROM site_files;
		CREATE TABLE $table (id bigint PRIMARY KEY, path text, changed timestamptz);
		INSERT INTO $table VALUES (1, '/it''s/1', '2026-03-01 12:00Z'), (2, '/its/2', now()), (3, '/it''s/3', '2026-03-03 12:00Z')});
	ok(IPC::Run::run(\@command, '>', \$output, '2>&1', IPC::Run::timeout($timeout)), "$database: publish") or diag($output);
	is($node->safe_psql($database, q{SELECT e.loc, e.lastmod FROM site_files, sitemap_parse(content) e WHERE kind <> 'index'}),
		"https://www.example.com/it's/1|2026-03-01T12:00:00Z\nhttps://www.example.com/it's/3|2026-03-03T12:00:00Z",
		"$database: the pages of the query");
	return;
}

sub check_view
{
	local $ENV{DJANGO_SETTINGS_MODULE} = 'settings';

	serves(
		'python: the view', $python, '-c', q{
import gzip
import django
django.setup()
from django.test import Client

client = Client()
index = client.get('/sitemap.xml')
print(index.status_code, index['Content-Type'], index.content[-15:].decode())
print(client.get('/sitemap.xml', HTTP_IF_NONE_MATCH=index['ETag']).status_code)
part = client.get('/pages-51d8e999.xml.gz', HTTP_ACCEPT_ENCODING='gzip')
print(part.status_code, part['Content-Encoding'], gzip.decompress(part.content)[-9:].decode())
part = client.get('/pages-51d8e999.xml.gz')
print(part.status_code, part.content[-9:].decode())
print(client.get('/other.xml').status_code)
});
	publishes('python', 'shop_page', $python, '-c', 'import django; django.setup(); from shop.publish import publish; publish()');
	return;
}

sub check_rails
{
	check_controller();
	publishes('ruby', 'pages', $ruby, "$folder/publish.rb");
	return;
}

sub check_controller
{
  SKIP:
	{
		skip 'Action Pack is not here', 1 unless $has_action_pack;
		serves(
			'ruby: the controller', $ruby, '-r', "$folder/serve.rb", '-e', q{
def get(path, headers = {})
  status, headers, body = Rails.application.routes.call(Rack::MockRequest.env_for(path, headers))
  [status, headers, body.each.to_a.join]
end

index = get('/sitemap.xml')
puts "#{index[0]} #{index[1]['Content-Type']} #{index[2][-15..]}"
puts get('/sitemap.xml', 'HTTP_IF_NONE_MATCH' => index[1]['ETag'])[0]
part = get('/pages-51d8e999.xml.gz', 'HTTP_ACCEPT_ENCODING' => 'gzip')
puts "#{part[0]} #{part[1]['Content-Encoding']} #{Zlib.gunzip(part[2])[-9..]}"
part = get('/pages-51d8e999.xml.gz')
puts "#{part[0]} #{part[2][-9..]}"
begin
  get('/other.xml')
rescue ActiveRecord::RecordNotFound
  puts 404
end
});
	}
	return;
}
