-- The executions of each wanted check itself. One that failed is one only where no test of that job failed and none was
-- measured: else the tests are what failed.
SELECT
    wanted,
    evidence.*
FROM ({{evidence WHERE {{where}}
    AND outcome IN ('failing', 'passing')
    AND test_name = ''
    AND check_name IN {tests:Array(String)}
    AND check_start_time > toDateTime({from:UInt32}, 'UTC')
    AND check_start_time <= toDateTime({until:UInt32}, 'UTC')}}) AS evidence
INNER JOIN ({{wanted}}) AS wanted ON check_name = wanted_name
WHERE check_start_time > wanted_from
  AND check_start_time <= wanted_until
  AND (outcome = 'passing' OR (pull_request_number, commit_sha, check_name, start) NOT IN (
      SELECT
          pull_request_number,
          commit_sha,
          check_name,
          arrayJoin(arrayMap((row_start, row_report) -> {{job-start}}, tests.1, tests.2))
      FROM
      (
          SELECT
              pull_request_number,
              commit_sha,
              check_name,
              groupUniqArrayIf((start, report), test_name = '') AS jobs,
              groupUniqArrayIf((start, report), test_name != '') AS tests
          FROM ({{rows WHERE
              outcome IN ('failing', 'measured', 'passing')
              AND (test_name = '' OR outcome != 'passing')
              AND check_name IN {tests:Array(String)}
              AND check_start_time > toDateTime({from:UInt32}, 'UTC')
              AND check_start_time <= toDateTime({until:UInt32}, 'UTC') + INTERVAL 1 DAY}})
          GROUP BY pull_request_number, commit_sha, check_name
          HAVING notEmpty(tests)
      )))
