-- As it is asked by hand, one test at a time, of a table in the CI database's columns ordered by time.
SELECT
    pull_request_number,
    commit_sha,
    check_name,
    check_start_time,
    test_status,
    report_url,
    head_ref,
    head_repo,
    test_context_raw
FROM raw_checks
WHERE test_name = {testName:String}
  AND test_status IN ('FAIL', 'ERROR')
  AND check_start_time > toDateTime({from:UInt32}, 'UTC')
  AND check_start_time <= toDateTime({until:UInt32}, 'UTC')
ORDER BY check_start_time DESC
