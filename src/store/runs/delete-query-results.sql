DELETE FROM {{table:query_results}} WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID}
