-- Runs of queries that have a row which stands before rows of this precedence.
SELECT DISTINCT
    toString(query_hash) AS hash,
    arch AS architecture,
    new_sha AS commit
FROM trunk_history
WHERE repository_id = {repositoryId:UInt64}
  AND metric = {metric:String}
  AND new_sha IN {commits:Array(String)}
  AND precedence < {precedence:UInt8}
