/*
 * Serves the files of a target by PostgREST 12 or later, Supabase's API, after its
 * documentation of version 14: /rpc/sitemap?name=sitemap.xml
 */

CREATE DOMAIN public."*/*" AS bytea;	-- any media type

CREATE FUNCTION public.sitemap(name text) RETURNS public."*/*"
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	file record;
BEGIN
	SELECT * INTO file FROM public.site_files AS f
	 WHERE f.base_url = 'https://www.example.com/sitemaps/' AND f.name = sitemap.name AND f.content IS NOT NULL;
	IF NOT FOUND THEN
		RAISE SQLSTATE 'PT404' USING MESSAGE = 'Not found';
	END IF;
	PERFORM set_config('response.headers', json_build_array(
		json_build_object('Content-Type', 'application/xml'),
		json_build_object('ETag', format('"%s"', file.digest)),
		json_build_object('Last-Modified', to_char(file.lastmod AT TIME ZONE 'UTC', 'Dy, DD Mon YYYY HH24:MI:SS "GMT"')))::text, true);
	IF strpos(current_setting('request.headers', true)::json ->> 'if-none-match', file.digest) > 0 THEN
		PERFORM set_config('response.status', '304', true);
		RETURN '';
	END IF;
	RETURN file.content;
END
$$;
