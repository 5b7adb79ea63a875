-- The failing rows of each test and check of a commit in the newest attempt, and the own row of each check that failed
-- without a failing or measured test. An attempt is replaced by a newer one of the same check that passed or in which
-- tests failed (of the same pull request: one commit may be the head of several, and of the trunk); a lost runner and a
-- job that only waits replace nothing, and where no job rows are known nothing is replaced. Retries in one job are
-- several rows; of a row that was written again the newer comes first. `time` is that of the newest of them, `first` of
-- the oldest. `failures`: how many tests and checks there are in all.
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
    newest_start AS time,
    oldest_start AS first,
    job_start AS jobStart,
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
        max(job_start) OVER (PARTITION BY check_name, test_name) AS newest_job,
        max(start) OVER (PARTITION BY check_name, test_name, job_start) AS newest_start,
        min(start) OVER (PARTITION BY check_name, test_name, job_start) AS oldest_start,
        dense_rank() OVER (ORDER BY check_name, test_name) AS place,
        uniqExact(check_name, test_name) OVER () AS failures
    FROM
    (
        SELECT
            *,
            maxIf(job_start, test_name = '' AND (outcome = 'passing' OR tests > 0))
                OVER (PARTITION BY pull_request_number, check_name) AS newest_attempt
        FROM
        (
            SELECT
                *,
                countIf(test_name != '') OVER (PARTITION BY pull_request_number, check_name, job_start) AS tests
            FROM ({{commit-jobs WHERE (outcome IN ('failing', 'measured') OR test_name = '')}})
        )
    )
    WHERE outcome = 'failing' AND job_start >= newest_attempt AND (test_name != '' OR tests = 0)
)
WHERE job_start = newest_job AND place <= {mostFailures:UInt32}
ORDER BY check_name, test_name, version DESC, status, signature, output
LIMIT 10 BY check_name, test_name
