-- The latest rows in which a failure was met, as `entry-half-hours.sql` counts them.
SELECT
    toUnixTimestamp(check_start_time) AS time,
    check_name AS checkName,
    pull_request_number AS pullRequestNumber,
    commit_sha AS commitSha,
    report_url AS reportUrl
FROM ({{executions WHERE outcome = 'failing'}})
WHERE {signatureKind:String} = 'name'
   OR (signature_rule = {signatureRule:UInt16} AND signature_kind = {signatureKind:String} AND signature = {signature:String})
ORDER BY check_start_time DESC, checkName, commitSha, pullRequestNumber
LIMIT {most:UInt32}
