-- What each query moves by on the trunk when nothing happened, and how uncertain its measurements are.
SELECT
    source,
    any(test) AS test,
    any(query_name) AS queryName,
    any(query_index) AS queryIndex,
    ordinal,
    arch AS architecture,
    count() AS runs,
    quantileExact(0.99)(abs(diff)) AS changed,
    ifNotFinite(quantileExactIf(0.99)(stat_threshold, abs(diff) < stat_threshold), 0) AS unstable
FROM ({{keyed WHERE isFinite(diff)}})
GROUP BY query_hash, ordinal, arch, source
HAVING runs > {moreThan:UInt32}
