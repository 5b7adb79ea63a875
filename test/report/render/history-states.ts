import type { HistoryProblem } from '../../../src/judge/history/trunk-series.ts'
import type { Evidence } from '../../../src/judge/verdict/evidence/evidence.ts'
import { isBecauseOfChange } from '../../../src/judge/verdict/verdict.ts'
import type { ReportHistory, TriageReport } from '../../../src/report/report.ts'
import { changed, quiet, report, row } from './report-builder.ts'
import type { State } from './states.ts'

const MEASURED = Date.parse('2026-11-21T11:40:00Z')
const STILL: Evidence = { kind: 'still-on-trunk', architecture: null, runs: 214, lowest: -0.021, highest: 0.034 }
const MOVES: Evidence = { kind: 'moves-on-trunk', architecture: null, times: 14, runs: 214, lowest: -0.2, highest: 0.3 }
const takesBack = (step: number): Evidence => ({
  kind: 'takes-back',
  architecture: null,
  commit: '3f0a4db5c6e7f8091a2b3c4d5e6f708192a3b4c5',
  time: Date.parse('2026-11-03T09:00:00Z'),
  step,
})
const STALE: Evidence = { kind: 'stale-reference', commit: '5b7f2aa', commitsBeforeMergeBase: 14 }

const learned = { changedThresholdSource: 'learned', changedThreshold: 0.061 } as const
const slower = (test: string, evidence: readonly Evidence[]) =>
  row(test, 3, [changed(0.6391, 0.7588, learned)], { evidence })
const noise = row('sum_if', 1, [changed(0.1, 0.11, { ...learned, separated: false })], {
  verdict: 'likely-noise',
  evidence: [MOVES],
})

const THERE: ReportHistory = {
  provenance: { source: 'ci-database', learned: 58, floor: 12, newest: MEASURED - 6 * 3600_000 },
  problem: null,
  measuredAt: MEASURED,
}

function withHistory(history: ReportHistory, rows: TriageReport['rows']): State {
  const degradations: TriageReport['degradations'] = history.problem === null ? [] : ['history-not-available']
  const learnedHere = history.provenance?.learned ?? 0
  const thresholdSources = { floor: 70 - learnedHere, configured: 0, test: 0, learned: learnedHere, given: 0 }
  const isThere = history.provenance !== null && history.problem === null
  const marked = rows.map((one) =>
    isBecauseOfChange(one.verdict, one.evidence, isThere) ? { ...one, becauseOfChange: true as const } : one,
  )
  return { report: report([...marked, ...quiet(67)], { history, degradations, thresholdSources }) }
}

const down = (problem: HistoryProblem) =>
  withHistory({ provenance: null, problem, measuredAt: MEASURED }, [slower('join_hash', [STILL])])

export const HISTORY_STATES: Readonly<Record<string, State>> = {
  'history-because-of-change': withHistory(THERE, [slower('join_hash', [STILL])]),
  'history-some-because-of-change': withHistory(THERE, [
    slower('join_hash', [STILL]),
    slower('sort_limit_by', [STILL, STALE]),
    noise,
  ]),
  'history-takes-back': withHistory(THERE, [
    slower('sort_limit_by', [takesBack(-0.163), STILL]),
    row('join_hash', 3, [changed(0.7588, 0.6119, learned)], { evidence: [takesBack(0.24), STILL] }),
    row('string_functions', 0, [changed(0.2, 0.1801, learned)], { evidence: [STILL] }),
  ]),
  'history-young': withHistory(
    {
      ...THERE,
      provenance: {
        source: 'own',
        learned: 0,
        floor: 70,
        newest: MEASURED - 45 * 60_000,
        tooShort: { runs: 23, moreThan: 100, days: 30, endedDaysAgo: 7 },
      },
    },
    [slower('join_hash', [])],
  ),
  'history-empty': down('empty'),
  'history-unreachable': down('unreachable'),
  'history-missing-table': down('missing-table'),
  'history-partly': withHistory({ ...THERE, problem: 'too-slow' }, [slower('join_hash', [STILL])]),
}
