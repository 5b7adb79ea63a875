-- The runs that measured one of two commits, named by the beginnings of their ids, newest first: as a head or its build, or as the
-- build that it was held against.
SELECT
    head,
    old_commit AS oldCommit,
    new_commit AS newCommit,
    toUnixTimestamp64Milli(max(finished_at)) AS finishedAt
FROM runs
WHERE repository_id = {repositoryId:UInt64}
  AND expires > {now:DateTime64(3, 'UTC')}
  AND (startsWith(head, {old:String}) OR startsWith(head, {new:String})
       OR startsWith(ifNull(new_commit, ''), {old:String}) OR startsWith(ifNull(new_commit, ''), {new:String})
       OR startsWith(ifNull(old_commit, ''), {old:String}) OR startsWith(ifNull(old_commit, ''), {new:String}))
GROUP BY head, old_commit, new_commit
ORDER BY finishedAt DESC, head
LIMIT {limit:UInt32}
