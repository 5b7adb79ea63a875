import { type QueryId, resultKey } from '../../intake/measurement/run.ts'
import { DAY } from '../../text/time.ts'
import type { HistoryFacts, TrunkMover } from '../history/history-facts.ts'
import type { FlaggedElsewhere } from '../history/trunk-series.ts'
import type { Outcome } from '../verdict/classified-query.ts'
import type { Evidence } from '../verdict/evidence/evidence.ts'
import type { EntryObservation } from './entry-life.ts'

/** The part of a report that says which queries moved in it. */
interface MovedInReport {
  readonly pullRequest: { readonly number: number }
  readonly shards: readonly { readonly check: string; readonly architecture: string | null }[]
  readonly rows: readonly Row[]
}

interface Row extends QueryId {
  readonly results: readonly { readonly architecture: string | null }[]
  readonly decidedBy: number
  readonly outcome: Outcome | null
  readonly evidence: readonly Evidence[]
}

/**
 * What the ledger learns of movers from one report: queries that move by themselves on the trunk, flagged here or not, and
 * those that move in pull requests that have nothing to do with each other. Chronic is only what the trunk shows: two days
 * in which everybody is flagged are no habit. A hit is a flag in a pull request, and the one of this report counts: 2
 * elsewhere and this one are 3 hits. Moves on the trunk are no hits; `trunkHits` counts them. `at` is in milliseconds.
 *
 * A mover of 14 in 214 trunk runs with flags in two other pull requests this week: 3 hits in 7 days, 2 unrelated pull
 * requests, 14 trunk hits, chronic. One with a learned threshold of 12% that moved by 8% in 20 of 214 trunk runs and is
 * never flagged: no hits, 20 trunk hits, chronic. A flagged row without such evidence, and one that was not flagged of a
 * query that is calm on the trunk: nothing.
 */
export function moverObservations(
  report: MovedInReport,
  history: HistoryFacts,
  at: number,
): readonly EntryObservation[] {
  const flagged = report.rows.map((row) => observationOf(row, report, history, at)).filter((seen) => seen !== null)
  const known = new Map((history.movers ?? []).map((mover) => [resultKey(mover), mover]))
  const both = flagged.map((seen) => {
    const mover = known.get(seen.signature)
    known.delete(seen.signature)
    if (mover === undefined) return seen
    return { ...seen, isChronic: true, trunkHits: Math.max(seen.trunkHits, mover.moves.times) }
  })
  return [...both, ...[...known.values()].map((mover) => observationOnTrunk(mover, report, at))]
}

/** A mover was seen last when it moved last, on the trunk or in a pull request: one that has become calm is to be closed. */
function observationOnTrunk(mover: TrunkMover, report: MovedInReport, at: number): EntryObservation {
  const { moves, flaggedElsewhere } = mover
  const hits = hitsOf(flaggedElsewhere, report, at)
  const times = [...hits.times, ...(moves.lastTime == null ? [] : [Math.min(moves.lastTime, at)])]
  return {
    kind: 'mover',
    testName: mover.test,
    checkName: checkOf(mover.architecture, report),
    signature: resultKey(mover),
    isChronic: true,
    firstSeen: times.length === 0 ? null : Math.min(...times),
    lastSeen: times.length === 0 ? null : Math.max(...times),
    ...hits.counts,
    trunkHits: moves.times,
  }
}

function observationOf(
  row: Row,
  report: MovedInReport,
  { queries }: HistoryFacts,
  at: number,
): EntryObservation | null {
  const moves = row.evidence.find((item) => item.kind === 'moves-on-trunk')
  const isFlagged = row.evidence.some(({ kind }) => kind === 'flagged-elsewhere')
  if (row.outcome !== 'changed' || (moves === undefined && !isFlagged)) return null

  const { architecture } = row.results[row.decidedBy]!
  const signature = resultKey({ ...row, architecture })
  const hits = hitsOf(queries.get(signature)?.flaggedElsewhere ?? [], report, at, [at])
  return {
    kind: 'mover',
    testName: row.test,
    checkName: checkOf(architecture, report),
    signature,
    isChronic: moves !== undefined,
    firstSeen: Math.min(...hits.times),
    lastSeen: at,
    ...hits.counts,
    trunkHits: moves?.times ?? 0,
  }
}

/** Flags in other pull requests until `at` of those whose word counts, and `own`, the times of those in this one. */
function hitsOf(
  flaggedElsewhere: readonly FlaggedElsewhere[],
  { pullRequest }: MovedInReport,
  at: number,
  own: readonly number[] = [],
) {
  const flags = flaggedElsewhere.filter(
    ({ pullRequestNumber, time, witness }) =>
      pullRequestNumber !== pullRequest.number && time <= at && witness !== null,
  )
  const times = [...flags.map(({ time }) => time), ...own]
  const within = (days: number) => times.filter((time) => at - time < days * DAY).length
  const unrelatedPullRequests = new Set(flags.map(({ witness }) => witness?.name)).size
  return { times, counts: { hits1: within(1), hits7: within(7), hits30: within(30), unrelatedPullRequests } }
}

/** The check that measured a query is not known here where there are several shards. */
function checkOf(architecture: string | null, { shards }: MovedInReport): string {
  const checks = shards.filter((shard) => shard.architecture === architecture)
  return checks.length === 1 ? checks[0]!.check : ''
}
