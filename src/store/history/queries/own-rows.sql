-- The rows of the bot's own `trunk_history`: the trunk's alone, without those that were copied from a CI database. Rows with
-- repository_id 0 were imported for any repository.
SELECT
    repository_id,
    toString(source) AS source,
    event_time,
    old_sha,
    new_sha,
    test,
    query_index,
    query_display_name AS query_name,
    query_hash,
    arch,
    instance_type,
    old_value,
    new_value,
    diff,
    stat_threshold
FROM trunk_history {{final}}
WHERE repository_id IN (0, {repositoryId:UInt64})
  AND metric = {metric:String}
  AND pr_number = 0
  AND source != 'ci-database'
  AND event_time > toDateTime({from:UInt32}, 'UTC')
  AND event_time <= toDateTime({to:UInt32}, 'UTC')
  AND {{where}}
  AND {{once}}
