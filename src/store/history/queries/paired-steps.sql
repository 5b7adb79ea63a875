-- The article's step rule over the histories of all queries, as `step-rule.ts` states it. Most rows end with their own
-- difference; the levels and the quantile are computed for the others alone. An array that a lambda takes from outside is
-- copied for each element that it is called with: over whole histories there is none. Positions count all rows from 0.
-- A history without a step has its row.
SELECT
    main_source AS source,
    sources,
    test,
    query_name AS queryName,
    query_index AS queryIndex,
    ordinal,
    arch AS architecture,
    length(all_points) AS points,
    arrayMap(step -> toUInt32(measured[step.1] - 1), found) AS positions,
    arrayMap(step -> tupleElement(all_points[measured[step.1]], 2), found) AS runs,
    arrayMap(step -> all_differences[step.1], found) AS differences,
    arrayMap(step -> step.2, found) AS befores,
    arrayMap(step -> step.3, found) AS afters,
    arrayMap(step -> step.4, found) AS historicals
FROM
(
    SELECT
        *,
        tupleElement(all_points, 3) AS all_olds,
        tupleElement(all_points, 4) AS all_news,
        arrayMap((old, new) -> isFinite(old) AND old > 0 AND isFinite(new) AND new >= 0, all_olds, all_news) AS is_measured,
        arrayFilter((i, yes) -> yes, arrayEnumerate(all_points), is_measured) AS measured,
        arrayFilter((old, yes) -> yes, all_olds, is_measured) AS olds,
        arrayFilter((new, yes) -> yes, all_news, is_measured) AS news,
        arrayFilter((threshold, yes) -> yes, tupleElement(all_points, 5), is_measured) AS thresholds,
        arrayMap((old, new) -> (new - old) / old, olds, news) AS all_differences,
        arrayMap(difference -> abs(difference), all_differences) AS sizes,
        arrayFilter(
            (i, size, threshold) -> size >= greatest({minimum:Float64}, if(isFinite(threshold), threshold, 0)),
            arrayEnumerate(measured), sizes, thresholds) AS notable,
        arrayMap(
            i -> tuple(
                i,
                arrayReduce('quantileExact(0.5)', arraySlice(olds, greatest(1, i - {levelRows:Int32}), least(i, {levelRows:Int32} + 1))),
                arrayReduce('quantileExact(0.5)', arraySlice(news, i, {levelRows:Int32} + 1)),
                arrayReduce('quantileExact(0.95)', arraySlice(sizes, greatest(1, i - {historicalRows:Int32}), least(i, {historicalRows:Int32} + 1)))),
            notable) AS candidates,
        arrayFilter(
            step -> sizes[step.1] >= step.4
                AND abs(step.3 - step.2) / greatest(step.3, step.2) >= greatest({minimum:Float64}, step.4)
                AND sizes[step.1] >= {share:Float64} * (abs(step.3 - step.2) / greatest(step.3, step.2)),
            candidates) AS found
    FROM (SELECT * EXCEPT (points), points AS all_points FROM ({{points WHERE 1}}))
)
