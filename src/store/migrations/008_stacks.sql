-- `stacks` in the layout that was measured to be the fastest for one query of one run (docs/database.md): a query is known
-- by one number, `query_hash`, which is what `query-hash.ts` computes. Granules of the size of one profile.
-- What is in the table is taken along. Run again, the statement copies the table onto itself.
CREATE OR REPLACE TABLE {{table:stacks}}
(
    repository_id UInt64,
    run_id        UUID,
    test          LowCardinality(String),
    query_index   Nullable(UInt32),
    query_name    Nullable(String) CODEC(ZSTD(3)),
    ordinal       Nullable(UInt32),
    query_hash    UInt64 MATERIALIZED if(ifNull(query_name, '') = '',
                      toUInt64(ifNull(query_index, 4294967295)),
                      halfMD5(concat(test, '\0', ifNull(query_name, '')))) CODEC(Delta, ZSTD(1)),
    trace_type    LowCardinality(String),
    side          Enum8('old' = 0, 'new' = 1),
    stack         String CODEC(ZSTD(3)),
    samples       UInt64 CODEC(ZSTD(1)),
    expires       DateTime('UTC') CODEC(Delta, ZSTD(1))
)
ENGINE = {{engine:MergeTree}}
PARTITION BY toYYYYMM(expires)
ORDER BY (repository_id, run_id, query_hash, trace_type, side)
TTL expires DELETE
SETTINGS index_granularity = 512
AS SELECT
    repository_id,
    run_id,
    test,
    query_index,
    query_name,
    ordinal,
    trace_type,
    side,
    stack,
    samples,
    expires
FROM {{local:stacks}};

CREATE OR REPLACE TABLE {{distributed:stacks}};
