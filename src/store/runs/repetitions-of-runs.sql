-- The queries that were measured in some runs, with the places of the runs in the list and the repetitions and processes of the side
-- that has fewer; 0 processes: not known. A query with a text is known by that, and named by any of its indexes.
SELECT
    test,
    any(query_index) AS queryIndex,
    query_name AS queryName,
    ordinal,
    architecture,
    groupArray(indexOf({runIds:Array(UUID)}, run_id) - 1) AS shards,
    groupArray(if(old_repetitions = 0 OR new_repetitions = 0,
                  greatest(old_repetitions, new_repetitions),
                  least(old_repetitions, new_repetitions))) AS repetitions,
    groupArray(least(
        length(arrayDistinct(JSONExtract(taken, 'old', 'processes', 'Array(Int64)'))),
        length(arrayDistinct(JSONExtract(taken, 'new', 'processes', 'Array(Int64)'))))) AS processes
FROM query_results
WHERE repository_id = {repositoryId:UInt64}
  AND run_id IN {runIds:Array(UUID)}
  AND metric = {metric:String}
  AND is_measurement
  AND (old_median IS NOT NULL OR new_median IS NOT NULL)
GROUP BY test, if(query_name IS NULL, query_index, NULL), query_name, ordinal, architecture
ORDER BY test, queryIndex, queryName, ordinal, architecture
LIMIT {most:UInt32}
