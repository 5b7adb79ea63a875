-- The trunk's rows of the query that an address names: by its hash and the beginning of its test's name. The name as
-- the address has it is shortened by UTF-16 units and this one by characters, so that the former begins the latter.
SELECT
    test,
    query_display_name AS queryName,
    argMax(query_index, event_time) AS queryIndex,
    metric,
    arch AS architecture
FROM trunk_history
WHERE repository_id = {repositoryId:UInt64}
  AND pr_number = 0
  AND copied_from IN {copiedFrom:Array(String)}
  AND query_hash = {hash:UInt64}
  AND startsWith(test, {prefix:String})
  AND startsWith(replaceRegexpAll(substringUTF8(test, 1, 40), '[^A-Za-z0-9_]+', '-'), {name:String})
GROUP BY test, queryName, metric, arch
ORDER BY max(event_time) DESC, test, metric, arch
LIMIT {limit:UInt32}
