import type { Classification, FailingTests, JudgedFailure } from '../../judge/ledger/failure.ts'
import { runsNeeded } from '../../judge/ledger/rules/by-history.ts'
import type { LedgerThresholds } from '../../judge/ledger/thresholds.ts'
import { MOVES_MINIMUM, STILL_MINIMUM_RUNS } from '../../judge/verdict/evidence/trunk-moves.ts'
import { FACTS, factWords, type Subject } from '../../judge/verdict/facts.ts'
import { factsIn, GUARD, isOpen, ruleFor, type Verdict } from '../../judge/verdict/verdict.ts'
import { otherVerdicts, type Possibility, type PossibleKind, verdictOfSubject } from '../../judge/verdict/what-if.ts'
import { fold } from '../../text/markdown.ts'
import { count, counted, onDay, percent, signedPercent, thresholdPercent } from '../../text/numbers.ts'
import { capital, commitUrlIn, type Phrase, phrase, toMarkdown, uncapital } from '../../text/phrase.ts'
import { evidencePhrase } from '../evidence-words.ts'
import { decisive } from '../parts.ts'
import type { ReportRow, TriageReport } from '../report.ts'
import { queryCode } from '../row/name.ts'
import { ownRowPath, queryPath } from '../urls.ts'
import { CLASSIFICATION_WORDS, OUTCOME_WORDS, STATUS_WORDS, VERDICT_WORDS } from '../words.ts'
import { acceptedPhrases } from './acceptance-words.ts'
import { trunkCommitPhrases } from './entry-words.ts'
import { measurementFacts, numbersOf, onArchitecture } from './facts.ts'
import type { FailureRow } from './failing-view.ts'
import { failureName } from './failure-facts.ts'
import { countsWords, reasonPhrase, trunkRatePhrase } from './ledger-words.ts'

import { ignoredPhrase } from './sections/ignored.ts'
import type { View } from './view.ts'

/** Why a row or a failing test is called what it is called, and what would change it: the answer to `explain`, in Markdown. */

/** Items of a list; an `on-path` of many functions is one item. */
const MOST_ITEMS = 20

/**
 * One row after another; what would change all of them alike is said once, below. `site`: the address of the pages from outside; null:
 * none is linked.
 */
export function explainRows(report: TriageReport, rows: readonly ReportRow[], site: string | null): string {
  const changes = rows.map((row) => changesOf(report, row))
  const [first, ...others] = new Set(changes.map((change) => JSON.stringify(change)))
  const isShared = rows.length > 1 && first !== undefined && others.length === 0
  return parts([
    ...rows.map((row, at) => explainRow(report, row, site, isShared ? '' : changesWords(changes[at]!, 'it'))),
    ...(isShared ? [changesWords(changes[0]!, 'each of them')] : []),
  ])
}

/** What would give another verdict, a clause each; null: only a smaller difference would. */
type Changes = readonly string[] | null

function changesWords(changes: Changes, of: 'it' | 'each of them'): string {
  if (changes === null) return `Only a smaller difference would change ${of}.`
  return changes.length === 0 ? '' : `What would change ${of}:\n\n${items(changes)}`
}

function explainRow(report: TriageReport, row: ReportRow, site: string | null, changes: string): string {
  const { owner, name: repo } = report.repository
  const address = { owner, repo, number: report.pullRequest.number, head: report.head }
  const pages =
    site === null
      ? []
      : [`[Samples and metrics](${site}${ownRowPath(address, row)}), [history](${site}${queryPath(address, row)}).`]
  return parts([
    `**${queryCode(row)}: ${verdictTerm(row.verdict)}.** ${whyRow(row)}`,
    items([
      ...row.results.map((result) =>
        [`${numbersOf(result, false)}${onArchitecture(result.architecture)}`, ...measurementFacts(result)].join(', '),
      ),
      ...(row.ignored === undefined ? [] : [markdownIn(report)(phrase`ignored: ${ignoredPhrase(row.ignored)}`)]),
      ...acceptedPhrases(row).map(markdownIn(report)),
      // The numbers of other pull requests would tell each of them of this one.
      // The first line has the floor.
      ...row.evidence
        .filter(({ kind }) => kind !== 'floor-threshold')
        .map((item) =>
          markdownIn(report)(evidencePhrase(item, row, item.kind === 'flagged-elsewhere' ? 'main' : 'all')),
        ),
    ]),
    changes,
    ...pages,
  ])
}

/** The part of a stored row that its verdict followed from, before a person accepted it. */
function subjectOf(row: ReportRow): Subject {
  const result = decisive(row)
  const others = row.results.filter((other) => other !== result)
  const { guarded, evidence } = row
  return { result, guarded, ignored: row.verdict === 'ignored', evidence, others }
}

function verdictTerm(verdict: Verdict | null): string {
  return verdict === null ? 'no verdict' : VERDICT_WORDS[verdict].term
}

function whyRow(row: ReportRow): string {
  const subject = subjectOf(row)
  const { result, guarded } = subject
  if (result.outcome === null)
    return `${capital(STATUS_WORDS[result.status].term)}: ${STATUS_WORDS[result.status].meaning}`
  const holds = (fact: keyof typeof FACTS) => FACTS[fact].holds(subject)
  const rule = ruleFor(holds)
  const now = verdictOfSubject(subject)
  const isByGuard = now !== rule.verdict
  const facts = factsIn(rule.when).map((fact) => factWords(fact, rule.when[fact] === true))
  const said = rule.verdict === null ? OUTCOME_WORDS[result.outcome].meaning : rule.words
  return [
    row.accepted === undefined ? '' : `Without that it would be *${verdictTerm(now)}*.`,
    row.accepted === undefined && now !== row.verdict
      ? `That was judged by earlier rules; today’s rules say *${verdictTerm(now)}*.`
      : '',
    said,
    rule.verdict === null || (facts.length === 1 && facts[0] === verdictTerm(now))
      ? ''
      : `The rule applies because: ${facts.join(', ')}.`,
    guarded && isByGuard ? `It is also too large to dismiss as noise: ${uncapital(GUARD.words)}` : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')
}

function changesOf(report: TriageReport, row: ReportRow): Changes {
  const subject = subjectOf(row)
  const { result, guarded } = subject
  const { changedThreshold, threshold, unstableThreshold, outcome } = result
  const accepted = row.accepted?.difference ?? null
  const ifOutcome: Partial<Record<NonNullable<typeof outcome>, string | null>> = {
    'not-significant':
      threshold === null
        ? null
        : `a verdict, if it differs by ${percent(threshold)} or more, or its samples do not overlap`,
    'too-small':
      changedThreshold === null ? null : `a verdict, if it differs by ${thresholdPercent(changedThreshold)} or more`,
    unstable:
      unstableThreshold === null
        ? null
        : `a verdict, if its noise is below ±${thresholdPercent(unstableThreshold)}: more repetitions, or a quieter machine`,
  }
  const said = outcome === null ? null : (ifOutcome[outcome] ?? null)
  const list = [
    ...(accepted === null
      ? []
      : [`open again, if it differs by more than ${signedPercent(accepted + (changedThreshold ?? 0))}`]),
    ...(said === null ? [] : [said]),
    ...otherVerdicts(subject)
      .filter(({ if: { kind } }) => kind !== 'rerun-does-not' || hasServers(result))
      .map(
        ({ if: possibility, verdict }) => `*${verdictTerm(verdict)}*, if ${possibleWords(report, row, possibility)}`,
      ),
  ]
  return list.length === 0 && guarded && isOpen(row.verdict) ? null : list
}

/**
 * Only the run of ClickHouse restarts its servers and measures once more; its queries have a position.
 *
 * It has: `sum #1`. It has none: `BenchmarkSort-8`, which the tool measured by itself.
 */
function hasServers({ queryIndex }: Subject['result']): boolean {
  return queryIndex !== null
}

const POSSIBLE: Readonly<Record<PossibleKind, (row: ReportRow) => string>> = {
  'not-ignored': () => 'it were not ignored',
  'below-threshold': (row) => {
    const { changedThreshold } = decisive(row)
    return changedThreshold === null
      ? 'two more runs of this commit measure it and don’t show it'
      : `two more runs of this commit measure it and it differs by less than ${thresholdPercent(changedThreshold)}`
  },
  'no-overlap': ({ direction }) =>
    `more repetitions show every new one ${direction ?? 'apart from'} than every old one`,
  'rerun-shows': () => 'another run of this commit measures it, and it moves again',
  'rerun-does-not': () => 'the run itself measures it again after restarting both servers, and it doesn’t move',
  'other-architecture': () => 'it moves the same way on another architecture',
  'never-on-trunk': () =>
    `the main branch’s history has at least ${STILL_MINIMUM_RUNS} runs of it, and it never moved as far`,
  'often-on-trunk': () => `the main branch’s history shows it moving as far at least ${MOVES_MINIMUM} times`,
}

function possibleWords(report: TriageReport, row: ReportRow, possibility: Possibility): string {
  if (possibility.kind !== 'without') return POSSIBLE[possibility.kind](row)
  return `this were not so: ${markdownIn(report)(evidencePhrase(possibility.evidence, row, 'main'))}`
}

export interface FailureStatement {
  /** Where it is to be run, such as `in the CI database`. */
  readonly where: string
  readonly sql: string
}

export function explainFailure(
  view: View,
  tests: FailingTests,
  row: FailureRow,
  thresholds: LedgerThresholds,
  statementOf: FailureStatement | null,
): string {
  const { judged } = row
  const { classification } = judged
  const rate = trunkRatePhrase(judged, 'all')
  return parts([
    `**${failureName(view, row)}: ${CLASSIFICATION_WORDS[classification].term}.** ${CLASSIFICATION_WORDS[classification].meaning}`,
    items([
      ...judged.reasons.map((reason) => markdownIn(view.report)(reasonPhrase(reason, 'all'))),
      ...(judged.hits === null ? [] : [countsWords(judged, tests.lookbackDays)]),
      ...(judged.runs === null || judged.reasons.some(({ kind }) => kind === 'never-elsewhere')
        ? []
        : [`${counted(judged.runs, 'execution', 'executions')} elsewhere`]),
      ...(rate === null ? [] : [markdownIn(view.report)(rate)]),
      ...trunkCommitPhrases(judged).map(markdownIn(view.report)),
      ...(judged.firstSeen === null ? [] : [`first hit${onDay(judged.firstSeen)}`]),
    ]),
    changesWords(otherClassifications(judged, thresholds), 'it'),
    ...(statementOf === null ? [] : [foldedStatement(statementOf)]),
  ])
}

/** The rules of the ledger in their order, by what they need; the first that applies stands. */
function otherClassifications(
  { classification: of, reasons: [decisive] }: JudgedFailure,
  thresholds: LedgerThresholds,
): string[] {
  if (decisive?.kind === 'test-changed') {
    return ['judged by where else it fails, if the pull request no longer changes the test']
  }
  if (decisive?.kind === 'declared-chronic') {
    return ['judged by its history again, after that day or once somebody undoes it with `unchronic`']
  }
  const { brokenTrunkRuns, chronicPullRequests, chronicTrunkDays, lookbackDays, massTests, massPullRequests } =
    thresholds
  const needed: readonly (readonly [Classification, string])[] = [
    [
      'mass-failure',
      `${count(massTests)} tests fail in ${count(massPullRequests)} pull requests within the same hour, and it fails the same way in others then`,
    ],
    [
      'broken-trunk',
      `it fails the same way at the merge base, or in the latest ${counted(brokenTrunkRuns, 'run', 'runs')} of its check on the main branch`,
    ],
    [
      'chronic',
      `it fails the same way in ${counted(chronicPullRequests, 'unrelated pull request', 'unrelated pull requests')}, or on the main branch on ${counted(chronicTrunkDays, 'day', 'different days')}, within ${counted(lookbackDays, 'day', 'days')}`,
    ],
    ['flaky', 'it both fails and passes on the same commit elsewhere'],
    ['pr-suspect', `it fails nowhere else in ${counted(runsNeeded(thresholds), 'execution', 'executions')}`],
  ]
  const place = needed.findIndex(([classification]) => classification === of)
  const words = ([classification, condition]: (typeof needed)[number]) =>
    `*${CLASSIFICATION_WORDS[classification].term}*, if ${condition}`
  if (place === -1 && of !== 'unknown') return [ENDS[of]!]
  const before = place === -1 ? needed : needed.slice(0, place)
  return [...before.map(words), ...(ENDS[of] === undefined ? [] : [ENDS[of]])]
}

/** When what was said of a failure is over. */
const ENDS: Readonly<Partial<Record<Classification, string>>> = {
  rollup: 'green, if the checks it sums up are',
  infrastructure: 'a different answer, if its job runs again and tests fail',
  fallout: 'whatever its cause becomes; judged on its own, if it fails without that cause',
  'mass-failure': 'judged by its own hits, if it fails again afterwards',
  'broken-trunk': 'judged by its hits, if the main branch passes again and it still fails',
  ignored: 'judged by the rules again, if it is no longer ignored',
  chronic: '*looks like yours*, if its hits get too old or too few and it still fails here',
  flaky: '*looks like yours*, if it is no longer seen to pass and fail on the same commit',
  'pr-suspect': 'judged again with each run; a passing run ends it',
}

function markdownIn({ repository }: TriageReport): (said: Phrase) => string {
  return (said) => toMarkdown(said, commitUrlIn(repository.url))
}

function parts(all: readonly string[]): string {
  return all.filter((part) => part !== '').join('\n\n')
}

function items(all: readonly string[]): string {
  const more = all.length - MOST_ITEMS
  const shown = all.slice(0, MOST_ITEMS).map((item) => `- ${item}`)
  return [...shown, ...(more > 0 ? [`- and ${count(more)} more`] : [])].join('\n')
}

/** A statement in a block of code, folded; its literals are ASCII on one line, so that none ends the block. */
export function foldedStatement({ where, sql }: FailureStatement): string {
  return fold(`The SQL that counts it, ${where}`, `\`\`\`sql\n${sql}\n\`\`\``)
}
