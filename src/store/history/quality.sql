-- How each query was measured in the newest runs: on the trunk, and in pull requests, which say how many repetitions there were (0:
-- not known). Equal texts of a test are one query. A threshold that is not known is -1 and counts nowhere.
SELECT
    test,
    query_name AS queryName,
    argMax(query_index, time) AS queryIndex,
    architecture,
    count() AS runs,
    sum(on_trunk) AS trunkRuns,
    countIf(threshold >= 0) AS judgedRuns,
    countIf(threshold >= {unstable:Float64}) AS unstableRuns,
    countIf(threshold >= 0 AND abs(difference) >= greatest(threshold, {changed:Float64})) AS changedRuns,
    if(judgedRuns = 0, 0, quantileExactIf(0.5)(threshold, threshold >= 0)) AS medianThreshold,
    quantileExact(0.5)(value) AS medianValue,
    if(countIf(repetitions > 0) = 0, 0, quantileExactIf(0.5)(repetitions, repetitions > 0)) AS medianRepetitions
FROM
(
    SELECT
        toString(test) AS test,
        toString(query_display_name) AS query_name,
        query_index,
        toString(arch) AS architecture,
        toUnixTimestamp(event_time) AS time,
        old_value AS value,
        diff AS difference,
        if(isFinite(stat_threshold) AND stat_threshold >= 0, stat_threshold, -1) AS threshold,
        toUInt32(0) AS repetitions,
        1 AS on_trunk
    FROM trunk_history FINAL
    WHERE repository_id = {repositoryId:UInt64}
      AND metric = {metric:String}
      AND pr_number = 0
      AND event_time > toDateTime({since:UInt32}, 'UTC')
      AND NOT superseded
      AND copied_from IN {copiedFrom:Array(String)}
    UNION ALL
    SELECT
        toString(test) AS test,
        ifNull(query_name, '') AS query_name,
        ifNull(query_index, 4294967295) AS query_index,
        ifNull(ifNull(query_results.architecture, run_architecture), '') AS architecture,
        toUnixTimestamp(finished_at) AS time,
        assumeNotNull(old_median) AS value,
        assumeNotNull(difference) AS difference,
        if(isFinite(ifNull(query_results.threshold, -1)), ifNull(query_results.threshold, -1), -1) AS threshold,
        least(old_repetitions, new_repetitions) AS repetitions,
        0 AS on_trunk
    FROM query_results
    GLOBAL INNER JOIN
    (
        SELECT run_id, architecture AS run_architecture
        FROM runs FINAL
        WHERE repository_id = {repositoryId:UInt64}
          AND pull_request_number != 0
          AND finished_at > toDateTime({since:UInt32}, 'UTC')
        ORDER BY finished_at DESC
        LIMIT 1 BY run_id
        LIMIT {runs:UInt32}
    ) AS newest USING (run_id)
    WHERE repository_id = {repositoryId:UInt64}
      AND metric = {metric:String}
      AND status = 'compared'
      AND difference IS NOT NULL
      AND old_median IS NOT NULL
)
WHERE isFinite(difference) AND isFinite(value)
GROUP BY test, query_name, if(query_name = '', query_index, 0), architecture
ORDER BY runs DESC, test, query_name, queryIndex, architecture
LIMIT {limit:UInt32}
