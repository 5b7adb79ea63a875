-- name: next
WITH suspects (queue, installation_id, due_at) AS (
  SELECT 'deliveries', installation_id, due_at FROM deliveries WHERE crashes >= 3 AND state = 'received'
  UNION ALL
  SELECT 'triages', installation_id, due_at FROM triages WHERE crashes >= 3 AND state = 'due'
),
oldest (queue, due_at) AS (
  SELECT s.queue, s.due_at FROM suspects s
  LEFT JOIN pauses p ON p.installation_id = s.installation_id
  WHERE s.due_at <= :now AND (p.until IS NULL OR p.until <= :now)
  ORDER BY s.due_at
  LIMIT 1
)
SELECT
  (SELECT count(*) FROM deliveries WHERE state = 'working')
    + (SELECT count(*) FROM triages WHERE state = 'working') AS "underWay",
  EXISTS (SELECT 1 FROM deliveries WHERE crashes >= 3 AND state = 'working')
    OR EXISTS (SELECT 1 FROM triages WHERE crashes >= 3 AND state = 'working') AS "aloneUnderWay",
  (SELECT queue FROM oldest) AS "aloneQueue",
  (SELECT due_at FROM oldest) AS "aloneSince";

-- name: take
INSERT INTO turns (queue, installation_id, turn)
SELECT CAST(:queue AS TEXT), CAST(:installationId AS BIGINT), coalesce(max(turn), 0) + 1 FROM turns WHERE queue = :queue
ON CONFLICT (queue, installation_id) DO UPDATE SET turn = excluded.turn;

-- name: pauseOf
SELECT until, failures FROM pauses WHERE installation_id = :installationId;

-- name: pause
INSERT INTO pauses (installation_id, until, failures) VALUES (:installationId, :until, :failures)
ON CONFLICT (installation_id) DO UPDATE SET until = excluded.until, failures = excluded.failures;

-- name: resume
DELETE FROM pauses WHERE installation_id = :installationId AND until <= :claimedAt;

-- name: paused
SELECT installation_id AS "installationId", until, failures FROM pauses WHERE until > :now ORDER BY until DESC LIMIT 10;

-- name: takeWriteSlot
INSERT INTO write_slots (installation_id, kind, taken_at) VALUES (:installationId, :kind, :now)
ON CONFLICT (installation_id, kind) DO UPDATE SET taken_at = CASE
  WHEN write_slots.taken_at BETWEEN excluded.taken_at - :pace AND excluded.taken_at + :longestWait
  THEN write_slots.taken_at + :pace
  ELSE excluded.taken_at
END
RETURNING taken_at AS at;

-- name: writeThatMustPass
SELECT made_at AS at FROM writes
WHERE installation_id = :installationId AND made_at <= :latest
ORDER BY made_at DESC LIMIT 1 OFFSET :newer;

-- name: addWrite
INSERT INTO writes (installation_id, made_at) VALUES (:installationId, :at) ON CONFLICT DO NOTHING;

-- name: addGate
INSERT INTO gates (installation_id, written_at) VALUES (:installationId, :at)
ON CONFLICT (installation_id) DO UPDATE SET written_at = excluded.written_at;

-- name: gates
SELECT written_at AS at FROM gates WHERE installation_id = :installationId AND written_at > :since;

-- name: mostWrites
SELECT installation_id AS "installationId", count(*) AS "made" FROM writes
WHERE made_at > :since AND made_at <= :latest
GROUP BY installation_id ORDER BY "made" DESC, installation_id LIMIT 10;

-- name: pruneWrites
DELETE FROM writes WHERE made_at <= :before;
