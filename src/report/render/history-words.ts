import type { HistorySource } from '../../intake/imports/history/trunk-row.ts'
import type { HistoryTooShort } from '../../judge/history/trunk-series.ts'
import { count, counted, duration } from '../../text/numbers.ts'
import type { ReportHistory } from '../report.ts'
import { HISTORY_PROBLEM_WORDS } from '../words.ts'

/** What a report says of the history that its thresholds come from. */

const SOURCE_WORDS: Readonly<Record<HistorySource, string>> = {
  own: 'from runs the bot has seen',
  imported: 'from imported runs',
  'ci-database': 'from the CI database',
}

/**
 * What is known of thresholds and from where, and what was not there: `learned thresholds known for 1,893 of 2,034, 6 hours
 * old, from the CI database`. Which of them are in use the report counts: a floor or a test's own may be larger. The age is that of the newest run of the trunk when the head was measured.
 */
export function historyWords({ provenance, problem, measuredAt }: ReportHistory): string {
  const wrong = problem === null ? null : HISTORY_PROBLEM_WORDS[problem].term
  if (provenance === null) return wrong ?? 'nothing was learned'
  const { learned, floor, newest, source, alsoFrom = [], tooShort } = provenance
  const age = newest === null || learned === 0 || measuredAt == null ? null : Math.max(0, measuredAt - newest) / 1000
  const known = [
    `learned thresholds known for ${count(learned)} of ${count(learned + floor)}`,
    ...(age === null ? [] : [`${duration(age)} old`]),
    [source, ...alsoFrom].map((one) => SOURCE_WORDS[one]).join(' and '),
  ].join(', ')
  return [known, tooShort === undefined ? null : tooShortWords(tooShort), wrong]
    .filter((part) => part !== null)
    .join('; ')
}

/** `the history has 23 runs in the 30 days that ended 7 days before, thresholds are learned from 101 on` */
export function tooShortWords({ runs, moreThan, days, endedDaysAgo }: HistoryTooShort): string {
  const time = `the ${counted(days, 'day', 'days')} that ended ${counted(endedDaysAgo, 'day', 'days')} before this run`
  return `the history has ${counted(runs, 'run', 'runs')} in ${time}; learning thresholds takes at least ${count(moreThan + 1)}`
}
