import type { Classification } from '../../../judge/ledger/failure.ts'
import type { Outcome } from '../../../judge/verdict/classified-query.ts'
import { codeSpan, fold, MESSAGE_LIMIT, word } from '../../../text/markdown.ts'
import { count, counted, day, list, signedPercent } from '../../../text/numbers.ts'
import { toMarkdown } from '../../../text/phrase.ts'
import { equalBuildsOfRunPhrase } from '../../evidence-words.ts'
import { nounOf, nounsOf } from '../../parts.ts'
import {
  CLASSIFICATION_WORDS,
  DEGRADATION_WORDS,
  OUTCOME_WORDS,
  THRESHOLD_SOURCE_WORDS,
  UNDIRECTED_WORDS,
  VERDICT_WORDS,
} from '../../words.ts'
import { onArchitecture } from '../facts.ts'
import { historyWords } from '../history-words.ts'
import { fitLines, type Section, SHOWN } from '../layout.ts'
import { countedTerm } from '../ledger-words.ts'
import { runNotePhrases } from '../run-notes.ts'
import { shardsIn, type View } from '../view.ts'
import { netEffects } from './suites.ts'

/** How the numbers were judged: thresholds, chance, the machines, and what identifies this report. Folded. */
export const provenance: Section = {
  name: 'provenance',
  priority: 14,
  reserve: 0,
  render: (view, room) => {
    const lines = [
      ...allShards(view),
      ...outcomes(view),
      ...thresholds(view),
      ...history(view),
      ...chance(view),
      ...shifts(view),
      ...netEffects(view.suites).map((line) => `- ${line}`),
      ...(view.report.equalBuilds ?? []).map(
        (of) => `- ${toMarkdown(equalBuildsOfRunPhrase(of, nounsOf(view.report.rows)))}`,
      ),
      ...ownReports(view),
      ...runNotePhrases(view.report).map((line) => `- ${toMarkdown(line)}`),
      ...notAsked(view),
      ...failures(view),
      debugIds(view),
    ]
    const summary = 'How this was judged'
    return fold(
      summary,
      fitLines(lines, room - summary.length - 80, (left) => `- and ${count(left)} more lines`),
    )
  },
}

/** How many there are, where none is missing: else the last line of the comment says it. */
function allShards({ shards }: View): string[] {
  return shards.total > 1 && shards.measured === shards.total ? [`- ${shardsIn(shards)}`] : []
}

/** `outcomes: 7 slower, 21 faster (5 of them likely noise), 16 unstable, 2 too small, 21 not significant` */
function outcomes({ report, compared, undirected, ignored }: View): string[] {
  if (compared === 0) return []
  const number = (outcome: Outcome) =>
    count(report.rows.filter((row) => row.outcome === outcome && row.verdict !== 'ignored').length)
  const others = (['unstable', 'too-small', 'not-significant'] as const).map(
    (outcome) => `${number(outcome)} ${OUTCOME_WORDS[outcome].term}`,
  )
  const changed = (['slower', 'faster'] as const).map((direction) => {
    const noise = report.rows.filter((row) => row.verdict === 'likely-noise' && row.direction === direction).length
    const ofThem = noise === 0 ? '' : ` (${count(noise)} of them ${VERDICT_WORDS['likely-noise'].term})`
    return `${count(report.counts[direction])} ${direction}${ofThem}`
  })
  const neither = undirected.length === 0 ? [] : [`${count(undirected.length)} ${UNDIRECTED_WORDS}`]
  const set = ignored.length === 0 ? [] : [`${count(ignored.length)} ${VERDICT_WORDS.ignored.term}`]
  return [`- outcomes: ${[...changed, ...neither, ...others, ...set].join(', ')}`]
}

/** Outcomes, thresholds and chance, without Markdown: lines of a list of their own. */
export function judgedLines(view: View): string[] {
  return [...outcomes(view), ...thresholds(view), ...chance(view)].map((line) => line.replace(/^- /, ''))
}

/** `thresholds: 1,893 learned, 141 default`; `thresholds: 68 default, 0 learned: history is not available` */
function thresholds({ report, compared }: View): string[] {
  if (compared === 0) return []
  const { floor, learned, configured, entry = 0, test, given, history: ofHistory = 0 } = report.thresholdSources
  const words = THRESHOLD_SOURCE_WORDS
  const parts = [
    learned > 0 ? `${count(learned)} ${words.learned.term}` : null,
    ofHistory > 0 ? `${count(ofHistory)} from ${words.history.term}` : null,
    ofHistory > 0 && floor === 0 ? null : `${count(floor)} ${words.floor.term}`,
    configured > 0 ? `${count(configured)} ${words.configured.term}` : null,
    entry > 0 ? `${count(entry)} ${words.entry.term}` : null,
    test > 0 ? `${count(test)} ${words.test.term}` : null,
    given > 0 ? `${count(given)} ${words.given.term}` : null,
    learned > 0 || ofHistory > 0 ? null : `${count(learned)} ${words.learned.term}`,
  ].filter((part) => part !== null)
  const isSaidHere = !report.history && report.degradations.includes('history-not-available')
  const state = isSaidHere ? `: ${DEGRADATION_WORDS['history-not-available'].term}` : ''
  return [`- thresholds: ${parts.join(', ')}${state}`]
}

/** `history: learned thresholds known for 1,893 of 2,034, 6 hours old, from the CI database` */
function history({ report, compared }: View): string[] {
  if (compared === 0 || !report.history) return []
  return [`- history: ${historyWords(report.history)}`]
}

function chance({ report }: View): string[] {
  const budgets = report.discoveries.filter((budget) => budget.tested > 0)
  return budgets.slice(0, SHOWN.budgets).map((budget) => {
    const where = report.architectures.length > 1 ? onArchitecture(budget.architecture) : ''
    const would = `${expected(budget.expectedByChance)} would pass the rank test at p ≤ ${budget.level} by chance`
    const did = `${count(budget.passed)} did${report.complete ? '' : ' so far'}`
    return `- chance: of ${nounOf(report, budget.tested)} tested${where}, ${would}; ${did}`
  })
}

function expected(number: number): string {
  if (number < 0.1) return 'fewer than 0.1'
  return 'about ' + few(number)
}

function few(number: number): string {
  return number < 9.95 ? number.toFixed(1).replace(/\.0$/, '') : count(Math.round(number))
}

function shifts({ report }: View): string[] {
  const notable = report.shifts.filter((shift) => shift.notable)
  return notable.slice(0, SHOWN.shifts).map((shift) => {
    const shard = shift.shard === null ? 'the run' : `shard ${shift.shard}`
    return `- ${shard}${onArchitecture(shift.architecture)} moved as a whole by ${signedPercent(shift.shift)} over ${nounOf(report, shift.queries)}; nothing was subtracted`
  })
}

/** `` own reports of 12 runs (11 green, 1 red: `1 too long, 2 slower`): 2 slower, 4 unstable by their own thresholds; in 2 of them no threshold was learned `` */
function ownReports({ report: { ownVerdicts = [] } }: View): string[] {
  const flagged = ownVerdicts.flatMap((own) => own.flagged ?? [])
  const bare = ownVerdicts.filter(({ thresholds }) => thresholds === 'bare').length
  const ends = (['success', 'failure'] as const).flatMap((end) => {
    const those = ownVerdicts.filter(({ status }) => status === end)
    const message = end === 'failure' ? those.find((one) => one.message !== null)?.message : null
    const why = message == null ? '' : `${those.length > 1 ? ', the first' : ''}: ${codeSpan(message, MESSAGE_LIMIT)}`
    return those.length === 0 ? [] : [`${count(those.length)} ${end === 'success' ? 'green' : 'red'}${why}`]
  })
  if (flagged.length + bare + ends.length === 0) return []
  const sum = (of: 'slower' | 'unstable') => count(flagged.reduce((total, one) => total + one[of], 0))
  const parts = [
    ...(flagged.length === 0 ? [] : [`${sum('slower')} slower, ${sum('unstable')} unstable by their own thresholds`]),
    ...(bare === 0 ? [] : [`in ${count(bare)} of them no threshold was learned, so all use the same default`]),
  ]
  const reports = `own reports of ${counted(ownVerdicts.length, 'run', 'runs')}`
  const concluded = ends.length === 0 ? reports : `${reports} (${ends.join(', ')})`
  return [`- ${[concluded, parts.join('; ')].filter((part) => part !== '').join(': ')}`]
}

/** Nobody can do anything about it, and each report of the Action has it. */
function notAsked({ report }: View): string[] {
  const kind = 'other-pull-requests-unknown'
  return report.degradations.includes(kind) ? [`- ${DEGRADATION_WORDS[kind].term}`] : []
}

/** `failing tests: 8 failures of tests and checks, judged by 30 days of the CI database: 1 may be yours, 3 chronic, 2 fallout, 2 rollup` */
function failures({ failing }: View): string[] {
  if (failing === null || failing.tests.failures.length === 0) return []
  const { failures: all, lookbackDays, source } = failing.tests
  const groups = (Object.keys(CLASSIFICATION_WORDS) as Classification[])
    .map((classification) => ({
      number: all.filter((judged) => judged.classification === classification).length,
      term: CLASSIFICATION_WORDS[classification].term,
    }))
    .filter(({ number }) => number > 0)
  const where = source === 'ci-database' ? 'the CI database' : 'the CI results that the bot has seen'
  const counts = groups.map(({ number, term }) => countedTerm(number, term))
  return [
    `- failing tests: ${counted(all.length, 'failure', 'failures')} of tests and checks, judged by ${counted(lookbackDays, 'day', 'days')} of ${where}: ${counts.join(', ')}`,
  ]
}

function mergeDay({ mergeBaseTime, judgedAt }: View['report']): string {
  return mergeBaseTime === undefined ? '' : ` of ${day(mergeBaseTime, Date.parse(judgedAt))}`
}

function debugIds({ report }: View): string {
  const ids = [
    `head ${codeSpan(report.head, 48)}`,
    ...(report.mergeBase === null ? [] : [`merge base ${codeSpan(report.mergeBase, 48)}${mergeDay(report)}`]),
    ...report.references
      .filter(({ commit }) => commit !== report.mergeBase)
      .slice(0, 3)
      .map(({ commit }) => `old ${codeSpan(commit, 48)}`),
    `metric ${word(report.primaryMetric)}`,
    `repository ${codeSpan(String(report.repository.id), 32)}`,
    `report version ${report.schemaVersion}`,
  ]
  return `- ${list(ids)}`
}
