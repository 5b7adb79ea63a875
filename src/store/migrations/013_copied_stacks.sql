-- Stacks of a CI database are copied beside those that came with a run. `copied_from` is the address and table that a row was
-- copied from; empty: it was not copied. The index passes over what was not, where the copies are looked for.
ALTER TABLE {{table:stacks}}
    ADD COLUMN IF NOT EXISTS copied_from LowCardinality(String),
    ADD INDEX IF NOT EXISTS copied copied_from TYPE minmax GRANULARITY 64;

CREATE OR REPLACE TABLE {{distributed:stacks}};
