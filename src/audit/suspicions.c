/*
 * suspicions.c
 *	  The table of what is suspicious.  A new kind is a row.  test_suspect.c tries
 *	  the examples of all rows.
 */
#include "audit/suspect.h"

#include "audit/pattern.h"

#define DIGIT		ONE_OF("0123456789")
#define NUMBERS_2	DIGITS "." DIGITS
#define NUMBERS_3	DIGITS "." NUMBERS_2

#define WITHIN_URL	(SM_AT(SM_WITHIN_PATH) | SM_AT(SM_WITHIN_QUERY))
#define SMALL_LETTERS	"abcdefghijklmnopqrstuvwxyz"
#define BRACKETED	"[" ONE_OF(SMALL_LETTERS) NAME
#define MISSING		"null|none|nan|nil|undefined"

const SmSuspicion sm_suspicions[] = {
	{"%s has another URL in its path: \"%s\".", SM_AT(SM_FIRST_SEGMENT),
		"http:" ANY "|https:" ANY,
	.example = "/https:/b.example",.counterexample = "/https-guide"},
	{"%s has another URL in its path: \"%s\".", SM_AT(SM_HOST),
		"http|https",
	.example = "https",.counterexample = "https.example"},
	{"%s has \"%s\" after percent-decoding, so it is probably encoded twice.", WITHIN_URL,
		IN_WORD "%2" HEX "|" IN_WORD "%3a|%" HEX HEX "%" HEX HEX,
	.except = "%" LETTER LETTER LETTER NAME "%",.example = "/a%2520b",.counterexample = "/100%25-cotton"},
	{"%s has \"%s\", which looks like a placeholder without its value.", WITHIN_URL,
		"${" TOKEN "}|#{" TOKEN "}|@{" TOKEN "}|%{" TOKEN "}"
		"|{{" ANY "}}|{{" ANY "|{" TOKEN "}|{%" ANY
		"|<" LETTER TOKEN ">|</" LETTER ANY ">|<" ONE_OF("%?#=!") ANY ">|[object" ONE_OF(" +") ANY "]"
		"|" NOT_NUMBER "%(" LETTER NAME ")|" NOT_NUMBER "%!" LETTER ANY ")|" NOT_NUMBER "%" DIGITS "$" LETTER
		"|" NOT_NUMBER "%" LETTER NAME "%|" NOT_NUMBER "%" ONE_OF("sdifuvx@") WORD_END,
	.except = "{" GUID "}",.example = "/%7Bid%7D",.counterexample = "/100%25s",.has_hash = true},
	{"%s has \"%s\", which looks like a placeholder without its value.", SM_AT(SM_SEGMENT) | SM_AT(SM_VALUE),
		":" LETTER WORD "|:" LETTER WORD ONE_OF(".-(*+?~") ANY
		"|[" LETTER NAME "]|[..." LETTER NAME "]|[[" ANY "]]"
		"|" BRACKETED "]." ANY "|" BRACKETED "=" NAME "]|(.)" BRACKETED "]|(..)" BRACKETED "]|(...)" BRACKETED "]"
		"|$" ONE_OF(SMALL_LETTERS) NAME "|$" ONE_OF(SMALL_LETTERS) WORD "." WORD,
	.example = "/p/[id].html",.counterexample = "/12:30/$AAPL/a$b"},
	{"the query of %s has the value \"%s\", which looks like a placeholder.", SM_AT(SM_VALUE),
		"placeholder|'+" ANY "+'",
	.example = "/?id=placeholder",.counterexample = "/placeholder?q=$AAPL"},
	{"the host of %s is \"%s\", which looks like a missing value.", SM_AT(SM_HOST),
		MISSING "|null." ANY "|undefined." ANY,
	.example = "undefined",.counterexample = "none.example.com"},
	{"the path of %s has the segment \"%s\", which looks like a missing value.", SM_AT(SM_SEGMENT),
		"null|none|nan|undefined",
	.example = "/a/null.png",.counterexample = "/nil",.is_words = true},
	{"the query of %s has the value \"%s\", which looks like a missing value.", SM_AT(SM_VALUE),
		MISSING,
	.example = "/?id=(null)",.counterexample = "/?null=a",.is_words = true},
	{"%s has \"%s\", which has a meaning only in HTML or JavaScript.", WITHIN_URL | SM_AT(SM_WITHIN_TEXT),
		"&amp;|&quot;|&apos;|&lt;|&gt;|&nbsp;|&#" DIGITS ";|&#x" HEX WORD ";|&" LETTER "acute;|&" LETTER "grave;"
		"|&" LETTER "circ;|&" LETTER "uml;|&" LETTER "tilde;|&" LETTER "cedil;|&szlig;|&" LETTER "dash;"
		"|&" LETTER "squo;|&" LETTER "dquo;|&" LETTER "aquo;|&hellip;|&middot;|&bull;|&copy;|&reg;|&trade;|&euro;"
		"|&" LETTER "ring;|&" LETTER "slash;|&" LETTER "elig;|&iexcl;|&iquest;|&ordm;|&ordf;|&deg;|&times;|&frac" DIGITS ";"
		"|&pound;|&yen;|&cent;|&sect;|&para;|&larr;|&rarr;|&hearts;|&shy;|&zwj;|&zwnj;|&ensp;|&emsp;|&thinsp;"
		"|\\u" HEX HEX HEX HEX "|%u" HEX HEX HEX HEX
		"|</" LETTER ANY ">|<br>|<br/>|<br />|<p>|<img " ANY ">|<a href=" ANY ">"
		"|<" LETTER WORD " " LETTER NAME "=" ONE_OF("\"'"),
	.example = "/a?b&amp;c",.counterexample = "/AT&T;",.has_hash = true},
	{"%s has \"%s\", which looks like the ID of a session.", SM_AT(SM_PARAMETER),
		"phpsessid=" ANY "|jsessionid=" ANY "|aspsessionid" ANY "|cftoken=" ANY "|oscsid=" ANY "|zenid=" ANY
		"|sessionid=" ANY "|session_id=" ANY "|sid=" GUID,
	.example = "/?a&PHPSESSID=1",.counterexample = "/?sid=12&session=spring"},
	{"%s has \"%s\", which looks like the ID of a session.", SM_AT(SM_WITHIN_PATH),
		";jsessionid=" WORD "|;phpsessid=" WORD,
	.example = "/a;jsessionid=1",.counterexample = "/jsessionid"},
	{"%s has \"%s\", a parameter that tracks visitors.", SM_AT(SM_PARAMETER),
		"utm_source=" ANY "|utm_medium=" ANY "|utm_campaign=" ANY "|utm_id=" ANY "|utm_term=" ANY "|utm_content=" ANY
		"|gclid=" ANY "|dclid=" ANY "|fbclid=" ANY "|msclkid=" ANY "|yclid=" ANY "|mc_eid=" ANY,
	.example = "/?utm_source=mail",.counterexample = "/utm_source?utm=a"},
	{"%s ends with \"%s\", which looks like an error page.", SM_AT(SM_LAST_SEGMENT),
		"error-404|error404|404-error|404-not-found|not-found|page-not-found|error-500|error500|error." WORD "|offline." WORD,
	.example = "/error-404",.counterexample = "/not-found-in-nature"},
	{"%s ends with \"%s\", which looks like an error page.", SM_AT(SM_LAST_SEGMENT),
		"404|404." WORD "|500|500." WORD,
	.example = "/404.html",.counterexample = "/403",.is_number = true},
	{"the path of %s has a backslash, which is percent-encoded.", SM_AT(SM_WITHIN_PATH),
		"\\",
	.example = "/a%5Cb",.counterexample = "/?a%5Cb"},
	{"%s has the character U+FFFD, which stands for a lost character.", WITHIN_URL,
		"\xEF\xBF\xBD",
	.example = "/a%EF%BF%BD",.counterexample = "/a%3F"},

	/*
	 * The bytes of a Western or Cyrillic letter, of punctuation, of an emoji,
	 * or of a Chinese or Japanese character, each of which was read as a
	 * character
	 */
	{"%s has \"%s\", which looks like UTF-8 that was read in another encoding.", WITHIN_URL,
		"\xC3\x82\xC2|\xC3\x83" ONE_OF("\xC2\xC5\xC6\xCB\xE2") "|\xC3\x90\xC2|\xC3\x91" ONE_OF("\xC2\xC6\xE2")
		"|\xC3\xA2\xC2\x80|\xC3\xA2\xE2\x82\xAC|\xC3\xAF\xC2\xBB\xC2\xBF|\xC3\xB0\xC2\x9F|\xC3\xB0\xC5\xB8"
		"|\xC3\xA3\xC6\x92|\xC3\xA3\xE2\x80\x9A|\xC3\xA4\xC2\xB8|\xC3\xA4\xC2\xBD",
	.example = "/caf%C3%83%C2%A9",.counterexample = "/caf%C3%A9"},
	{"%s has a blank at an end of \"%s\".", SM_AT(SM_SEGMENT) | SM_AT(SM_VALUE),
		" " ANY "|\xE3\x80\x80" ANY "|" ANY " |" ANY "\xE3\x80\x80",
	.example = "/a/x%20",.counterexample = "/a%20b"},
	{"%s has an empty query, as of a \"?\" that is not percent-encoded.", SM_AT(SM_PARAMETER),
		TEXT_END,
	.example = "/tea?",.counterexample = "/tea?a=why?"},
	{"the path of %s has an empty segment.", SM_AT(SM_SEGMENT),
		TEXT_END,
	.example = "/a//b",.counterexample = "/a/?c//d"},
	{"%s has the host \"%s\", which is not public.", SM_AT(SM_ORIGIN),
		NAME "|" ANY ".localhost|" ANY ".local|" ANY ".test|" ANY ".internal|" ANY ".lan|" ANY ".home.arpa"
		"|0." NUMBERS_3 "|10." NUMBERS_3 "|127." NUMBERS_3 "|192.168." NUMBERS_2 "|169.254." NUMBERS_2
		"|172.1" ONE_OF("6789") "." NUMBERS_2 "|172.2" DIGIT "." NUMBERS_2 "|172.3" ONE_OF("01") "." NUMBERS_2
		"|100.6" ONE_OF("456789") "." NUMBERS_2 "|100." ONE_OF("789") DIGIT "." NUMBERS_2
		"|100.1" ONE_OF("01") DIGIT "." NUMBERS_2 "|100.12" ONE_OF("01234567") "." NUMBERS_2
		"|[::1]|[f" ONE_OF("cd") HEX HEX ":" ANY "]|[fe8" HEX ":" ANY "]",
	.except = MISSING "|http|https",.example = "shop.local",.counterexample = "10.example.com"},
	{.sentence = NULL}
};
