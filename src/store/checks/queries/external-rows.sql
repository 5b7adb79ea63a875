-- The rows of a CI database, in the columns of `own-rows.sql`. A column that its table lacks is an empty text.
SELECT
    pull_request_number,
    commit_sha,
    check_name,
    check_start_time,
    test_name,
    if(test_name = '', check_status, test_status) AS status,
    multiIf(
        lower(status) IN {failing:Array(String)}, 'failing',
        lower(test_status) IN {measured:Array(String)}, 'measured',
        lower(status) IN {passing:Array(String)}, 'passing',
        'other') AS outcome,
    report_url,
    toUnixTimestamp(check_start_time) AS start,
    if(report_url = '', 0, cityHash64(report_url)) AS report,
    base_ref,
    base_repo,
    head_ref,
    head_repo,
    '' AS signature_kind,
    '' AS signature,
    0 AS signature_rule,
    0 AS passed_on_retry,
    {{output-of-rows}} AS output,
    0 AS version,
    0 AS row_key
FROM ({{columns}})
WHERE {{where}}
