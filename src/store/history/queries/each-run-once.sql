-- Each run of a query counts once: where the bot has read a commit on an architecture itself, what was imported of it is left
-- out, and so is what was imported for any repository where the same was imported for this one. Rows that can't be twice are
-- not looked at for it: the count before each set makes that set empty.
(source = 'own' OR cityHash64(query_hash, arch, new_sha) GLOBAL NOT IN (
    SELECT cityHash64(query_hash, arch, new_sha)
    FROM trunk_history
    WHERE repository_id = {repositoryId:UInt64}
      AND source = 'own'
      AND metric = {metric:String}
      AND event_time > toDateTime({from:UInt32}, 'UTC')
      AND event_time <= toDateTime({to:UInt32}, 'UTC')
      AND {{where}}
      AND (
          SELECT count()
          FROM trunk_history
          WHERE repository_id IN (0, {repositoryId:UInt64}) AND source = 'imported'
            AND metric = {metric:String}
            AND event_time > toDateTime({from:UInt32}, 'UTC')
            AND event_time <= toDateTime({to:UInt32}, 'UTC')) > 0))
AND (repository_id = {repositoryId:UInt64} OR cityHash64(query_hash, arch, new_sha, event_time) GLOBAL NOT IN (
    SELECT cityHash64(query_hash, arch, new_sha, event_time)
    FROM trunk_history
    WHERE repository_id = {repositoryId:UInt64}
      AND source = 'imported'
      AND metric = {metric:String}
      AND event_time > toDateTime({from:UInt32}, 'UTC')
      AND event_time <= toDateTime({to:UInt32}, 'UTC')
      AND {{where}}
      AND (
          SELECT count()
          FROM trunk_history
          WHERE repository_id = 0 AND {repositoryId:UInt64} != 0
            AND metric = {metric:String}
            AND event_time > toDateTime({from:UInt32}, 'UTC')
            AND event_time <= toDateTime({to:UInt32}, 'UTC')) > 0))
