SELECT
    trace_type AS traceType,
    sumIf(samples, side = 'old') AS old,
    sumIf(samples, side = 'new') AS new,
    arraySort(groupUniqArray(20)(run)) AS runs
FROM ({{rows}})
GROUP BY traceType
