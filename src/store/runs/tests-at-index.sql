-- The tests with a query without a text at an index, whose names begin as in `query-on-trunk.sql`: on the trunk, or in the
-- newest runs of pull requests.
SELECT DISTINCT test
FROM
(
    SELECT test
    FROM trunk_history
    WHERE repository_id = {repositoryId:UInt64}
      AND pr_number = 0
      AND copied_from IN {copiedFrom:Array(String)}
      AND startsWith(test, {prefix:String})
      AND query_display_name = ''
      AND query_index = {index:UInt32}
    UNION ALL
    SELECT test
    FROM query_results
    WHERE repository_id = {repositoryId:UInt64}
      AND run_id GLOBAL IN (
          SELECT run_id FROM runs FINAL WHERE repository_id = {repositoryId:UInt64} ORDER BY finished_at DESC LIMIT {runs:UInt32})
      AND startsWith(test, {prefix:String})
      AND ifNull(query_name, '') = ''
      AND ifNull(query_index, 4294967295) = {index:UInt32}
      AND status IS NOT NULL
)
WHERE startsWith(replaceRegexpAll(substringUTF8(test, 1, 40), '[^A-Za-z0-9_]+', '-'), {name:String})
ORDER BY test
LIMIT {limit:UInt32}
