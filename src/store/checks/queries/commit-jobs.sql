-- The rows of one commit, each with the start of its job. The condition has to let the own rows of checks through: those
-- that ended are its jobs.
SELECT
    *,
    if(test_name = '', start, {{job-start}}) AS job_start
FROM
(
    SELECT
        *,
        start AS row_start,
        report AS row_report,
        groupUniqArrayIf((start, report), test_name = '' AND outcome != 'other')
            OVER (PARTITION BY pull_request_number, check_name) AS jobs
    FROM ({{commit-rows WHERE {{where}}}})
)
