-- The newest jobs on the trunk of each wanted check, whatever came of them: a test that ran in one and left no failing
-- row there did not fail in it. Times are seconds.
SELECT
    wanted,
    groupUniqArray((toUnixTimestamp(check_start_time), toString(commit_sha))) AS jobs
FROM
(
    SELECT
        wanted,
        evidence.check_start_time AS check_start_time,
        evidence.commit_sha AS commit_sha
    FROM ({{evidence WHERE outcome IN ('failing', 'passing')
        AND test_name = ''
        AND pull_request_number = 0
        AND check_name IN {tests:Array(String)}
        AND check_start_time > toDateTime({from:UInt32}, 'UTC')
        AND check_start_time <= toDateTime({until:UInt32}, 'UTC')}}) AS evidence
    INNER JOIN ({{wanted}}) AS wanted ON check_name = wanted_name
    WHERE is_trunk AND NOT is_own
      AND check_start_time > wanted_from
      AND check_start_time <= wanted_until
    ORDER BY check_start_time DESC
    LIMIT {executions:UInt32} BY wanted
)
GROUP BY wanted
