-- The newest rows of pull requests in which one query has changed, one of each pull request and architecture. Of the runs of
-- one head and check the newest attempt alone counts.
SELECT
    pull_request_number AS pullRequestNumber,
    head,
    query_index AS queryIndex,
    ifNull(query_results.architecture, run_architecture) AS shown_architecture,
    toUnixTimestamp64Milli(finished_at) AS time,
    direction,
    difference,
    threshold,
    old_median AS oldMedian,
    new_median AS newMedian
FROM query_results
INNER JOIN
(
    SELECT argMax(run_id, attempt) AS newest_run, run_architecture
    FROM
    (
        SELECT run_id, head AS run_head, check_name AS run_check, architecture AS run_architecture, shard, attempt
        FROM runs
        WHERE repository_id = {repositoryId:UInt64}
          AND pull_request_number != 0
          AND finished_at >= toDateTime({since:UInt32}, 'UTC')
        ORDER BY finished_at DESC
        LIMIT {runs:UInt32}
    )
    GROUP BY run_head, run_check, run_architecture, shard
) AS newest ON run_id = newest_run
PREWHERE repository_id = {repositoryId:UInt64} AND test = {test:String} AND outcome = 'changed'
WHERE run_id IN (
      SELECT run_id
      FROM runs
      WHERE repository_id = {repositoryId:UInt64}
        AND pull_request_number != 0
        AND finished_at >= toDateTime({since:UInt32}, 'UTC')
      ORDER BY finished_at DESC
      LIMIT {runs:UInt32})
  AND direction IS NOT NULL
  AND difference IS NOT NULL
  AND ifNull(query_name, '') = {queryName:String}
  AND ({queryName:String} != '' OR ifNull(query_index, 4294967295) = {queryIndex:UInt32})
  AND ifNull(ordinal, 0) = {ordinal:UInt32}
  AND metric = {metric:String}
ORDER BY time DESC, pullRequestNumber, shown_architecture
LIMIT 1 BY pullRequestNumber, shown_architecture
LIMIT {limit:UInt32}
