SELECT
    head,
    toUnixTimestamp64Milli(judged_at) AS judgedAt,
    toUnixTimestamp64Milli(stored_at) AS storedAt,
    report
FROM reports
WHERE repository_id = {repositoryId:UInt64}
  AND pull_request_number = {pullRequestNumber:UInt32}
ORDER BY judged_at DESC, stored_at DESC
LIMIT 1
