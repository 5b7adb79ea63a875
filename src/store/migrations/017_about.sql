-- What the source says of a run as a whole, besides what was measured, as JSON: the programs or machines of its sides, its kind of machine;
-- empty: nothing.
ALTER TABLE {{table:runs}}
    ADD COLUMN IF NOT EXISTS about String CODEC(ZSTD(3)) AFTER confirmations;

CREATE OR REPLACE TABLE {{distributed:runs}};
