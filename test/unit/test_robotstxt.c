/*
 * test_robotstxt.c
 *	  Unit tests of audit/robotstxt: the rules of RFC 9309, misspelled keys, the table of
 *	  crawlers, and the cost of hostile rules.
 */
#include "audit/robotstxt.h"

#include "tap.h"

static int	nchecks;

static void
count_check(void)
{
	nchecks++;
}

/* The rule that decides, by its line, negative where it forbids; 0 for none. */
static long long
decide(SmSpan text, const char *agent, SmSpan path)
{
	char	   *text_copy = exactly(text.s, text.len);
	char	   *path_copy = exactly(path.s, path.len);
	char	   *room = exactly(NULL, SM_ROBOTS_ROOM(path.len));
	SmRobotsAgent agents[1 + SM_ROBOTS_STAND_INS] = {{.name = sm_span_of(agent)}};
	SmRobots	robots;
	const SmRobotsRule *rule;

	sm_robots_init(&robots, sm_span(text_copy, text.len), agents, 1, count_check, exactly(NULL, SM_ROBOTS_MEMORY(text.len)));
	/* a match leaves nothing behind */
	sm_robots_match(&robots, path_copy, path.len, room);
	sm_robots_match(&robots, path_copy, path.len, room);
	rule = agents[0].rule;
	return rule == NULL ? 0 : rule->allow ? (long long) rule->line : -(long long) rule->line;
}

/* The rules that decide for the agents a, b, c and d are in these lines, 0 for none. */
static void
lines_are(const char *text, const char *path, const char *wanted)
{
	SmRobots	robots;
	SmRobotsAgent agents[4 + SM_ROBOTS_STAND_INS] = {
		{.name = sm_span_of("a")}, {.name = sm_span_of("b")}, {.name = sm_span_of("c")}, {.name = sm_span_of("d")}
	};
	char		room[100];
	char		found[100] = "";

	sm_robots_init(&robots, sm_span_of(text), agents, 4, count_check, exactly(NULL, SM_ROBOTS_MEMORY(strlen(text))));
	sm_robots_match(&robots, path, strlen(path), room);
	for (int i = 0; i < 4; i++)
		snprintf(found + strlen(found), sizeof(found) - strlen(found), " %u",
				 agents[i].rule ? agents[i].rule->line : 0);
	is_string(sm_span_of(found), wanted, path);
}

static void
line_is(const char *text, const char *agent, const char *path, long long wanted)
{
	is_number(decide(sm_span_of(text), agent, sm_span_of(path)), wanted, text_of("%s of %s for %s", path, text, agent));
}

/* In a group for all, may an agent fetch the paths?  They end with NULL. */
static void
rules(const char *lines, const char *const *allowed, const char *const *disallowed)
{
	for (int forbid = 0; forbid < 2; forbid++)
		for (const char *const *path = forbid ? disallowed : allowed; *path; path++)
			ok((decide(sm_span_of(text_of("User-agent: *\n%s\n", lines)), "a", sm_span_of(*path)) < 0) == forbid,
			   text_of("%s %s by %s", *path, forbid ? "forbidden" : "allowed", lines));
}

#define PATHS(...)	(const char *const[]) {__VA_ARGS__, NULL}
#define NO_PATHS	(const char *const[]) {NULL}

/* Several agents, whose rules are looked for together. */
static void
test_agents(void)
{
	const char *text =
		"User-agent: a\n"		/* 1 */
		"Disallow: /x\n"		/* 2 */
		"Disallow: /*/z$\n"		/* 3 */
		"User-agent: *\n"		/* 4 */
		"Disallow: /x\n"		/* 5 */
		"Allow: /x\n"			/* 6 */
		"User-agent: a\n"		/* 7 */
		"User-agent: c\n"		/* 8 */
		"Allow: /xy\n"			/* 9 */
		"Disallow: /x\n"		/* 10 */
		"Disallow: /*/zz\n";	/* 11 */

	foreach_pair(pair,
		{"/", " 0 0 0 0"}, {"/x", " 2 6 10 6"}, {"/xy", " 9 6 9 6"}, {"/y/z", " 3 0 0 0"}, {"/y/zz", " 11 0 11 0"},
		{"/robots.txt", " 0 0 0 0"})
		lines_are(text, pair->given, pair->wanted);
	lines_are("", "/", " 0 0 0 0");
}

/* Groups: which rules a crawler obeys. */
static void
test_groups(void)
{
	const char *groups =
		"Allow: /before\n"		/* 1 */
		"\n"
		"User-agent: foobot\n"	/* 3 */
		"Disallow: /\n"
		"Allow: /x/\n"
		"User-agent: BARBOT\n"	/* 6 */
		"Disallow: /\n"
		"Allow: /y/\n"
		"\n"
		"Allow: /w/\n"			/* 10, of BarBot still */
		"User-agent: BazBot\n"
		"\n"
		"Sitemap: http://a/s.xml\n"
		"Unknown: x\n"
		"User-agent: FooBot\n"	/* 15, with BazBot */
		"Allow: /z/\n"
		"Disallow: /\n"
		"User-agent: quxbot\n"	/* 18, without rules */
		"User-agent: *\n"
		"Disallow: /all\n"
		"User-agent: none-bot\n";

	static const struct
	{
		const char *agent;
		const char *path;
		int			line;
	}			cases[] = {
		{"FooBot", "/x/b", 5}, {"FooBot", "/z/d", 16}, {"FooBot", "/y/c", -4}, {"FooBot", "/all", -4},
		{"foobot", "/before", -4}, {"BarBot", "/y/c", 8}, {"BarBot", "/w/a", 10}, {"BarBot", "/b", -7},
		{"BazBot", "/z/", 16}, {"BazBot", "/x/", -17}, {"QuxBot", "/all", -20}, {"Other", "/all", -20},
		{"Other", "/al", 0}, {"None-Bot", "/all", 0}
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		line_is(groups, cases[i].agent, cases[i].path, cases[i].line);

	/* product tokens */
	line_is("User-agent: Foo\nDisallow: /", "foobar", "/", 0);
	line_is("User-agent: FooBar\nDisallow: /", "foo", "/", 0);
	line_is("User-agent: Foo/1.0\nDisallow: /", "foo", "/", -2);
	line_is("User-agent: Foo Bar\nDisallow: /", "foo", "/", -2);
	line_is("User-agent: Foo-Bar_\nDisallow: /", "foo-bar_", "/", -2);
	line_is("User-agent: *\nDisallow: /\nUser-agent: foo 1\nAllow: /", "foo", "/", 4);
	line_is("User-agent: * x\nDisallow: /", "foo", "/", -2);
	line_is("User-agent: y\nDisallow: /y\nUser-agent:\nDisallow: /", "y", "/", 0);
	foreach_string(text, "User-agent: *x\nDisallow: /", "User-agent:\nDisallow: /", "Disallow: /", "")
		line_is(*text, "x", "/", 0);

	/* the groups of "*" are one, too */
	line_is("User-agent: *\nDisallow: /a\nUser-agent: x\nAllow: /\nUser-agent: *\nDisallow: /b",
			"y", "/b", -6);
	line_is("User-agent: *\nDisallow: /a\nUser-agent: x\nAllow: /\nUser-agent: *\nDisallow: /b",
			"y", "/a", -2);
	line_is("User-agent: x\nUser-agent: *\nDisallow: /a", "x", "/a", -3);
	line_is("User-agent: x\nDisallow:\nUser-agent: *\nDisallow: /a", "x", "/a", 0);
}

/* Google's crawlers, which may obey the groups of another, or none for "*". */
static void
test_google(void)
{
	const char *all = "User-agent: *\nDisallow: /\n";
	const char *google = "User-agent: *\nDisallow: /\nUser-agent: googlebot\nDisallow: /g\nUser-agent: GoogleOther\nDisallow: /o";
	const char *image = "User-agent: Googlebot\nDisallow: /\nUser-agent: Googlebot-Image/1.0\nDisallow: /i";

	foreach_string(name, "Googlebot", "Googlebot-Image", "googlebot-video", "GOOGLEBOT-NEWS",
				   "Google-InspectionTool", "Google-CloudVertexBot")
	{
		line_is(all, *name, "/g", -2);
		line_is(google, *name, "/g", -4);
		line_is(google, *name, "/o", 0);
	}
	foreach_string(name, "GoogleOther", "GoogleOther-Image", "GoogleOther-Video")
	{
		line_is(all, *name, "/o", -2);
		line_is(google, *name, "/o", -6);
		line_is(google, *name, "/g", 0);
	}
	foreach_string(name, "Storebot-Google", "Google-Extended", "Googlebot-Imagebot", "bingbot")
	{
		line_is(all, *name, "/g", -2);
		line_is(google, *name, "/g", -2);
	}
	foreach_string(name, "AdsBot-Google", "AdsBot-Google-Mobile", "AdsBot-Google-Mobile-Apps",
				   "Mediapartners-Google", "APIs-Google")
	{
		line_is(all, *name, "/g", 0);
		line_is("User-agent: *\nUser-agent:\nDisallow: /", *name, "/g", 0);
		line_is("User-agent: AdsBot-Google\nUser-agent: AdsBot-Google-Mobile\nUser-agent: AdsBot-Google-Mobile-Apps\n"
				"User-agent: Mediapartners-Google\nUser-agent: APIs-Google\nDisallow: /g", *name, "/g", -6);
	}
	line_is(image, "Googlebot-Image", "/i", -4);
	line_is(image, "Googlebot-Image", "/a", 0);
	line_is(image, "Googlebot", "/a", -2);
	line_is("User-agent: Googlebot-Image\nAllow: /x\nUser-agent: Googlebot\nDisallow: /", "Googlebot-Image", "/", 0);
}

/* Other rows of the table of crawlers. */
static void
test_crawlers(void)
{
	const char *groups = "User-agent: Yandex\nDisallow: /y\nUser-agent: Googlebot\nDisallow: /g\nUser-agent: *\nDisallow: /a";

	foreach_string(name, "Yandex", "YandexBot", "yandeximages")
	{
		line_is(groups, *name, "/y", -2);
		line_is(groups, *name, "/a", 0);
		line_is("User-agent: *\nDisallow: /a", *name, "/a", -2);
		line_is("User-agent: Yandex\nUser-agent: YandexBot\nUser-agent: YandexImages\nAllow: /a\nUser-agent: *\nDisallow: /a", *name, "/a", 4);
	}
	line_is("User-agent: YandexBot\nDisallow: /b\nUser-agent: Yandex\nDisallow: /", "YandexBot", "/b", -2);
	line_is("User-agent: YandexBot\nDisallow: /b\nUser-agent: Yandex\nDisallow: /", "YandexBot", "/a", 0);
	line_is(groups, "Applebot", "/g", -4);
	line_is(groups, "Applebot", "/a", 0);
	line_is("User-agent: *\nDisallow: /a", "Applebot", "/a", -2);
	line_is("User-agent: Applebot\nAllow: /g\nUser-agent: Googlebot\nDisallow: /", "Applebot", "/", 0);
	line_is(groups, "Applebot-Extended", "/g", 0);
	foreach_string(name, "FeedFetcher-Google", "Google-Site-Verification", "google-read-aloud", "Google-Safety")
		line_is("User-agent: *\nUser-agent: Google-Site-Verification\nUser-agent: Google-Read-Aloud\nDisallow: /", *name, "/", 0);
}

/* Misspelled keys mean what they were meant to be, for every crawler. */
static void
test_misspelled(void)
{
	foreach_string(line, "Dissallow: /a", "dissalow: /a", "Disalow : /a", "diasllow:/a", "DISALLAW: /a", "Disallowed: /a",
				   "Disallow all: /a", "Disallow /a", " Disallow \t /a # x", "disalow /a")
		rules(*line, NO_PATHS, PATHS("/a"));
	foreach_string(line, "Disallow", "Disallow /a b", "Disallow\v/a", "desallow: /a", "alow: /a", ": /a", "x Disallow: /a", "# /a")
		rules(*line, PATHS("/a", "/"), NO_PATHS);
	rules("Disallow: /\nAllow /a\nAllowed: /b\nAlow: /c", PATHS("/a", "/b"), PATHS("/c", "/"));
	rules("Disallow: /\nAllow: /c/index.html", PATHS("/c/index.html"), PATHS("/c/"));
	foreach_string(key, "Useragent:", "user agent:", "USER-AGENTS:", "User-agent")
	{
		line_is(text_of("%s Googlebot\nDisallow: /", *key), "Googlebot", "/", -2);
		line_is(text_of("%s x\nDisallow: /", *key), "x", "/", -2);
	}
}

/* The agents that fetch for a use. */
static void
fetchers_are(const char *text, SmRobotsUse use, const char *wanted)
{
	SmRobotsAgent agents[4 + SM_ROBOTS_STAND_INS] = {
		{.name = sm_span_of("Googlebot")}, {.name = sm_span_of("bingbot")},
		{.name = sm_span_of("Googlebot-Video")}, {.name = sm_span_of("googleother")}
	};
	char		found[200] = "";
	SmRobots	robots;

	sm_robots_init(&robots, sm_span_of(text), agents, 4, count_check, exactly(NULL, SM_ROBOTS_MEMORY(strlen(text))));
	for (uint32_t i = 0; i < robots.nagents; i++)
		if (agents[i].uses & SM_ROBOTS_FOR(use))
			snprintf(found + strlen(found), sizeof(found) - strlen(found), " %s", agents[i].name.s);
	is_string(sm_span_of(found), wanted, text);
}

static void
test_stand_ins(void)
{
	const char *text = "User-agent: googlebot-image\nUser-agent: Googlebot-Video\nUser-agent: Googlebot-News\n"
		"User-agent: GoogleOther-Image\nDisallow: /";

	foreach_string(none, "", "User-agent: *\nDisallow: /", "User-agent: Googlebot\nDisallow: /",
				   "User-agent: Googlebot-Imagebot")
		for (int use = SM_ROBOTS_PAGE; use < SM_ROBOTS_NUSES; use++)
			fetchers_are(*none, (SmRobotsUse) use, " Googlebot bingbot Googlebot-Video googleother");
	fetchers_are(text, SM_ROBOTS_PAGE, " Googlebot bingbot Googlebot-Video googleother");
	fetchers_are(text, SM_ROBOTS_IMAGE, " bingbot Googlebot-Video Googlebot-Image GoogleOther-Image");
	fetchers_are(text, SM_ROBOTS_VIDEO, " bingbot Googlebot-Video googleother");
	fetchers_are(text, SM_ROBOTS_NEWS, " bingbot Googlebot-Video googleother Googlebot-News");
	fetchers_are("User-agent: Googlebot-Image", SM_ROBOTS_IMAGE, " bingbot Googlebot-Video googleother Googlebot-Image");
}

/* 500 KiB are read, and what is left of the line in which these end. */
static void
test_limit(void)
{
	static char text[SM_ROBOTS_MAX + 100];
	const char *start = "User-agent: *\nDisallow: /a\n";

	memset(text, '#', sizeof(text));
	memcpy(text, start, strlen(start));
	memcpy(text +SM_ROBOTS_MAX - 13, "\nDisallow: /bc\nDisallow: /d\nUser-agent: x\nAllow: /", 51);

	is_number(decide(sm_span(text, sizeof(text)), "x", sm_span_of("/a")), -2, "a rule");
	is_number(decide(sm_span(text, sizeof(text)), "x", sm_span_of("/bx")), -4, "the rest of a rule");
	is_number(decide(sm_span(text, sizeof(text)), "x", sm_span_of("/d")), 0, "a rule that is not read");
	/* as much as is read is not too much */
	for (size_t more = 0; more <= 1; more++)
		is_number(decide(sm_span(text, SM_ROBOTS_MAX + more), "x", sm_span_of("/bx")), -4, "one octet more or none");
}

/* Lines: what is a rule, and which number it has. */
static void
test_lines(void)
{
	line_is("\xEF\xBB\xBFUser-agent: x\nDisallow: /", "x", "/", -2);
	line_is("User-agent: x\r\n\r\nDisallow: /\r\n", "x", "/", -3);
	line_is("User-agent: x\r\rDisallow: /\r", "x", "/", -3);
	line_is("\n\r\r\nUser-agent: x\n\rDisallow: /", "x", "/", -6);
	line_is("\tUSER-AGENT \t:\tx\t# y\n dISALLOW\t: /\t \n", "x", "/", -2);
	line_is("user-agent:x#\ndisallow:/a#b", "x", "/a", -2);
	foreach_string(src,
		"user-agent:x\n#disallow:/", "user-agent:x\ndisallow#:/", "user-agent:x\ndisallow:#/",
		"user-agent x y\ndisallow /", "user-agent: x\ndisallow / y",
		"\xEF\xBB\xBF\xEF\xBB\xBFUser-agent: x\nDisallow: /", "User-agent: x\n\xEF\xBB\xBF" "Disallow: /",
		"user-agent: x\ndis allow: /\n: /\n-disallow: /")
		line_is(*src, "x", "/", 0);
	line_is("user-agent: x\ndisallow: /a: b", "x", "/a:%20b", -2);
	line_is("user-agent: x\nnoindex: /\ncrawl-delay: 1\nallow: /", "x", "/", 4);
}

/* Rules: the longest wins, and "Allow" among equals. */
static void
test_rules(void)
{
	rules("Disallow:", PATHS("/", "/a", "/?a"), NO_PATHS);
	rules("Disallow: /a\nDisallow:", PATHS("/"), PATHS("/a"));
	rules("Disallow: /\nAllow:", NO_PATHS, PATHS("/", "/a"));
	rules("Disallow: /\nAllow: /", PATHS("/", "/a"), NO_PATHS);
	rules("Allow: /\nDisallow: /", PATHS("/", "/a"), NO_PATHS);
	rules("Disallow: /x\nAllow: /x/", PATHS("/x/", "/x/a", "/"), PATHS("/x", "/xy"));
	rules("Allow: /x/\nDisallow: /x/page.html", PATHS("/x/"), PATHS("/x/page.html"));
	rules("Allow: /page\nDisallow: /*.html", PATHS("/page"), PATHS("/page.html"));
	rules("Allow: /x/page.\nDisallow: /*.html", PATHS("/x/page.html"), PATHS("/x/y.html"));
	rules("Allow: /page\nDisallow: /*.htm", NO_PATHS, PATHS("/page.htm"));
	rules("Allow: /p\nDisallow: /", PATHS("/page"), PATHS("/"));
	rules("Allow: /$\nDisallow: /", PATHS("/", "", "#x", "/#x"), PATHS("/page.htm", "?x", "/?x"));
	rules("Disallow: /", PATHS("/robots.txt", "/robots.txt#x"),
		  PATHS("/robots.txt?x", "/a/robots.txt", "/Robots.txt"));
	rules("Disallow: /X", PATHS("/x"), PATHS("/X", "/XY"));

	/* by the length of what a rule becomes, wildcards counted */
	rules("Allow: /abcd\nDisallow: /*****", NO_PATHS, PATHS("/", "/abcd"));
	rules("Allow: /abcde\nDisallow: /*****", PATHS("/abcde"), PATHS("/abcd"));
	rules("Allow: /abc\nDisallow: /*c$", PATHS("/abc"), PATHS("/ac"));
	rules("Allow: /ab\nDisallow: /*b$", PATHS("/abc"), PATHS("/ab"));
	rules("Allow: /\xC3\xBC\nDisallow: /*****", PATHS("/\xC3\xBC"), PATHS("/abcde"));
	rules("Allow: /%62%62%62\nDisallow: /***", PATHS("/bbb"), PATHS("/bb"));
	rules("Allow: /$a\nDisallow: /**", PATHS("/$a"), PATHS("/b"));
	line_is("User-agent: x\nAllow: /$a\nDisallow: /***", "x", "/$a", -3);
	line_is("User-agent: x\nAllow: /%24a\nDisallow: /***", "x", "/$a", 2);

	/* which line decides among rules that say the same */
	line_is("User-agent: x\nDisallow: /ab\nDisallow: /a*\nDisallow: /ab", "x", "/ab", -2);
	line_is("User-agent: x\nDisallow: /a*\nDisallow: /ab", "x", "/ab", -2);
	line_is("User-agent: x\nDisallow: /a*\nAllow: /*b\nAllow: /ab", "x", "/ab", 3);
}

/* Wildcards. */
static void
test_wildcards(void)
{
	rules("Disallow: /fish", PATHS("/Fish.asp", "/catfish", "/?id=fish", "/desert/fish"),
		  PATHS("/fish", "/fish.html", "/fish/salmon.html", "/fishheads", "/fish.php?id=anything"));
	rules("Disallow: /fish*", PATHS("/Fish.asp", "/catfish"), PATHS("/fish", "/fish/salmon.html"));
	rules("Disallow: /fish/", PATHS("/fish", "/fish.html"), PATHS("/fish/", "/fish/?id=1"));
	rules("Disallow: fish", PATHS("/fish", "fish", "/"), NO_PATHS);
	rules("Disallow: *fish", PATHS("/"), PATHS("/fish", "/a/fish"));
	rules("Disallow: *", NO_PATHS, PATHS("/", "/a"));
	rules("Disallow: $", PATHS("/", "/a", ""), NO_PATHS);
	rules("Disallow: *$", NO_PATHS, PATHS("/", "/a", ""));
	rules("Disallow: /*.php", PATHS("/", "/windows.PHP"),
		  PATHS("/index.php", "/folder/filename.php?parameters", "/folder/any.php.file.html", "/filename.php/"));
	rules("Disallow: /*.php$", PATHS("/filename.php?parameters", "/filename.php/", "/filename.php5", "/windows.PHP"),
		  PATHS("/filename.php", "/folder/filename.php", "/a.php.php", "/.php"));
	rules("Disallow: /fish*.php", PATHS("/Fish.PHP", "/fish.asp"), PATHS("/fish.php", "/fishheads/catfish.php?parameters"));
	rules("Disallow: /a*b*c", PATHS("/acb", "/ab", "/cab"), PATHS("/abc", "/axbxcx", "/abbc", "/a/b/c"));
	rules("Disallow: /a*b*c$", PATHS("/abcd", "/acb"), PATHS("/abc", "/abcdc", "/abcbc"));
	rules("Disallow: /*ab*ab", PATHS("/aab", "/xaba"), PATHS("/abab", "/xabyab", "/aabab"));
	rules("Disallow: /**a", PATHS("/b"), PATHS("/a", "/ba"));
	rules("Disallow: /a*$", PATHS("/b"), PATHS("/a", "/ab"));
	rules("Disallow: /a$$", PATHS("/a", "/a$b"), PATHS("/a$"));
	rules("Disallow: /a$b", PATHS("/a", "/ab"), PATHS("/a$b", "/a$bc", "/a%24b"));
	rules("Disallow: /a$*", PATHS("/a"), PATHS("/a$", "/a$b"));
	rules("Disallow: /?*q=", PATHS("/a?q="), PATHS("/?q=", "/?a&q=1"));
}

/* One form for both sides: RFC 9309, section 2.2.2. */
static void
test_forms(void)
{
	rules("Disallow: /foo/bar?baz=quz", PATHS("/foo/bar", "/foo/bar%3Fbaz=quz"), PATHS("/foo/bar?baz=quz"));
	rules("Disallow: /a?b=http://c.d?e&f", NO_PATHS, PATHS("/a?b=http://c.d?e&f"));
	rules("Disallow: /a?b=http%3A%2F%2fc", PATHS("/a?b=http://c"), PATHS("/a?b=http%3A%2F%2Fc", "/a?b=http%3a%2f%2fc"));
	rules("Disallow: /a/b", PATHS("/a%2Fb"), PATHS("/a/b"));
	rules("Disallow: /\xE3\x83\x84", PATHS("/\xE3\x83\x83"), PATHS("/\xE3\x83\x84", "/%E3%83%84", "/%e3%83%84"));
	rules("Disallow: /%e3%83%84", NO_PATHS, PATHS("/\xE3\x83\x84", "/%E3%83%84", "/%e3%83%84"));
	rules("Disallow: /%62%61%7A%2d%7e", NO_PATHS, PATHS("/baz-~", "/%62%61%7A%2D~"));
	rules("Disallow: /baz", NO_PATHS, PATHS("/%62%61%7a"));
	rules("Disallow: /%2A", PATHS("/a"), PATHS("/*", "/%2a", "/*a"));
	rules("Disallow: /a%2Ab$", PATHS("/axb", "/ab"), PATHS("/a*b"));
	rules("Disallow: /a%24", PATHS("/a"), PATHS("/a$", "/a$b", "/a%24"));
	rules("Disallow: /100%", PATHS("/100"), PATHS("/100%", "/100%25", "/100%off"));
	rules("Disallow: /%zz%4", NO_PATHS, PATHS("/%25zz%254", "/%zz%4"));
	rules("Disallow: /a b\"<", NO_PATHS, PATHS("/a%20b%22%3C", "/a b\"<"));
	rules("Disallow: /f[1]", NO_PATHS, PATHS("/f[1]", "/f%5B1%5d"));
	rules("Disallow: /a;b=1,2&c=(3)!+:@'", PATHS("/a%3Bb"), PATHS("/a;b=1,2&c=(3)!+:@'"));
	rules("Disallow: /a+b", PATHS("/a%2Bb", "/a%20b", "/a b"), PATHS("/a+b"));
	rules("Disallow: /%\xFF", PATHS("/%FF"), PATHS("/%25%ff"));
	rules("Disallow: /a%23", PATHS("/a#", "/a#b"), PATHS("/a%23b"));
}

static void
test_reader(void)
{
	static const char text[] = "sitemap:\tA b \t#c\nfoo: bar\nUSER-AGENT:\nSitemap\nAllow: /\x00x\rdisallow::";
	SmRobotsReader r;

	sm_robots_reader_init(&r, sm_span(text, sizeof(text) - 1));
	ok(sm_robots_next(&r) && r.key == SM_ROBOTS_SITEMAP && r.line == 1, "Sitemap");
	is(r.value.s, r.value.len, "A b", 3, "its value");
	ok(sm_robots_next(&r) && r.key == SM_ROBOTS_OTHER && r.line == 2, "another key");
	ok(sm_robots_next(&r) && r.key == SM_ROBOTS_AGENT && r.line == 3 && r.value.len == 0, "User-agent");
	ok(sm_robots_next(&r) && r.key == SM_ROBOTS_OTHER && r.line == 4, "no colon");
	ok(sm_robots_next(&r) && r.key == SM_ROBOTS_ALLOW && r.line == 5, "Allow");
	is(r.value.s, r.value.len, "/\0x", 3, "its value");
	ok(sm_robots_next(&r) && r.key == SM_ROBOTS_DISALLOW && r.line == 6, "Disallow");
	is(r.value.s, r.value.len, ":", 1, "its value");
	ok(!sm_robots_next(&r), "the end");

	foreach_string(token, "a", "Googlebot", "Googlebot-Image", "_", "-")
		ok(sm_robots_is_token(*token, strlen(*token)), *token);
	foreach_string(token, "", "*", "a b", "Googlebot/2.1", "a1", " a", "\xC3\xA9")
		ok(!sm_robots_is_token(*token, strlen(*token)), *token);
}

/* The most agents: each obeys its own group, all but the last also the group of all. */
static void
test_many_agents(void)
{
	static SmRobotsAgent agents[SM_ROBOTS_MAX_AGENTS];
	static char names[SM_ROBOTS_MAX_AGENTS][4];
	static char text[20000];
	SmRobots	robots;
	size_t		len = 0;
	char		room[100];

	for (int i = 0; i < SM_ROBOTS_MAX_AGENTS; i++)
	{
		sprintf(names[i], "%c%c", 'a' + i / 16, 'a' + i % 16);
		agents[i].name = sm_span_of(names[i]);
		len += sprintf(text +len, "User-agent: %s\nDisallow: /%s\n", names[i], names[i]);
	}
	for (int i = 0; i < SM_ROBOTS_MAX_AGENTS - 1; i++)
		len += sprintf(text +len, "User-agent: %s\n", names[i]);
	len += sprintf(text +len, "Disallow: /a\n");

	sm_robots_init(&robots, sm_span(text, len), agents, SM_ROBOTS_MAX_AGENTS, count_check, exactly(NULL, SM_ROBOTS_MEMORY(len)));
	for (int i = 0; i < SM_ROBOTS_MAX_AGENTS; i++)
	{
		bool		right = true;
		const char *path = text_of("/%s", names[i]);

		sm_robots_match(&robots, path, strlen(path), room);
		for (int k = 0; k < SM_ROBOTS_MAX_AGENTS; k++)
		{
			uint32_t	line = i == k ? 2 * i + 2 :
				i < 16 && k < SM_ROBOTS_MAX_AGENTS - 1 ? 3 * SM_ROBOTS_MAX_AGENTS : 0;

			right &= (agents[k].rule ? agents[k].rule->line : 0) == line;
		}
		ok(right, path);
	}
}

/* Compiling and a match that takes many steps are checked for interrupts; a short match is not. */
static void
test_interrupts(void)
{
	static const char start[] = "User-agent: a\nDisallow: *";
	static char text[sizeof(start) + 100];
	static char path[200000];
	static char room[SM_ROBOTS_ROOM(sizeof(path))];
	SmRobots	robots;
	SmRobotsAgent agents[1 + SM_ROBOTS_STAND_INS] = {{.name = sm_span_of("a")}};
	size_t		len = sizeof(text) - 1;

	/* "*aaa...b", looked for at each a */
	memset(text, 'a', len);
	memcpy(text, start, sizeof(start) - 1);
	text[len - 1] = 'b';
	nchecks = 0;
	sm_robots_init(&robots, sm_span(text, len), agents, 1, count_check, exactly(NULL, SM_ROBOTS_MEMORY(len)));
	is_number(nchecks, 13, "a check for each line, whenever it is read");
	memset(path, 'a', sizeof(path));
	path[1] = 'b';
	nchecks = 0;
	sm_robots_match(&robots, path, 1000, room);
	is_number(nchecks, 0, "a short path");
	sm_robots_match(&robots, path, sizeof(path), room);
	is_number(nchecks, 20, "a long path");
}

/* Each URL is compared with two wildcards, however many the rule has side by side. */
static void
test_wildcards_side_by_side(void)
{
	SmSpan text = sm_span_of("User-agent: a\nDisallow: /**********x***");
	SmRobotsAgent agents[1 + SM_ROBOTS_STAND_INS] = {{.name = sm_span_of("a")}};
	SmRobots	robots;

	sm_robots_init(&robots, text, agents, 1, count_check, exactly(NULL, SM_ROBOTS_MEMORY(text.len)));
	is_number(robots.rules[0].key_len, strlen("/*x*"), "wildcards side by side are kept as one");
	is_number(robots.rules[0].length, strlen("/**********x***"), "but count in the length of the rule");
}

/* Many rules, and a line of any length. */
static void
test_size(void)
{
	static char text[SM_ROBOTS_MAX];
	size_t		len = sprintf(text, "User-agent: x\n");
	unsigned	lines = 1;

	while (len < sizeof(text) - 100)
	{
		len += sprintf(text +len, "Disallow: /*/%u/*.pdf$\nAllow: /%u/\n", lines, lines);
		lines += 2;
	}
	is_number(decide(sm_span(text, len), "x", sm_span_of("/1/a")), 3, "the first of many rules");
	is_number(decide(sm_span(text, len), "x", sm_span_of("/a/1/.pdf")), -2, "the first of many rules with wildcards");
	is_number(decide(sm_span(text, len), "x", sm_span_of(text_of("/a/%u/b/c.pdf", lines - 2))),
			  -(long long) (lines - 1), "the last of many rules");

	/* one line, with all that each octet could cost */
	len = sprintf(text, "User-agent: x\nAllow: /");
	memset(text +len, '*', sizeof(text) - len);
	is_number(decide(sm_span(text, sizeof(text)), "x", sm_span_of("/aaa")), 2, "nothing but wildcards");
	for (size_t i = len + 1; i < sizeof(text); i += 2)
		text[i] = 'a';
	is_number(decide(sm_span(text, sizeof(text)), "x", sm_span(text +len, 2047)), 0, "wildcards and a letter");
	memset(text +len, '\xFF', sizeof(text) - len);
	is_number(decide(sm_span(text, sizeof(text)), "x", sm_span(text +len - 1, 2047)), 0, "all to be escaped");
}

int
main(void)
{
	test_groups();
	test_google();
	test_crawlers();
	test_misspelled();
	test_stand_ins();
	test_limit();
	test_agents();
	test_many_agents();
	test_lines();
	test_rules();
	test_wildcards();
	test_forms();
	test_reader();
	test_interrupts();
	test_wildcards_side_by_side();
	test_size();
	return done();
}
