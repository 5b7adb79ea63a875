-- How many rows of the trunk's history were imported for the repository, each counted once.
SELECT count() AS rows
FROM trunk_history FINAL
WHERE repository_id = {repositoryId:UInt64} AND source = 'imported'
