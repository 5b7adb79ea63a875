-- name: insert
INSERT INTO deliveries (guid, event, installation_id, payload, received_at, state, due_at)
VALUES (:guid, :event, :installationId, :payload, :now, 'received', :now)
ON CONFLICT (guid) DO NOTHING;

-- name: requeue
UPDATE deliveries
SET state = 'received', event = :event, installation_id = :installationId, payload = :payload, due_at = :now,
  attempts = 0, pauses_begun = 0, crashes = 0, finished_at = NULL
WHERE guid = :guid AND state = 'failed';

-- name: nextInstallation
WITH RECURSIVE waiting (installation_id) AS (
  SELECT (SELECT installation_id FROM deliveries WHERE state = 'received' AND crashes < 3 ORDER BY installation_id LIMIT 1)
  UNION ALL
  SELECT (
    SELECT installation_id FROM deliveries WHERE state = 'received' AND crashes < 3 AND installation_id > w.installation_id
    ORDER BY installation_id LIMIT 1
  )
  FROM waiting w WHERE w.installation_id IS NOT NULL
)
SELECT installation_id AS "installationId" FROM (
  SELECT w.installation_id, t.turn, p.until,
    (
      SELECT due_at FROM deliveries WHERE state = 'received' AND crashes < 3 AND installation_id = w.installation_id
      ORDER BY due_at LIMIT 1
    ) AS due_at,
    (SELECT count(*) FROM deliveries WHERE state = 'working' AND installation_id = w.installation_id) AS under_way
  FROM waiting w
  LEFT JOIN turns t ON t.queue = 'deliveries' AND t.installation_id = w.installation_id
  LEFT JOIN pauses p ON p.installation_id = w.installation_id
  WHERE w.installation_id IS NOT NULL
) AS candidates
WHERE due_at <= :now AND (until IS NULL OR until <= :now)
  -- After a pause one goes ahead.
  AND under_way < CASE WHEN until IS NULL THEN :most ELSE 1 END
ORDER BY under_way, coalesce(turn, 0), due_at
LIMIT 1;

-- name: claim
-- The state stands twice: it may have changed between the choice and the write.
UPDATE deliveries
SET state = 'working', claim = claim + 1, attempts = attempts + 1, leased_until = :leasedUntil,
  process = :process
WHERE guid = (
  SELECT guid FROM deliveries
  WHERE state = 'received' AND crashes < 3 AND installation_id = :installationId AND due_at <= :now
  ORDER BY due_at, received_at, guid
  LIMIT 1
) AND state = 'received'
RETURNING guid, event, installation_id AS "installationId", payload, claim, attempts, received_at AS "receivedAt",
  pauses_begun AS "pausesBegun", last_error IS NOT NULL AND crashes = 0 AS "hasFailed";

-- name: claimAlone
UPDATE deliveries
SET state = 'working', claim = claim + 1, attempts = attempts + 1, leased_until = :leasedUntil,
  process = :process
WHERE guid = (
  SELECT guid FROM deliveries q
  WHERE state = 'received' AND crashes >= 3 AND due_at <= :now
    AND NOT EXISTS (SELECT 1 FROM pauses p WHERE p.installation_id = q.installation_id AND p.until > :now)
  ORDER BY due_at, received_at, guid
  LIMIT 1
) AND state = 'received'
RETURNING guid, event, installation_id AS "installationId", payload, claim, attempts, received_at AS "receivedAt",
  pauses_begun AS "pausesBegun", last_error IS NOT NULL AND crashes = 0 AS "hasFailed";

-- name: claimAgain
UPDATE deliveries
SET state = 'working', claim = claim + 1, attempts = attempts + 1, leased_until = :leasedUntil,
  process = :process
WHERE guid = (
  SELECT guid FROM deliveries
  WHERE state = 'working' AND leased_until <= :now
  ORDER BY leased_until
  LIMIT 1
) AND state = 'working' AND leased_until <= :now
RETURNING guid, event, installation_id AS "installationId", payload, claim, attempts, received_at AS "receivedAt",
  pauses_begun AS "pausesBegun", last_error IS NOT NULL AND crashes = 0 AS "hasFailed";

-- name: finish
UPDATE deliveries
SET state = 'done', payload = NULL, leased_until = NULL, last_error = NULL, finished_at = :now
WHERE guid = :guid AND claim = :claim AND state = 'working';

-- name: retry
UPDATE deliveries
SET state = 'received', due_at = :dueAt, leased_until = NULL, attempts = :attempts, pauses_begun = :pausesBegun,
  crashes = :crashes, last_error = :error
WHERE guid = :guid AND claim = :claim AND state = 'working';

-- name: bury
UPDATE deliveries
SET state = 'failed', leased_until = NULL, last_error = :error, finished_at = :now
WHERE guid = :guid AND claim = :claim AND state = 'working';

-- name: leased
SELECT guid, installation_id AS "installationId", claim, attempts, pauses_begun AS "pausesBegun", crashes
FROM deliveries
WHERE state = 'working' AND (process IS NULL OR process NOT IN (SELECT id FROM processes));

-- name: putBack
UPDATE deliveries SET state = 'received', due_at = :now, attempts = attempts - 1, leased_until = NULL
WHERE state = 'working' AND process = :process;

-- name: prune
DELETE FROM deliveries
WHERE (state = 'done' AND finished_at < :doneBefore) OR (state = 'failed' AND finished_at < :failedBefore);

-- name: count
SELECT state, count(*) AS count FROM deliveries GROUP BY state;

-- name: dead
SELECT guid, event, attempts, last_error AS "lastError", received_at AS "receivedAt", finished_at AS "failedAt"
FROM deliveries WHERE state = 'failed'
ORDER BY finished_at DESC, guid
LIMIT :limit;

-- name: oldest
SELECT count(*) AS waiting, min(due_at) AS since FROM deliveries
WHERE state = 'working' OR (state = 'received' AND due_at <= :now);

-- name: nextDue
WITH RECURSIVE waiting (installation_id) AS (
  SELECT (SELECT installation_id FROM deliveries WHERE state = 'received' ORDER BY installation_id LIMIT 1)
  UNION ALL
  SELECT (
    SELECT installation_id FROM deliveries WHERE state = 'received' AND installation_id > w.installation_id
    ORDER BY installation_id LIMIT 1
  )
  FROM waiting w WHERE w.installation_id IS NOT NULL
)
SELECT min(at) AS at FROM (
  SELECT CASE WHEN until > due_at THEN until ELSE due_at END AS at FROM (
    SELECT p.until,
      (
      SELECT due_at FROM deliveries WHERE state = 'received' AND installation_id = w.installation_id
      ORDER BY due_at LIMIT 1
    ) AS due_at
    FROM waiting w
    LEFT JOIN pauses p ON p.installation_id = w.installation_id
    WHERE w.installation_id IS NOT NULL
  ) AS installations
  UNION ALL
  SELECT min(leased_until) AS at FROM deliveries WHERE state = 'working'
) AS times;

-- name: oldestOfInstallations
SELECT installation_id AS "installationId", min(due_at) AS since FROM deliveries
WHERE state = 'working' OR (state = 'received' AND due_at <= :now)
GROUP BY installation_id
ORDER BY since
LIMIT 10;
