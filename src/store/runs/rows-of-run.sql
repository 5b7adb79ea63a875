-- How many rows there are of a run, for those who write it: its own, while its samples are kept, and those of each table from a
-- position on.
SELECT 'own' AS of, count() AS rows
FROM runs
WHERE repository_id = {repositoryId:UInt64}
  AND head = {head:String}
  AND run_id = {runId:UUID}
  AND expires > {now:DateTime64(3, 'UTC')}
UNION ALL
SELECT 'results' AS of, count() AS rows
FROM query_results
WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID} AND measurement >= {from:UInt32}
UNION ALL
SELECT 'samples' AS of, count() AS rows
FROM samples
WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID} AND measurement >= {from:UInt32}
UNION ALL
SELECT 'stacks' AS of, count() AS rows
FROM stacks
WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID}
