-- name: insert
INSERT INTO deliveries (guid, event, payload, received_at, state, due_at)
VALUES (:guid, :event, :payload, :now, 'received', :now)
ON CONFLICT (guid) DO NOTHING;

-- name: requeue
UPDATE deliveries
SET state = 'received', event = :event, payload = :payload, due_at = :now, attempts = 0, finished_at = NULL
WHERE guid = :guid AND state = 'failed';

-- name: claimNext
UPDATE deliveries
SET state = 'working', claim = claim + 1, attempts = attempts + 1, leased_until = :leasedUntil
WHERE guid = (
  SELECT guid FROM deliveries
  WHERE (state = 'received' AND due_at <= :now) OR (state = 'working' AND leased_until <= :now)
  ORDER BY due_at, received_at, guid
  LIMIT 1
)
RETURNING guid, event, payload, claim, attempts, received_at AS receivedAt;

-- name: finish
UPDATE deliveries
SET state = 'done', payload = NULL, leased_until = NULL, last_error = NULL, finished_at = :now
WHERE guid = :guid AND claim = :claim AND state = 'working';

-- name: retry
UPDATE deliveries
SET state = 'received', due_at = :dueAt, leased_until = NULL, last_error = :error
WHERE guid = :guid AND claim = :claim AND state = 'working';

-- name: bury
UPDATE deliveries
SET state = 'failed', leased_until = NULL, last_error = :error, finished_at = :now
WHERE guid = :guid AND claim = :claim AND state = 'working';

-- name: leased
SELECT guid, claim, attempts FROM deliveries WHERE state = 'working';

-- name: prune
DELETE FROM deliveries
WHERE (state = 'done' AND finished_at < :doneBefore) OR (state = 'failed' AND finished_at < :failedBefore);

-- name: count
SELECT state, count(*) AS count FROM deliveries GROUP BY state;

-- name: dead
SELECT guid, event, attempts, last_error AS lastError, received_at AS receivedAt, finished_at AS failedAt
FROM deliveries WHERE state = 'failed'
ORDER BY finished_at DESC, guid
LIMIT :limit;

-- name: nextDue
SELECT min(at) AS at FROM (
  SELECT min(due_at) AS at FROM deliveries WHERE state = 'received'
  UNION ALL
  SELECT min(leased_until) AS at FROM deliveries WHERE state = 'working'
);
