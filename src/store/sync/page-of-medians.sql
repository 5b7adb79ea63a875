-- Medians of the trunk in some hours, of a table in the columns of `query_metrics_v2`; of several parts the tests of one. Where a
-- test is given, of one query alone.
SELECT
    toUnixTimestamp(event_time) AS time,
    old_sha AS oldCommit,
    new_sha AS newCommit,
    test,
    query_index AS queryIndex,
    query_display_name AS queryName,
    arch AS architecture,
    instance_type AS instanceType,
    base_branch AS baseBranch,
    old_value AS old,
    new_value AS new,
    diff AS difference,
    stat_threshold AS threshold
FROM ({{columns}})
WHERE metric = {metric:String}
  AND pr_number = 0
  AND (base_branch = '' OR base_branch IN {trunk:Array(String)})
  AND event_date >= toDate(toDateTime(greatest({from:UInt32}, 86400), 'UTC')) - 1
  AND event_date <= toDate(toDateTime({to:UInt32}, 'UTC')) + 1
  AND event_time >= toDateTime({from:UInt32}, 'UTC')
  AND event_time < toDateTime({to:UInt32}, 'UTC')
  AND cityHash64(test) % {parts:UInt32} = {part:UInt32}
  AND ({test:String} = '' OR (
      test = {test:String}
      AND if({name:String} = '', query_display_name = '' AND query_index = {index:UInt32}, startsWith(query_display_name, {name:String}))))
