-- The newest attempts of each check, architecture and shard. NULL is a value of its own here: a run without an
-- architecture is not the run of the architecture ''.
SELECT
    toString(run_id) AS runId,
    pull_request_number AS pullRequestNumber,
    check_name AS checkName,
    architecture,
    shard,
    shards,
    attempt,
    source,
    finished_at_text AS finishedAt,
    old_commit AS oldCommit,
    new_commit AS newCommit,
    warnings,
    confirmations,
    about,
    measurements,
    samples,
    toUnixTimestamp64Milli(stored_at) AS storedAt
FROM
(
    SELECT *
    FROM runs
    WHERE repository_id = {repositoryId:UInt64}
      AND head = {head:String}
      AND expires > {now:DateTime64(3, 'UTC')}
    ORDER BY attempt DESC, stored_at DESC
    LIMIT 1 BY check_name, architecture, shard, attempt
)
ORDER BY check_name, architecture NULLS FIRST, shard NULLS FIRST, attempt DESC
LIMIT {most:UInt32} BY check_name, architecture, shard
