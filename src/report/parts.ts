import type { QueryId } from '../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../judge/verdict/classified-query.ts'
import type { Verdict } from '../judge/verdict/verdict.ts'
import { counted } from '../text/numbers.ts'
import type { ReportRow, Shard, TriageReport } from './report.ts'

/** Questions about a report and its rows that several places ask. */

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

/** It may be slower, and another job has to show that: the head alone was measured, or the row leans that way. */
export function asksAgain(row: ReportRow): boolean {
  const { history, leans } = decisive(row)
  return row.verdict === 'needs-rerun' && (history?.asksAgain === true || leans !== undefined)
}

/** What a row is: what a tool without positions in a test measures is a benchmark. One and several. */
export function nounsOf(rows: readonly Pick<QueryId, 'queryIndex'>[]): readonly [one: string, many: string] {
  const areBenchmarks = rows.length > 0 && rows.every(({ queryIndex }) => queryIndex === null)
  return areBenchmarks ? ['benchmark', 'benchmarks'] : ['query', 'queries']
}

/** `67 queries`, `1 benchmark` */
export function nounOf(report: Pick<TriageReport, 'rows'>, number: number): string {
  return counted(number, ...nounsOf(report.rows))
}

/** `CPU samples`, `wall-clock samples`, `allocated bytes`: what the shares are of. */
export function sampledWords({ traceType }: NonNullable<ReportRow['profile']>): string {
  if (traceType === 'CPU') return 'CPU samples'
  return traceType === 'Real' ? 'wall-clock samples' : 'allocated bytes'
}
