-- CI results as a large project has them: each commit runs 30 of 60 checks, each check 500 of its 2,500 tests (15,000 in
-- all, each in 10 checks) and a row of its own; a fifth of the commits is the trunk's, a pull request has two. Half a
-- percent of the rows fails: some everywhere, 50 chronic tests more often, some commits broken. Outputs of 1 KB on
-- failing rows only. `rows` rows over 30 days, those from `first` on for `count` rows.
SELECT
    1 AS repository_id,
    if(commit % 5 = 0, 0, 50000 + intDiv(commit, 2)) AS pull_request_number,
    lower(hex(sipHash128(commit))) AS commit_sha,
    concat('Stateless tests (configuration ', toString(check_number), ', ', toString(check_number % 6), '/6)') AS check_name,
    if(check_fails, 'failure', 'success') AS check_status,
    1800000 AS check_duration_ms,
    toDateTime('2026-10-20 00:00:00', 'UTC') + toUInt32(job * 2592000 / jobs) AS check_start_time,
    if(position = 0, '', concat(leftPad(toString(test), 5, '0'), '_', substring(hex(sipHash64(test)), 1, 8), '_some_behaviour_of_the_server')) AS test_name,
    multiIf(position = 0, '', fails, 'FAIL', chance % 25 = 7, 'SKIPPED', 'OK') AS test_status,
    chance % 60000 AS test_duration_ms,
    concat('https://ci.example.com/reports/', toString(pull_request_number), '/', commit_sha, '/', toString(check_number), '.html') AS report_url,
    concat('https://example.com/o/r/pull/', toString(pull_request_number)) AS pull_request_url,
    concat('https://example.com/o/r/commit/', commit_sha) AS commit_url,
    report_url AS task_url,
    if(pull_request_number = 0, '', 'master') AS base_ref,
    'o/r' AS base_repo,
    if(pull_request_number = 0, 'master', concat('branch-', toString(pull_request_number))) AS head_ref,
    if(pull_request_number = 0, 'o/r', concat('user', toString(pull_request_number % 300), '/r')) AS head_repo,
    if(fails, concat('Expected ', toString(test), ', got ', toString(chance), '\n', repeat('a line of the context of this failure\n', 26)), '') AS test_context_raw,
    'c7g.4xlarge' AS instance_type,
    concat('i-', lower(hex(sipHash64(job)))) AS instance_id,
    'PR' AS workflow_name,
    '' AS attributes,
    if(fails, 'output', '') AS signature_kind,
    if(fails, concat('Expected <n>, got <n> of ', toString(test), ' ', toString(chance % 2)), '') AS signature,
    if(fails, {signatureRule:UInt16}, 0) AS signature_rule,
    0 AS occurrence
FROM
(
    SELECT
        greatest(intDiv({rows:UInt64}, 501), 1) AS jobs,
        intDiv(number, 501) AS job,
        number % 501 AS position,
        intDiv(job, 30) AS commit,
        (sipHash64(job) % 2 + job * 2) % 60 AS check_number,
        (check_number % 6) * 2500 + if(position = 0, 0, position - 1) * 5 + sipHash64(job, 1) % 5 AS test,
        sipHash64(number, 2) AS chance,
        position > 0 AND (chance % 1000 < 2
            OR (test % 300 = 0 AND chance % 100 < 20)
            OR (commit % 40 = 3 AND chance % 1000 < 10)) AS fails,
        position = 0 AND chance % 3 = 0 AS check_fails
    FROM numbers({first:UInt64}, {count:UInt64})
)
