-- What each query moves by on the trunk when nothing happened, and how uncertain its measurements are. `ordinal` is the place of a query
-- among those of the same text in its run, and a commit that was measured again counts once; most texts are there once of each commit, and
-- are not looked at for it.
WITH
    counted AS
    (
        SELECT source, event_time, new_sha, test, query_index, query_display_name, query_hash, arch, diff, stat_threshold
        FROM trunk_history FINAL
        WHERE repository_id = {repositoryId:UInt64}
          AND metric = {metric:String}
          AND pr_number = 0
          AND event_time > toDateTime({from:UInt32}, 'UTC')
          AND event_time <= toDateTime({to:UInt32}, 'UTC')
          AND NOT superseded
          AND copied_from IN {copiedFrom:Array(String)}
    ),
    repeated AS
    (
        SELECT query_hash
        FROM trunk_history
        WHERE repository_id = {repositoryId:UInt64}
          AND metric = {metric:String}
          AND event_time > toDateTime({from:UInt32}, 'UTC')
          AND event_time <= toDateTime({to:UInt32}, 'UTC')
        GROUP BY query_hash, arch
        HAVING count() > uniqExact(new_sha)
    ),
    first_of_commits AS
    (
        SELECT *, toUInt64(0) AS ordinal
        FROM counted
        WHERE isFinite(diff) AND query_hash NOT IN (SELECT query_hash FROM repeated)
        UNION ALL
        SELECT *
        FROM
        (
            SELECT
                *,
                toUInt64(dense_rank() OVER (PARTITION BY query_hash, arch, event_time, new_sha ORDER BY toUInt32(query_index + 1)) - 1) AS ordinal
            FROM counted
            WHERE query_hash IN (SELECT query_hash FROM repeated)
        )
        WHERE isFinite(diff)
        ORDER BY event_time
        LIMIT 1 BY query_hash, ordinal, arch, new_sha
    )
SELECT
    [countIf(source = 'own'), countIf(source = 'imported'), countIf(source = 'ci-database')] AS counts,
    any(test) AS test,
    any(query_display_name) AS queryName,
    any(query_index) AS queryIndex,
    ordinal,
    arch AS architecture,
    quantileExact({quantile:Float64})(abs(diff)) AS difference,
    ifNotFinite(quantileExactIf({quantile:Float64})(stat_threshold, abs(diff) < stat_threshold), 0) AS threshold
FROM first_of_commits
GROUP BY query_hash, ordinal, arch
HAVING count() > {moreThan:UInt32}
