/*
 * sitemap.c
 *	  The module itself.
 */
#include "postgres.h"

#include "compat.h"
#include "fmgr.h"

SM_MODULE_MAGIC;
