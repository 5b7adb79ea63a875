-- The newest attempts of each check, architecture and shard, those that a newer one has replaced among them.
SELECT
    toString(run_id) AS runId,
    check_name AS checkName,
    architecture,
    shard,
    attempt
FROM runs
WHERE repository_id = {repositoryId:UInt64}
  AND head = {head:String}
  AND expires > {now:DateTime64(3, 'UTC')}
GROUP BY run_id, check_name, architecture, shard, attempt
ORDER BY check_name, architecture NULLS FIRST, shard NULLS FIRST, attempt DESC
LIMIT {most:UInt32} BY check_name, architecture, shard
