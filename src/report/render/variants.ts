import { queryKey, unreadParts } from '../../intake/measurement/run.ts'
import { type ClassifiedQuery, countedRows, shownValue } from '../../judge/verdict/classified-query.ts'
import { NEEDED_REPETITIONS } from '../../judge/verdict/evidence/own-measurement.ts'
import { isLargestThreshold } from '../../judge/verdict/thresholds.ts'
import { codeSpan, fold, MESSAGE_LIMIT, NAME_LIMIT, tableHead, tableRow, word } from '../../text/markdown.ts'
import { count, counted, moved, percent, pValue, values } from '../../text/numbers.ts'
import { code, type Phrase, phrase, toMarkdown } from '../../text/phrase.ts'
import { queryCode } from '../row/name.ts'
import {
  anyOf,
  type ComparedVariant,
  together,
  type VariantRow,
  type VariantsReport,
  variantRows,
} from '../variants.ts'
import { OUTCOME_WORDS, STATUS_WORDS, UNDIRECTED_WORDS } from '../words.ts'
import { COMMENT_LIMIT } from './comment.ts'
import { onceLines, suiteLines, waitingLines } from './comparison-words.ts'
import { fitLines } from './layout.ts'
import { UNREAD_WORDS } from './sections/headline.ts'

/** Rows in the table that stands open; the rest is folded below it. */
const OPEN_ROWS = 20
/** Warnings that are shown; more are a number. */
const SHOWN_WARNINGS = 5
/** Kept free for what stands below the tables. */
const RESERVE = 600

/** The comment on several variants, each against the first, in one table: the same report gives the same bytes. */
export function renderVariants(report: VariantsReport): string {
  const { results, warnings } = together(report)
  const top = [
    `### ${headline(report)}`,
    variantPhrases(report)
      .map(({ line, of }) => [`- ${toMarkdown(line)}`, ...of.map((one) => `  - ${toMarkdown(one)}`)].join('\n'))
      .join('\n'),
    ...onceLines(results, NEEDED_REPETITIONS).map((line) => `**Note:** ${line}`),
  ].join('\n\n')
  const shown = warnings.slice(0, SHOWN_WARNINGS)
  const lines = shown.map(
    ({ where, message }) => `- ${codeSpan(where, NAME_LIMIT)}: ${codeSpan(message, MESSAGE_LIMIT)}`,
  )
  const more = warnings.length > shown.length ? [`- and ${count(warnings.length - shown.length)} more`] : []
  const bottom =
    warnings.length === 0 ? '' : fold(counted(warnings.length, 'warning', 'warnings'), [...lines, ...more].join('\n'))
  const room = COMMENT_LIMIT - top.length - bottom.length - RESERVE
  return [top, rowsTables(report, room), bottom].filter((part) => part !== '').join('\n\n')
}

/** `2 variants against the first: 1 slower, 2 faster in some query`: our own words and numbers alone. */
export function headline(report: VariantsReport): string {
  const { variants } = report
  const of = variants.map(({ queries, counted: metric }) => countedRows(queries, metric))
  const number = (direction: 'slower' | 'faster') =>
    of.filter((rows) => rows.some((row) => row.outcome === 'changed' && row.direction === direction)).length
  const some = of.some((rows) => rows.length > 1) ? ' in some query' : ''
  const line = `${counted(variants.length, 'variant', 'variants')} against the first: ${count(number('slower'))} slower, ${count(number('faster'))} faster${some}`
  return unreadParts(together(report).warnings).length === 0 ? line : `${line}; ${UNREAD_WORDS}`
}

interface VariantPhrases {
  readonly line: Phrase
  /** What is to be said of machines and programs as a whole. */
  readonly of: readonly Phrase[]
}

/** What is to be said of each variant: how many queries came out how, and what holds for all of them. */
export function variantPhrases({ reference, variants }: VariantsReport): readonly VariantPhrases[] {
  return variants.map((variant) => {
    const { name, labels, queries } = variant
    const programs = labels === undefined ? [] : phrase` (${sides(labels.old)} → ${sides(labels.new)})`
    const line = phrase`${code(reference, NAME_LIMIT)} → ${code(name, NAME_LIMIT)}${programs}: ${countWords(variant)}`
    return { line, of: [...suiteLines(queries, labels), ...waitingLines(queries).map((words) => [words])] }
  })
}

function sides(labels: readonly string[]): Phrase {
  const [first = '', ...others] = labels
  return phrase`${code(first, NAME_LIMIT)}${others.length === 0 ? '' : ` and ${count(others.length)} more`}`
}

/** `3 of 43 queries slower, 40 faster by hot`; nothing that is zero beside the first two. */
function countWords({ queries, counts, counted: metric }: ComparedVariant): string {
  const { slower, faster, changed = 0, unstable, notCompared, measuredOnce = 0 } = counts
  const apart = notCompared + measuredOnce
  const of = counted(countedRows(queries, metric).length, 'query', 'queries')
  return [
    `${count(slower)} of ${of} slower`,
    `${count(faster)} faster`,
    ...(changed > 0 ? [`${count(changed)} ${UNDIRECTED_WORDS}`] : []),
    ...(unstable > 0 ? [`${count(unstable)} ${OUTCOME_WORDS.unstable.term}`] : []),
    ...(apart > 0 ? [`${count(apart)} not compared`] : []),
  ].join(', ')
}

/** The rows of the metric that decides, worst first, and those of the others: of one query they stand with it. */
export function sortedRows(report: VariantsReport): {
  readonly rows: readonly VariantRow[]
  readonly others: readonly VariantRow[]
} {
  const decides = new Set(report.variants.flatMap(({ queries, counted: metric }) => [...countedRows(queries, metric)]))
  const isCounted = (row: VariantRow) => row.some((one) => one !== undefined && decides.has(one))
  const [rows, others] = [variantRows(report).filter(isCounted), variantRows(report).filter((row) => !isCounted(row))]
  return rows.length === 1 ? { rows: [...rows, ...others], others: [] } : { rows, others }
}

function rowsTables(report: VariantsReport, room: number): string {
  const { rows, others } = sortedRows(report)
  const metrics = new Set(rows.map((row) => anyOf(row).metric))
  const open = tableOf(report, rows.slice(0, OPEN_ROWS), metrics.size > 1, room)
  const folds = [
    [rows.slice(OPEN_ROWS), `${count(Math.max(0, rows.length - OPEN_ROWS))} more`, metrics.size > 1],
    [others, `${counted(others.length, 'row', 'rows')} of other metrics`, true],
  ] as const
  let left = room - open.length
  const tables = folds.map(([of, summary, hasMetrics]) => {
    if (of.length === 0 || left < RESERVE) return ''
    const text = fold(summary, tableOf(report, of, hasMetrics, left - RESERVE / 2))
    left -= text.length
    return text
  })
  return [open, ...tables].filter((part) => part !== '').join('\n\n')
}

function tableOf(report: VariantsReport, rows: readonly VariantRow[], hasMetrics: boolean, room: number): string {
  const names = [report.reference, ...report.variants.map(({ name }) => name)]
  const head = tableHead(['', ...names.map((name) => codeSpan(name, NAME_LIMIT))])
  const isOne = isOneQuery(rows)
  const lines = rows.map((row) => {
    const one = anyOf(row)
    const name = `**${queryCode(one)}**`
    const from = shownValue(one.old)
    return tableRow([
      isOne ? codeSpan(one.metric, NAME_LIMIT) : hasMetrics ? `${name} ${codeSpan(one.metric, NAME_LIMIT)}` : name,
      from === null ? '–' : shownText(from, one.unit),
      ...row.map(cell),
    ])
  })
  const rest = (left: number) => tableRow([`and ${count(left)} more`, ...names.map(() => '')])
  return `${head}\n${fitLines(lines, room - head.length, rest)}`
}

/** Rows of one query are told by their metric. */
export function isOneQuery(rows: readonly VariantRow[]): boolean {
  return rows.length > 1 && new Set(rows.map((row) => queryKey(anyOf(row)))).size === 1
}

function shownText(value: number, unit: string | null): string {
  return values([value], unit === null || unit === 's' || unit === 'bytes' || unit === '1' ? unit : word(unit))
}

/** A variant in a row: its value, by how much it is another one, and how that was judged. */
function cell(row: ClassifiedQuery | undefined): string {
  if (row === undefined) return '–'
  const value = shownValue(row.new)
  const by = differenceWords(row)
  return [
    ...(value === null ? [] : [shownText(value, row.unit)]),
    row.outcome === 'changed' ? `**${by}**` : by,
    ...judgedWords(row),
  ].join('<br>')
}

/** `+39.0%, slower`; without a value the state alone. */
export function differenceWords(row: ClassifiedQuery): string {
  const { difference, old, new: fresh } = row
  const words = outcomeWords(row)
  return difference === null ? words : `${moved(difference, shownValue(old), shownValue(fresh))}, ${words}`
}

function outcomeWords({ outcome, direction, status }: ClassifiedQuery): string {
  if (outcome === null) return STATUS_WORDS[status].term
  return outcome === 'changed' ? (direction ?? OUTCOME_WORDS.changed.term) : OUTCOME_WORDS[outcome].term
}

/** `threshold 39.0%, p 0.33`, or that the samples of the sides do not overlap; where chance can show no more than the difference, the threshold is not said. */
export function judgedWords(row: ClassifiedQuery): readonly string[] {
  const words = [
    ...(row.threshold === null || isLargestThreshold(row) ? [] : [`threshold ${percent(row.threshold)}`]),
    ...(row.separated === true ? ['no overlap'] : row.pValue === null ? [] : [`p\u00a0${pValue(row.pValue)}`]),
  ]
  return words.length === 0 ? [] : [words.join(', ')]
}
