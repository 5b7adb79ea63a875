-- The repetitions of each query in each run of the trunk in some hours, of a table in the columns of `query_metric_runs_v1`; of
-- several parts the tests of one. A run is what one job compared: time, commits and architecture. Where a test is given, of one query
-- alone.
SELECT
    toUnixTimestamp(check_start_time) AS time,
    old_sha AS oldCommit,
    new_sha AS newCommit,
    test,
    query_index AS queryIndex,
    query_display_name AS queryName,
    arch AS architecture,
    any(instance_type) AS instanceType,
    any(base_branch) AS baseBranch,
    groupArrayIf(metric_value, side = 'baseline') AS old,
    groupArrayIf(metric_value, side = 'candidate') AS new
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
  AND cityHash64(test) % {parts:UInt32} = {part:UInt32}
  AND ({test:String} = '' OR (
      test = {test:String}
      AND if({name:String} = '', query_display_name = '' AND query_index = {index:UInt32}, startsWith(query_display_name, {name:String}))))
GROUP BY time, oldCommit, newCommit, test, queryIndex, queryName, architecture
