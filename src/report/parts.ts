import type { ClassifiedQuery } from '../verdict/classified-query.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { ReportRow, Shard, TriageReport } from './report.ts'

export interface ShardTally {
  readonly total: number
  readonly measured: number
  /** Still running, or not started while others run. */
  readonly awaited: readonly Shard[]
  /** Ended without results, or not waited for any longer. */
  readonly lost: readonly Shard[]
  /** Skipped on purpose, and counted nowhere above. */
  readonly skipped: readonly Shard[]
}

export function hasResults(report: TriageReport): boolean {
  return report.shards.some((shard) => shard.state === 'measured') || report.rows.length > 0
}

export function shardTally(report: Pick<TriageReport, 'shards' | 'complete'>): ShardTally {
  const skipped = report.shards.filter(({ state }) => state === 'skipped')
  const expected = report.shards.filter(({ state }) => state !== 'skipped')
  const isLost = ({ state }: Shard) => state === 'failed' || (state !== 'measured' && report.complete)
  return {
    total: expected.length,
    measured: expected.filter((shard) => shard.state === 'measured').length,
    awaited: expected.filter((shard) => shard.state !== 'measured' && !isLost(shard)),
    lost: expected.filter(isLost),
    skipped,
  }
}

export function withVerdict(rows: readonly ReportRow[], verdict: Verdict): readonly ReportRow[] {
  return rows.filter((row) => row.verdict === verdict)
}

/** The result that decides the row. */
export function decisive(row: ReportRow): ClassifiedQuery {
  return row.results[row.decidedBy]!
}

/** The head alone was measured, it is slower, and another job has to show that. */
export function asksAgain(row: ReportRow): boolean {
  return row.verdict === 'needs-rerun' && decisive(row).history?.asksAgain === true
}
