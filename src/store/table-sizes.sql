-- What the tables take. On a cluster it is that of the node that is asked.
SELECT replaceRegexpOne(table, '_local$', '') AS table, sum(rows) AS rows, sum(bytes_on_disk) AS bytes
FROM system.parts
WHERE database = {database:String} AND active
GROUP BY table
ORDER BY bytes DESC
