import { alikeWarnings, queryLabel, type ReadWarning, type RunContents } from '../../intake/measurement/run.ts'
import { MOST_REPETITIONS } from '../../judge/statistics/repetitions-to-show.ts'
import {
  type ClassifiedQuery,
  countedRows,
  type Note,
  type OutcomeCounts,
  shownValue,
} from '../../judge/verdict/classified-query.ts'
import type { EqualBuildsOfRun } from '../../judge/verdict/evidence/equal-builds.ts'
import { NEEDED_REPETITIONS } from '../../judge/verdict/evidence/own-measurement.ts'
import { isFailure } from '../../judge/verdict/failed-in.ts'
import { isGuarded } from '../../judge/verdict/guard.ts'
import { isLargestThreshold } from '../../judge/verdict/thresholds.ts'
import { environmentPhrases } from '../../report/environment-words.ts'
import { equalBuildsOfRunPhrase, processesText } from '../../report/evidence-words.ts'
import { nounsOf } from '../../report/parts.ts'
import {
  labelLines,
  onceLines,
  otherMachinePhrase,
  suiteLines,
  waitingLines,
} from '../../report/render/comparison-words.ts'
import { hidingSentence, repetitionsSentence } from '../../report/render/noise-words.ts'
import { DIFFERENCE, JUDGED, ofSides, type SidedColumn } from '../../report/row/columns.ts'
import {
  FAILED_IN_WORDS,
  MEASUREMENT_WORDS,
  RERUN_REASON_WORDS,
  STATUS_WORDS,
  UNDIRECTED_WORDS,
  WITHOUT_SAMPLES,
} from '../../report/words.ts'
import { change, counted as countedText, percent, pValue, thresholdPercent, values } from '../../text/numbers.ts'
import { toText } from '../../text/phrase.ts'
import type { CommandIO } from './command.ts'
import type { TableForm } from './option-values.ts'
import { type Colour, formatTable, painter, type TerminalColumn } from './table.ts'
import { plainText, terminalWidth, truncate, withSpaces } from './terminal-text.ts'

/** What `classify` prints for a person; with `--json` it prints the rows themselves. */

export interface ClassifyResult {
  /** Worst first. */
  readonly queries: readonly ClassifiedQuery[]
  /** The metric that `counts` are over. */
  readonly counted: string
  readonly counts: OutcomeCounts
  readonly oldCommit: string | null
  readonly newCommit: string | null
  readonly warnings: readonly ReadWarning[]
  readonly labels: RunContents['labels']
  readonly environments: RunContents['environments']
  readonly equalBuilds?: EqualBuildsOfRun | null
}

/** How the rows are printed, as the command line gives it. */
export interface FormOptions {
  readonly as?: TableForm
  /** Show every row. */
  readonly all?: boolean
}

const WARNINGS_SHOWN = 5

/** Rows that are shown where none is of note. */
export const SHOWN_WITHOUT_NOTE = 10

/** In the place of noise: old and new don't overlap; a threshold that would only repeat the difference. */
const APART = 'apart'
const LARGEST = 'largest'

/** The lines that `classify` prints for a person: counts, the rows of note or all, what was folded, warnings. */
export function classifyTable(result: ClassifyResult, all: boolean, io: CommandIO): string[] {
  const paint = painter(io.stdout, io.env)
  const width = terminalWidth(io.stdout)
  const countedOnes = new Set(countedRows(result.queries, result.counted))
  // what a single program is judged by is what it was measured for, however it came out
  const isTold = (row: ClassifiedQuery) => all || isOfNote(row) || (countedOnes.size === 1 && countedOnes.has(row))
  const told = result.queries.filter(isTold)
  // a run that is all noise says what of, and how much it may hide
  const ofNote = told.length > 0 ? told : result.queries.slice(0, SHOWN_WITHOUT_NOTE)
  const isCounted = (row: ClassifiedQuery) => Number(countedOnes.has(row))
  // the headline counts the metric that decides: its rows stand first, and those of the others behind them
  const shown = ofNote.toSorted((a, b) => isCounted(b) - isCounted(a))
  const { queries, labels, environments } = result
  const differing = environmentPhrases(environments).map((words) => paint(plainText(toText(words)), 'yellow'))
  const head = [
    paint(countsLine(result), 'bold'),
    contextLine(result),
    ...(result.equalBuilds == null
      ? []
      : [toText(equalBuildsOfRunPhrase(result.equalBuilds, nounsOf(result.queries)))]),
    ...differing,
    ...labelLines(labels).map(plainText),
  ]
  const words = [...suiteLines(queries, labels).map((line) => toText(line)), ...waitingLines(queries)]
  const table = shown.length === 0 ? [] : formatTable(columnsOf(queries, shown), shown, width, paint)
  const equal = shown.some(isOfEqualSamples)
    ? ['p above 0.05 in a changed row: its samples have few distinct values but do not overlap, which decides']
    : []
  const dim = (lines: readonly string[]) => lines.map((line) => paint(line, 'dim'))
  const parts = [
    words.map(plainText),
    table,
    dim([...legendLines(shown), ...equal]),
    dim(onceLines(queries, NEEDED_REPETITIONS)),
    dim(foldedLines(queries, shown)),
    warningLines(result.warnings, width, paint),
  ]
  // a call takes no more than some 100,000 arguments, so that `push` of all lines would fail
  return head.concat(...parts.map((lines) => (lines.length === 0 ? [] : ['', ...lines])))
}

export function countsLine({
  counts,
  counted,
  queries,
}: Pick<ClassifyResult, 'counts' | 'counted' | 'queries'>): string {
  const rows = countedRows(queries, counted)
  const failures = rows.filter(isFailure)
  const failed = [...Map.groupBy(failures, ({ failedIn }) => failedIn!)].map(
    ([build, rows]) => `${rows.length} ${FAILED_IN_WORDS[build].term}`,
  )
  const { changed = 0, measuredOnce = 0 } = counts
  return [
    `${counts.slower} slower`,
    `${counts.faster} faster`,
    ...(changed > 0 ? [`${changed} ${UNDIRECTED_WORDS}`] : []),
    `${counts.unstable} unstable`,
    `${counts.tooSmall} too small`,
    `${counts.notSignificant} not significant`,
    `${counts.notCompared} not compared${failed.length === 0 ? '' : ` (${failed.join(', ')})`}`,
    ...(measuredOnce > 0 ? [`${measuredOnce} ${STATUS_WORDS['measured-once'].term}`] : []),
  ].join(', ')
}

/** Over what the counts are, and what these repetitions can show at all. */
function contextLine({ queries, counted, oldCommit, newCommit }: ClassifyResult): string {
  const rows = countedRows(queries, counted)
  const metrics = [...new Set([counted, ...rows.map(({ metric }) => metric)])].map(plainText)
  const parts = [`${countedText(rows.length, ...nounsOf(queries))} by ${metrics.join(' and ')}`]
  if (oldCommit !== null && newCommit !== null)
    parts.push(`${newCommit.slice(0, 12)} against ${oldCommit.slice(0, 12)}`)
  const compared = rows.filter(({ status }) => status === 'compared')
  const jobs = compared.flatMap(({ history }) => history?.jobs ?? [])
  if (jobs.length > 0) {
    const most = jobs.reduce((sum, one) => Math.max(sum, one))
    const other = compared.find(({ history }) => history?.isOtherMachine === true)?.history
    const machines = other === undefined ? '' : toText(otherMachinePhrase(other))
    const trunkRuns = range(compared.map(({ old }) => old.repetitions ?? 0))
    parts.push(`${countedText(most, 'job', 'jobs')} against ${trunkRuns} runs on the main branch${machines}`)
  } else if (compared.length > 0 && compared.every(({ old }) => old.repetitions === null)) {
    parts.push(WITHOUT_SAMPLES)
  } else if (compared.length > 0) {
    parts.push(
      `${range(compared.map(({ old }) => old.repetitions ?? 0))} + ${range(compared.map((row) => row.new.repetitions ?? 0))} repetitions`,
    )
    const attempts = compared.reduce((most, { attempts: joined = 1 }) => Math.max(most, joined), 1)
    if (attempts > 1) parts.push(`${attempts} attempts together`)
    const smallest = compared.reduce((least, { smallestPValue }) => Math.min(least, smallestPValue ?? 1), 1)
    parts.push(`smallest p they can reach ${withSpaces(pValue(smallest))}`)
  }
  return parts.join(' · ')
}

function range(numbers: readonly number[]): string {
  let least = Number.POSITIVE_INFINITY
  let most = 0
  for (const value of numbers) {
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  return least === most ? `${least}` : `${least}…${most}`
}

/** Changed, not compared, and slowdowns so large that no outcome may hide them. */
export function isOfNote(row: ClassifiedQuery): boolean {
  return (
    row.outcome === 'changed' ||
    row.outcome === null ||
    isGuarded(row) ||
    row.history?.asksAgain === true ||
    row.leans !== undefined
  )
}

/**
 * Most ways to relabel equal samples put the medians as far apart as they are: p says nothing then.
 *
 * So is 7 times 896 bytes against 7 times 1,792 (p 1). Not: times that all differ (p 0.012), nor three of them a side,
 * whose p is 0.2 at the least.
 */
function isOfEqualSamples({ outcome, separated, pValue: p, smallestPValue }: ClassifiedQuery): boolean {
  return outcome === 'changed' && separated === true && p !== null && p > 0.05 && smallestPValue! <= 0.05
}

function foldedLines(queries: readonly ClassifiedQuery[], shown: readonly ClassifiedQuery[]): readonly string[] {
  if (shown.length === queries.length) return []
  const isShown = new Set(shown)
  const counts = new Map<string, number>()
  for (const row of queries) {
    if (!isShown.has(row)) counts.set(outcomeText(row), (counts.get(outcomeText(row)) ?? 0) + 1)
  }
  const parts = [...counts].map(([outcome, number]) => `${number} ${outcome}`)
  const noisy = queries.filter((row) => !isShown.has(row) && row.couldHide?.ruledOut === null)
  const hidden = [hidingSentence(noisy), repetitionsSentence(noisy)].filter((sentence) => sentence !== '')
  return [`not shown: ${parts.join(', ')} (--all shows them)`, ...hidden.map(withSpaces)]
}

function columnsOf(
  queries: readonly ClassifiedQuery[],
  shown: readonly ClassifiedQuery[],
): readonly TerminalColumn<ClassifiedQuery>[] {
  const byHistory = queries.some(({ history }) => history !== undefined)
  const metrics = new Set(queries.map(({ metric }) => metric))
  const [name, ...measured] = measuredColumns(nounsOf(queries)[0], byHistory ? 'main branch → here' : 'old → new')
  const columns: readonly (MeasuredColumn<ClassifiedQuery> | null)[] = [
    name!,
    metrics.size > 1 ? { heading: 'metric', text: ({ metric }) => truncate(plainText(metric), 30) } : null,
    ...measured,
    {
      heading: 'detectable from',
      isNumber: true,
      sides: 'one',
      value: ({ history }) => history?.reach ?? null,
      shown: percent,
    },
    { heading: placeHeading(queries), text: ({ architecture }) => truncate(plainText(architecture ?? ''), 20) },
    { heading: 'why', sides: 'one', text: whyText },
    ...hidingColumns(shown),
    { heading: shown.some(hasText) ? 'text' : 'notes', text: (row) => `${notesText(row)}${queryText(row)}`.trim() },
  ]
  const known = columns.filter((column) => column !== null)
  return ofSides(known, byHistory ? 'one' : 'two')
}

/** What tools and CI systems call processors. Other places are systems, runtimes and compilers. */
const PROCESSOR = /^(?:amd|arm|x86|x64|aarch|i?386|ppc|s390|riscv|mips|wasm|loong)/i

function placeHeading(queries: readonly ClassifiedQuery[]): string {
  const isProcessor = queries.every(({ architecture }) => architecture === null || PROCESSOR.test(architecture))
  return isProcessor ? 'architecture' : 'measured on'
}

/** The columns of noisy rows: the slowdown that each may hide, and the repetitions that would show its threshold for a change. */
function hidingColumns(shown: readonly ClassifiedQuery[]): readonly MeasuredColumn<ClassifiedQuery>[] {
  const [wanted, ...others] = new Set(shown.filter(isNoisy).map(({ changedThreshold }) => changedThreshold!))
  if (wanted === undefined) return []
  const isOne = others.length === 0
  return [
    { heading: 'could hide', isNumber: true, text: hidingText },
    {
      heading: isOne ? repetitionsHeading(wanted) : 'repetitions',
      isNumber: true,
      text: (row) => repetitionsText(row, isOne ? '' : ` ${repetitionsHeading(row.changedThreshold!)}`),
    },
  ]
}

function isNoisy({ couldHide }: ClassifiedQuery): boolean {
  return couldHide !== undefined
}

function repetitionsHeading(wanted: number): string {
  return `for ${withSpaces(thresholdPercent(wanted))}`
}

function repetitionsText({ couldHide: hidden }: ClassifiedQuery, of: string): string {
  return hidden === undefined ? '' : `${hidden.repetitions ?? `>${MOST_REPETITIONS}`}${of}`
}

/** `43%`, `any`: ten times too, `43%, fast part <10%`, `43%, in pairs <10%` */
function hidingText({ couldHide: hidden }: ClassifiedQuery): string {
  if (hidden === undefined) return ''
  const most = hidden.slowdown === null ? 'any' : percent(hidden.slowdown)
  if (hidden.ruledOut === null) return most
  const by = hidden.ruledOutBy === 'pairs' ? 'in pairs' : 'fast part'
  return `${most}, ${by} <${thresholdPercent(hidden.ruledOut)}`
}

/** `1 job: run another` */
function whyText({ history }: ClassifiedQuery): string {
  if (history === undefined) return ''
  const { jobs, asksAgain, reason, asLarge, trunkRuns, isExact } = history
  const said = isExact
    ? 'the main branch does not vary'
    : `moved this much in ${asLarge} of ${countedText(trunkRuns, 'run on the main branch', 'runs on the main branch')}`
  const why = reason === null ? said : `${RERUN_REASON_WORDS[reason].term}, ${said}`
  return `${countedText(jobs, 'job', 'jobs')}, ${why}${asksAgain ? ': run another' : ''}`
}

type MeasuredColumn<Row> = TerminalColumn<Row> & Pick<SidedColumn<Row>, 'sides'>

/** The name, and what was measured with what follows from it. */
export function measuredColumns<Row extends ClassifiedQuery>(
  noun: string,
  medians = 'old → new',
): readonly MeasuredColumn<Row>[] {
  return [
    { heading: noun, text: (row) => plainText(queryLabel(row)) },
    { heading: 'outcome', text: outcomeText, colour: colourOf },
    { ...DIFFERENCE, heading: 'change', colour: colourOf },
    { heading: medians, isNumber: true, text: mediansText },
    { ...JUDGED.threshold, heading: 'noise', shown: noiseText },
    JUDGED.pValue,
  ]
}

/** Of samples that lie apart that says more than a number, and the largest would only repeat the difference. */
function noiseText(threshold: number, row: ClassifiedQuery): string {
  if (row.separated === true) return APART
  return isLargestThreshold(row) ? LARGEST : `±${percent(threshold)}`
}

/** What the words in the column of the noise, and its numbers of repetitions, mean. */
export function legendLines(shown: readonly ClassifiedQuery[]): readonly string[] {
  const isLargest = (row: ClassifiedQuery) => row.separated !== true && isLargestThreshold(row)
  return [
    ...(shown.some(({ separated }) => separated === true) ? [`${APART}: ${MEASUREMENT_WORDS.separated.term}`] : []),
    ...(shown.some(isLargest)
      ? [`${LARGEST}: the noise is as large as chance can make it with this many repetitions`]
      : []),
    ...(shown.some(isNoisy)
      ? ['could hide: the slowdown that noise may cover; for: repetitions a side that would show so much']
      : []),
  ]
}

export function colourOf({ outcome, direction, status, statusReason }: ClassifiedQuery): Colour | undefined {
  if (status === 'failed' && statusReason !== 'zero-old') return 'red'
  if (outcome === 'unstable') return 'yellow'
  if (outcome !== 'changed') return undefined
  return direction === null ? 'yellow' : direction === 'slower' ? 'red' : 'green'
}

/** `slower`, `not significant`, `only new (partial)`; from 0 on there is no ratio, and nothing failed. */
export function outcomeText({ outcome, direction, status, statusReason }: ClassifiedQuery): string {
  if (outcome === 'changed') return direction ?? 'changed'
  if (outcome !== null) return words(outcome)
  if (statusReason === 'zero-old') return 'no ratio (zero old)'
  return statusReason === null ? words(status) : `${words(status)} (${words(statusReason)})`
}

function mediansText({ old, new: fresh, unit }: ClassifiedQuery): string {
  const [before, after] = [shownValue(old), shownValue(fresh)]
  if (before !== null && after !== null) return change(before, after, unit)
  if (before !== null) return `${values([before], unit)} → –`
  return after === null ? '' : `– → ${values([after], unit)}`
}

/** `[leans slower] `; empty: there are none. */
function notesText(row: ClassifiedQuery): string {
  const leaning = row.leans === undefined ? [] : [row.leans.reason]
  const notes = [...leaning, ...row.notes.map((note) => noteText(note, row))].map(words)
  return notes.length === 0 ? '' : `[${notes.join(', ')}] `
}

/** Whether the query has a text of its own beside its name. */
function hasText({ queryName, queryIndex }: ClassifiedQuery): boolean {
  return queryName !== null && queryIndex !== null
}

export function queryText(row: ClassifiedQuery): string {
  return hasText(row) ? plainText(row.queryName!).trim() : ''
}

/** The words of a note; in the place of `one process` the numbers of processes where they are more. */
function noteText(note: Note, { old, new: fresh }: ClassifiedQuery): string {
  if (note !== 'one-process' || old.processes === undefined || fresh.processes === undefined) return note
  return processesText(old.processes, fresh.processes)
}

/** Beside the rows of a TSV: a table and the JSON have them within. */
export function printWarnings(warnings: readonly ReadWarning[], { stderr, env }: CommandIO): void {
  for (const line of warningLines(warnings, null, painter(stderr, env))) stderr.write(`${line}\n`)
}

export function warningLines(
  warnings: readonly ReadWarning[],
  width: number | null,
  paint: (text: string, colour: Colour | undefined) => string,
): string[] {
  const shown = alikeWarnings(warnings).slice(0, WARNINGS_SHOWN)
  const more = shown.reduce((left, { others }) => left - 1 - others, warnings.length)
  const lines = shown.map(({ first: { where, message }, others }) => {
    const places = others === 0 ? '' : ` and ${countedText(others, 'other', 'others')}`
    const line = `warning: ${plainText(where)}${places}: ${plainText(message)}`
    return paint(width === null ? line : truncate(line, width), 'yellow')
  })
  return more > 0 ? [...lines, paint(`and ${more} more warnings (--json lists all)`, 'yellow')] : lines
}

function words(name: string): string {
  return name.replaceAll('-', ' ')
}
