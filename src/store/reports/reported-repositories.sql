-- Repositories by the name in their newest report, those judged latest first.
SELECT
    argMax(owner, (judged_at, stored_at)) AS owner,
    argMax(name, (judged_at, stored_at)) AS repo
FROM reports
GROUP BY repository_id
ORDER BY max(judged_at) DESC
LIMIT {limit:UInt32}
