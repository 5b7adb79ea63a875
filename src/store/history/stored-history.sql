-- What the bot's own history of the trunk holds, of each repository, metric and architecture.
SELECT
    repository_id AS repositoryId,
    metric,
    arch AS architecture,
    uniqExact(query_hash, test) AS queries,
    uniqExact(new_sha, event_time) AS runs,
    groupUniqArray(toString(source)) AS sources,
    toUnixTimestamp(min(event_time)) AS first,
    toUnixTimestamp(max(event_time)) AS last
FROM trunk_history
WHERE NOT superseded
GROUP BY repository_id, metric, arch
ORDER BY repository_id, metric = 'client_time' DESC, metric, arch
