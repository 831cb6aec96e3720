/*
 * settings.h
 *	  Fixed settings for a while, where text must not depend on those of the session.
 */
#ifndef SM_SETTINGS_H
#define SM_SETTINGS_H

/*
 * Fix the settings that change the text of a value.  search_path stays as it is.
 * sm_restore_settings takes the result and restores the settings, or does nothing for 0.
 * After an error, the end of the (sub)transaction does that.
 */
extern int	sm_fix_settings(void);
extern void sm_restore_settings(int level);

/* Fix one more setting until sm_restore_settings. */
extern void sm_fix_setting(const char *name, const char *value);

#endif
