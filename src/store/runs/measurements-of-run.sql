-- The measurements before a position whose samples are kept: of all metrics, or of those that are given.
SELECT
    measurement,
    test,
    query_index AS queryIndex,
    query_name AS queryName,
    ordinal,
    metric,
    unit,
    architecture,
    report_threshold AS reportThreshold,
    rounded,
    problems,
    old_median AS oldMedian,
    new_median AS newMedian,
    better,
    given,
    source_notes AS notes,
    taken
FROM query_results
WHERE repository_id = {repositoryId:UInt64}
  AND run_id = {runId:UUID}
  AND is_measurement
  AND samples_kept
  AND measurement < {before:UInt32}
  AND (empty({metrics:Array(String)}) OR metric IN {metrics:Array(String)})
ORDER BY measurement
