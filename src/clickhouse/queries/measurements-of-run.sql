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
    samples_kept AS samplesKept
FROM query_results
WHERE repository_id = {repositoryId:UInt64}
  AND run_id = {runId:UUID}
  AND is_measurement
ORDER BY measurement
