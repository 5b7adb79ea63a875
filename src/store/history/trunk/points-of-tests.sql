-- How many points the histories of each test have; a row that was written twice counts twice until its parts are merged.
SELECT test, count() AS points
FROM trunk_history
WHERE repository_id = {repositoryId:UInt64}
  AND metric = {metric:String}
  AND pr_number = 0
  AND event_time > toDateTime({from:UInt32}, 'UTC')
  AND event_time <= toDateTime({to:UInt32}, 'UTC')
  AND NOT superseded
  AND copied_from IN {copiedFrom:Array(String)}
GROUP BY test
ORDER BY test
