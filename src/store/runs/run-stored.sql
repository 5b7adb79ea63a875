-- Whether this run is stored completely and its samples are still kept.
SELECT count() > 0 AS stored
FROM runs
WHERE repository_id = {repositoryId:UInt64}
  AND head = {head:String}
  AND run_id = {runId:UUID}
  AND expires > {now:DateTime64(3, 'UTC')}
