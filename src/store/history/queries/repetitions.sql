-- The trunk's rows of a table in the columns of `query_metric_runs_v1`: one for each repetition of a query on one side. A
-- comparison with a release says nothing of the predecessor. `query_name` and `query_hash` are those of `external-rows.sql`;
-- a repetition has no difference.
SELECT
    'ci-database' AS source,
    check_start_time AS event_time,
    old_sha,
    new_sha,
    test,
    query_index,
    concat('...(', toString(query_index), ')') AS index_suffix,
    if(length(query_display_name) > 1000 AND lengthUTF8(query_display_name) >= 1000 + length(index_suffix) AND endsWith(query_display_name, index_suffix),
        substringUTF8(query_display_name, 1, lengthUTF8(query_display_name) - length(index_suffix)),
        query_display_name) AS query_name,
    {{query-hash}} AS query_hash,
    arch,
    instance_type,
    cityHash64(old_sha, new_sha, arch, instance_type, test, query_name, if(query_name = '', query_index, 0)) AS query_of_run,
    toFloat64(0) AS diff,
    side = 'candidate' AS is_new,
    metric_value
FROM ({{columns}})
WHERE metric_name = {metric:String}
  AND side IN ('baseline', 'candidate')
  AND pr_number = 0
  AND baseline_kind IN ('', 'master_head')
  AND (base_branch = '' OR base_branch IN {trunk:Array(String)})
  AND event_date >= toDate(toDateTime(greatest({from:UInt32}, 86400), 'UTC')) - 1
  AND event_date <= toDate(toDateTime({to:UInt32}, 'UTC')) + 1
  AND check_start_time > toDateTime({from:UInt32}, 'UTC')
  AND check_start_time <= toDateTime({to:UInt32}, 'UTC')
  AND {{where}}
