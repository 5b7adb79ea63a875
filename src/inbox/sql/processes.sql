-- name: enter
INSERT INTO processes (id, started_at, seen_at) VALUES (:id, :now, :now)
ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at;

-- name: beat
UPDATE processes SET seen_at = :now WHERE id = :id;

-- name: leave
DELETE FROM processes WHERE id = :id;

-- name: forgetOthers
DELETE FROM processes WHERE id <> :id AND seen_at < :before;

-- name: first
SELECT id FROM processes WHERE seen_at >= :since ORDER BY started_at, id LIMIT 1;

-- name: living
SELECT count(*) AS living FROM processes WHERE seen_at >= :since;
