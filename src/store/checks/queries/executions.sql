-- The executions, passing and failing, of each wanted test.
SELECT
    wanted,
    evidence.*
FROM ({{evidence WHERE {{where}}
    AND outcome IN ('failing', 'passing')
    AND test_name IN {tests:Array(String)}
    AND check_start_time > toDateTime({from:UInt32}, 'UTC')
    AND check_start_time <= toDateTime({until:UInt32}, 'UTC')}}) AS evidence
INNER JOIN ({{wanted}}) AS wanted ON test_name = wanted_name
WHERE check_start_time > wanted_from
  AND check_start_time <= wanted_until
