-- All that is stored of a run but its own row.
DELETE FROM {{table:stacks}} WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID};

DELETE FROM {{table:samples}} WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID};

DELETE FROM {{table:query_results}} WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID};
