-- name: take
INSERT INTO turns (queue, installation_id, turn)
SELECT :queue, :installationId, coalesce(max(turn), 0) + 1 FROM turns WHERE queue = :queue
ON CONFLICT (queue, installation_id) DO UPDATE SET turn = excluded.turn;

-- name: pauseOf
SELECT until, failures FROM pauses WHERE installation_id = :installationId;

-- name: pause
INSERT INTO pauses (installation_id, until, failures) VALUES (:installationId, :until, :failures)
ON CONFLICT (installation_id) DO UPDATE SET until = excluded.until, failures = excluded.failures;

-- name: resume
DELETE FROM pauses WHERE installation_id = :installationId;

-- name: paused
SELECT installation_id AS installationId, until, failures FROM pauses WHERE until > :now ORDER BY until DESC LIMIT 10;
