-- The checks among some that have rows of tests on a commit, and the jobs in which they have them.
SELECT DISTINCT
    check_name AS checkName,
    toUnixTimestamp(check_start_time) AS time
FROM ({{commit-rows WHERE test_name != '' AND check_name IN {checks:Array(String)}}})
LIMIT 10000
