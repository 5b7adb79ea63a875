-- Flags of one query on one architecture, in whichever metric. The newest report of a head alone says what it flags.
SELECT
    toUnixTimestamp64Milli(finished_at) AS time,
    check_name AS checkName,
    pull_request_number AS pullRequestNumber,
    head AS commitSha,
    difference
FROM flags FINAL
WHERE repository_id = {repositoryId:UInt64}
  AND query_hash = {hash:UInt64}
  AND ifNull(ordinal, 0) = {ordinal:UInt32}
  AND ifNull(architecture, '') = {architecture:String}
  AND finished_at >= toDateTime({from:UInt32}, 'UTC')
  AND finished_at <= toDateTime({until:UInt32}, 'UTC') + 1
  AND (pull_request_number, head, judged_at) GLOBAL IN (
      SELECT pull_request_number, head, max(judged_at)
      FROM reports
      WHERE repository_id = {repositoryId:UInt64}
      GROUP BY pull_request_number, head)
ORDER BY time DESC, checkName, commitSha
LIMIT {most:UInt32}
