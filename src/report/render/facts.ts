import { queryLabel } from '../../intake/measurement/run.ts'
import {
  type AgainstHistory,
  type ClassifiedQuery,
  type Note,
  shownValue,
} from '../../judge/verdict/classified-query.ts'
import type { Evidence, EvidenceKind } from '../../judge/verdict/evidence/evidence.ts'
import { mayBeChance } from '../../judge/verdict/facts.ts'
import { isLargestThreshold, type WithThreshold } from '../../judge/verdict/thresholds.ts'
import { NAME_LIMIT, queryText, word } from '../../text/markdown.ts'
import {
  change,
  count,
  counted,
  hasScale,
  moved,
  percent,
  pValue,
  thresholdPercent,
  timesApart,
} from '../../text/numbers.ts'
import { toMarkdown } from '../../text/phrase.ts'
import {
  architecturesPhrase,
  evidencePhrase,
  isSaidOfWholeRun,
  onArchitecturePhrase,
  processesText,
} from '../evidence-words.ts'
import { decisive } from '../parts.ts'
import type { ReportRow, TriageReport } from '../report.ts'
import {
  MEASUREMENT_WORDS,
  NOTE_WORDS,
  RERUN_REASON_WORDS,
  STATUS_WORDS,
  THRESHOLD_SOURCE_WORDS,
  WITHOUT_SAMPLES,
} from '../words.ts'
import { acceptedPhrases } from './acceptance-words.ts'
import { otherMachinePhrase } from './comparison-words.ts'
import { leaningFact, oneMoreFact, unseenFacts } from './noise-words.ts'
import { profileFact } from './profile-words.ts'

/** The longest word of a query beside two columns of numbers on a phone, and beside one. */
const NARROW_WORD = 16
const WIDE_WORD = 18

/** What is said of one row in words. Everything returned is Markdown. */

/** `282 → 672 ms **+138%**`: bold where the outcome is `changed`; the status in words where nothing was compared. */
export function numbersOf(result: ClassifiedQuery, canBreak = true): string {
  const { difference } = result
  const [old, fresh] = [shownValue(result.old), shownValue(result.new)]
  if (old === null || fresh === null || difference === null) return STATUS_WORDS[result.status].term
  return `${medians(result, canBreak)} ${changeOf(result)}`
}

/** `**+138%**`: bold where the outcome is `changed`; empty where nothing was compared. */
export function changeOf(result: ClassifiedQuery): string {
  const by = movedBy(result)
  return result.outcome === 'changed' ? `**${by}**` : by
}

/** `+138%`, `8.9× faster`; empty where nothing was compared. */
export function movedBy(result: ClassifiedQuery): string {
  const [before, after] = [shownValue(result.old), shownValue(result.new)]
  if (result.difference === null || before === null || after === null) return ''
  const times = timesFaster(result)
  return times === null ? moved(result.difference, before, after) : `${times} faster`
}

/** `8.9×`; null of what is not faster, or by less than a ratio says better than percent. */
export function timesFaster({ direction, old, new: fresh }: ClassifiedQuery): string | null {
  const [before, after] = [shownValue(old), shownValue(fresh)]
  return direction !== 'faster' || before === null || after === null ? null : timesApart(before, after)
}

/** `282 → 672 ms`; the status in words where a side is missing. */
export function medians(result: ClassifiedQuery, canBreak = false): string {
  const [old, fresh] = [shownValue(result.old), shownValue(result.new)]
  if (old === null || fresh === null) return STATUS_WORDS[result.status].term
  const unit = result.unit === null || hasScale(result.unit) ? result.unit : word(result.unit)
  return change(old, fresh, unit, canBreak)
}

/** ` on arm`, or nothing where no architecture is known. */
export function onArchitecture(architecture: string | null): string {
  return toMarkdown(onArchitecturePhrase(architecture))
}

export function architectureList(architectures: readonly (string | null)[]): string {
  return toMarkdown(architecturesPhrase(architectures))
}

/** What is said of how a row was judged, one fact each; null where there is nothing to say. */
interface Judged {
  readonly repetitions: string | null
  readonly noise: string | null
  /** The smallest change that the trunk's history can show; of a value that was judged by it. */
  readonly reach: string | null
}

/** What all rows of a table have in common: said once below it, not under each. */
export interface SharedFacts extends Judged {
  /** All references are old, which is told at the top. */
  readonly allStale: boolean
  /** Clauses of evidence that every row has. */
  readonly evidence: readonly string[]
  /** `In each row all 7 new times are slower than all 7 old ones`; null where that is not so of all. */
  readonly apart: string | null
}

/** Evidence that says of a run what it says of each of its rows. */
const OF_WHOLE_RUN: ReadonlySet<EvidenceKind> = new Set(['one-process', 'moved-meanwhile', 'shard-shift'])

export function sharedFacts(rows: readonly ReportRow[], report: TriageReport): SharedFacts {
  const judged = rows.map((row) => judgedWords(decisive(row), false))
  const clauses = rows.map(({ evidence }, index) =>
    evidence.flatMap((item) => {
      return OF_WHOLE_RUN.has(item.kind) ? (evidenceWords(item, rows[index]!, NOTHING_SHARED) ?? []) : []
    }),
  )
  const common = (fact: keyof Judged) => {
    const first = judged[0]?.[fact] ?? null
    return judged.length > 1 && judged.every((one) => one[fact] === first) ? first : null
  }
  return {
    repetitions: common('repetitions'),
    // Of several architectures it holds for the one that decides, which differs from row to row.
    noise: report.architectures.length > 1 ? null : common('noise'),
    reach: common('reach'),
    allStale: report.references.every((reference) => (reference.commitsBeforeMergeBase ?? 0) > 0),
    evidence: rows.length < 2 ? [] : clauses[0]!.filter((clause) => clauses.every((ofRow) => ofRow.includes(clause))),
    apart: apartWords(rows),
  }
}

/** What no shuffling of the samples could better: every new one is worse than every old one, on each architecture. */
function apartWords(rows: readonly ReportRow[]): string | null {
  const results = rows.flatMap((row) => row.results.filter(({ status }) => status === 'compared'))
  const [first] = results
  const { repetitions } = first?.new ?? {}
  const isAlike = results.every(
    ({ separated, direction, old, new: fresh, unit }) =>
      separated === true &&
      direction === 'slower' &&
      unit === first!.unit &&
      old.repetitions === repetitions &&
      fresh.repetitions === repetitions,
  )
  if (first === undefined || repetitions == null || !isAlike) return null
  const [what, are] = first.unit === 's' ? ['times', 'exceed'] : ['values', 'are worse than']
  const where = rows.length === 1 ? 'All' : 'In each row all'
  return `${where} ${count(repetitions)} new ${what} ${are} all ${count(repetitions)} old ones`
}

/**
 * `All rows: 7 + 7 repetitions, old and new don’t overlap.`; empty when they have nothing in common. `isBrief`: a page has
 * what only repeats the numbers of the test.
 */
export function sharedLine({ evidence, repetitions, noise, reach, apart }: SharedFacts, isBrief = false): string {
  const judged = apart !== null || isBrief ? [reach] : [repetitions, noise, reach]
  const facts = [...evidence, ...judged].filter((fact) => fact !== null)
  const all = facts.length === 0 ? [] : [`All rows: ${facts.join(', ')}.`]
  return [...(apart === null ? [] : [`${apart}.`]), ...all].join(' ')
}

/** How a result was judged: its repetitions, its noise, p and the threshold; empty where it was not compared. */
export function measurementFacts(result: ClassifiedQuery): string[] {
  const { repetitions, noise, reach } = judgedWords(result, false)
  const p = result.status !== 'compared' || result.pValue === null ? null : `p\u00a0${pValue(result.pValue)}`
  return [repetitions, noise, p, reach ?? flaggedFrom(result), ...unseenFacts(result)].filter((fact) => fact !== null)
}

function judgedWords(result: ClassifiedQuery, isOneOfSeveral: boolean): Judged {
  if (result.status !== 'compared') return { repetitions: null, noise: null, reach: null }
  if (result.history !== undefined) return againstHistory(result, result.history)
  return {
    repetitions: repetitionsWords(result),
    noise: noiseWords(result, isOneOfSeveral),
    reach: null,
  }
}

function repetitionsWords({ old, new: fresh, attempts = 1 }: ClassifiedQuery): string {
  if (old.repetitions === null || fresh.repetitions === null) return WITHOUT_SAMPLES
  const together = attempts === 1 ? '' : `, ${attempts} attempts together`
  return `${old.repetitions} + ${fresh.repetitions} repetitions${together}`
}

/** `moved this much in 0 of 40 trunk runs`, `2 jobs`, `this history can show changes of 10.9% or more`, and what else would tell. */
function againstHistory({ old, outcome }: ClassifiedQuery, history: AgainstHistory): Judged {
  const { jobs, trunkRuns, asLarge, reach, isExact, reason } = history
  const asked = reason === null || reason === 'one-job' || reason === 'guard' ? null : RERUN_REASON_WORDS[reason].term
  const moved = isExact
    ? `the last ${count(old.repetitions ?? 0)} on the main branch are equal`
    : outcome === 'changed'
      ? `moved this much in ${count(asLarge)} of ${counted(trunkRuns, 'run on the main branch', 'runs on the main branch')}`
      : null
  return {
    repetitions: `${counted(jobs, 'job', 'jobs')} against ${counted(old.repetitions ?? 0, 'run on the main branch', 'runs on the main branch')}${toMarkdown(otherMachinePhrase(history))}`,
    noise: [asked, moved].filter((fact) => fact !== null).join(', ') || null,
    reach:
      isExact || reach === null
        ? null
        : `this history can show changes of ${percent(reach)} or more${howToTell(outcome, history)}`,
  }
}

function howToTell(outcome: ClassifiedQuery['outcome'], { moreJobs }: AgainstHistory): string {
  if (outcome !== 'unstable') return ''
  if (moreJobs === null) return '; more jobs don’t help: build both sides in one job'
  return moreJobs === 0 ? '' : `; ${counted(moreJobs, 'more job', 'more jobs')} would settle it`
}

/** The threshold; where old and new don't overlap at all that says more, and the threshold is the difference itself. */
function noiseWords(result: ClassifiedQuery, isOneOfSeveral: boolean): string | null {
  const { separated, threshold, outcome, architecture } = result
  if (separated === true) {
    const where = isOneOfSeveral && architecture !== null ? `${onArchitecture(architecture).trim()} ` : ''
    return `${where}${MEASUREMENT_WORDS.separated.term}`
  }
  if (threshold === null) return null
  const noise = isLargestThreshold(result) ? LARGEST_NOISE : `noise ±${percent(threshold)}`
  return `${noise}${outcome === 'unstable' ? ', too wide to call' : ''}`
}

/** Where nothing else says why the row needs a rerun, or why something faster is nothing. */
function isForChance(row: ReportRow): boolean {
  const asks = row.verdict === 'needs-rerun' || (row.verdict === 'likely-noise' && row.direction === 'faster')
  return asks && row.outcome === 'changed' && !row.guarded && mayBeChance(decisive(row))
}

/** Another attempt is all that it takes; of one process a side it takes other processes. */
function asksForChance(row: ReportRow): boolean {
  const { leans, notes, history } = decisive(row)
  const asks = row.verdict === 'needs-rerun' && (isForChance(row) || leans !== undefined)
  return asks && history === undefined && !notes.includes('one-process')
}

function rankWords({ rankPValue }: ClassifiedQuery): string {
  return rankPValue === null ? '' : ` (the samples overlap, rank p\u00a0${pValue(rankPValue)})`
}

function flaggedFrom({ status, changedThreshold, changedThresholdSource }: ClassifiedQuery): string | null {
  if (status !== 'compared' || changedThreshold === null || changedThresholdSource === null) return null
  return `flagged from ${thresholdPercent(changedThreshold)} (${THRESHOLD_SOURCE_WORDS[changedThresholdSource].term})`
}

/** Without a position the name is the text, and says it where it is not cut. */
function isInName(row: ReportRow): boolean {
  return row.queryIndex === null && queryLabel(row).length <= NAME_LIMIT
}

/** How most queries begin, which tells none from another. */
const SAID_OF_MOST = /^\s*select\s+(?=\S)/i

/** The beginning of a query's text; null where the name says it. */
export function shownText(row: ReportRow): string | null {
  const text = row.queryName
  if (text === null || text === row.test || isInName(row)) return null
  return queryText(text.replace(SAID_OF_MOST, ''), row.results.length > 1 ? NARROW_WORD : WIDE_WORD)
}

/**
 * The evidence line's facts, most telling first. `hidden` are the results that have no column. `isBrief`: without what only
 * repeats the numbers of the test, which the row's page has.
 */
export function factsOf(
  row: ReportRow,
  hidden: readonly ClassifiedQuery[],
  shared: SharedFacts,
  isBrief = false,
): string[] {
  const result = decisive(row)
  const judged = judgedWords(result, row.results.length > 1)
  const kinds = new Set<string>(row.evidence.map(({ kind }) => kind))
  const saysRepetitions = kinds.has('too-few-repetitions')
  const isApart = shared.apart !== null
  const facts: (string | null)[] = [
    ...acceptedPhrases(row).map((accepted) => toMarkdown(accepted)),
    row.becauseOfChange === true ? MEASUREMENT_WORDS.becauseOfChange.term : null,
    // Where the verdict is `slower` anyway the guard explains nothing.
    row.guarded && row.verdict === 'needs-rerun' ? MEASUREMENT_WORDS.guarded.term : null,
    result.leans === undefined ? null : leaningFact(result.leans),
    isForChance(row) ? `${MEASUREMENT_WORDS.mayBeChance.term}${isBrief ? '' : rankWords(result)}` : null,
    asksForChance(row) ? oneMoreFact(result) : null,
    ...hidden.filter(isWorthSaying).map((other) => `${numbersOf(other)}${onArchitecture(other.architecture)}`),
    oppositeDirections(row),
    ...row.evidence.map((evidence) => evidenceWords(evidence, row, shared)),
    profileFact(row),
    (isBrief && result.history === undefined) || isApart || shared.noise !== null ? null : judged.noise,
    (isBrief && result.history === undefined && (result.attempts ?? 1) === 1) ||
    isApart ||
    shared.repetitions !== null ||
    saysRepetitions
      ? null
      : judged.repetitions,
    shared.reach === null ? judged.reach : null,
    ...result.notes.map((note) => (isOfRepetitions(note) || kinds.has(note) ? null : noteWords(note, result))),
  ]
  return facts.filter((fact) => fact !== null)
}

/** A note in words, with the numbers of processes where they are more than one. */
export function noteWords(note: Note, { old, new: fresh }: ClassifiedQuery): string {
  if (note !== 'one-process' || old.processes === undefined || fresh.processes === undefined)
    return NOTE_WORDS[note].term
  return processesText(old.processes, fresh.processes)
}

/** The header or the evidence says how many repetitions there are. */
function isOfRepetitions(note: Note): boolean {
  return note === 'too-few-repetitions' || note === 'uneven-repetitions'
}

function isWorthSaying(result: ClassifiedQuery): boolean {
  return result.status !== 'not-measured'
}

/** Slower here and faster there is said with both, whatever the columns show. */
function oppositeDirections(row: ReportRow): string | null {
  const where = (direction: 'slower' | 'faster') =>
    row.results.filter((result) => result.outcome === 'changed' && result.direction === direction)
  const [slower, faster] = [where('slower'), where('faster')]
  if (slower.length === 0 || faster.length === 0) return null
  const names = (results: readonly ClassifiedQuery[]) => architectureList(results.map((result) => result.architecture))
  return `slower on ${names(slower)}, faster on ${names(faster)}`
}

/** One item of evidence as a few words with its numbers; null where the row or the header says the same already. */
export function evidenceWords(evidence: Evidence, row: ReportRow, shared: SharedFacts): string | null {
  // Judged by the floor: said with the thresholds of the whole run.
  const isSaid =
    evidence.kind === 'floor-threshold' ||
    (evidence.kind === 'stale-reference' && shared.allStale) ||
    // said of all rows, with what differs
    (evidence.kind === 'other-machine' && row.results.length === 1) ||
    isSaidOfWholeRun(evidence, row)
  if (isSaid) return null
  const words = toMarkdown(evidencePhrase(evidence, row, 'main'))
  return shared.evidence.includes(words) ? null : words
}

/** The words of the first evidence of a kind; null where the row has none. */
export function evidenceOf(row: ReportRow, kind: EvidenceKind): string | null {
  const found = row.evidence.find((evidence) => evidence.kind === kind)
  return found === undefined ? null : evidenceWords(found, row, NOTHING_SHARED)
}

const NOTHING_SHARED: SharedFacts = {
  repetitions: null,
  noise: null,
  reach: null,
  allStale: false,
  evidence: [],
  apart: null,
}

/** Of a threshold that would only repeat the difference. */
const LARGEST_NOISE = 'as large as chance can make it here'

/** A threshold where it is shown: of a difference that it would only repeat, in words. */
export function noiseThreshold(threshold: number, result: WithThreshold): string {
  return isLargestThreshold(result) ? LARGEST_NOISE : percent(threshold)
}

/** The same for whoever asks why; null where the threshold has a number of its own. */
export function largestThreshold(result: WithThreshold): string | null {
  if (!isLargestThreshold(result)) return null
  return `The noise is at most the difference itself: with ${result.old.repetitions} + ${result.new.repetitions} repetitions, no split of them gives more. That doesn’t mean that the difference is close to noise.`
}
