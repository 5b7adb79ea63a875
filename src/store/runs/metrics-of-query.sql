-- All measurements of one query in some runs. The query is known by its text, by its position only where that is unknown.
SELECT
    toString(run_id) AS runId,
    measurement,
    metric,
    unit,
    better,
    architecture,
    rounded,
    samples_kept AS samplesKept,
    old_repetitions AS oldRepetitions,
    new_repetitions AS newRepetitions,
    old_median AS oldMedian,
    new_median AS newMedian,
    status,
    status_reason AS statusReason,
    difference,
    threshold,
    p_value AS pValue,
    smallest_p_value AS smallestPValue,
    separated,
    taken,
    count() OVER (PARTITION BY run_id) AS ofRun
FROM query_results
PREWHERE repository_id = {repositoryId:UInt64}
  AND run_id IN {runIds:Array(UUID)}
  AND test = {test:String}
WHERE is_measurement
  AND isNull(query_name) != {hasName:Bool}
  AND ifNull(query_name, '') = {queryName:String}
  AND ({hasName:Bool} OR ifNull(query_index, 4294967295) = {queryIndex:UInt32})
  AND ifNull(ordinal, 0) = {ordinal:UInt32}
ORDER BY run_id, measurement
LIMIT {limit:UInt32} BY run_id
