-- When the newest job of a check of a commit began, in seconds; 0 where none is stored.
SELECT toUnixTimestamp(max(check_start_time)) AS start
FROM checks
WHERE repository_id = {repositoryId:UInt64}
  AND commit_sha = {commitSha:String}
  AND check_name = {checkName:String}
  AND pull_request_number = {pullRequestNumber:UInt32}
