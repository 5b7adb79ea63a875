-- The stacks of one query of a head, in the newest attempt of each check, or where `earlier` is set in the newest one that has any. Of
-- runs of this very architecture: NULL is one. Stacks that came with a run stand before copied ones.
SELECT
    side,
    trace_type,
    stack,
    samples,
    run
FROM
(
    SELECT
        side,
        trace_type,
        stack,
        samples,
        toString(run_id) AS run,
        copied_from,
        min(copied_from) OVER () AS first_source
    FROM stacks
    WHERE repository_id = {repositoryId:UInt64}
      AND run_id GLOBAL IN (
          SELECT run_id
          FROM
          (
              SELECT run_id, architecture
              FROM runs
              WHERE repository_id = {repositoryId:UInt64}
                AND head = {head:String}
                AND expires > {now:DateTime64(3, 'UTC')}
                AND (NOT {earlier:Bool} OR run_id GLOBAL IN (
                    SELECT run_id
                    FROM stacks
                    WHERE repository_id = {repositoryId:UInt64}
                      AND run_id GLOBAL IN (SELECT run_id FROM runs WHERE repository_id = {repositoryId:UInt64} AND head = {head:String})
                      AND query_hash = {hash:UInt64}
                      AND test = {test:String}
                      AND ifNull(ordinal, 0) = {ordinal:UInt32}
                      AND copied_from IN {sources:Array(String)}))
              ORDER BY check_name, architecture NULLS FIRST, shard NULLS FIRST, attempt DESC, stored_at DESC
              LIMIT 1 BY check_name, architecture, shard
          )
          WHERE coalesce(architecture = {architecture:Nullable(String)}, isNull(architecture) AND isNull({architecture:Nullable(String)})))
      AND query_hash = {hash:UInt64}
      AND test = {test:String}
      AND ifNull(ordinal, 0) = {ordinal:UInt32}
      AND copied_from IN {sources:Array(String)}
)
WHERE copied_from = first_source
