-- A query without a text is known by its test and its index, and no longer by the index alone: `query_hash` is what
-- `query-hash.ts` computes. The hash of a query with a text stays, so that only rows without one are written again, and the old
-- ones are deleted then. Run again in the middle, the copies that are there already count once: `trunk_history` and `flags`
-- replace them, of `stacks` they are not made again. What is copied is read and written through the table of the whole
-- cluster, once.
ALTER TABLE {{table:trunk_history}} MODIFY COLUMN IF EXISTS query_hash UInt64 MATERIALIZED
    halfMD5(if(query_display_name = '', concat(hex(test), '#', toString(query_index)), concat(test, '\0', query_display_name)));

CREATE OR REPLACE TABLE {{distributed:trunk_history}};

INSERT INTO trunk_history
(
    repository_id, source, event_date, event_time, pr_number, old_sha, new_sha, test, query_index, query_display_name,
    metric, old_value, new_value, diff, stat_threshold, arch, workflow_name, base_branch, report_url, instance_type,
    instance_id, stored_at
)
SETTINGS max_partitions_per_insert_block = 0
SELECT
    repository_id, source, event_date, event_time, pr_number, old_sha, new_sha, test, query_index, query_display_name,
    metric, old_value, new_value, diff, stat_threshold, arch, workflow_name, base_branch, report_url, instance_type,
    instance_id, stored_at
FROM trunk_history
WHERE query_display_name = '' AND query_hash = query_index;

ALTER TABLE {{table:trunk_history}} DELETE
WHERE query_display_name = '' AND query_hash = query_index
SETTINGS mutations_sync = 1;

ALTER TABLE {{table:flags}} MODIFY COLUMN IF EXISTS query_hash UInt64 MATERIALIZED
    halfMD5(if(ifNull(query_name, '') = '',
        concat(hex(test), '#', toString(ifNull(query_index, 4294967295))),
        concat(test, '\0', ifNull(query_name, ''))));

CREATE OR REPLACE TABLE {{distributed:flags}};

INSERT INTO flags
(
    repository_id, test, query_index, query_name, ordinal, metric, architecture, pull_request_number, head, judged_at,
    check_name, finished_at, difference, direction, threshold, old_median, new_median, verdict
)
SELECT
    repository_id, test, query_index, query_name, ordinal, metric, architecture, pull_request_number, head, judged_at,
    check_name, finished_at, difference, direction, threshold, old_median, new_median, verdict
FROM flags
WHERE ifNull(query_name, '') = '' AND query_hash = ifNull(query_index, 4294967295);

ALTER TABLE {{table:flags}} DELETE
WHERE ifNull(query_name, '') = '' AND query_hash = ifNull(query_index, 4294967295)
SETTINGS mutations_sync = 1;

ALTER TABLE {{table:stacks}} MODIFY COLUMN IF EXISTS query_hash UInt64 MATERIALIZED
    halfMD5(if(ifNull(query_name, '') = '',
        concat(hex(test), '#', toString(ifNull(query_index, 4294967295))),
        concat(test, '\0', ifNull(query_name, '')))) CODEC(Delta, ZSTD(1));

CREATE OR REPLACE TABLE {{distributed:stacks}};

INSERT INTO stacks
    (repository_id, run_id, test, query_index, query_name, ordinal, trace_type, side, stack, samples, expires)
SELECT
    repository_id, run_id, test, query_index, query_name, ordinal, trace_type, side, stack, samples, expires
FROM stacks
WHERE ifNull(query_name, '') = '' AND query_hash = ifNull(query_index, 4294967295)
  AND sipHash128(run_id, test, ifNull(query_index, 4294967295), trace_type, side, stack) GLOBAL NOT IN (
      SELECT sipHash128(run_id, test, ifNull(query_index, 4294967295), trace_type, side, stack)
      FROM stacks
      WHERE ifNull(query_name, '') = '' AND query_hash != ifNull(query_index, 4294967295));

ALTER TABLE {{table:stacks}} DELETE
WHERE ifNull(query_name, '') = '' AND query_hash = ifNull(query_index, 4294967295)
SETTINGS mutations_sync = 1;
