-- The migrations in the order in which they were written. A section begins with a line "-- migration: …"; the number of those
-- that were applied is the file's "user_version". A new one goes to the end; none is ever changed.

-- migration: the inbox
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

-- migration: the first start
CREATE TABLE first_start (
  -- One row: what GitHub could not deliver before is not asked for.
  id INTEGER PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL
) STRICT;

-- migration: what was posted, by head
CREATE INDEX posted_by_head ON posted (repository_id, head);

-- migration: repositories
CREATE TABLE repositories (
  repository_id INTEGER PRIMARY KEY,
  installation_id INTEGER NOT NULL,
  -- Empty: not known for sure
  owner TEXT NOT NULL COLLATE NOCASE,
  repo TEXT NOT NULL COLLATE NOCASE,
  -- NULL: not known, what the newest report says stands
  is_private INTEGER CHECK (is_private IN (0, 1)),
  -- Deleted, or the App is not there any more
  is_gone INTEGER NOT NULL CHECK (is_gone IN (0, 1)),
  -- When it was last heard that fewer may see it, in milliseconds
  closed_at INTEGER,
  -- Grows with every change: what was read from GitHub before a change does not replace it.
  version INTEGER NOT NULL
) STRICT;

CREATE INDEX repositories_by_name ON repositories (owner, repo);

INSERT INTO repositories (repository_id, installation_id, owner, repo, is_private, is_gone, closed_at, version)
SELECT repository_id, installation_id, owner, repo, NULL, 0, NULL, 1 FROM installed_repositories;

-- migration: refused sources
CREATE TABLE refused_sources (
  repository_id INTEGER NOT NULL,
  head TEXT NOT NULL,
  -- An artifact or an address, the attempt, and the parts of the configuration that say what is read of it
  source TEXT NOT NULL,
  problem TEXT NOT NULL,
  -- The version whose readers refused it: the next one may read it
  version TEXT NOT NULL,
  refused_at INTEGER NOT NULL,
  PRIMARY KEY (repository_id, head, source)
) STRICT;

-- migration: a fair share of each installation
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

-- migration: restarts
-- Times in a row that the process ended with this in hand; a stop in order is none.
ALTER TABLE deliveries ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE triages ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
-- The last attempt failed for want of the database: due at once when that is back.
ALTER TABLE triages ADD COLUMN wants_database INTEGER NOT NULL DEFAULT 0 CHECK (wants_database IN (0, 1));
-- Times that the database came back since the last look that was complete.
ALTER TABLE triages ADD COLUMN database_returns INTEGER NOT NULL DEFAULT 0;
-- The generation of the hint by which a person asked for a check to run again; NULL: nobody did, or it is answered.
ALTER TABLE triages ADD COLUMN asked_generation INTEGER;

-- migration: what is suspected of ending the process
-- What was in hand at three ends of the process in a row begins alone.
CREATE INDEX deliveries_alone ON deliveries (state, due_at) WHERE crashes >= 3;
CREATE INDEX triages_alone ON triages (state, due_at) WHERE crashes >= 3;

-- migration: the trunk
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

-- migration: people answer
-- Nothing has ever been written to it, and what people say has other parts by now.
DROP TABLE decisions;

CREATE TABLE decisions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  repository_id INTEGER NOT NULL,
  -- NULL: for the whole repository
  pull_request_number INTEGER,
  kind TEXT NOT NULL,
  -- JSON: what it is about
  subject TEXT NOT NULL,
  reason TEXT NOT NULL,
  -- The end of the last day on which it holds; NULL: it has no end
  until INTEGER,
  via TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_id INTEGER NOT NULL,
  -- GitHub's time: decisions count in the order in which they were said, not in that of their arrival
  said_at INTEGER NOT NULL,
  decided_at INTEGER NOT NULL
) STRICT;

CREATE INDEX decisions_by_pull_request ON decisions (repository_id, pull_request_number, said_at, id);
CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions is append-only'); END;
CREATE TRIGGER decisions_are_kept BEFORE DELETE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions is append-only'); END;

-- The commands in comments: a row for each comment and line, so that none runs twice. A command and what it changes are
-- written in one transaction; the answer follows, and is made good after a crash.
CREATE TABLE commands (
  id INTEGER PRIMARY KEY,
  repository_id INTEGER NOT NULL,
  pull_request_number INTEGER NOT NULL,
  comment_id INTEGER NOT NULL,
  -- The line as it stands in the comment
  line TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_id INTEGER NOT NULL,
  was_done INTEGER NOT NULL CHECK (was_done IN (0, 1)),
  -- Markdown; NULL: a reaction is answer enough
  words TEXT,
  heard_at INTEGER NOT NULL,
  -- NULL: GitHub has not taken the answer yet
  answered_at INTEGER,
  UNIQUE (repository_id, comment_id, line)
) STRICT;

CREATE INDEX commands_by_actor ON commands (actor_id, heard_at);
CREATE INDEX commands_by_age ON commands (heard_at);

-- JSON: what stood open in the report that was posted, which is what a person may accept; NULL: of before this version
ALTER TABLE posted ADD COLUMN findings TEXT;
-- GitHub's time since which people see them
ALTER TABLE posted ADD COLUMN seen_at INTEGER;
CREATE INDEX posted_with_findings ON posted (repository_id, pull_request_number, seen_at) WHERE findings IS NOT NULL;

-- migration: the steps of the trunk
-- The lasting slowdowns of a repository's trunk, as they were last looked for: thousands of histories are read for them, which
-- no page waits for.
CREATE TABLE trunk_steps (
  repository_id INTEGER PRIMARY KEY,
  -- JSON
  steps TEXT NOT NULL,
  found_at INTEGER NOT NULL
) STRICT;

-- migration: marks of steps
-- Steps of the trunk that a person has called known, accepted or assigned. The last one on a step counts.
CREATE TABLE step_marks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  repository_id INTEGER NOT NULL,
  -- JSON: the step as the person saw it
  step TEXT NOT NULL,
  state TEXT NOT NULL,
  -- NULL: assigned to nobody
  assignee TEXT,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_id INTEGER NOT NULL,
  marked_at INTEGER NOT NULL
) STRICT;

CREATE INDEX step_marks_by_repository ON step_marks (repository_id, id);
CREATE TRIGGER step_marks_stay BEFORE UPDATE ON step_marks BEGIN SELECT RAISE(ABORT, 'step_marks is append-only'); END;
CREATE TRIGGER step_marks_are_kept BEFORE DELETE ON step_marks BEGIN SELECT RAISE(ABORT, 'step_marks is append-only'); END;

-- migration: digests
-- Digests to the channel that are done, so that none is sent twice for one day.
CREATE TABLE digests (
  period TEXT NOT NULL CHECK (period IN ('day', 'week')),
  -- The first day of the period, in UTC
  day TEXT NOT NULL,
  -- JSON: the keys of what waited for a person
  items TEXT NOT NULL,
  -- 0: it held no news
  was_sent INTEGER NOT NULL CHECK (was_sent IN (0, 1)),
  done_at INTEGER NOT NULL,
  PRIMARY KEY (period, day)
) STRICT;

-- migration: reruns of jobs
-- What people asked to be started again: written with the command, and settled when GitHub has answered.
CREATE TABLE reruns (
  id INTEGER PRIMARY KEY,
  repository_id INTEGER NOT NULL,
  pull_request_number INTEGER NOT NULL,
  head TEXT NOT NULL,
  comment_id INTEGER NOT NULL,
  -- The line of the comment: those of one line count as one rerun
  line TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('job', 'failed', 'workflow')),
  -- GitHub's number of the job or of the workflow run
  target_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  -- NULL: GitHub has not answered yet
  outcome TEXT
) STRICT;

CREATE INDEX reruns_by_comment ON reruns (repository_id, comment_id);
CREATE INDEX reruns_by_pull_request ON reruns (repository_id, pull_request_number);
CREATE INDEX reruns_by_time ON reruns (repository_id, asked_at);

-- migration: merged pull requests
-- Pull requests that were merged with a slowdown, until the trunk has shown whether it is there.
CREATE TABLE merges (
  repository_id INTEGER NOT NULL,
  pull_request_number INTEGER NOT NULL,
  merge_commit TEXT NOT NULL,
  -- JSON: the slowdowns as the last report had them
  findings TEXT NOT NULL,
  heard_at INTEGER NOT NULL,
  -- JSON: what the trunk showed of them. NULL: it is still waited for
  shown TEXT,
  ended_at INTEGER,
  PRIMARY KEY (repository_id, pull_request_number)
) STRICT;

-- migration: statements of both databases
-- PostgreSQL takes one target of a conflict, so that of pull requests and that of the trunk are one.
CREATE UNIQUE INDEX triages_of_targets ON triages (repository_id, coalesce(pull_request_number, 0));
DROP INDEX triages_of_trunks;

-- Names are compared without case.
DROP INDEX repositories_by_name;
CREATE INDEX repositories_by_name ON repositories (lower(owner), lower(repo));

-- 1: nobody is told of any of its slowdowns
ALTER TABLE merges ADD COLUMN is_silent INTEGER NOT NULL DEFAULT 0 CHECK (is_silent IN (0, 1));
UPDATE merges SET is_silent = 1
WHERE NOT EXISTS (SELECT 1 FROM json_each(findings) WHERE value ->> 'isSilent' IS NULL);

-- migration: what stood in the place of results
-- What was found in a source that was refused. NULL: nothing is known of that
ALTER TABLE refused_sources ADD COLUMN refusal TEXT;

-- migration: processes
-- The processes that work off what is here. One that has not been seen for some time is dead.
CREATE TABLE processes (
  id TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT;

-- While working: the process that has it in hand.
ALTER TABLE deliveries ADD COLUMN process TEXT;
ALTER TABLE triages ADD COLUMN process TEXT;

-- migration: reruns that were begun
-- The workflow run and its attempt before. NULL: it was asked for before these were kept
ALTER TABLE reruns ADD COLUMN run_id INTEGER;
ALTER TABLE reruns ADD COLUMN attempt INTEGER;
-- 1: GitHub was asked
ALTER TABLE reruns ADD COLUMN was_begun INTEGER NOT NULL DEFAULT 0 CHECK (was_begun IN (0, 1));

-- migration: the pace of writes to GitHub
-- When the last write of an installation, or its last comment, is or will be made. Processes that write take turns by it.
CREATE TABLE write_slots (
  installation_id INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('write', 'comment')),
  taken_at INTEGER NOT NULL,
  PRIMARY KEY (installation_id, kind)
) STRICT;

-- migration: releases
-- The tags that were pushed, each with the commit that it names now.
CREATE TABLE releases (
  repository_id INTEGER NOT NULL,
  tag TEXT NOT NULL,
  commit_sha TEXT NOT NULL,
  committed_at INTEGER NOT NULL,
  heard_at INTEGER NOT NULL,
  PRIMARY KEY (repository_id, tag)
) STRICT;

-- migration: the writes of the last hour
-- When each write to GitHub was or will be made: it takes so many of an installation in an hour.
CREATE TABLE writes (
  installation_id INTEGER NOT NULL,
  made_at INTEGER NOT NULL,
  PRIMARY KEY (installation_id, made_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX writes_by_time ON writes (made_at);

-- migration: people
-- The pull requests that were read from GitHub, with their authors. A merged one makes its author trusted.
CREATE TABLE pull_requests (
  repository_id INTEGER NOT NULL,
  number INTEGER NOT NULL,
  author_id INTEGER NOT NULL,
  -- In lower case, as it was read last of this account. '#' and the account's number: another account has the name now
  login TEXT NOT NULL,
  was_merged INTEGER NOT NULL CHECK (was_merged IN (0, 1)),
  head_repo TEXT NOT NULL,
  head_ref TEXT NOT NULL,
  base_ref TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  PRIMARY KEY (repository_id, number)
) STRICT;

CREATE INDEX pull_requests_by_author ON pull_requests (repository_id, author_id);
CREATE INDEX pull_requests_by_login ON pull_requests (repository_id, login);

-- GitHub's answers about people, until they are asked for again.
CREATE TABLE standings (
  repository_id INTEGER NOT NULL,
  login TEXT NOT NULL,
  -- NULL: GitHub knows no such account
  account_id INTEGER,
  standing TEXT NOT NULL CHECK (standing IN ('trusted', 'stranger')),
  until INTEGER NOT NULL,
  PRIMARY KEY (repository_id, login)
) STRICT;

CREATE INDEX standings_by_end ON standings (until);

-- migration: answers apart from all other work
-- What people are to be answered, and were within the last day.
CREATE TABLE answers (
  id INTEGER PRIMARY KEY,
  installation_id INTEGER NOT NULL,
  repository_id INTEGER NOT NULL,
  owner TEXT NOT NULL,
  repo TEXT NOT NULL,
  pull_request_number INTEGER NOT NULL,
  comment_id INTEGER NOT NULL,
  via TEXT NOT NULL CHECK (via IN ('command', 'label', 'button')),
  -- What one reply, which is edited, answers; NULL: the comment alone
  replies_to TEXT,
  actor_id INTEGER NOT NULL,
  -- As whose it counts
  charged TEXT NOT NULL CHECK (charged IN ('may-act', 'author', 'stranger')),
  reply TEXT NOT NULL CHECK (reply IN ('words', 'reaction')),
  asked_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  leased_until INTEGER,
  -- While it is leased: the process that writes it
  process TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- NULL: GitHub has not taken it yet
  answered_at INTEGER
) STRICT;

CREATE UNIQUE INDEX answers_waiting ON answers (repository_id, comment_id) WHERE answered_at IS NULL;
CREATE INDEX answers_by_actor ON answers (actor_id, asked_at);
CREATE INDEX answers_by_age ON answers (asked_at);
CREATE INDEX answers_given ON answers (installation_id, answered_at) WHERE answered_at IS NOT NULL;
CREATE INDEX answers_in_hand ON answers (installation_id, leased_until) WHERE answered_at IS NULL AND leased_until IS NOT NULL;

-- Each time that somebody asked who may not act, an edit of a comment that waits among them: by these rows they have budgets.
CREATE TABLE askings (
  id INTEGER PRIMARY KEY,
  installation_id INTEGER NOT NULL,
  repository_id INTEGER NOT NULL,
  pull_request_number INTEGER NOT NULL,
  actor_id INTEGER NOT NULL,
  charged TEXT NOT NULL CHECK (charged IN ('author', 'stranger')),
  reply TEXT NOT NULL CHECK (reply IN ('words', 'reaction')),
  asked_at INTEGER NOT NULL
) STRICT;

CREATE INDEX askings_by_actor ON askings (actor_id, asked_at);
CREATE INDEX askings_by_installation ON askings (installation_id, asked_at);
CREATE INDEX askings_by_age ON askings (asked_at);

-- When an installation's check of a repository that gates was written last: writes of its hour are kept for these.
CREATE TABLE gates (
  installation_id INTEGER PRIMARY KEY,
  written_at INTEGER NOT NULL
) STRICT;

-- The reports and checks of an installation go before what people say there.
CREATE INDEX deliveries_in_turn ON deliveries (installation_id, event = 'issue_comment', due_at, received_at, guid)
  WHERE state = 'received';
