-- The queries and metrics of a run whose rows stand before a position.
SELECT DISTINCT
    test,
    query_index AS queryIndex,
    query_name AS queryName,
    ordinal,
    metric
FROM query_results
WHERE repository_id = {repositoryId:UInt64}
  AND run_id = {runId:UUID}
  AND measurement < {before:UInt32}
