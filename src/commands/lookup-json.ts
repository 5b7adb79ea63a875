import type { FailingTests, JudgedFailure, TrunkExecution } from '../ledger/failure.ts'
import { failureJson } from '../render/failure-json.ts'
import { isoTime } from '../text/time.ts'

/** `ledger lookup --json`. Fields are added freely, never renamed or dropped. */
const JSON_SCHEMA_VERSION = 1

export interface LookupDocument extends Pick<FailingTests, 'source' | 'lookbackDays' | 'problem' | 'notJudged'> {
  readonly failures: readonly LookedUp[]
  /** Names of tests that are like the one that did not fail. */
  readonly suggestions: readonly string[]
}

export interface LookedUp {
  readonly judged: JudgedFailure
  /** The end of the lookback, in milliseconds. */
  readonly until: number
  /** The newest pass on the trunk after the failure, in its check; null: none, or nobody looked. */
  readonly passedSince: TrunkExecution | null
}

/** The document of `ledger lookup --json`: times are ISO 8601, and a reason has its words beside its numbers. */
export function lookupJson(lookup: LookupDocument): string {
  const { source, lookbackDays, problem, notJudged, failures, suggestions } = lookup
  const document = {
    schemaVersion: JSON_SCHEMA_VERSION,
    lookbackDays,
    source,
    problem,
    notJudged,
    failures: failures.map(lookedUpJson),
    suggestions,
  }
  return JSON.stringify(document, null, 2)
}

function lookedUpJson({ judged, until, passedSince }: LookedUp) {
  return {
    ...failureJson(judged),
    asOf: isoTime(until),
    passedOnTrunkSince:
      passedSince === null ? null : { commitSha: passedSince.commitSha, time: isoTime(passedSince.time) },
  }
}
