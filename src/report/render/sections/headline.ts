import { ofOtherMachines } from '../../../intake/measurement/environment.ts'
import { shownValue } from '../../../judge/verdict/classified-query.ts'
import { mayExplain, type WholeRunShift } from '../../../judge/verdict/evidence/shard-shift.ts'
import { isFailure } from '../../../judge/verdict/failed-in.ts'
import { isSlower } from '../../../judge/verdict/findings.ts'
import { shortCommit } from '../../../text/markdown.ts'
import { count, counted, list, moved, thresholdPercent } from '../../../text/numbers.ts'
import { toMarkdown } from '../../../text/phrase.ts'
import { FAILED_IN_WORDS, MEASUREMENT_WORDS, UNDIRECTED_WORDS, VERDICT_WORDS } from '../../glossary.ts'
import { asksAgain, decisive, hasResults, withVerdict } from '../../parts.ts'
import type { ReportRow, TriageReport } from '../../report.ts'
import { acceptancePhrase } from '../acceptance-words.ts'
import { OF_MACHINE } from '../comparison-words.ts'
import { medians, onArchitecture } from '../facts.ts'
import { failingLine } from '../failing-line.ts'
import type { Section } from '../layout.ts'
import { measuredOnce, type View } from '../view.ts'
import { countersOf } from './other-metrics.ts'

/** The verdict in one line, counted from the rows it stands over. Because of this change only where the trunk's history says so. */
export const headline: Section = {
  name: 'headline',
  priority: 0,
  reserve: 0,
  render: (view) => {
    const now = view.pending
    const where = now === null ? '' : `; ${shortCommit(now.head)} is being measured`
    return `### ${verdictLine(view)}${now === null ? '' : ` at ${shortCommit(view.report.head)}`}${where}`
  },
}

/**
 * `7 of 67 queries slower, 21 faster; 2 need a rerun; 26 too noisy to judge; of 4 failing tests 1 may be yours, 3 are
 * chronic`: plain words; of what comes from outside only the names of architectures.
 */
export function verdictLine(view: View): string {
  const tests = view.failing === null ? '' : failingLine(view.failing)
  if (tests === '') return measuredLine(view, 'results')
  // Where nothing was to be measured the failing tests are all there is.
  if (!hasResults(view.report) && view.report.complete && view.shards.total === 0) return capital(tests)
  return `${measuredLine(view, 'performance results')}; ${tests}`
}

export const UNREAD_WORDS = 'results not read in full'

function measuredLine(view: View, results: string): string {
  const found = foundLine(view, results)
  const first =
    (view.report.wrongBuilds ?? []).length > 0
      ? 'The wrong builds were compared'
      : apartIn(view) === 'all'
        ? 'Old and new were not measured alike'
        : null
  const line = first === null ? found : `${first}; ${found.charAt(0).toLowerCase()}${found.slice(1)}`
  return view.unread.length === 0 ? line : `${line}; ${UNREAD_WORDS}`
}

function foundLine(view: View, results: string): string {
  const { report, shards } = view
  if (!hasResults(report)) return `No ${results}${report.complete ? '' : ' yet'}`

  const ofProgram = programLine(view)
  if (ofProgram !== null) return ofProgram

  const failures = [...failedGroups(view).map(failedWords), ...partlyFailedWords(view), ...againWords(view)]
  const measured = [
    ...slowerRuns(view),
    ...changedWords(view),
    ...undirectedWords(view),
    ...failures,
    ...fasterRuns(view),
  ]
  const isOfMachine = report.labels?.kind === 'machine'
  const then = isOfMachine ? [] : [...openWords(view), ...explainedWords(view)]
  const said = [...measured, ...(then.length === 0 ? [] : [list(then)])]
  if (said.length > 0) {
    const whatOf = isOfMachine ? `: ${OF_MACHINE}` : apartWords(view)
    const line = `${[...said, ...noiseWords(view)].join('; ')}${whatOf}`
    if (!report.complete) return `So far ${line}`
    return isNothingNew(view) ? `No new slowdown: ${line}` : capital(line)
  }
  const where = shards.lost.length > 0 && report.complete ? ' in what was measured' : ''
  const once = measuredOnce(view).length
  if (once > 0 && view.compared === 0)
    return `${capital(counted(once, 'query', 'queries'))} measured once, which decides nothing`
  return (
    [
      `Nothing ${elseWord(view)}measured slower or faster${report.complete ? where : ' so far'}`,
      ...noiseWords(view),
      ...(once === 0 ? [] : [`${count(once)} measured once`]),
    ].join('; ') + apartWords(view)
  )
}

/** How much of what was compared was not measured alike: where it is all, that is the first thing to know. */
function apartIn({ report, compared }: View): 'none' | 'some' | 'all' {
  const apart = compared === 0 ? 0 : ofOtherMachines(report.environments).length
  if (apart === 0 || report.labels?.kind === 'machine') return 'none'
  return apart < (report.environments ?? []).length ? 'some' : 'all'
}

function apartWords(view: View): string {
  return apartIn(view) === 'some' ? '; some were not measured alike' : ''
}

/** `The new program is faster: 3,930 → 426 ms, −89.2%`: two programs by the metric that decides; null of anything else. */
function programLine({ report: { labels, rows } }: View): string | null {
  const [only, ...others] = rows
  if (labels?.kind !== 'program' || only === undefined || others.length > 0) return null
  const result = decisive(only)
  const [old, fresh] = [shownValue(result.old), shownValue(result.new)]
  if (old === null || fresh === null || result.difference === null) return null
  const numbers = `${medians(result, true)}, ${moved(result.difference, old, fresh)}`
  if (result.status === 'measured-once') return `The new program: ${numbers}; measured once, which decides nothing`
  return result.outcome === 'changed' ? `The new program is ${result.direction ?? 'another'}: ${numbers}` : null
}

/** The report is of one program with its metrics: its headline has the numbers, which no table needs to repeat. */
export function isOneProgram(view: View): boolean {
  return programLine(view) !== null && countersOf(view.report).length > 0
}

/** Verdicts of slower rows that were so before, or move by themselves. */
const NOT_NEW: ReadonlySet<ReportRow['verdict']> = new Set(['already-on-trunk', 'likely-noise'])

/** There are slower rows, and none that somebody should do something about: who reads no further must know that. */
function isNothingNew({ report, slower, hasOpen }: View): boolean {
  const isOfMachine = report.labels?.kind === 'machine'
  return !hasOpen && !isOfMachine && slower.length > 0 && slower.every(({ verdict }) => NOT_NEW.has(verdict))
}

/** What changed and is ignored is no finding, and is not denied either. */
function elseWord({ ignored }: View): string {
  return ignored.some(({ outcome }) => outcome === 'changed') ? 'else ' : ''
}

/** `1 of 3 queries changed, better or worse not known` */
function undirectedWords({ undirected, compared }: View): string[] {
  const of = counted(compared, 'query', 'queries')
  return undirected.length === 0 ? [] : [`${count(undirected.length)} of ${of} ${UNDIRECTED_WORDS}`]
}

/** `7 of 67 queries slower, 21 faster`; beside a slower shift, which has the number of its rows already, what else there is. */
function changedWords(view: View): string[] {
  const { slower, faster, compared, wholeRun } = view
  const ofAll = ` of ${counted(compared, 'query', 'queries')}`
  const slowRuns = wholeRun.filter(isSlower)
  if (slowRuns.length === 0 && slower.length === 0) {
    return faster.length === 0 ? [] : [`${count(faster.length)}${ofAll} faster, none slower`]
  }
  const others = slower.filter((row) => !slowRuns.some((shift) => isMoreThan(shift, row))).length
  const losses =
    slowRuns.length === 0
      ? `${count(slower.length)}${ofAll} slower${overTrunk(view)}${because(view)}`
      : counted(others, 'other', 'others') + ' slower'
  const words = [
    ...(slowRuns.length > 0 && others === 0 ? [] : [losses]),
    ...(faster.length === 0 ? [] : [`${count(faster.length)} faster`]),
  ]
  return words.length === 0 ? [] : [words.join(', ')]
}

/** Queries that failed where it matters, by the build. */
export function failedGroups({ failedInNew, failedUnknown }: View) {
  const groups = [
    { build: 'new', rows: failedInNew },
    { build: 'unknown', rows: failedUnknown },
  ] as const
  return groups.filter(({ rows }) => rows.length > 0)
}

/** `67 queries without a result in the new build` */
export function failedWords({ build, rows }: ReturnType<typeof failedGroups>[number]): string {
  return `${counted(rows.length, 'query', 'queries')} ${FAILED_IN_WORDS[build].term}`
}

/** `2 queries failed in some repetitions of the new build` */
function partlyFailedWords({ partlyFailed }: View): string[] {
  const { length } = partlyFailed
  return length === 0 ? [] : [`${counted(length, 'query', 'queries')} failed in some repetitions of the new build`]
}

/** `2 slower before and not measured again`, `1 slower before and not in the last run`; those without rows are left out. */
export function againWords({
  notMeasuredAgain,
  notSeenAgain,
}: Pick<View, 'notMeasuredAgain' | 'notSeenAgain'>): string[] {
  const words = (rows: readonly ReportRow[], since: string) => {
    const isSlow = rows.every(({ results }) => !results.some(isFailure))
    return rows.length === 0 ? [] : [`${count(rows.length)} ${isSlow ? 'slower' : 'open'} before and ${since}`]
  }
  return [...words(notMeasuredAgain, 'not measured again'), ...words(notSeenAgain, 'not in the last run')]
}

/** How many of the slower ones are because of this change. */
function because({ slower }: View): string {
  const number = slower.filter((row) => row.becauseOfChange === true).length
  if (number === 0) return ''
  return number === slower.length ? ' because of this change' : `, ${count(number)} of them because of this change`
}

/** ` than the trunk, in two jobs`, where nothing but the head was measured. */
function overTrunk({ slower }: View): string {
  const histories = slower.map((row) => decisive(row).history)
  if (histories.some((history) => history === undefined)) return ''
  const jobs = new Set(histories.map((history) => history!.jobs))
  const [only] = jobs
  const words = jobs.size > 1 ? 'several jobs' : only === 1 ? 'one job' : `${only === 2 ? 'two' : 'three'} jobs`
  return ` than the trunk, in ${words}`
}

/** A row of the architecture that is slower by more than its whole run explains. */
function isMoreThan({ architecture, shift }: WholeRunShift, row: ReportRow): boolean {
  return decisive(row).architecture === architecture && !mayExplain(shift, decisive(row))
}

/** `the whole run is 6% slower: a machine or this change; 3 of 74 rows more than that`, once for each machine. */
function slowerRuns(view: View): string[] {
  return view.wholeRun.filter(isSlower).map((shift) => {
    const more = view.slower.filter((row) => isMoreThan(shift, row))
    // Half of all rows are slower by more than the median: of none can be said that it is not more.
    if (more.length === 0) return `${runWords(shift, view)}; no row is slower than that explains`
    const rows = `${count(more.length)} of ${counted(shift.queries, 'row', 'rows')}`
    return `${runWords(shift, view)}; ${rows} more than that${because({ ...view, slower: more })}`
  })
}

/** `the whole run is 6% faster: a machine or this change`: it asks for nothing, so it stands behind what does. */
function fasterRuns(view: View): string[] {
  return view.wholeRun.filter((shift) => !isSlower(shift)).map((shift) => runWords(shift, view))
}

function runWords(shift: WholeRunShift, { report }: View): string {
  const by = shift.again === null ? ': a machine or this change' : ' in two runs of this commit'
  const accepted = shift.accepted === undefined ? '' : `, ${toMarkdown(acceptancePhrase(shift.accepted))}`
  return `${runName(shift, report)} is ${movedBy(shift)}${by}${accepted}`
}

/** `the whole run`, `the whole run on arm`, `all of shard 3` where the others are not there to compare with. */
export function runName({ architecture, shard }: WholeRunShift, { architectures }: TriageReport): string {
  const run = shard === null ? MEASUREMENT_WORDS.wholeRun.term : `all of shard ${count(shard)}`
  return architectures.length > 1 ? `${run}${onArchitecture(architecture)}` : run
}

/** `6% slower` */
export function movedBy(shift: WholeRunShift): string {
  return `${thresholdPercent(Math.abs(shift.shift))} ${isSlower(shift) ? 'slower' : 'faster'}`
}

/** `17 too noisy to judge`, `2 ignored`; the first of how many where no other number says it. */
function noiseWords({ tooNoisy, tooFew, ignored, slower, faster, compared, wholeRun }: View): string[] {
  const isAlone = slower.length + faster.length + wholeRun.length === 0
  const kinds = [
    [tooNoisy.filter((row) => !tooFew.includes(row)), MEASUREMENT_WORDS.tooNoisy],
    [tooFew, MEASUREMENT_WORDS.tooFew],
    [ignored, VERDICT_WORDS.ignored],
  ] as const
  return kinds
    .filter(([rows]) => rows.length > 0)
    .map(([rows, { term }], index) => {
      const ofAll = isAlone && index === 0 ? ` of ${counted(compared, 'query', 'queries')}` : ''
      return `${count(rows.length)}${ofAll} ${term}`
    })
}

function openWords({ open, slower, faster }: View): string[] {
  const reruns = withVerdict(open, 'needs-rerun')
  const said = new Set([...slower, ...faster])
  const ofThese = reruns.filter((row) => said.has(row))
  const more = reruns.filter((row) => row.outcome !== 'changed' && !asksAgain(row)).length
  const again = reruns.filter((row) => row.outcome !== 'changed' && asksAgain(row)).length
  const words: string[] = []
  if (ofThese.length > 0) {
    words.push(`${subset(ofThese, slower, faster)} ${ofThese.length === 1 ? 'needs' : 'need'} a rerun`)
  }
  if (more > 0) {
    const isMore = slower.length + faster.length > 0
    const who = isMore ? `${count(more)} more` : counted(more, 'query', 'queries')
    words.push(`${who} may be much slower and ${more === 1 ? 'needs' : 'need'} a rerun`)
  }
  if (again > 0) {
    const isMore = slower.length + faster.length + more > 0
    const who = isMore ? `${count(again)} more` : counted(again, 'query', 'queries')
    words.push(`${who} may be slower and ${again === 1 ? 'needs' : 'need'} another job`)
  }
  return words
}

function explainedWords({ slower, faster }: View): string[] {
  return EXPLAINED.flatMap(([verdict, words]) => {
    const rows = withVerdict([...slower, ...faster], verdict)
    return rows.length === 0 ? [] : [`${subset(rows, slower, faster)} ${rows.length === 1 ? 'is' : 'are'} ${words}`]
  })
}

const EXPLAINED = (['likely-noise', 'already-on-trunk', 'acknowledged'] as const).map(
  (verdict) => [verdict, VERDICT_WORDS[verdict].term] as const,
)

/** `2`, `5 of the faster`, `it`, `both`, `all`: which of the changed ones. */
function subset(rows: readonly ReportRow[], slower: readonly ReportRow[], faster: readonly ReportRow[]): string {
  const total = slower.length + faster.length
  if (rows.length === total) return total === 1 ? 'it' : total === 2 ? 'both' : 'all'
  const isMixed = slower.length > 0 && faster.length > 0
  const directions = new Set(rows.map(({ direction }) => direction))
  const [only] = directions
  if (!isMixed || directions.size > 1 || !only) return count(rows.length)
  const ofIt = only === 'slower' ? slower.length : faster.length
  return rows.length === ofIt ? `the ${only}` : `${count(rows.length)} of the ${only}`
}

export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
