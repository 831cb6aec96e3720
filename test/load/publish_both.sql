-- Two targets in one transaction, in the order that everybody keeps.
\set section random(1, 3)
BEGIN;
SELECT count(*) FROM load.publish(1, :section);
SELECT count(*) FROM load.publish(2, :section);
COMMIT;
