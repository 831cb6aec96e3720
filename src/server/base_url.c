/*
 * base_url.c
 *	  Messages have a base_url without the password that it may have.
 */
#include "postgres.h"

#include "server/base_url.h"

#include "server/encoding.h"

void
sm_url_check_memory(SmUrlStatus status)
{
	if (status == SM_URL_NO_MEMORY)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("libidn2 could not encode a host name.")));
}

void
sm_refuse_base_url(SmSpan url, const char *reason)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid base_url \"%s\": %s", sm_for_message(sm_without_secret(url)), reason),
			 errhint("It is the URL of the directory that the files will be served from, such as \"https://www.example.com/\".")));
}

void
sm_base_url_read(SmSpan url, SmUrlScope scope, SmUrlBase *base)
{
	SmUrlStatus status = sm_url_base_init(base, url.s, url.len, scope);

	sm_url_check_memory(status);
	if (status != SM_URL_OK)
		sm_refuse_base_url(url, sm_url_message(status));
}
