-- Parts that a server set aside because it could not read them: `broken-on-start`, `broken`, `unexpected`. Each replica has its
-- own; one that is down is left out.
SELECT hostName() AS host, table, toUInt32(count()) AS parts, any(path) AS path
FROM {{everywhere:system.detached_parts}}
WHERE database = {database:String} AND (reason LIKE 'broken%' OR reason LIKE 'unexpected%')
GROUP BY host, table
ORDER BY host, table
