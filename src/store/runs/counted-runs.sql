-- The named runs of a head whose samples are kept, by the newest row of each: how many measurements and
-- samples it says it has, and how many are there. Rows from a position on are stored later: until all are, they do not count.
WITH stated AS
(
    SELECT run_id, expires, stored_at, measurements, samples, JSONExtractBool(about, 'othersUnread') AS is_part
    FROM runs
    WHERE repository_id = {repositoryId:UInt64}
      AND head = {head:String}
      AND run_id IN {runIds:Array(UUID)}
      AND expires > {now:DateTime64(3, 'UTC')}
    ORDER BY stored_at DESC
    LIMIT 1 BY run_id
)
SELECT
    toString(run_id) AS runId,
    toUnixTimestamp(expires) AS expires,
    toUnixTimestamp64Milli(stored_at) AS storedAt,
    stated.measurements AS measurements,
    stated.samples AS samples,
    if(is_part, measured.first_rows, measured.all_rows) AS foundMeasurements,
    if(is_part, sampled.first_rows, sampled.all_rows) AS foundSamples
FROM stated
LEFT JOIN
(
    SELECT run_id, count() AS all_rows, countIf(measurement < {othersFrom:UInt32}) AS first_rows
    FROM query_results
    WHERE repository_id = {repositoryId:UInt64} AND run_id IN {runIds:Array(UUID)} AND is_measurement
    GROUP BY run_id
) AS measured USING (run_id)
LEFT JOIN
(
    SELECT run_id, count() AS all_rows, countIf(measurement < {othersFrom:UInt32}) AS first_rows
    FROM samples
    WHERE repository_id = {repositoryId:UInt64} AND run_id IN {runIds:Array(UUID)}
    GROUP BY run_id
) AS sampled USING (run_id)
