-- The randomization test as ClickHouse's performance CI estimates it, for one query and one metric: 10,000 random
-- relabelings of the pooled samples, the distance of the medians of the two halves of each, and its 0.99 quantile.
-- Written from the description of eqmed.sql. materialize: a constant would be shuffled once for all rows.
WITH
    {old:Array(Float64)} AS old_samples,
    {new:Array(Float64)} AS new_samples,
    arrayConcat(old_samples, new_samples) AS pooled,
    intDiv(length(pooled), 2) AS half
SELECT
    arrayReduce('medianExact', old_samples) AS old_median,
    arrayReduce('medianExact', new_samples) AS new_median,
    (new_median - old_median) / old_median AS difference,
    (
        SELECT quantileExact(0.99)(abs(
            arrayReduce('medianExact', arraySlice(shuffled, 1, half))
            - arrayReduce('medianExact', arraySlice(shuffled, half + 1))))
        FROM (SELECT arrayShuffle(materialize(pooled)) AS shuffled FROM numbers(10000))
    ) / old_median AS threshold
