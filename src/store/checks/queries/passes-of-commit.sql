-- The jobs of a commit, by their starts, in which its failing tests passed.
SELECT DISTINCT
    check_name AS checkName,
    test_name AS testName,
    job_start AS jobStart
FROM ({{commit-jobs WHERE (outcome = 'passing' OR test_name = '')}})
WHERE outcome = 'passing' AND test_name != ''
  AND test_name IN (SELECT test_name FROM ({{commit-rows WHERE outcome = 'failing' AND test_name != ''}}))
