import type { ClassifiedQuery } from '../judge/verdict/classified-query.ts'
import { findingsOf, isSlower } from '../judge/verdict/findings.ts'
import type { Verdict } from '../judge/verdict/verdict.ts'
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

/** It may be slower, and another job has to show that: the head alone was measured, or the row leans that way. */
export function asksAgain(row: ReportRow): boolean {
  const { history, leans } = decisive(row)
  return row.verdict === 'needs-rerun' && (history?.asksAgain === true || leans !== undefined)
}

/** What a report says of its queries, in numbers: those of its headline, which are not those of the outcomes. */
export interface SaidCounts {
  readonly slower: number
  readonly faster: number
  /** Not slower beyond doubt, but to be measured again. */
  readonly doubtful: number
  /** Without a result in the new build, or failed in an unknown one. */
  readonly failed: number
  /** Open before, and not measured again or not seen again. */
  readonly standing: number
  readonly tooNoisy: number
  /** Runs that moved as a whole. */
  readonly wholeSlower: number
  readonly wholeFaster: number
}

export function saidCounts(report: TriageReport): SaidCounts {
  const findings = findingsOf(report)
  const wholeSlower = findings.wholeRun.filter(isSlower).length
  return {
    slower: findings.slower.length,
    faster: findings.faster.length,
    doubtful: withVerdict(findings.open, 'needs-rerun').filter(({ outcome }) => outcome !== 'changed').length,
    failed: findings.failedInNew.length + findings.failedUnknown.length,
    standing: findings.notMeasuredAgain.length + findings.notSeenAgain.length,
    tooNoisy: findings.tooNoisy.length,
    wholeSlower,
    wholeFaster: findings.wholeRun.length - wholeSlower,
  }
}
