-- The metrics of a run whose rows stand before a position.
SELECT DISTINCT toString(metric) AS name
FROM query_results
WHERE repository_id = {repositoryId:UInt64}
  AND run_id = {runId:UUID}
  AND measurement < {before:UInt32}
