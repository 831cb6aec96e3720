/*
 * sitemap.c
 *	  The module itself.
 */
#include "postgres.h"

#include "fmgr.h"
#include "sitemap.h"

SM_MODULE_MAGIC;
