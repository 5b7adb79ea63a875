import type { ClassifiedQuery } from '../../../judge/verdict/classified-query.ts'
import { fold } from '../../../text/markdown.ts'
import { count, list, percent, signedPercent, thresholdPercent } from '../../../text/numbers.ts'
import { capital } from '../../../text/phrase.ts'
import { decisive, nounOf } from '../../parts.ts'
import type { ReportRow } from '../../report.ts'
import { rowName } from '../../row/name.ts'
import { MEASUREMENT_WORDS, OUTCOME_WORDS, THRESHOLD_SOURCE_WORDS } from '../../words.ts'
import { numbersOf } from '../facts.ts'
import { type Section, SHOWN } from '../layout.ts'
import { hidingFact, hidingSentence, repetitionsSentence } from '../noise-words.ts'
import { isMostlyNoise, type View } from '../view.ts'

/** Rows without a change that anybody could see: how many are too noisy for one, and which come closest to mattering. Folded. */
export const otherOutcomes: Section = {
  name: 'other-outcomes',
  priority: 13,
  reserve: 0,
  render: (view, room) => {
    const { tooNoisy, tooFew } = view
    const noisy = tooNoisy.filter((row) => !tooFew.includes(row)).toSorted((a, b) => widest(b) - widest(a))
    const rest = view.report.rows.filter((row) => isWithoutChange(row) && !tooNoisy.includes(row))
    const unstable = rest.filter(({ outcome }) => outcome === 'unstable').toSorted((a, b) => widest(b) - widest(a))
    const small = rest.filter(({ outcome }) => outcome === 'too-small').toSorted((a, b) => size(b) - size(a))
    // What is not significant alone has nothing to unfold; its number stands with the thresholds.
    if (tooNoisy.length + unstable.length + small.length === 0) return ''
    const summary = list(
      [
        [noisy, MEASUREMENT_WORDS.tooNoisy.term],
        [tooFew, MEASUREMENT_WORDS.tooFew.term],
        [unstable, RULED_OUT],
        [rest.filter(({ outcome }) => outcome !== 'unstable'), 'unchanged'],
      ]
        .filter(([rows]) => rows!.length > 0)
        .map(([rows, words], index) => {
          const number = index === 0 ? nounOf(view.report, rows!.length) : count(rows!.length)
          return `${number} ${words as string}`
        }),
    )
    const numbers = (row: ReportRow) => `${numbersOf(decisive(row), false)} (${noiseOf(decisive(row))})`
    const body = [
      part(view, noisy, MEASUREMENT_WORDS.tooNoisy.term, '', numbers),
      // of a run that is mostly noise the next step says it
      isMostlyNoise(view) ? '' : hiding(tooNoisy),
      part(view, tooFew, MEASUREMENT_WORDS.tooFew.term, '', numbers),
      part(view, unstable, RULED_OUT, '', numbers),
      part(
        view,
        small,
        OUTCOME_WORDS['too-small'].term,
        `${OUTCOME_WORDS['too-small'].meaning} `,
        (row) => `${signedPercent(decisive(row).difference ?? 0)}${ownThreshold(row)}`,
      ),
    ].filter((text) => text !== '')
    const text = fold(summary, body.join('\n\n'))
    return text.length <= room ? text : `${capital(summary)}.`
  },
}

const RULED_OUT = 'noisy but not much slower'

function isWithoutChange({ outcome, verdict }: ReportRow): boolean {
  return verdict === null && (outcome === 'unstable' || outcome === 'too-small' || outcome === 'not-significant')
}

/** What those that are too noisy may hide, and what would show it. */
function hiding(noisy: readonly ReportRow[]): string {
  const results = noisy.map(decisive).filter(({ couldHide }) => couldHide !== undefined)
  return [hidingSentence(results), repetitionsSentence(results)].join(' ').trim()
}

/** `**11 too noisy to judge**: `sum #1` 7.03 → 8.34 ms +18.7% (noise ±54.1%) and 10 more.` */
function part(
  view: View,
  rows: readonly ReportRow[],
  term: string,
  meaning: string,
  number: (row: ReportRow) => string,
): string {
  if (rows.length === 0) return ''
  const named = rows.slice(0, SHOWN.ofOutcome).map((row) => `${rowName(view, row)} ${number(row)}`)
  const more = rows.length - named.length
  return `**${count(rows.length)} ${term}**: ${meaning}${list(more > 0 ? [...named, `${count(more)} more`] : named)}.`
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
