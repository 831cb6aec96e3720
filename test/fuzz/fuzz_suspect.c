/*
 * fuzz_suspect.c
 *	  Fuzzes audit/suspect.
 *
 * The input becomes a URL.  Its traits announce whatever is found in it, what is found is
 * text, and a path whose traits do not say that it may vary is in canonical form.
 */
#include "audit/suspect.h"

#include "fuzz.h"
#include "text/text.h"
#include "web/url.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char scheme[] = "http://";
	SmUrlCache	cache = {0};
	size_t		src_len = sizeof(scheme) - 1 + size;
	char	   *src = exactly(NULL, src_len);
	char	   *dst = exactly(NULL, sm_url_bound(src_len, NULL, SM_URL_UNLIMITED));
	size_t		len;
	static SmSuspects suspects;

	sm_suspects_init(&suspects);
	memcpy(src, scheme, sizeof(scheme) - 1);
	memcpy(src + sizeof(scheme) - 1, data, size);
	if (sm_url_encode(src, src_len, NULL, &cache, SM_FORM_PLAIN, SM_URL_UNLIMITED, dst, &len) == SM_URL_OK)
	{
		char	   *url = exactly(dst, len);
		char	   *room = exactly(NULL, len);
		char	   *canonical = exactly(NULL, len + 1);
		SmSpan		host = sm_url_host(sm_span(url, len));
		const char *path = host.s + host.len;
		unsigned int traits = sm_url_traits(&suspects, host.s, url + len);
		SmSuspect	found;
		uint32_t	c;

		sm_url_suspect(&suspects, sm_span(url, len), 0, true, room, &found);
		if (found.what != NULL || found.invisible != SM_NO_CHARACTER)
			CHECK((traits | sm_url_traits(&suspects, path, url + len)) & SM_MAY_BE_SUSPECT);
		CHECK((found.text.s >= room && found.text.s + found.text.len <= room + len) ||
			  (found.text.s >= url && found.text.s + found.text.len <= url + len) ||
			  found.what == NULL);
		for (size_t i = 0, n; found.what != NULL && i < found.text.len; i += n)
		{
			n = sm_utf8_decode(found.text.s + i, found.text.s + found.text.len, &c);
			CHECK(n > 0 && c >= 0x20);
		}
		if (!(traits & SM_MAY_VARY) && path < url + len && *path == '/')
		{
			size_t		canonical_len = sm_url_canonical(url, len, canonical);
			size_t		path_len = url + len - path;

			CHECK(canonical_len >= path_len &&
				  memcmp(canonical + canonical_len - path_len, path, path_len) == 0);
		}
		sm_host_suspect(&suspects, host, &found);
		CHECK(found.what == NULL || found.what->places == SM_AT(SM_ORIGIN));
		sm_text_suspect(&suspects, sm_span(src, src_len), &found);
		CHECK(found.what == NULL || (found.what->places & SM_AT(SM_WITHIN_TEXT)));
		sm_url_is_numbered(sm_span(url, len), path - url);
		free(canonical);
		free(room);
		free(url);
	}
	free(dst);
	free(src);
	return 0;
}
