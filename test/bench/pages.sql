-- The pages of bench.sql and pair.sql, by the variable rows.

-- No lastmod is in the future: to sitemap_audit these rows are clean.
CREATE TABLE page AS
SELECT 'https://www.example.com/category-' || n % 100 || '/item-' || n AS loc,
       timestamptz '2020-01-01 00:00:00Z' + n * interval '37 seconds' AS lastmod,
       (ARRAY['daily', 'weekly', 'monthly'])[n % 3 + 1] AS changefreq,
       (n % 11 / 10.0)::float8 AS priority,
       (n - 1) / 50000 AS part,
       n % 1000 AS shop
  FROM generate_series(1, :rows) n;
CREATE VIEW page_with_image AS
SELECT loc, lastmod, changefreq, priority,
       ARRAY[sitemap_image(loc || '.jpg', title => 'Tom & Jerry')] AS extensions
  FROM page;
CREATE VIEW page_with_images AS
SELECT loc, lastmod, changefreq, priority, ARRAY[loc || '.jpg'] AS images
  FROM page;
CREATE VIEW page_with_languages AS
SELECT loc, lastmod, ARRAY[loc || '.jpg'] AS images,
       jsonb_build_object('en', loc, 'de', loc || '?lang=de', 'fr', loc || '?lang=fr') AS alternates
  FROM page;
CREATE VIEW page_with_video AS
SELECT loc, lastmod,
       jsonb_build_object('thumbnail_loc', loc || '.jpg', 'title', 'Tom & Jerry', 'description', 'A cat and a mouse',
                          'content_loc', loc || '.mp4', 'duration', 60 + shop, 'publication_date', lastmod) AS videos
  FROM page;
CREATE VIEW page_with_news AS
SELECT loc, lastmod,
       jsonb_build_object('publication_name', 'The Example Times', 'publication_language', 'en',
                          'publication_date', lastmod, 'title', 'Tom & Jerry') AS news
  FROM page;
VACUUM ANALYZE page;
