-- CI results as the bot saw or imported them, in the columns of ClickHouse's CI database. A row with an empty
-- `test_name` is the check itself. `pull_request_number` 0 is the trunk or a release branch.
-- `occurrence` tells equal rows of one check apart (a test that ran twice); the same row written again is one row.
CREATE TABLE IF NOT EXISTS {{table:checks}}
(
    repository_id       UInt64,
    pull_request_number UInt32,
    commit_sha          LowCardinality(String),
    check_name          LowCardinality(String),
    check_status        LowCardinality(String),
    check_duration_ms   UInt64,
    check_start_time    DateTime('UTC') CODEC(Delta, ZSTD(1)),
    test_name           LowCardinality(String),
    test_status         LowCardinality(String),
    test_duration_ms    UInt64,
    report_url          String CODEC(ZSTD(1)),
    pull_request_url    String CODEC(ZSTD(1)),
    commit_url          String CODEC(ZSTD(1)),
    task_url            String CODEC(ZSTD(1)),
    base_ref            String CODEC(ZSTD(1)),
    base_repo           String CODEC(ZSTD(1)),
    head_ref            String CODEC(ZSTD(1)),
    head_repo           String CODEC(ZSTD(1)),
    test_context_raw    String CODEC(ZSTD(3)),
    instance_type       LowCardinality(String),
    instance_id         String CODEC(ZSTD(1)),
    workflow_name       LowCardinality(String),
    attributes          String CODEC(ZSTD(3)),
    occurrence          UInt32 DEFAULT 0,
    stored_at           DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = {{engine:ReplacingMergeTree(stored_at)}}
PARTITION BY toYYYYMM(check_start_time)
ORDER BY (repository_id, test_name, check_name, check_start_time, commit_sha, pull_request_number, test_status, occurrence);

CREATE TABLE IF NOT EXISTS {{distributed:checks}};

-- Chronic failures and chronic movers, one row per entry; the newest state stands.
CREATE TABLE IF NOT EXISTS {{table:ledger_entries}}
(
    repository_id          UInt64,
    entry_id               String,
    kind                   LowCardinality(String),
    state                  LowCardinality(String),
    check_name             LowCardinality(String),
    test_name              String,
    signature              String CODEC(ZSTD(1)),
    first_seen             DateTime64(3, 'UTC'),
    last_seen              DateTime64(3, 'UTC'),
    hits                   UInt32,
    unrelated_pull_requests UInt32,
    trunk_hits             UInt32,
    issue                  Nullable(String),
    details                String CODEC(ZSTD(3)),
    updated_at             DateTime64(3, 'UTC')
)
ENGINE = {{engine:ReplacingMergeTree(updated_at)}}
ORDER BY (repository_id, entry_id);

CREATE TABLE IF NOT EXISTS {{distributed:ledger_entries}};
