/*
 * view.h
 *	  What a view is: its definition as text, which changes only if the view does.
 */
#ifndef SM_VIEW_H
#define SM_VIEW_H

/* The query of a view, in the current memory context. */
extern char *sm_view_definition(Oid view);

/* Its name for a message, with the schema and quoted. */
extern char *sm_view_name(Oid view);

#endif
