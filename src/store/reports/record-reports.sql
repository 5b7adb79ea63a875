-- The claims of the newest report of each head, the latest first.
SELECT pull_request_number AS pullRequestNumber, claims
FROM reports
WHERE repository_id = {repositoryId:UInt64}
  AND claims != ''
  AND (pull_request_number, head, judged_at, stored_at) GLOBAL IN
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
