-- `checks` in the order in which the ledger asks: the failures of a repository stand together, then the passes of each
-- test (measured: docs/database.md). `outcome` says what a status means, as `src/judge/ledger/test-status.ts` does; of the
-- check's own row its status is the check's. `measured` are rows of performance checks.
-- `signature` is computed by the code when a failing row is written, by the version `signature_rule` of the rule.
-- What is in the table is taken along. Run again, the statement copies the table onto itself.
CREATE OR REPLACE TABLE {{table:checks}}
(
    repository_id       UInt64,
    outcome             Enum8('failing' = 1, 'measured' = 2, 'passing' = 3, 'other' = 4) MATERIALIZED multiIf(
                            lower(if(test_name = '', check_status, test_status)) IN ('fail', 'error', 'failure', 'failed'), 'failing',
                            lower(test_status) IN ('slower', 'faster', 'unstable'), 'measured',
                            lower(if(test_name = '', check_status, test_status)) IN ('ok', 'success', 'not_failed', 'xfail', 'passed'), 'passing',
                            'other'),
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
    base_ref            LowCardinality(String),
    base_repo           LowCardinality(String),
    head_ref            LowCardinality(String),
    head_repo           LowCardinality(String),
    test_context_raw    String CODEC(ZSTD(3)),
    instance_type       LowCardinality(String),
    instance_id         String CODEC(ZSTD(1)),
    workflow_name       LowCardinality(String),
    attributes          String CODEC(ZSTD(3)),
    signature_kind      LowCardinality(String),
    signature           String CODEC(ZSTD(1)),
    signature_rule      UInt16,
    occurrence          UInt32 DEFAULT 0,
    stored_at           DateTime64(3, 'UTC') DEFAULT now64(3),
    PROJECTION checks_of_commit
    (
        SELECT
            repository_id,
            commit_sha,
            check_name,
            pull_request_number,
            base_repo,
            check_start_time
        GROUP BY repository_id, commit_sha, check_name, pull_request_number, base_repo, check_start_time
    )
)
ENGINE = {{engine:ReplacingMergeTree(stored_at)}}
PARTITION BY toYYYYMM(check_start_time)
ORDER BY (repository_id, outcome, test_name, check_start_time, check_name, commit_sha, pull_request_number, test_status, occurrence)
SETTINGS
    index_granularity = 1024,
    min_compress_block_size = 4096,
    max_compress_block_size = 65536,
    deduplicate_merge_projection_mode = 'rebuild'
AS SELECT
    repository_id,
    pull_request_number,
    commit_sha,
    check_name,
    check_status,
    check_duration_ms,
    check_start_time,
    test_name,
    test_status,
    test_duration_ms,
    report_url,
    pull_request_url,
    commit_url,
    task_url,
    base_ref,
    base_repo,
    head_ref,
    head_repo,
    test_context_raw,
    instance_type,
    instance_id,
    workflow_name,
    attributes,
    '' AS signature_kind,
    '' AS signature,
    0 AS signature_rule,
    occurrence,
    stored_at
FROM {{local:checks}};

CREATE OR REPLACE TABLE {{distributed:checks}};

-- What an entry of the ledger needs beside the columns of 003. `details` stays for what a mover has and a failure has not.
ALTER TABLE {{table:ledger_entries}}
    ADD COLUMN IF NOT EXISTS opened_at DateTime64(3, 'UTC') AFTER last_seen,
    ADD COLUMN IF NOT EXISTS closed_at Nullable(DateTime64(3, 'UTC')) AFTER opened_at,
    ADD COLUMN IF NOT EXISTS expires_at DateTime64(3, 'UTC') AFTER closed_at,
    ADD COLUMN IF NOT EXISTS reopened UInt32 AFTER expires_at,
    ADD COLUMN IF NOT EXISTS hits_1 UInt32 AFTER reopened,
    ADD COLUMN IF NOT EXISTS hits_7 UInt32 AFTER hits_1,
    ADD COLUMN IF NOT EXISTS hits_30 UInt32 AFTER hits_7,
    ADD COLUMN IF NOT EXISTS owner Nullable(String) AFTER issue;

CREATE OR REPLACE TABLE {{distributed:ledger_entries}};
