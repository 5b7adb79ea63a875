-- The jobs in which a wanted test passed on a commit, in a check, and did not fail, where it failed in another job of them:
-- the newest commits. Two rows of one job are one job's word; jobs of one second are told apart by their reports, and
-- so are those of a check without a row of its own. Times are seconds.
SELECT
    wanted,
    check_name AS checkName,
    toString(commit_sha) AS commitSha,
    pull_request_number AS pullRequestNumber,
    groupUniqArrayIf(job_start, NOT has_failed) AS times
FROM
(
    SELECT
        wanted,
        check_name,
        commit_sha,
        pull_request_number,
        job_start,
        report,
        countIf(outcome = 'failing') > 0 AS has_failed
    FROM
    (
        SELECT
            *,
            multiIf(test_name = '', start, empty(jobs) AND report != 0, 0, {{job-start}}) AS job_start
        FROM
        (
            SELECT
                executions.*,
                start AS row_start,
                report AS row_report,
                job_rows.jobs AS jobs
            FROM ({{executions}}) AS executions
            LEFT JOIN
            (
                SELECT
                    check_name,
                    commit_sha,
                    pull_request_number,
                    groupUniqArray((start, report)) AS jobs
                FROM ({{rows WHERE test_name = ''
                    AND outcome != 'other'
                    AND check_start_time > toDateTime({from:UInt32}, 'UTC')
                    AND check_start_time <= toDateTime({until:UInt32}, 'UTC')}})
                WHERE commit_sha IN (SELECT commit_sha FROM ({{executions WHERE outcome = 'failing'}}))
                GROUP BY check_name, commit_sha, pull_request_number
            ) AS job_rows USING (check_name, commit_sha, pull_request_number)
            WHERE NOT is_own
              AND (wanted, check_name, commit_sha) IN (
                  SELECT wanted, check_name, commit_sha FROM ({{executions WHERE outcome = 'failing'}}))
        )
    )
    GROUP BY wanted, check_name, commit_sha, pull_request_number, job_start, report
)
GROUP BY wanted, check_name, commit_sha, pull_request_number
HAVING notEmpty(times) AND max(has_failed)
ORDER BY max(job_start) DESC
LIMIT {most:UInt32} BY wanted
