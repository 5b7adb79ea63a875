-- How many rows a run has in each table, for those who write it: whether or not it is stored completely.
SELECT
    (SELECT count() FROM query_results WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID}) AS results,
    (SELECT count() FROM samples WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID}) AS samples,
    (SELECT count() FROM stacks WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID}) AS stacks
