-- The jobs in which a wanted test passed on a commit, in a check, on which it failed as well: the newest ones. Times are
-- seconds.
SELECT
    wanted,
    check_name AS checkName,
    toString(commit_sha) AS commitSha,
    pull_request_number AS pullRequestNumber,
    groupUniqArray(toUnixTimestamp(check_start_time)) AS times
FROM ({{executions WHERE outcome = 'passing'}}) AS passes
WHERE NOT is_own
  AND (wanted, check_name, commit_sha) IN (
      SELECT wanted, check_name, commit_sha FROM ({{executions WHERE outcome = 'failing'}}))
GROUP BY wanted, check_name, commit_sha, pull_request_number
ORDER BY max(check_start_time) DESC
LIMIT {most:UInt32} BY wanted
