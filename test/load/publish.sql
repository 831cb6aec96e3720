-- A section of a target is published, by many at a time.
\set target random(1, 3)
\set section random(1, 3)
SELECT count(*) FROM load.publish(:target, :section);
