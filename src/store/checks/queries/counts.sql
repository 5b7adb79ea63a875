-- Counts of each wanted history in each check: all in one statement, since planning one takes as long as reading the
-- rows of a hundred tests. `failingTimes`: of the newest `most` failing rows. `failedOnTrunk`, `passedOnTrunk`: time
-- and commit of the newest executions on the trunk, of the pairs of history and check that are asked for.
-- `passesBeside`: the newest commits on which the test failed and passed as well; commits are compared by a hash, and
-- arrays intersected as sets: a function called for each of a million passes would get a copy of the failures each.
-- `jobs`: only of names with parts that vary, those that the executions are of. `different`: of the rows that are read, so many are no other one written twice. Times are seconds.
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
    countIf(outcome = 'passing' AND NOT is_own AND is_trunk) AS trunkPasses,
    maxIf((toUnixTimestamp(check_start_time), toString(commit_sha)), outcome = 'passing' AND NOT is_own AND is_trunk) AS lastTrunkPass,
    (wanted, check_name) IN (
        SELECT tupleElement(pair, 1), tupleElement(pair, 2)
        FROM (SELECT arrayJoin(arrayZip({pairNumbers:Array(UInt32)}, {pairChecks:Array(String)})) AS pair)) AS is_wanted,
    arraySlice(arrayReverseSort(groupUniqArrayIf(
        (toUnixTimestamp(check_start_time), toString(commit_sha)),
        is_wanted AND outcome = 'failing' AND NOT is_own AND is_trunk)),
        1, {executions:UInt32}) AS failedOnTrunk,
    arraySlice(arrayReverseSort(groupUniqArrayIf(
        (toUnixTimestamp(check_start_time), toString(commit_sha)),
        is_wanted AND outcome = 'passing' AND NOT is_own AND is_trunk)),
        1, {executions:UInt32}) AS passedOnTrunk,
    arrayMap(row -> row.2, arraySlice(arrayReverseSort(groupUniqArrayIf(
        (toUnixTimestamp(check_start_time), toString(commit_sha)),
        outcome = 'failing')),
        1, 500)) AS failing_commits,
    arrayIntersect(
        arrayMap(commit -> cityHash64(commit), failing_commits),
        groupUniqArrayIf(cityHash64(commit_sha), outcome = 'passing' AND NOT is_own)) AS both_hashes,
    arrayDistinct(arrayFilter(commit -> has(both_hashes, cityHash64(commit)), failing_commits)) AS passesBeside
FROM ({{executions}})
GROUP BY wanted, check_name
