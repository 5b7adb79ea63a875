-- How often each wanted query moved by at least what is asked for. A commit that was measured again counts once: a step that is measured
-- three times is no habit.
WITH
    counted AS
    (
        SELECT event_time, new_sha, query_index, query_hash, arch, diff
        FROM trunk_history FINAL
        WHERE repository_id = {repositoryId:UInt64}
          AND metric = {metric:String}
          AND test IN {tests:Array(String)}
          AND query_hash IN {hashes:Array(UInt64)}
          AND arch IN {architectures:Array(String)}
          AND pr_number = 0
          AND event_time > toDateTime({from:UInt32}, 'UTC')
          AND event_time <= toDateTime({to:UInt32}, 'UTC')
          AND NOT superseded
          AND copied_from IN {copiedFrom:Array(String)}
    ),
    keyed AS
    (
        SELECT
            *,
            toUInt64(dense_rank() OVER (PARTITION BY query_hash, arch, event_time, new_sha ORDER BY toUInt32(query_index + 1)) - 1) AS ordinal
        FROM counted
    ),
    first_of_commits AS
    (
        SELECT *
        FROM keyed
        WHERE isFinite(diff)
        ORDER BY event_time
        LIMIT 1 BY query_hash, ordinal, arch, new_sha
    ),
    wanted AS
    (
        SELECT
            tupleElement(one, 1) AS number,
            tupleElement(one, 2) AS wanted_hash,
            tupleElement(one, 3) AS wanted_ordinal,
            tupleElement(one, 4) AS wanted_arch,
            tupleElement(one, 5) AS at_least
        FROM
        (
            SELECT arrayJoin(arrayZip(
                {numbers:Array(UInt32)}, {hashes:Array(UInt64)}, {ordinals:Array(UInt64)}, {architectures:Array(String)}, {sizes:Array(Float64)}
            )) AS one
        )
    )
SELECT
    wanted.number AS wanted,
    count() AS runs,
    countIf(abs(diff) >= at_least) AS times,
    toUnixTimestamp(maxIf(event_time, abs(diff) >= at_least)) AS lastTime,
    min(diff) AS lowest,
    max(diff) AS highest,
    quantileExact(abs(diff)) AS median,
    arrayReverseSort(groupArray(abs(diff)))[3] AS third
FROM first_of_commits
INNER JOIN wanted ON query_hash = wanted_hash AND ordinal = wanted_ordinal AND arch = wanted_arch
GROUP BY wanted.number
