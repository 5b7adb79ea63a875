-- The parts of reports that wait for a person: of each pull request its newest report, the latest ones first. The rest of a
-- report is large and stays where it is.
SELECT
    pull_request_number AS pullRequestNumber,
    head,
    toUnixTimestamp64Milli(judged_at) AS judgedAt,
    said,
    JSONExtractRaw(report, 'failingTests') AS failingTests
FROM reports
WHERE repository_id = {repositoryId:UInt64}
  AND (pull_request_number, head, judged_at, stored_at) GLOBAL IN
(
    SELECT pull_request_number, head, judged_at, stored_at
    FROM reports
    WHERE repository_id = {repositoryId:UInt64}
    ORDER BY judged_at DESC, stored_at DESC
    LIMIT 1 BY pull_request_number
    LIMIT {limit:UInt32}
)
  AND judged_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
ORDER BY judgedAt DESC, pullRequestNumber DESC, stored_at DESC
LIMIT 1 BY pull_request_number
