SELECT toUnixTimestamp(max(event_time)) AS newest, count() AS runs
FROM ({{rows-unmerged WHERE 1}})
