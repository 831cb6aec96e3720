/*
 * export.h
 *	  sitemap_export, for a job.
 */
#ifndef SM_EXPORT_EXPORT_H
#define SM_EXPORT_EXPORT_H

/*
 * Export the files of a site in a target.  may_be_empty: a target without files of the site
 * removes all files from the directory; else that is an error.
 */
extern void sm_export_site(char *directory, Oid target, char *base_url, bool may_be_empty);

#endif
