-- The index of a target alone.
\set target random(1, 3)
SELECT count(*) FROM load.publish_index(:target);
