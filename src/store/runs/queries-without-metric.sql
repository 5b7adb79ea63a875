-- The queries of a run that have no measurement of a metric before a position, with what its other ones say of each.
SELECT
    test,
    query_index AS queryIndex,
    query_name AS queryName,
    ordinal,
    architecture,
    groupUniqArrayIf(problems, problems != '[]') AS problems
FROM query_results
WHERE repository_id = {repositoryId:UInt64}
  AND run_id = {runId:UUID}
  AND is_measurement
  AND measurement < {before:UInt32}
GROUP BY test, query_index, query_name, ordinal, architecture
HAVING countIf(metric = {metric:String}) = 0
ORDER BY min(measurement)
