-- The same from a snapshot that is older than the lock: 40001 where the target has changed since.
\set target random(1, 3)
\set section random(1, 3)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM load.page;
SELECT count(*) FROM load.publish(:target, :section);
COMMIT;
