CREATE TABLE first_start (
  -- One row: what GitHub could not deliver before is not asked for.
  id INTEGER PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL
) STRICT;
