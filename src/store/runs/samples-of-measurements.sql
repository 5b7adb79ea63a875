-- A row for each measurement, each side's values in the order of the repetitions.
SELECT
    toString(run_id) AS runId,
    measurement,
    arrayMap(sample -> sample.2, arraySort(sample -> sample.1, groupArrayIf((repetition, value), side = 'old'))) AS old,
    arrayMap(sample -> sample.2, arraySort(sample -> sample.1, groupArrayIf((repetition, value), side = 'new'))) AS new
FROM samples
WHERE repository_id = {repositoryId:UInt64}
  AND run_id IN {runIds:Array(UUID)}
  AND measurement IN {measurements:Array(UInt32)}
GROUP BY runId, measurement
