-- The trunk's rows of a table in the columns of `query_metrics_v2`, in the columns of `own-rows.sql`. perf.py writes the
-- index of a query behind a text that it cut after 1,000 characters; `query_hash` is that of `query-hash.ts`.
SELECT
    'ci-database' AS source,
    event_time,
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
    old_value,
    new_value,
    diff,
    stat_threshold
FROM ({{columns}})
WHERE metric = {metric:String}
  AND pr_number = 0
  AND (base_branch = '' OR base_branch IN {trunk:Array(String)})
  AND event_date >= toDate(toDateTime(greatest({from:UInt32}, 86400), 'UTC')) - 1
  AND event_date <= toDate(toDateTime({to:UInt32}, 'UTC')) + 1
  AND event_time > toDateTime({from:UInt32}, 'UTC')
  AND event_time <= toDateTime({to:UInt32}, 'UTC')
  AND {{where}}
