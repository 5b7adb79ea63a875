-- One row per finished performance check. Written last: a run counts as stored when its row is there.
-- `run_id` stands for (repository, head, check, architecture, shard, attempt), absent values told from empty ones.
CREATE TABLE IF NOT EXISTS {{table:runs}}
(
    repository_id       UInt64,
    head                String CODEC(ZSTD(1)),
    run_id              UUID,
    pull_request_number UInt32,
    check_name          LowCardinality(String),
    architecture        LowCardinality(Nullable(String)),
    shard               Nullable(UInt32),
    shards              Nullable(UInt32),
    attempt             UInt32,
    source              String CODEC(ZSTD(1)),
    finished_at         DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    finished_at_text    String CODEC(ZSTD(1)),
    old_commit          Nullable(String),
    new_commit          Nullable(String),
    warnings            String CODEC(ZSTD(3)),
    measurements        UInt32,
    samples             UInt64,
    expires             DateTime('UTC'),
    stored_at           DateTime64(3, 'UTC')
)
ENGINE = {{engine:ReplacingMergeTree(stored_at)}}
ORDER BY (repository_id, head, run_id);

CREATE TABLE IF NOT EXISTS {{distributed:runs}};

-- One row per measurement of a run (query, metric and architecture), with its outcome where it was judged.
-- `measurement` is its position in the run. Rows with `is_measurement = 0` are outcomes without a measurement.
CREATE TABLE IF NOT EXISTS {{table:query_results}}
(
    repository_id            UInt64,
    run_id                   UUID,
    measurement              UInt32 CODEC(Delta, ZSTD(1)),
    is_measurement           Bool,
    samples_kept             Bool,
    pull_request_number      UInt32,
    head                     String CODEC(ZSTD(1)),
    check_name               LowCardinality(String),
    finished_at              DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    test                     LowCardinality(String),
    query_index              Nullable(UInt32),
    query_name               Nullable(String) CODEC(ZSTD(3)),
    ordinal                  Nullable(UInt32),
    metric                   LowCardinality(String),
    unit                     LowCardinality(Nullable(String)),
    architecture             LowCardinality(Nullable(String)),
    report_threshold         Nullable(Float64),
    rounded                  Bool,
    problems                 String CODEC(ZSTD(3)),
    old_repetitions          UInt32,
    new_repetitions          UInt32,
    old_median               Nullable(Float64),
    new_median               Nullable(Float64),
    status                   LowCardinality(Nullable(String)),
    status_reason            LowCardinality(Nullable(String)),
    difference               Nullable(Float64),
    threshold                Nullable(Float64),
    p_value                  Nullable(Float64),
    rank_p_value             Nullable(Float64),
    q_value                  Nullable(Float64),
    smallest_p_value         Nullable(Float64),
    separated                Nullable(Bool),
    outcome                  LowCardinality(Nullable(String)),
    direction                LowCardinality(Nullable(String)),
    changed_threshold        Nullable(Float64),
    changed_threshold_source LowCardinality(Nullable(String)),
    unstable_threshold       Nullable(Float64),
    unstable_threshold_source LowCardinality(Nullable(String)),
    notes                    Array(LowCardinality(String))
)
ENGINE = {{engine:MergeTree}}
ORDER BY (repository_id, run_id, measurement);

CREATE TABLE IF NOT EXISTS {{distributed:query_results}};

-- One row per measured value. Kept until `expires`, which the repository's retention sets when the row is written.
CREATE TABLE IF NOT EXISTS {{table:samples}}
(
    repository_id UInt64,
    run_id        UUID,
    measurement   UInt32 CODEC(Delta, ZSTD(1)),
    side          Enum8('old' = 0, 'new' = 1),
    repetition    UInt32 CODEC(Delta, ZSTD(1)),
    test          LowCardinality(String),
    metric        LowCardinality(String),
    value         Float64 CODEC(Gorilla, ZSTD(1)),
    expires       DateTime('UTC') CODEC(Delta, ZSTD(1))
)
ENGINE = {{engine:MergeTree}}
PARTITION BY toYYYYMM(expires)
ORDER BY (repository_id, run_id, measurement, side, repetition)
TTL expires DELETE;

CREATE TABLE IF NOT EXISTS {{distributed:samples}};

-- Stack samples of the profiler: how often a folded stack was seen while a query ran.
CREATE TABLE IF NOT EXISTS {{table:stacks}}
(
    repository_id UInt64,
    run_id        UUID,
    test          LowCardinality(String),
    query_index   Nullable(UInt32),
    query_name    Nullable(String) CODEC(ZSTD(3)),
    ordinal       Nullable(UInt32),
    trace_type    LowCardinality(String),
    side          Enum8('old' = 0, 'new' = 1),
    stack         String CODEC(ZSTD(3)),
    samples       UInt64,
    expires       DateTime('UTC') CODEC(Delta, ZSTD(1))
)
ENGINE = {{engine:MergeTree}}
PARTITION BY toYYYYMM(expires)
ORDER BY (repository_id, run_id, test, trace_type, side)
TTL expires DELETE;

CREATE TABLE IF NOT EXISTS {{distributed:stacks}};
