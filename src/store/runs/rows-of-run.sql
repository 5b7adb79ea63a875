-- How many rows of a run there are, whether or not the run is stored completely.
SELECT
    (SELECT count() FROM query_results WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID}) AS results,
    (SELECT count() FROM query_results WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID} AND is_measurement) AS measurements,
    (SELECT count() FROM samples WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID}) AS samples,
    (SELECT count() FROM stacks WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID}) AS stacks
