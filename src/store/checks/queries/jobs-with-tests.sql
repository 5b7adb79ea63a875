-- Which of some checks have rows of tests on a commit, and in which of their jobs.
SELECT DISTINCT
    check_name AS checkName,
    toUnixTimestamp(check_start_time) AS time
FROM ({{commit-rows WHERE test_name != '' AND check_name IN {checks:Array(String)}}})
LIMIT 10000
