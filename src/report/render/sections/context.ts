import { queryLabel, type Side } from '../../../intake/measurement/run.ts'
import { isCommitId } from '../../../text/commits.ts'
import { codeSpan, NAME_LIMIT, shortCommit, word } from '../../../text/markdown.ts'
import { count, counted, list } from '../../../text/numbers.ts'
import {
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
import {
  DEGRADATION_WORDS,
  EXPIRED_WORDS,
  HISTORY_PROBLEM_WORDS,
  OUTCOME_WORDS,
  VERDICT_WORDS,
} from '../../glossary.ts'
import { type FlaggedThere, type OtherJudges, type OwnJudge, otherJudgesOf } from '../../other-judges.ts'
import { nounOf } from '../../parts.ts'
import type { TriageReport } from '../../report.ts'
import { suiteLines, waitingLines } from '../comparison-words.ts'
import { dashboardsOfHead } from '../dashboards.ts'
import { architectureList } from '../facts.ts'
import type { Section } from '../layout.ts'
import { distance, shardsIn, type View } from '../view.ts'
import { isOneProgram } from './headline.ts'
import { entryPhrase } from './ignored.ts'

/** Programs or machines of a side that are named; more are a number. */
const NAMED_LABELS = 3

/** Red checks and queries of other judges that are named; more are a number. */
const NAMED_JUDGES = 3

/** Resolved queries that are named; more are a number. */
const NAMED_RESOLVED = 3

/** What a reader must know before the rows: what the last push brought, who judges otherwise, what could not be asked. */
export const notes: Section = {
  name: 'notes',
  priority: 2,
  reserve: 0,
  render: (view) =>
    [
      ...sinceLastPush(view),
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
  const known = [commits(view), shards(view), queries(view)].filter((part) => part !== null)
  return [...known, ...dashboardsOfHead(view)]
}

/** How much is known of how these move by themselves, where that is too little to learn from. */
export const tooShort: Section = {
  name: 'too-short',
  priority: 3,
  reserve: 0,
  render: ({ report, open }) => {
    if (open.length === 0) return ''
    const vary = open.length === 1 ? 'it normally varies' : 'these normally vary'
    const base = word(report.pullRequest.baseRef)
    if (report.history?.problem === 'empty') return `${base} has no history yet, so it isn’t known how much ${vary}.`
    const short = report.history?.provenance?.tooShort
    if (short === undefined) return ''
    const runs = `${count(short.runs)} of ${count(short.moreThan + 1)} runs`
    return `There isn’t enough history on ${base} yet (${runs}) to know how much ${vary}.`
  },
}

/** Checks whose own rule says something else. */
function otherJudges({ report }: View): string[] {
  const words = otherJudgesPhrase(report)
  return words === null ? [] : [`**Other judges:** ${toMarkdown(words)}.`]
}

/**
 * `2 of 12 performance checks are red by their own rule (1 confirmed regression, 2 slower): …; this report has nothing open, and only
 * advises`, with what the reports of the runs flag and this one does not.
 */
export function otherJudgesPhrase(report: TriageReport): Phrase | null {
  const judges = otherJudgesOf(report)
  if (judges === null) return null
  const role = report.mode === 'gating' ? 'gates too' : 'only advises'
  const own = judges.own === null ? [] : ownClauses(judges.own)
  const clauses = [...checksClause(judges), ...own, [`this report ${hereWords(judges)}${role}`]]
  return joined(clauses, '; ')
}

function hereWords({ red, areGreen }: OtherJudges): string {
  if (red.length > 0) return 'has nothing open, and '
  return areGreen ? 'is not, and ' : ''
}

/** The checks where they end otherwise than this report. */
function checksClause({ checks, red, areGreen, counts }: OtherJudges): Phrase[] {
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
function ownClauses({ slower, faster, unstable, onlyThere, onlyHere, dashboard }: OwnJudge): Phrase[] {
  const numbers = [
    `${count(slower)} slower`,
    ...(faster === null ? [] : [`${count(faster)} faster`]),
    `${count(unstable)} unstable`,
  ]
  const flags = `the run’s own report flags ${numbers.join(', ')}`
  const there =
    onlyThere.length === 0
      ? [flags]
      : phrase`${`${flags}; `}${namedOf(onlyThere, thereWords)}${` ${areWord(onlyThere)} not open here`}`
  return [
    ...(onlyThere.length + onlyHere.length > 0 ? [there] : []),
    ...(onlyHere.length === 0
      ? []
      : [phrase`${'it does not flag '}${namedOf(onlyHere, (row) => code(queryLabel(row), NAME_LIMIT))}`]),
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
  const named = all.slice(0, NAMED_JUDGES).map((one) => phrase`${name(one)}`)
  const more = all.length > NAMED_JUDGES ? `, ${count(all.length - NAMED_JUDGES)} more` : ''
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
    .slice(0, NAMED_LABELS)
    .flatMap((label, at) => phrase`${at === 0 ? '' : ', '}${code(label, NAME_LIMIT)}`)
  const more = labels.length > NAMED_LABELS ? ` and ${count(labels.length - NAMED_LABELS)} more` : ''
  return phrase`${`${side}: `}${named}${more}`
}

function commits({ report }: View): string | null {
  const head = commitLink(report.repository.url, report.head)
  // of the command line's runs nobody may have said the commit
  if (report.references.length === 0) return isCommitId(report.head) ? head : null
  const against = report.references.slice(0, 3).map((reference) => {
    const far = distance(reference, report)
    // GitHub knows a commit whose distance it could tell; another one may not have a page.
    const commit = far === null ? shortCommit(reference.commit) : commitLink(report.repository.url, reference.commit)
    const where = report.references.length > 1 ? ` on ${architectureList(reference.architectures)}` : ''
    return `${commit}${far === null ? '' : ` (${far})`}${where}`
  })
  const more = report.references.length - against.length
  return `${head} against ${list(more > 0 ? [...against, counted(more, 'other', 'others')] : against)}`
}

function shards({ shards: tally }: View): string | null {
  if (tally.total === 0 || (tally.total === 1 && tally.measured === 1)) return null
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
  const named = since.resolved.slice(0, NAMED_RESOLVED).map((label) => codeSpan(label, NAME_LIMIT))
  const names = since.resolved.length === named.length && named.length > 0 ? ` (${list(named)})` : ''
  const numbers = [
    since.new > 0 ? `${count(since.new)} new` : null,
    since.resolved.length > 0 ? `${count(since.resolved.length)} resolved${names}` : null,
    since.unchanged > 0 ? `${count(since.unchanged)} unchanged` : null,
  ].filter((part) => part !== null)
  return [`Since ${shortCommit(since.head)}: ${numbers.length === 0 ? 'the same' : numbers.join(', ')}.`]
}

/** Expired entries that are named; more are a number. */
const NAMED_EXPIRED = 5

/** Entries of the repository's file that would ignore rows of this report, had they not expired. */
function expired({ report: { expired: all = [] } }: View): string[] {
  if (all.length === 0) return []
  const named = all.slice(0, NAMED_EXPIRED).map((entry) => toMarkdown(entryPhrase(entry)))
  const more = all.length - named.length
  const entries = list(more > 0 ? [...named, `${count(more)} more`] : named)
  return [`**Note:** ${EXPIRED_WORDS.term}: ${entries}. ${EXPIRED_WORDS.meaning}`]
}

/** What could not be asked, or was not there. That nobody asked a history is told with the thresholds it would give. */
function degradations({ report }: View): string[] {
  const down = report.degradations.filter((degradation) => degradation !== 'history-not-available')
  // An empty one is said beside the rows that it would tell about.
  const problem = report.history?.problem === 'empty' ? null : (report.history?.problem ?? null)
  const all = [
    ...(problem === null ? [] : [HISTORY_PROBLEM_WORDS[problem]]),
    ...down.map((degradation) => DEGRADATION_WORDS[degradation]),
  ]
  return all.map(({ term, meaning }) => `**Note:** ${term}. ${meaning}`)
}
