-- The report that stands for a head: of several written for the same one the newest stays.
CREATE TABLE IF NOT EXISTS {{table:reports}}
(
    repository_id       UInt64,
    pull_request_number UInt32,
    head                String,
    judged_at           DateTime64(3, 'UTC'),
    stored_at           DateTime64(3, 'UTC'),
    schema_version      UInt32,
    owner               LowCardinality(String),
    name                LowCardinality(String),
    is_private          Bool,
    base_ref            LowCardinality(String),
    merge_base          Nullable(String),
    mode                LowCardinality(String),
    complete            Bool,
    slower              UInt32,
    faster              UInt32,
    unstable            UInt32,
    too_small           UInt32,
    not_significant     UInt32,
    not_compared        UInt32,
    report              String CODEC(ZSTD(3))
)
ENGINE = {{engine:ReplacingMergeTree(judged_at)}}
ORDER BY (repository_id, pull_request_number, head);

CREATE TABLE IF NOT EXISTS {{distributed:reports}};
