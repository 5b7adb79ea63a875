-- The runs that a history is made of, with the number by which `points.sql` names them.
SELECT DISTINCT {{run}} AS run, toUnixTimestamp(event_time) AS time, new_sha AS commit, old_sha AS referenceCommit, instance_type AS instanceType
FROM ({{rows-unmerged WHERE {{where}}}})
