# The migration of doc/applications.md in Django, Rails and Alembic, applied, reversed and applied again, as the
# owner of a database who is no superuser; what calls sitemap_run and serves the files in Django and Rails.
use FindBin;
use IPC::Run ();

use lib $FindBin::RealBin;
use Node;

my $timeout = $PostgreSQL::Test::Utils::timeout_default;
my $document = slurp_file("$FindBin::RealBin/../../doc/applications.md");
my $examples = "$FindBin::RealBin/../../examples";
my $folder = PostgreSQL::Test::Utils::tempdir();

my ($python) = python_with('django');
my ($alembic) = python_with('alembic');
my ($ruby) = grep { runs($_, '-e', 'require "active_record"; require "pg"') } 'ruby', '/usr/bin/ruby';
my $has_action_pack = $ruby && runs($ruby, '-e', 'require "action_controller"');
plan skip_all => 'neither Django nor Alembic nor Active Record is here' unless $python || $alembic || $ruby;

# What the migration executes, with its view, and the reverse.
my %statements = (
	up => block($document, 'pgsql', 'CREATE VIEW sitemap_page') . block($document, 'pgsql', 'sitemap_watch'),
	down => block($document, 'pgsql', 'DROP TABLE site, site_files, page_change'));

my $node = start_node("log_statement = 'all'\n");
sql('CREATE ROLE shop_owner LOGIN');
foreach (qw(python ruby alembic))
{
	sql("CREATE DATABASE $_ OWNER shop_owner");
	$node->safe_psql(
		$_, q{
		SET ROLE shop_owner;
		CREATE TABLE page (id int PRIMARY KEY, path varchar(50), changed timestamptz);
		INSERT INTO page VALUES (1, '/it''s/1', '2026-03-01 12:00Z'), (2, '/its/2', '2026-03-02 12:00Z'), (3, '/it''s/3', '2026-03-03 12:00Z')});
}

SKIP:
{
	skip 'Django is not here', 1 unless $python;
	write_django();
	local $ENV{PYTHONPATH} = $folder;
	my @migrate = ($python, '-m', 'django', 'migrate', '--settings=settings', 'shop');

	check('python', [ @migrate, '0002' ], [ @migrate, '0001' ], sub { check_view(); check_column(@migrate) });
}
SKIP:
{
	skip 'Active Record is not here', 1 unless $ruby;
	write_rails();
	check('ruby', (map { [ $ruby, "$folder/migrate.rb", $_ ] } 'up', 'down'), \&check_rails);
}
SKIP:
{
	skip 'Alembic is not here', 1 unless $alembic;
	write_alembic();
	check('alembic', (map { [ $alembic, "$folder/migrate.py", $_ ] } 'up', 'down'), \&check_autogenerate);
}
$node->stop;
done_testing();

# The Pythons that have a module, and psycopg2.
sub python_with
{
	my ($module) = @_;

	return grep { runs($_, '-c', "import $module, psycopg2") } 'python3', '/usr/bin/python3';
}

sub write_django
{
	my $host = $node->host;
	my $port = $node->port;

	mkdir "$folder/$_" or die $! foreach 'shop', 'shop/migrations';
	append_to_file("$folder/shop/$_", '') foreach '__init__.py', 'migrations/__init__.py';
	append_to_file("$folder/shop/migrations/0001_initial.py",
		q{
from django.db import migrations, models

class Migration(migrations.Migration):
    operations = [migrations.SeparateDatabaseAndState(state_operations=[migrations.CreateModel(
        "Page", [("id", models.AutoField(primary_key=True)), ("path", models.CharField(max_length=50)),
                 ("changed", models.DateTimeField())], {"db_table": "page"})])]
});
	append_to_file(
		"$folder/shop/migrations/0002_sitemap.py", qq{
from django.db import migrations

statements = """$statements{up}"""
reverse = """$statements{down}"""

class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]
    operations = [migrations.RunSQL(statements, reverse_sql=reverse)]
});
	my $operations = block($document, 'python', 'AlterField') =~ s/^/    /gmr;
	append_to_file(
		"$folder/shop/migrations/0003_path.py", qq{
from django.db import migrations, models

create_view = """} . block($document, 'pgsql', 'CREATE VIEW sitemap_page') . qq{"""

class Migration(migrations.Migration):
    dependencies = [("shop", "0002_sitemap")]
$operations});
	append_to_file("$folder/shop/views.py",
		slurp_file("$examples/django/sitemap.py") . "urlpatterns += [path('<str:name>', lambda request, name: HttpResponse('the application'))]\n");
	append_to_file("$folder/shop/publish.py", block($document, 'python', 'def publish'));
	append_to_file("$folder/shop/models.py",
		"from django.db import models\n\n\nclass Page(models.Model):\n    id = models.AutoField(primary_key=True)\n    path = models.TextField()\n    changed = models.DateTimeField()\n\n    class Meta:\n        db_table = 'page'\n");
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
		$connect
		  . qq{
class CreateSite < ActiveRecord::Migration[6.1]
  def up
    execute <<~SQL
$statements{up}
SQL
  end

  def down
    execute <<~SQL
$statements{down}
SQL
  end
end

CreateSite.migrate(ARGV[0].to_sym)
});
	append_to_file("$folder/publish.rb",
		$connect . "class Page < ActiveRecord::Base\n  self.table_name = 'page'\nend\n" . block($document, 'ruby', 'def publish') . "publish\n");
	append_to_file("$folder/connect.rb", $connect);
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
		  . slurp_file("$examples/rails/site_files_controller.rb")
		  . block($document, 'ruby', 'routes.draw') =~ s{(?=^end)}{  get '/*any', to: ->(env) { [200, {}, ['the application']] }, format: false\n}mr);
	return;
}

sub write_alembic
{
	my $host = $node->host;
	my $port = $node->port;

	append_to_file(
		"$folder/migrate.py", qq{
import sys
import sqlalchemy
from alembic.migration import MigrationContext
from alembic.operations import Operations

engine = sqlalchemy.create_engine("postgresql+psycopg2://shop_owner@/alembic?host=$host&port=$port")


def configure(connection, **options):
    return MigrationContext.configure(connection, opts=options)


if __name__ == "__main__":
    with engine.begin() as connection:
        Operations(configure(connection)).execute(
            """$statements{up}""" if sys.argv[1] == "up" else """$statements{down}""")
});
	return;
}

# Up: the owner can publish.  Down: nothing is left, so up works again.  $while_up is called in
# between.
sub check
{
	my ($database, $up, $down, $while_up) = @_;
	my $left = q{
		SELECT (SELECT count(*) FROM pg_extension WHERE extname = 'sitemap'),
		       (SELECT count(*) FROM pg_class WHERE relname IN ('site', 'site_files', 'page_change', 'sitemap_page')),
		       (SELECT count(*) > 0 FROM pg_trigger WHERE tgrelid = 'page'::regclass)};
	my $run = q{SET ROLE shop_owner; CALL sitemap_run('site'); SELECT urls, written, error IS NULL FROM site};

	command_ok($up, "$database: up");
	is($node->safe_psql($database, $left), '1|4|t', "$database: the extension, the tables, the view and the triggers");
	is($node->safe_psql($database, $run), '5|2|t', "$database: the owner can run the job");
	$node->safe_psql($database, 'UPDATE page SET changed = now() WHERE id = 2');
	is($node->safe_psql($database, 'TABLE page_change'), 2, "$database: a change is in the queue");
	is($node->safe_psql($database, $run), '5|2|t', "$database: and after the next run in the sitemap");
	$while_up->();
	command_ok($down, "$database: down");
	is($node->safe_psql($database, $left), '0|0|f', "$database: nothing is left");
	command_ok($up, "$database: up again");
	is($node->safe_psql($database, $run), '5|2|t', "$database: the owner can run the job again");
	return;
}

# A column of the view gets another type, and the old one again.
sub check_column
{
	my (@migrate) = @_;
	my $type = q{SELECT format_type(atttypid, atttypmod), to_regclass('sitemap_page') FROM pg_attribute WHERE attrelid = 'page'::regclass AND attname = 'path'};

	foreach my $step ([ '0003', 'text' ], [ '0002', 'character varying(50)' ])
	{
		command_ok([ @migrate, $step->[0] ], "python: migrate to $step->[0]");
		is($node->safe_psql('python', $type), "$step->[1]|sitemap_page", "python: the column is $step->[1], and the view is there");
	}
	return;
}

# What both have to print: the index; the status for a client that has it, by its ETag and by its
# time, which read no content; a HEAD of it and its other header lines; a part for clients that
# take gzip, for others and for those that refuse it, with its ETag and the status of another
# request for that; files of new sections with their types; a file that the application has; and
# the status of a POST.
sub serves
{
	my ($name, $database, $post, @command) = @_;
	my ($output, $errors);
	my $log_size = -s $node->logfile;

	$node->safe_psql($database, q{
		SELECT count(*) FROM sitemap_publish('site_files', 'SELECT ''/recent'' AS loc', 'https://www.example.com/', section => 'recent', index => 'section');
		SELECT count(*) FROM sitemap_publish('site_files', 'SELECT ''/text'' AS loc', 'https://www.example.com/', section => 'text', format => 'txt', compression => 0);
		INSERT INTO site_files (base_url, section, name, kind, loc) VALUES ('https://www.example.com/', 'blog', 'blog.xml', 'urlset', 'https://www.example.com/blog.xml');
		UPDATE site_files SET lastmod = '2026-03-01 09:55Z'});
	IPC::Run::run(\@command, '>', \$output, '2>', \$errors, IPC::Run::timeout($timeout)) or diag($errors);
	# Rails adds to Vary the header lines by which it chooses a format.
	is( $output =~ s/max-age=600, public/max-age=600/r =~ s/Encoding\K, Accept, X-Requested-With//r,
		"200 application/xml </sitemapindex>\n304 304\n200 0\n"
		  . "Sun, 01 Mar 2026 09:55:00 GMT|max-age=600|Accept-Encoding|noindex\n"
		  . "200 gzip \" </urlset>\n200 identity W/\" </urlset>\n200 identity W/\" </urlset>\n304\n"
		  . "200 application/xml 200 text/plain\nthe application the application\n$post\n",
		$name);
	my ($first, $not_modified) = split /SELECT 1 AS mark/, slurp_file($node->logfile, $log_size);
	my $content = qr/SELECT "?(?:site_files"\.")?content/;
	like($first, $content, "$name: a first request reads the content");
	like($not_modified, qr/lastmod/, "$name: a 304 reads the version");
	unlike($not_modified, $content, "$name: but not the content");
	return;
}

# The call with the SQL of the ORM lists the pages of its query, whose values have quotes.
sub publishes
{
	my ($database, @command) = @_;

	$node->safe_psql($database, q{SET ROLE shop_owner; DELETE FROM site_files});
	command_ok(\@command, "$database: publish");
	is($node->safe_psql($database, q{SELECT e.loc, e.lastmod FROM site_files, sitemap_parse(content) e WHERE kind <> 'index'}),
		"https://www.example.com/it's/1|2026-03-01T12:00:00Z\nhttps://www.example.com/it's/3|2026-03-03T12:00:00Z",
		"$database: the pages of the query");
	return;
}

# sitemap_run outside of a transaction, with the call given, runs the job; in the other it is refused.
sub calls
{
	my ($database, $outside, $inside) = @_;
	my $started = q{SELECT started FROM site};
	my $before = $node->safe_psql($database, $started);

	command_ok($outside, "$database: sitemap_run");
	isnt($node->safe_psql($database, $started), $before, "$database: has run the job");
	command_fails_like($inside, qr/cannot run inside a transaction block/, "$database: in a transaction");
	return;
}

sub check_view
{
	local $ENV{DJANGO_SETTINGS_MODULE} = 'settings';

	serves(
		'python: the view', 'python', 405, $python, '-c', q{
import gzip
import django
django.setup()
from django.db import connection
from django.test import Client

client = Client()
index = client.get('/sitemap.xml')
print(index.status_code, index['Content-Type'], index.content[-15:].decode())
connection.cursor().execute('SELECT 1 AS mark')
print(client.get('/sitemap.xml', HTTP_IF_NONE_MATCH=index['ETag']).status_code,
      client.get('/sitemap.xml', HTTP_IF_MODIFIED_SINCE=index['Last-Modified']).status_code)
connection.cursor().execute('SELECT 1 AS mark')
head = client.head('/sitemap.xml')
print(head.status_code, len(head.content))
print(head['Last-Modified'], head['Cache-Control'], head['Vary'], head['X-Robots-Tag'], sep='|')
for header in {'HTTP_ACCEPT_ENCODING': 'br, gzip'}, {}, {'HTTP_ACCEPT_ENCODING': 'gzip;q=0, *'}:
    part = client.get('/pages-51d8e999.xml.gz', **header)
    content = part.content if part.content.startswith(b'<') else gzip.decompress(part.content)
    print(part.status_code, part.get('Content-Encoding', 'identity'), part['ETag'].split('"')[0] + '"', content[-9:].decode())
print(client.get('/pages-51d8e999.xml.gz', HTTP_IF_NONE_MATCH=part['ETag']).status_code)
for path in '/recent.xml', '/text-51d8e999.txt':
    file = client.get(path)
    print(file.status_code, file['Content-Type'], end=' \n'[path.endswith('txt')])
print(client.get('/blog.xml').content.decode(), client.get('/sitemap-none.xml').content.decode())
print(client.post('/sitemap.xml').status_code)
});
	publishes('python', $python, '-c', 'import django; django.setup(); from shop.publish import publish; publish()');
	my $setup = "import django; django.setup()\nfrom django.db import connection, transaction\n";
	my $call = q{connection.cursor().execute("CALL sitemap_run('site')")};
	calls('python', [ $python, '-c', "$setup$call" ], [ $python, '-c', "${setup}with transaction.atomic():\n    $call" ]);
	return;
}

sub check_rails
{
	check_controller();
	publishes('ruby', $ruby, "$folder/publish.rb");
	my $call = q{ActiveRecord::Base.connection.execute("CALL sitemap_run('site')")};
	calls('ruby', (map { [ $ruby, '-r', "$folder/connect.rb", '-e', $_ ] } $call, "ActiveRecord::Base.transaction { $call }"));

	# What the document says of db/schema.rb.
	my ($schema) = run_command([ $ruby, '-r', "$folder/connect.rb", '-e', 'ActiveRecord::SchemaDumper.dump' ]);
	like($schema, qr/create_table "page_change"/, 'ruby: schema.rb has other tables');
	unlike($schema, qr/create_table "site"|trigger|sitemap_watch/, 'ruby: but neither the jobs nor the triggers');
	return;
}

sub check_autogenerate
{
	my ($output, $errors);
	local $ENV{PYTHONPATH} = $folder;

	IPC::Run::run(
		[
			$alembic, '-c', q{
import sqlalchemy
from alembic.autogenerate import compare_metadata
from migrate import configure, engine

ours = {"site", "site_files", "page_change"}
for options in {}, {"include_name": lambda name, type_, parents: type_ != "table" or name not in ours}:
    with engine.connect() as connection:
        print(*sorted(f"{d[0]} {d[1].name}" for d in compare_metadata(configure(connection, **options), sqlalchemy.MetaData())))
}
		],
		'>', \$output, '2>', \$errors, IPC::Run::timeout($timeout)) or diag($errors);
	is($output, "remove_table page remove_table page_change remove_table site remove_table site_files\nremove_table page\n",
		'alembic: include_name keeps the tables');
	my $set_up = q{import sqlalchemy; from migrate import engine;};
	my $call = q{connection.execute(sqlalchemy.text("CALL sitemap_run('site')"))};
	calls('alembic', map { [ $alembic, '-c', "$set_up\nwith engine.connect()$_ as connection:\n    $call" ] } '.execution_options(isolation_level="AUTOCOMMIT")', '');
	return;
}

sub check_controller
{
  SKIP:
	{
		skip 'Action Pack is not here', 1 unless $has_action_pack;
		serves(
			'ruby: the controller', 'ruby', 404, $ruby, '-r', "$folder/serve.rb", '-e', q{
def get(path, headers = {})
  status, headers, body = Rack::Head.new(Rails.application.routes).call(Rack::MockRequest.env_for(path, headers))
  [status, headers, body.each.to_a.join]
end

index = get('/sitemap.xml')
puts "#{index[0]} #{index[1]['Content-Type']} #{index[2][-15..]}"
ActiveRecord::Base.connection.execute('SELECT 1 AS mark')
puts [get('/sitemap.xml', 'HTTP_IF_NONE_MATCH' => index[1]['ETag'])[0],
      get('/sitemap.xml', 'HTTP_IF_MODIFIED_SINCE' => index[1]['Last-Modified'])[0]].join(' ')
ActiveRecord::Base.connection.execute('SELECT 1 AS mark')
head = get('/sitemap.xml', method: 'HEAD')
puts "#{head[0]} #{head[2].length}"
puts head[1].values_at('Last-Modified', 'Cache-Control', 'Vary', 'X-Robots-Tag').join('|')
part = nil
[{ 'HTTP_ACCEPT_ENCODING' => 'br, gzip' }, {}, { 'HTTP_ACCEPT_ENCODING' => 'gzip;q=0, *' }].each do |header|
  part = get('/pages-51d8e999.xml.gz', header)
  content = part[2].start_with?('<') ? part[2] : Zlib.gunzip(part[2])
  puts "#{part[0]} #{part[1]['Content-Encoding'] || 'identity'} #{part[1]['ETag'][/\A[^"]*"/]} #{content[-9..]}"
end
puts get('/pages-51d8e999.xml.gz', 'HTTP_IF_NONE_MATCH' => part[1]['ETag'])[0]
puts ['/recent.xml', '/text-51d8e999.txt'].map { |path| get(path).then { |status, headers, _| "#{status} #{headers['Content-Type']}" } }.join(' ')
puts ['/blog.xml', '/sitemap-none.xml'].map { |path| get(path)[2] }.join(' ')
puts get('/sitemap.xml', method: 'POST')[0]
});
	}
	return;
}
