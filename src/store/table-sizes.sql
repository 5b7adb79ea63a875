-- What the tables take, and when the first of their rows leave by retention (seconds since 1970, 0: none does). On a cluster it is
-- that of the node that is asked.
SELECT
    replaceRegexpOne(table, '_local$', '') AS table,
    sum(rows) AS rows,
    sum(bytes_on_disk) AS bytes,
    minIf(toUnixTimestamp(delete_ttl_info_min), toUnixTimestamp(delete_ttl_info_min) > 0) AS leaves
FROM system.parts
WHERE database = {database:String} AND active
GROUP BY table
ORDER BY bytes DESC
