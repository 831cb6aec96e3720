/*
 * iso.c
 *	  Looks codes up in lists, or checks their form.
 *
 * Languages and countries are checked against lists, since common mistakes have the
 * right form: a country in place of a language ("us"), "uk" for the United Kingdom.
 * There are many scripts, and new ones are added, so only their form is checked.
 */
#include "core/iso.h"

#include <string.h>

#include "core/ascii.h"

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

static bool
find_code(const char *codes, size_t len, const char *code)
{
	char		wanted[2] = {sm_lower(code[0]), sm_lower(code[1])};
	size_t		low = 0;
	size_t		high = len / 3;

	while (low < high)
	{
		size_t		middle = (low + high) / 2;
		int			order = memcmp(wanted, codes + 3 * middle, 2);

		if (order == 0)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

bool
sm_iso_country(const char *code, size_t len)
{
	return len == 2 && find_code(countries, sizeof(countries) - 1, code);
}

static bool
is_script(const char *code)
{
	for (int i = 0; i < 4; i++)
		if (!sm_is_letter(code[i]))
			return false;
	return true;
}

bool
sm_iso_hreflang(const char *code, size_t len)
{
	if (len == 9 && memcmp(code, "x-default", 9) == 0)
		return true;
	if (len < 2 || !find_code(languages, sizeof(languages) - 1, code))
		return false;
	code += 2;
	len -= 2;
	if (len >= 5 && code[0] == '-' && is_script(code + 1))
	{
		code += 5;
		len -= 5;
	}
	return len == 0 || (code[0] == '-' && sm_iso_country(code + 1, len - 1));
}
