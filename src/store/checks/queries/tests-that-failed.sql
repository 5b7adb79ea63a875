-- How many tests failed in a time, of whichever repository; no more are counted than `enough`. Fewer can be no mass failure, and the
-- statement that looks for them takes a server ten times as long to plan.
SELECT count() AS tests
FROM
(
    SELECT DISTINCT test_name
    FROM ({{rows WHERE outcome = 'failing'
        AND test_name != ''
        AND check_start_time > toDateTime({from:UInt32}, 'UTC')
        AND check_start_time <= toDateTime({until:UInt32}, 'UTC')}})
    LIMIT {enough:UInt32}
)
