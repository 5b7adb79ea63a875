-- The measurements of some tests by one metric in some runs whose samples are kept.
SELECT
    toString(run_id) AS runId,
    measurement,
    test,
    query_index AS queryIndex,
    query_name AS queryName,
    ordinal,
    architecture,
    old_median AS oldMedian,
    new_median AS newMedian
FROM query_results
PREWHERE repository_id = {repositoryId:UInt64}
  AND run_id IN {runIds:Array(UUID)}
  AND test IN {tests:Array(String)}
WHERE is_measurement
  AND samples_kept
  AND metric = {metric:String}
ORDER BY run_id, measurement
