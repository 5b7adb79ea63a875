-- Until when the samples of this run are kept; no row: it is not stored completely, or they are gone.
SELECT toUnixTimestamp(expires) AS expires
FROM runs
WHERE repository_id = {repositoryId:UInt64}
  AND head = {head:String}
  AND run_id = {runId:UUID}
  AND expires > {now:DateTime64(3, 'UTC')}
ORDER BY stored_at DESC
LIMIT 1
