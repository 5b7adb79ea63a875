-- Finished queries of a table in the columns of system.query_log, one more than are taken at most, so that it is seen where
-- there are more. The dates are in the primary key; older servers and tables of one’s own lack some columns. `log.event_time` is the column: the name alone is the number of seconds that is selected.
SELECT {{columns}}
FROM {{table}} AS log
WHERE log.type = 'QueryFinish'
  AND {{event_date}} >= toDate(toDateTime({from:UInt32}, 'UTC')) - 1
  AND {{event_date}} <= toDate(toDateTime({to:UInt32}, 'UTC')) + 1
  AND log.event_time >= toDateTime({from:UInt32}, 'UTC')
  AND log.event_time < toDateTime({to:UInt32}, 'UTC')
  AND (empty({tables:Array(String)}) OR hasAny({{tables}}, {tables:Array(String)}))
LIMIT {most:UInt64}
FORMAT JSONEachRow
