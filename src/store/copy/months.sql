SELECT toYYYYMM({time:Identifier}) AS month, count() AS rows
FROM {table:Identifier}
WHERE toUnixTimestamp({time:Identifier}) >= {after:UInt32}
GROUP BY month
ORDER BY month
