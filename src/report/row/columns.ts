import type { QueryId } from '../../intake/measurement/run.ts'
import { type ClassifiedQuery, shownValue } from '../../judge/verdict/classified-query.ts'
import { percent, pValue, signedPercent } from '../../text/numbers.ts'
import { type Column, tsvText } from '../../text/table.ts'

/** A row of a query in the TSV, on pages and on a terminal. A table adds what its rows are beside, a page its links and hints. */

export const QUERY_COLUMNS: readonly Column<QueryId>[] = [
  { key: 'test', value: ({ test }) => tsvText(test) },
  { key: 'query_index', value: ({ queryIndex }) => queryIndex },
  { key: 'query_name', value: ({ queryName }) => tsvText(queryName) },
]

/**
 * `two`: of a table that compares two builds. `one`: of one that has the head alone, which the trunk's history judges. Absent: of
 * both.
 */
export interface SidedColumn<Row> extends Column<Row> {
  readonly sides?: 'one' | 'two'
}

/** Those of a table in which so many sides were measured. */
export function ofSides<Sided extends Pick<SidedColumn<never>, 'sides'>>(
  columns: readonly Sided[],
  measured: 'one' | 'two',
): readonly Sided[] {
  return columns.filter(({ sides = measured }) => sides === measured)
}

type Columns<Row> = Readonly<Record<string, SidedColumn<Row>>>
type Of = Pick<ClassifiedQuery, 'metric' | 'unit' | 'architecture'>
type Sides = Readonly<Record<'old' | 'new', Pick<ClassifiedQuery['old'], 'median' | 'repetitions'>>>

/** What it was measured by, and where. */
export const OF = {
  metric: { key: 'metric', value: ({ metric }) => tsvText(metric) },
  unit: { key: 'unit', value: ({ unit }) => tsvText(unit) },
  architecture: { key: 'architecture', value: ({ architecture }) => tsvText(architecture), heading: 'Architecture' },
} as const satisfies Columns<Of>

/** Two sides, however they were compared. */
export const SIDES = {
  oldMedian: { key: 'old_median', value: ({ old }) => old.median, heading: 'Old', isNumber: true },
  oldRepetitions: { key: 'old_repetitions', value: ({ old }) => old.repetitions },
  newMedian: { key: 'new_median', value: ({ new: fresh }) => fresh.median, heading: 'New', isNumber: true },
  newRepetitions: { key: 'new_repetitions', value: ({ new: fresh }) => fresh.repetitions },
} as const satisfies Columns<Sides>

/** A fraction of the old median. */
export const DIFFERENCE = {
  key: 'difference',
  value: ({ difference }) => difference,
  heading: 'Difference',
  isNumber: true,
  shown: signedPercent,
} as const satisfies Column<Pick<ClassifiedQuery, 'difference'>>

/** The exact test and what followed from it. */
export const JUDGED = {
  threshold: {
    key: 'threshold',
    value: ({ threshold }) => threshold,
    heading: 'Threshold',
    isNumber: true,
    shown: percent,
  },
  pValue: {
    key: 'p_value',
    value: (row) => row.pValue,
    heading: 'p',
    isNumber: true,
    shown: pValue,
    sides: 'two',
  },
  outcome: { key: 'outcome', value: ({ outcome }) => outcome },
} as const satisfies Columns<Pick<ClassifiedQuery, 'threshold' | 'pValue' | 'outcome'>>

/** A query on one architecture, in the order in which every TSV has it. */
export const RESULT: readonly SidedColumn<ClassifiedQuery>[] = [
  ...QUERY_COLUMNS,
  OF.metric,
  OF.unit,
  { key: 'better', value: ({ better }) => better ?? 'lower' },
  OF.architecture,
  { key: 'status', value: ({ status }) => status },
  { key: 'status_reason', value: ({ statusReason }) => statusReason },
  SIDES.oldMedian,
  SIDES.oldRepetitions,
  SIDES.newMedian,
  SIDES.newRepetitions,
  DIFFERENCE,
  JUDGED.threshold,
  JUDGED.pValue,
  { ...JUDGED.pValue, key: 'rank_p_value', value: ({ rankPValue }) => rankPValue, heading: 'Rank p' },
  { ...JUDGED.pValue, key: 'q_value', value: ({ qValue }) => qValue, heading: 'q' },
  { key: 'smallest_p_value', value: ({ smallestPValue }) => smallestPValue },
  { key: 'separated', value: ({ separated }) => separated },
  JUDGED.outcome,
  { key: 'direction', value: ({ direction }) => direction },
  { key: 'changed_threshold', value: ({ changedThreshold }) => changedThreshold },
  { key: 'changed_threshold_source', value: ({ changedThresholdSource }) => changedThresholdSource },
  { key: 'unstable_threshold', value: ({ unstableThreshold }) => unstableThreshold },
  { key: 'unstable_threshold_source', value: ({ unstableThresholdSource }) => unstableThresholdSource },
  { key: 'notes', value: ({ notes }) => JSON.stringify(notes) },
]

export const FAILED_IN: Column<ClassifiedQuery> = { key: 'failed_in', value: ({ failedIn }) => failedIn ?? null }

/** As a terminal prints it: last the values that tools give without samples. */
export const RESULT_COLUMNS: readonly Column<ClassifiedQuery>[] = [
  ...RESULT,
  FAILED_IN,
  { key: 'old_value', value: ({ old }) => shownValue(old) },
  { key: 'new_value', value: (row) => shownValue(row.new) },
]
