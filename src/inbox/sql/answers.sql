-- name: add
INSERT INTO answers (
  installation_id, repository_id, owner, repo, pull_request_number, comment_id, via, replies_to, actor_id, charged, reply, asked_at, due_at
)
VALUES (
  :installationId, :repositoryId, :owner, :repo, :number, :commentId, :via, :repliesTo, :actorId, :charged, :reply, :now, :now
)
ON CONFLICT (repository_id, comment_id) WHERE answered_at IS NULL
DO UPDATE SET
  reply = CASE WHEN excluded.reply = 'words' THEN 'words' ELSE answers.reply END,
  -- A comment of a stranger that was edited by somebody who may act waits no more.
  charged = CASE WHEN excluded.charged = 'may-act' THEN 'may-act' ELSE answers.charged END;

-- name: charge
INSERT INTO askings (installation_id, repository_id, pull_request_number, actor_id, charged, reply, asked_at)
VALUES (:installationId, :repositoryId, :number, :actorId, :charged, :reply, :now);

-- name: waiting
SELECT count(*) AS count FROM answers WHERE repository_id = :repositoryId AND comment_id = :commentId AND answered_at IS NULL;

-- name: granted
SELECT charged, reply FROM answers
WHERE id = :id AND process = :process AND attempts = :attempts AND leased_until IS NOT NULL;

-- name: spent
SELECT
  coalesce(sum(CASE WHEN is_own = 1 AND charged = 'author' AND is_here = 1 THEN 1 END), 0) AS "here",
  coalesce(sum(CASE WHEN is_own = 1 AND charged = 'author' THEN 1 END), 0) AS "anywhere",
  coalesce(sum(CASE WHEN is_own = 1 AND charged = 'stranger' AND reply = 'words' THEN 1 END), 0) AS "words",
  coalesce(sum(CASE WHEN is_own = 1 AND charged = 'stranger' AND reply = 'reaction' THEN 1 END), 0) AS "reactions",
  coalesce(sum(CASE WHEN is_of_all = 1 AND charged = 'stranger' AND reply = 'words' THEN 1 END), 0) AS "allWords",
  coalesce(sum(CASE WHEN is_of_all = 1 AND charged = 'stranger' AND reply = 'reaction' THEN 1 END), 0) AS "allReactions"
FROM (
  SELECT charged, reply,
    CASE WHEN actor_id = :actorId THEN 1 ELSE 0 END AS is_own,
    CASE WHEN installation_id = :installationId THEN 1 ELSE 0 END AS is_of_all,
    CASE WHEN repository_id = :repositoryId AND pull_request_number = :number THEN 1 ELSE 0 END AS is_here
  FROM askings
  WHERE asked_at > :since AND (actor_id = :actorId OR installation_id = :installationId)
) AS counted;

-- name: claim
UPDATE answers SET leased_until = :leasedUntil, process = :process, attempts = attempts + 1
WHERE id = (
  SELECT a.id FROM answers a
  LEFT JOIN pauses p ON p.installation_id = a.installation_id
  WHERE a.answered_at IS NULL AND a.due_at <= :now AND (p.until IS NULL OR p.until <= :now)
    AND NOT EXISTS (
      SELECT 1 FROM answers held
      WHERE held.installation_id = a.installation_id AND held.answered_at IS NULL AND held.leased_until > :now
        AND (a.charged <> 'may-act' OR held.charged = 'may-act')
    )
    -- What became of a rerun is told with it.
    AND NOT EXISTS (
      SELECT 1 FROM reruns r WHERE r.repository_id = a.repository_id AND r.comment_id = a.comment_id AND r.outcome IS NULL
    )
    AND (
      a.charged = 'may-act' OR a.asked_at <= :patientSince
      OR NOT EXISTS (
        SELECT 1 FROM write_slots s WHERE s.installation_id = a.installation_id AND s.taken_at > :quietSince
      )
    )
  ORDER BY
    coalesce((
      SELECT max(given.answered_at) FROM answers given
      WHERE given.installation_id = a.installation_id AND given.answered_at IS NOT NULL
    ), 0),
    CASE a.charged WHEN 'may-act' THEN 0 ELSE 1 END,
    CASE a.charged WHEN 'may-act' THEN 0 ELSE (
      SELECT count(*) FROM answers given
      WHERE given.actor_id = a.actor_id AND given.asked_at > :hourAgo AND given.answered_at IS NOT NULL
    ) END,
    a.asked_at, a.id
  LIMIT 1
) AND answered_at IS NULL
RETURNING id, installation_id AS "installationId", repository_id AS "repositoryId", owner, repo, pull_request_number AS "number",
  comment_id AS "commentId", via, replies_to AS "repliesTo", actor_id AS "actorId", charged, reply, attempts;

-- name: answered
-- What was said while it was written is answered next.
UPDATE answers SET leased_until = NULL, answered_at = CASE WHEN EXISTS (
  SELECT 1 FROM commands c
  WHERE c.repository_id = answers.repository_id AND c.comment_id = answers.comment_id AND c.answered_at IS NULL
) THEN NULL ELSE CAST(:now AS BIGINT) END
WHERE id = :id AND process = :process AND attempts = :attempts AND leased_until IS NOT NULL;

-- name: putOff
UPDATE answers SET due_at = :dueAt, attempts = :left, leased_until = NULL
WHERE id = :id AND process = :process AND attempts = :attempts AND leased_until IS NOT NULL;

-- name: putOffAll
UPDATE answers SET due_at = :until
WHERE installation_id = :installationId AND answered_at IS NULL AND due_at < :until AND (:isOfOthers = 0 OR charged <> 'may-act');

-- name: due
SELECT count(*) AS count FROM answers WHERE answered_at IS NULL AND due_at <= :now;

-- name: next
SELECT min(CASE WHEN leased_until > due_at THEN leased_until ELSE due_at END) AS at FROM answers WHERE answered_at IS NULL;

-- name: recover
UPDATE answers SET leased_until = NULL
WHERE leased_until IS NOT NULL AND (process IS NULL OR process NOT IN (SELECT id FROM processes));

-- name: putBack
UPDATE answers SET leased_until = NULL WHERE leased_until IS NOT NULL AND process = :process;

-- name: prune
DELETE FROM answers WHERE asked_at <= :before;

-- name: pruneAskings
DELETE FROM askings WHERE asked_at <= :before;
