-- The medians of raw runs with T by the exact randomization test, as `randomization-test.ts` computes it: the 0.99 quantile
-- of the distance of the medians over all relabelings, as a fraction of the old median. NaN where nobody has counted the
-- relabelings.
SELECT
    source, event_time, old_sha, new_sha, test, query_index, query_name, query_hash, arch, instance_type, ordinal, old_value, new_value, diff,
    arraySort(arrayConcat(olds, news)) AS pooled,
    arrayMap((lower, upper) -> pooled[upper] - pooled[lower], lower_ranks, upper_ranks) AS distances,
    arrayReverseSort(distances)[arrayFirstIndex(
        share -> share > 0.01 * (1 + 1e-10), arrayCumSum(arrayReverseSort((share, distance) -> distance, shares, distances)))] AS quantile,
    multiIf(
        empty(shares), nan,
        abs(quantile - distance) <= tolerance, diff_size,
        quantile = 0, 0,
        quantile / old_value) AS stat_threshold
FROM (SELECT *, abs(diff) AS diff_size FROM ({{medians WHERE {{where}}}})) AS measured
LEFT ANY JOIN ({{relabelings WHERE {{where}}}}) AS relabelings ON measured.n = relabelings.n AND measured.m = relabelings.m
