-- Commits of the query that has the most, and rows: one that was written twice counts twice until its parts are merged, and equal texts of
-- one run are several rows.
SELECT max(runs) AS runs, max(rows) AS rows
FROM
(
    SELECT uniqExact(new_sha) AS runs, count() AS rows
    FROM trunk_history
    WHERE repository_id = {repositoryId:UInt64}
      AND metric = {metric:String}
      AND pr_number = 0
      AND event_time > toDateTime({from:UInt32}, 'UTC')
      AND event_time <= toDateTime({to:UInt32}, 'UTC')
      AND NOT superseded
      AND copied_from IN {copiedFrom:Array(String)}
    GROUP BY query_hash, arch
)
