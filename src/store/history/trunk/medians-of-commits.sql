-- The newest median of each query of the trunk's commits that begin as one of two does. `ordinal` is its place among equal texts.
SELECT
    new_sha AS commit,
    test,
    query_display_name AS queryName,
    query_index AS queryIndex,
    arch AS architecture,
    new_value AS median,
    toUInt64(dense_rank() OVER (PARTITION BY query_hash, arch, event_time, new_sha ORDER BY toUInt32(query_index + 1)) - 1) AS ordinal
FROM trunk_history FINAL
WHERE repository_id = {repositoryId:UInt64}
  AND metric = {metric:String}
  AND pr_number = 0
  AND (startsWith(new_sha, {old:String}) OR startsWith(new_sha, {new:String}))
  AND NOT superseded
  AND copied_from IN {copiedFrom:Array(String)}
QUALIFY isFinite(new_value)
ORDER BY event_time DESC, commit, test, query_hash, arch, query_index
LIMIT 1 BY commit, query_hash, arch, ordinal
LIMIT {limit:UInt32}
