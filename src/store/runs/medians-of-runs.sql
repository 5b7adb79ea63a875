-- The results that were compared by one metric in some runs, in pairs of the same place.
SELECT
    toString(run_id) AS runId,
    groupArray(assumeNotNull(old_median)) AS old,
    groupArray(assumeNotNull(new_median)) AS new
FROM query_results
WHERE repository_id = {repositoryId:UInt64}
  AND run_id IN {runIds:Array(UUID)}
  AND metric = {metric:String}
  AND status = 'compared'
  AND old_median > 0
  AND new_median > 0
GROUP BY run_id
