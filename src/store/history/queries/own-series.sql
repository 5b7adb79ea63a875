-- `series.sql` over the bot's own rows with all rows of both sources: `each-run-once.ts` takes each run once and tells equal
-- texts apart. For the few rows of one query a statement that does it takes longer to plan than everything else does.
SELECT
    test,
    query_name AS queryName,
    arch AS architecture,
    tupleElement(points, 2) AS runs,
    tupleElement(points, 3) AS ranks,
    tupleElement(points, 4) AS indexes,
    arrayMap(x -> if(isFinite(x), x, -1), tupleElement(points, 5)) AS old,
    arrayMap(x -> if(isFinite(x), x, -1), tupleElement(points, 6)) AS new,
    arrayMap(x -> if(isFinite(x) AND x >= 0, x, -1), tupleElement(points, 7)) AS thresholds
FROM
(
    SELECT
        any(test) AS test,
        any(query_name) AS query_name,
        arch,
        arraySort(groupArray(tuple(event_time, {{run}}, if(source = 'own', 0, if(repository_id != 0, 1, 2)), toUInt32(query_index + 1), old_value, new_value, stat_threshold))) AS points
    FROM ({{rows-merged WHERE {{where}}}})
    GROUP BY query_hash, arch
)
