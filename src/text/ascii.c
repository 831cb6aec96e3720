/*
 * ascii.c
 *	  The table of classes.
 */
#include "text/ascii.h"

#define PCHAR		(SM_IN_PATH | SM_IN_QUERY | SM_PLAIN_TEXT)
#define RESERVED	(PCHAR | SM_ROBOTS_AS_IS)
#define MARK		(PCHAR | SM_UNRESERVED)
#define NAME_CHAR		(MARK | SM_NAME)
#define LETTER		(NAME_CHAR | SM_NAME_START)

const uint8_t sm_ascii_classes[256] = {
	[' '] = SM_PLAIN_TEXT,['!'] = RESERVED,['#'] = SM_PLAIN_TEXT,['$'] = PCHAR,
	['%'] = SM_PLAIN_TEXT,['&'] = SM_ROBOTS_AS_IS,['\''] = SM_ROBOTS_AS_IS,
	['('] = RESERVED,[')'] = RESERVED,['*'] = PCHAR,['+'] = RESERVED,
	[','] = RESERVED,['-'] = NAME_CHAR,['.'] = NAME_CHAR,['/'] = RESERVED,
	['0'] = NAME_CHAR,['1'] = NAME_CHAR,['2'] = NAME_CHAR,['3'] = NAME_CHAR,['4'] = NAME_CHAR,
	['5'] = NAME_CHAR,['6'] = NAME_CHAR,['7'] = NAME_CHAR,['8'] = NAME_CHAR,['9'] = NAME_CHAR,
	[':'] = RESERVED,[';'] = RESERVED,['='] = RESERVED,['>'] = SM_PLAIN_TEXT,
	['?'] = SM_IN_QUERY | SM_PLAIN_TEXT | SM_ROBOTS_AS_IS,
	['@'] = RESERVED,
	['A'] = LETTER,['B'] = LETTER,['C'] = LETTER,['D'] = LETTER,['E'] = LETTER,
	['F'] = LETTER,['G'] = LETTER,['H'] = LETTER,['I'] = LETTER,['J'] = LETTER,
	['K'] = LETTER,['L'] = LETTER,['M'] = LETTER,['N'] = LETTER,['O'] = LETTER,
	['P'] = LETTER,['Q'] = LETTER,['R'] = LETTER,['S'] = LETTER,['T'] = LETTER,
	['U'] = LETTER,['V'] = LETTER,['W'] = LETTER,['X'] = LETTER,['Y'] = LETTER,
	['Z'] = LETTER,
	['['] = SM_PLAIN_TEXT,['\\'] = SM_PLAIN_TEXT,['^'] = SM_PLAIN_TEXT,
	['_'] = LETTER,['`'] = SM_PLAIN_TEXT,
	['a'] = LETTER,['b'] = LETTER,['c'] = LETTER,['d'] = LETTER,['e'] = LETTER,
	['f'] = LETTER,['g'] = LETTER,['h'] = LETTER,['i'] = LETTER,['j'] = LETTER,
	['k'] = LETTER,['l'] = LETTER,['m'] = LETTER,['n'] = LETTER,['o'] = LETTER,
	['p'] = LETTER,['q'] = LETTER,['r'] = LETTER,['s'] = LETTER,['t'] = LETTER,
	['u'] = LETTER,['v'] = LETTER,['w'] = LETTER,['x'] = LETTER,['y'] = LETTER,
	['z'] = LETTER,
	['{'] = SM_PLAIN_TEXT,['|'] = SM_PLAIN_TEXT,['}'] = SM_PLAIN_TEXT,['~'] = MARK,
};
