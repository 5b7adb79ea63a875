-- Finished queries of a table in the columns of system.query_log, one more than are taken at most, so that it is seen where
-- there are more. `log.event_time` is the column: the name alone is the number of seconds that is selected.
SELECT {{columns}}
FROM {{table}} AS log
WHERE log.type = 'QueryFinish'
  AND log.event_date >= toDate(toDateTime({from:UInt32}, 'UTC')) - 1
  AND log.event_date <= toDate(toDateTime({to:UInt32}, 'UTC')) + 1
  AND log.event_time >= toDateTime({from:UInt32}, 'UTC')
  AND log.event_time < toDateTime({to:UInt32}, 'UTC')
  AND (empty({tables:Array(String)}) OR hasAny(log.tables, {tables:Array(String)}))
LIMIT {most:UInt64}
FORMAT JSONEachRow
