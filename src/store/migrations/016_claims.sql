-- The part of a report that the bot's record is made of, as JSON: its worst rows with a verdict. A report is megabytes, of which this
-- is little. Empty: it has none, or is from before.
ALTER TABLE {{table:reports}} ADD COLUMN IF NOT EXISTS claims String CODEC(ZSTD(3));

CREATE OR REPLACE TABLE {{distributed:reports}};
