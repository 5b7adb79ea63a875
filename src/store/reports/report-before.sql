SELECT report
FROM reports
WHERE repository_id = {repositoryId:UInt64}
  AND pull_request_number = {pullRequestNumber:UInt32}
  AND head != {head:String}
ORDER BY judged_at DESC, stored_at DESC
LIMIT 1
