-- Each stack once, the heaviest of each side first. What goes beyond `text` bytes of a side is one stack at the end.
SELECT
    side,
    if(bytes <= {text:UInt64}, stack, {leftOut:String}) AS shown,
    sum(samples) AS count
FROM
(
    SELECT
        side,
        stack,
        samples,
        sum(length(stack)) OVER (
            PARTITION BY side
            ORDER BY samples DESC, stack
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS bytes
    FROM
    (
        SELECT side, stack, sum(samples) AS samples
        FROM ({{rows}})
        WHERE trace_type IN {traceTypes:Array(String)}
        GROUP BY side, stack
    )
)
GROUP BY side, shown
ORDER BY side, shown = {leftOut:String}, count DESC, shown
