-- Runs in which one query on one architecture was flagged (`changed`), of pull requests: of each head, check and shard the
-- newest attempt, and of all runs the newest `mostRuns`. The runs are found by `runs`, which is small; `query_results` is
-- ordered by run. A query is known by its text, by its position where that is unknown. `runs`: how many were looked at.
WITH newest AS
(
    SELECT argMax(run_id, attempt) AS newest_run, run_arch AS run_architecture
    FROM (SELECT *, architecture AS run_arch FROM runs FINAL)
    WHERE repository_id = {repositoryId:UInt64}
      AND pull_request_number > 0
      AND finished_at >= toDateTime({from:UInt32}, 'UTC')
      AND finished_at <= toDateTime({until:UInt32}, 'UTC') + 1
    GROUP BY head, check_name, run_arch, shard
    ORDER BY max(finished_at) DESC
    LIMIT {mostRuns:UInt32}
)
SELECT
    toUnixTimestamp64Milli(finished_at) AS time,
    check_name AS checkName,
    pull_request_number AS pullRequestNumber,
    head AS commitSha,
    difference,
    (SELECT count() FROM newest) AS runs
FROM query_results
INNER JOIN newest ON run_id = newest_run
WHERE repository_id = {repositoryId:UInt64}
  AND run_id IN (SELECT newest_run FROM newest)
  AND outcome = 'changed'
  AND direction IS NOT NULL
  AND difference IS NOT NULL
  AND test = {test:String}
  AND if({hasName:Bool}, query_name = {queryName:String}, query_name IS NULL AND query_index = {queryIndex:UInt32})
  AND if({hasOrdinal:Bool}, ordinal = {ordinal:UInt32}, ordinal IS NULL)
  AND ifNull(ifNull(query_results.architecture, run_architecture), '') = {architecture:String}
ORDER BY time DESC, checkName, commitSha
LIMIT {most:UInt32}
