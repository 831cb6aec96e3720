/*
 * settings.c
 *	  The settings that change the text of a value, and the values that they are fixed to.
 *
 * The list has all settings that affect the output of PostgreSQL's own types, and the
 * input of literals.  Two have no effect under the others and are left out:
 * timezone_abbreviations, and the order of day and month in DateStyle.
 */
#include "postgres.h"

#include "server/settings.h"

#include "utils/guc.h"

void
sm_fix_setting(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true,
							 0, false);
}

int
sm_fix_settings(void)
{
	static const char *const settings[][2] = {
		{"DateStyle", "ISO"},
		{"IntervalStyle", "postgres"},
		{"TimeZone", "GMT"},
		{"array_nulls", "on"},
		{"bytea_output", "hex"},
		{"extra_float_digits", "3"},
		{"lc_monetary", "C"},
		{"quote_all_identifiers", "off"},
		{"xmlbinary", "base64"},
	};
	int			level = NewGUCNestLevel();

	for (size_t i = 0; i < lengthof(settings); i++)
		sm_fix_setting(settings[i][0], settings[i][1]);
	return level;
}

void
sm_restore_settings(int level)
{
	if (level > 0)
		AtEOXact_GUC(true, level);
}
