-- Runs of the query that has the most.
SELECT max(runs) AS runs
FROM
(
    SELECT uniqExact(event_time) AS runs
    FROM ({{rows-unmerged WHERE 1}})
    GROUP BY test, query_name, if(query_name = '', query_index, 0), arch
)
