-- Some pages of the source come, go, or change.
\set section random(1, 3)
\set what random(1, 3)
\set place random(0, 999)
SELECT load.edit(:section, :what, :place / 1000.0);
