-- How many measurements and samples a run has before a position, for those who read it. A measurement may have no samples.
SELECT
    (SELECT count() FROM query_results WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID} AND is_measurement AND measurement < {before:UInt32}) AS measurements,
    (SELECT count() FROM samples WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID} AND measurement < {before:UInt32}) AS samples
