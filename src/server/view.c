/*
 * view.c
 *	  The definition of a view, as pg_get_viewdef writes it under fixed settings.
 *
 * That text has names in place of OIDs, so a restored database has the same.  Constants
 * in it depend on settings such as DateStyle, names on search_path.  pg_get_viewdef reads
 * with the active snapshot, in which a view can be older than the one that a query was
 * prepared for.
 */
#include "postgres.h"

#include "server/view.h"

#include "server/settings.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

char *
sm_view_definition(Oid view)
{
	int			level = sm_fix_settings();
	Datum		definition;

	sm_fix_setting("search_path", "pg_catalog, pg_temp");
	PushActiveSnapshot(GetLatestSnapshot());
	definition = DirectFunctionCall1(pg_get_viewdef, ObjectIdGetDatum(view));
	PopActiveSnapshot();
	sm_restore_settings(level);
	return TextDatumGetCString(definition);
}

char *
sm_view_name(Oid view)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(view)),
									  get_rel_name(view));
}
