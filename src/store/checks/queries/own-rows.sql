-- The rows of the bot's own `checks`. Rows that were imported without a repository have repository_id 0; of them those
-- count whose repository is named. `row_key`: only rows of one test in one check that have the same one can be the
-- same row, written twice. `start`, `report`: by them `job-start.sql` knows the job of a row; `report` is 0 where there is none.
SELECT
    pull_request_number,
    commit_sha,
    check_name,
    check_start_time,
    test_name,
    if(test_name = '', check_status, test_status) AS status,
    outcome,
    report_url,
    toUnixTimestamp(check_start_time) AS start,
    if(report_url = '', 0, cityHash64(report_url)) AS report,
    base_ref,
    base_repo,
    head_ref,
    head_repo,
    signature_kind,
    signature,
    signature_rule,
    {{output}} AS output,
    stored_at AS version,
    cityHash64(commit_sha) + intHash64(bitShiftLeft(toUInt64(toUnixTimestamp(check_start_time)), 32) + occurrence * 8 + toUInt8(outcome)) AS row_key
FROM checks {{final}}
WHERE repository_id IN (0, {repositoryId:UInt64})
  AND (repository_id = {repositoryId:UInt64} OR ({repository:String} != '' AND lower(base_repo) = {repository:String}))
  AND {{where}}
