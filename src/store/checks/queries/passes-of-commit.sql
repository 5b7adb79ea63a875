-- The jobs of a commit in which its failing tests passed.
SELECT DISTINCT
    check_name AS checkName,
    test_name AS testName,
    toUnixTimestamp(check_start_time) AS time
FROM ({{commit-rows WHERE outcome = 'passing' AND test_name != ''}})
WHERE test_name IN (SELECT test_name FROM ({{commit-rows WHERE outcome = 'failing' AND test_name != ''}}))
