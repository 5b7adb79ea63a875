SELECT
    trace_type AS traceType,
    sumIf(samples, side = 'old') AS old,
    sumIf(samples, side = 'new') AS new
FROM ({{rows}})
GROUP BY traceType
