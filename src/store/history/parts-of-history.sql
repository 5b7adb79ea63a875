-- The rows that `rows-of-history.sql` has to look at: some of them twice until their parts are merged.
SELECT count() AS rows
FROM trunk_history
WHERE repository_id = {repositoryId:UInt64}
