-- Hours, one starting every half hour, in which many tests each failed in several pull requests. Pull requests are told
-- apart by repository and branch of the head, by their number where these are not known.
SELECT
    start,
    count() AS tests,
    length(groupUniqArrayArray(pull_requests)) AS pullRequests
FROM
(
    SELECT
        start,
        test_name,
        groupUniqArray(pull_request) AS pull_requests
    FROM
    (
        SELECT
            test_name,
            toUInt32(intDiv(toUnixTimestamp(check_start_time), 1800) * 1800) AS half_hour,
            arrayJoin([half_hour, toUInt32(half_hour - 1800)]) AS start,
            if(head_repo != '' AND head_ref != '', cityHash64(lower(head_repo)) * 31 + cityHash64(head_ref), pull_request_number) AS pull_request
        FROM ({{evidence WHERE
            outcome = 'failing'
            AND test_name != ''
            AND pull_request_number > 0
            AND check_start_time > toDateTime({from:UInt32}, 'UTC')
            AND check_start_time <= toDateTime({until:UInt32}, 'UTC')}})
        WHERE NOT is_own
    )
    GROUP BY start, test_name
    HAVING length(pull_requests) >= {massPullRequestsPerTest:UInt32}
)
GROUP BY start
HAVING tests >= {massTests:UInt32} AND pullRequests >= {massPullRequests:UInt32}
ORDER BY start
