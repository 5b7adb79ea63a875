-- How many rows of the trunk's history a repository has, of some sources where any are given. A row that was stored again counts
-- twice until parts are merged, and once with the setting `final`.
SELECT count() AS rows
FROM trunk_history
WHERE repository_id = {repositoryId:UInt64}
  AND (empty({sources:Array(String)}) OR toString(source) IN {sources:Array(String)})
