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
  AND (outcome = 'passing' OR (commit_sha, check_name, check_start_time) NOT IN (
      SELECT commit_sha, check_name, check_start_time
      FROM ({{rows WHERE
          outcome IN ('failing', 'measured')
          AND test_name != ''
          AND check_name IN {tests:Array(String)}
          AND check_start_time > toDateTime({from:UInt32}, 'UTC')
          AND check_start_time <= toDateTime({until:UInt32}, 'UTC')}})))
