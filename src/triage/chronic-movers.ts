import { type HistoryFacts, historyKey } from '../history/history-facts.ts'
import type { EntryObservation } from '../ledger/entry-life.ts'
import { queryKey } from '../measurement/run.ts'
import type { ReportRow, TriageReport } from './report.ts'

const DAY = 86_400_000

/**
 * What the ledger learns of movers from one report: queries that move as far on the trunk, or in pull requests that have
 * nothing to do with each other, as they did here. Chronic is only what the trunk shows (`moves-on-trunk`): two days in
 * which everybody is flagged are no habit. A hit is a flag, this one among them; what moved on the trunk is counted by
 * itself. `at` is in milliseconds.
 *
 * A mover of 14 in 214 trunk runs with flags in two other pull requests this week: 3 hits in 7 days, 2 unrelated pull
 * requests, 14 trunk hits, chronic. A row without evidence of either kind, or one that was not flagged: nothing.
 */
export function chronicMovers(report: TriageReport, history: HistoryFacts, at: number): readonly EntryObservation[] {
  return report.rows.map((row) => observationOf(row, report, history, at)).filter((seen) => seen !== null)
}

function observationOf(
  row: ReportRow,
  { shards, pullRequest }: TriageReport,
  { queries }: HistoryFacts,
  at: number,
): EntryObservation | null {
  const moves = row.evidence.find((item) => item.kind === 'moves-on-trunk')
  const isFlagged = row.evidence.some(({ kind }) => kind === 'flagged-elsewhere')
  if (row.outcome !== 'changed' || (moves === undefined && !isFlagged)) return null

  const { architecture } = row.results[row.decidedBy]!
  const signature = historyKey(queryKey(row), architecture)
  const flags = (queries.get(signature)?.flaggedElsewhere ?? []).filter(
    ({ pullRequestNumber, time }) => pullRequestNumber !== pullRequest.number && time <= at,
  )
  const times = [...flags.map(({ time }) => time), at]
  const within = (days: number) => times.filter((time) => at - time < days * DAY).length
  const checks = shards.filter((shard) => shard.architecture === architecture)
  return {
    kind: 'mover',
    testName: row.test,
    // Of several shards nobody knows here which one measured it.
    checkName: checks.length === 1 ? checks[0]!.check : '',
    signature,
    isChronic: moves !== undefined,
    firstSeen: times.reduce((first, time) => Math.min(first, time), at),
    lastSeen: at,
    hits1: within(1),
    hits7: within(7),
    hits30: within(30),
    unrelatedPullRequests: new Set(flags.map(({ pullRequestNumber }) => pullRequestNumber)).size,
    trunkHits: moves?.times ?? 0,
  }
}
