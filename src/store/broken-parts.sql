-- Parts that the server set aside because it could not read them: `broken-on-start`, `broken`, `unexpected`.
SELECT table, toUInt32(count()) AS parts, any(path) AS path
FROM system.detached_parts
WHERE database = {database:String} AND (reason LIKE 'broken%' OR reason LIKE 'unexpected%')
GROUP BY table
ORDER BY table
