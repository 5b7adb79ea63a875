-- What each query moves by on the trunk when nothing happened, and how uncertain its measurements are.
SELECT *, main_source AS source
FROM
(
    SELECT
        {{main-source}} AS main_source,
        groupUniqArray(source) AS sources,
        any(test) AS test,
        any(query_name) AS queryName,
        any(query_index) AS queryIndex,
        ordinal,
        arch AS architecture,
        count() AS runs,
        quantileExact(0.99)(abs(diff)) AS changed,
        ifNotFinite(quantileExactIf(0.99)(stat_threshold, abs(diff) < stat_threshold), 0) AS unstable
    FROM ({{keyed WHERE isFinite(diff) AND {{where}}}})
    GROUP BY query_hash, ordinal, arch
    HAVING runs > {moreThan:UInt32}
)
