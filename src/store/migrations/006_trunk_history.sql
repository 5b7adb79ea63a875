-- `trunk_history` in the layout that was measured to be the fastest (docs/database.md): texts and commits as dictionaries,
-- a part for each month, and a query known by one number. `query_hash` is what `query-hash.ts` computes: the same text in
-- another test is another query; one without a text is known by its index, 4294967295 where that is unknown too.
-- What is in the table is taken along. Run again, the statement copies the table onto itself.
CREATE OR REPLACE TABLE {{table:trunk_history}}
(
    repository_id      UInt64,
    source             Enum8('own' = 0, 'imported' = 1),
    event_date         Date DEFAULT toDate(event_time) CODEC(Delta, ZSTD(1)),
    event_time         DateTime('UTC') CODEC(Delta, ZSTD(1)),
    pr_number          UInt32,
    old_sha            LowCardinality(String),
    new_sha            LowCardinality(String),
    test               LowCardinality(String),
    query_index        UInt32,
    query_display_name LowCardinality(String),
    query_hash         UInt64 MATERIALIZED if(query_display_name = '', toUInt64(query_index), halfMD5(concat(test, '\0', query_display_name))),
    metric             LowCardinality(String),
    old_value          Float64 CODEC(ZSTD(1)),
    new_value          Float64 CODEC(ZSTD(1)),
    diff               Float64 CODEC(ZSTD(1)),
    stat_threshold     Float64 CODEC(ZSTD(1)),
    arch               LowCardinality(String),
    workflow_name      LowCardinality(String),
    base_branch        LowCardinality(String),
    report_url         LowCardinality(String),
    instance_type      LowCardinality(String),
    instance_id        LowCardinality(String),
    stored_at          DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = {{engine:ReplacingMergeTree(stored_at)}}
PARTITION BY toYYYYMM(event_time)
ORDER BY (repository_id, metric, test, query_hash, arch, query_index, event_time, new_sha, source)
AS SELECT
    repository_id,
    source,
    event_date,
    event_time,
    pr_number,
    old_sha,
    new_sha,
    test,
    query_index,
    query_display_name,
    metric,
    old_value,
    new_value,
    diff,
    stat_threshold,
    arch,
    workflow_name,
    base_branch,
    report_url,
    instance_type,
    instance_id,
    stored_at
FROM {{local:trunk_history}};

CREATE OR REPLACE TABLE {{distributed:trunk_history}};
