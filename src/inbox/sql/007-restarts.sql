-- Times in a row that the process ended with this in hand; a stop in order is none.
ALTER TABLE deliveries ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE triages ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
-- The last attempt failed for want of the database: due at once when that is back.
ALTER TABLE triages ADD COLUMN wants_database INTEGER NOT NULL DEFAULT 0 CHECK (wants_database IN (0, 1));
-- Times that the database came back since the last look that was complete.
ALTER TABLE triages ADD COLUMN database_returns INTEGER NOT NULL DEFAULT 0;
-- The generation of the hint by which a person asked for a check to run again; NULL: nobody did, or it is answered.
ALTER TABLE triages ADD COLUMN asked_generation INTEGER;
