-- The raw runs of a large project in the columns of `query_metric_runs_v1`, with as many repetitions a side as asked for:
-- the queries and levels of `trunk-rows.sql`, each repetition with noise of its own.
SELECT
    toDate(check_start_time, 'UTC') AS event_date,
    check_start_time,
    toUInt32(0) AS pr_number,
    lower(hex(sipHash128(run))) || '00000000' AS old_sha,
    lower(hex(sipHash128(run + 1))) || '00000000' AS new_sha,
    'amd' AS arch,
    'master_head' AS baseline_kind,
    'MasterCI' AS workflow_name,
    'master' AS base_branch,
    concat('test_', toString(intDiv(query, 10))) AS test,
    toUInt32(query % 10) AS query_index,
    concat('SELECT ', toString(query), ', ', repeat('a_column_of_the_table, ', 2 + query % 10), 'count() FROM hits_100m_single') AS query_display_name,
    if(repetition % 2 = 0, 'baseline', 'candidate') AS side,
    concat(test, '.query', toString(query_index), '.run', toString(intDiv(repetition, 2))) AS query_id,
    'client_time' AS metric_name,
    (0.01 + 0.001 * toFloat64(query % 97))
        * if(query % 10 = 3 AND run >= intDiv({runs:UInt32}, 2) + (repetition % 2 = 0), 1.15, 1)
        * (1 + 0.02 * (toFloat64(sipHash64(run, query, repetition) % 10007) / 10007 - 0.5))
        * if(sipHash64(run, query, 3) % 50 = 0 AND repetition % 2 = 1, 1.3, 1) AS metric_value
FROM
(
    SELECT
        {first:UInt32} + intDiv(number, {queries:UInt32} * 2 * {repetitions:UInt32}) AS run,
        intDiv(number, 2 * {repetitions:UInt32}) % {queries:UInt32} AS query,
        number % (2 * {repetitions:UInt32}) AS repetition,
        toDateTime({from:UInt32}, 'UTC') + toUInt32(run * {seconds:UInt32}) AS check_start_time
    FROM numbers(toUInt64({count:UInt32}) * {queries:UInt32} * 2 * {repetitions:UInt32})
)
