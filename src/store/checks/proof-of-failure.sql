-- The failing rows of one test that have nothing to do with a pull request: what the ledger compares the signature with.
-- Rows of other repositories, of the pull request's own branch and commit, and of forks' own CI are left out; mass failures
-- and other signatures are not, which a statement can't tell.
SELECT
    check_start_time,
    pull_request_number,
    head_ref,
    commit_sha,
    check_name,
    test_status,
    report_url,
    substring(test_context_raw, 1, 300) AS output
FROM {table:Identifier}
WHERE test_name = {testName:String}
  AND lower(test_status) IN ('fail', 'error', 'failure', 'failed')
  AND pull_request_number != {pullRequestNumber:UInt32}
  AND commit_sha != {commitSha:String}
  AND NOT (pull_request_number > 0 AND head_ref != '' AND head_ref = {headRef:String} AND head_repo = {headRepo:String})
  AND (base_repo IN ('', {repository:String}) OR {repository:String} = '')
  AND (pull_request_number > 0 OR head_repo IN ('', {repository:String}) OR {repository:String} = '')
  AND check_start_time > toDateTime({from:String}, 'UTC')
  AND check_start_time <= toDateTime({until:String}, 'UTC')
ORDER BY check_start_time DESC
LIMIT 1000
