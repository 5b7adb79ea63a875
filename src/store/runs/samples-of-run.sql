-- A row for each measurement, each side's values in the order of the repetitions: of all metrics, or of those that are
-- given.
SELECT
    measurement,
    arrayMap(sample -> sample.2, arraySort(sample -> sample.1, groupArrayIf((repetition, value), side = 'old'))) AS old,
    arrayMap(sample -> sample.2, arraySort(sample -> sample.1, groupArrayIf((repetition, value), side = 'new'))) AS new
FROM samples
WHERE repository_id = {repositoryId:UInt64}
  AND run_id = {runId:UUID}
  AND (empty({metrics:Array(String)}) OR metric IN {metrics:Array(String)})
GROUP BY measurement
ORDER BY measurement
