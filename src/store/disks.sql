-- The disks of the server that is asked; what is kept in an object storage has no end.
SELECT name AS disk, free_space AS freeBytes, total_space AS sizeBytes
FROM system.disks
WHERE NOT is_remote
ORDER BY disk
