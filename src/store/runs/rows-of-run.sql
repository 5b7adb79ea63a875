-- How many rows a run has in each table from a position on, for those who write it.
SELECT
    (SELECT count() FROM query_results WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID} AND measurement >= {from:UInt32}) AS results,
    (SELECT count() FROM samples WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID} AND measurement >= {from:UInt32}) AS samples,
    (SELECT count() FROM stacks WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID}) AS stacks
