-- All that is stored of a run but its own row; from a position on, without the stacks.
DELETE FROM {{table:stacks}} WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID} AND {from:UInt32} = 0;

DELETE FROM {{table:samples}} WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID} AND measurement >= {from:UInt32};

DELETE FROM {{table:query_results}} WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID} AND measurement >= {from:UInt32};
