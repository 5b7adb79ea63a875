-- A row for each measurement of some tests by one metric, each side's values from the smallest to the largest.
SELECT
    toString(run_id) AS runId,
    measurement,
    arraySort(groupArrayIf(value, side = 'old')) AS old,
    arraySort(groupArrayIf(value, side = 'new')) AS new
FROM samples
WHERE repository_id = {repositoryId:UInt64}
  AND run_id IN {runIds:Array(UUID)}
  AND test IN {tests:Array(String)}
  AND metric = {metric:String}
GROUP BY runId, measurement
