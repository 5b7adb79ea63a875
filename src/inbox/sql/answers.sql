-- name: add
INSERT INTO answers (
  installation_id, repository_id, owner, repo, pull_request_number, comment_id, via, replies_to, actor_id, charged, reply, asked_at, due_at
)
VALUES (
  :installationId, :repositoryId, :owner, :repo, :number, :commentId, :via, :repliesTo, :actorId, :charged, :reply, :now, :now
)
ON CONFLICT (repository_id, comment_id) WHERE answered_at IS NULL
DO UPDATE SET reply = CASE WHEN excluded.reply = 'words' THEN 'words' ELSE answers.reply END;

-- name: spent
SELECT
  count(CASE WHEN reply = 'words' THEN 1 END) AS "words",
  count(CASE WHEN reply = 'reaction' THEN 1 END) AS "reactions"
FROM answers
WHERE charged = :charged AND asked_at > :since
  AND (:actorId = 0 OR actor_id = :actorId)
  AND (:installationId = 0 OR installation_id = :installationId)
  AND (:repositoryId = 0 OR (repository_id = :repositoryId AND pull_request_number = :number));

-- name: claim
UPDATE answers SET leased_until = :leasedUntil, attempts = attempts + 1
WHERE id = (
  SELECT a.id FROM answers a
  LEFT JOIN pauses p ON p.installation_id = a.installation_id
  WHERE a.answered_at IS NULL AND a.due_at <= :now AND (p.until IS NULL OR p.until <= :now)
    AND NOT EXISTS (
      SELECT 1 FROM answers held
      WHERE held.installation_id = a.installation_id AND held.answered_at IS NULL AND held.leased_until > :now
    )
    AND (
      a.asked_at <= CASE a.charged WHEN 'may-act' THEN CAST(:patientSince AS BIGINT) ELSE CAST(:longPatientSince AS BIGINT) END
      OR NOT EXISTS (
        SELECT 1 FROM write_slots s WHERE s.installation_id = a.installation_id AND s.taken_at > :quietSince
      )
    )
  ORDER BY
    CASE a.charged WHEN 'may-act' THEN 0 ELSE 1 END,
    (
      SELECT count(*) FROM answers given
      WHERE given.actor_id = a.actor_id AND given.asked_at > :hourAgo AND given.answered_at IS NOT NULL AND a.charged <> 'may-act'
    ),
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
) THEN NULL ELSE :now END
WHERE id = :id;

-- name: putOff
UPDATE answers SET due_at = :dueAt, attempts = :attempts, leased_until = NULL WHERE id = :id;

-- name: putOffAll
UPDATE answers SET due_at = :until WHERE installation_id = :installationId AND answered_at IS NULL AND due_at < :until;

-- name: drop
DELETE FROM answers WHERE id = :id;

-- name: due
SELECT count(*) AS count FROM answers WHERE answered_at IS NULL AND due_at <= :now;

-- name: next
SELECT min(CASE WHEN leased_until > due_at THEN leased_until ELSE due_at END) AS at FROM answers WHERE answered_at IS NULL;

-- name: releaseAll
UPDATE answers SET leased_until = NULL WHERE leased_until IS NOT NULL;

-- name: prune
DELETE FROM answers WHERE asked_at <= :before;
