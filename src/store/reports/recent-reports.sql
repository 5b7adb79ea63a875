-- The newest report of each head, the latest ones first; never the reports themselves, which are large.
SELECT
    pull_request_number AS pullRequestNumber,
    head,
    toUnixTimestamp64Milli(judged_at) AS judgedAt,
    base_ref AS baseRef,
    mode,
    complete,
    slower,
    faster,
    unstable,
    too_small AS tooSmall,
    not_significant AS notSignificant,
    not_compared AS notCompared,
    said
FROM
(
    SELECT *
    FROM reports
    WHERE repository_id = {repositoryId:UInt64}
    ORDER BY judged_at DESC, stored_at DESC
    LIMIT 1 BY pull_request_number, head
)
WHERE judged_at < fromUnixTimestamp64Milli({before:Int64}, 'UTC')
   OR (judged_at = fromUnixTimestamp64Milli({before:Int64}, 'UTC')
       AND (pull_request_number < {number:UInt32} OR (pull_request_number = {number:UInt32} AND head > {head:String})))
ORDER BY judgedAt DESC, pullRequestNumber DESC, head
LIMIT {limit:UInt32}
