-- A set, read in several statements of one snapshot.
\set target random(1, 3)
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT count(*) AS files, md5(string_agg(loc, ' ' ORDER BY loc COLLATE "C") FILTER (WHERE kind <> 'index')) AS there
  FROM load.target_:target \gset
SELECT md5(string_agg(loc, ' ' ORDER BY loc COLLATE "C")) AS listed FROM load.listed_:target \gset
SELECT coalesce(count(*) = 3 AND bool_and(agrees), false) AS agrees FROM load.counted_:target \gset
COMMIT;
INSERT INTO load.checked VALUES (:files, ':agrees' AND ':there' = ':listed');
