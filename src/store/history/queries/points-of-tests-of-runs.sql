-- No more points than these: a repetition is not a point, and to count the points themselves costs as much as to read them.
SELECT test, uniqExact(event_time) * uniqExact(query_index) * uniqExact(arch) AS points
FROM ({{rows-unmerged WHERE NOT is_new}})
GROUP BY test
ORDER BY test
