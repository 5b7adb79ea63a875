-- How each query was measured in the newest runs: on the trunk, and in pull requests. A run of the trunk is in both tables: its results
-- say only how many repetitions there were (0: not known). Equal texts of a test are one query. A threshold that is not known is -1 and
-- counts nowhere.
SELECT
    toString(any(test_name)) AS test,
    toString(any(text)) AS queryName,
    argMax(position, time) AS queryIndex,
    toString(any(arch_name)) AS architecture,
    countIf(counts) AS runs,
    countIf(counts AND on_trunk) AS trunkRuns,
    countIf(counts AND threshold >= 0) AS judgedRuns,
    countIf(counts AND threshold >= {unstable:Float64}) AS unstableRuns,
    countIf(counts AND threshold >= 0 AND abs(difference) >= greatest(threshold, {changed:Float64})) AS changedRuns,
    if(judgedRuns = 0, 0, quantileExactIf(0.5)(threshold, counts AND threshold >= 0)) AS medianThreshold,
    quantileExactIf(0.5)(value, counts) AS medianValue,
    if(countIf(repetitions > 0) = 0, 0, quantileExactIf(0.5)(repetitions, repetitions > 0)) AS medianRepetitions
FROM
(
    SELECT
        cityHash64(test) AS test_hash,
        if(query_display_name = '', query_index, cityHash64(query_display_name)) AS text_hash,
        cityHash64(arch) AS arch_hash,
        toString(test) AS test_name,
        toString(query_display_name) AS text,
        query_index AS position,
        toString(arch) AS arch_name,
        toUnixTimestamp(event_time) AS time,
        old_value AS value,
        diff AS difference,
        if(isFinite(stat_threshold) AND stat_threshold >= 0, stat_threshold, -1) AS threshold,
        toUInt32(0) AS repetitions,
        true AS on_trunk,
        true AS counts
    FROM trunk_history FINAL
    WHERE repository_id = {repositoryId:UInt64}
      AND metric = {metric:String}
      AND pr_number = 0
      AND event_time > toDateTime({since:UInt32}, 'UTC')
      AND NOT superseded
      AND copied_from IN {copiedFrom:Array(String)}
    UNION ALL
    SELECT
        cityHash64(test) AS test_hash,
        if(text = '', position, cityHash64(text)) AS text_hash,
        cityHash64(arch_name) AS arch_hash,
        toString(test) AS test_name,
        ifNull(query_name, '') AS text,
        ifNull(query_index, 4294967295) AS position,
        toString(ifNull(ifNull(query_results.architecture, run_architecture), '')) AS arch_name,
        toUnixTimestamp(finished_at) AS time,
        assumeNotNull(old_median) AS value,
        assumeNotNull(difference) AS difference,
        if(isFinite(ifNull(query_results.threshold, -1)), ifNull(query_results.threshold, -1), -1) AS threshold,
        -- a source that rounds gives medians in the place of repetitions
        if(rounded, 0, least(old_repetitions, new_repetitions)) AS repetitions,
        is_trunk AS on_trunk,
        NOT is_trunk AS counts
    FROM query_results
    GLOBAL INNER JOIN
    (
        SELECT run_id, run_architecture, is_trunk
        FROM
        (
            SELECT run_id, architecture AS run_architecture, pull_request_number = 0 AS is_trunk, finished_at AS ended
            FROM runs FINAL
            WHERE repository_id = {repositoryId:UInt64}
              AND finished_at > toDateTime({since:UInt32}, 'UTC')
            ORDER BY ended DESC
            LIMIT 1 BY run_id
        )
        QUALIFY row_number() OVER (PARTITION BY is_trunk ORDER BY ended DESC) <= if(is_trunk, {trunkRuns:UInt32}, {runs:UInt32})
    ) AS newest USING (run_id)
    WHERE repository_id = {repositoryId:UInt64}
      AND metric = {metric:String}
      AND status = 'compared'
      AND difference IS NOT NULL
      AND old_median IS NOT NULL
)
WHERE isFinite(difference) AND isFinite(value)
GROUP BY test_hash, text_hash, arch_hash
HAVING runs > 0
ORDER BY runs DESC, test, queryName, queryIndex, architecture
LIMIT {limit:UInt32}
