-- Changed rows of other pull requests. The runs are found by `runs`, which is small; `query_results` is ordered by run.
SELECT
    test,
    query_name AS queryName,
    query_index AS queryIndex,
    ordinal,
    metric,
    ifNull(query_results.architecture, run_architecture) AS architecture,
    direction,
    pull_request_number AS pullRequestNumber,
    toUnixTimestamp64Milli(finished_at) AS time,
    difference
FROM query_results
INNER JOIN
(
    SELECT argMax(run_id, attempt) AS newest_run, run_arch AS run_architecture
    FROM (SELECT *, architecture AS run_arch FROM runs FINAL)
    WHERE repository_id = {repositoryId:UInt64}
      AND pull_request_number NOT IN (0, {pullRequestNumber:UInt32})
      AND finished_at >= toDateTime({since:UInt32}, 'UTC')
    GROUP BY head, check_name, run_arch, shard
) AS newest ON run_id = newest_run
WHERE repository_id = {repositoryId:UInt64}
  AND run_id IN (
      SELECT run_id
      FROM runs
      WHERE repository_id = {repositoryId:UInt64}
        AND pull_request_number NOT IN (0, {pullRequestNumber:UInt32})
        AND finished_at >= toDateTime({since:UInt32}, 'UTC'))
  AND outcome = 'changed'
  AND direction IS NOT NULL
  AND difference IS NOT NULL
  AND test IN {tests:Array(String)}
ORDER BY time DESC, pullRequestNumber, architecture
