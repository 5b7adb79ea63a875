-- How many rows of these commits are not superseded though a row of the same run of the query stands before them. A row that was
-- written twice counts as it was written last.
SELECT count() AS rows
FROM
(
    SELECT
        last_superseded,
        last_precedence > min(last_precedence) OVER (PARTITION BY metric, query_hash, arch, new_sha) AS is_weaker
    FROM
    (
        SELECT
            metric,
            query_hash,
            arch,
            new_sha,
            argMax(precedence, stored_at) AS last_precedence,
            argMax(superseded, stored_at) AS last_superseded
        FROM trunk_history
        WHERE repository_id = {repositoryId:UInt64} AND new_sha IN {commits:Array(String)}
        GROUP BY metric, query_hash, arch, new_sha, query_index, event_time, source
    )
)
WHERE is_weaker AND NOT last_superseded
