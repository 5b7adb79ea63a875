-- The rows that `rows-of-checks.sql` has to look at: some of them twice until their parts are merged.
SELECT count() AS rows
FROM checks
WHERE repository_id IN (0, {repositoryId:UInt64})
