-- The same of the trunk's history, for a repository whose runs are kept elsewhere.
SELECT
    toString(test) AS testName,
    query_display_name AS queryName,
    query_index AS queryIndex,
    toUnixTimestamp(event_time) * 1000 AS finishedAt
FROM trunk_history
WHERE repository_id = {repositoryId:UInt64}
  AND metric = {metric:String}
  AND pr_number = 0
  AND event_time > toDateTime({since:UInt32}, 'UTC')
  AND copied_from IN {copiedFrom:Array(String)}
  AND positionCaseInsensitiveUTF8(
          concat(toString(test), if(query_index = 4294967295, '', concat(' #', toString(query_index))), ' ', query_display_name),
          {text:String}) > 0
ORDER BY event_time DESC, testName, queryIndex
LIMIT 1 BY testName, query_hash
LIMIT {limit:UInt32}
