-- How many rows a lookup could have found at all: those of the repository and those that were imported for any.
SELECT count() AS rows
FROM checks FINAL
WHERE repository_id IN (0, {repositoryId:UInt64})
