-- The queries whose test, position or text holds a text, in the newest runs of each check: of each the newest result, of several
-- architectures the one that moved most. Rows without a status were measured beside the metric that was judged.
SELECT
    toString(test) AS testName,
    ifNull(query_name, '') AS queryName,
    ifNull(query_index, 4294967295) AS queryIndex,
    ifNull(ordinal, 0) AS place,
    pull_request_number AS pullRequestNumber,
    head,
    toUnixTimestamp64Milli(finished_at) AS finishedAt,
    toString(ifNull(outcome, '')) AS outcomeName,
    toString(ifNull(direction, '')) AS directionName,
    ifNull(difference, nan) AS change
FROM query_results
WHERE repository_id = {repositoryId:UInt64}
  AND run_id GLOBAL IN
  (
      SELECT run_id
      FROM (SELECT * FROM runs FINAL WHERE repository_id = {repositoryId:UInt64} ORDER BY finished_at DESC LIMIT {runs:UInt32})
      ORDER BY finished_at DESC
      LIMIT {runsOfCheck:UInt32} BY check_name, architecture, shard
  )
  AND status IS NOT NULL
  AND positionCaseInsensitiveUTF8(
          concat(toString(test), if(query_index IS NULL, '', concat(' #', toString(query_index))), ' ', ifNull(query_name, '')),
          {text:String}) > 0
ORDER BY finished_at DESC, abs(ifNull(difference, 0)) DESC, testName, queryIndex, queryName
LIMIT 1 BY testName, queryName, place, if(queryName = '', queryIndex, 0)
LIMIT {limit:UInt32}
