-- What performance checks of a commit found: their rows that got slower, faster or were unstable, the slower first.
SELECT DISTINCT
    check_name AS checkName,
    test_name AS testName,
    lower(status) AS status
FROM ({{commit-rows WHERE outcome = 'measured' AND test_name != ''}})
ORDER BY status = 'slower' DESC, status = 'faster' DESC, checkName, testName
LIMIT {mostFailures:UInt32}
