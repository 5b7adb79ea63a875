-- Queries with enough runs to learn from, without a look at what they measured.
SELECT
    test,
    query_name AS queryName,
    max(query_index) AS queryIndex,
    arch AS architecture,
    uniqExact(event_time) AS runs
FROM ({{rows-unmerged WHERE NOT is_new}})
GROUP BY test, query_name, if(query_name = '', query_index, 0), arch
HAVING runs > {moreThan:UInt32}
ORDER BY test
