DELETE FROM {{table:stacks}} WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID}
