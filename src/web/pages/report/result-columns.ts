import { html } from 'hono/html'
import { type ClassifiedQuery, shownValue } from '../../../judge/verdict/classified-query.ts'
import { slowdownOf } from '../../../judge/verdict/direction.ts'
import { decisive } from '../../../report/parts.ts'
import { largestThreshold } from '../../../report/render/facts.ts'
import { notComparedWord } from '../../../report/render/sections/not-measured.ts'
import type { ReportRow, TriageReport } from '../../../report/report.ts'
import { FAILED_IN, ofSides, RESULT, type SidedColumn } from '../../../report/row/columns.ts'
import {
  MEASUREMENT_WORDS,
  NOTE_WORDS,
  OUTCOME_WORDS,
  STATUS_REASON_WORDS,
  THRESHOLD_SOURCE_WORDS,
} from '../../../report/words.ts'
import { plainText } from '../../../text/markdown.ts'
import { counted, moved, percent, thresholdPercent, values } from '../../../text/numbers.ts'
import { ofPart, tsvTable } from '../../../text/table.ts'
import type { TextInPieces } from '../../../text/text-pieces.ts'
import type { Term } from '../../../text/word.ts'
import type { Html } from '../../kit/layout.ts'
import { cells, numberCell, textColumn } from '../../kit/table.ts'
import { architectureName, explained, said } from '../../kit/word.ts'

/** A query on one architecture, as a line of the TSV and of the tables of a report and of a query. */
export interface Line {
  readonly result: ClassifiedQuery
  readonly row: ReportRow
  readonly report: TriageReport
  /** False: of an earlier run of the head, with the numbers of then. */
  readonly isMeasuredNow: boolean
}

/** An order of the rows, by the result that decides each. */
export interface Sort {
  /** As an address has it: `rank-p`. */
  readonly key: string
  readonly words: string
  /** Smallest first; absent: largest. */
  readonly ascending?: true
  /** A row without one stands last in either direction. Absent: the report's own order, or that of names. */
  readonly value?: (result: ClassifiedQuery) => number | null
}

export const WORST: Sort = { key: 'worst', words: 'worst first' }
export const BY_TEST: Sort = { key: 'test', words: 'by test', ascending: true }

export interface ResultColumn extends SidedColumn<Line> {
  readonly sort?: Sort
  /** It stands beside the name of a query, where not every number is asked for. */
  readonly isMain?: true
  /** What it shows, where no word of the glossary says it. */
  readonly meaning?: string
  /** The second line of its heading, linked to what `word` means. */
  readonly hint?: string
  readonly word?: Term
  /** The same where the usual number of repetitions is said above the table. */
  readonly beside?: (same: SameRepetitions) => Pick<ResultColumn, 'cell'>
  /** How it is headed where the head alone was measured. */
  readonly alone?: Pick<ResultColumn, 'heading' | 'hint' | 'word'>
}

const WORDS = MEASUREMENT_WORDS

type Shown = Omit<ResultColumn, 'key' | 'value'>

/** What a page shows of the columns of a result, by their keys. */
const SHOWN: Readonly<Record<string, Shown>> = {
  architecture: { sort: BY_TEST, cell: architectureCell },
  old_median: {
    ...medianOf('old', WORDS.old),
    alone: { heading: 'Baseline', hint: 'level × runs', word: WORDS.trunkLevel },
  },
  new_median: {
    ...medianOf('new', WORDS.new),
    alone: { heading: 'This run', hint: 'nearest × jobs', word: WORDS.thisRun },
  },
  difference: {
    sort: { key: 'difference', words: 'largest slowdown first', value: slowdownOf },
    isMain: true,
    hint: 'of the medians',
    word: WORDS.difference,
    alone: { heading: 'Change', hint: 'from the baseline' },
    shown: (value, { result }) => moved(value, shownValue(result.old), shownValue(result.new)),
  },
  threshold: {
    sides: 'two',
    sort: { key: 'threshold', words: 'largest threshold first', value: ({ threshold }) => threshold },
    isMain: true,
    hint: 'of 1% by noise',
    word: WORDS.threshold,
    shown: (threshold, { result }) => `${largestThreshold(result) === null ? '' : '≤\u00a0'}${percent(threshold)}`,
  },
  p_value: {
    sort: { key: 'p', words: 'smallest p first', ascending: true, value: (result) => result.pValue },
    isMain: true,
    hint: 'randomization test',
    word: WORDS.pValue,
  },
  rank_p_value: {
    sort: { key: 'rank-p', words: 'smallest rank p first', ascending: true, value: ({ rankPValue }) => rankPValue },
    hint: 'Mann-Whitney',
    word: WORDS.rankPValue,
  },
  q_value: {
    sort: { key: 'q', words: 'smallest q first', ascending: true, value: ({ qValue }) => qValue },
    hint: 'Benjamini-Hochberg',
    word: WORDS.qValue,
  },
  separated: {
    sides: 'two',
    hint: 'of the samples',
    word: WORDS.overlap,
    ...textColumn('Overlap', ({ result: { separated } }: Line) =>
      separated === null ? '–' : separated ? 'none' : 'yes',
    ),
  },
  changed_threshold: bound('changed', { heading: 'Flagged from', word: WORDS.flaggedFrom }),
  unstable_threshold: bound('unstable', { heading: 'Unstable from', word: WORDS.unstableFrom, sides: 'two' }),
  notes: textColumn('Notes', ({ result: { notes } }: Line) =>
    notes.length === 0
      ? '–'
      : html`${notes.map((note, index) => html`${index === 0 ? '' : ', '}${said(NOTE_WORDS[note])}`)}`,
  ),
}

/** What stands on a page alone, by the key of the column before it. */
const AFTER: Readonly<Record<string, ResultColumn>> = {
  architecture: { ...textColumn('Outcome', ({ result }: Line) => outcomeOf(result)), sort: WORST },
  difference: {
    heading: 'Detectable from',
    isNumber: true,
    sides: 'one',
    isMain: true,
    hint: 'smallest change',
    word: WORDS.showsFrom,
    cell: showsFromCell,
  },
}

/**
 * The report as ClickHouse's TabSeparatedWithNames has a line per query and architecture, every number unrounded, `\N` where
 * there is none. Lists (notes, evidence) are JSON; names and texts are cut as `tsvText` does.
 */
const COLUMNS: readonly ResultColumn[] = [
  { key: 'repository', value: ({ report: { repository } }) => `${repository.owner}/${repository.name}` },
  { key: 'pull_request_number', value: ({ report: { pullRequest } }) => pullRequest.number },
  { key: 'head', value: ({ report: { head } }) => head },
  { key: 'mode', value: ({ report: { mode } }) => mode },
  ...ofPart(RESULT, ({ result }: Line) => result).flatMap((column) => [
    { ...column, ...SHOWN[column.key!] },
    ...[AFTER[column.key!] ?? []].flat(),
  ]),
  { key: 'decides', value: ({ result, row }) => decisive(row) === result },
  { key: 'verdict', value: ({ row }) => row.verdict },
  { key: 'guarded', value: ({ row }) => row.guarded },
  { key: 'since_last_push', value: ({ row }) => row.sinceLastPush },
  { key: 'evidence', value: ({ row }) => JSON.stringify(row.evidence) },
  ...ofPart([FAILED_IN], ({ result }: Line) => result),
  { key: 'measured_again', value: ({ isMeasuredNow }) => isMeasuredNow },
]

/** The orders of a report, as a person chooses among them. */
export const SORTS: readonly Sort[] = [...new Set([WORST, BY_TEST, ...COLUMNS.flatMap(({ sort }) => sort ?? [])])]

/** The columns of a table. */
export interface ResultColumns {
  readonly all: readonly ResultColumn[]
  /** Those that stand beside the name of a query: the outcome is among the words below it. */
  readonly main: readonly ResultColumn[]
  /** All of them but the architecture, which stands with the name. */
  readonly further: readonly ResultColumn[]
}

function resultColumns(all: readonly ResultColumn[]): ResultColumns {
  return { all, main: all.filter(({ isMain }) => isMain), further: all.filter(({ key }) => key !== 'architecture') }
}

const ON_PAGE = COLUMNS.filter(({ heading }) => heading !== undefined)

const TWO_SIDED = resultColumns(ofSides(ON_PAGE, 'two'))

/** The head alone has no old build, and no p: the trunk's level, this run, the change and what the history can show. */
const ONE_SIDED = resultColumns(ofSides(ON_PAGE, 'one').map(({ alone, ...column }) => ({ ...column, ...alone })))

function showsFromCell({ result: { history } }: Line, name: string): Html {
  return history?.isExact === true
    ? html`<td class="n" data-name="${name}">any</td>`
    : numberCell(name, history?.reach ?? null, percent)
}

/** All that was compared is of runs of the head alone. */
export function isOneSided(rows: readonly ReportRow[]): boolean {
  const compared = rows.flatMap(({ results }) => results).filter(({ status }) => status === 'compared')
  return compared.length > 0 && compared.every(({ history }) => history !== undefined)
}

export function columnsOf(rows: readonly ReportRow[]): ResultColumns {
  return isOneSided(rows) ? ONE_SIDED : TWO_SIDED
}

function architectureCell({ result, row, report }: Line): Html {
  const unnamed = report.architectures.length > 1 ? 'unnamed' : '–'
  const name = result.architecture === null ? unnamed : architectureName(result.architecture)
  return html`<th scope="row"${name === '–' ? html` class="none"` : ''}>${name}${decides(row, result) ? html` <small>decides</small>` : ''}</th>`
}

/** Whether the outcome of the row is that of this one of several architectures. */
export function decides(row: ReportRow, result: ClassifiedQuery): boolean {
  return row.results.length > 1 && decisive(row) === result
}

function medianOf(side: 'old' | 'new', word: Term): Shown {
  const shown = ({ unit }: ClassifiedQuery) => (unit === null ? null : plainText(unit, 20))
  const cellBeside =
    (usual: string | null): NonNullable<ResultColumn['cell']> =>
    ({ result }, name) => {
      const often = repetitionsOf(result, side)
      const after = often === usual ? undefined : html`<small>${often}</small>`
      return numberCell(name, shownValue(result[side]), (value) => values([value], shown(result)), after)
    }
  return {
    sort: { key: side, words: `slowest ${side} median first`, value: (result) => result[side].median },
    isMain: true,
    hint: 'median × repetitions',
    word,
    cell: cellBeside(null),
    beside: (same) => ({ cell: cellBeside(same[side]) }),
  }
}

/** `× 5`; of a tool’s summary what it is of them, `mean × 5`; where the head alone was measured, `20 trunk runs` and `2 jobs`. */
function repetitionsOf(result: ClassifiedQuery, side: 'old' | 'new'): string {
  const { repetitions, given } = result[side]
  if (result.history !== undefined && repetitions !== null)
    return side === 'old'
      ? counted(repetitions, 'run on the main branch', 'runs on the main branch')
      : counted(repetitions, 'job', 'jobs')
  return [given?.kind ?? '', repetitions === null ? '' : `× ${repetitions}`].filter((part) => part !== '').join(' ')
}

/** How often all that was compared was measured, as the cells have it and in words. */
export interface SameRepetitions {
  readonly old: string
  readonly new: string
  /** `7 + 7 repetitions`. */
  readonly words: string
}

/** null: not all of them the same, or something else than repetitions. */
export function sameRepetitions(rows: readonly ReportRow[]): SameRepetitions | null {
  const compared = rows.flatMap(({ results }) => results).filter(({ status }) => status === 'compared')
  const of = (side: 'old' | 'new') => [...new Set(compared.map((one) => repetitionsOf(one, side)))]
  const [[old = '', ...others], [fresh = '', ...more]] = [of('old'), of('new')]
  if (others.length + more.length > 0 || ![old, fresh].every((one) => /^× \d+$/.test(one))) return null
  const words = `${old.slice(2)} + ${fresh.slice(2)} repetitions`
  return { old, new: fresh, words }
}

/** The columns without what is said above the table: only what was measured otherwise says how often. */
export function withoutRepetitions(
  columns: readonly ResultColumn[],
  same: SameRepetitions | null,
): readonly ResultColumn[] {
  if (same === null) return columns
  return columns.map((column) => ({ ...column, ...column.beside?.(same) }))
}

function bound(outcome: 'changed' | 'unstable', onPage: Pick<ResultColumn, 'heading' | 'word' | 'sides'>): Shown {
  return {
    ...onPage,
    isNumber: true,
    hint: 'and its source',
    cell: ({ result }, name) => {
      const source = result[`${outcome}ThresholdSource`]
      const from = source === null ? undefined : html`<small>${said(THRESHOLD_SOURCE_WORDS[source])}</small>`
      return numberCell(name, result[`${outcome}Threshold`], thresholdPercent, from)
    },
  }
}

/** The head of a column of one query, which has nothing to sort. */
export function plainColumnHead(column: ResultColumn): Html {
  return html`<th scope="col"${column.isNumber ? html` class="n"` : ''}>${column.heading}${hintOf(column)}</th>`
}

function hintOf({ hint, word }: Pick<ResultColumn, 'hint' | 'word'>): Html | string {
  if (hint === undefined) return ''
  return html` <small>${word === undefined ? hint : explained(word, hint)}</small>`
}

/** The numbers of a query on one architecture. */
export function resultRow(result: ClassifiedQuery, row: ReportRow, report: TriageReport): Html {
  return html`<tr${decides(row, result) ? html` class="decides"` : ''}>${cells(columnsOf([row]).all, { result, row, report, isMeasuredNow: true })}</tr>
`
}

/** Of one that is not told by the row: how it ended, in a word. */
export function outcomeOf(result: ClassifiedQuery): Html {
  if (result.outcome === null) {
    const reason = result.statusReason === null ? '' : html`: ${said(STATUS_REASON_WORDS[result.statusReason])}`
    return html`${said(notComparedWord(result))}${reason}`
  }
  if (result.outcome === 'changed') {
    return html`<b class="${result.direction ?? ''}">${result.direction ?? OUTCOME_WORDS.changed.term}</b>`
  }
  // The direction of what is not a change is said, but not as a finding.
  return html`${said(OUTCOME_WORDS[result.outcome])}${result.direction === null ? '' : html` <small>(${result.direction})</small>`}`
}

/** UTF-8, every line ended, rows in the order of the report, those of earlier runs that stand behind them. */
export function reportTsv(report: TriageReport): TextInPieces {
  return tsvTable(COLUMNS, () => linesOf(report))
}

function* linesOf(report: TriageReport): Generator<Line> {
  const measured = [
    [report.rows, true],
    [report.notMeasuredAgain ?? [], false],
    [report.notSeenAgain ?? [], false],
  ] as const
  for (const [rows, isMeasuredNow] of measured)
    for (const row of rows) for (const result of row.results) yield { result, row, report, isMeasuredNow }
}
