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
