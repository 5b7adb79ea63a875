-- Whole histories, each column of the points an array in the order of time: of all queries of the tests, or where hashes are
-- given of these on the architectures. A point names its run by a number; `runs.sql` has the commits. What is not finite would
-- be lost in JSON: a threshold of -1 is none. `sources` says where a row comes from; equal texts are told apart by `indexes`.
SELECT
    name_of_test AS test,
    query_name AS queryName,
    arch AS architecture,
    tupleElement(points, 2) AS runs,
    tupleElement(points, 3) AS sources,
    tupleElement(points, 4) AS indexes,
    arrayMap(x -> if(isFinite(x), x, -1), tupleElement(points, 5)) AS old,
    arrayMap(x -> if(isFinite(x), x, -1), tupleElement(points, 6)) AS new,
    arrayMap(x -> if(isFinite(x) AND x >= 0, x, -1), tupleElement(points, 7)) AS thresholds
FROM
(
    SELECT
        any(test) AS name_of_test,
        any(query_display_name) AS query_name,
        arch,
        arraySort(groupArray(tuple(
            event_time,
            toFloat64(bitShiftRight(cityHash64(event_time, new_sha, old_sha, instance_type), 11)),
            multiIf(source = 'own', 0, source = 'imported', 1, 2),
            toUInt32(query_index + 1),
            old_value,
            new_value,
            stat_threshold))) AS points
    FROM trunk_history FINAL
    WHERE repository_id = {repositoryId:UInt64}
      AND metric = {metric:String}
      AND test IN {tests:Array(String)}
      AND (empty({hashes:Array(UInt64)}) OR (query_hash IN {hashes:Array(UInt64)} AND arch IN {architectures:Array(String)}))
      AND pr_number = 0
      AND event_time > toDateTime({from:UInt32}, 'UTC')
      AND event_time <= toDateTime({to:UInt32}, 'UTC')
      AND NOT superseded
      AND copied_from IN {copiedFrom:Array(String)}
    GROUP BY query_hash, arch
)
