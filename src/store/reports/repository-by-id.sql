-- What a repository was called when it was reported on last.
SELECT
    argMax(owner, (judged_at, stored_at)) AS owner,
    argMax(name, (judged_at, stored_at)) AS repo
FROM reports
WHERE repository_id = {repositoryId:UInt64}
GROUP BY repository_id
