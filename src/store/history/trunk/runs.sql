-- The runs that histories are made of, each column an array, with the number by which `series.sql` names them.
SELECT
    groupArray(run) AS runs,
    groupArray(time) AS times,
    groupArray(new_sha) AS commits,
    groupArray(old_sha) AS referenceCommits,
    groupArray(instance_type) AS instanceTypes
FROM
(
    SELECT DISTINCT
        toFloat64(bitShiftRight(cityHash64(event_time, new_sha, old_sha, instance_type), 11)) AS run,
        toUnixTimestamp(event_time) AS time,
        new_sha,
        old_sha,
        instance_type
    FROM trunk_history
    WHERE repository_id = {repositoryId:UInt64}
      AND metric = {metric:String}
      AND test IN {tests:Array(String)}
      AND (empty({hashes:Array(UInt64)}) OR (query_hash IN {hashes:Array(UInt64)} AND arch IN {architectures:Array(String)}))
      AND pr_number = 0
      AND event_time > toDateTime({from:UInt32}, 'UTC')
      AND event_time <= toDateTime({to:UInt32}, 'UTC')
)
