-- How many rows of a metric of the trunk a table in the columns of `query_metrics_v2` has in each hour.
SELECT
    intDiv(toUnixTimestamp(event_time), 3600) AS hour,
    count() AS rows
FROM ({{columns}})
WHERE metric = {metric:String}
  AND pr_number = 0
  AND (base_branch = '' OR base_branch IN {trunk:Array(String)})
  AND event_date >= toDate(toDateTime(greatest({from:UInt32}, 86400), 'UTC')) - 1
  AND event_date <= toDate(toDateTime({to:UInt32}, 'UTC')) + 1
  AND event_time >= toDateTime({from:UInt32}, 'UTC')
  AND event_time < toDateTime({to:UInt32}, 'UTC')
GROUP BY hour
