-- name: wake
INSERT INTO triages (
  repository_id, pull_request_number, installation_id, owner, repo, state, due_at, generation, head, changed_at,
  asked_generation
)
VALUES (
  :repositoryId, :pullRequestNumber, :installationId, :owner, :repo, 'due', :dueAt, 1, :head, :now,
  CASE WHEN :isAskedFor = 1 THEN 1 END
)
-- The row of the pull request, or of the trunk.
ON CONFLICT (repository_id, coalesce(pull_request_number, 0)) DO UPDATE SET
  installation_id = excluded.installation_id,
  owner = excluded.owner,
  repo = excluded.repo,
  head = coalesce(excluded.head, triages.head),
  generation = triages.generation + 1,
  asked_generation = CASE WHEN :isAskedFor = 1 THEN triages.generation + 1 ELSE triages.asked_generation END,
  -- One that is due already keeps its time, after a failure the hint's: something has changed. What may bring the process
  -- down is not hurried.
  due_at = CASE
    WHEN triages.state = 'due' AND (triages.crashes >= :crashesOfItsOwn OR triages.due_at < excluded.due_at) THEN triages.due_at
    WHEN triages.state = 'working' THEN coalesce(triages.due_at, excluded.due_at)
    -- Given up for it: a hint is one attempt more, and no sooner than another attempt would have been.
    WHEN triages.crashes >= :crashesOfItsOwn AND triages.changed_at + :longestCrashPause > excluded.due_at
      THEN triages.changed_at + :longestCrashPause
    ELSE excluded.due_at
  END,
  attempts = CASE
    WHEN triages.state IN ('due', 'working') OR triages.crashes >= :crashesOfItsOwn THEN triages.attempts
    ELSE 0
  END,
  last_error = CASE WHEN triages.state IN ('due', 'working') THEN triages.last_error END,
  next_look_at = NULL,
  state = CASE WHEN triages.state = 'working' THEN 'working' ELSE 'due' END,
  changed_at = excluded.changed_at;

-- name: claim
-- The state stands here too: it may have changed since the choice.
UPDATE triages
SET state = 'working', due_at = NULL, claim = claim + 1, attempts = attempts + 1, leased_until = :leasedUntil,
  process = :process, changed_at = :now
WHERE id = :key AND (state = 'due' OR (state = 'working' AND leased_until <= :now))
RETURNING id, repository_id AS "repositoryId", pull_request_number AS "pullRequestNumber", installation_id AS "installationId",
  owner, repo, head, generation, claim, attempts, pauses_begun AS "pausesBegun", asked_generation IS NOT NULL AS "isAskedFor";

-- name: renew
UPDATE triages
SET leased_until = :leasedUntil
WHERE id = :id AND claim = :claim AND state = 'working';

-- name: held
-- Changes nothing: the row is locked until the end of the transaction, so that no hint comes between this and what is written of it.
UPDATE triages SET claim = claim
WHERE id = :id AND claim = :claim AND state = 'working'
RETURNING generation, due_at AS "dueAt";

-- name: goesFirst
SELECT id FROM triages
WHERE repository_id = :repositoryId AND head = :head AND state = 'working' AND leased_until > :now
  AND (pull_request_number = :owner OR pull_request_number < :pullRequestNumber)
LIMIT 1;

-- name: release
UPDATE triages
SET state = :state, due_at = :dueAt, next_look_at = :nextLookAt, leased_until = NULL, attempts = :attempts,
  pauses_begun = :pausesBegun, crashes = :crashes, wants_database = :wantsDatabase,
  database_returns = CASE WHEN CAST(:error AS TEXT) IS NULL THEN 0 ELSE database_returns END,
  -- A look that left nothing outstanding has answered, or there was nothing to write.
  asked_generation = CASE WHEN :state = 'settled' AND CAST(:error AS TEXT) IS NULL THEN NULL ELSE asked_generation END,
  last_error = :error, head = coalesce(:head, head), changed_at = :now
WHERE id = :key AND claim = :claim AND state = 'working';

-- name: lookNow
-- One that is being looked at may have missed what came.
UPDATE triages
SET state = CASE state WHEN 'waiting' THEN 'due' ELSE state END,
  due_at = CASE state WHEN 'waiting' THEN :now ELSE coalesce(due_at, :now) END,
  generation = generation + 1, next_look_at = NULL, changed_at = :now
WHERE repository_id = :repositoryId AND pull_request_number IS NOT NULL AND state IN ('waiting', 'working');

-- name: sweep
UPDATE triages
SET state = 'due', due_at = :now, next_look_at = NULL, changed_at = :now
WHERE state = 'waiting' AND next_look_at <= :now
RETURNING repository_id AS "repositoryId", pull_request_number AS "pullRequestNumber", installation_id AS "installationId",
  owner, repo, head;

-- name: putBack
UPDATE triages SET state = 'due', due_at = :now, attempts = attempts - 1, leased_until = NULL, changed_at = :now
WHERE state = 'working' AND process = :process;

-- name: nextLook
SELECT min(next_look_at) AS at FROM triages WHERE state = 'waiting';

-- name: answered
UPDATE triages SET asked_generation = NULL
WHERE id = :id AND claim = :claim AND state = 'working' AND asked_generation <= :generation;

-- name: wantsDatabase
SELECT 1 AS found FROM triages
WHERE state = 'due' AND wants_database = 1 AND database_returns < :mostReturns AND due_at > :now
LIMIT 1;

-- name: databaseIsBack
UPDATE triages SET due_at = :now, database_returns = database_returns + 1
WHERE state = 'due' AND wants_database = 1 AND database_returns < :mostReturns AND due_at > :now;

-- name: settleInstallation
UPDATE triages
SET state = 'settled', due_at = NULL, next_look_at = NULL, leased_until = NULL, claim = claim + 1, attempts = 0,
  asked_generation = NULL, last_error = NULL, changed_at = :now
WHERE installation_id = :installationId AND state <> 'settled';

-- name: settleRepository
UPDATE triages
SET state = 'settled', due_at = NULL, next_look_at = NULL, leased_until = NULL, claim = claim + 1, attempts = 0,
  asked_generation = NULL, last_error = NULL, changed_at = :now
WHERE installation_id = :installationId AND repository_id = :repositoryId AND state <> 'settled';

-- name: prune
DELETE FROM triages WHERE state = 'settled' AND changed_at < :before;

-- name: failing
SELECT repository_id AS "repositoryId", pull_request_number AS "pullRequestNumber", installation_id AS "installationId",
  owner, repo, head, state, attempts, last_error AS "lastError", changed_at AS "changedAt"
FROM triages WHERE last_error IS NOT NULL
ORDER BY changed_at DESC, id
LIMIT :limit;
