SELECT test, count() AS points
FROM ({{rows-unmerged WHERE 1}})
GROUP BY test
ORDER BY test
