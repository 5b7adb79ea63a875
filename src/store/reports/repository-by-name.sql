-- The repository whose newest report names it so: a name that was given up, and may be another's now, finds nothing.
SELECT
    repository_id AS id,
    argMax(is_private, (judged_at, stored_at)) AS isPrivate
FROM reports
GROUP BY repository_id
HAVING lower(argMax(owner, (judged_at, stored_at))) = lower({owner:String})
   AND lower(argMax(name, (judged_at, stored_at))) = lower({name:String})
ORDER BY max((judged_at, stored_at)) DESC
LIMIT 1
