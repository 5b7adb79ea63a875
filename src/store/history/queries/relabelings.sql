-- Where the medians of `n` old and `m` new samples lie after a random relabeling, as `relabeling-weights.ts` derives it: pairs
-- of ranks of the pooled samples, from 1, with the share of all relabelings that has them. In binomial coefficients by
-- `lgamma`, right to 1e-12: the share of one pair for each order of the groups, and both added. A pair of which those that
-- are at least as far apart on both sides have more than 1 % together can't decide about the 0.99 quantile and is left out:
-- of 7 and 7 samples one pair of 16 remains.
SELECT
    n,
    m,
    groupArray(toUInt32(a + b - u + 1)) AS lower_ranks,
    groupArray(toUInt32(a + b + v + 2)) AS upper_ranks,
    groupArray(share) AS shares
FROM
(
    SELECT
        *,
        sum(share_further_up) OVER (PARTITION BY n, m, v ORDER BY u DESC) AS share_as_far
    FROM
    (
        SELECT *, sum(share) OVER (PARTITION BY n, m, u ORDER BY v DESC) AS share_further_up
        FROM
        (
            SELECT
                *,
                lgamma(a + b - u + 1) + lgamma(u + v + 1) - lgamma(u + 1) - lgamma(v + 1) + lgamma(n + m - 1 - a - b - v)
                    + lgamma(n + 1) + lgamma(m + 1) - lgamma(n + m + 1) AS of_both,
                if(u <= b AND v <= n - 1 - a, exp(of_both - lgamma(a + 1) - lgamma(b - u + 1) - lgamma(m - b) - lgamma(n - a - v)), 0)
                    + if(u <= a AND v <= m - 1 - b, exp(of_both - lgamma(b + 1) - lgamma(a - u + 1) - lgamma(n - a) - lgamma(m - b - v)), 0) AS share
            FROM
            (
                SELECT
                    toInt32(n) AS n,
                    toInt32(m) AS m,
                    intDiv(n, 2) AS a,
                    intDiv(m, 2) AS b,
                    toInt32(arrayJoin(range(toUInt32(greatest(a, b) + 1)))) AS u,
                    toInt32(arrayJoin(range(toUInt32(greatest(n - a, m - b))))) AS v
                FROM ({{repetition-counts WHERE {{where}}}})
            )
        )
    )
)
WHERE share > 0 AND share_as_far - share <= 0.0101
GROUP BY n, m
