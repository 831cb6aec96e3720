/*
 * test_xmlreader.c
 *	  Unit tests of web/xmlreader: fragments and documents, well-formed and not.
 *
 * What the reader sees is written down as a line:
 *
 *	  (name		a start; {namespace} before it, ?prefix after it for an undeclared
 *				prefix, attributes in brackets
 *	  )name		an end
 *	  "text"	raw text, and 'data' of a CDATA section
 *	  <!>, <?>	a comment, a processing instruction
 *	  !message	an error, with the undeclared prefix before it in braces
 */
#include "web/xmlreader.h"

#include <stdarg.h>

#include "tap.h"
#include "web/xml.h"

#define NEWS		"http://www.google.com/schemas/sitemap-news/0.9"
#define XML_URI		"http://www.w3.org/XML/1998/namespace"
#define XMLNS_URI	"http://www.w3.org/2000/xmlns/"

#define EARLY		"!unexpected end"
#define UTF8		"!not valid UTF-8"
#define ILLEGAL		"!character that XML does not allow"
#define AMPERSAND	"!\"&\" does not begin a valid reference; write \"&amp;\""
#define OUTSIDE		"!text outside of the root element"
#define NO_MARKUP	"!\"<\" begins no markup; write \"&lt;\""
#define TAG			"!an element's tag is malformed"
#define MISMATCH	"!tags do not match"
#define TWICE		"!an element has an attribute twice"
#define COMMENT		"!\"--\" inside a comment"
#define PI			"!malformed processing instruction"
#define DECLARATION	"!XML declaration is malformed or not at the beginning"
#define UNDECLARED	"!undeclared namespace prefix"
#define RESERVED	"!declaration of a reserved prefix or namespace, or of a prefix without namespace"
#define SPELLING	"!the name of a namespace has a reference, a tab or a line break"

/* what the reader is asked to read */
static bool as_document = false;

/* room for a document that reaches every limit */
static char trace[65536];
static size_t trace_len;

static void
note(const char *format,...)
{
	va_list		args;
	int			n;

	va_start(args, format);
	n = vsnprintf(trace + trace_len, sizeof(trace) - trace_len, format, args);
	va_end(args);
	if (n < 0 || trace_len + n >= sizeof(trace))
		abort();
	trace_len += n;
}

static void
note_span(const char *before, SmSpan span, const char *after)
{
	note("%s%.*s%s", before, (int) span.len, span.s, after);
}

/* The names of the open elements, to be noted at their ends as well. */
static struct
{
	SmSpan		uri;
	SmSpan		prefix;
	SmSpan		name;
}			names[SM_XML_DEPTH_MAX + SM_XML_DOCUMENT_DEPTH];

static void
note_name(int depth)
{
	if (names[depth].uri.len > 0)
		note_span("{", names[depth].uri, "}");
	if (names[depth].prefix.len > 0)
		note_span("", names[depth].prefix, ":");
	note_span("", names[depth].name, "");
}

/*
 * Read to the end and note what there is.  False if a token is not where the
 * one before it ended, or not as deep as it should be.
 */
static bool
read_all(const char *src, size_t len)
{
	SmXmlReader r;
	const char *expected = NULL;
	int			depth = 0;
	bool		consistent = true;

	trace_len = 0;
	trace[0] = '\0';
	if (as_document)
		sm_xml_reader_init_document(&r, src, len);
	else
		sm_xml_reader_init(&r, src, len);
	for (;;)
	{
		SmXmlToken	token = sm_xml_next(&r);

		if (token == SM_XML_END_OF_INPUT)
			return consistent && depth == 0 &&
				(expected == NULL || expected == src + len);
		if (token == SM_XML_ERROR)
		{
			if (r.undeclared.s != NULL && !as_document)
				note_span("{", r.undeclared, "}");
			note("!%s", r.message);
			return consistent;
		}

		if (expected != NULL && r.raw.s != expected)
			consistent = false;
		expected = r.raw.s + r.raw.len;
		if (token == SM_XML_END)
			depth--;
		if (r.depth != depth)
			consistent = false;
		if (token == SM_XML_START)
			depth++;

		switch (token)
		{
			case SM_XML_START:
				note("(");
				names[r.depth].uri = r.uri;
				names[r.depth].prefix = r.prefix;
				names[r.depth].name = r.name;
				note_name(r.depth);
				if (r.undeclared.s != NULL)
					note_span("?", r.undeclared, "");
				for (int i = 0; i < r.nattributes; i++)
				{
					note_span("[", r.attributes[i].prefix, r.attributes[i].prefix.len > 0 ? ":" : "");
					note_span("", r.attributes[i].name, "=");
					note_span("", r.attributes[i].value, "]");
				}
				break;
			case SM_XML_END:
				note(")");
				note_name(r.depth);
				break;
			case SM_XML_TEXT:
				note_span("\"", r.raw, "\"");
				break;
			case SM_XML_CDATA:
				note_span("'", r.data, "'");
				break;
			case SM_XML_COMMENT:
				note("<!>");
				break;
			default:
				note("<?>");
				break;
		}
	}
}

static void
reads_bytes(const char *src, size_t len, const char *wanted, const char *name)
{
	bool		consistent = read_all(exactly(src, len), len);

	if (is_string(sm_span(trace, trace_len), wanted, name) && !consistent)
		ok(false, "the tokens follow each other and are as deep as they should be");
}

static void
reads(const char *src, const char *wanted)
{
	reads_bytes(src, strlen(src), wanted, src);
}

static void
test_elements(void)
{
	foreach_pair(pair,
		{"", ""}, {"text", "\"text\""}, {"<a/><b/>", "(a)a(b)b"},
		{" <a> x <b>y</b> z </a> ", "\" \"(a\" x \"(b\"y\")b\" z \")a\" \""},
		{"<a.b-c_1/>", "(a.b-c_1)a.b-c_1"}, {"<_/>", "(_)_"},
		{"<a><a><a/></a></a>", "(a(a(a)a)a)a"})
		reads(pair->given, pair->wanted);
	foreach_string(src, "<a/>", "<a></a>", "<a  ></a\t\r\n>", "<a\n/>")
		reads(*src, "(a)a");

	foreach_pair(pair,
		{"<a>", "(a" EARLY}, {"<a", EARLY}, {"<a ", EARLY}, {"<a/", TAG}, {"<", NO_MARKUP},
		{"</", MISMATCH}, {"</a>", MISMATCH}, {"<a></ab>", "(a" MISMATCH}, {"<a></ a>", "(a" MISMATCH}, {"<a></>", "(a" MISMATCH}, {"<a></b>", "(a" MISMATCH}, {"<a></A>", "(a" MISMATCH},
		{"<a><b></a></b>", "(a(b" MISMATCH}, {"<a/></a>", "(a)a" MISMATCH}, {"<a / >", TAG},
		{"<a//>", TAG}, {"<a<b/>", TAG}, {"a < b", "\"a \"" NO_MARKUP}, {"<a\x01/>", TAG},
		{"<a\x0B/>", TAG})
		reads(pair->given, pair->wanted);
	foreach_string(src, "<a></a", "<a></a b>")
		reads(*src, "(a" MISMATCH);
	foreach_string(src, "< a/>", "<1/>", "<-a/>", "<.a/>", "<>")
		reads(*src, NO_MARKUP);
	reads_bytes("<a\0/>", 5, TAG, "NUL in a tag");
	reads("<a%/>", TAG);
}

/* First and last of the characters that begin a name, and of those that go on. */
static const uint32_t name_starts[][2] = {
	{'A', 'Z'}, {'_', '_'}, {'a', 'z'}, {0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x2FF},
	{0x370, 0x37D}, {0x37F, 0x1FFF}, {0x200C, 0x200D}, {0x2070, 0x218F}, {0x2C00, 0x2FEF},
	{0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF}
};
static const uint32_t other_name_chars[][2] = {
	{'-', '.'}, {'0', '9'}, {0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}
};

static bool
in_ranges(uint32_t c, const uint32_t (*ranges)[2], int n)
{
	for (int i = 0; i < n; i++)
		if (c >= ranges[i][0] && c <= ranges[i][1])
			return true;
	return false;
}

/* Is the fragment one element, and its name all between the brackets? */
static bool
is_one_name(const char *src, size_t len)
{
	SmXmlReader r;

	sm_xml_reader_init(&r, src, len);
	return sm_xml_next(&r) == SM_XML_START && r.name.s == src + 1 && r.name.len == len - 3;
}

/* XML 1.0, fifth edition, productions [4] and [4a], one character at a time, surrogates and all. */
static void
test_names(void)
{
	int			wrong_starts = 0;
	int			wrong_chars = 0;

	for (uint32_t c = 1; c <= 0x10FFFF; c++)
	{
		char		src[16] = "<";
		size_t		n = put_utf8(c, src + 1);
		bool		starts = in_ranges(c, name_starts, 15);
		bool		goes_on = starts || in_ranges(c, other_name_chars, 5);

		memcpy(src + 1 + n, "/>", 2);
		wrong_starts += is_one_name(src, n + 3) != starts;

		memmove(src + 2, src + 1, n + 2);
		src[1] = 'a';
		wrong_chars += is_one_name(src, n + 4) != goes_on;
	}
	is_number(wrong_starts, 0, "every character at the beginning of a name");
	is_number(wrong_chars, 0, "every character inside a name");
	foreach_pair(pair,
		{"<\xD0\xBF\xD1\x83 \xE3\x81\x82='1'/>", "(\xD0\xBF\xD1\x83[\xE3\x81\x82=1])\xD0\xBF\xD1\x83"},
		{"<\xC2\xB7/>", NO_MARKUP}, {"<a\xC3\xB7/>", TAG}, {"<a\xC3/>", TAG}, {"<\xFF/>", NO_MARKUP})
		reads(pair->given, pair->wanted);
}

static void
test_attributes(void)
{
	foreach_pair(pair,
		{"<a b='1'/>", "(a[b=1])a"}, {"<a b=\"1\" c='2'/>", "(a[b=1][c=2])a"},
		{"<a\n\tb = \"1\"\r\n></a>", "(a[b=1])a"}, {"<a b=''/>", "(a[b=])a"},
		{"<a b='\"' c=\"'\"/>", "(a[b=\"][c='])a"}, {"<a b='>]]>/'/>", "(a[b=>]]>/])a"},
		{"<a b='&lt;&#60;&amp;'/>", "(a[b=&lt;&#60;&amp;])a"},
		{"<a b='\xC3\xA9'/>", "(a[b=\xC3\xA9])a"}, {"<a b='1' B='2'/>", "(a[b=1][B=2])a"},
		{"<a b='1\n2'/>", "(a[b=1\n2])a"})
		reads(pair->given, pair->wanted);

	foreach_string(src, "<a b/>", "<a b>", "<a b", "<a b c='1'/>")
		reads(*src, "!an attribute has no value");
	foreach_string(src, "<a b=1/>", "<a b=/>", "<a b=")
		reads(*src, "!an attribute's value is not quoted");
	foreach_string(src, "<a b='1", "<a b='1\"/>", "<a b='1'")
		reads(*src, EARLY);
	foreach_string(src, "<a b='1'c='2'/>", "<a'1'/>", "<a ='1'/>", "<a 1='1'/>")
		reads(*src, TAG);
	foreach_pair(pair,
		{"<a b='<'/>", "!\"<\" in the value of an attribute"}, {"<a b='&'/>", AMPERSAND},
		{"<a b='&nbsp;'/>", AMPERSAND}, {"<a b='&#0;'/>", AMPERSAND}, {"<a b='\x01'/>", ILLEGAL},
		{"<a b='\xEF\xBF\xBF'/>", ILLEGAL}, {"<a b='\xC3'/>", UTF8}, {"<a b='1' b='2'/>", TWICE},
		{"<a b='1' c='2' b='1'/>", TWICE}, {"<a></a b='1'>", "(a" MISMATCH})
		reads(pair->given, pair->wanted);
}

static void
test_text(void)
{
	reads("<a>&amp;&lt;&gt;&quot;&apos;&#10;&#xE9;</a>", "(a\"&amp;&lt;&gt;&quot;&apos;&#10;&#xE9;\")a");
	reads("<a>x>y ]] ]> \"'</a>", "(a\"x>y ]] ]> \"'\")a");
	reads("<a>\x7F\xC2\x85\xF0\x9F\x98\x80\t\r\n\\</a>", "(a\"\x7F\xC2\x85\xF0\x9F\x98\x80\t\r\n\\\")a");
	reads("<a>]]<b/>></a>", "(a\"]]\"(b)b\">\")a");
	reads("]]&gt;", "\"]]&gt;\"");

	foreach_pair(pair,
		{"a]]>b", "!\"]]>\" in text"}, {"<a>]]]></a>", "(a!\"]]>\" in text"}, {"a&b;", AMPERSAND},
		{"&copy;", AMPERSAND}, {"&#x110000;", AMPERSAND}, {"&#xD800;", AMPERSAND})
		reads(pair->given, pair->wanted);
	foreach_string(src, "&", "&;", "& b;", "?a=1&b=2;", "&amp")
		reads(*src, AMPERSAND);
	foreach_string(src, "a\x01", "a\x0B", "\x1F")
		reads(*src, ILLEGAL);
	reads_bytes("a\0b", 3, ILLEGAL, "NUL in text");
	reads("\xEF\xBF\xBE", ILLEGAL);
	reads("\xEF\xBF\xBF", ILLEGAL);
	foreach_string(src, "\xC3(", "\xED\xA0\x80", "\xC0\x80", "\xF4\x90\x80\x80", "\xE2\x82")
		reads(*src, UTF8);
}

static void
test_cdata(void)
{
	reads("<a><![CDATA[]]></a>", "(a'')a");
	reads("<a><![CDATA[<b>&x;</c>]]></a>", "(a'<b>&x;</c>')a");
	reads("<a>x<![CDATA[]]]]><![CDATA[>]]>y</a>", "(a\"x\"']]''>'\"y\")a");
	reads("<![CDATA[x]]>", "'x'");

	foreach_string(src, "<![CDATA[x]]", "<![CDATA[x", "<![CDATA[")
		reads(*src, EARLY);
	foreach_string(src, "<![CDATA", "<![cdata[x]]>", "<![ CDATA[x]]>")
		reads(*src, NO_MARKUP);
	reads("<![CDATA[x]]>]]>", "'x'!\"]]>\" in text");
	reads("<![CDATA[\x01]]>", ILLEGAL);
	reads("<![CDATA[\xFF]]>", UTF8);
}

static void
test_comments(void)
{
	reads("<!---->", "<!>");
	reads("<!-- <a> & - > ]]> \xC3\xA9 -->", "<!>");
	reads("<a><!--x--></a>", "(a<!>)a");

	foreach_string(src, "<!-- -- -->", "<!-- --->", "<!----->")
		reads(*src, COMMENT);
	foreach_string(src, "<!-->", "<!--->", "<!--", "<!-- -")
		reads(*src, EARLY);
	foreach_pair(pair,
		{"<!-- --", COMMENT}, {"<!- x -->", NO_MARKUP}, {"<!>", NO_MARKUP},
		{"<!-- \x01 -->", ILLEGAL}, {"<!-- \xFF -->", UTF8})
		reads(pair->given, pair->wanted);
}

static void
test_pis(void)
{
	foreach_string(src,
		"<?a?>", "<?a b c?>", "<?a\n?>", "<?a <b> & ? > ?" "?>", "<?xml-stylesheet href='x'?>",
		"<?xmlx ?>")
		reads(*src, "<?>");
	reads("<a><?b?></a>", "(a<?>)a");

	foreach_string(src, "<?" "?>", "<? a?>", "<?a", "<?a>", "<?1?>", "<?a:b?>", "<?")
		reads(*src, PI);
	foreach_pair(pair,
		{"<?a ", EARLY}, {"<?a ?", EARLY}, {"<?a \x01?>", ILLEGAL}, {"<?a \xFF?>", UTF8})
		reads(pair->given, pair->wanted);
}

static void
test_prolog(void)
{
	reads("<?xml version=\"1.0\"?><a/>", "(a)a");
	reads("<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\n<a/>", "\"\n\"(a)a");
	reads("<?xml\tversion=\"1.0\"?>", "");
	reads(" <?xml version=\"1.0\"?><a/>", "\" \"" DECLARATION);
	reads("<a><?xml version=\"1.0\"?></a>", "(a" DECLARATION);
	reads("<a/><?XML version=\"1.0\"?>", "(a)a" DECLARATION);
	foreach_string(src,
		"<?xMl version=\"1.0\"?><a/>", "<?xml version=\"1.0\"?><?xml version=\"1.0\"?>",
		"<?xml version=\"1.0\"", "<?xml version=\"1.0\">", "<?xml version=\"1.0", "<?xml version=1.0?>",
		"<?xml version?>", "<?xml =\"1.0\"?>")
		reads(*src, DECLARATION);
	reads("<!DOCTYPE a><a/>", "!misplaced document type declaration");
	reads("<!doctype a>", NO_MARKUP);
	reads("<!ENTITY a 'b'>", NO_MARKUP);
	reads("\xEF\xBB\xBF<a/>", "\"\xEF\xBB\xBF\"(a)a");
}

static void
test_namespaces(void)
{
	reads("<a xmlns='u'><b/></a>", "({u}a[xmlns=u]({u}b){u}b){u}a");
	reads("<x:a xmlns:x='u' x:b='1' b='2'/>", "({u}x:a[xmlns:x=u][x:b=1][b=2]){u}x:a");
	reads("<x:a x:b='1' xmlns:x='u'/>", "({u}x:a[x:b=1][xmlns:x=u]){u}x:a");
	reads("<a xmlns='u'><b xmlns=''><c/></b><d/></a>",
		  "({u}a[xmlns=u](b[xmlns=](c)c)b({u}d){u}d){u}a");
	reads("<x:a xmlns:x='u'><x:b xmlns:x='v'><x:c/></x:b><x:d/></x:a>",
		  "({u}x:a[xmlns:x=u]({v}x:b[xmlns:x=v]({v}x:c){v}x:c){v}x:b({u}x:d){u}x:d){u}x:a");
	reads("<a xmlns:x='u'/><b xmlns:x='v'><x:c/></b>", "(a[xmlns:x=u])a(b[xmlns:x=v]({v}x:c){v}x:c)b");
	reads("<a xmlns:x='u'><b/><x:c/></a>", "(a[xmlns:x=u](b)b({u}x:c){u}x:c)a");
	reads("<a xmlns='u' xmlns:x='u' b='1' x:b='2'/>", "({u}a[xmlns=u][xmlns:x=u][b=1][x:b=2]){u}a");
	reads("<a xmlns:x='u' xmlns:y='v' x:b='1' y:b='2'/>", "(a[xmlns:x=u][xmlns:y=v][x:b=1][y:b=2])a");
	reads("<a xmlns:x='u' x='1'/>", "(a[xmlns:x=u][x=1])a");
	reads("<\xC3\xA9:a xmlns:\xC3\xA9='u'/>", "({u}\xC3\xA9:a[xmlns:\xC3\xA9=u]){u}\xC3\xA9:a");

	/* what the document around it declares, unless the fragment does */
	reads("<news:a news:b='1'/>", "({" NEWS "}news:a[news:b=1]){" NEWS "}news:a");
	reads("<news:a xmlns:news='u'/>", "({u}news:a[xmlns:news=u]){u}news:a");

	reads("<x:a/>", "{x}" UNDECLARED);
	reads("<a x:b='1'/>", "{x}" UNDECLARED);
	reads("<a xmlns:x='u'/><x:b/>", "(a[xmlns:x=u])a{x}" UNDECLARED);
	reads("<a><b xmlns:x='u'/><x:c/></a>", "(a(b[xmlns:x=u])b{x}" UNDECLARED);
	reads("<a><b xmlns:x='u'></b><c x:d='1'/></a>", "(a(b[xmlns:x=u])b{x}" UNDECLARED);
	reads("<X:a xmlns:x='u'/>", "{X}" UNDECLARED);
	reads("<docs:a/>", "{docs}" UNDECLARED);
	foreach_string(src, "<:a/>", "<a:/>", "<a:1/>")
		reads(*src, NO_MARKUP);
	foreach_string(src, "<x:a:b xmlns:x='u'/>", "<a :b='1'/>", "<a b:='1'/>", "<a xmlns:='1'/>")
		reads(*src, TAG);
	reads("<a b:c:d='1'/>", "!an attribute has no value");
	reads("<x:a xmlns:x='u'></a>", "({u}x:a[xmlns:x=u]" MISMATCH);
	reads("<x:a xmlns:x='u' xmlns:y='u'></y:a>", "({u}x:a[xmlns:x=u][xmlns:y=u]" MISMATCH);

	reads("<a xmlns='u' xmlns='v'/>", TWICE);
	reads("<a xmlns:x='u' xmlns:x='u'/>", TWICE);
	reads("<a xmlns:x='u' xmlns:y='u' x:b='1' y:b='2'/>", TWICE);
	reads("<a xmlns:x='u' x:b='1' x:b='2'/>", TWICE);
	reads("<a xmlns:x='" NEWS "' x:b='1' news:b='2'/>", TWICE);
	reads("<a xmlns:x=''/>", RESERVED);

	/* names are compared as they are written, so there must be one way only */
	reads("<a xmlns:x='u?a&amp;b c' x:d='&#38;'/>", "(a[xmlns:x=u?a&amp;b c][x:d=&#38;])a");
	foreach_string(src,
		"<a xmlns:x='u&amp;' xmlns:y='u&#38;' x:b='1' y:b='2'/>",
		"<a xmlns:x='u v' xmlns:y='u\tv' x:b='1' y:b='2'/>", "<a xmlns='u\n'/>",
		"<a xmlns='u\r'/>", "<a xmlns='&#117;'/>", "<a xmlns='&quot;'/>",
		"<a xmlns:x='http://www.w3.org/XML/1998/namespac&#101;'/>",
		"<a xmlns='http://www.w3.org/2000/xmln&#115;/'/>")
		reads(*src, SPELLING);
}

static void
test_reserved_namespaces(void)
{
	reads("<a xml:lang='en' xml:space='preserve'/>", "(a[xml:lang=en][xml:space=preserve])a");
	reads("<xml:a/>", "({" XML_URI "}xml:a){" XML_URI "}xml:a");
	reads("<a xmlns:xml='" XML_URI "' xml:id='b'/>", "(a[xmlns:xml=" XML_URI "][xml:id=b])a");
	reads("<a xmlns:xmlfoo='u'/>", "(a[xmlns:xmlfoo=u])a");

	foreach_pair(pair,
		{"<a xml:lang='en' xml:lang='de'/>", TWICE}, {"<a xmlns:xml='u'/>", RESERVED},
		{"<a xmlns:xml=''/>", RESERVED}, {"<a xmlns='" XML_URI "'/>", RESERVED},
		{"<a xmlns:x='" XML_URI "'/>", RESERVED}, {"<a xmlns:xmlns='u'/>", RESERVED},
		{"<a xmlns:xmlns='" XMLNS_URI "'/>", RESERVED},
		{"<a xmlns='" XMLNS_URI "'/>", RESERVED},
		{"<a xmlns:x='" XMLNS_URI "'/>", RESERVED},
		{"<xmlns:a/>", "!an element has the reserved prefix \"xmlns\""})
		reads(pair->given, pair->wanted);
}

static void
test_documents(void)
{
	as_document = true;
	reads("<a/>", "(a)a");
	reads("<?xml version='1.0'?>\n<!-- b --><?c?><a><b/><c/></a>\r\n<!-- b --> <?c?>",
		  "\"\n\"<!><?>(a(b)b(c)c)a\"\r\n\"<!>\" \"<?>");
	reads(" \n<a/>", "\" \n\"(a)a");
	reads(" <?xml version='1.0'?><a/>", "\" \"" DECLARATION);

	foreach_pair(pair,
		{"", "!root element is missing"}, {" <!-- a -->", "\" \"<!>!root element is missing"},
		{"<a>", "(a" EARLY}, {"<a/><b/>", "(a)a!second root element"},
		{"<a></a> <a>", "(a)a\" \"!second root element"}, {"a<a/>", OUTSIDE}, {"\n a", OUTSIDE},
		{"<a/> &amp;", "(a)a" OUTSIDE}, {"<a/>&nbsp;", "(a)a" AMPERSAND}, {"<a/> \xFF", "(a)a" UTF8},
		{"<a/> \x01", "(a)a" ILLEGAL}, {"<![CDATA[]]><a/>", NO_MARKUP},
		{"<a/><![CDATA[b]]>", "(a)a" NO_MARKUP}, {"<a/></a>", "(a)a" MISMATCH})
		reads(pair->given, pair->wanted);

	/* a document type declaration counts as a comment */
	reads("<!DOCTYPE a><a/>", "<!>(a)a");
	reads("<?xml version=\"1.0\"?>\n<!DOCTYPE\ta:b SYSTEM 'c\"[>' ><a/>", "\"\n\"<!>(a)a");
	reads("<!DOCTYPE a PUBLIC \"b\"\n'c'><a/>", "<!>(a)a");
	reads("<!DOCTYPE a>", "<!>!root element is missing");
	foreach_string(text,
		"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<!DOCTYPE a[]>", "<!DOCTYPE a SYSTEM 'b' [",
		"<!DOCTYPE", "<!DOCTYPE>", "<!DOCTYPEa>", "<!DOCTYPE a", "<!DOCTYPE 1>", "<!DOCTYPE a b>", "<!DOCTYPE a SYSTEM>",
		"<!DOCTYPE a SYSTEM'b'>", "<!DOCTYPE a SYSTEM 'b", "<!DOCTYPE a SYSTEM 'b' 'c'>", "<!DOCTYPE a PUBLIC 'b'>",
		"<!DOCTYPE a PUBLIC 'b''c'>", "<!DOCTYPE a SYSTEM '\xFF'>", "<!DOCTYPE a SYSTEM '\x01'>")
		reads(*text, "!a document type declaration is malformed or has an internal subset");
	reads("<!DOCTYPE a><!DOCTYPE a><a/>", "<!>!misplaced document type declaration");
	reads("<a><!DOCTYPE a></a>", "(a!misplaced document type declaration");
	reads("<a/><!DOCTYPE a>", "(a)a!misplaced document type declaration");

	/* an undeclared prefix stands for itself */
	reads("<news:a/>", "({news}news:a?news){news}news:a");
	reads("<a><b:c d:e=''/><f/></a>", "(a({b}b:c?b[d:e=]){b}b:c(f)f)a");
	reads("<a><b d:e='' f:g=''/></a>", "(a(b?f[d:e=][f:g=])b)a");
	reads("<a><b><c xmlns:d='u' d:e=''/><c d:e=''/></b></a>", "(a(b(c[xmlns:d=u][d:e=])c(c?d[d:e=])c)b)a");
	reads("<a b:c='' b:c=''/>", "!an element has an attribute twice");
	reads("<a b:c='' d:c=''/>", "(a?d[b:c=][d:c=])a");
	reads("<a><b:c></b:d></a>", "(a({b}b:c?b" MISMATCH);
	as_document = false;
}

/*
 * Read what consists of parts, each a number and a format that is repeated so often, with
 * 0, 1, 2 ... for it; a number of -1 ends them.  Is what the reader says last this error,
 * or none?
 */
static void
ends(const char *error, const char *name,...)
{
	static char src[8192];
	size_t		len = 0;
	va_list		parts;
	const char *found;
	bool		consistent;

	va_start(parts, name);
	for (int n; (n = va_arg(parts, int)) >= 0;)
	{
		const char *format = va_arg(parts, const char *);

		for (int i = 0; i < n; i++)
			len += sprintf(src + len, format, i);
	}
	va_end(parts);
	consistent = read_all(exactly(src, len), len);
	found = strchr(trace, '!');
	ok(consistent && (error ? found && strcmp(found, error) == 0 : found == NULL), name);
}

static void
test_limits(void)
{
	for (int beyond = 0; beyond <= 1; beyond++)
	{
		const char *deep = beyond ? "!elements are nested more than 64 deep" : NULL;
		int			depth = SM_XML_DEPTH_MAX + beyond;

		ends(deep, "depth", depth, "<a>", depth, "</a>", -1);
		ends(NULL, "siblings at 64 deep", SM_XML_DEPTH_MAX - 1, "<a>", 1 + beyond, "<b/>", SM_XML_DEPTH_MAX - 1, "</a>", -1);
		ends(beyond ? "!an element has more than 64 attributes" : NULL, "attributes",
			 1, "<a", SM_XML_ATTRIBUTES_MAX + beyond, " b%d='1'", 1, "/>", -1);
		ends(beyond ? "!more than 64 namespaces in scope" : NULL, "namespaces",
			 1, "<a", 32, " xmlns:a%d='u'", 1, "><b", 32, " xmlns:b%d='u'", 1, ">", beyond, "<c xmlns='u'/>", 1, "</b></a>", -1);
		ends(beyond ? "!the name of a namespace has more than 256 bytes" : NULL, "the name of a namespace",
			 1, "<a:b xmlns:a='", SM_XML_URI_MAX + beyond, "u", 1, "'/>", -1);

		/* a document has room for such a fragment */
		as_document = true;
		depth += SM_XML_DOCUMENT_DEPTH;
		ends(deep, "depth in a document", depth, "<a>", depth, "</a>", -1);
		as_document = false;
	}

	/* those that are out of scope do not count */
	ends(NULL, "200 namespaces one after the other", 200, "<a xmlns:b%d='u'/>", -1);
}

/* No prefix of a document makes the reader look beyond its end. */
static void
test_cut_off(void)
{
	static const char src[] = "<?xml version='1.0'?><!-- a --><?b c?><d:e xmlns:d='u' f=\"&amp;\">"
		"g\xC3\xA9&#10;<![CDATA[h]]]>]]><i/></d:e>";
	bool		consistent = true;

	for (size_t len = 0; len < sizeof(src); len++)
		consistent &= read_all(exactly(src, len), len);
	ok(consistent, "a document cut off anywhere");
}

static void
test_spans(void)
{
	ok(sm_span_is((SmSpan) {"abc", 3}, "abc"), "a span is a string");
	ok(sm_span_is((SmSpan) {"abc", 0}, ""), "a span is the empty string");
	ok(!sm_span_is((SmSpan) {"abc", 2}, "abc"), "a span is not a longer string");
	ok(!sm_span_is((SmSpan) {"abc", 3}, "ab"), "a span is not a shorter string");
	foreach_string(text, " \t\r\n", "")
		ok(sm_xml_is_blank(exact(*text)), "blanks are blank, and nothing");
	foreach_string(text, " x ", "\xC2\xA0", "\x0C")
		ok(!sm_xml_is_blank(exact(*text)), *text);
}

int
main(void)
{
	test_elements();
	test_names();
	test_attributes();
	test_text();
	test_cdata();
	test_comments();
	test_pis();
	test_prolog();
	test_namespaces();
	test_reserved_namespaces();
	test_documents();
	test_limits();
	test_cut_off();
	test_spans();
	return done();
}
