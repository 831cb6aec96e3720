/*
 * iso.c
 *	  Looks codes up in lists, or checks their form.
 *
 * Languages and countries are checked against lists, since common mistakes have the
 * right form: a country in place of a language ("us"), "uk" for the United Kingdom.
 * There are thousands of languages of three letters, and many scripts, and new ones are
 * added, so only their form is checked.
 */
#include "text/iso.h"

#include "text/ascii.h"

/* Sorted; a blank follows each code. */
static const char languages[] =
"aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br "
"bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et "
"eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht "
"hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk "
"kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg "
"mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny "
"oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se "
"sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk "
"tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo "
"za zh zu ";

/*
 * Languages of ISO 639-2 that have a code of two letters, in both spellings of those that
 * have two: deu and ger for de.
 */
static const char long_languages[] =
"aaraa abkab afraf akaak albsq amham araar argan armhy asmas "
"avaav aveae aymay azeaz bakba bambm baqeu belbe benbn bisbi "
"bodbo bosbs brebr bulbg burmy catca cescs chach chece chizh "
"chucu chvcv corkw cosco crecr cymcy czecs danda deude divdv "
"dutnl dzodz ellel engen epoeo estet euseu eweee faofo fasfa "
"fijfj finfi frafr frefr fryfy fulff geoka gerde glagd glega "
"glggl glvgv greel grngn gujgu hatht hauha hebhe herhz hinhi "
"hmoho hrvhr hunhu hyehy iboig iceis idoio iiiii ikuiu ileie "
"inaia indid ipkik islis itait javjv jpnja kalkl kankn kasks "
"katka kaukr kazkk khmkm kikki kinrw kirky komkv konkg korko "
"kuakj kurku laolo latla lavlv limli linln litlt ltzlb lublu "
"luglg macmk mahmh malml maomi marmr mayms mkdmk mlgmg mltmt "
"monmn mrimi msams myamy nauna navnv nblnr ndend ndong nepne "
"nldnl nnonn nobnb norno nyany ocioc ojioj orior ormom ossos "
"panpa perfa plipi polpl porpt pusps quequ rohrm ronro rumro "
"runrn rusru sagsg sansa sinsi slksk slosk slvsl smese smosm "
"snasn sndsd somso sotst spaes sqisq srdsc srpsr sswss sunsu "
"swasw swesv tahty tamta tattt telte tgktg tgltl thath tibbo "
"tirti tonto tsntn tsots tuktk turtr twitw uigug ukruk urdur "
"uzbuz venve vievi volvo welcy wlnwa wolwo xhoxh yidyi yoryo "
"zhaza zhozh zulzu ";

/* Countries for languages, and codes that were withdrawn. */
static const char mistaken_languages[] =
"cnzh czcs dkda grel inid iwhe jpja rssr uauk vnvi ";

/* Languages that are taken for the country with the same code, and its language. */
static const char doubtful_languages[] =
"chde eeet ieen krko sesv ";

/* Assigned codes, and XK, which everybody uses for Kosovo. */
static const char countries[] =
"ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be "
"bf bg bh bi bj bl bm bn bo bq br bs bt bv bw by bz ca cc cd "
"cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm "
"do dz ec ee eg eh er es et fi fj fk fm fo fr ga gb gd ge gf "
"gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu "
"id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn "
"kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me "
"mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na "
"nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm "
"pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si "
"sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk "
"tl tm tn to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi "
"vn vu wf ws xk ye yt za zm zw ";

/*
 * Find a code of len letters among codes, which have a value of two letters or none, and
 * a blank, after each.  Returns what follows the code, NULL if there is none.
 */
static const char *
find_code(const char *codes, size_t size, size_t value_len, const char *code, size_t len)
{
	size_t		stride = len + value_len + 1;
	size_t		low = 0;
	size_t		high = size / stride;

	while (low < high)
	{
		size_t		middle = (low + high) / 2;
		const char *found = codes + middle * stride;
		int			order = 0;

		for (size_t i = 0; i < len && order == 0; i++)
			order = sm_lower(code[i]) - found[i];
		if (order == 0)
			return found + len;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

#define FIND_CODE(codes, value_len, code, len) \
	find_code(codes, sizeof(codes) - 1, value_len, code, len)

bool
sm_iso_country(SmSpan code)
{
	return code.len == 2 && FIND_CODE(countries, 0, code.s, 2);
}

/* The letters that a text begins with. */
static size_t
count_letters(const char *s, size_t len)
{
	size_t		i = 0;

	while (i < len && sm_is_letter(s[i]))
		i++;
	return i;
}

static bool
is_language(const char *code, size_t len)
{
	return len == 2 ? FIND_CODE(languages, 0, code, 2) != NULL :
		len == 3 && count_letters(code, 3) == 3 && FIND_CODE(long_languages, 2, code, 3) == NULL;
}

SmHreflang
sm_iso_hreflang(SmSpan code)
{
	size_t		letters = count_letters(code.s, code.len);
	SmSpan		rest = sm_span(code.s + letters, code.len - letters);

	if (sm_span_is(code, "x-default"))
		return SM_HREFLANG_VALID;
	if (!is_language(code.s, letters))
		return SM_HREFLANG_INVALID;
	if (rest.len >= 5 && rest.s[0] == '-' && count_letters(rest.s + 1, 4) == 4)
		rest = sm_span(rest.s + 5, rest.len - 5);
	if (rest.len > 0 && !(rest.s[0] == '-' && sm_iso_country(sm_span(rest.s + 1, rest.len - 1))))
		return SM_HREFLANG_INVALID;
	return letters == 2 ? SM_HREFLANG_VALID : SM_HREFLANG_LONG;
}

/* The language that a word means: its own code, or a code of two letters; NULL for none. */
static const char *
meant_language(const char *word, size_t len)
{
	if (is_language(word, len))
		return word;
	return len == 3 ? FIND_CODE(long_languages, 2, word, 3) :
		len == 2 ? FIND_CODE(mistaken_languages, 2, word, 2) : NULL;
}

SmSpan
sm_iso_likely_hreflang(SmSpan code)
{
	const char *language = NULL;

	if (sm_equal_ignoring_case(code, sm_span_of("es-LA")))
		return sm_span_of("es");
	if (code.len == 2 ||
		(code.len == 5 && sm_equal_ignoring_case(sm_span(code.s, 2), sm_span(code.s + 3, 2))))
		language = FIND_CODE(doubtful_languages, 2, code.s, 2);
	return language ? sm_span(language, 2) : sm_span_of("");
}

/* The script that a word of .NET's names means: of "zh-CHS" and "zh-CHT". */
static const char *
meant_script(SmSpan word)
{
	return sm_equal_ignoring_case(word, sm_span_of("chs")) ? "hans" :
		sm_equal_ignoring_case(word, sm_span_of("cht")) ? "hant" : NULL;
}

SmSpan
sm_iso_suggest_hreflang(SmSpan given, char dst[SM_HREFLANG_MAX])
{
	const char *end = given.s + given.len;
	const char *language = NULL;
	const char *script = NULL;
	const char *country = NULL;
	size_t		language_len = 0;
	char	   *d = dst;

	/* words, with a character between them that may be meant as a hyphen */
	for (const char *s = given.s; s < end && (s == given.s || strchr(",;=", s[-1]) == NULL); s++)
	{
		const char *word = s;
		size_t		len;

		while (s < end && (sm_is_letter(*s) || sm_is_digit(*s)))
			s++;
		len = s - word;
		if (language == NULL && sm_equal_ignoring_case(sm_span(word, len), sm_span_of("default")))
			return sm_span_of("x-default");
		if (language == NULL && (language = meant_language(word, len)) != NULL)
			language_len = len == 3 && language == word ? 3 : 2;
		else if (script == NULL && (script = meant_script(sm_span(word, len))) != NULL)
			;
		else if (country == NULL && sm_equal_ignoring_case(sm_span(word, len), sm_span_of("uk")))
			country = "gb";
		else if (country == NULL && sm_iso_country(sm_span(word, len)))
			country = word;
		else if (language && country == NULL && script == NULL && len == 4 && count_letters(word, 4) == 4)
			script = word;
	}
	if (language == NULL)
		return sm_span_of("");
	for (size_t i = 0; i < language_len; i++)
		*d++ = sm_lower(language[i]);
	if (script)
	{
		*d++ = '-';
		*d++ = sm_upper(script[0]);
		for (size_t i = 1; i < 4; i++)
			*d++ = sm_lower(script[i]);
	}
	if (country)
	{
		*d++ = '-';
		*d++ = sm_upper(country[0]);
		*d++ = sm_upper(country[1]);
	}
	/* Latin America is no country, LA is Laos */
	if (d - dst == 5 && memcmp(dst, "es-LA", 5) == 0)
		d -= 3;
	return sm_span(dst, d - dst);
}
