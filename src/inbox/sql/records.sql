-- name: addPosted
INSERT INTO posted (repository_id, pull_request_number, kind, github_id, hash, head, labels, findings, seen_at, posted_at)
VALUES (:repositoryId, :pullRequestNumber, :kind, :githubId, :hash, :head, :labels, :findings, :seenAt, :now);

-- name: lastSeen
SELECT seen_at AS at, findings FROM posted
WHERE repository_id = :repositoryId AND pull_request_number = :pullRequestNumber AND findings IS NOT NULL
  AND seen_at < :at
ORDER BY seen_at DESC, id DESC
LIMIT 1;

-- name: allSeen
SELECT seen_at AS at, findings FROM posted
WHERE repository_id = :repositoryId AND pull_request_number = :pullRequestNumber AND findings IS NOT NULL
ORDER BY seen_at DESC, id DESC;

-- name: latestPosted
SELECT github_id AS "githubId", hash, head, labels, posted_at AS "postedAt" FROM posted
WHERE repository_id = :repositoryId AND pull_request_number = :pullRequestNumber AND kind = :kind
  AND (CAST(:head AS TEXT) IS NULL OR head = :head)
ORDER BY id DESC
LIMIT 1;

-- name: commentsPosted
SELECT count(DISTINCT github_id) AS comments FROM posted
WHERE repository_id = :repositoryId AND pull_request_number = :pullRequestNumber AND kind = 'comment';

-- name: headsWithCheckRun
SELECT head FROM posted
WHERE repository_id = :repositoryId AND pull_request_number = :pullRequestNumber AND kind = 'check-run'
GROUP BY head
ORDER BY max(id) DESC
LIMIT :limit;

-- name: hasHead
SELECT 1 AS found FROM posted WHERE repository_id = :repositoryId AND head = :head LIMIT 1;

-- name: addDecision
INSERT INTO decisions (
  repository_id, pull_request_number, kind, subject, reason, until, via, actor, actor_id, said_at, decided_at
)
VALUES (
  :repositoryId, :pullRequestNumber, :kind, :subject, :reason, :until, :via, :actor, :actorId, :saidAt, :now
)
RETURNING id;

-- name: decisionsOf
SELECT kind, subject, reason, until, via, actor, actor_id AS "actorId", said_at AS "saidAt"
FROM decisions WHERE repository_id = :repositoryId AND pull_request_number = :pullRequestNumber
ORDER BY said_at, id;

-- name: decisionsBetween
SELECT pull_request_number AS "pullRequestNumber", kind, subject, reason, until, via, actor, actor_id AS "actorId",
  said_at AS "saidAt"
FROM decisions WHERE repository_id = :repositoryId AND pull_request_number BETWEEN :first AND :last
ORDER BY said_at, id;

-- name: decisionsAfter
SELECT
  id, repository_id AS "repositoryId", pull_request_number AS "pullRequestNumber", kind, subject, reason, until, via, actor,
  actor_id AS "actorId", said_at AS "saidAt", decided_at AS "decidedAt"
FROM decisions WHERE id > :after
ORDER BY id
LIMIT :limit;

-- name: lastDecisionBefore
SELECT coalesce(max(id), 0) AS id FROM decisions WHERE decided_at < :before;

-- name: declarationsOf
SELECT kind, subject, reason, until, via, actor, actor_id AS "actorId", said_at AS "saidAt"
FROM decisions WHERE repository_id = :repositoryId AND pull_request_number IS NULL AND kind IN ('chronic', 'unchronic')
ORDER BY said_at, id;

-- name: saveConfig
INSERT INTO configs (repository_id, yaml, blob_sha, read_at)
VALUES (:repositoryId, :yaml, :blobSha, :now)
ON CONFLICT (repository_id) DO UPDATE SET
  yaml = excluded.yaml, blob_sha = excluded.blob_sha, read_at = excluded.read_at;

-- name: configOf
SELECT yaml, blob_sha AS "blobSha", read_at AS "readAt" FROM configs WHERE repository_id = :repositoryId;

-- name: configsOfRepositories
SELECT owner, repo, yaml
FROM configs
INNER JOIN installed_repositories USING (repository_id)
ORDER BY owner, repo;

-- name: forgetConfig
DELETE FROM configs WHERE repository_id = :repositoryId;

-- name: addRepository
INSERT INTO installed_repositories (repository_id, installation_id, owner, repo, first_seen_at)
VALUES (:repositoryId, :installationId, :owner, :repo, :now)
ON CONFLICT (repository_id) DO UPDATE SET
  installation_id = excluded.installation_id, owner = excluded.owner, repo = excluded.repo
RETURNING first_seen_at AS "firstSeenAt";

-- name: seenAsNow
SELECT first_seen_at AS "firstSeenAt" FROM installed_repositories
WHERE repository_id = :repositoryId AND installation_id = :installationId AND owner = :owner AND repo = :repo;

-- name: removeInstallation
DELETE FROM installed_repositories WHERE installation_id = :installationId;

-- name: removeRepository
DELETE FROM installed_repositories WHERE installation_id = :installationId AND repository_id = :repositoryId;

-- name: repositories
SELECT repository_id AS "repositoryId", installation_id AS "installationId", owner, repo, first_seen_at AS "firstSeenAt"
FROM installed_repositories
ORDER BY repository_id;

-- name: firstSeenAt
SELECT first_seen_at AS "firstSeenAt" FROM installed_repositories WHERE repository_id = :repositoryId;

-- name: firstStart
INSERT INTO first_start (id, at) VALUES (1, :now)
ON CONFLICT (id) DO UPDATE SET at = first_start.at
RETURNING at;

-- name: addRefused
INSERT INTO refused_sources (repository_id, head, source, problem, refusal, version, refused_at)
VALUES (:repositoryId, :head, :source, :problem, :refusal, :version, :now)
ON CONFLICT (repository_id, head, source) DO UPDATE SET
  problem = excluded.problem, refusal = excluded.refusal, version = excluded.version, refused_at = excluded.refused_at;

-- name: refusedOf
SELECT problem, refusal FROM refused_sources
WHERE repository_id = :repositoryId AND head = :head AND source = :source AND version = :version;

-- name: forgetRefused
DELETE FROM refused_sources WHERE repository_id = :repositoryId AND head = :head;

-- name: wakeRefusedByHost
UPDATE triages
SET state = CASE state WHEN 'working' THEN state ELSE 'due' END, due_at = coalesce(due_at, :now),
  generation = generation + 1, next_look_at = NULL, changed_at = :now
WHERE pull_request_number IS NOT NULL AND repository_id IN (SELECT repository_id FROM installed_repositories)
  AND EXISTS (
    SELECT 1 FROM refused_sources
    WHERE refused_sources.repository_id = triages.repository_id AND refused_sources.head = triages.head
      AND problem = 'host-not-allowed' AND version <> :hosts
  );

-- name: forgetRefusedByHost
DELETE FROM refused_sources WHERE problem = 'host-not-allowed' AND version <> :hosts;

-- name: pruneRefused
DELETE FROM refused_sources WHERE refused_at < :before;

-- name: addCommand
INSERT INTO commands (
  repository_id, pull_request_number, comment_id, line, actor, actor_id, was_done, words, heard_at, answered_at
)
VALUES (:repositoryId, :pullRequestNumber, :commentId, :line, :actor, :actorId, :wasDone, :words, :now, :answeredAt);

-- name: commandsOf
SELECT line, was_done AS "wasDone", words, answered_at AS "answeredAt" FROM commands
WHERE repository_id = :repositoryId AND comment_id = :commentId
ORDER BY id;

-- name: commandCorrected
UPDATE commands SET was_done = :wasDone, words = :words
WHERE repository_id = :repositoryId AND comment_id = :commentId AND line = :line;

-- name: addRerun
INSERT INTO reruns (repository_id, pull_request_number, head, comment_id, line, kind, target_id, name, run_id, attempt, asked_at)
VALUES (:repositoryId, :pullRequestNumber, :head, :commentId, :line, :kind, :id, :name, :runId, :attempt, :now);

-- name: rerunsOf
SELECT id AS "rowId", line, head, kind, target_id AS id, name, run_id AS "runId", attempt, was_begun AS "wasBegun", outcome
FROM reruns
WHERE repository_id = :repositoryId AND comment_id = :commentId
ORDER BY id;

-- name: rerunBegun
UPDATE reruns SET was_begun = 1 WHERE id = :rowId;

-- name: rerunSettled
UPDATE reruns SET outcome = :outcome WHERE id = :rowId;

-- name: rerunCounts
SELECT
  count(DISTINCT CASE WHEN pull_request_number = :pullRequestNumber AND head = :head THEN comment_id || ' ' || line END) AS "ofHead",
  count(DISTINCT CASE WHEN pull_request_number = :pullRequestNumber THEN comment_id || ' ' || line END) AS "ofPullRequest",
  count(DISTINCT CASE WHEN asked_at > :since THEN comment_id || ' ' || line END) AS "ofDay"
FROM reruns
WHERE repository_id = :repositoryId AND (outcome IS NULL OR outcome = 'started')
  AND (pull_request_number = :pullRequestNumber OR asked_at > :since);

-- name: commandsAnswered
UPDATE commands SET answered_at = :now
WHERE answered_at IS NULL AND id IN (
  SELECT id FROM commands WHERE repository_id = :repositoryId AND comment_id = :commentId ORDER BY id LIMIT :first
);

-- name: pruneCommands
DELETE FROM commands WHERE heard_at < :before;

-- name: addMerge
INSERT INTO merges (repository_id, pull_request_number, merge_commit, findings, is_silent, heard_at)
VALUES (:repositoryId, :pullRequestNumber, :mergeCommit, :findings, :isSilent, :heardAt)
ON CONFLICT (repository_id, pull_request_number) DO NOTHING;

-- name: waitingMerges
SELECT pull_request_number AS "pullRequestNumber", merge_commit AS "mergeCommit", findings, heard_at AS "heardAt" FROM merges
WHERE repository_id = :repositoryId AND ended_at IS NULL
-- Merges with something to tell are not kept waiting by others.
ORDER BY is_silent, heard_at DESC
LIMIT :limit;

-- name: endMerge
UPDATE merges SET shown = :shown, ended_at = :now
WHERE repository_id = :repositoryId AND pull_request_number = :pullRequestNumber;

-- name: shownMerges
SELECT pull_request_number AS "pullRequestNumber", shown FROM merges
WHERE repository_id = :repositoryId AND ended_at IS NOT NULL
ORDER BY ended_at DESC, pull_request_number DESC;

-- name: saveTrunkSteps
INSERT INTO trunk_steps (repository_id, steps, found_at) VALUES (:repositoryId, :steps, :now)
ON CONFLICT (repository_id) DO UPDATE SET steps = excluded.steps, found_at = excluded.found_at;

-- name: trunkStepsOf
SELECT steps, found_at AS "foundAt" FROM trunk_steps WHERE repository_id = :repositoryId;

-- name: addStepMark
INSERT INTO step_marks (repository_id, step, state, assignee, reason, actor, actor_id, marked_at)
VALUES (:repositoryId, :step, :state, :assignee, :reason, :actor, :actorId, :markedAt);

-- name: stepMarksOf
SELECT step, state, assignee, reason, actor, actor_id AS "actorId", marked_at AS "markedAt"
FROM step_marks WHERE repository_id = :repositoryId ORDER BY id;

-- name: addRelease
INSERT INTO releases (repository_id, tag, commit_sha, committed_at, heard_at)
VALUES (:repositoryId, :tag, :commit, :time, :now)
ON CONFLICT (repository_id, tag) DO UPDATE
SET commit_sha = excluded.commit_sha, committed_at = excluded.committed_at, heard_at = excluded.heard_at;

-- name: dropOldReleases
DELETE FROM releases WHERE repository_id = :repositoryId AND tag NOT IN (
  SELECT tag FROM releases WHERE repository_id = :repositoryId ORDER BY committed_at DESC, tag DESC LIMIT :most
);

-- name: removeRelease
DELETE FROM releases WHERE repository_id = :repositoryId AND tag = :tag;

-- name: releasesOf
SELECT tag, commit_sha AS "commit", committed_at AS "time" FROM releases
WHERE repository_id = :repositoryId ORDER BY committed_at DESC, tag DESC;

-- name: addDigest
INSERT INTO digests (period, day, items, was_sent, done_at) VALUES (:period, :day, :items, :wasSent, :now)
ON CONFLICT (period, day) DO UPDATE SET items = excluded.items, was_sent = excluded.was_sent, done_at = excluded.done_at;

-- name: lastDigest
SELECT day, items FROM digests WHERE period = :period ORDER BY day DESC LIMIT 1;

-- name: pruneDigests
DELETE FROM digests WHERE period = :period AND day < :before;

-- name: pullRequestAsNow
SELECT 1 AS found FROM pull_requests
WHERE repository_id = :repositoryId AND number = :number AND author_id = :authorId AND login = :login
  AND was_merged = :wasMerged AND head_repo = :headRepo AND head_ref = :headRef AND base_ref = :baseRef;

-- name: sawPullRequest
INSERT INTO pull_requests (
  repository_id, number, author_id, login, was_merged, head_repo, head_ref, base_ref, opened_at
)
VALUES (
  :repositoryId, :number, :authorId, :login, :wasMerged, :headRepo, :headRef, :baseRef, :openedAt
)
ON CONFLICT (repository_id, number) DO UPDATE SET
  author_id = excluded.author_id, login = excluded.login, was_merged = excluded.was_merged,
  head_repo = excluded.head_repo, head_ref = excluded.head_ref, base_ref = excluded.base_ref;

-- name: accountHasLogin
UPDATE pull_requests SET login = :login
WHERE repository_id = :repositoryId AND author_id = :authorId AND login <> :login;

-- name: othersLostLogin
UPDATE pull_requests SET login = '#' || author_id
WHERE repository_id = :repositoryId AND login = :login AND author_id <> :authorId;

-- name: forgetStandingOfOthers
DELETE FROM standings WHERE repository_id = :repositoryId AND login = :login AND account_id <> :authorId;

-- name: pullRequestsBetween
SELECT number, login, head_repo AS "headRepo", head_ref AS "headRef", base_ref AS "baseRef", opened_at AS "openedAt"
FROM pull_requests WHERE repository_id = :repositoryId AND number BETWEEN :first AND :last
ORDER BY number;

-- name: saveStanding
INSERT INTO standings (repository_id, login, account_id, standing, until)
VALUES (:repositoryId, :login, :accountId, :standing, :until)
ON CONFLICT (repository_id, login) DO UPDATE SET
  account_id = excluded.account_id, standing = excluded.standing, until = excluded.until;

-- name: standingsOf
SELECT login, 'trusted' AS standing FROM pull_requests
WHERE repository_id = :repositoryId AND was_merged = 1
UNION
SELECT login, standing FROM standings
WHERE repository_id = :repositoryId AND until > :now
ORDER BY login, standing;

-- name: pruneStandings
DELETE FROM standings WHERE until <= :now;
