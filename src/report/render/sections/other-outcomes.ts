import type { ClassifiedQuery } from '../../../judge/verdict/classified-query.ts'
import { fold } from '../../../text/markdown.ts'
import { count, counted, list, percent, signedPercent, thresholdPercent } from '../../../text/numbers.ts'
import { capital } from '../../../text/phrase.ts'
import { decisive } from '../../parts.ts'
import type { ReportRow } from '../../report.ts'
import { MEASUREMENT_WORDS, OUTCOME_WORDS, THRESHOLD_SOURCE_WORDS } from '../../words.ts'
import { numbersOf } from '../facts.ts'
import { type Section, SHOWN } from '../layout.ts'
import { hidingFact, hidingSentence, repetitionsSentence } from '../noise-words.ts'
import { rowName } from '../rows-table.ts'
import { isMostlyNoise, type View } from '../view.ts'

/** Unstable, too small, not significant: counts, and which ones come closest to mattering. Folded. */
export const otherOutcomes: Section = {
  name: 'other-outcomes',
  priority: 13,
  reserve: 0,
  render: (view, room) => {
    const without = (outcome: ReportRow['outcome']) =>
      view.report.rows.filter((row) => row.outcome === outcome && row.verdict === null)
    const unstable = without('unstable').toSorted((a, b) => widest(b) - widest(a))
    const small = without('too-small').toSorted((a, b) => size(b) - size(a))
    const still = without('not-significant')
    const parts = [
      [unstable, OUTCOME_WORDS.unstable.term],
      [small, OUTCOME_WORDS['too-small'].term],
      [still, OUTCOME_WORDS['not-significant'].term],
    ] as const
    // What is not significant alone has nothing to unfold; its number stands with the thresholds.
    if (unstable.length + small.length + view.tooNoisy.length === 0) return ''
    const summary = list(
      parts.flatMap(([rows, words]) => (rows.length === 0 ? [] : [`${count(rows.length)} ${words}`])),
    )
    const body = [
      part(
        view,
        unstable,
        OUTCOME_WORDS.unstable,
        (row) => `${numbersOf(decisive(row), false)} (${noiseOf(decisive(row))})`,
      ),
      // of a run that is mostly noise the next step says it
      isMostlyNoise(view) ? '' : hiding(view.tooNoisy),
      part(
        view,
        small,
        OUTCOME_WORDS['too-small'],
        (row) => `${signedPercent(decisive(row).difference ?? 0)}${ownThreshold(row)}`,
      ),
    ].filter((text) => text !== '')
    const text = fold(summary, body.join('\n\n'))
    return text.length <= room ? text : `${capital(summary)}.`
  },
}

/** What those that are too noisy may hide, and what would show it. */
function hiding(noisy: readonly ReportRow[]): string {
  const results = noisy.map(decisive).filter(({ couldHide }) => couldHide !== undefined)
  if (results.length === 0) return ''
  const those = `${counted(results.length, 'query is', 'queries are')} ${MEASUREMENT_WORDS.tooNoisy.term}.`
  return `${those} ${hidingSentence(results)} ${repetitionsSentence(results)}`
}

function part(
  view: View,
  rows: readonly ReportRow[],
  word: { readonly term: string; readonly meaning: string },
  number: (row: ReportRow) => string,
): string {
  if (rows.length === 0) return ''
  const named = rows.slice(0, SHOWN.ofOutcome).map((row) => `${rowName(view, row)} ${number(row)}`)
  const more = rows.length - named.length
  const title = capital(word.term)
  return `**${title}**: ${word.meaning} ${list(more > 0 ? [...named, `${count(more)} more`] : named)}.`
}

/** ` (flagged from 25%, its own in the repository’s file)` */
function ownThreshold(row: ReportRow): string {
  const { changedThreshold, changedThresholdSource } = decisive(row)
  if (changedThreshold === null || changedThresholdSource !== 'entry') return ''
  return ` (flagged from ${thresholdPercent(changedThreshold)}, ${THRESHOLD_SOURCE_WORDS.entry.term})`
}

/** `noise ±12%`, `noise ±12%, its fastest repetitions rule out 10% slower`, `2 + 2 repetitions` */
function noiseOf({ threshold, couldHide, old, new: fresh }: ClassifiedQuery): string {
  if (threshold !== null && couldHide !== undefined && couldHide.ruledOut !== null)
    return `noise ±${percent(threshold)}, ${hidingFact(couldHide)}`
  return threshold === null
    ? `${count(old.repetitions ?? 0)} + ${count(fresh.repetitions ?? 0)} repetitions`
    : `noise ±${percent(threshold)}`
}

function widest(row: ReportRow): number {
  return decisive(row).threshold ?? 0
}

function size(row: ReportRow): number {
  return Math.abs(decisive(row).difference ?? 0)
}
