-- Whose delivery it is; 0: it names no installation, or is of before this version.
ALTER TABLE deliveries ADD COLUMN installation_id INTEGER NOT NULL DEFAULT 0;
-- Pauses of the installation that began with this one in hand, since it was last worked off.
ALTER TABLE deliveries ADD COLUMN pauses_begun INTEGER NOT NULL DEFAULT 0;
ALTER TABLE triages ADD COLUMN pauses_begun INTEGER NOT NULL DEFAULT 0;

-- Nothing of these installations is begun before the time.
CREATE TABLE pauses (
  installation_id INTEGER PRIMARY KEY,
  until INTEGER NOT NULL,
  -- In a row.
  failures INTEGER NOT NULL
) STRICT;

-- Which installation was served when: the one that waits for longest is next.
CREATE TABLE turns (
  queue TEXT NOT NULL CHECK (queue IN ('deliveries', 'triages')),
  installation_id INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  PRIMARY KEY (queue, installation_id)
) STRICT, WITHOUT ROWID;

DROP INDEX deliveries_by_due;
CREATE INDEX deliveries_by_due ON deliveries (state, installation_id, due_at, received_at);
DROP INDEX triages_by_due;
CREATE INDEX triages_by_due ON triages (state, installation_id, due_at);
