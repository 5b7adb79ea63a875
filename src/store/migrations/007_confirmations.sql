-- What a run found when it measured flagged queries once more, as JSON; empty: nothing was measured again. On a cluster the
-- distributed table is made anew, which moves no rows.
ALTER TABLE {{table:runs}}
    ADD COLUMN IF NOT EXISTS confirmations String CODEC(ZSTD(3)) AFTER warnings;

CREATE OR REPLACE TABLE {{distributed:runs}};
