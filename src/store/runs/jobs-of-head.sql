-- The newest attempts of the checks of a head in a pull request, those that a newer one has replaced among them.
SELECT
    toString(run_id) AS runId,
    check_name AS checkName,
    architecture,
    shard,
    toUnixTimestamp64Milli(max(finished_at)) AS time,
    any(about) AS about
FROM runs
WHERE repository_id = {repositoryId:UInt64}
  AND head = {head:String}
  AND pull_request_number = {pullRequestNumber:UInt32}
GROUP BY run_id, check_name, architecture, shard
ORDER BY time DESC, runId
LIMIT {most:UInt32} BY check_name, architecture, shard
