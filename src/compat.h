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

/* 16 and later export this function */
#if PG_VERSION_NUM < 160000
#include "utils/guc_tables.h"

static inline struct config_generic *
find_option(const char *name, bool create_placeholders, bool skip_errors, int elevel)
{
	for (int i = 0; i < GetNumConfigOptions(); i++)
	{
		struct config_generic *variable = get_guc_variables()[i];

		if (strcmp(variable->name, name) == 0)
			return variable;
	}
	elog(elevel, "unrecognized configuration parameter \"%s\"", name);
	return NULL;
}
#endif

/* before 17 a subtransaction cannot begin while a parallel plan runs */
#if PG_VERSION_NUM >= 170000
#define sm_can_begin_subtransaction() true
#else
#define sm_can_begin_subtransaction() (!IsInParallelMode())
#endif

/* 18 and later have virtual generated columns */
#if PG_VERSION_NUM >= 180000
#define sm_is_virtual(attribute) ((attribute)->attgenerated == ATTRIBUTE_GENERATED_VIRTUAL)
#else
#define sm_is_virtual(attribute) false
#endif

/* 18 and later have this macro, to be put before a declaration */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

#endif
