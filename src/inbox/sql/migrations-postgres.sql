-- The tables of the inbox in PostgreSQL, for the statements beside this file. A section begins with a line "-- migration: …"; the
-- number of those that were applied stands in "inbox_version". A new one goes to the end; none is ever changed. The columns are
-- explained in migrations.sql; times and GitHub's numbers are BIGINT, and 0 and 1 are INTEGER as there.

-- migration: the inbox
-- One row: how many of these migrations were applied.
CREATE TABLE inbox_version (version INTEGER NOT NULL);
INSERT INTO inbox_version VALUES (0);

CREATE TABLE deliveries (
  guid TEXT COLLATE "C" PRIMARY KEY,
  event TEXT NOT NULL,
  installation_id BIGINT NOT NULL,
  payload BYTEA,
  received_at BIGINT NOT NULL,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('received', 'working', 'done', 'failed')),
  due_at BIGINT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  pauses_begun INTEGER NOT NULL DEFAULT 0,
  crashes INTEGER NOT NULL DEFAULT 0,
  claim INTEGER NOT NULL DEFAULT 0,
  leased_until BIGINT,
  last_error TEXT,
  finished_at BIGINT
);

-- Gzip already.
ALTER TABLE deliveries ALTER COLUMN payload SET STORAGE EXTERNAL;
-- Of millions of rows few wait: these indexes hold nothing else, so that a choice among them needs no statistics of the table.
CREATE INDEX deliveries_waiting ON deliveries (installation_id, due_at, received_at) INCLUDE (crashes) WHERE state = 'received';
CREATE INDEX deliveries_working ON deliveries (installation_id, leased_until) WHERE state = 'working';
CREATE INDEX deliveries_alone ON deliveries (state, due_at) WHERE crashes >= 3;
CREATE INDEX deliveries_ended ON deliveries (state, finished_at) WHERE state IN ('done', 'failed');
ALTER TABLE deliveries SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

CREATE TABLE triages (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  repository_id BIGINT NOT NULL,
  pull_request_number BIGINT CHECK (pull_request_number > 0),
  installation_id BIGINT NOT NULL,
  owner TEXT NOT NULL,
  repo TEXT NOT NULL,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('due', 'working', 'waiting', 'settled')),
  due_at BIGINT,
  next_look_at BIGINT,
  generation BIGINT NOT NULL,
  claim INTEGER NOT NULL DEFAULT 0,
  leased_until BIGINT,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  head TEXT,
  changed_at BIGINT NOT NULL,
  pauses_begun INTEGER NOT NULL DEFAULT 0,
  crashes INTEGER NOT NULL DEFAULT 0,
  wants_database INTEGER NOT NULL DEFAULT 0 CHECK (wants_database IN (0, 1)),
  database_returns INTEGER NOT NULL DEFAULT 0,
  asked_generation BIGINT
);

CREATE UNIQUE INDEX triages_of_targets ON triages (repository_id, coalesce(pull_request_number, 0));
CREATE INDEX triages_due ON triages (installation_id, due_at) INCLUDE (crashes) WHERE state = 'due';
CREATE INDEX triages_working ON triages (installation_id, leased_until) WHERE state = 'working';
CREATE INDEX triages_waiting ON triages (next_look_at) WHERE state = 'waiting';
CREATE INDEX triages_settled ON triages (changed_at) WHERE state = 'settled';
CREATE INDEX triages_failing ON triages (changed_at) WHERE last_error IS NOT NULL;
CREATE INDEX triages_alone ON triages (state, due_at) WHERE crashes >= 3;
ALTER TABLE triages SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

CREATE TABLE pauses (
  installation_id BIGINT PRIMARY KEY,
  until BIGINT NOT NULL,
  failures INTEGER NOT NULL
);

CREATE TABLE turns (
  queue TEXT COLLATE "C" NOT NULL CHECK (queue IN ('deliveries', 'triages')),
  installation_id BIGINT NOT NULL,
  turn BIGINT NOT NULL,
  PRIMARY KEY (queue, installation_id)
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END
$$;

CREATE TABLE posted (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  repository_id BIGINT NOT NULL,
  pull_request_number BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('comment', 'check-run', 'labels')),
  github_id BIGINT,
  hash TEXT,
  head TEXT COLLATE "C" NOT NULL,
  labels TEXT,
  findings TEXT,
  seen_at BIGINT,
  posted_at BIGINT NOT NULL
);

CREATE INDEX posted_by_pull_request ON posted (repository_id, pull_request_number, kind, id);
CREATE INDEX posted_by_head ON posted (repository_id, head);
CREATE INDEX posted_with_findings ON posted (repository_id, pull_request_number, seen_at) WHERE findings IS NOT NULL;
CREATE TRIGGER posted_stays BEFORE UPDATE OR DELETE ON posted FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE decisions (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  repository_id BIGINT NOT NULL,
  pull_request_number BIGINT,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  reason TEXT NOT NULL,
  until BIGINT,
  via TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_id BIGINT NOT NULL,
  said_at BIGINT NOT NULL,
  decided_at BIGINT NOT NULL
);

CREATE INDEX decisions_by_pull_request ON decisions (repository_id, pull_request_number, said_at, id);
CREATE TRIGGER decisions_stay BEFORE UPDATE OR DELETE ON decisions FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE commands (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  repository_id BIGINT NOT NULL,
  pull_request_number BIGINT NOT NULL,
  comment_id BIGINT NOT NULL,
  line TEXT COLLATE "C" NOT NULL,
  actor TEXT NOT NULL,
  actor_id BIGINT NOT NULL,
  was_done INTEGER NOT NULL CHECK (was_done IN (0, 1)),
  words TEXT,
  heard_at BIGINT NOT NULL,
  answered_at BIGINT
);

-- A line may be longer than what an index of PostgreSQL holds.
CREATE UNIQUE INDEX commands_of_comments ON commands (repository_id, comment_id, md5(line));
CREATE INDEX commands_by_actor ON commands (actor_id, heard_at);
CREATE INDEX commands_by_age ON commands (heard_at);

CREATE TABLE reruns (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  repository_id BIGINT NOT NULL,
  pull_request_number BIGINT NOT NULL,
  head TEXT COLLATE "C" NOT NULL,
  comment_id BIGINT NOT NULL,
  line TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('job', 'failed', 'workflow')),
  target_id BIGINT NOT NULL,
  name TEXT NOT NULL,
  asked_at BIGINT NOT NULL,
  outcome TEXT
);

CREATE INDEX reruns_by_comment ON reruns (repository_id, comment_id);
CREATE INDEX reruns_by_pull_request ON reruns (repository_id, pull_request_number);
CREATE INDEX reruns_by_time ON reruns (repository_id, asked_at);

CREATE TABLE merges (
  repository_id BIGINT NOT NULL,
  pull_request_number BIGINT NOT NULL,
  merge_commit TEXT NOT NULL,
  findings TEXT NOT NULL,
  is_silent INTEGER NOT NULL CHECK (is_silent IN (0, 1)),
  heard_at BIGINT NOT NULL,
  shown TEXT,
  ended_at BIGINT,
  PRIMARY KEY (repository_id, pull_request_number)
);

CREATE TABLE trunk_steps (
  repository_id BIGINT PRIMARY KEY,
  steps TEXT NOT NULL,
  found_at BIGINT NOT NULL
);

CREATE TABLE step_marks (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  repository_id BIGINT NOT NULL,
  step TEXT NOT NULL,
  state TEXT NOT NULL,
  assignee TEXT,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  actor_id BIGINT NOT NULL,
  marked_at BIGINT NOT NULL
);

CREATE INDEX step_marks_by_repository ON step_marks (repository_id, id);
CREATE TRIGGER step_marks_stay BEFORE UPDATE OR DELETE ON step_marks FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE digests (
  period TEXT COLLATE "C" NOT NULL CHECK (period IN ('day', 'week')),
  day TEXT COLLATE "C" NOT NULL,
  items TEXT NOT NULL,
  was_sent INTEGER NOT NULL CHECK (was_sent IN (0, 1)),
  done_at BIGINT NOT NULL,
  PRIMARY KEY (period, day)
);

CREATE TABLE configs (
  repository_id BIGINT PRIMARY KEY,
  yaml TEXT NOT NULL,
  blob_sha TEXT NOT NULL,
  read_at BIGINT NOT NULL
);

CREATE TABLE installed_repositories (
  repository_id BIGINT PRIMARY KEY,
  installation_id BIGINT NOT NULL,
  owner TEXT COLLATE "C" NOT NULL,
  repo TEXT COLLATE "C" NOT NULL,
  first_seen_at BIGINT NOT NULL
);

CREATE INDEX installed_repositories_by_installation ON installed_repositories (installation_id);

CREATE TABLE repositories (
  repository_id BIGINT PRIMARY KEY,
  installation_id BIGINT NOT NULL,
  owner TEXT COLLATE "C" NOT NULL,
  repo TEXT COLLATE "C" NOT NULL,
  is_private INTEGER CHECK (is_private IN (0, 1)),
  is_gone INTEGER NOT NULL CHECK (is_gone IN (0, 1)),
  closed_at BIGINT,
  version BIGINT NOT NULL
);

CREATE INDEX repositories_by_name ON repositories (lower(owner), lower(repo));
CREATE INDEX repositories_by_installation ON repositories (installation_id);

CREATE TABLE refused_sources (
  repository_id BIGINT NOT NULL,
  head TEXT COLLATE "C" NOT NULL,
  source TEXT COLLATE "C" NOT NULL,
  problem TEXT NOT NULL,
  version TEXT NOT NULL,
  refused_at BIGINT NOT NULL,
  PRIMARY KEY (repository_id, head, source)
);

CREATE TABLE first_start (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  at BIGINT NOT NULL
);

-- migration: processes
CREATE TABLE processes (
  id TEXT COLLATE "C" PRIMARY KEY,
  started_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL
);

ALTER TABLE deliveries ADD COLUMN process TEXT COLLATE "C";
ALTER TABLE triages ADD COLUMN process TEXT COLLATE "C";

-- migration: what stood in the place of results
-- What was found in a source that was refused. NULL: nothing is known of that
ALTER TABLE refused_sources ADD COLUMN refusal TEXT;

-- migration: reruns that were begun
-- The workflow run and its attempt before. NULL: it was asked for before these were kept
ALTER TABLE reruns ADD COLUMN run_id BIGINT;
ALTER TABLE reruns ADD COLUMN attempt BIGINT;
-- 1: GitHub was asked
ALTER TABLE reruns ADD COLUMN was_begun INTEGER NOT NULL DEFAULT 0 CHECK (was_begun IN (0, 1));

-- migration: the pace of writes to GitHub
CREATE TABLE write_slots (
  installation_id BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('write', 'comment')),
  taken_at BIGINT NOT NULL,
  PRIMARY KEY (installation_id, kind)
);

-- migration: releases
-- The tags that were pushed, each with the commit that it names now.
CREATE TABLE releases (
  repository_id BIGINT NOT NULL,
  tag TEXT COLLATE "C" NOT NULL,
  commit_sha TEXT COLLATE "C" NOT NULL,
  committed_at BIGINT NOT NULL,
  heard_at BIGINT NOT NULL,
  PRIMARY KEY (repository_id, tag)
);

-- migration: the writes of the last hour
CREATE TABLE writes (
  installation_id BIGINT NOT NULL,
  made_at BIGINT NOT NULL,
  PRIMARY KEY (installation_id, made_at)
);

CREATE INDEX writes_by_time ON writes (made_at);

-- migration: people
-- The pull requests that were read from GitHub, with their authors. A merged one makes its author trusted.
CREATE TABLE pull_requests (
  repository_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  author_id BIGINT NOT NULL,
  -- In lower case, as it was read last of this account. '#' and the account's number: another account has the name now
  login TEXT COLLATE "C" NOT NULL,
  was_merged INTEGER NOT NULL CHECK (was_merged IN (0, 1)),
  head_repo TEXT COLLATE "C" NOT NULL,
  head_ref TEXT COLLATE "C" NOT NULL,
  base_ref TEXT COLLATE "C" NOT NULL,
  opened_at BIGINT NOT NULL,
  PRIMARY KEY (repository_id, number)
);

CREATE INDEX pull_requests_by_author ON pull_requests (repository_id, author_id);
CREATE INDEX pull_requests_by_login ON pull_requests (repository_id, login);

-- GitHub's answers about people, until they are asked for again.
CREATE TABLE standings (
  repository_id BIGINT NOT NULL,
  login TEXT COLLATE "C" NOT NULL,
  -- NULL: GitHub knows no such account
  account_id BIGINT,
  standing TEXT COLLATE "C" NOT NULL CHECK (standing IN ('trusted', 'stranger')),
  until BIGINT NOT NULL,
  PRIMARY KEY (repository_id, login)
);

CREATE INDEX standings_by_end ON standings (until);

-- migration: answers apart from all other work
CREATE TABLE answers (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  installation_id BIGINT NOT NULL,
  repository_id BIGINT NOT NULL,
  owner TEXT COLLATE "C" NOT NULL,
  repo TEXT COLLATE "C" NOT NULL,
  pull_request_number BIGINT NOT NULL,
  comment_id BIGINT NOT NULL,
  via TEXT COLLATE "C" NOT NULL CHECK (via IN ('command', 'label', 'button')),
  replies_to TEXT COLLATE "C",
  actor_id BIGINT NOT NULL,
  charged TEXT COLLATE "C" NOT NULL CHECK (charged IN ('may-act', 'author', 'stranger')),
  reply TEXT COLLATE "C" NOT NULL CHECK (reply IN ('words', 'reaction')),
  asked_at BIGINT NOT NULL,
  due_at BIGINT NOT NULL,
  leased_until BIGINT,
  process TEXT COLLATE "C",
  attempts INTEGER NOT NULL DEFAULT 0,
  answered_at BIGINT
);

CREATE UNIQUE INDEX answers_waiting ON answers (repository_id, comment_id) WHERE answered_at IS NULL;
CREATE INDEX answers_by_actor ON answers (actor_id, asked_at);
CREATE INDEX answers_by_age ON answers (asked_at);
CREATE INDEX answers_given ON answers (installation_id, answered_at) WHERE answered_at IS NOT NULL;
CREATE INDEX answers_in_hand ON answers (installation_id, leased_until) WHERE answered_at IS NULL AND leased_until IS NOT NULL;

CREATE TABLE askings (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  installation_id BIGINT NOT NULL,
  repository_id BIGINT NOT NULL,
  pull_request_number BIGINT NOT NULL,
  actor_id BIGINT NOT NULL,
  charged TEXT COLLATE "C" NOT NULL CHECK (charged IN ('author', 'stranger')),
  reply TEXT COLLATE "C" NOT NULL CHECK (reply IN ('words', 'reaction')),
  asked_at BIGINT NOT NULL
);

CREATE INDEX askings_by_actor ON askings (actor_id, asked_at);
CREATE INDEX askings_by_installation ON askings (installation_id, asked_at);
CREATE INDEX askings_by_age ON askings (asked_at);

CREATE TABLE gates (
  installation_id BIGINT PRIMARY KEY,
  written_at BIGINT NOT NULL
);

CREATE INDEX deliveries_in_turn ON deliveries (installation_id, (event = 'issue_comment'), due_at, received_at, guid)
  INCLUDE (crashes) WHERE state = 'received';
