-- How many repetitions of a metric of the trunk a table in the columns of `query_metric_runs_v1` has in each hour. A comparison
-- with a release says nothing of the predecessor.
SELECT
    intDiv(toUnixTimestamp(check_start_time), 3600) AS hour,
    count() AS rows
FROM ({{columns}})
WHERE metric_name = {metric:String}
  AND side IN ('baseline', 'candidate')
  AND pr_number = 0
  AND baseline_kind IN ('', 'master_head')
  AND (base_branch = '' OR base_branch IN {trunk:Array(String)})
  AND event_date >= toDate(toDateTime(greatest({from:UInt32}, 86400), 'UTC')) - 1
  AND event_date <= toDate(toDateTime({to:UInt32}, 'UTC')) + 1
  AND check_start_time >= toDateTime({from:UInt32}, 'UTC')
  AND check_start_time < toDateTime({to:UInt32}, 'UTC')
GROUP BY hour
