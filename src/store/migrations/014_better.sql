-- What a source says of a measurement beside its samples: which way its metric is better, a summary in the place of samples (JSON;
-- empty: none), and circumstances such as a counter that was on for a part of the time.
ALTER TABLE {{table:query_results}}
    ADD COLUMN IF NOT EXISTS better LowCardinality(String) DEFAULT 'lower',
    ADD COLUMN IF NOT EXISTS given String CODEC(ZSTD(3)),
    ADD COLUMN IF NOT EXISTS source_notes Array(LowCardinality(String));

CREATE OR REPLACE TABLE {{distributed:query_results}};
