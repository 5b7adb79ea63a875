-- Rows with the place of their query among those of the same text in the run. An index that is unknown is the first one.
SELECT *, toUInt64(0) AS ordinal
FROM ({{rows WHERE {{where}}}})
WHERE query_hash NOT IN ({{repeated WHERE {{where}}}})
UNION ALL
SELECT
    *,
    toUInt64(dense_rank() OVER (
        PARTITION BY query_hash, source, arch, event_time, new_sha
        ORDER BY toUInt32(query_index + 1)) - 1) AS ordinal
FROM ({{rows WHERE {{where}}}})
WHERE query_hash IN ({{repeated WHERE {{where}}}})
