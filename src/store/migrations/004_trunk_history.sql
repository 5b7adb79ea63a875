-- The trunk's own measurements over time, in the columns of query_metrics_v2. `source` is `own` for runs that the bot
-- read itself and `imported` for rows that were loaded; where both exist, own comes first.
-- A query is known by its text: a position shifts when a query is inserted before it.
CREATE TABLE IF NOT EXISTS {{table:trunk_history}}
(
    repository_id      UInt64,
    source             Enum8('own' = 0, 'imported' = 1),
    event_date         Date DEFAULT toDate(event_time) CODEC(Delta, ZSTD(1)),
    event_time         DateTime('UTC') CODEC(Delta, ZSTD(1)),
    pr_number          UInt32,
    old_sha            String CODEC(ZSTD(1)),
    new_sha            String CODEC(ZSTD(1)),
    test               LowCardinality(String),
    query_index        UInt32,
    query_display_name String CODEC(ZSTD(3)),
    query_hash         UInt64 MATERIALIZED cityHash64(query_display_name),
    metric             LowCardinality(String),
    old_value          Float64 CODEC(Gorilla, ZSTD(1)),
    new_value          Float64 CODEC(Gorilla, ZSTD(1)),
    diff               Float64 CODEC(Gorilla, ZSTD(1)),
    stat_threshold     Float64 CODEC(Gorilla, ZSTD(1)),
    arch               LowCardinality(String),
    workflow_name      LowCardinality(String),
    base_branch        LowCardinality(String),
    report_url         String CODEC(ZSTD(1)),
    instance_type      LowCardinality(String),
    instance_id        String CODEC(ZSTD(1)),
    stored_at          DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = {{engine:ReplacingMergeTree(stored_at)}}
PARTITION BY toYear(event_date)
ORDER BY (repository_id, test, metric, arch, query_hash, query_index, event_time, new_sha, source);

CREATE TABLE IF NOT EXISTS {{distributed:trunk_history}};
