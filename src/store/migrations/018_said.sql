-- How many queries a report says are slower, faster and so on, as JSON: a list of runs counts as their comments do. The outcomes
-- beside it count what each query measured, whatever was made of it. Empty: the report is from before.
ALTER TABLE {{table:reports}} ADD COLUMN IF NOT EXISTS said String CODEC(ZSTD(1));

CREATE OR REPLACE TABLE {{distributed:reports}};
