-- The rows that `weaker-history.sql` counts, written again as superseded: a row with the same key replaces the former one.
INSERT INTO trunk_history
(
    repository_id, source, event_date, event_time, pr_number, old_sha, new_sha, test, query_index, query_display_name,
    metric, old_value, new_value, diff, stat_threshold, arch, workflow_name, base_branch, report_url, instance_type,
    instance_id, precedence, superseded, copied_from
)
SELECT
    repository_id, source, event_date, event_time, pr_number, old_sha, new_sha, test, query_index, query_display_name,
    metric, old_value, new_value, diff, stat_threshold, arch, workflow_name, base_branch, report_url, instance_type,
    instance_id, precedence, true, copied_from
FROM
(
    SELECT *, query_hash
    FROM trunk_history FINAL
    WHERE repository_id = {repositoryId:UInt64} AND new_sha IN {commits:Array(String)} AND precedence > 0 AND NOT superseded
) AS later
INNER JOIN
(
    SELECT metric, query_hash, arch, new_sha, min(precedence) AS first
    FROM trunk_history FINAL
    WHERE repository_id = {repositoryId:UInt64} AND new_sha IN {commits:Array(String)}
    GROUP BY metric, query_hash, arch, new_sha
) AS standing USING (metric, query_hash, arch, new_sha)
WHERE precedence > first
