-- The trunk of a repository has no number of a pull request, where it had 0, and each row has a number of its own.
ALTER TABLE triages RENAME TO triages_before;

CREATE TABLE triages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  repository_id INTEGER NOT NULL,
  -- NULL: the trunk
  pull_request_number INTEGER CHECK (pull_request_number > 0),
  installation_id INTEGER NOT NULL,
  owner TEXT NOT NULL,
  repo TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('due', 'working', 'waiting', 'settled')),
  -- When due: the earliest time. While working: that of a hint which came in meanwhile, else NULL.
  due_at INTEGER,
  -- While waiting: when the sweep looks again.
  next_look_at INTEGER,
  -- Grows with every hint.
  generation INTEGER NOT NULL,
  -- Grows with every claim: what a claim of long ago reports is not believed.
  claim INTEGER NOT NULL DEFAULT 0,
  leased_until INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  head TEXT,
  changed_at INTEGER NOT NULL,
  -- Pauses of the installation that began with this one in hand, since it was last worked off.
  pauses_begun INTEGER NOT NULL DEFAULT 0,
  -- Times in a row that the process ended with this in hand; a stop in order is none.
  crashes INTEGER NOT NULL DEFAULT 0,
  -- The last attempt failed for want of the database: due at once when that is back.
  wants_database INTEGER NOT NULL DEFAULT 0 CHECK (wants_database IN (0, 1)),
  -- Times that the database came back since the last look that was complete.
  database_returns INTEGER NOT NULL DEFAULT 0,
  -- The generation of the hint by which a person asked for a check to run again; NULL: nobody did, or it is answered.
  asked_generation INTEGER,
  UNIQUE (repository_id, pull_request_number)
) STRICT;

INSERT INTO triages (
  repository_id, pull_request_number, installation_id, owner, repo, state, due_at, next_look_at, generation, claim,
  leased_until, attempts, last_error, head, changed_at, pauses_begun, crashes, wants_database, database_returns,
  asked_generation
)
SELECT
  repository_id, nullif(pull_request_number, 0), installation_id, owner, repo, state, due_at, next_look_at, generation, claim,
  leased_until, attempts, last_error, head, changed_at, pauses_begun, crashes, wants_database, database_returns,
  asked_generation
FROM triages_before;

DROP TABLE triages_before;

-- NULLs are all different to UNIQUE: this is what makes the trunk of a repository one row.
CREATE UNIQUE INDEX triages_of_trunks ON triages (repository_id) WHERE pull_request_number IS NULL;
CREATE INDEX triages_by_due ON triages (state, installation_id, due_at);
CREATE INDEX triages_by_next_look ON triages (state, next_look_at);
CREATE INDEX triages_alone ON triages (state, due_at) WHERE crashes >= 3;
