-- The statements that both queues share. They stand here as they run for deliveries; `queue.ts` puts in the names of triages.

-- name: again
SELECT guid AS "key" FROM deliveries
WHERE state = 'working' AND leased_until <= :now
ORDER BY leased_until
LIMIT 1;

-- name: alone
SELECT guid AS "key" FROM deliveries q
WHERE state = 'received' AND crashes >= 3 AND due_at <= :now
  AND NOT EXISTS (SELECT 1 FROM pauses p WHERE p.installation_id = q.installation_id AND p.until > :now)
ORDER BY due_at, received_at, guid
LIMIT 1;

-- name: next
WITH RECURSIVE waiting (installation_id) AS (
  SELECT (SELECT installation_id FROM deliveries WHERE state = 'received' AND crashes < 3 ORDER BY installation_id LIMIT 1)
  UNION ALL
  SELECT (
    SELECT installation_id FROM deliveries WHERE state = 'received' AND crashes < 3 AND installation_id > w.installation_id
    ORDER BY installation_id LIMIT 1
  )
  FROM waiting w WHERE w.installation_id IS NOT NULL
)
SELECT installation_id AS "installationId", (
  SELECT guid FROM deliveries
  WHERE state = 'received' AND crashes < 3 AND installation_id = chosen.installation_id AND due_at <= :now
  -- What people say comes after the reports and checks.
  ORDER BY event = 'issue_comment', due_at, received_at, guid LIMIT 1
) AS "key"
FROM (
  SELECT installation_id FROM (
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
  LIMIT 1
) AS chosen;

-- name: leased
SELECT guid AS "key", claim, attempts, due_at AS "dueAt", pauses_begun AS "pausesBegun", crashes
FROM deliveries
WHERE state = 'working' AND (process IS NULL OR process NOT IN (SELECT id FROM processes));

-- name: count
SELECT state, count(*) AS count FROM deliveries GROUP BY state;

-- name: oldest
SELECT count(*) AS waiting, min(due_at) AS since FROM (
  SELECT due_at FROM deliveries WHERE state = 'received' AND due_at <= :now
  UNION ALL
  SELECT due_at FROM deliveries WHERE state = 'working' AND :agesInWork = 1
) AS aging;

-- name: oldestOfInstallations
SELECT installation_id AS "installationId", min(due_at) AS since FROM (
  SELECT installation_id, due_at FROM deliveries WHERE state = 'received' AND due_at <= :now
  UNION ALL
  SELECT installation_id, due_at FROM deliveries WHERE state = 'working' AND :agesInWork = 1
) AS aging
GROUP BY installation_id
ORDER BY since
LIMIT 10;

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
