/*
 * compat.h
 *	  All differences between the supported PostgreSQL versions, 15.1 to 19.
 */
#ifndef SM_COMPAT_H
#define SM_COMPAT_H

/* 15.0 has no InitMaterializedSRF */
#if PG_VERSION_NUM < 150001
#error "sitemap needs PostgreSQL 15.1 or later"
#endif

/* VARDATA_ANY and its kin moved out of postgres.h */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 18 and later: pg_get_loaded_modules() shows name and version of a module */
#if PG_VERSION_NUM >= 180000
#define SM_MODULE_MAGIC \
	PG_MODULE_MAGIC_EXT(.name = "sitemap", .version = SITEMAP_VERSION)
#else
#define SM_MODULE_MAGIC PG_MODULE_MAGIC
#endif

/* 19 and later have this function, which completes a tuple descriptor */
#if PG_VERSION_NUM < 190000
#define TupleDescFinalize(desc) ((void) 0)
#endif

/*
 * Does a collation, which is valid, compare bytes?  The header includes ICU's where
 * PostgreSQL has ICU, which packages of PostgreSQL do not bring.  Only the end of a struct
 * differs without it.  From 19 on, the header includes none of ICU's.
 */
#pragma push_macro("USE_ICU")
#undef USE_ICU
#include "utils/pg_locale.h"
#pragma pop_macro("USE_ICU")
#if PG_VERSION_NUM >= 180000
#define sm_collation_is_c(collation) (pg_newlocale_from_collation(collation)->collate_is_c)
#else
#define sm_collation_is_c(collation) lc_collate_is_c(collation)
#endif

/* 18 and later have virtual generated columns */
#if PG_VERSION_NUM >= 180000
#define sm_is_virtual(attribute) ((attribute)->attgenerated == ATTRIBUTE_GENERATED_VIRTUAL)
#else
#define sm_is_virtual(attribute) false
#endif

/* 16 and later can copy a value that is not passed by value */
#if PG_VERSION_NUM >= 160000
#define sm_tuplesort_getdatum(state, value, is_null) \
	tuplesort_getdatum(state, true, false, value, is_null, NULL)
#else
#define sm_tuplesort_getdatum(state, value, is_null) \
	tuplesort_getdatum(state, true, value, is_null, NULL)
#endif

/* 17 and later have other names for a backend's number; NULL if it has ended */
#if PG_VERSION_NUM >= 170000
#define sm_vxid_proc(vxid) ProcNumberGetProc((vxid).procNumber)
#else
#include "storage/sinvaladt.h"
#define sm_vxid_proc(vxid) BackendIdGetProc((vxid).backendId)
#endif

/* 19 and later pass flags; access/tableam.h declares the function */
#if PG_VERSION_NUM >= 190000
#define sm_beginscan(rel, snapshot) table_beginscan(rel, snapshot, 0, NULL, SO_NONE)
#else
#define sm_beginscan(rel, snapshot) table_beginscan(rel, snapshot, 0, NULL)
#endif

/* 18 and later have this macro, to be put before a declaration */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

#endif
