-- name: byId
SELECT repository_id AS "repositoryId", installation_id AS "installationId", owner, repo, is_private AS "isPrivate",
  is_gone AS "isGone", closed_at AS "closedAt", version
FROM repositories WHERE repository_id = :repositoryId;

-- name: byName
SELECT repository_id AS "repositoryId", installation_id AS "installationId", owner, repo, is_private AS "isPrivate",
  is_gone AS "isGone", closed_at AS "closedAt", version
FROM repositories WHERE lower(owner) = lower(:owner) AND lower(repo) = lower(:repo) AND is_gone = 0
ORDER BY version DESC
LIMIT 1;

-- name: put
INSERT INTO repositories (repository_id, installation_id, owner, repo, is_private, is_gone, closed_at, version)
VALUES (:repositoryId, :installationId, :owner, :repo, :isPrivate, :isGone, :closedAt, :version)
ON CONFLICT (repository_id) DO UPDATE SET
  installation_id = excluded.installation_id, owner = excluded.owner, repo = excluded.repo,
  is_private = excluded.is_private, is_gone = excluded.is_gone, closed_at = excluded.closed_at,
  version = excluded.version;

-- name: takeName
UPDATE repositories SET owner = '', repo = '', version = version + 1
WHERE lower(owner) = lower(:owner) AND lower(repo) = lower(:repo) AND repository_id <> :repositoryId;

-- name: addInstalled
INSERT INTO repositories (repository_id, installation_id, owner, repo, is_private, is_gone, closed_at, version)
SELECT repository_id, installation_id, owner, repo, NULL, 0, NULL, 1 FROM installed_repositories
WHERE installation_id = :installationId
ON CONFLICT (repository_id) DO NOTHING;

-- name: leaveInstallation
UPDATE repositories SET is_gone = 1, closed_at = :now, version = version + 1
WHERE installation_id = :installationId;
