-- When the newest run was made, and how many rows there are; a row that was written twice counts twice until its parts are merged.
SELECT toUnixTimestamp(max(event_time)) AS newest, count() AS runs
FROM trunk_history
WHERE repository_id = {repositoryId:UInt64}
  AND metric = {metric:String}
  AND pr_number = 0
  AND event_time > toDateTime({from:UInt32}, 'UTC')
  AND event_time <= toDateTime({to:UInt32}, 'UTC')
  AND NOT superseded
  AND copied_from IN {copiedFrom:Array(String)}
