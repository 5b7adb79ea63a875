-- What the new build took in some runs, each query with the places of the runs in the list. A query with a text is known by that, whatever its index.
SELECT
    test,
    if(query_name IS NULL, query_index, NULL) AS queryIndex,
    query_name AS queryName,
    ordinal,
    architecture,
    groupArray(indexOf({runIds:Array(UUID)}, run_id) - 1) AS runs,
    groupArray(assumeNotNull(new_median)) AS medians
FROM query_results
WHERE repository_id = {repositoryId:UInt64}
  AND run_id IN {runIds:Array(UUID)}
  AND metric = {metric:String}
  AND is_measurement
  AND new_median >= 0
  AND isFinite(new_median)
GROUP BY test, queryIndex, queryName, ordinal, architecture
ORDER BY test, queryIndex, queryName, ordinal, architecture
LIMIT {most:UInt32}
