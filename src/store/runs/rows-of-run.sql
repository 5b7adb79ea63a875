-- How many rows a run has in each table from a position on, for those who write it.
SELECT
    countIf(of = 'results') AS results,
    countIf(of = 'samples') AS samples,
    countIf(of = 'stacks') AS stacks
FROM
(
    SELECT 'results' AS of
    FROM query_results
    WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID} AND measurement >= {from:UInt32}
    UNION ALL
    SELECT 'samples' AS of
    FROM samples
    WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID} AND measurement >= {from:UInt32}
    UNION ALL
    SELECT 'stacks' AS of
    FROM stacks
    WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID}
)
