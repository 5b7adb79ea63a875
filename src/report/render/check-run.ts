import { ofOtherMachines } from '../../intake/measurement/environment.ts'
import { queryLabel } from '../../intake/measurement/run.ts'
import { codeSpan, NAME_LIMIT, plainText } from '../../text/markdown.ts'
import { count, counted, list, signedPercent } from '../../text/numbers.ts'
import { capital, phrase, toMarkdown, uncapital } from '../../text/phrase.ts'
import { type NotPassed, notPassedOf } from '../check-conclusion.ts'
import type { DecidedReport } from '../decisions.ts'
import type { ShardTally } from '../parts.ts'
import { decisive, hasResults, nounOf, nounsOf, withVerdict } from '../parts.ts'
import type { CheckConclusion, ReportRow, Shard, TriageReport } from '../report.ts'
import { MEASUREMENT_WORDS, UNDIRECTED_WORDS, UNKNOWN_WORDS, VERDICT_WORDS } from '../words.ts'
import { byWhom, why } from './acceptance-words.ts'
import { annotationsOf, type ChangedTestFile, type CheckAnnotation } from './annotations.ts'
import { architectureList } from './facts.ts'
import { failingSentences, isKnown } from './failing-line.ts'
import { layOut, type Section } from './layout.ts'
import { hidingSentence, repetitionsSentence } from './noise-words.ts'
import { bisectWindows, pullRequestWindow } from './sections/bisect-windows.ts'
import { context, notes } from './sections/context.ts'
import { failingSteps } from './sections/failing-steps.ts'
import { knownFailures, openFailures } from './sections/failing-tests.ts'
import { fileLines } from './sections/file-lines.ts'
import { headline, measuredLine, verdictLine } from './sections/headline.ts'
import { measurementChanged, namesOf, otherWorkflow } from './sections/how-measured.ts'
import { ignored } from './sections/ignored.ts'
import { fewerQueries, fewerRepetitions, fewerShards, lessThanUsual, removedWords } from './sections/less-than-usual.ts'
import { lostStep, nextStep } from './sections/next-step.ts'
import { notMeasured, shardName, whyNotCompared } from './sections/not-measured.ts'
import { otherOutcomes } from './sections/other-outcomes.ts'
import { provenance } from './sections/provenance.ts'
import { explained, failed, faster, fromEarlierRuns, moreSlower, slower } from './sections/rows.ts'
import { type RenderLinks, shardsIn, type View, viewOf } from './view.ts'

/** GitHub takes 65,535 characters each for summary and text; three bytes a unit at most keep it below its byte limit. */
export const OUTPUT_LIMIT = 65_000
const TITLE_LIMIT = 255

export interface CheckRunOutput {
  readonly status: 'in_progress' | 'completed'
  /** null while in progress. */
  readonly conclusion: CheckConclusion | null
  /** Plain text. */
  readonly title: string
  readonly summary: string
  readonly text: string
  readonly annotations: readonly CheckAnnotation[]
  readonly buttons: readonly CheckButton[]
}

/** A button by which a person answers. */
export interface CheckButton {
  readonly label: string
  readonly description: string
  /** What pressing it says: `hearButton` in slash/hear.ts. */
  readonly identifier: 'accept' | 'rerun' | 'explain'
}

/** Why the check says nothing of what was found, and what a person let pass for this head. */
const decidedByPeople: Section = {
  name: 'decided-by-people',
  priority: 0,
  reserve: 0,
  render: ({ report }) => {
    const { mute = null } = report.decisions ?? {}
    const muted =
      mute === null ? [] : [`${toMarkdown(phrase`**Muted** ${byWhom(mute)}${why(mute)}`)}: ${mutedWords(report.mode)}.`]
    const accepted = (report.acceptedUnknowns ?? []).map(
      ({ unknown, by }) =>
        `${capital(UNKNOWN_WORDS[unknown].term)}: ${toMarkdown(phrase`accepted ${byWhom(by)}${why(by)}`)}.`,
    )
    const { acceptedMeasurement: by } = report
    const measured =
      by === undefined ? [] : [`How it was measured: ${toMarkdown(phrase`accepted ${byWhom(by)}${why(by)}`)}.`]
    return [...muted, ...accepted, ...measured].join('\n\n')
  },
}

function mutedWords(mode: TriageReport['mode']): string {
  return mode === 'gating'
    ? 'there is no comment, and this check stays as it is'
    : 'there is no comment, and this check is neutral'
}

/** Why the check fails though nothing was found: first, since a person waits for it. */
const closed: Section = {
  name: 'closed',
  priority: 0,
  reserve: 0,
  render: ({ report, shards }) => {
    const unknowns = report.mode === 'gating' ? (report.decisions?.unknowns ?? []) : []
    if (unknowns.length === 0) return ''
    const why = list(unknowns.map((unknown) => UNKNOWN_WORDS[unknown].term))
    // what a job uploads in another format is the same again, what it has not uploaded may come later
    const mayCome = ({ problem, refusal, awaited }: Shard) =>
      refusal === undefined || problem === 'no-results' || awaited === true
    const passes = shards.lost.length === 0 || shards.lost.some(mayCome)
    const again = passes ? ' The bot keeps trying what may pass by itself; **Re-run** tries at once.' : ''
    return `**This check fails because ${why}:** this repository is \`gating\`, and the result is unknown.${again}`
  },
}

/** Rows that are named in one sentence. */
const NAMED = 5

/** Why the gate is not passed though all is known, in a sentence each. */
const notPassed: Section = {
  name: 'not-passed',
  priority: 0,
  reserve: 0,
  render: (view) =>
    view.report.complete
      ? notPassedOf(view.report)
          .map((reason) => notPassedWords(reason, view.links.commandPrefix))
          .join('\n\n')
      : '',
}

export function notPassedWords(reason: NotPassed, commandPrefix = '/perf'): string {
  const command = codeSpan(`${commandPrefix} accept measurement "why"`, 2 * NAME_LIMIT)
  const accept = `**Maintainers:** if that is intended, ${command} lets it pass.`
  if (reason.kind === 'measurement-changed') return `**Not passed: ${measurementChanged(reason)}.** ${accept}`
  if (reason.kind === 'other-workflow')
    return `**Not passed: ${otherWorkflow(reason.shards)}.** ${accept} To use another workflow for good, name it under \`workflows\` in the repository’s file.`
  if (reason.kind === 'undecided') return undecidedWords(reason.rows, commandPrefix)
  if (reason.kind !== 'no-trunk-run')
    return `**Not passed: ${lessWords(reason)}.** “Usual” is the median of the main branch’s last runs. ${accept}`
  const names = namesOf(reason.shards.map(({ check }) => check))
  return `**No run on the main branch** has given results for ${names} yet, so it isn’t known which workflow should measure it. The next run there settles that, or \`workflows\` in the repository’s file.`
}

function undecidedWords(rows: readonly ReportRow[], commandPrefix: string): string {
  const names = rows.slice(0, NAMED).map((row) => {
    const { difference } = decisive(row)
    return `${codeSpan(queryLabel(row), NAME_LIMIT)} (${signedPercent(difference ?? 0)})`
  })
  const all = list(rows.length > NAMED ? [...names, `${count(rows.length - NAMED)} more`] : names)
  const [one, many] = nounsOf(rows)
  const what = `${counted(rows.length, `${one} is`, `${many} are`)} slower, and no run of this commit is decisive`
  const [rerun, accept] = ['rerun', 'accept "reason"'].map((words) => codeSpan(`${commandPrefix} ${words}`, NAME_LIMIT))
  return `**Not passed: ${what}:** ${all}. **Maintainers:** measure again with ${rerun}, or accept it with ${accept}.`
}

function lessWords(reason: NotPassed): string | null {
  if (reason.kind === 'fewer-shards' || reason.kind === 'skipped-job') return fewerShards(reason)
  if (reason.kind === 'fewer-queries') return fewerQueries(reason)
  return reason.kind === 'fewer-repetitions' ? fewerRepetitions(reason) : null
}

/** What was measured less of than usual, as far as `notPassed` does not say it. */
const measuredLess: Section = {
  ...lessThanUsual,
  render: (view, room) => {
    const { removed } = view.report.lessThanUsual ?? {}
    if (notPassedOf(view.report).every((reason) => lessWords(reason) === null)) return lessThanUsual.render(view, room)
    return removed === undefined ? '' : removedWords(removed)
  },
}

const SUMMARY: readonly Section[] = [
  decidedByPeople,
  closed,
  notPassed,
  measuredLess,
  headline,
  nextStep,
  notes,
  context,
]
const TEXT: readonly Section[] = [
  slower,
  moreSlower,
  failed,
  fromEarlierRuns,
  bisectWindows,
  pullRequestWindow,
  openFailures,
  knownFailures,
  explained,
  ignored,
  fileLines,
  faster,
  otherOutcomes,
  notMeasured,
  provenance,
]

/** The check run of a report. It always exists and always says how much was analysed. */
export function renderCheckRun(
  report: DecidedReport,
  links: RenderLinks,
  changedFiles: readonly ChangedTestFile[] = [],
): CheckRunOutput {
  const view = viewOf(report, { ...links, pictures: null })
  const calm =
    !view.hasOpen &&
    !isApart(view) &&
    view.slower.length +
      view.faster.length +
      view.wholeRun.length +
      view.partlyFailed.length +
      view.undirected.length ===
      0
  const found = hasOpenFailures(view) ? [failing, nothingChanged] : [nothingChanged, failing]
  return {
    status: report.complete ? 'completed' : 'in_progress',
    conclusion: report.decisions.conclusion,
    title: plainText(checkTitle(view), TITLE_LIMIT),
    summary:
      calm && report.complete && hasResults(report)
        ? layOut(
            [decidedByPeople, closed, notPassed, measuredLess, ...found, lostStep, notes, context],
            view,
            OUTPUT_LIMIT,
          )
        : layOut(SUMMARY, view, OUTPUT_LIMIT),
    text: layOut(TEXT, view, OUTPUT_LIMIT),
    annotations: annotationsOf(view, changedFiles),
    buttons: buttonsOf(view, report.decisions.unknowns.length > 0),
  }
}

/** Results were compared whose sides were measured on different machines. */
function isApart({ report, compared }: View): boolean {
  return compared > 0 && ofOtherMachines(report.environments).length > 0
}

function buttonsOf({ report, hasOpen, open, notSeenAgain }: View, hasUnknowns: boolean): readonly CheckButton[] {
  if (!report.complete) return []
  const isDoubted = notSeenAgain.length > 0 || open.some(({ verdict }) => verdict === 'needs-rerun')
  return [...(hasOpen || hasUnknowns ? [ACCEPT] : []), ...(isDoubted ? [RERUN] : []), ...(hasOpen ? [EXPLAIN] : [])]
}

const ACCEPT: CheckButton = {
  label: 'Accept',
  description: 'Accept everything that is open',
  identifier: 'accept',
}
const RERUN: CheckButton = {
  label: 'Re-run CI',
  description: 'Start the performance jobs again',
  identifier: 'rerun',
}
const EXPLAIN: CheckButton = {
  label: 'Explain',
  description: 'Explain what is open, in a reply',
  identifier: 'explain',
}

/** The news of the comment, `4 of 12 shards in` before it while the others run, and what is missing. */
function checkTitle(view: View): string {
  const { report, shards } = view
  if (!report.complete) {
    if (shards.total === 0) return 'Waiting for results'
    const news = newsOf(view)
    return hasResults(report) ? `${shardsIn(shards)}; ${uncapital(news)}` : shardsIn(shards)
  }
  if (!hasResults(report)) {
    return shards.lost.length === 0 ? 'Nothing to measure' : `No results: ${shardsIn(shards)}`
  }
  const lost = shards.lost.length === 0 ? '' : `; ${counted(shards.lost.length, 'shard', 'shards')} without results`
  const kept = notPassedOf(report).map(({ kind }) => `; ${NOT_PASSED_TITLES[kind]}`)
  return `${newsOf(view)}${lost}${skippedWords(shards)}${kept.join('')}`
}

/** With the failing tests where some are nobody else's: they are why the check is not green. */
function newsOf(view: View): string {
  return hasOpenFailures(view) ? verdictLine(view) : measuredLine(view)
}

function hasOpenFailures({ failing: tests }: View): boolean {
  return tests?.rows.some((row) => !isKnown(row)) === true
}

/** In the title, where there is no room for names. */
export const NOT_PASSED_TITLES: Readonly<Record<NotPassed['kind'], string>> = {
  'measurement-changed': 'changes how it is measured',
  'other-workflow': 'results of another workflow',
  'no-trunk-run': 'no run on the main branch yet',
  'skipped-job': 'a job was skipped',
  'fewer-shards': 'fewer shards than usual',
  'fewer-queries': 'fewer queries than usual',
  'fewer-repetitions': 'fewer repetitions than usual',
  undecided: 'slower, and no run is decisive',
}

const NAMED_SKIPPED = 2

/** `; perf (arm) was skipped` */
function skippedWords({ skipped }: ShardTally, nameOf = (shard: Shard) => shard.check): string {
  if (skipped.length === 0) return ''
  const names = skipped.slice(0, NAMED_SKIPPED).map(nameOf)
  const more = skipped.length - names.length
  return `; ${list(more > 0 ? [...names, `${count(more)} more`] : names)} ${skipped.length === 1 ? 'was' : 'were'} skipped`
}

/**
 * `27 of 68 queries unchanged; 41 too noisy to judge`: those that are too noisy did not stay the same, and of none nothing is
 * known. `where`: ` on arm`; `missing`: why others were not compared, how many by default.
 */
function calmWords(view: View, where = '', missing = notComparedWords(view)): string {
  const { report, compared, notCompared, tooNoisy, tooFew, undirected, ignored: set } = view
  if (compared === 0) return `${comparedWords(view)}${where}, so nothing is known`
  if (tooNoisy.length + set.length === compared) {
    const words = [
      ...(set.length === 0 ? [] : [VERDICT_WORDS.ignored.term]),
      ...(tooNoisy.length === tooFew.length ? [] : [MEASUREMENT_WORDS.tooNoisy.term]),
      ...(tooFew.length === 0 ? [] : [MEASUREMENT_WORDS.tooFew.term]),
    ]
    return `${comparedWords(view)}${where}, all ${words.join(' or ')}`
  }
  const noise = withVerdict(report.rows, 'likely-noise').length
  const unchanged = compared - tooNoisy.length - undirected.length - set.length - noise
  const total = compared + notCompared.length
  const whole =
    unchanged === total
      ? `All ${nounOf(report, total)} are unchanged`
      : `${count(unchanged)} of ${nounOf(report, total)} are unchanged`
  const likely = noise === 0 ? '' : `; ${count(noise)} ${VERDICT_WORDS['likely-noise'].term}`
  const changed = undirected.length === 0 ? '' : `; ${count(undirected.length)} ${UNDIRECTED_WORDS}`
  return `${whole}${where}${changed}${noiseWords(view)}${likely}${missing}`
}

function notComparedWords({ notCompared }: View): string {
  return notCompared.length === 0 ? '' : `; ${count(notCompared.length)} not compared`
}

/** `; 26 too noisy to judge; 2 ignored` */
function noiseWords({ tooNoisy, tooFew, ignored: set }: View): string {
  const noisy = [
    [tooNoisy.length - tooFew.length, MEASUREMENT_WORDS.tooNoisy.term],
    [tooFew.length, MEASUREMENT_WORDS.tooFew.term],
  ] as const
  const words = noisy.map(([rows, term]) => (rows === 0 ? '' : `; ${count(rows)} ${term}`)).join('')
  return set.length === 0 ? words : `${words}; ${count(set.length)} ${VERDICT_WORDS.ignored.term}`
}

function comparedWords({ report, compared, notCompared }: View): string {
  return `${count(compared)} of ${nounOf(report, compared + notCompared.length)} compared`
}

/** The failing tests in sentences, and what to do about them: they have their own checks, so they are not in the title. */
const failing: Section = {
  name: 'failing',
  priority: 1,
  reserve: 0,
  render: (view) =>
    [failingSentences(view.failing), ...failingSteps(view).sentences.map(capital)]
      .filter((part) => part !== '')
      .join(' '),
}

/** Who reads *too noisy* at a check looks for what went wrong. */
const TOO_NOISY_SENTENCE =
  '“Too noisy” isn’t your pull request’s fault: repeated runs of the same build already differ by more than a typical change.'

/** The sentence of a check that found nothing: what was looked at, and what was not and why. */
const nothingChanged: Section = {
  name: 'nothing-changed',
  priority: 0,
  reserve: 0,
  render: (view) => {
    const { report, notCompared, shards, unread } = view
    const where = report.architectures.some((architecture) => architecture !== null)
      ? ` on ${architectureList(report.architectures)}`
      : ''
    const reasons = [...Map.groupBy(notCompared, (row) => whyNotCompared(decisive(row)))]
      .toSorted(([, a], [, b]) => b.length - a.length)
      .map(([why, rows]) => `${count(rows.length)} ${why}`)
    const missing = [
      ...reasons,
      ...(shards.lost.length === 0
        ? []
        : [`${counted(shards.lost.length, 'shard', 'shards')} gave no results (see ${shardName(shards.lost[0]!)})`]),
    ]
    const cut =
      unread.length === 0
        ? ''
        : ` Not all results could be read: ${counted(unread.length, 'warning', 'warnings')} below.`
    const noisy =
      view.tooNoisy.length === view.tooFew.length
        ? ''
        : ` ${[TOO_NOISY_SENTENCE, hidingSentence(view.tooNoisy.map(decisive)), repetitionsSentence(view.tooNoisy.map(decisive))].join(' ').trim()}`
    return `${calmWords(view, where, '')}${missing.length === 0 ? '' : `; ${list(missing)}`}${skippedWords(shards, shardName)}.${noisy}${cut}`
  },
}
