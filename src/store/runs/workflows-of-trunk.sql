-- Of each check of the trunk the workflow of its newest run that says one; the empty text is no workflow of GitHub Actions.
SELECT
    check_name AS checkName,
    argMax(JSONExtractString(about, 'workflow'), finished_at) AS workflow
FROM runs
WHERE repository_id = {repositoryId:UInt64}
  AND pull_request_number = 0
  AND JSONHas(about, 'workflow')
GROUP BY check_name
ORDER BY max(finished_at) DESC, checkName
LIMIT {most:UInt32}
