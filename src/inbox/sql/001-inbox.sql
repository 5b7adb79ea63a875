CREATE TABLE deliveries (
  guid TEXT PRIMARY KEY,
  event TEXT NOT NULL,
  -- gzip; NULL once the work is done
  payload BLOB,
  received_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('received', 'working', 'done', 'failed')),
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- Grows with every claim: what a claim of long ago reports is not believed.
  claim INTEGER NOT NULL DEFAULT 0,
  leased_until INTEGER,
  last_error TEXT,
  finished_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX deliveries_by_due ON deliveries (state, due_at);
CREATE INDEX deliveries_by_finished ON deliveries (state, finished_at);

CREATE TABLE triages (
  repository_id INTEGER NOT NULL,
  pull_request_number INTEGER NOT NULL,
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
  claim INTEGER NOT NULL DEFAULT 0,
  leased_until INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  head TEXT,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (repository_id, pull_request_number)
) STRICT, WITHOUT ROWID;

CREATE INDEX triages_by_due ON triages (state, due_at);
CREATE INDEX triages_by_next_look ON triages (state, next_look_at);

CREATE TABLE posted (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  repository_id INTEGER NOT NULL,
  pull_request_number INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('comment', 'check-run', 'labels')),
  -- Of the comment or check run; NULL for labels, and for a comment that is gone.
  github_id INTEGER,
  hash TEXT,
  head TEXT NOT NULL,
  -- JSON: the labels on the pull request that are the bot's
  labels TEXT,
  posted_at INTEGER NOT NULL
) STRICT;

CREATE INDEX posted_by_pull_request ON posted (repository_id, pull_request_number, kind, id);

CREATE TABLE decisions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  repository_id INTEGER NOT NULL,
  -- NULL: for the whole repository
  pull_request_number INTEGER,
  kind TEXT NOT NULL CHECK (kind IN ('acknowledge', 'mute', 'chronic')),
  -- JSON: what it is about
  subject TEXT NOT NULL,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_id INTEGER NOT NULL,
  -- The decision that this one takes back
  revokes INTEGER REFERENCES decisions (id),
  decided_at INTEGER NOT NULL
) STRICT;

CREATE INDEX decisions_by_repository ON decisions (repository_id, id);

CREATE TABLE configs (
  repository_id INTEGER PRIMARY KEY,
  yaml TEXT NOT NULL,
  blob_sha TEXT NOT NULL,
  read_at INTEGER NOT NULL
) STRICT;

CREATE TABLE installed_repositories (
  repository_id INTEGER PRIMARY KEY,
  installation_id INTEGER NOT NULL,
  owner TEXT NOT NULL,
  repo TEXT NOT NULL,
  first_seen_at INTEGER NOT NULL
) STRICT;

CREATE INDEX installed_repositories_by_installation ON installed_repositories (installation_id);

CREATE TRIGGER posted_stays BEFORE UPDATE ON posted BEGIN SELECT RAISE(ABORT, 'posted is append-only'); END;
CREATE TRIGGER posted_is_kept BEFORE DELETE ON posted BEGIN SELECT RAISE(ABORT, 'posted is append-only'); END;
CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions is append-only'); END;
CREATE TRIGGER decisions_are_kept BEFORE DELETE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions is append-only'); END;
