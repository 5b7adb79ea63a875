-- Flags of some queries in other pull requests. The newest report of a head alone says what it flags.
SELECT
    test,
    query_name AS queryName,
    query_index AS queryIndex,
    ordinal,
    metric,
    architecture,
    direction,
    pull_request_number AS pullRequestNumber,
    toUnixTimestamp64Milli(finished_at) AS time,
    difference,
    old_commit AS oldCommit
FROM flags
GLOBAL ANY LEFT JOIN (
    SELECT pull_request_number, head, check_name, finished_at, old_commit
    FROM runs
    WHERE repository_id = {repositoryId:UInt64}
      AND finished_at >= toDateTime({from:UInt32}, 'UTC')
      AND finished_at <= toDateTime({to:UInt32}, 'UTC')
) AS measured USING (pull_request_number, head, check_name, finished_at)
WHERE repository_id = {repositoryId:UInt64}
  AND query_hash IN {hashes:Array(UInt64)}
  AND pull_request_number NOT IN (0, {pullRequestNumber:UInt32})
  AND finished_at >= toDateTime({from:UInt32}, 'UTC')
  AND finished_at <= toDateTime({to:UInt32}, 'UTC')
  AND (pull_request_number, head, judged_at) GLOBAL IN (
      SELECT pull_request_number, head, max(judged_at)
      FROM reports
      WHERE repository_id = {repositoryId:UInt64}
      GROUP BY pull_request_number, head)
ORDER BY time DESC, pullRequestNumber, architecture
