import type { JudgedFailure, Reason } from '../../judge/ledger/failure.ts'
import { isoTime } from '../../text/time.ts'
import { reasonWords } from './ledger-words.ts'

/**
 * A judged failure for other programs, the same on the page of a report and in `ledger lookup --json`: times are ISO 8601
 * in UTC, a signature of which there is none is null, and a reason has its words beside its numbers. Fields are added
 * freely, never renamed or dropped.
 */
export function failureJson(judged: JudgedFailure) {
  const { failure, lastTrunkPass } = judged
  const entry = judged.entry ?? null
  return {
    checkName: failure.checkName,
    testName: failure.testName,
    signature: failure.signature.kind === 'name' ? null : failure.signature.text,
    signatureKind: failure.signature.kind,
    status: failure.status,
    classification: judged.classification,
    unrelatedPullRequests: judged.unrelatedPullRequests,
    witnesses: judged.witnesses ?? null,
    hits: judged.hits,
    trunkHits: judged.trunkHits,
    hits14: judged.hits14 ?? null,
    hits30: judged.hits30 ?? null,
    runs: judged.runs,
    firstSeen: isoTime(judged.firstSeen),
    lastSeen: isoTime(judged.lastSeen),
    reasons: judged.reasons.map(reasonJson),
    causedBy: judged.causedBy,
    issue: judged.issue,
    time: isoTime(failure.time),
    commitSha: failure.commitSha,
    pullRequestNumber: failure.pullRequestNumber,
    passedOnRetry: failure.passedOnRetry,
    reportUrl: failure.reportUrl,
    trunkRate: judged.trunkRate,
    lastTrunkPass: lastTrunkPass === null ? null : { ...lastTrunkPass, time: isoTime(lastTrunkPass.time) },
    firstBadTrunkCommit: judged.firstBadTrunkCommit,
    examples: judged.examples.map((hit) => ({ ...hit, time: isoTime(hit.time) })),
    owner: judged.owner,
    proofUrl: judged.proofUrl,
    entry:
      entry === null
        ? null
        : {
            ...entry,
            firstSeen: isoTime(entry.firstSeen),
            openedAt: isoTime(entry.openedAt),
            expiresAt: isoTime(entry.expiresAt),
          },
  }
}

function reasonJson(reason: Reason) {
  return {
    ...reason,
    ...('start' in reason ? { start: isoTime(reason.start) } : {}),
    ...('since' in reason ? { since: isoTime(reason.since) } : {}),
    ...('from' in reason ? { from: isoTime(reason.from), to: isoTime(reason.to) } : {}),
    text: reasonWords(reason).replaceAll('\u00a0', ' '),
  }
}
