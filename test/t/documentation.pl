# The documentation tells the truth: every example in it is run, in order, each
# document in a database of its own, and what comes out is what it shows.
#
#	```sql	is run by psql -X -q -v ON_ERROR_STOP=1
#	```sh	is run by bash -e in an empty folder, with the server in PGHOST etc.
#	```text	right after one of these is its output, errors and warnings included
#	```xml	right after one of these is its output by psql -At, with line breaks
#			and indentation added for the reader, which XML here never has
#
# An example without output runs without error and without a word.  Not run: a ```sh block
# whose every line begins with a word of @not_run, and blocks in the languages of
# @not_examples, which other tests take.
#
# Skipped are examples and statements that need what this machine lacks:
# pg_cron where they name it, 1.5 of it for intervals of seconds; libxml in the server
# where they have xmlelement, xmlforest, xmltable or a literal of xml, '<a/>'::xml or
# '{<a/>}'; a program of @programs in a ```sh.
#
# The directory /var/www/sitemaps stands for a new one in each document.
#
# No example is in two documents, each link to a file of the tree, or to a heading in it,
# leads somewhere, and no document is longer than its limit.
#
# Where the output differs, the document as it should be is left in tmp_check.
use Encode qw(decode_utf8);
use File::Basename qw(dirname);
use FindBin;
use IPC::Run ();

use lib $FindBin::RealBin;
use Node;

my @not_run = qw(apt-get cd curl docker dpkg-buildpackage examples git make pgxn sudo);
my @documents = qw(README.md doc/agents.md doc/tutorial.md doc/guide.md doc/operations.md doc/reference.md);
my @more_documents = qw(CHANGELOG.md CONTRIBUTING.md SECURITY.md doc/applications.md doc/managed.md doc/performance.md doc/shards.md examples/README.md);
my @not_examples = qw(apache css ini javascript nginx pgsql python ruby);
my @programs = qw(awk base64 cmp gzip);

my $tree = "$FindBin::RealBin/../..";
my $not_run = join '|', map { quotemeta } @not_run;

# In the documents all text is UTF-8, and times are shown in UTC.
my $node = start_node("timezone = 'UTC'\n");

my $pg_cron_version = pg_cron_version();
my $has_libxml = $node->psql('postgres', q{SELECT '<a/>'::xml}) == 0;
my @missing_programs = grep { !has_program($_) } @programs;
foreach my $document (@documents)
{
	sql('CREATE DATABASE ' . database($document));
}
if ($pg_cron_version)
{
	# Its background worker connects to this database as soon as it can.
	$node->append_conf('postgresql.conf',
		    "shared_preload_libraries = 'pg_cron'\n"
		  . "cron.database_name = '"
		  . database('doc/tutorial.md')
		  . "'\n");
	$node->restart;
}

local @ENV{qw(PGHOST PGPORT PGCLIENTENCODING)} = ($node->host, $node->port, 'UTF8');

my $web_root;
my %content = map { $_ => slurp_file("$tree/$_") } @documents;
foreach my $document (@documents)
{
	local $ENV{PGDATABASE} = database($document);
	$web_root = PostgreSQL::Test::Utils::tempdir();
	run_examples($document);
}
run_scheduled_commands() if $pg_cron_version;
compare_signatures();
compare_options();
check_repetitions();
check_links($_) foreach @documents, @more_documents, 'test/README.md', 'test/bench/README.md';
check_lengths();
done_testing();

# A document's database: readme, tutorial, guide ...
sub database
{
	my ($document) = @_;
	return lc($document =~ s{.*/|\.md$}{}gr);
}

# Which version of pg_cron the server has, library and all; 0 if none.
sub pg_cron_version
{
	return 0 if !-e $node->config_data('--pkglibdir') . '/pg_cron.so';
	my $version = sql(
		q{SELECT substring(default_version FROM '^\d+\.\d+') FROM pg_available_extensions WHERE name = 'pg_cron'});
	return $version || 0;
}

# Was the extension built with libidn2?
sub has_libidn2
{
	$node->safe_psql('template1', 'CREATE EXTENSION IF NOT EXISTS sitemap');
	my $found = $node->psql('template1', q{SELECT sitemap_url('http://xn--bcher-kva.example/'), sitemap_url(U&'http://b\00FCcher.example/')}) == 0;

	$node->safe_psql('template1', 'DROP EXTENSION sitemap');
	return $found;
}

# What an example or a statement needs and this machine lacks; undef if nothing.
sub missing
{
	my ($language, $text) = @_;

	return 'pg_cron' if !$pg_cron_version && $text =~ /pg_cron|\bcron\./;
	return 'pg_cron 1.5' if $pg_cron_version < 1.5 && $text =~ /\bcron\..*\d seconds'/;
	return 'libxml' if !$has_libxml && $text =~ /\bxml(?:element|forest|table)\b|'<[^']*'::xml|'\{</;
	return 'libidn2' if $text =~ m{://[^/']*[^\x00-\x7F]} && !has_libidn2();
	return undef if $language ne 'sh';
	return (grep { $text =~ /\b$_\b/ } @missing_programs)[0];
}

# Cut a document into blocks: [its language, its text, its line], those of
# other text between them without a language.
sub blocks
{
	my ($document) = @_;
	my @blocks = ([ '', '', 1 ]);
	my $line = 0;

	foreach (split /^/, $content{$document})
	{
		$line++;
		if (/^```(.*)/)
		{
			my $inside = $blocks[-1][0] ne '';

			fail("$document:$line is in a language that the test knows")
			  if !grep { $_ eq $1 } $inside ? '' : (qw(sql sh text xml), @not_examples);
			push @blocks, [ $inside ? '' : $1, '', $line + 1 ];
		}
		else
		{
			$blocks[-1][1] .= $_;
		}
	}
	is($blocks[-1][0], '', "$document: the last block is closed");
	return @blocks;
}

sub run_examples
{
	my ($document) = @_;
	my @blocks = blocks($document);
	my $folder = PostgreSQL::Test::Utils::tempdir();
	my $count = 0;
	my $actual = '';
	my $differs = 0;

	while (my $block = shift @blocks)
	{
		my ($language, $text, $line) = @$block;
		my $shown = '';
		my $form = '';

		$actual .= $language ? "```$language\n$text```\n" : $text;
		next if $language ne 'sql' && $language ne 'sh';
		if (@blocks > 1 && $blocks[0][1] =~ /^\s*$/ && $blocks[1][0] =~ /^(text|xml)$/)
		{
			$form = $1;
			$actual .= (shift @blocks)->[1] . "```$form\n";
			$shown = (shift @blocks)->[1];
		}

	  SKIP:
		{
			my $name = "$document:$line";
			my $output;

			if ($language eq 'sh' && $text !~ /^(?!(?:$not_run)\b)/m)
			{
				note("$name is not run: $text");
				$actual .= "$shown```\n" if $form;
				last SKIP;
			}
			if (defined(my $missing = missing($language, $text)))
			{
				$actual .= "$shown```\n" if $form;
				skip "$name takes $missing", 2;
			}

			my @command =
			    $language eq 'sh' ? ('bash', '-e', '-o', 'pipefail')
			  : $form eq 'xml'    ? ('psql', '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1')
			  :                     ('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1');
			my $ok = run_in($folder, \@command, $text, \$output);

			$count++;
			$actual .= clean($form eq 'xml' ? for_reading($output) : $output) . "\n```\n" if $form;
			$shown =~ s/\n[ \t]*//g if $form eq 'xml';
			$output =~ s/\n\z// if $form eq 'xml';
			is(clean($output), clean($shown), $name) or $differs = 1;
			is($ok ? 1 : 0, $shown =~ /^ERROR:/m ? 0 : 1, "$name fails where an error is shown, else not");
		}
	}

	cmp_ok($count, '>', 2, "$document has examples");
	if ($differs)
	{
		my $file = "$PostgreSQL::Test::Utils::tmp_check/" . database($document) . '.md';

		unlink $file;
		append_to_file($file, $actual);
		diag("what $document should show: $file");
	}
	return;
}

# Run a command with that input in a folder; stdout and stderr go into $$output.
sub run_in
{
	my ($folder, $command, $input, $output) = @_;
	my $ok;

	$input =~ s{/var/www/sitemaps}{$web_root}g;
	$$output = '';
	$ok = IPC::Run::run($command, '<', \$input, '>', $output, '2>&1',
		init => sub { chdir $folder or die "chdir $folder: $!" });
	$$output =~ s{\Q$web_root\E}{/var/www/sitemaps}g;
	return $ok;
}

# A document with the line breaks and the indentation that an ```xml block has.
sub for_reading
{
	my ($xml) = @_;
	return $xml =~ s{(?<=>)(?=</?(?:urlset|sitemapindex)\b)}{\n}gr
	  =~ s{(?<=>)(?=<(?:url|sitemap)>)}{\n  }gr
	  =~ s{(?<=>)(?=<(?:image:image|video:video|news:news|xhtml:link|mobile:mobile)\b)}{\n    }gr
	  =~ s{(?<=>)(?=<video:(?!video)\w)}{\n      }gr
	  =~ s{(?=</video:video>)}{\n    }gr
	  =~ s{(<\w+:[^<>]*/>|</\w+:\w+>)(?=</url>)}{$1\n  }gr;
}

# psql fills the last column of a line with blanks, editors cut them off.
sub clean
{
	my ($text) = @_;
	return $text =~ s/[ \t]+$//gmr =~ s/\n+\z//r;
}

# What the tutorial has scheduled with pg_cron runs, with the search_path that REFRESH
# has from PostgreSQL 17 on.
sub run_scheduled_commands
{
	my $database = database('doc/tutorial.md');
	my @jobs = split /\n/, $node->safe_psql($database, 'SELECT jobid FROM cron.job ORDER BY jobid');

	cmp_ok(scalar(@jobs), '>', 0, 'the tutorial schedules a job');
	foreach my $job (@jobs)
	{
		my $command =
		  $node->safe_psql($database, "SELECT command FROM cron.job WHERE jobid = $job");
		my ($status, undef, $stderr) =
		  $node->psql($database, "SET search_path = pg_catalog, pg_temp; $command");

		is($status, 0, "scheduled: $command") or diag($stderr);
	}
	return;
}

# Every function, aggregate and type is in the reference with its signature.  Overloads that
# differ in the type of one argument have one signature, which lists the types.
sub compare_signatures
{
	my $documented = $content{'doc/reference.md'} =~ s/\s+/ /gr;
	my $signatures = $node->safe_psql(
		database('doc/reference.md'), q{
		SELECT p.proname || '(' || pg_get_function_arguments(p.oid) || ') -> ' || pg_get_function_result(p.oid)
		  FROM pg_depend d
		  JOIN pg_extension e ON e.oid = d.refobjid
		  JOIN pg_proc p ON p.oid = d.objid
		 WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass
		   AND d.deptype = 'e' AND e.extname = 'sitemap'
		   AND p.proname !~ '^_|_(transfn|finalfn|combine|serialize|deserialize)$'
		 UNION ALL
		SELECT 'sitemap_file (' || string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum) || ')'
		  FROM pg_attribute
		 WHERE attrelid = 'sitemap_file'::regclass AND NOT attisdropped
		 ORDER BY 1});

	foreach (split /\n/, $signatures)
	{
		s/::[a-z ]+(?:\[\])?(?=[,)])//g;
		s/timestamp with time zone/timestamptz/g;
		s/timestamp without time zone/timestamp/g;
		s/double precision/float8/g;
		s/\binteger\b/int/g;
		s/\b(lastmod|publication_date) (?:(?:timestamptz|timestamp|date|text)\b|"any")/$1 timestamptz | timestamp | date | text/ if !/^sitemap_(?:file|parse)\b/;
		s/^(sitemap_url\(.*?lastmod .*?text)(?: DEFAULT NULL)?,/$1 DEFAULT NULL,/;
		s/\bdocument (?:bytea|text)\b/document bytea | text/;
		# The options of sets are in a table, and so are the arguments of sitemap_video.
		s/^(sitemap_(?:files|publish|audit)\(.*?base_url text), section text.*?protocol text DEFAULT '0\.9'/$1, …/;
		if (s/^(sitemap_video\(.*?description text), (.*)\)/$1, …)/)
		{
			ok($documented =~ /`$_(?: [^`]*)?`/, "doc/reference.md has the argument $_ of sitemap_video") foreach $2 =~ /(\w+) \S+ DEFAULT NULL/g;
		}
		ok(index($documented, $_) >= 0, "doc/reference.md has $_");
	}
	return;
}

# The table of options in the reference has every argument of sitemap_files, with its default.
sub compare_options
{
	my $options = $node->safe_psql(
		database('doc/reference.md'), q{
		SELECT concat_ws(' ', '`' || proargnames[n], format_type(proargtypes[n - 1], NULL) || '`', '|',
		       '`' || regexp_replace(pg_get_function_arg_default(oid, n), '::.*', '') || '`', '|')
		  FROM pg_proc, generate_series(1, pronargs) n
		 WHERE proname = 'sitemap_files'
		 ORDER BY n});

	foreach (split /\n/, $options)
	{
		s/ integer`/ int`/;
		ok(index($content{'doc/reference.md'}, $_) >= 0, "doc/reference.md has $_");
	}
	return;
}

# An example has its place in one document.
sub check_repetitions
{
	my %place;

	foreach my $document (@documents)
	{
		foreach (grep { $_->[0] =~ /^(?:sql|sh)$/ && $_->[1] =~ /\n./ } blocks($document))
		{
			my ($language, $text, $line) = @$_;

			is($place{$text}, undef, "$document:$line is not in another place");
			$place{$text} = "$document:$line";
		}
	}
	return;
}

sub check_links
{
	my ($document) = @_;
	my $text = slurp_file("$tree/$document") =~ s/^```.*?^```$//gmsr;

	foreach my $link ($text =~ /\]\((?!https?:)([^()]*)\)/g)
	{
		my ($file, $heading) = $link =~ /^([^#]*)(?:#(.*))?$/;
		my $path = $file eq '' ? $document : dirname($document) . "/$file";

		ok(-e "$tree/$path", "$document: a link to $link") or next;
		ok((grep { $_ eq decode_utf8($heading) } anchors($path)), "$document: its heading $heading")
		  if defined $heading;
	}
	return;
}

# In words, as wc counts them.
sub check_lengths
{
	my %limits = ('README.md' => 900, 'doc/reference.md' => 7000, 'doc/performance.md' => 800);
	my $total = 0;

	foreach my $document (grep { m{^(?:README|doc/)} } @documents, @more_documents)
	{
		my $words = () = slurp_file("$tree/$document") =~ /\S+/g;

		$total += $words;
		cmp_ok($words, '<=', $limits{$document}, "words of $document") if exists $limits{$document};
	}
	cmp_ok($total, '<=', 21200, 'words of README.md and doc');
	return;
}

# What the headings of a document are called in links.
sub anchors
{
	my ($document) = @_;
	my $text = decode_utf8(slurp_file("$tree/$document")) =~ s/^```.*?^```$//gmsr;

	return map { s/[^\w -]//gr =~ tr/ /-/r } map { lc } $text =~ /^#+ (.*?)\s*$/gm;
}
