-- How many rows a lookup could have found at all: those of the repository and those that were imported for any. A row that was
-- stored again counts twice until parts are merged, and once with the setting `final`.
SELECT count() AS rows
FROM checks
WHERE repository_id IN (0, {repositoryId:UInt64})
