import type { HistorySource } from '../history/trunk-series.ts'
import type { ReportHistory } from '../triage/report.ts'
import { HISTORY_PROBLEM_WORDS, THRESHOLD_SOURCE_WORDS } from './glossary.ts'
import { count, duration } from './numbers.ts'

const SOURCE_WORDS: Readonly<Record<HistorySource, string>> = {
  own: 'from runs that the bot has seen',
  imported: 'from what was imported',
  'ci-database': 'from the CI database',
}

/**
 * What the thresholds were learned from, and what was not there: `1,893 learned, 141 floor, 6 hours old, from the CI
 * database`. The age is that of the newest run of the trunk when the head was measured.
 */
export function historyWords({ provenance, problem, measuredAt }: ReportHistory): string {
  const wrong = problem === null ? null : HISTORY_PROBLEM_WORDS[problem].term
  if (provenance === null) return wrong ?? 'nothing was learned'
  const { learned, floor, newest, source, alsoFrom = [] } = provenance
  const age = newest === null || measuredAt == null ? null : Math.max(0, measuredAt - newest) / 1000
  const known = [
    `${count(learned)} ${THRESHOLD_SOURCE_WORDS.learned.term}`,
    `${count(floor)} ${THRESHOLD_SOURCE_WORDS.floor.term}`,
    ...(age === null ? [] : [`${duration(age)} old`]),
    [source, ...alsoFrom].map((one) => SOURCE_WORDS[one]).join(' and '),
  ].join(', ')
  return wrong === null ? known : `${known}; ${wrong}`
}
