-- The checks among some that have rows of tests on a commit, and the starts of the jobs in which they have them.
SELECT DISTINCT
    check_name AS checkName,
    job_start AS jobStart
FROM ({{commit-jobs WHERE check_name IN {checks:Array(String)}}})
WHERE test_name != ''
LIMIT 10000
