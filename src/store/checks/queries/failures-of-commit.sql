-- The failing rows of each test and check of a commit in the newest attempt, and the own row of each check that failed
-- without a failing or measured test. An attempt is replaced by a newer one of the same check that passed or in which
-- tests failed (of the same pull request: one commit may be the head of several, and of the trunk); a lost runner and a
-- job that only waits replace nothing, and where no job rows are known nothing is replaced. Retries in one job are
-- several rows; of a row that was written again the newer comes first. `failures`: how many tests and checks there are
-- in all.
SELECT
    test_name AS testName,
    check_name AS checkName,
    status,
    pull_request_number AS pullRequestNumber,
    commit_sha AS commitSha,
    head_repo AS headRepo,
    head_ref AS headRef,
    base_ref AS baseRef,
    base_repo AS baseRepo,
    toUnixTimestamp(check_start_time) AS time,
    report_url AS reportUrl,
    signature_kind AS signatureKind,
    signature AS signatureText,
    signature_rule AS signatureRule,
    output,
    failures
FROM
(
    SELECT
        *,
        max(check_start_time) OVER (PARTITION BY check_name, test_name) AS newest_time,
        dense_rank() OVER (ORDER BY check_name, test_name) AS place,
        uniqExact(check_name, test_name) OVER () AS failures
    FROM
    (
        SELECT
            *,
            maxIf(check_start_time, test_name = '' AND (outcome = 'passing' OR tests > 0))
                OVER (PARTITION BY pull_request_number, check_name) AS newest_attempt
        FROM
        (
            SELECT
                *,
                countIf(test_name != '') OVER (PARTITION BY pull_request_number, check_name, check_start_time) AS tests
            FROM ({{commit-rows WHERE (outcome IN ('failing', 'measured') OR test_name = '')}})
        )
    )
    WHERE outcome = 'failing' AND check_start_time >= newest_attempt AND (test_name != '' OR tests = 0)
)
WHERE check_start_time = newest_time AND place <= {mostFailures:UInt32}
ORDER BY check_name, test_name, version DESC, status, signature, output
LIMIT 10 BY check_name, test_name
