-- The runs that a history is made of, each column an array, with the number by which `points.sql` names them.
SELECT
    groupArray(run) AS runs,
    groupArray(time) AS times,
    groupArray(new_sha) AS commits,
    groupArray(old_sha) AS referenceCommits,
    groupArray(instance_type) AS instanceTypes
FROM
(
    SELECT DISTINCT {{run}} AS run, toUnixTimestamp(event_time) AS time, new_sha, old_sha, instance_type
    FROM ({{rows-unmerged WHERE {{where}}}})
)
