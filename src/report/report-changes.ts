import { type QueryId, queryKey } from '../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../judge/verdict/classified-query.ts'
import { decisive } from './parts.ts'
import type { Decisions, ReportRow, TriageReport } from './report.ts'

/** A row as one of two reports has it. */
export interface RowState
  extends Pick<ReportRow, 'verdict' | 'outcome' | 'direction' | 'guarded'>,
    Pick<ClassifiedQuery, 'difference' | 'threshold' | 'changedThreshold'> {
  /** By their kinds. */
  readonly evidence: readonly string[]
}

export interface RowChange extends QueryId {
  readonly metric: string
  /** That of the deciding result, in the later report where it has the row. */
  readonly architecture: string | null
  /** Null: the report has no such row. */
  readonly before: RowState | null
  readonly after: RowState | null
}

const DECIDED = ['comment', 'conclusion', 'labels', 'unknowns'] as const

/** One part of what the bot does about a report, before and after. */
export interface DecisionChange {
  readonly part: (typeof DECIDED)[number]
  readonly before: Decisions[DecisionChange['part']]
  readonly after: Decisions[DecisionChange['part']]
}

export interface ReportChanges {
  /** In the order of the later report, then what only the earlier one has. */
  readonly rows: readonly RowChange[]
  readonly decisions: readonly DecisionChange[]
}

/**
 * How two reports of the same measurements differ: rows with another verdict, outcome or guard, and what is done about them.
 * Evidence alone that comes or goes is no difference; the words of the comment show it.
 */
export function reportChanges(before: TriageReport, after: TriageReport): ReportChanges {
  const earlier = new Map(before.rows.map((row) => [keyOf(row), row]))
  const later = new Set(after.rows.map(keyOf))
  const pairs: (readonly [ReportRow | null, ReportRow | null])[] = [
    ...after.rows.map((row) => [earlier.get(keyOf(row)) ?? null, row] as const),
    ...before.rows.filter((row) => !later.has(keyOf(row))).map((row) => [row, null] as const),
  ]
  return {
    rows: pairs.filter(([was, is]) => wordOf(was) !== wordOf(is)).map(([was, is]) => rowChange(was, is)),
    decisions: DECIDED.flatMap((part): DecisionChange[] => {
      // A report from before decisions were stored says nothing of them.
      if (before.decisions === undefined || after.decisions === undefined) return []
      const change = { part, before: before.decisions[part], after: after.decisions[part] }
      return JSON.stringify(change.before) === JSON.stringify(change.after) ? [] : [change]
    }),
  }
}

function keyOf(row: ReportRow): string {
  return JSON.stringify([queryKey(row), row.metric])
}

function wordOf(row: ReportRow | null): string {
  if (row === null) return ''
  const { verdict, outcome, direction, guarded } = row
  return JSON.stringify([verdict, outcome, direction, guarded])
}

function rowChange(was: ReportRow | null, is: ReportRow | null): RowChange {
  const shown = (is ?? was)!
  return {
    test: shown.test,
    queryIndex: shown.queryIndex,
    queryName: shown.queryName,
    ...(shown.ordinal === undefined ? {} : { ordinal: shown.ordinal }),
    metric: shown.metric,
    architecture: decisive(shown).architecture,
    before: was === null ? null : stateOf(was),
    after: is === null ? null : stateOf(is),
  }
}

function stateOf(row: ReportRow): RowState {
  const { verdict, outcome, direction, guarded, evidence } = row
  const { difference, threshold, changedThreshold } = decisive(row)
  const kinds = evidence.map(({ kind }) => kind)
  return { verdict, outcome, direction, guarded, difference, threshold, changedThreshold, evidence: kinds }
}
