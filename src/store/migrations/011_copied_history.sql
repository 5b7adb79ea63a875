-- Rows of a CI database are copied into the trunk's history. `precedence` says who is believed where several rows tell of one
-- run of a query (the same commit on the same architecture), the lowest first: 0 the bot's own, 1 imported, 2 copied medians,
-- 3 copied raw runs. A row that another one stands before is `superseded`, which is settled when either of them is written.
-- `copied_from` is the address and table that a row was copied from; empty: it was not copied.
ALTER TABLE {{table:trunk_history}}
    MODIFY COLUMN IF EXISTS source Enum8('own' = 0, 'imported' = 1, 'ci-database' = 2),
    ADD COLUMN IF NOT EXISTS precedence UInt8 DEFAULT toUInt8(source),
    ADD COLUMN IF NOT EXISTS superseded Bool DEFAULT false,
    ADD COLUMN IF NOT EXISTS copied_from LowCardinality(String);

CREATE OR REPLACE TABLE {{distributed:trunk_history}};

-- How far each copy has come. Times are whole hours since 1970: `covered` has the stretches that were copied, each from its
-- first hour to the one after its last, and `counted_hours` with `counted_rows` how many rows the source had of the latest
-- hours, so that rows that come late are seen. `problem` says why nothing can be copied now; empty: it can.
CREATE TABLE IF NOT EXISTS {{table:history_copies}}
(
    repository_id UInt64,
    copied_from   LowCardinality(String),
    metric        LowCardinality(String),
    covered       Array(Tuple(UInt32, UInt32)),
    counted_hours Array(UInt32),
    counted_rows  Array(UInt64),
    checked_at    DateTime64(3, 'UTC'),
    problem       String,
    stored_at     DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = {{engine:ReplacingMergeTree(stored_at)}}
ORDER BY (repository_id, copied_from, metric);

CREATE TABLE IF NOT EXISTS {{distributed:history_copies}};
