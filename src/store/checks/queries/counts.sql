-- Counts of each wanted history in each check: all in one statement, since planning one takes as long as reading the
-- rows of a hundred tests. `failingTimes`: of the newest `most` failing rows. `failedOnTrunk`, `passedOnTrunk`: time
-- and commit of the newest executions on the trunk; the passes of the pairs of history and check that are asked for.
-- `independentPasses`: one a branch of the repository itself, and one a commit where there is no pull request;
-- `passedBy`: owners of forks.
-- `trunkClean`: when it passed on the trunk, of a check in which it failed there. `hasPassesBeside`: on one of the newest
-- failing commits it passed as well; commits are compared by a hash, and arrays intersected as sets: a function called for
-- each of a million passes would get a copy of the failures each. `jobs`: only of names with parts that vary, those that the
-- executions are of. `different`: of the rows that are read, so many are no other one written twice. Times are seconds.
SELECT
    wanted,
    check_name AS checkName,
    count() AS rows,
    uniqExact(row_key) AS different,
    uniqExactIf((commit_sha, pull_request_number, check_start_time), {byPattern:Bool}) AS jobs,
    countIf(outcome = 'failing') AS failing,
    arraySlice(
        arrayReverseSort(groupArrayIf(toUnixTimestamp(check_start_time), outcome = 'failing')),
        1, {most:UInt32}) AS failingTimes,
    countIf(outcome = 'passing' AND NOT is_own) AS passes,
    uniqExactIf(
        if(pull_request_number = 0, cityHash64(commit_sha), cityHash64(head_ref)),
        outcome = 'passing' AND NOT is_own
            AND (pull_request_number = 0 OR ({repository:String} != '' AND lower(head_repo) = {repository:String}))) AS independentPasses,
    arraySlice(groupUniqArrayIf(
        lower(splitByChar('/', head_repo)[1]),
        outcome = 'passing' AND NOT is_own AND pull_request_number > 0 AND NOT ({repository:String} != '' AND lower(head_repo) = {repository:String})), 1, 1000) AS passedBy,
    countIf(outcome = 'passing' AND NOT is_own AND is_trunk) AS trunkPasses,
    maxIf((toUnixTimestamp(check_start_time), toString(commit_sha)), outcome = 'passing' AND NOT is_own AND is_trunk) AS lastTrunkPass,
    (wanted, check_name) IN (
        SELECT tupleElement(pair, 1), tupleElement(pair, 2)
        FROM (SELECT arrayJoin(arrayZip({pairNumbers:Array(UInt32)}, {pairChecks:Array(String)})) AS pair)) AS is_wanted,
    arraySlice(arrayReverseSort(groupUniqArrayIf(
        (toUnixTimestamp(check_start_time), toString(commit_sha)),
        outcome = 'failing' AND NOT is_own AND is_trunk)),
        1, {executions:UInt32}) AS failedOnTrunk,
    if(empty(failedOnTrunk), [], arraySlice(arrayReverseSort(groupUniqArrayIf(
        toUnixTimestamp(check_start_time),
        outcome = 'passing' AND NOT is_own AND is_trunk)),
        1, {cleanRuns:UInt32})) AS trunkClean,
    arraySlice(arrayReverseSort(groupUniqArrayIf(
        (toUnixTimestamp(check_start_time), toString(commit_sha)),
        is_wanted AND outcome = 'passing' AND NOT is_own AND is_trunk)),
        1, {executions:UInt32}) AS passedOnTrunk,
    arrayMap(row -> row.2, arraySlice(arrayReverseSort(groupUniqArrayIf(
        (toUnixTimestamp(check_start_time), toString(commit_sha)),
        outcome = 'failing')),
        1, 500)) AS failing_commits,
    notEmpty(arrayIntersect(
        arrayMap(commit -> cityHash64(commit), failing_commits),
        groupUniqArrayIf(cityHash64(commit_sha), outcome = 'passing' AND NOT is_own))) AS hasPassesBeside
FROM ({{executions}})
GROUP BY wanted, check_name
