import { isOpen, type Verdict } from '../../src/judge/verdict/verdict.ts'
import { labelsOf } from '../../src/report/decisions.ts'
import type { TriageReport } from '../../src/report/report.ts'
import { type Rate, rateOf } from './intervals.ts'
import type { JudgedRun } from './settings.ts'

/** What the runs of one kind were called in one setting. Counts are of queries, each once per run. */
export interface Counts {
  readonly runs: number
  readonly queries: number
  readonly outcomes: Readonly<Record<string, number>>
  /** `none` where a row has none. */
  readonly verdicts: Readonly<Record<Verdict | 'none', number>>
  /** Rows that have a kind of evidence; a kind that no row has is not there. */
  readonly evidence: Readonly<Record<string, number>>
  readonly guarded: number
  /** Where the threshold for a change came from. */
  readonly thresholds: Readonly<Record<string, number>>
  /** Runs of which everything moved (`shardShift`). */
  readonly shifted: number
  /** Changed rows whose samples do not overlap: of two equal sides of 7 that is a chance of 2 in 3,432. */
  readonly separated: number
  /** Significantly slower by a notable size, whatever the evidence: what the outcome alone would call a regression. */
  readonly slower: Rate
  readonly faster: Rate
  readonly regression: Rate
  /** `regression` and `needs-rerun`. */
  readonly open: Rate
  readonly improvement: Rate
  /** Runs that get a label. */
  readonly labelled: Labelled
}

export interface Labelled {
  readonly slower: number
  readonly faster: number
}

export function countsOf(judged: readonly JudgedRun[]): Counts {
  const rows = judged.flatMap(({ report }) => report.rows)
  const rate = (isCounted: (row: (typeof rows)[number]) => boolean) =>
    rateOf(judged.map(({ report }) => ({ found: report.rows.filter(isCounted).length, queries: report.rows.length })))
  const isChanged = (direction: 'slower' | 'faster') => (row: (typeof rows)[number]) =>
    row.outcome === 'changed' && row.direction === direction
  const verdicts = {
    regression: 0,
    'needs-rerun': 0,
    'already-on-trunk': 0,
    'likely-noise': 0,
    acknowledged: 0,
    ignored: 0,
  }
  return {
    runs: judged.length,
    queries: rows.length,
    outcomes: tally(
      rows.map(({ outcome, direction }) => (outcome === 'changed' ? direction! : (outcome ?? 'not compared'))),
    ),
    verdicts: { ...verdicts, improvement: 0, none: 0, ...tally(rows.map(({ verdict }) => verdict ?? 'none')) },
    evidence: tally(rows.flatMap(({ evidence }) => [...new Set(evidence.map(({ kind }) => kind))])),
    guarded: rows.filter(({ guarded }) => guarded).length,
    thresholds: tally(rows.map(({ results, decidedBy }) => results[decidedBy]!.changedThresholdSource ?? 'none')),
    shifted: judged.filter(({ report }) => report.shifts.some(({ notable }) => notable)).length,
    separated: rows.filter(
      ({ outcome, results, decidedBy }) => outcome === 'changed' && results[decidedBy]!.separated === true,
    ).length,
    slower: rate(isChanged('slower')),
    faster: rate(isChanged('faster')),
    regression: rate(({ verdict }) => verdict === 'regression'),
    open: rate(({ verdict }) => isOpen(verdict)),
    improvement: rate(({ verdict }) => verdict === 'improvement'),
    labelled: labelsGiven(judged.map(({ report }) => report)),
  }
}

/** How many of these reports get which of the bot's labels. The reports are of heads that have no checks here. */
export function labelsGiven(reports: readonly TriageReport[]): Labelled {
  const given = reports.map((report) => labelsOf(report, { enabled: true, slower: 'slower', faster: 'faster' }) ?? [])
  const number = (label: string) => given.filter((labels) => labels.includes(label)).length
  return { slower: number('slower'), faster: number('faster') }
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
