-- The trunk's history of a large project: `queries` queries in tests of ten, in the text of 60 to 260 characters, and
-- `runs` runs from `from` on, `seconds` apart, each with every query once. Noise of 2 % with a spike in fifty; every
-- tenth query steps up by 15 % in the middle. Run by run, those from `first` on for `count` runs.
SELECT
    1 AS repository_id,
    'own' AS source,
    toDateTime({from:UInt32}, 'UTC') + toUInt32(run * {seconds:UInt32}) AS event_time,
    0 AS pr_number,
    lower(hex(sipHash128(run))) || '00000000' AS old_sha,
    lower(hex(sipHash128(run + 1))) || '00000000' AS new_sha,
    concat('test_', toString(intDiv(query, 10))) AS test,
    query % 10 AS query_index,
    concat('SELECT ', toString(query), ', ', repeat('a_column_of_the_table, ', 2 + query % 10), 'count() FROM hits_100m_single') AS query_display_name,
    'client_time' AS metric,
    level * (1 + 0.02 * (toFloat64(sipHash64(run, query, 1) % 10007) / 10007 - 0.5)) AS old_value,
    level * if(stepped AND run >= intDiv({runs:UInt32}, 2), 1.15, 1) * (1 + 0.02 * (toFloat64(sipHash64(run, query, 2) % 10007) / 10007 - 0.5)) * if(sipHash64(run, query, 3) % 50 = 0, 1.3, 1) AS new_value,
    (new_value - old_value) / old_value AS diff,
    0.02 + 0.02 * toFloat64(sipHash64(run, query, 4) % 10007) / 10007 AS stat_threshold,
    'amd' AS arch,
    'MasterCI' AS workflow_name,
    'master' AS base_branch,
    concat('https://ci.example.com/', toString(run), '/report.html') AS report_url,
    'c7a.4xlarge' AS instance_type,
    concat('i-', lower(hex(sipHash64(run)))) AS instance_id
FROM
(
    SELECT
        {first:UInt32} + intDiv(number, {queries:UInt32}) AS run,
        number % {queries:UInt32} AS query,
        query % 10 = 3 AS stepped,
        (0.01 + 0.001 * toFloat64(query % 97)) * if(stepped AND run > intDiv({runs:UInt32}, 2), 1.15, 1) AS level
    FROM numbers(toUInt64({count:UInt32}) * {queries:UInt32})
)
