-- How many rows of the trunk's history a repository has, of one source where it is given. A row that was stored again counts
-- twice until parts are merged, and once with the setting `final`.
SELECT count() AS rows
FROM trunk_history
WHERE repository_id = {repositoryId:UInt64}
  AND ({source:String} = '' OR source = {source:String})
