-- Names of the checks that have rows of a commit, and when these began: the other queries look in that time only. The
-- inner statement asks for no more than the projection of the bot's own table holds, and is answered from it.
SELECT
    check_name AS name,
    toUnixTimestamp(min(check_start_time)) AS first,
    toUnixTimestamp(max(check_start_time)) AS last
FROM
(
    SELECT check_name, check_start_time
    FROM ({{commit-rows}})
    GROUP BY check_name, check_start_time
)
GROUP BY check_name
ORDER BY check_name
LIMIT 10000
