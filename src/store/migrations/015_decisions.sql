-- The decisions of people, to be counted with everything else. They are kept in the inbox; these rows are a copy of it, and
-- the same row may be written again. `pull_request_number` 0: of the whole repository. `until` of 1970: it has no end.
CREATE TABLE IF NOT EXISTS {{table:decisions}}
(
    repository_id       UInt64,
    decision_id         UInt64,
    pull_request_number UInt32,
    kind                LowCardinality(String),
    subject             String CODEC(ZSTD(3)),
    reason              String CODEC(ZSTD(3)),
    until               DateTime64(3, 'UTC'),
    via                 LowCardinality(String),
    actor               String,
    actor_id            UInt64,
    said_at             DateTime64(3, 'UTC'),
    decided_at          DateTime64(3, 'UTC')
)
ENGINE = {{engine:ReplacingMergeTree}}
ORDER BY (repository_id, decision_id, decided_at);

CREATE TABLE IF NOT EXISTS {{distributed:decisions}};
