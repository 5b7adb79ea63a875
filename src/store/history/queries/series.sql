-- Whole histories, each column of the points an array. What is not finite would be lost in JSON: a threshold of -1 is none.
SELECT
    main_source AS source,
    sources,
    test,
    query_name AS queryName,
    query_index AS queryIndex,
    ordinal,
    arch AS architecture,
    tupleElement(points, 2) AS runs,
    arrayMap(x -> if(isFinite(x), x, -1), tupleElement(points, 3)) AS old,
    arrayMap(x -> if(isFinite(x), x, -1), tupleElement(points, 4)) AS new,
    arrayMap(x -> if(isFinite(x) AND x >= 0, x, -1), tupleElement(points, 5)) AS thresholds
FROM ({{points WHERE {{where}}}})
