--
-- Any text in any argument: it is refused with one of a few SQLSTATEs, or an XML parser
-- reads it back from a well-formed document.
--
\getenv abs_srcdir PG_ABS_SRCDIR
\i :abs_srcdir/sql/include/helpers.sql
\if :has_libxml
\else
\quit
\endif

CREATE TEMP TABLE hostile (value text);
INSERT INTO hostile
SELECT variant
  FROM unnest(ARRAY[
         '"', '''', '<', '>', '&', '&amp;', '&#10;', '&lt', ']]>', '-->', '<!--', '?>', '<?', '<![CDATA[', '<!DOCTYPE a []>',
         '</loc></url></urlset>', '"/><script>', ''' onload=''', E'\n', E'\r', E'\r\n', E'\t', ' ', E'\x01', E'\x08', E'\x0B',
         E'\x1B[2J', E'\x1F', E'\x7F', E'\u0085', E'\u00A0', E'\u2028', E'\u202E', E'\uFEFF', E'\uFFFD', E'\uFFFE', E'\uFFFF',
         E'\uFDD0', E'\U0001F600', E'\U0010FFFF', E'e\u0301', '%', '%s%n%d%*c', '%%', '%2', '%00', '%0A', '\', '\n', '\x00',
         '$1', '${x}', '$$', '{"a": 1}', '; DROP TABLE x; --', '''; DROP TABLE x; --', '/', '//', '..', '../../etc/passwd', '.',
         '~', '-rf', ':', '@', '?', '#', '?#?#', '[', '|', '^', '`', ',', 'NULL', 'nan', 'javascript:alert(1)', '//evil.example/',
         'http://evil.example/', 'file:///etc/passwd', repeat('x', 300), repeat('é', 3000), repeat('<', 3000), repeat('&', 20000)]) v,
       LATERAL (VALUES (v), ('a' || v), ('a' || v || 'b')) variants (variant)
 WHERE length(v) < 1000 OR variant = v
 UNION
SELECT v FROM unnest(ARRAY[NULL, '']) v;

-- The documents that a value can get into: a statement with the value as $1, and where the
-- document has it.  "before" and "after" are around it, where it is but a part of an argument.
CREATE TEMP TABLE place (what text, kind text, statement text, path text, before text DEFAULT '', after text DEFAULT '');
-- arguments of elements
INSERT INTO place
SELECT format('sitemap_%s %s', element, argument), kind,
       format('SELECT sitemap_agg(sitemap_url(''http://page/'', extensions => ARRAY[sitemap_%s(%s)])) FROM (SELECT) s', element,
              (SELECT string_agg(format('%s => %s', name, CASE WHEN name = argument THEN replace(given, '?', '$1') ELSE replace(given, '?', 'NULL') END), ', ')
                 FROM (SELECT argument, given
                        UNION
                       SELECT split_part(r, ' ', 1), substr(r, strpos(r, ' ') + 1) FROM unnest(required) r
                        WHERE split_part(r, ' ', 1) <> argument) a (name, given))),
       path, CASE kind WHEN 'url' THEN 'http://a/' ELSE '' END
  FROM (VALUES
    ('image', 'loc', 'url', '?', '//*[local-name()="loc"][. != "http://page/"]', '{}'::text[]),
    ('image', 'caption', 'text', '?', '//*[local-name()="caption"]', '{loc ''http://i/''}'),
    ('image', 'geo_location', 'text', '?', '//*[local-name()="geo_location"]', '{loc ''http://i/''}'),
    ('image', 'title', 'text', '?', '//*[local-name()="title"]', '{loc ''http://i/''}'),
    ('image', 'license', 'url', '?', '//*[local-name()="license"]', '{loc ''http://i/''}'),
    ('alternate', 'hreflang', 'token', '?', '//@hreflang', '{href ''http://i/''}'),
    ('alternate', 'href', 'url', '?', '//@href', '{hreflang ''de''}'),
    ('news', 'publication_name', 'text', '?', '//*[local-name()="name"]', '{publication_language ''en'',publication_date ''2026'',title ''t''}'),
    ('news', 'publication_language', 'token', '?', '//*[local-name()="language"]', '{publication_name ''n'',publication_date ''2026'',title ''t''}'),
    ('news', 'publication_date', 'token', '?::text', '//*[local-name()="publication_date"]', '{publication_name ''n'',publication_language ''en'',title ''t''}'),
    ('news', 'title', 'text', '?', '//*[local-name()="title"]', '{publication_name ''n'',publication_language ''en'',publication_date ''2026''}'),
    ('news', 'access', 'token', '?', '//*[local-name()="access"]', '{publication_name ''n'',publication_language ''en'',publication_date ''2026'',title ''t''}'),
    ('news', 'genres', 'token', '?', '//*[local-name()="genres"]', '{publication_name ''n'',publication_language ''en'',publication_date ''2026'',title ''t''}'),
    ('news', 'keywords', 'text', '?', '//*[local-name()="keywords"]', '{publication_name ''n'',publication_language ''en'',publication_date ''2026'',title ''t''}'),
    ('news', 'stock_tickers', 'text', '?', '//*[local-name()="stock_tickers"]', '{publication_name ''n'',publication_language ''en'',publication_date ''2026'',title ''t''}')
  ) v (element, argument, kind, given, path, required)
 UNION ALL
SELECT format('sitemap_video %s', argument), kind,
       format('SELECT sitemap_agg(sitemap_url(''http://page/'', extensions => ARRAY[sitemap_video(%s)])) FROM (SELECT) s',
              (SELECT string_agg(name || ' => ' || given, ', ')
                 FROM (VALUES (argument, given), ('thumbnail_loc', '''http://t/'''), ('title', '''t'''), ('description', '''d'''),
                              ('content_loc', '''http://c/''')) a (name, given)
                WHERE (name = argument) = (given ~ '\$1'))
              || coalesce(', ' || also, '')),
       path, CASE kind WHEN 'url' THEN 'http://a/' ELSE '' END
  FROM (VALUES
    ('thumbnail_loc', 'url', '$1', '//*[local-name()="thumbnail_loc"]', NULL),
    ('title', 'text', '$1', '//*[local-name()="title"]', NULL),
    ('description', 'text', '$1', '//*[local-name()="description"]', NULL),
    ('content_loc', 'url', '$1', '//*[local-name()="content_loc"]', NULL),
    ('player_loc', 'url', '$1', '//*[local-name()="player_loc"]', NULL),
    ('player_loc_allow_embed', 'token', '$1', '//@allow_embed', 'player_loc => ''http://p/'''),
    ('player_loc_autoplay', 'text', '$1', '//@autoplay', 'player_loc => ''http://p/'''),
    ('expiration_date', 'token', '$1', '//*[local-name()="expiration_date"]', NULL),
    ('publication_date', 'token', '$1', '//*[local-name()="publication_date"]', NULL),
    ('content_segment_loc', 'url', 'ARRAY[$1]', '//*[local-name()="content_segment_loc"]', NULL),
    ('tag', 'text', 'ARRAY[$1]', '//*[local-name()="tag"]', NULL),
    ('category', 'text', '$1', '//*[local-name()="category"]', NULL),
    ('family_friendly', 'token', '$1', '//*[local-name()="family_friendly"]', NULL),
    ('restriction', 'token', '$1', '//*[local-name()="restriction"]', 'restriction_relationship => ''allow'''),
    ('restriction_relationship', 'token', '$1', '//@relationship', 'restriction => ''DE'''),
    ('gallery_loc', 'url', '$1', '//*[local-name()="gallery_loc"]', NULL),
    ('gallery_loc_title', 'text', '$1', '//@title', 'gallery_loc => ''http://g/'''),
    ('price_currency', 'token', 'ARRAY[$1]', '//@currency', 'price => ''{1}'''),
    ('price_type', 'token', 'ARRAY[$1]', '//@type', 'price => ''{1}'', price_currency => ''{EUR}'''),
    ('price_resolution', 'token', 'ARRAY[$1]', '//@resolution', 'price => ''{1}'', price_currency => ''{EUR}'''),
    ('requires_subscription', 'token', '$1', '//*[local-name()="requires_subscription"]', NULL),
    ('uploader', 'text', '$1', '//*[local-name()="uploader"]', NULL),
    ('uploader_info', 'url', '$1', '//@info', 'uploader => ''u'''),
    ('platform', 'token', '$1', '//*[local-name()="platform"]', 'platform_relationship => ''allow'''),
    ('platform_relationship', 'token', '$1', '//@relationship', 'platform => ''web'''),
    ('live', 'token', '$1', '//*[local-name()="live"]', NULL),
    ('id', 'text', 'ARRAY[$1]', '//*[local-name()="id"]', 'id_type => ''{url}'''),
    ('id_type', 'token', 'ARRAY[$1]', '//@type', 'id => ''{1}''')
  ) v (argument, kind, given, path, also);
-- pages and documents
INSERT INTO place VALUES
  ('sitemap_alternates key', 'token', 'SELECT sitemap_agg(sitemap_url(''http://page/'', extensions => sitemap_alternates(jsonb_build_object(coalesce($1, ''''), ''http://a/'')))) FROM (SELECT) s', '//@hreflang', '', ''),
  ('sitemap_alternates value', 'url', 'SELECT sitemap_agg(sitemap_url(''http://page/'', extensions => sitemap_alternates(jsonb_build_object(''de'', $1)))) FROM (SELECT) s', '//@href', 'http://a/', ''),
  ('sitemap_url loc', 'url', 'SELECT sitemap_agg(sitemap_url($1)) FROM (SELECT) s', '//*[local-name()="loc"]', 'http://a/', ''),
  ('sitemap_url loc: query', 'url', 'SELECT sitemap_agg(sitemap_url($1)) FROM (SELECT) s', '//*[local-name()="loc"]', 'http://a/?', '&z'),
  ('sitemap_url loc: fragment', 'url', 'SELECT sitemap_agg(sitemap_url($1)) FROM (SELECT) s', '//*[local-name()="loc"]', 'http://a/#', 'z'),
  ('sitemap_url lastmod', 'token', 'SELECT sitemap_agg(sitemap_url(''http://a/'', $1)) FROM (SELECT) s', '//*[local-name()="lastmod"]', '', ''),
  ('sitemap_url changefreq', 'token', 'SELECT sitemap_agg(sitemap_url(''http://a/'', changefreq => $1)) FROM (SELECT) s', '//*[local-name()="changefreq"]', '', ''),
  ('sitemap_agg loc', 'url', 'SELECT sitemap_agg($1)', '//*[local-name()="loc"]', 'http://a/', ''),
  ('sitemap_index_agg loc', 'url', 'SELECT sitemap_index_agg($1)', '//*[local-name()="loc"]', 'http://a/', ''),
  ('sitemap_text_agg loc', 'url', 'SELECT xmlelement(name loc, rtrim(d, E''\n'')) FROM (SELECT sitemap_text_agg($1) AS d) s WHERE d IS NOT NULL', '/loc', 'http://a/', ''),
  ('query loc', 'url', 'SELECT pg_temp.text(content) FROM sitemap_files(format(''SELECT %L::text AS loc'', $1), ''http://a/'')', '//*[local-name()="loc"]', 'http://a/', ''),
  ('query loc: relative', 'resolved', 'SELECT pg_temp.text(content) FROM sitemap_files(format(''SELECT %L::text AS loc'', substr($1, 10)), ''http://a/'')', '//*[local-name()="loc"]', 'http://a/', 'z'),
  ('query loc: txt', 'url', 'SELECT xmlelement(name loc, rtrim(pg_temp.text(content), E''\n'')) FROM sitemap_files(format(''SELECT %L::text AS loc'', $1), ''http://a/'', format => ''txt'')', '/loc', 'http://a/', ''),
  ('query lastmod', 'token', 'SELECT pg_temp.text(content) FROM sitemap_files(format(''SELECT ''''/''''::text AS loc, %L::text AS lastmod'', $1), ''http://a/'')', '//*[local-name()="lastmod"]', '', ''),
  ('query changefreq', 'token', 'SELECT pg_temp.text(content) FROM sitemap_files(format(''SELECT ''''/''''::text AS loc, %L::text AS changefreq'', $1), ''http://a/'')', '//*[local-name()="changefreq"]', '', ''),
  ('base_url: of a page', 'resolved', 'SELECT pg_temp.text(content) FROM sitemap_files(''SELECT ''''/p''''::text AS loc'', left($1, -1))', '//*[local-name()="loc"]', 'http://a/', '/p'),
  ('base_url: of the index', 'resolved', 'SELECT pg_temp.text(content) FROM sitemap_files(''SELECT ''''/p''''::text AS loc'', left($1, -13), index => ''always'') WHERE kind = ''index''', '//*[local-name()="loc"]', 'http://a/', '/sitemap-1.xml'),
  ('section', 'token', 'SELECT xmlelement(name name, left(name, -4)) FROM sitemap_files(''SELECT ''''/p''''::text AS loc'', ''http://a/'', section => $1) WHERE $1 IS NOT NULL', '/name', '', ''),
  ('stylesheet', 'stylesheet', 'SELECT pg_temp.text(content) FROM sitemap_files(''SELECT ''''/p''''::text AS loc'', ''http://a/'', stylesheet => $1)', '/processing-instruction()', '/', '.css');
INSERT INTO place
SELECT argument, 'token', format('SELECT xmlelement(name name, name) FROM sitemap_files(''SELECT ''''/p''''::text AS loc'', ''http://a/'', %s => $1) WHERE $1 IS NOT NULL', argument), '/name'
  FROM unnest('{format,split,index,on_invalid,scope,protocol}'::text[]) argument;

-- A URL without its percent-encoding.
CREATE FUNCTION pg_temp.decode(url text) RETURNS text LANGUAGE sql AS $$
  SELECT convert_from(decode(string_agg(CASE WHEN n > 1 THEN left(part, 2) ELSE '' END || encode(convert_to(substr(part, CASE WHEN n > 1 THEN 3 ELSE 1 END), 'UTF8'), 'hex'),
                                        '' ORDER BY n), 'hex'), 'UTF8')
    FROM string_to_table(url, '%') WITH ORDINALITY p (part, n)
$$;
-- What counts of a value: its ends that are blank do not, nor does what XML cannot carry.
CREATE FUNCTION pg_temp.legible(value text) RETURNS text LANGUAGE sql AS $$
  SELECT regexp_replace(value, E'[\x01-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]', '', 'g')
$$;
CREATE FUNCTION pg_temp.trim(value text) RETURNS text LANGUAGE sql AS $$
  SELECT btrim(value, E' \t\n\x0B\f\r\u0085\u00A0\u2028\u2029')
$$;
-- Is this what is to become of it?
CREATE FUNCTION pg_temp.is_unharmed(kind text, given text, found text) RETURNS bool LANGUAGE sql AS $$
  SELECT CASE kind
         WHEN 'text' THEN found = pg_temp.legible(given) OR coalesce(pg_temp.trim(pg_temp.legible(given)), '') = '' AND found IS NULL
         WHEN 'token' THEN lower(found) IS NOT DISTINCT FROM nullif(lower(pg_temp.trim(pg_temp.legible(given))), '')
         ELSE found IS NULL AND given IS NULL OR
              found ~ '^[]A-Za-z0-9._~:/?#[@!$&''()*+,;=%-]*$' AND
              CASE WHEN kind = 'resolved' THEN starts_with(found, 'http://a/')
                   WHEN given ~ '%[[:xdigit:]]{2}' THEN position(substring(given FROM '%[[:xdigit:]]{2}') IN found) > 0
                   ELSE pg_temp.decode(found) = pg_temp.trim(given) END
         END
$$;
-- What becomes of a value: the SQLSTATE, or whether it was found unharmed in a document.
CREATE FUNCTION pg_temp.outcome(place place, value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  given CONSTANT text := place.before || value || place.after;
  document text;
  found text;
  message text;
  detail text;
BEGIN
  BEGIN
    EXECUTE place.statement INTO document USING given;
  EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    -- A short value is in the message, as it is; of a list that is the item.
    IF length(value) < 40 AND value !~ ',' AND place.kind = 'token' AND SQLSTATE <> '22004' AND position(pg_temp.trim(value) IN message || detail) = 0 AND
       position(pg_temp.trim(pg_temp.legible(value)) IN message || detail) = 0 THEN
      RETURN format('MESSAGE: %s %s', message, detail);
    END IF;
    RETURN SQLSTATE;
  END;
  BEGIN
    EXECUTE format('SELECT v FROM xmltable(%L PASSING xmlparse(DOCUMENT $1) COLUMNS v text PATH ''.'')', place.path) INTO found USING document;
    IF place.kind = 'stylesheet' THEN
      found := replace(replace(substring(found FROM ' href="([^"]*)"'), '&apos;', ''''), '&amp;', '&');
    END IF;
  EXCEPTION WHEN OTHERS THEN
    RETURN format('NOT WELL-FORMED: %s: %s', SQLERRM, left(document, 500));
  END;
  RETURN CASE WHEN pg_temp.is_unharmed(place.kind, given, found) THEN 'ok' ELSE format('HARMED: %L became %L', left(given, 100), left(found, 100)) END;
END
$$;
CREATE TEMP TABLE result AS
SELECT what, value, pg_temp.outcome(place, value) AS outcome
  FROM place, hostile;
SELECT what, string_agg(DISTINCT outcome, ' ' ORDER BY outcome) FROM result GROUP BY what ORDER BY what COLLATE "C";

-- The audit shows it as it was given, except what comes before an "@", which can be a password.
SELECT count(DISTINCT value) = (SELECT count(*) FROM hostile WHERE value IS NOT NULL), count(*) FILTER (WHERE a.loc <> 'ftp://' || regexp_replace(value, '^[^/?#\\]+@', '***@'))
  FROM hostile, sitemap_audit(format('SELECT %L::text AS loc', 'ftp://' || value), 'http://a/') a;
-- So does a warning.
SET client_min_messages = notice;
SELECT count(*)
  FROM sitemap_files($$SELECT 'ftp://%s%n%d%*c' AS loc UNION ALL SELECT E'ftp://\n<&">'$$, 'http://a/', on_invalid => 'skip');
SET client_min_messages = warning;

--
-- Values of other types
--
-- Nothing but NULLs; the support functions of aggregates cannot be called.
CREATE FUNCTION pg_temp.state(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  RETURN 'ok';
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE;
END
$$;
CREATE TEMP VIEW member AS
SELECT p.*, p.proname ~ '_(transfn|combine|serialize|deserialize|finalfn)$' AS support
  FROM pg_depend d
  JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
  JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
 WHERE e.extname = 'sitemap';
SELECT proname, string_agg(DISTINCT state, ' ' ORDER BY state)
  FROM member,
       LATERAL (SELECT string_agg(replace(format('NULL::%s', type::regtype), '::"any"', ''), ', ' ORDER BY n)
                  FROM unnest(proargtypes::oid[]) WITH ORDINALITY t (type, n)) a (arguments),
       LATERAL (SELECT pg_temp.state(format('SELECT %s(%s)', proname, arguments))) s (state)
 WHERE NOT support
 GROUP BY proname
 ORDER BY proname;
SELECT DISTINCT pg_temp.state(format('SELECT %s(%s)', proname, array_to_string(array_fill('NULL'::text, ARRAY[pronargs::int]), ', '))) IN ('0A000', '42883')
  FROM member
 WHERE support;

-- The ends of each type, in each argument; all others are as they should be.
CREATE TABLE hostile_target OF sitemap_file (PRIMARY KEY (base_url, name));
CREATE TABLE hostile_queue (name text);
CREATE TEMP TABLE extreme (type regtype, given text);
INSERT INTO extreme
SELECT type::regtype, unnest(given)
  FROM (VALUES
    ('int', ARRAY['-2147483648', '-1', '0', '2147483647']),
    ('bigint', ARRAY['-9223372036854775808', '-1', '0', '9223372036854775807']),
    ('float8', ARRAY['NaN', 'Infinity', '-Infinity', '-0', '1e308', '1e-307']),
    ('numeric[]', ARRAY['{}', '{NULL}', '{NaN}', '{Infinity}', '{1e1000}', '{-1}', '{1e-1000}', '{{1},{2}}', '[5:5]={1}']),
    ('int[]', ARRAY['{}', '{NULL}', '{-1}', '{2147483647}', '{{1},{2}}', '[5:5]={1}']),
    ('text[]', ARRAY['{}', '{NULL}', '{""}', '{{a},{b}}', '[5:5]={a}']),
    ('xml[]', ARRAY['{}', '{NULL}', '{a}', '{{<a/>},{<b/>}}', '{"<!-- -->"}', '{<a:a/>}']),
    ('timestamptz', ARRAY['infinity', '-infinity', '4713-11-24 00:00:00+00 BC', '294276-12-31 23:59:59+00', '0001-01-01 00:00:00+00 BC']),
    ('timestamp', ARRAY['infinity', '-infinity', '4713-11-24 00:00:00 BC', '294276-12-31 23:59:59']),
    ('date', ARRAY['infinity', '-infinity', '4713-11-24 BC', '5874897-12-31']),
    ('jsonb', ARRAY['null', '1', '[]', '{}', '{"de": {}}', '{"de": 1}', '{"": ""}', '{"de": null}']),
    ('regclass', ARRAY['0', '4294967295', 'pg_class']),
    ('bytea', ARRAY['\x1f8b', '\x1f8b08'])
  ) v (type, given);
CREATE TEMP TABLE base (function text, argument text, given text);
INSERT INTO base VALUES
  ('sitemap_url', 'loc', '''http://a/'''),
  ('sitemap_news', 'publication_name', '''n'''), ('sitemap_news', 'publication_language', '''en'''), ('sitemap_news', 'title', '''t'''),
  ('sitemap_video', 'thumbnail_loc', '''http://t/'''), ('sitemap_video', 'title', '''t'''),
  ('sitemap_video', 'description', '''d'''), ('sitemap_video', 'content_loc', '''http://c/'''),
  ('sitemap_parse', 'document', '''http://a/''::text'),
  ('sitemap_publish', 'target', '''hostile_target'''),
  ('sitemap_watch', 'source', '''hostile_target'''), ('sitemap_watch', 'key', '''name'''), ('sitemap_watch', 'queue', '''hostile_queue'''),
  ('_sitemap_watch_check', 'source', '''hostile_target'''), ('_sitemap_watch_check', 'key', '''name'''),
  ('_sitemap_watch_check', 'queue', '''hostile_queue'''), ('_sitemap_watch_check', 'columns', 'NULL'), ('_sitemap_watch_check', 'is_new', 'true'),
  ('sitemap_unwatch', 'source', '''hostile_target'''), ('sitemap_unwatch', 'queue', '''hostile_queue'''),
  ('sitemap_publish_index', 'target', '''hostile_target'''), ('sitemap_publish_index', 'base_url', '''http://a/''');
INSERT INTO base
SELECT function, argument, given
  FROM unnest('{sitemap_files,sitemap_audit,sitemap_publish}'::text[]) function,
       (VALUES ('query', '''SELECT ''''/'''' AS loc'''), ('base_url', '''http://a/''')) v (argument, given);
CREATE TEMP VIEW argument AS
SELECT proname, name, type::regtype
  FROM member p, unnest(proargnames[1:pronargs], proargtypes::oid[]) a (name, type)
 WHERE prokind = 'f' AND NOT support;
CREATE FUNCTION pg_temp.call(argument, given text) RETURNS text LANGUAGE sql AS $$
  SELECT pg_temp.state(format('SELECT %s(%s)', $1.proname, string_agg(format('%I => %s', v.argument, v.given), ', ')))
    FROM (SELECT b.argument, b.given FROM base b WHERE b.function = $1.proname AND b.argument <> $1.name
           UNION ALL SELECT $1.name, $2) v (argument, given)
$$;
SELECT proname, type, string_agg(DISTINCT state, ' ' ORDER BY state), count(*)
  FROM argument a
  JOIN extreme USING (type),
       LATERAL (SELECT pg_temp.call(a, format('%L::%s', given, type))) s (state)
 GROUP BY proname, type
 ORDER BY proname, type::text;
-- An argument of any type takes those that it knows, and no other.
SELECT g, string_agg(DISTINCT state, ' ' ORDER BY state), count(*)
  FROM argument a,
       unnest(ARRAY['1', 'ARRAY[true]', 'ROW(1)', '''infinity''::timestamptz', '''infinity''::date', 'int4range(1, 2)', '''\x''::bytea',
                    '''{}''::jsonb', 'time ''00:00''', 'true', 'NULL', '''2026''', '''2026''::name', '''yes''::varchar']) g,
       LATERAL (SELECT pg_temp.call(a, g)) s (state)
 WHERE type = '"any"'::regtype
 GROUP BY g
 ORDER BY g COLLATE "C";

DROP TABLE hostile_target, hostile_queue;
