import { type Note, shownValue } from '../../../judge/verdict/classified-query.ts'
import type { QueryLogRow } from '../../../judge/verdict/classify-query-log.ts'
import { NAME_LIMIT, plainText } from '../../../text/markdown.ts'
import {
  change,
  count,
  counted,
  list,
  minute,
  moved,
  percent,
  pValue,
  signedPercent,
  thresholdPercent,
  times,
} from '../../../text/numbers.ts'
import { capital, code, joined, type Phrase, phrase } from '../../../text/phrase.ts'
import type { Word } from '../../../text/word.ts'
import type { QueryLogReport } from '../../query-log.ts'
import { timesOf } from '../../query-log.ts'
import { MEASUREMENT_WORDS, NOTE_WORDS, OUTCOME_WORDS, STATUS_WORDS } from '../../words.ts'
import { UNREAD_WORDS } from '../sections/headline.ts'

/** What a person calls the metrics that are shown; every other one has its own name. */
const METRIC_LABELS: Readonly<Record<string, string>> = {
  query_duration: 'time',
  OSCPUVirtualTimeMicroseconds: 'CPU time',
  SelectedParts: 'parts',
  SelectedMarks: 'marks',
  SelectedRows: 'rows',
  read_rows: 'rows read',
  read_bytes: 'bytes read',
  memory_usage: 'memory',
  merge_duration: 'time of a merge',
  merge_peak_memory_usage: 'memory of a merge',
  primary_key_bytes_in_memory: 'primary key in memory',
  primary_key_bytes_in_memory_allocated: 'allocated for the primary key',
  marks_bytes: 'marks of the columns',
}

/** `time`, `marks`; of an event that has no other name its own. */
export function metricPhrase(metric: string): Phrase {
  return Object.hasOwn(METRIC_LABELS, metric) ? [METRIC_LABELS[metric]!] : [code(metric, METRIC_LIMIT)]
}

/** Words in a column of a phone. */
const METRIC_LIMIT = 32

/** `1 of 6 groups slower, 4 faster; together at equal mix 85.9 → 42.9 ms (−50.0%)`: our own words and numbers alone. */
export function headline(report: QueryLogReport): string {
  const line = report.variants.length > 2 ? variantsLine(report) : lineOf(report, report.variants[1]!)
  return report.warnings.length === 0 ? line : `${line}; ${UNREAD_WORDS}`
}

function variantsLine({ variants, rows, whole, counted: metric }: QueryLogReport): string {
  const others = variants.slice(1)
  const { slower, faster } = directionWords(rows.find((row) => row.metric === metric)!.unit)
  const number = (among: readonly QueryLogRow[], direction: 'slower' | 'faster') =>
    others.filter((variant) =>
      among.some((row) => isChanged(row, direction) && row.variant === variant && row.metric === metric),
    ).length
  const said = (among: readonly QueryLogRow[]) =>
    `${count(number(among, 'slower'))} ${slower}, ${count(number(among, 'faster'))} ${faster}`
  const all = `${counted(others.length, 'variant', 'variants')} against the first`
  return whole.length === 0
    ? `${all}: ${said(rows)}`
    : `${all}: ${said(whole)} over all queries; ${said(rows)} in some group`
}

function isChanged({ outcome, direction: own }: QueryLogRow, direction: 'slower' | 'faster'): boolean {
  return outcome === 'changed' && own === direction
}

/** The line of one variant against the first. */
export function lineOf({ rows, whole, counted: metric }: QueryLogReport, variant: string): string {
  const own = rows.filter((row) => row.variant === variant && row.metric === metric)
  const [only] = own
  if (own.length === 1) return capital(`${outcomeWords(only!)}${numbersWords(only!)}`)
  const together = whole.find((row) => row.variant === variant && row.metric === metric)
  const words = together === undefined ? '' : `; together at equal mix ${togetherWords(together)}`
  return `${capital(countWords(own))}${words}`
}

function togetherWords(row: QueryLogRow): string {
  const [old, fresh] = [shownValue(row.old), shownValue(row.new)]
  if (old === null || fresh === null) return STATUS_WORDS[row.status].term
  return `${medians(row)} (${row.outcome === 'changed' ? '' : `${outcomeWords(row)}, `}${differenceWords(row)})`
}

function countWords(rows: readonly QueryLogRow[]): string {
  const what = rows.some(({ queryName }) => queryName !== null) ? ['group', 'groups'] : ['query', 'queries']
  const all = counted(rows.length, what[0]!, what[1]!)
  const number = (is: (row: QueryLogRow) => boolean) => rows.filter(is).length
  const { slower, faster } = directionWords(rows[0]!.unit)
  const changed = (direction: 'slower' | 'faster') => (row: QueryLogRow) => isChanged(row, direction)
  const parts = [
    [number(changed('slower')), slower],
    [number(changed('faster')), faster],
    [number(({ outcome }) => outcome === 'unstable'), MEASUREMENT_WORDS.tooNoisy.term],
    [number(({ outcome }) => outcome === null), 'not compared'],
  ] as const
  const said = parts.filter(([numberOf]) => numberOf > 0)
  if (said.length === 0) return `no difference in ${all}`
  const words = said.map(([numberOf, term], index) => `${count(numberOf)}${index === 0 ? ` of ${all}` : ''} ${term}`)
  const reruns = rows.filter(({ traffic }) => traffic.verdict === 'needs-rerun').length
  return `${words.join(', ')}${reruns === 0 ? '' : `; ${count(reruns)} ${reruns === 1 ? 'needs' : 'need'} a longer log`}`
}

/** `slower`, `unstable`, `not comparable`; of what is no time `more` and `less`. */
export function outcomeWords({ outcome, direction, status, unit }: QueryLogRow): string {
  if (outcome === null) return STATUS_WORDS[status].term
  if (outcome !== 'changed') return OUTCOME_WORDS[outcome].term
  return directionWords(unit)[direction ?? 'slower']
}

function directionWords(unit: string | null) {
  return unit === 's' ? { slower: 'slower', faster: 'faster' } : { slower: 'more', faster: 'less' }
}

function numbersWords(row: QueryLogRow): string {
  const { difference, traffic } = row
  if (difference === null) return ''
  const again = traffic.verdict === 'needs-rerun' ? `; it needs a longer log` : ''
  return `: ${medians(row)} (${differenceWords(row)})${again}`
}

export function differenceWords({ difference, old, new: fresh }: QueryLogRow): string {
  return difference === null ? 'no difference' : moved(difference, shownValue(old), shownValue(fresh))
}

/** `6.7 times`, `+30.4%`: whichever is easier to grasp. */
export function shortDifference({ difference, old, new: fresh }: QueryLogRow): string {
  return times(shownValue(old) ?? 0, shownValue(fresh) ?? 0) ?? signedPercent(difference ?? 0)
}

/** `80.9 → 91.6 ms`; a count of 11 marks is no 11.0. */
export function medians({ old, new: fresh, unit, status }: QueryLogRow): string {
  const [from, to] = [shownValue(old), shownValue(fresh)]
  if (from === null || to === null) return STATUS_WORDS[status].term
  return changeWords(from, to, unit)
}

/** Two values side by side in the unit of a row. */
export function changeWords(from: number, to: number, unit: string | null): string {
  const areCounts = unit === null && [from, to].every((value) => Number.isInteger(value) && value < 100_000)
  return areCounts ? `${count(from)}\u00a0→\u00a0${count(to)}` : change(from, to, unit, false)
}

/** What the numbers are of: the sides, the metric that decides, how many executions, when. */
export function contextPhrases(report: QueryLogReport): readonly Phrase[] {
  const [first = '', ...others] = report.variants
  const { from, to } = timesOf(report)
  const decides = metricPhrase(report.counted)
  return [
    phrase`${joined(
      others.map((variant) => [variantPiece(variant)]),
      ', ',
    )} against ${variantPiece(first)}`,
    phrase`judged by ${decides}`,
    [`${count(report.executions)} executions`],
    [`${minute(from).replace(' UTC', '')} to ${minute(to)}`],
  ]
}

/** A variant by its value; of a setting that is not set there is none. */
export function variantPiece(variant: string) {
  return variant === '' ? 'not set' : code(variant, NAME_LIMIT)
}

/** The query where all rows are of one; else null. */
export function commonQuery({ rows }: QueryLogReport): string | null {
  const first = rows[0]?.test ?? null
  return rows.every(({ test }) => test === first) ? first : null
}

/** What a reader must know of the comparison before the numbers. */
export function* notices(report: QueryLogReport): Generator<Phrase> {
  const { rows, whole, counted: metric } = report
  const decisive = rows.filter((row) => row.metric === metric)
  const lonely = decisive.filter(({ status }) => status === 'not-comparable').length
  if (lonely > 0) {
    const { term, meaning } = STATUS_WORDS['not-comparable']
    const which = decisive.length === 1 ? '' : `${ofAll(lonely, decisive.length)} `
    yield [`${which}${term}. ${meaning} Alternate the sides by request, not by hour or day.`]
  }
  const notes = [...decisive, ...whole.filter((row) => row.metric === metric)].flatMap((row) => row.notes)
  for (const note of new Set(notes)) {
    // the paradox is a shift of the mix, and says more
    if (note === 'mix-shift' && notes.includes('simpson')) continue
    const { term, meaning } = NOTE_WORDS[note]
    const number = decisive.filter((row) => row.notes.includes(note)).length
    const which =
      decisive.length === 1 || number === 0 || number === decisive.length ? '' : ofAll(number, decisive.length)
    const advice = note === 'short-run' ? ' Only a longer log can settle what changed.' : ''
    yield [`${term}${which === '' ? '' : `, ${which}`}. ${meaning}${advice}${crudeWords(report, note)}`]
  }
}

function ofAll(number: number, all: number): string {
  return `${count(number)} of ${count(all)}`
}

/** What all executions say of the whole, where the note is that they say something else. */
function crudeWords({ whole, counted: metric }: QueryLogReport, note: Note): string {
  if (note !== 'simpson' && note !== 'mix-shift') return ''
  const words = whole.flatMap((row) => {
    const { crude } = row.traffic
    if (row.metric !== metric || !row.notes.includes(note) || crude === null) return []
    const { old, new: fresh, difference } = crude
    const by = difference === null ? '' : ` (${moved(difference, old.median, fresh.median)})`
    return [
      `${changeWords(old.median, fresh.median, row.unit)}${by}, at equal mix ${medians(row)} (${differenceWords(row)})`,
    ]
  })
  return words.length === 0 ? '' : ` All executions: ${list(words)}.`
}

/** The other metrics that changed. Two that count the same are one. */
export function changedMetrics(rows: readonly QueryLogRow[]): readonly QueryLogRow[] {
  const changed = rows.filter(({ outcome }) => outcome === 'changed')
  return [...new Map(changed.toReversed().map((row) => [sameAs(row), row])).values()].toReversed()
}

/** `marks 11 → 74 (6.7 times)`: of each other metric that changed. */
export function otherMetrics(rows: readonly QueryLogRow[]): readonly Phrase[] {
  return changedMetrics(rows).map(
    (row) => phrase`${metricPhrase(row.metric)} ${medians(row)} (${shortDifference(row)})`,
  )
}

function sameAs({ unit, old, new: fresh }: QueryLogRow): string {
  return JSON.stringify([unit, old.median, fresh.median])
}

/** How a row was judged, and what is to be known of it. */
export function judgedBy({ threshold, pValue: p, old, new: fresh, notes, separated }: QueryLogRow): readonly string[] {
  return [
    threshold === null || separated === true ? null : `threshold ${percent(threshold)}`,
    separated === true ? 'blocks of the sides do not overlap' : null,
    p === null ? null : `p\u00a0${pValue(p)}`,
    `${count(old.repetitions ?? 0)} + ${count(fresh.repetitions ?? 0)} executions`,
    ...notes.map((note) => NOTE_WORDS[note].term),
  ].filter((fact) => fact !== null)
}

/** How it was judged, in a sentence or two. */
export function judgedWords({ rows, whole, counted: metric }: QueryLogReport): string {
  const row = [...whole, ...rows].find((one) => one.metric === metric && one.traffic.blocks !== null)
  if (row === undefined) return 'No block of time has both sides.'
  const { blocks, coverage } = row.traffic
  const length = counted(blocks!.minutes, 'minute', 'minutes')
  const from =
    row.changedThreshold === null ? '' : `; changes of ${thresholdPercent(row.changedThreshold)} or more count`
  const least = Math.min(coverage!.old, coverage!.new)
  const covered =
    least >= 0.9995 ? '' : ` At least ${percent(least)} of each side’s executions ran beside the other side.`
  return `Medians at equal load and mix, judged by ${counted(blocks!.count, 'block', 'blocks')} of ${length}${from}.${covered}`
}

/** The words of notes and states that rows have, each once. */
export function wordsUsed(rows: readonly QueryLogRow[]): readonly Word[] {
  const notes = new Set(rows.flatMap((row) => row.notes))
  const statuses = new Set(rows.map(({ status }) => status))
  return [
    ...[...notes].map((note) => NOTE_WORDS[note]),
    ...[...statuses].filter((status) => status !== 'compared').map((status) => STATUS_WORDS[status]),
  ]
}

/** A group or a query as plain text. */
export function plainName(report: QueryLogReport, row: QueryLogRow): string {
  if (report.whole.includes(row)) return row.test
  return namesOf(report, row)
    .map((name) => plainText(name, NAME_LIMIT))
    .join(' · ')
}

/** A group by its value, and the query where the rows of the log have several. */
export function namesOf({ rows }: QueryLogReport, { queryName, test }: QueryLogRow): readonly string[] {
  if (queryName === null) return [test]
  return rows.some((row) => row.test !== test) ? [queryName, test] : [queryName]
}
