import { queryLabel, type Side } from '../../../intake/measurement/run.ts'
import { isSlower } from '../../../judge/verdict/findings.ts'
import { looksLikeChange } from '../../../judge/verdict/verdict.ts'
import { isCommitId } from '../../../text/commits.ts'
import { codeSpan, NAME_LIMIT, shortCommit } from '../../../text/markdown.ts'
import { count, counted, list } from '../../../text/numbers.ts'
import {
  capital,
  capitalized,
  code,
  commitLink,
  joined,
  type Phrase,
  type Piece,
  phrase,
  toMarkdown,
} from '../../../text/phrase.ts'
import { environmentPhrases } from '../../environment-words.ts'
import { type FlaggedThere, type OtherJudges, type OwnJudge, otherJudgesOf } from '../../other-judges.ts'
import { decisive, nounOf } from '../../parts.ts'
import type { Degradation, ReportRow, TriageReport } from '../../report.ts'
import { DEGRADATION_WORDS, EXPIRED_WORDS, HISTORY_PROBLEM_WORDS, OUTCOME_WORDS, VERDICT_WORDS } from '../../words.ts'
import { suiteLines, waitingLines } from '../comparison-words.ts'
import { dashboardsOfHead } from '../dashboards.ts'
import { architectureList } from '../facts.ts'
import { type Section, SHOWN } from '../layout.ts'
import { distance, shardsIn, standingOpen, type View } from '../view.ts'
import { isOneProgram, isSaidInHeadline, runWords } from './headline.ts'
import { entryPhrase } from './ignored.ts'

/** What a reader must know before the rows: what the last push brought, who judges otherwise, what could not be asked. */
export const notes: Section = {
  name: 'notes',
  priority: 2,
  reserve: 0,
  render: (view) =>
    [
      ...sinceLastPush(view),
      // below rows it ends what is said of them
      ...(view.open.length > 0 ? [] : fasterRun(view)),
      ...comparisonPhrases(view.report).map((line) => toMarkdown(line)),
      ...otherJudges(view),
      ...degradations(view),
      ...expired(view),
    ].join('\n\n'),
}

/** What the numbers are of: commits, shards, queries. One line. */
export const context: Section = {
  name: 'context',
  priority: 2,
  reserve: 0,
  render: (view) => {
    return contextParts(view).join(' · ')
  },
}

export function contextParts(view: View): string[] {
  // a link to all of them says how many they are
  const compared = view.links.reportUrl === null ? queries(view) : null
  const known = [commits(view), shards(view), compared].filter((part) => part !== null)
  return [...known, ...dashboardsOfHead(view)]
}

/**
 * Whose the open rows are, as far as that can be said, and what limits it:
 * `Only this PR differs between the two builds, so these look like yours; `main` has 0 of the 101 runs needed to show how much these vary
 * on their own.` Empty where there is nothing to say.
 */
export function whoseWords(view: View): string {
  const shown = standingOpen(view.open)
  const isOne = shown.length === 1
  const unknown = tooShortWords(
    view.report,
    isOne ? 'how much it varies on its own' : 'how much these vary on their own',
  )
  const look = isOne ? 'it looks' : 'these look'
  const own = isOwn(view, shown) ? `only this PR differs between the two builds, so ${look} like yours` : ''
  const sentence = [own, unknown].filter((part) => part !== '').join('; ')
  return sentence === '' ? '' : `${capital(sentence)}.`
}

/**
 * Each row was measured against the merge base, in the usual way, with nothing else in the new build, and nothing but a missing history
 * leaves a doubt.
 */
function isOwn({ report, wholeRun }: View, rows: readonly ReportRow[]): boolean {
  const { references, labels, wrongBuilds = [], newMayHoldMore, howMeasured, shards } = report
  const isOfMergeBase = references.length > 0 && references.every((build) => build.commitsBeforeMergeBase === 0)
  if (!isOfMergeBase || labels !== undefined || wrongBuilds.length > 0) return false
  if (newMayHoldMore === true) return false
  if (howMeasured !== undefined || shards.some(({ origin }) => origin !== undefined) || wholeRun.some(isSlower))
    return false
  return rows.length > 0 && rows.every((row) => looksLikeChange(row) && decisive(row).history === undefined)
}

/** That the trunk's history can't say something yet; empty where it can. */
function tooShortWords({ history, pullRequest }: TriageReport, what: string): string {
  const base = codeSpan(pullRequest.baseRef, NAME_LIMIT)
  if (history?.problem === 'empty') return `${base} has no history yet to show ${what}`
  const tooShort = history?.provenance?.tooShort
  if (tooShort === undefined) return ''
  return `${base} has ${count(tooShort.runs)} of the ${count(tooShort.moreThan + 1)} runs needed to show ${what}`
}

/** A faster run asks for nothing, and may be why others look fast. */
export function fasterRun(view: View): string[] {
  if (isSaidInHeadline(view)) return []
  return view.wholeRun.filter((shift) => !isSlower(shift)).map((shift) => `${capital(runWords(shift, view))}.`)
}

/** Checks whose own rule says something else. */
function otherJudges({ report }: View): string[] {
  const words = otherJudgesPhrase(report)
  return words === null ? [] : [`**Other judges:** ${toMarkdown(words)}.`]
}

/**
 * `2 of 12 performance checks are red by their own rule (1 confirmed regression, 2 slower): `perf (1/2)`. This report has nothing open,
 * and only advises`, with what the reports of the runs flag and this one does not. Sentences, without the last full stop.
 */
export function otherJudgesPhrase(report: TriageReport): Phrase | null {
  const judges = otherJudgesOf(report)
  if (judges === null) return null
  const role = report.mode === 'gating' ? 'gates too' : 'only advises'
  const sentences = [
    ...checksSentence(judges),
    ...(judges.own === null ? [] : ownSentences(judges.own)),
    [`this report ${hereWords(judges)}${role}`],
  ]
  return joined(
    sentences.map((words, at) => (at === 0 ? words : capitalized(words))),
    '. ',
  )
}

function hereWords({ red, areGreen }: OtherJudges): string {
  if (red.length > 0) return 'has nothing open, and '
  return areGreen ? 'is not, and ' : ''
}

/** The checks where they end otherwise than this report. */
function checksSentence({ checks, red, areGreen, counts }: OtherJudges): Phrase[] {
  if (red.length === 0 && !areGreen) return []
  const words = counts.map(({ number, what }) =>
    what === 'error' || what === 'confirmed regression'
      ? counted(number, what, `${what}s`)
      : `${count(number)} ${what}`,
  )
  const said = words.length === 0 ? '' : ` (${words.join(', ')})`
  if (areGreen) {
    const all = checks === 1 ? 'the performance check is' : `the ${count(checks)} performance checks are`
    return [[`${all} green by ${checks === 1 ? 'its' : 'their'} own rule${said}`]]
  }
  const share = `${count(red.length)} of ${counted(checks, 'performance check', 'performance checks')}`
  const are = red.length === 1 ? 'is red by its' : 'are red by their'
  return [phrase`${`${share} ${are} own rule${said}: `}${namedOf(red, ({ check }) => code(check, NAME_LIMIT))}`]
}

/** What the reports of the runs flag, and which of it stands otherwise here. */
function ownSentences({ slower, faster, unstable, onlyThere, onlyHere, dashboard }: OwnJudge): Phrase[] {
  const numbers = [
    `${count(slower)} slower`,
    ...(faster === null ? [] : [`${count(faster)} faster`]),
    `${count(unstable)} unstable`,
  ]
  return [
    ...(onlyThere.length + onlyHere.length > 0 ? [[`the run’s own report flags ${numbers.join(', ')}`]] : []),
    ...(onlyThere.length === 0 ? [] : [phrase`${'not open here: '}${namedOf(onlyThere, thereWords)}`]),
    ...(onlyHere.length === 0
      ? []
      : [phrase`${'not flagged there: '}${namedOf(onlyHere, (row) => code(queryLabel(row), NAME_LIMIT))}`]),
    ...(dashboard.length === 0
      ? []
      : [
          phrase`${'the performance dashboard confirms '}${namedOf(dashboard, thereWords)}${`, which ${areWord(dashboard)} not open here`}`,
        ]),
  ]
}

function areWord({ length }: { readonly length: number }): string {
  return length === 1 ? 'is' : 'are'
}

/** `` `sum #8` (unstable) `` */
function thereWords({ row, ...query }: FlaggedThere): Phrase {
  const label = code(queryLabel({ ...query, queryName: null }), NAME_LIMIT)
  const word =
    row === null || row.outcome === null
      ? 'not compared'
      : row.verdict === null
        ? OUTCOME_WORDS[row.outcome].term
        : VERDICT_WORDS[row.verdict].term
  return phrase`${label}${` (${word})`}`
}

function namedOf<T>(all: readonly T[], name: (one: T) => Piece | Phrase): Phrase {
  const named = all.slice(0, SHOWN.judges).map((one) => phrase`${name(one)}`)
  const more = all.length > SHOWN.judges ? `, ${count(all.length - SHOWN.judges)} more` : ''
  return phrase`${joined(named, ', ')}${more}`
}

/** Two programs or machines, and what the whole of a suite and the waiting of a program say of them, a line each. */
export function comparisonPhrases({ labels, rows, otherMetrics = [], environments }: TriageReport): Phrase[] {
  const all = [...rows.flatMap(({ results }) => results), ...otherMetrics]
  const sides =
    labels === undefined ? [] : [phrase`${sidePhrase('old', labels.old)} · ${sidePhrase('new', labels.new)}`]
  const differing = environmentPhrases(environments).map((words) => capitalized([...words, '.']))
  return [...differing, ...sides, ...suiteLines(all, labels), ...waitingLines(all).map((line) => [line])]
}

function sidePhrase(side: Side, labels: readonly string[]): Phrase {
  const named = labels
    .slice(0, SHOWN.labels)
    .flatMap((label, at) => phrase`${at === 0 ? '' : ', '}${code(label, NAME_LIMIT)}`)
  const more = labels.length > SHOWN.labels ? ` and ${count(labels.length - SHOWN.labels)} more` : ''
  return phrase`${`${side}: `}${named}${more}`
}

function commits({ report }: View): string | null {
  const head = commitLink(report.repository.url, report.head)
  // of the command line's runs nobody may have said the commit
  if (report.references.length === 0) return isCommitId(report.head) ? head : null
  const against = report.references.slice(0, 3).map((reference) => {
    // The day stands with what identifies the report.
    const far = distance(reference, { ...report, mergeBaseTime: undefined })
    // GitHub knows a commit whose distance it could tell; another one may not have a page.
    const commit = far === null ? shortCommit(reference.commit) : commitLink(report.repository.url, reference.commit)
    const where = report.references.length > 1 ? ` on ${architectureList(reference.architectures)}` : ''
    return `${commit}${far === null ? '' : ` (${far})`}${where}`
  })
  const more = report.references.length - against.length
  return `${head} vs ${list(more > 0 ? [...against, counted(more, 'other', 'others')] : against)}`
}

function shards({ shards: tally }: View): string | null {
  if (tally.measured === tally.total) return null
  return tally.lost.length === 0 ? shardsIn(tally) : `${shardsIn(tally)}, ${count(tally.lost.length)} without results`
}

function queries(view: View): string | null {
  const { compared, notCompared, report } = view
  const all = compared + notCompared.length
  if (all === 0 || isOneProgram(view)) return null
  return notCompared.length === 0
    ? `${nounOf(report, compared)} compared`
    : `${count(compared)} of ${nounOf(report, all)} compared`
}

function sinceLastPush({ report: { sinceLastPush: since } }: View): string[] {
  if (since === null) return []
  const named = since.resolved.slice(0, SHOWN.resolved).map((label) => codeSpan(label, NAME_LIMIT))
  const names = since.resolved.length === named.length && named.length > 0 ? ` (${list(named)})` : ''
  const numbers = [
    since.new > 0 ? `${count(since.new)} new` : null,
    since.resolved.length > 0 ? `${count(since.resolved.length)} resolved${names}` : null,
    since.unchanged > 0 ? `${count(since.unchanged)} unchanged` : null,
  ].filter((part) => part !== null)
  return [`Since ${shortCommit(since.head)}: ${numbers.length === 0 ? 'the same' : numbers.join(', ')}.`]
}

/** Entries of the repository's file that would ignore rows of this report, had they not expired. */
function expired({ report: { expired: all = [] } }: View): string[] {
  if (all.length === 0) return []
  const named = all.slice(0, SHOWN.expired).map((entry) => toMarkdown(entryPhrase(entry)))
  const more = all.length - named.length
  const entries = list(more > 0 ? [...named, `${count(more)} more`] : named)
  return [`**Note:** ${EXPIRED_WORDS.term}: ${entries}. ${EXPIRED_WORDS.meaning}`]
}

/** Said where it is told how this was judged. */
const FOLDED: ReadonlySet<Degradation> = new Set(['history-not-available', 'other-pull-requests-unknown'])

/** What could not be asked, or was not there. */
function degradations({ report }: View): string[] {
  const down = report.degradations.filter((degradation) => !FOLDED.has(degradation))
  // An empty one is said beside the rows that it would tell about.
  const problem = report.history?.problem === 'empty' ? null : (report.history?.problem ?? null)
  const all = [
    ...(problem === null ? [] : [HISTORY_PROBLEM_WORDS[problem]]),
    ...down.map((degradation) => DEGRADATION_WORDS[degradation]),
  ]
  return all.map(({ term, meaning }) => `**Note:** ${term}. ${meaning}`)
}
