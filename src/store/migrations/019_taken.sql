-- Where the samples of a measurement come from, as JSON: the process and the place of each in the order of measurement, by side;
-- empty: the source does not say.
ALTER TABLE {{table:query_results}}
    ADD COLUMN IF NOT EXISTS taken String CODEC(ZSTD(3));

CREATE OR REPLACE TABLE {{distributed:query_results}};
