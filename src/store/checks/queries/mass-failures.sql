-- Windows in which many tests each failed in several pull requests, with the names of these tests: hours of all checks
-- together (`checkName` is empty), and of a check with few builds the hours that hold some `massBuilds` of them, a day at
-- most. Each starts half a window after the one before. What has to be many must not come from one cause: tests of one file
-- (or class, or with one parent) count once, and so do the pull requests of one owner of a fork; branches of the repository
-- itself are told apart, rows without an owner are one. A check that failed without a failing or measured test stands under its name
-- in `checkNames`, and counts for nothing. Names whose parts vary gather under one key, which may be that of a few tests more:
-- with them stands which name failed in which pull requests, and they are told apart where names are compared. A test that failed on two commits of the trunk in a window longer than an hour
-- is no part of it: a commit may have broken it. How often it fails elsewhere is a rate over the time since the first
-- known build of the check, which has to be twice the window at least. Times are seconds. From the inside: jobs with what failed in them; each test
-- with its failures in half windows, of which most are in too few pull requests to be looked at again; windows.
SELECT
    start,
    hours,
    window_check AS checkName,
    countIf(test_name != '') AS tests,
    length(groupUniqArrayArrayIf(pull_requests, test_name != '')) AS pullRequests,
    groupArrayIf((test_name, of_names), test_name != '') AS testNames,
    groupArrayIf(failed_check, test_name = '') AS checkNames
FROM
(
    SELECT
        hours,
        window_check,
        toUInt32((failure.1 - arrayJoin([0, 1])) * hours * 1800) AS start,
        test_name,
        failed_check,
        any(all_pull_requests) AS in_all,
        any(known_since) AS first_build,
        groupUniqArrayIf(failure.2, failure.3 = '') AS pull_requests,
        groupUniqArrayIf((failure.4, toString(failure.2)), failure.3 = '' AND failure.4 != '') AS of_names,
        uniqExactIf(failure.3, failure.3 != '') AS trunk_commits
    FROM
    (
        SELECT
            hours,
            window_check,
            test_name,
            failed_check,
            all_pull_requests,
            known_since,
            arrayJoin(failures) AS failure
        FROM
        (
            SELECT
                arrayJoin(if(window_hours = 1, [1], [1, window_hours])) AS hours,
                if(hours = 1, '', check_name) AS window_check,
                multiIf(
                    match(shown_name, {statedStack:String}),
                        concat(
                            lower(extract(shown_name, {statedStack:String})),
                            replaceRegexpAll(replaceRegexpOne(shown_name, {statedStack:String}, '#'), '[0-9a-fA-F.]*[0-9][0-9a-fA-F.]*', '#')),
                    match(shown_name, '[\\[({<]| with ') AND match(shown_name, {varyingPart:String}),
                        replaceRegexpAll(shown_name, {varyingPart:String}, '#'),
                    shown_name) AS test_name,
                if(shown_name = '', check_name, '') AS failed_check,
                uniqExactIf(pull_request, trunk_commit = '') AS all_pull_requests,
                min(check_since) AS known_since,
                groupArray((
                    intDiv(time, hours * 1800),
                    pull_request,
                    trunk_commit,
                    if(test_name = shown_name, '', shown_name))) AS failures
            FROM
            (
                SELECT
                    toString(check_name) AS check_name,
                    any(multiIf(
                        head_repo = '', 0,
                        lower(head_repo) = {repository:String}, cityHash64(head_ref),
                        cityHash64(lower(splitByChar('/', head_repo)[1]), 'owner'))) AS pull_request,
                    if(pull_request_number = 0, toString(commit_sha), '') AS trunk_commit,
                    groupUniqArrayIf((start, report), test_name = '') AS jobs,
                    groupUniqArrayIf((start, report), test_name != '') AS tests,
                    arrayMap((row_start, row_report) -> {{job-start}}, tests.1, tests.2) AS jobs_with_tests,
                    arrayConcat(
                        groupUniqArrayIf((start, toString(test_name)), test_name != '' AND outcome = 'failing'),
                        arrayMap(job -> (job, ''), arrayFilter(
                            job -> NOT has(jobs_with_tests, job),
                            groupUniqArrayIf(start, test_name = '' AND outcome = 'failing')))) AS failed,
                    uniqExactIf(commit_sha, pull_request_number > 0) OVER (PARTITION BY check_name)
                        / uniqExactArrayIf(groupUniqArray(intDiv(start, 86400)), pull_request_number > 0) OVER (PARTITION BY check_name) AS builds_a_day,
                    minIf(min(start), pull_request_number > 0) OVER (PARTITION BY check_name) AS check_since,
                    arrayFirst(h -> h = 24 OR builds_a_day * h >= {massBuilds:UInt32} * 24, [1, 2, 3, 4, 6, 8, 12, 24]) AS window_hours
                FROM ({{evidence WHERE
                    (outcome IN ('failing', 'measured') OR (outcome = 'passing' AND test_name = ''))
                    AND check_start_time > toDateTime({from:UInt32}, 'UTC')
                    AND check_start_time <= toDateTime({until:UInt32}, 'UTC')}})
                WHERE NOT is_own AND (pull_request_number > 0 OR is_trunk)
                GROUP BY check_name, commit_sha, pull_request_number
            )
            ARRAY JOIN failed.1 AS time, failed.2 AS shown_name
            GROUP BY hours, window_check, test_name, failed_check
            HAVING all_pull_requests >= {massPullRequestsPerTest:UInt32}
        )
    )
    GROUP BY hours, window_check, start, test_name, failed_check
)
WHERE length(pull_requests) >= {massPullRequestsPerTest:UInt32}
  AND (hours = 1 OR (trunk_commits < {brokenTrunkRuns:UInt32}
      AND {until:UInt32} - first_build >= 2 * hours * 3600
      AND length(pull_requests) * ({until:UInt32} - first_build - hours * 3600)
          >= {massTimesAsOften:UInt32} * (in_all - length(pull_requests)) * hours * 3600))
GROUP BY start, hours, window_check
HAVING uniqExactIf(
        extract(
            replaceRegexpOne(test_name, '^((?:[\\w$]+\\.)+)[\\w$]+$', '\\1'),
            '^.*?(?:::| > | › |\\.(?:[cm]?[jt]sx?|py|go|rb|rs|java|kts?|scala|cs|php|c|cc|cpp|exs?|dart|swift)\\b|\\bTest\\w*/)|^.+'),
        test_name != '') >= {massTests:UInt32}
    AND pullRequests >= {massPullRequests:UInt32}
ORDER BY start, hours, window_check
