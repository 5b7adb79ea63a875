-- The commit of the newest run of the trunk whose samples are kept.
SELECT head
FROM runs
WHERE repository_id = {repositoryId:UInt64}
  AND pull_request_number = 0
  AND expires > {now:DateTime64(3, 'UTC')}
ORDER BY finished_at DESC, head
LIMIT 1
