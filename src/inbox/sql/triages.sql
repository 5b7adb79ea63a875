-- name: wake
INSERT INTO triages (
  repository_id, pull_request_number, installation_id, owner, repo, state, due_at, generation, head, changed_at
)
VALUES (:repositoryId, :pullRequestNumber, :installationId, :owner, :repo, 'due', :dueAt, 1, :head, :now)
ON CONFLICT (repository_id, pull_request_number) DO UPDATE SET
  installation_id = excluded.installation_id,
  owner = excluded.owner,
  repo = excluded.repo,
  head = coalesce(excluded.head, head),
  generation = generation + 1,
  -- One that is due already keeps its time, after a failure too: many hints are no reason to ask a broken source often.
  due_at = CASE WHEN state IN ('due', 'working') THEN coalesce(due_at, excluded.due_at) ELSE excluded.due_at END,
  attempts = CASE WHEN state IN ('due', 'working') THEN attempts ELSE 0 END,
  last_error = CASE WHEN state IN ('due', 'working') THEN last_error END,
  next_look_at = NULL,
  state = CASE WHEN state = 'working' THEN 'working' ELSE 'due' END,
  changed_at = excluded.changed_at;

-- name: claimNext
UPDATE triages
SET state = 'working', due_at = NULL, claim = claim + 1, attempts = attempts + 1, leased_until = :leasedUntil,
  changed_at = :now
WHERE (repository_id, pull_request_number) = (
  SELECT repository_id, pull_request_number FROM triages
  WHERE (state = 'due' AND due_at <= :now) OR (state = 'working' AND leased_until <= :now)
  ORDER BY coalesce(due_at, leased_until), repository_id, pull_request_number
  LIMIT 1
)
RETURNING repository_id AS repositoryId, pull_request_number AS pullRequestNumber, installation_id AS installationId,
  owner, repo, head, generation, claim, attempts;

-- name: renew
UPDATE triages
SET leased_until = :leasedUntil
WHERE repository_id = :repositoryId AND pull_request_number = :pullRequestNumber AND claim = :claim
  AND state = 'working';

-- name: held
SELECT generation, due_at AS dueAt FROM triages
WHERE repository_id = :repositoryId AND pull_request_number = :pullRequestNumber AND claim = :claim
  AND state = 'working';

-- name: release
UPDATE triages
SET state = :state, due_at = :dueAt, next_look_at = :nextLookAt, leased_until = NULL, attempts = :attempts,
  last_error = :error, head = coalesce(:head, head), changed_at = :now
WHERE repository_id = :repositoryId AND pull_request_number = :pullRequestNumber AND claim = :claim
  AND state = 'working';

-- name: sweep
UPDATE triages
SET state = 'due', due_at = :now, next_look_at = NULL, changed_at = :now
WHERE state = 'waiting' AND next_look_at <= :now
RETURNING repository_id AS repositoryId, pull_request_number AS pullRequestNumber, installation_id AS installationId,
  owner, repo, head;

-- name: leased
SELECT repository_id AS repositoryId, pull_request_number AS pullRequestNumber, claim, attempts, generation,
  due_at AS dueAt
FROM triages WHERE state = 'working';

-- name: settleInstallation
UPDATE triages
SET state = 'settled', due_at = NULL, next_look_at = NULL, leased_until = NULL, claim = claim + 1, attempts = 0,
  last_error = NULL, changed_at = :now
WHERE installation_id = :installationId AND state <> 'settled';

-- name: settleRepository
UPDATE triages
SET state = 'settled', due_at = NULL, next_look_at = NULL, leased_until = NULL, claim = claim + 1, attempts = 0,
  last_error = NULL, changed_at = :now
WHERE installation_id = :installationId AND repository_id = :repositoryId AND state <> 'settled';

-- name: prune
DELETE FROM triages WHERE state = 'settled' AND changed_at < :before;

-- name: count
SELECT state, count(*) AS count FROM triages GROUP BY state;

-- name: failing
SELECT repository_id AS repositoryId, pull_request_number AS pullRequestNumber, installation_id AS installationId,
  owner, repo, head, state, attempts, last_error AS lastError, changed_at AS changedAt
FROM triages WHERE last_error IS NOT NULL
ORDER BY changed_at DESC, repository_id, pull_request_number
LIMIT :limit;

-- name: nextDue
SELECT min(at) AS at FROM (
  SELECT min(due_at) AS at FROM triages WHERE state = 'due'
  UNION ALL
  SELECT min(leased_until) AS at FROM triages WHERE state = 'working'
  UNION ALL
  SELECT min(next_look_at) AS at FROM triages WHERE state = 'waiting'
);
