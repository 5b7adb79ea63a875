import { ofOtherMachines } from '../../../intake/measurement/environment.ts'
import { shownValue } from '../../../judge/verdict/classified-query.ts'
import { mayExplain, type WholeRunShift } from '../../../judge/verdict/evidence/shard-shift.ts'
import { isFailure } from '../../../judge/verdict/failed-in.ts'
import { isSlower } from '../../../judge/verdict/findings.ts'
import { shortCommit, word } from '../../../text/markdown.ts'
import { count, counted, percent, thresholdPercent } from '../../../text/numbers.ts'
import { capital, toMarkdown, uncapital } from '../../../text/phrase.ts'
import { asksAgain, decisive, hasResults, nounOf, nounsOf, withVerdict } from '../../parts.ts'
import type { ReportRow, TriageReport } from '../../report.ts'
import { rowName } from '../../row/name.ts'
import { FAILED_IN_WORDS, MEASUREMENT_WORDS, UNDIRECTED_WORDS, VERDICT_WORDS } from '../../words.ts'
import { acceptancePhrase } from '../acceptance-words.ts'
import { OF_MACHINE } from '../comparison-words.ts'
import { evidenceOf, medians, movedBy, onArchitecture, timesFaster } from '../facts.ts'
import { failingLine } from '../failing-line.ts'
import type { Section } from '../layout.ts'
import { hiddenInHalf } from '../noise-words.ts'
import { isMostlyNoise, measuredOnce, type View } from '../view.ts'
import { countersOf } from './other-metrics.ts'

/** The news in one line, counted from the rows it stands over. Because of this change only where the trunk's history says so. */
export const headline: Section = {
  name: 'headline',
  priority: 0,
  reserve: 0,
  render: (view) => {
    const now = view.pending
    const where = now === null ? '' : `; ${shortCommit(now.head)} is being measured`
    const at = now === null ? '' : ` at ${shortCommit(view.report.head)}`
    const row = headlineRow(view)
    return `### ${row === null ? verdictLine(view) : onlyRowLine(view, row)}${at}${where}`
  },
}

/** The one row that is slower, which the headline is of; null where there is anything else to say. */
export function headlineRow(view: View): ReportRow | null {
  const [row, ...others] = view.open
  const isAlone = others.length === 0 && view.slower.length === 1 && view.slower[0] === row
  if (row === undefined || !isAlone || row.verdict !== 'regression') return null
  const plain = `1 of ${nounOf(view.report, view.compared)} got slower${becauseOf(row)}`
  if (failingLine(view.failing) !== '' || verdictLine(view) !== plain) return null
  return movedBy(decisive(row)) === '' ? null : row
}

/** By name and with its cause. Markdown, unlike `verdictLine`. */
function onlyRowLine(view: View, row: ReportRow): string {
  const result = decisive(row)
  const cause = evidenceOf(row, 'on-path')
  const where = row.results.length > 1 ? onArchitecture(result.architecture) : ''
  const moved = `${medians(result)} (${movedBy(result)})`
  const noun = capital(nounsOf(view.report.rows)[0])
  return `${noun} ${rowName(view, row)} got slower${where}${becauseOf(row)}: ${moved}${cause === null ? '' : `; ${cause}`}`
}

/** What the headline says of its row beside the numbers, as `factsOf` says it. */
export function saidInHeadline(row: ReportRow): readonly (string | null)[] {
  return [evidenceOf(row, 'on-path'), row.becauseOfChange === true ? MEASUREMENT_WORDS.becauseOfChange.term : null]
}

function becauseOf({ becauseOfChange }: ReportRow): string {
  return becauseOfChange === true ? ' because of this change' : ''
}

/**
 * `7 of 67 queries got slower, 13 got faster`, `2 of 6 failing tests look like yours; the other 4 are known failures. No
 * slowdown found.`: plain words; of what comes from outside only the names of architectures.
 */
export function verdictLine(view: View): string {
  const tests = failingLine(view.failing)
  if (tests === '') return measuredLine(view)
  const measured = measuredLine(view, true)
  // Where nothing was to be measured the failing tests are all there is.
  if (!hasResults(view.report) && view.report.complete && view.shards.total === 0) return tests
  return view.hasOpen || view.slower.length > 0 ? `${measured}. ${tests}` : `${tests}. ${measured}`
}

export const UNREAD_WORDS = 'some results could not be read'

/** The same without the failing tests. `isBeside`: they stand beside it, and a few noisy rows are left to their fold. */
export function measuredLine(view: View, isBeside = false): string {
  const found = foundLine(view, isBeside)
  const first =
    (view.report.wrongBuilds ?? []).length > 0
      ? 'The wrong builds were compared'
      : apartIn(view) === 'all'
        ? 'The two builds were not measured alike'
        : null
  const line = first === null ? found : `${first}; ${uncapital(found)}`
  return view.unread.length === 0 ? line : `${line}; ${UNREAD_WORDS}`
}

function foundLine(view: View, isBeside: boolean): string {
  const { report } = view
  if (!hasResults(report)) return `No ${isBeside ? 'performance ' : ''}results${report.complete ? '' : ' yet'}`

  const ofProgram = programLine(view)
  if (ofProgram !== null) return ofProgram

  const [found, apart] = [findings(view), apartWords(view)]
  if (found.length > 0) {
    const [first, ...others] = found
    const isOfMachine = report.labels?.kind === 'machine'
    const line = [isOfMachine ? `${first}: ${OF_MACHINE}` : first, ...others, ...mostlyNoise(view), ...apart].join('; ')
    if (!report.complete) return `So far ${line}`
    return isNothingNew(view) ? `No new slowdown: ${line}` : capital(line)
  }
  if (view.wholeRun.length > 0)
    return capital([...view.wholeRun.map((shift) => runWords(shift, view)), ...noiseWords(view)].join('; '))
  return [calmLine(view, isBeside), ...apart].join('; ')
}

function findings(view: View): string[] {
  const changed = changedWords(view).join(', ')
  return [
    ...slowerRuns(view),
    ...(changed === '' ? [] : [changed]),
    ...rerunWords(view).more,
    ...undirectedWords(view),
    ...failedGroups(view).map((group) => failedWords(group, view)),
    ...partlyFailedWords(view),
    ...againWords(view),
    ...explainedWords(view),
  ]
}

/** A faster run is news where nothing else is. */
export function isSaidInHeadline(view: View): boolean {
  return hasResults(view.report) && programLine(view) === null && findings(view).length === 0
}

/** Nothing was found: how much that says. */
function calmLine(view: View, isBeside: boolean): string {
  const { report, compared } = view
  const once = measuredOnce(view).length
  if (once > 0 && compared === 0) return `${nounOf(view.report, once)} measured once, which shows no difference`
  if (report.rows.length === 0 && report.complete) return 'Nothing could be compared'
  if (compared === 0 && report.complete)
    return `${count(0)} of ${nounOf(report, report.rows.length)} could be compared, so nothing is known`
  if (isMostlyNoise(view)) return tooNoisyLine(view)
  const noise = [...noiseWords(view), ...(once === 0 ? [] : [`${count(once)} measured once`])]
  const isAll = report.complete && view.shards.lost.length === 0
  const where = report.complete ? (isAll ? '' : ' in what was measured') : ' so far'
  const found = `No ${otherWord(view)}slowdown found${where}`
  if (isBeside && view.tooNoisy.length > 0 && view.ignored.length === 0) return found
  if (noise.length > 0) return `${found}; ${noise.join('; ')}`
  return isAll && compared > 0 ? `${found} in ${nounOf(view.report, compared)}` : found
}

/** What else there may be, where most can't be judged. */
function mostlyNoise(view: View): string[] {
  const { tooNoisy, compared } = view
  return 2 * tooNoisy.length > compared ? [`${count(tooNoisy.length)} are ${MEASUREMENT_WORDS.tooNoisy.term}`] : []
}

/** `Too noisy to judge: differences under 30% can't be told from noise in 6 of 6 benchmarks` */
function tooNoisyLine(view: View): string {
  const results = view.tooNoisy.map(decisive)
  const of = `${count(results.length)} of ${nounOf(view.report, view.compared)}`
  const hidden = hiddenInHalf(results)
  if (hidden === null) return `Too noisy to judge: even ten times as slow could hide in ${of}`
  const under = `differences under ${percent(hidden)} can’t be told from noise in`
  const isOfAll = results.every(({ couldHide }) => (couldHide?.slowdown ?? Number.POSITIVE_INFINITY) >= hidden)
  return isOfAll ? `Too noisy to judge: ${under} ${of}` : `Too noisy to judge ${of}: ${under} half of them`
}

/** How much of what was compared was not measured alike: where it is all, that is the first thing to know. */
function apartIn({ report, compared }: View): 'none' | 'some' | 'all' {
  const apart = compared === 0 ? 0 : ofOtherMachines(report.environments).length
  if (apart === 0 || report.labels?.kind === 'machine') return 'none'
  return apart < (report.environments ?? []).length ? 'some' : 'all'
}

function apartWords(view: View): string[] {
  return apartIn(view) === 'some' ? ['some were not measured alike'] : []
}

/** `The new program is faster: 3,930 → 426 ms, −89.2%`: two programs by the metric that decides; null of anything else. */
function programLine({ report: { labels, rows } }: View): string | null {
  const [only, ...others] = rows
  if (labels?.kind !== 'program' || only === undefined || others.length > 0) return null
  const result = decisive(only)
  const [old, fresh] = [shownValue(result.old), shownValue(result.new)]
  if (old === null || fresh === null || result.difference === null) return null
  const [numbers, by] = [medians(result, true), movedBy(result)]
  if (result.status === 'measured-once')
    return `The new program: ${numbers}, ${by}; measured once, which decides nothing`
  if (result.outcome !== 'changed') return null
  return timesFaster(result) !== null
    ? `The new program is ${by}: ${numbers}`
    : `The new program is ${result.direction ?? 'another'}: ${numbers} (${by})`
}

/** The report is of one program with its metrics: its headline has the numbers, which no table needs to repeat. */
export function isOneProgram(view: View): boolean {
  return programLine(view) !== null && countersOf(view.report).length > 0
}

/** Verdicts of slower rows that were so before, or move by themselves. */
const NOT_NEW: ReadonlySet<ReportRow['verdict']> = new Set(['already-on-trunk', 'likely-noise'])

/** There are slower rows, and none that somebody should do something about: who reads no further must know that. */
function isNothingNew({ report, slower, hasOpen, wholeRun }: View): boolean {
  const isOfMachine = report.labels?.kind === 'machine'
  // somebody accepted a slower run, which is new all the same
  return (
    !hasOpen &&
    !isOfMachine &&
    !wholeRun.some(isSlower) &&
    slower.length > 0 &&
    slower.every(({ verdict }) => NOT_NEW.has(verdict))
  )
}

/** What changed and is ignored is no finding, and is not denied either. */
function otherWord({ ignored }: View): string {
  return ignored.some(({ outcome }) => outcome === 'changed') ? 'other ' : ''
}

/** `1 of 3 queries changed, better or worse not known` */
function undirectedWords(view: View): string[] {
  const { undirected, compared } = view
  return undirected.length === 0
    ? []
    : [`${count(undirected.length)} of ${nounOf(view.report, compared)} ${UNDIRECTED_WORDS}`]
}

/**
 * `7 of 67 queries got slower`, `2 of them need a rerun`, `13 got faster`; beside a slower shift, which has the number of
 * its rows already, what else there is.
 */
function changedWords(view: View): string[] {
  const { slower, faster, compared, wholeRun } = view
  const ofAll = ` of ${nounOf(view.report, compared)}`
  const slowRuns = wholeRun.filter(isSlower)
  if (slowRuns.length === 0 && slower.length === 0) {
    return faster.length === 0 ? [] : [`${count(faster.length)}${ofAll} got faster, none slower`]
  }
  const others = slower.filter((row) => !slowRuns.some((shift) => isMoreThan(shift, row))).length
  const losses =
    slowRuns.length === 0
      ? `${count(slower.length)}${ofAll} ${slowerWords(view)}${overTrunk(view)}${because(view)}`
      : `${counted(others, 'other', 'others')} got slower`
  return [
    ...(slowRuns.length > 0 && others === 0 ? [] : [losses]),
    ...rerunWords(view).ofThese,
    ...(faster.length === 0 ? [] : [`${count(faster.length)} got faster`]),
  ]
}

/** `got slower`; `may be slower and need a rerun` of those that none of them is sure of. */
function slowerWords(view: View): string {
  const { slower } = view
  if (isNothingNew(view)) return `${slower.length === 1 ? 'is' : 'are'} slower`
  const isDoubtful = view.report.labels?.kind !== 'machine' && slower.every(({ verdict }) => verdict === 'needs-rerun')
  return isDoubtful ? `may be slower and ${needs(slower.length)} a rerun` : 'got slower'
}

/** What only another run can settle: of the slower ones how many, of the others how many may be slower. */
function rerunWords(view: View): { readonly ofThese: string[]; readonly more: string[] } {
  const { open, slower, faster, wholeRun, report } = view
  if (report.labels?.kind === 'machine') return { ofThese: [], more: [] }
  const reruns = withVerdict(open, 'needs-rerun')
  const ofThese = reruns.filter((row) => slower.includes(row)).length
  const more = reruns.length - ofThese
  const isAlone = slower.length + faster.length === 0
  // `slowerWords` says it
  const isSaid = ofThese === slower.length && !wholeRun.some(isSlower)
  const isSure = withVerdict(open, 'regression').length > 0
  const who = isAlone ? nounOf(report, more) : `${count(more)} more`
  const much = reruns.filter((row) => !slower.includes(row)).every(isMuch) ? 'much ' : ''
  return {
    ofThese: ofThese === 0 || isSaid ? [] : [`${count(ofThese)} of them ${needs(ofThese)} a rerun`],
    // beside sure ones the next step says it
    more: more === 0 || (much === '' && isSure) ? [] : [`${who} may be ${much}slower`],
  }
}

function needs(number: number): string {
  return number === 1 ? 'needs' : 'need'
}

/** Not slower beyond doubt, and too much slower to be called noise. */
function isMuch(row: ReportRow): boolean {
  return row.outcome !== 'changed' && !asksAgain(row)
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
export function failedWords({ build, rows }: ReturnType<typeof failedGroups>[number], view: View): string {
  return `${nounOf(view.report, rows.length)} ${FAILED_IN_WORDS[build].term}`
}

/** `2 queries failed in some repetitions of the new build` */
function partlyFailedWords(view: View): string[] {
  const { length } = view.partlyFailed
  return length === 0 ? [] : [`${nounOf(view.report, length)} failed in some repetitions of the new build`]
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
  if (histories.length === 0 || histories.some((history) => history === undefined)) return ''
  const jobs = new Set(histories.map((history) => history!.jobs))
  const [only] = jobs
  const words = jobs.size > 1 ? 'several jobs' : only === 1 ? 'one job' : `${only === 2 ? 'two' : 'three'} jobs`
  return ` than the main branch, in ${words}`
}

/** A row of the architecture that is slower by more than its whole run explains. */
function isMoreThan({ architecture, shift }: WholeRunShift, row: ReportRow): boolean {
  return decisive(row).architecture === architecture && !mayExplain(shift, decisive(row))
}

/** `the whole run is 6% slower, so part of this may be the machine; 3 of 74 rows are slower than that explains`, once for each machine. */
function slowerRuns(view: View): string[] {
  return view.wholeRun.filter(isSlower).map((shift) => {
    const more = view.slower.filter((row) => isMoreThan(shift, row))
    // Half of all rows are slower by more than the median: of none can be said that it is not more.
    if (more.length === 0)
      return `${runWords(shift, view)}; no ${nounsOf(view.report.rows)[0]} is slower than that can explain`
    const rows = `${count(more.length)} of ${nounOf(view.report, shift.queries)}`
    return `${runWords(shift, view)}; ${rows} ${more.length === 1 ? 'is' : 'are'} slower than that can explain${because({ ...view, slower: more })}`
  })
}

/** `the whole run is 6% slower, so part of this may be the machine`, `the whole run is 6.2% faster, so what got faster may be the machine` */
export function runWords(shift: WholeRunShift, { report }: View): string {
  const machine = isSlower(shift) ? 'part of this may be the machine' : 'what got faster may be the machine'
  const by = shift.again === null ? `, so ${machine}` : ' in two runs of this commit'
  const accepted = shift.accepted === undefined ? '' : `, ${toMarkdown(acceptancePhrase(shift.accepted))}`
  return `${runName(shift, report)} is ${shiftWords(shift)}${by}${accepted}`
}

/** `the whole run`, `the whole run on arm`, `all of shard 3` where the others are not there to compare with. */
export function runName({ architecture, shard }: WholeRunShift, { architectures }: TriageReport): string {
  const run = shard === null ? MEASUREMENT_WORDS.wholeRun.term : `all of shard ${count(shard)}`
  return architectures.length > 1 ? `${run}${onArchitecture(architecture)}` : run
}

/** `6% slower` */
function shiftWords(shift: WholeRunShift): string {
  return `${thresholdPercent(Math.abs(shift.shift))} ${isSlower(shift) ? 'slower' : 'faster'}`
}

/** `2 of 10 queries are too noisy to judge`, `2 ignored`; the first of how many. */
function noiseWords(view: View): string[] {
  const { tooNoisy, tooFew, ignored, compared } = view
  const kinds = [
    [tooNoisy.filter((row) => !tooFew.includes(row)), MEASUREMENT_WORDS.tooNoisy],
    [tooFew, MEASUREMENT_WORDS.tooFew],
    [ignored, VERDICT_WORDS.ignored],
  ] as const
  return kinds
    .filter(([rows]) => rows.length > 0)
    .map(([rows, { term }], index) => {
      const ofAll = index === 0 ? ` of ${nounOf(view.report, compared)}` : ''
      return `${count(rows.length)}${ofAll} ${rows.length === 1 ? 'is' : 'are'} ${term}`
    })
}

/** Why slower ones ask for nothing: `both were already on main`, `1 of them is likely noise`. */
function explainedWords(view: View): string[] {
  const { slower, faster, report } = view
  if (report.labels?.kind === 'machine') return []
  // beside faster ones it would not be clear which are meant
  const of = faster.length === 0 ? null : `slower ${slower.length === 1 ? 'one' : 'ones'}`
  const base = word(report.pullRequest.baseRef)
  const kinds = [
    ['likely-noise', ['is', 'are'], VERDICT_WORDS['likely-noise'].term],
    ['already-on-trunk', ['was already', 'were already'], `on ${base}`],
    ['acknowledged', ['is', 'are'], VERDICT_WORDS.acknowledged.term],
  ] as const
  return kinds.flatMap(([verdict, [one, many], what]) => {
    const { length } = withVerdict(slower, verdict)
    if (length === 0) return []
    const all = of === null ? ['it', 'both', 'all'] : [`the ${of}`, `both ${of}`, `all ${of}`]
    const who =
      length === slower.length
        ? all[Math.min(length, all.length) - 1]
        : `${count(length)} of ${of === null ? 'them' : `the ${of}`}`
    return [`${who} ${length === 1 ? one : many} ${what}`]
  })
}
