-- Repositories by the name in their newest report, those judged latest first. A name that was another's before is of the one
-- that was judged with it last.
SELECT
    repository_id AS id,
    argMax(is_private, (judged_at, stored_at)) AS isPrivate,
    argMax(owner, (judged_at, stored_at)) AS owner,
    argMax(name, (judged_at, stored_at)) AS repo,
    toUnixTimestamp64Milli(max(stored_at)) AS storedAt
FROM reports
GROUP BY repository_id
ORDER BY max((judged_at, stored_at)) DESC
LIMIT 1 BY lower(owner), lower(repo)
LIMIT {limit:UInt32}
