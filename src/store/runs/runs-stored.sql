-- The runs of a head that are stored completely and whose samples are kept.
SELECT DISTINCT toString(run_id) AS runId
FROM runs
WHERE repository_id = {repositoryId:UInt64}
  AND head = {head:String}
  AND expires > {now:DateTime64(3, 'UTC')}
