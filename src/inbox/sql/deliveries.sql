-- name: insert
INSERT INTO deliveries (guid, event, installation_id, payload, received_at, state, due_at)
VALUES (:guid, :event, :installationId, :payload, :now, 'received', :now)
ON CONFLICT (guid) DO NOTHING;

-- name: requeue
UPDATE deliveries
SET state = 'received', event = :event, installation_id = :installationId, payload = :payload, due_at = :now,
  attempts = 0, pauses_begun = 0, crashes = 0, finished_at = NULL
WHERE guid = :guid AND state = 'failed';

-- name: claim
-- The state stands here too: it may have changed since the choice.
UPDATE deliveries
SET state = 'working', claim = claim + 1, attempts = attempts + 1, leased_until = :leasedUntil,
  process = :process
WHERE guid = :key AND (state = 'received' OR (state = 'working' AND leased_until <= :now))
RETURNING guid, event, installation_id AS "installationId", payload, claim, attempts, received_at AS "receivedAt",
  pauses_begun AS "pausesBegun", last_error IS NOT NULL AND crashes = 0 AS "hasFailed";

-- name: finish
UPDATE deliveries
SET state = 'done', payload = NULL, leased_until = NULL, last_error = NULL, finished_at = :now
WHERE guid = :key AND claim = :claim AND state = 'working';

-- name: retry
UPDATE deliveries
SET state = 'received', due_at = :dueAt, leased_until = NULL, attempts = :attempts, pauses_begun = :pausesBegun,
  crashes = :crashes, last_error = :error
WHERE guid = :key AND claim = :claim AND state = 'working';

-- name: bury
UPDATE deliveries
SET state = 'failed', leased_until = NULL, last_error = :error, finished_at = :now
WHERE guid = :key AND claim = :claim AND state = 'working';

-- name: putBack
UPDATE deliveries SET state = 'received', due_at = :now, attempts = attempts - 1, leased_until = NULL
WHERE state = 'working' AND process = :process;

-- name: prune
DELETE FROM deliveries
WHERE (state = 'done' AND finished_at < :doneBefore) OR (state = 'failed' AND finished_at < :failedBefore);

-- name: dead
SELECT guid, event, attempts, last_error AS "lastError", received_at AS "receivedAt", finished_at AS "failedAt"
FROM deliveries WHERE state = 'failed'
ORDER BY finished_at DESC, guid
LIMIT :limit;
