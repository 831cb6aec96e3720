-- The same by someone who will not wait for the lock: 55P03.
\set target random(1, 3)
\set section random(1, 3)
BEGIN;
SET LOCAL lock_timeout = '10ms';
SELECT load.publish_or_not(:target, :section);
COMMIT;
