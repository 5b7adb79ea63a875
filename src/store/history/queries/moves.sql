-- How often each wanted query moved by at least what is asked for.
SELECT
    wanted.number AS wanted,
    count() AS runs,
    countIf(abs(diff) >= at_least) AS times,
    toUnixTimestamp(maxIf(event_time, abs(diff) >= at_least)) AS lastTime,
    min(diff) AS lowest,
    max(diff) AS highest
FROM ({{keyed-differences WHERE isFinite(diff) AND test IN {tests:Array(String)} AND query_hash IN {hashes:Array(UInt64)} AND arch IN {architectures:Array(String)}}}) AS history
INNER JOIN
(
    SELECT
        tupleElement(one, 1) AS number,
        tupleElement(one, 2) AS wanted_hash,
        tupleElement(one, 3) AS wanted_ordinal,
        tupleElement(one, 4) AS wanted_arch,
        tupleElement(one, 5) AS at_least
    FROM
    (
        SELECT arrayJoin(arrayZip(
            {numbers:Array(UInt32)}, {hashes:Array(UInt64)}, {ordinals:Array(UInt64)}, {architectures:Array(String)}, {sizes:Array(Float64)}
        )) AS one
    )
) AS wanted ON query_hash = wanted_hash AND ordinal = wanted_ordinal AND arch = wanted_arch
GROUP BY wanted.number
