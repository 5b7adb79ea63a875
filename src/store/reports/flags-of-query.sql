-- The newest flags of one query, one of each pull request and architecture. The newest report of a head alone says what it
-- flags.
SELECT
    pull_request_number AS pullRequestNumber,
    head,
    query_index AS queryIndex,
    architecture,
    toUnixTimestamp64Milli(finished_at) AS time,
    direction,
    difference,
    threshold,
    old_median AS oldMedian,
    new_median AS newMedian
FROM flags
WHERE repository_id = {repositoryId:UInt64}
  AND query_hash = {hash:UInt64}
  AND metric = {metric:String}
  AND ifNull(ordinal, 0) = {ordinal:UInt32}
  AND finished_at >= toDateTime({since:UInt32}, 'UTC')
  AND (pull_request_number, head, judged_at) GLOBAL IN (
      SELECT pull_request_number, head, max(judged_at)
      FROM reports
      WHERE repository_id = {repositoryId:UInt64}
      GROUP BY pull_request_number, head)
ORDER BY time DESC, pullRequestNumber, architecture
LIMIT 1 BY pullRequestNumber, architecture
LIMIT {limit:UInt32}
