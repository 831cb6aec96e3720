-- A section whose query takes half a second, for which no other section waits.
\set target random(1, 3)
SELECT count(*) FROM load.publish(:target, 1, 'SELECT pg_sleep(0.5)');
