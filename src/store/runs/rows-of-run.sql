-- How many rows a run has in each table from a position on, for those who write it; `stored`: whether it is stored completely and its samples are kept.
SELECT
    (SELECT count() FROM query_results WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID} AND measurement >= {from:UInt32}) AS results,
    (SELECT count() FROM samples WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID} AND measurement >= {from:UInt32}) AS samples,
    (SELECT count() FROM stacks WHERE repository_id = {repositoryId:UInt64} AND run_id = {runId:UUID}) AS stacks,
    (
        SELECT count() > 0
        FROM runs
        WHERE repository_id = {repositoryId:UInt64}
          AND head = {head:String}
          AND run_id = {runId:UUID}
          AND expires > {now:DateTime64(3, 'UTC')}
    ) AS stored
