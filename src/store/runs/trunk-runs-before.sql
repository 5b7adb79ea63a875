-- The newest runs of the trunk itself up to a time.
SELECT
    toString(run_id) AS runId,
    check_name AS checkName,
    architecture,
    shard,
    any(head) AS head,
    any(shards) AS shards,
    toUnixTimestamp64Milli(max(finished_at)) AS time,
    any(about) AS about
FROM runs
WHERE repository_id = {repositoryId:UInt64}
  AND pull_request_number = 0
  AND finished_at < {before:DateTime64(3, 'UTC')}
GROUP BY run_id, check_name, architecture, shard
ORDER BY time DESC, runId
LIMIT {most:UInt32}
