-- The same of the newest runs of pull requests, for a query that the trunk does not have yet. The test comes first: of most
-- rows nothing else is then read.
SELECT
    test,
    ifNull(query_name, '') AS queryName,
    argMax(ifNull(query_index, 4294967295), finished_at) AS queryIndex,
    metric,
    ifNull(ifNull(query_results.architecture, run_architecture), '') AS architecture
FROM query_results
GLOBAL INNER JOIN
(
    SELECT DISTINCT run_id, run_architecture
    FROM (SELECT run_id, architecture AS run_architecture, finished_at AS ended FROM runs WHERE repository_id = {repositoryId:UInt64})
    ORDER BY ended DESC
    LIMIT {runs:UInt32}
) AS newest USING (run_id)
PREWHERE repository_id = {repositoryId:UInt64} AND startsWith(test, {prefix:String})
WHERE run_id GLOBAL IN (
      SELECT run_id FROM runs FINAL WHERE repository_id = {repositoryId:UInt64} ORDER BY finished_at DESC LIMIT {runs:UInt32})
  AND startsWith(replaceRegexpAll(substringUTF8(test, 1, 40), '[^A-Za-z0-9_]+', '-'), {name:String})
  AND status IS NOT NULL
  AND halfMD5(if(queryName = '', concat(hex(test), '#', toString(ifNull(query_index, 4294967295))), concat(test, '\0', queryName))) = {hash:UInt64}
GROUP BY test, queryName, metric, architecture
ORDER BY max(finished_at) DESC, test, metric, architecture
LIMIT {limit:UInt32}
