-- A set, read in one statement.
\set target random(1, 3)
SELECT files, coalesce(index_agrees AND pages_agree, false) AS agrees FROM load.read_:target \gset
INSERT INTO load.checked VALUES (:files, ':agrees');
