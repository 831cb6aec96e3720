# examples/stylesheet/sitemap.css in a headless Chromium: a sitemap with images, a
# video, news, languages and text from right to left, and an index, as a table with
# headings and counted rows, light, dark, narrow and printed.
#
# Chromium is asked for the layout that it has computed, and for the text that it
# shows (its accessibility tree has generated text, too).
use FindBin;
use HTTP::Tiny;
use IO::Socket::INET;
use IPC::Run ();
use JSON::PP;
use MIME::Base64 qw(decode_base64);

use lib $FindBin::RealBin;
use Node;

my $timeout = $PostgreSQL::Test::Utils::timeout_default;
my $folder = PostgreSQL::Test::Utils::tempdir();
my $css = "$FindBin::RealBin/../../examples/stylesheet/sitemap.css";

# The long URL takes a line of its own in any window, and more than one.
my $long = 'https://www.example.com/' . 'long-address-' x 100;

# A page in eight rows: its columns, and the lines below its URL.
my @rows = (
	[
		'https://www.example.com/', '2026-11-20T08:00:00Z', 'daily', '1.0',
	],
	[
		'https://www.example.com/teapot', undef, undef, '0.8',
		'Image: https://cdn.example.com/front.jpg',
		'Caption: Teapot, 1 l',
		'Place: Kyoto',
		'Title: A teapot',
		'License: https://www.example.com/license',
		'Image: https://cdn.example.com/top.jpg',
	],
	[
		'https://www.example.com/watch', '2026-02-14', 'monthly', undef,
		'Thumbnail: https://cdn.example.com/42.jpg',
		'Video: How to brew tea',
		'Description: Two minutes.',
		'File: https://cdn.example.com/42.mp4',
		'Seconds: 135',
		'Published: 2026-02-14',
		'Tag: tea',
		'Tag: how-to',
		'Family friendly: yes',
		'Countries, allow: DE AT',
		'Price, EUR: 1.99',
	],
	[
		'https://www.example.com/news/7', '2026-11-21T09:30:00Z', undef, undef,
		'Publication: The Example Times',
		'Language: en',
		'Published: 2026-11-21T09:30:00Z',
		'News: Tea harvest',
	],
	[
		'https://www.example.com/en/tea', '2026-01-05', undef, '0.5',
		'de: https://www.example.com/de/tee',
		'en: https://www.example.com/en/tea',
		'x-default: https://www.example.com/',
	],
	[
		'https://www.example.com/he', undef, undef, undef,
		'Image: https://cdn.example.com/he.jpg',
		"Caption: \x{5E9}\x{5DC}\x{5D5}\x{5DD}!",
	],
	[ $long, undef, 'weekly', '0.1' ],
	[ 'https://www.example.com/map', '2026-03', undef, undef ],);

my ($chromedriver, $chromium) = map { has_program($_) } 'chromedriver', 'chromium';
plan skip_all => 'chromium and chromedriver are not here' unless $chromedriver && $chromium;

my $node = start_node();
sql('CREATE EXTENSION sitemap');
write_sitemaps();
$node->stop;

my ($driver, $session);
start_browser();

resize(1280);
check_bare();
check_table('light', 1280);
check_direction();
check_index();
check_locs();
check_many();
emulate('screen', 'dark');
check_table('dark', 1280);
emulate('screen', 'light');
resize(500);
check_narrow();
resize(1280);
emulate('print', 'dark');
check_table('printed', 1280);
stop_browser();
done_testing();

END
{
	local $?;
	stop_browser();
}

# The files, with the stylesheet beside them.
sub write_sitemaps
{
	my %query = (
		urlset => qq{
			SELECT * FROM (VALUES
				('/', '2026-11-20T08:00:00Z', 'daily', 1.0, NULL),
				('/teapot', NULL, NULL, 0.8,
				 ARRAY[sitemap_image('https://cdn.example.com/front.jpg', 'Teapot, 1 l', 'Kyoto', 'A teapot', 'https://www.example.com/license'),
				       sitemap_image('https://cdn.example.com/top.jpg')]),
				('/watch', '2026-02-14', 'monthly', NULL,
				 ARRAY[sitemap_video('https://cdn.example.com/42.jpg', 'How to brew tea', 'Two minutes.',
				                     'https://cdn.example.com/42.mp4', duration => 135, publication_date => date '2026-02-14',
				                     tag => '{tea,how-to}', family_friendly => true,
				                     restriction => 'DE AT', restriction_relationship => 'allow',
				                     price => '{1.99}', price_currency => '{EUR}')]),
				('/news/7', '2026-11-21T09:30:00Z', NULL, NULL,
				 ARRAY[sitemap_news('The Example Times', 'en', timestamptz '2026-11-21 09:30+00', 'Tea harvest')]),
				('/en/tea', '2026-01-05', NULL, 0.5,
				 sitemap_alternates('{"en": "https://www.example.com/en/tea", "de": "https://www.example.com/de/tee",
				                      "x-default": "https://www.example.com/"}')),
				('/he', NULL, NULL, NULL, ARRAY[sitemap_image('https://cdn.example.com/he.jpg', E'\\u05E9\\u05DC\\u05D5\\u05DD!')]),
				('$long', NULL, 'weekly', 0.1, NULL),
				('/map', '2026-03', NULL, NULL, NULL)) page (loc, lastmod, changefreq, priority, extensions)},
		index => q{
			SELECT '/' || n AS loc, timestamptz '2026-01-01 00:00+00' + n * interval '1 day' AS lastmod
			  FROM generate_series(1, 30) n},
		many => q{
			SELECT '/' || n AS loc, date '2026-01-01' + n % 300 AS lastmod,
			       jsonb_build_object('en', '/' || n, 'de', '/de/' || n, 'fr', '/fr/' || n) AS alternates
			  FROM generate_series(1, 50000) n},
		locs => q{SELECT '/' || n AS loc FROM generate_series(1, 2) n},);

	foreach my $name (keys %query)
	{
		my ($options, $kind) =
		  $name eq 'index' ? (', max_urls => 10', 'index') : ('', 'urlset');

		append_to_file(
			"$folder/$name.xml",
			sql(qq{
				SELECT convert_from(content, 'UTF8')
				  FROM sitemap_files(\$query\$$query{$name}\$query\$, 'https://www.example.com/',
				                     stylesheet => 'sitemap.css'$options)
				 WHERE kind = '$kind'}));
	}
	append_to_file("$folder/bare.xml", slurp_file("$folder/urlset.xml") =~ s/<\?xml-stylesheet .*?\?>//r);
	append_to_file("$folder/sitemap.css", slurp_file($css));
	return;
}

# A driver, and by it a browser.
sub start_browser
{
	my $port = PostgreSQL::Test::Cluster::get_free_port();
	my $log = "$PostgreSQL::Test::Utils::log_path/examples_stylesheet_chromedriver.log";

	local $ENV{HOME} = $folder;
	$driver = {
		process => IPC::Run::start([ $chromedriver, "--port=$port" ], '<', \undef, '>', $log, '2>&1'),
		url => "http://127.0.0.1:$port",
		http => HTTP::Tiny->new(timeout => $timeout, proxy => undef, http_proxy => undef),
	};
	wait_until(sub { IO::Socket::INET->new("127.0.0.1:$port") }, "chromedriver, whose log is $log");
	my @flags = qw(--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
	  --disable-background-networking --disable-component-update --disable-sync --hide-scrollbars);
	$session = '/session/'
	  . ask(
		'POST',
		'/session',
		{
			capabilities => {
				alwaysMatch => {
					'goog:chromeOptions' => {
						binary => $chromium,
						args => [ @flags, "--user-data-dir=$folder/chromium" ],
					}
				}
			}
		})->{sessionId};
	return;
}

sub stop_browser
{
	return unless $driver;
	my $process = $driver->{process};

	eval { ask('DELETE', $session) } if $session;
	$process->signal('TERM');
	$process->finish;
	undef $driver;
	return;
}

# A command of WebDriver: its value.
sub ask
{
	my ($method, $path, $parameters) = @_;
	my $answer = $driver->{http}->request($method, $driver->{url} . $path,
		{ $parameters ? (content => encode_json($parameters)) : () });
	my $value = eval { decode_json($answer->{content})->{value} };

	die "$method $path: $answer->{status} $answer->{content}" unless $answer->{success};
	return $value;
}

sub devtools
{
	my ($command, $parameters) = @_;

	return ask('POST', "$session/goog/cdp/execute", { cmd => $command, params => $parameters });
}

sub emulate
{
	my ($media, $scheme) = @_;

	devtools('Emulation.setEmulatedMedia',
		{ media => $media, features => [ { name => 'prefers-color-scheme', value => $scheme } ] });
	return;
}

sub resize
{
	my ($width) = @_;

	devtools('Emulation.setDeviceMetricsOverride',
		{ width => $width, height => 800, deviceScaleFactor => 1, mobile => JSON::PP::false });
	return;
}

# Show a file, keep a picture of it, and return what was computed: the root's size,
# its headings, and for each row its box and those of its children by name.
sub layout
{
	my ($file, $picture) = @_;

	ask('POST', "$session/url", { url => "file://$folder/$file.xml" });
	my $png = ask('GET', "$session/screenshot");
	append_to_file("$PostgreSQL::Test::Utils::log_path/examples_stylesheet_$picture.png",
		decode_base64($png));
	return ask(
		'POST',
		"$session/execute/sync",
		{
			args => [],
			script => q{
				const root = document.documentElement;
				const box = (element) => {
					const { left, right, top, bottom } = element.getBoundingClientRect();
					const style = getComputedStyle(element);
					return { name: element.localName, text: element.textContent, left, right, top, bottom,
					         color: style.color, display: style.display };
				};
				const heading = (pseudo) => {
					const style = getComputedStyle(root, pseudo);
					return { content: style.content, padding: style.paddingLeft, position: style.position, tab: style.tabSize };
				};
				return { name: root.localName, background: getComputedStyle(root).backgroundColor,
				         width: root.clientWidth, scrolled: root.scrollWidth,
				         before: heading('::before'), after: heading('::after'),
				         rows: [...root.children].slice(0, 100).map((row) =>
				             ({ ...box(row), children: [...row.children].map(box) })) };
			}
		});
}

# The text that an element shows, generated text included, with one blank between pieces.
sub shown
{
	my ($expression) = @_;
	my $object = devtools('Runtime.evaluate', { expression => $expression })->{result};
	my $tree = devtools('Accessibility.queryAXTree',
		{ objectId => $object->{objectId}, role => 'StaticText' });

	return join(' ', map { $_->{name}{value} } @{ $tree->{nodes} }) =~ s/\s+/ /gr;
}

# The brightness of a color, from 0 to 1.
sub luminance
{
	my ($color) = @_;
	my @parts = map { $_ / 255 } $color =~ /(\d+), (\d+), (\d+)/ or die $color;
	my ($r, $g, $b) = map { $_ <= 0.04045 ? $_ / 12.92 : (($_ + 0.055) / 1.055)**2.4 } @parts;

	return 0.2126 * $r + 0.7152 * $g + 0.0722 * $b;
}

sub contrast
{
	my ($more, $less) = sort { $b <=> $a } map { luminance($_) + 0.05 } @_;

	return $more / $less;
}

# The rows do not overlap and have the number's column; nothing is wider than the window.
sub check_rows
{
	my ($name, $layout) = @_;
	my $previous = 0;

	is($layout->{scrolled}, $layout->{width}, "$name: nothing is wider than the window");
	foreach my $row (@{ $layout->{rows} })
	{
		cmp_ok($row->{top}, '>=', $previous, "$name: a row is below the one before");
		$previous = $row->{bottom};
		my $faint = (sort { $a <=> $b } map { contrast($_->{color}, $layout->{background}) } @{ $row->{children} })[0];
		cmp_ok($faint, '>=', 4.5, "$name: its text can be read");
		is(scalar(grep { $_->{right} > $layout->{width} || $_->{bottom} > $row->{bottom} } @{ $row->{children} }),
			0, "$name: it holds its children");
	}
	return;
}

# The one child of that name in a row.
sub child
{
	my ($row, $name) = @_;

	return (grep { $_->{name} eq $name } @{ $row->{children} })[0];
}

sub check_table
{
	my ($name, $width) = @_;
	my $layout = layout('urlset', $name);
	my %left;

	is(scalar @{ $layout->{rows} }, scalar @rows, "$name: a row for each page");
	check_rows($name, $layout);

	# Each column is in one place, whatever a row lacks, and in its order.
	foreach my $row (@{ $layout->{rows} })
	{
		foreach my $column (qw(loc lastmod changefreq priority))
		{
			my $cell = child($row, $column) or next;

			$left{$column}{ $cell->{left} }++;
			is($cell->{top}, child($row, 'loc')->{top}, "$name: $column is in the first line of its row");
		}
	}
	is(join(' ', map { scalar keys %{ $left{$_} } } qw(loc lastmod changefreq priority)),
		'1 1 1 1', "$name: a column is in one place");
	my ($loc, $lastmod, $changefreq, $priority) =
	  map { (keys %{ $left{$_} })[0] } qw(loc lastmod changefreq priority);
	ok($loc < $lastmod && $lastmod < $changefreq && $changefreq < $priority, "$name: in their order");

	# The headings: their tab stops are where the columns are.
	my ($before, $after) = @{$layout}{qw(before after)};
	my ($from, $tab) = map { s/px//r } @{$before}{qw(padding tab)};
	cmp_ok(abs($from - $lastmod), '<', 1, "$name: the heading of lastmod");
	cmp_ok(abs($from + $tab - $changefreq), '<', 1, "$name: of changefreq");
	cmp_ok(abs($from + 2 * $tab - $priority), '<', 1, "$name: of priority");

	my $number = 0;
	foreach my $row (@rows)
	{
		my $text = join ' ', ++$number, grep { defined } @$row;

		is(shown("document.documentElement.children[$number - 1]"), $text, "$name: row $number shows all");
	}
	my $text = shown('document.documentElement');
	like($text, qr/^Last modified Changes Priority 1 /, "$name: the headings of the other columns");
	like($text, qr/ # URLs: 8$/, "$name: the first headings, and the number of pages");

	my $bright = luminance($layout->{background});
	if ($name eq 'dark')
	{
		cmp_ok($bright, '<', 0.1, 'dark: a dark page');
	}
	else
	{
		is($bright, 1, "$name: a white page");
	}
	is($before->{position}, $name eq 'printed' ? 'absolute' : 'fixed', "$name: the headings");
	return;
}

# Without the stylesheet: one run of text, since there are elements of XHTML.
sub check_bare
{
	my $layout = layout('bare', 'bare');

	is(scalar @{ $layout->{rows} }, scalar @rows, 'bare: all pages');
	is(scalar(grep { $_->{display} ne 'inline' } @{ $layout->{rows} }), 0, 'bare: are one run of text');
	return;
}

# Text from right to left is to the right of its name, and its punctuation on its left.
sub check_direction
{
	layout('urlset', 'direction');
	my $places = ask(
		'POST',
		"$session/execute/sync",
		{
			args => [],
			script => q{
				const caption = [...document.getElementsByTagNameNS('*', 'caption')].find((c) => /!$/.test(c.textContent));
				const left = (i) => {
					const range = document.createRange();
					range.setStart(caption.firstChild, i);
					range.setEnd(caption.firstChild, i + 1);
					return range.getBoundingClientRect().left;
				};
				return [caption.getBoundingClientRect().left, left(4), left(3), left(0)];
			}
		});
	my @sorted = sort { $a <=> $b } @$places;

	is("@$places", "@sorted", 'direction: a text from right to left');
	cmp_ok($places->[1] - $places->[0], '>', 40, 'direction: its name is before it');
	cmp_ok($places->[1] - $places->[0], '<', 200, 'direction: and next to it');
	return;
}

# Rows that have nothing but a URL: no other column, nor its heading.
sub check_locs
{
	my $layout = layout('locs', 'locs');

	check_rows('locs', $layout);
	cmp_ok(child($layout->{rows}[0], 'loc')->{right}, '>=', $layout->{width} - 20, 'locs: the URL has all the room');
	is( shown('document.documentElement'),
		'1 https://www.example.com/1 2 https://www.example.com/2 # URLs: 2',
		'locs: no headings of columns');
	return;
}

sub check_index
{
	my $layout = layout('index', 'index');
	my %left;

	is($layout->{name}, 'sitemapindex', 'index: it is one');
	is(scalar @{ $layout->{rows} }, 3, 'index: a row for each sitemap');
	check_rows('index', $layout);
	foreach my $row (@{ $layout->{rows} })
	{
		$left{ $_->{name} }{ $_->{left} }++ foreach @{ $row->{children} };
	}
	is_deeply([ map { scalar keys %$_ } @left{qw(loc lastmod)} ], [ 1, 1 ], 'index: two columns');
	my ($lastmod) = keys %{ $left{lastmod} };
	cmp_ok(abs($layout->{before}{padding} =~ s/px//r - $lastmod), '<', 1, 'index: the heading of lastmod');
	is( shown('document.documentElement'),
		join(' ', 'Last modified',
			map({ ($_, "https://www.example.com/sitemap-$_.xml", sprintf('2026-01-%02dT00:00:00Z', 1 + 10 * $_)) } 1 .. 3),
			'# Sitemaps: 3'),
		'index: what it shows');
	return;
}

# 50,000 rows: the page comes, and the rows at its end are counted.
sub check_many
{
	my $begin = time;
	my $layout = layout('many', 'many');

	check_rows('many', { %$layout, rows => [ @{ $layout->{rows} }[ 0 .. 9 ] ] });
	my $loaded = time - $begin;
	my $paint = ask('POST', "$session/execute/sync",
		{ args => [], script => q{return performance.getEntriesByName('first-contentful-paint')[0].startTime} });
	# 5 s, and more on a machine that is busy
	cmp_ok($paint, '<', 5000 + 1000 * $loaded / 2, 'many: the first screen comes before the rest');
	ask('POST', "$session/execute/sync", { args => [], script => 'document.documentElement.lastElementChild.scrollIntoView()' })
	  foreach 1 .. 2;
	is( shown('document.documentElement.lastElementChild'),
		join(' ', '50000 https://www.example.com/50000 2026-07-20',
			map { "$_->[0]: https://www.example.com$_->[1]/50000" } [ 'de', '/de' ], [ 'en', '' ], [ 'fr', '/fr' ]),
		'many: the last row has its number');
	like(shown('document.documentElement'), qr/^Last modified .* # URLs: 50000$/, 'many: their number, and no column without values');
	note(sprintf('many: %d s, %d s to load it, the first screen after %d ms', time - $begin, $loaded, $paint));
	return;
}

# In a narrow window the columns are lines below the URL, each with its name.
sub check_narrow
{
	my $layout = layout('urlset', 'narrow');

	check_rows('narrow', $layout);
	my $row = $layout->{rows}[0];
	my ($loc, $lastmod, $changefreq, $priority) = map { child($row, $_) } qw(loc lastmod changefreq priority);
	ok( $loc->{bottom} <= $lastmod->{top}
		  && $lastmod->{bottom} <= $changefreq->{top}
		  && $changefreq->{bottom} <= $priority->{top},
		'narrow: a line for each column');
	is($_->{left}, $loc->{left}, "narrow: $_->{name} is below the URL") foreach $lastmod, $changefreq, $priority;
	is($layout->{before}{content}, '""', 'narrow: no headings of columns');
	like(shown('document.documentElement'), qr/ # URLs: 8$/, 'narrow: the number of pages');
	like(
		shown('document.documentElement.firstElementChild'),
		qr{Last modified: 2026-11-20T08:00:00Z Changes: daily Priority: 1\.0$},
		'narrow: their names are before them');
	return;
}
