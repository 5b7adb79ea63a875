-- The tables of CI databases out of which stacks were copied, of each repository.
SELECT
    repository_id AS repositoryId,
    copied_from AS copiedFrom
FROM stacks
WHERE copied_from != ''
GROUP BY repositoryId, copiedFrom
ORDER BY repositoryId, copiedFrom
