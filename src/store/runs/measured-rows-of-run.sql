-- How many measurements and samples a run has, for those who read it. A measurement may have no samples.
SELECT
    (SELECT count() FROM query_results WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID} AND is_measurement) AS measurements,
    (SELECT count() FROM samples WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID}) AS samples
