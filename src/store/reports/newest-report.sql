-- The id of the newest report of a pull request, or of one of its heads; never the report itself, which is large.
SELECT
    head,
    toUnixTimestamp64Milli(judged_at) AS judgedAt,
    toUnixTimestamp64Milli(stored_at) AS storedAt
FROM reports
WHERE repository_id = {repositoryId:UInt64}
  AND pull_request_number = {pullRequestNumber:UInt32}
  AND ({head:String} = '' OR head = {head:String})
ORDER BY judged_at DESC, stored_at DESC
LIMIT 1
