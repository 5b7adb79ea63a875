-- The commits that runs with samples measured, those measured last first: as a head of a pull request (its number) or of the trunk (0),
-- or as the build that the heads of pull requests were held against (their numbers).
SELECT
    commit,
    toUnixTimestamp64Milli(max(finished_at)) AS finishedAt,
    maxIf(pull_request_number, is_head) AS number,
    max(is_head) AS isHead,
    arrayReverseSort(groupUniqArrayIf(1000)(pull_request_number, NOT is_head AND pull_request_number > 0)) AS baseOf
FROM
(
    SELECT
        pull_request_number,
        finished_at,
        side.1 AS commit,
        side.2 AS is_head
    FROM runs
    ARRAY JOIN [(head, 1), (ifNull(old_commit, ''), 0)] AS side
    WHERE repository_id = {repositoryId:UInt64}
      AND expires > {now:DateTime64(3, 'UTC')}
)
WHERE match(commit, '^[0-9a-f]{40,64}$')
GROUP BY commit
ORDER BY finishedAt DESC, isHead DESC, commit
LIMIT {limit:UInt32}
