-- The runs of a head whose samples are kept, those that are named or all, with the time at which the newest row of each was stored.
SELECT toString(run_id) AS runId, toUnixTimestamp64Milli(max(stored_at)) AS storedAt
FROM runs
WHERE repository_id = {repositoryId:UInt64}
  AND head = {head:String}
  AND (empty({runIds:Array(UUID)}) OR run_id IN {runIds:Array(UUID)})
  AND expires > {now:DateTime64(3, 'UTC')}
GROUP BY run_id
