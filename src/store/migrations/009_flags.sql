-- One row per result that a stored report calls changed. A flag counts while `judged_at` is that of the newest report of its
-- head: judged again, the older rows stay and say nothing. Flags are written before their report. `query_hash` is what
-- `query-hash.ts` computes, so that the flags of one query are a few granules. `finished_at` and `check_name` are of the run.
CREATE TABLE IF NOT EXISTS {{table:flags}}
(
    repository_id       UInt64,
    query_hash          UInt64 MATERIALIZED if(ifNull(query_name, '') = '',
                            toUInt64(ifNull(query_index, 4294967295)),
                            halfMD5(concat(test, '\0', ifNull(query_name, '')))),
    test                LowCardinality(String),
    query_index         Nullable(UInt32),
    query_name          Nullable(String) CODEC(ZSTD(3)),
    ordinal             Nullable(UInt32),
    metric              LowCardinality(String),
    architecture        LowCardinality(Nullable(String)),
    pull_request_number UInt32,
    head                String CODEC(ZSTD(1)),
    judged_at           DateTime64(3, 'UTC'),
    check_name          LowCardinality(String),
    finished_at         DateTime64(3, 'UTC'),
    difference          Float64,
    direction           LowCardinality(String),
    threshold           Nullable(Float64),
    old_median          Nullable(Float64),
    new_median          Nullable(Float64),
    verdict             LowCardinality(Nullable(String))
)
ENGINE = {{engine:ReplacingMergeTree}}
ORDER BY (repository_id, query_hash, metric, test, ifNull(ordinal, 0), ifNull(architecture, ''), pull_request_number, head, judged_at)
SETTINGS index_granularity = 1024;

CREATE TABLE IF NOT EXISTS {{distributed:flags}};
