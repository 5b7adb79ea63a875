-- The history of each query, its points in the order of time. A point names its run by a number: the commits of all runs
-- come once, with `runs.sql`.
SELECT
    query_hash,
    {{main-source}} AS main_source,
    groupUniqArray(source) AS sources,
    any(test) AS test,
    any(query_name) AS query_name,
    argMax(query_index, event_time) AS query_index,
    ordinal,
    arch,
    arraySort(groupArray(tuple(toUnixTimestamp(event_time), {{run}}, old_value, new_value, stat_threshold))) AS points
FROM ({{keyed WHERE {{where}}}})
GROUP BY query_hash, ordinal, arch
