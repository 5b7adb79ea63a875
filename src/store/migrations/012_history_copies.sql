-- `problem_kind` is the kind of `problem`, which a report names by it; empty: there is none, or an earlier version noted it.
-- `trunk` has the names of the trunk that rows were copied for; empty: an earlier version copied them. Where it is another one
-- now, the rows are copied anew.
ALTER TABLE {{table:history_copies}}
    ADD COLUMN IF NOT EXISTS problem_kind LowCardinality(String),
    ADD COLUMN IF NOT EXISTS trunk Array(String);

CREATE OR REPLACE TABLE {{distributed:history_copies}};
