-- The parts of reports that say what was claimed of rows, of the newest report of each head, the latest first. `rows` are those that
-- have a verdict, worst first, and those that stand from an earlier run of the head.
SELECT
    pull_request_number AS pullRequestNumber,
    arraySlice(
        arrayConcat(
            JSONExtractArrayRaw(report, 'notSeenAgain'),
            JSONExtractArrayRaw(report, 'notMeasuredAgain'),
            arrayFilter(row -> JSONExtractString(row, 'verdict') != '', JSONExtractArrayRaw(report, 'rows'))),
        1, {rows:UInt32}) AS rows,
    arraySlice(JSONExtractArrayRaw(report, 'withdrawn'), 1, {rows:UInt32}) AS withdrawn
FROM reports
WHERE repository_id = {repositoryId:UInt64}
  AND (pull_request_number, head, judged_at, stored_at) IN
(
    SELECT pull_request_number, head, judged_at, stored_at
    FROM reports
    WHERE repository_id = {repositoryId:UInt64}
      AND judged_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
    ORDER BY judged_at DESC, stored_at DESC
    LIMIT 1 BY pull_request_number, head
    LIMIT {limit:UInt32}
)
ORDER BY judged_at DESC, stored_at DESC
LIMIT 1 BY pull_request_number, head
