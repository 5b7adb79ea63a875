-- The numbers of repetitions, old and new, that occur together. Relabelings are counted up to 256 in all: the pairs of ranks
-- grow with the product, and each pair of numbers has its own. Counted: 128 and 128. Not: 129 and 128.
SELECT DISTINCT n, m
FROM
(
    SELECT toUInt32(countIf(NOT is_new)) AS n, toUInt32(countIf(is_new)) AS m
    FROM ({{rows-unmerged WHERE {{where}}}})
    GROUP BY event_time, query_of_run, query_index
)
WHERE n > 0 AND m > 0 AND n + m <= 256
