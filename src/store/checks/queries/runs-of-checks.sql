-- How many runs of each wanted check are known, a run being a commit: a failure whose name exists only when it fails could
-- have shown itself in each. Only rows of the checks themselves say that one ran.
SELECT
    wanted,
    uniqExact(commit_sha) AS runs
FROM ({{evidence WHERE outcome IN ('failing', 'passing')
    AND test_name = ''
    AND check_name IN {tests:Array(String)}
    AND check_start_time > toDateTime({from:UInt32}, 'UTC')
    AND check_start_time <= toDateTime({until:UInt32}, 'UTC')}}) AS evidence
INNER JOIN ({{wanted}}) AS wanted ON check_name = wanted_name
WHERE NOT is_own
  AND check_start_time > wanted_from
  AND check_start_time <= wanted_until
GROUP BY wanted
