-- The newest failing rows of each wanted history. The output is read of these rows only, and only its beginning.
SELECT
    wanted,
    pull_request_number AS pullRequestNumber,
    commit_sha AS commitSha,
    check_name AS checkName,
    if({withNames:Bool}, test_name, '') AS testName,
    toUnixTimestamp(check_start_time) AS time,
    base_ref AS baseRef,
    base_repo AS baseRepo,
    head_ref AS headRef,
    head_repo AS headRepo,
    report_url AS reportUrl,
    signature_kind AS signatureKind,
    signature AS signatureText,
    signature_rule AS signatureRule,
    output
FROM ({{executions WHERE outcome = 'failing'}})
ORDER BY check_start_time DESC
LIMIT {most:UInt32} BY wanted
LIMIT {mostInAll:UInt32}
