import { chanceToSettle } from '../../judge/statistics/chance-to-settle.ts'
import type { ClassifiedQuery, CouldHide, Leaning } from '../../judge/verdict/classified-query.ts'
import { CHANCE_P } from '../../judge/verdict/facts.ts'
import { count, percent, pValue, signedPercent, thresholdPercent } from '../../text/numbers.ts'

/** What rows hide that show no change, and what would show one: plain text and Markdown alike. */

/** More repetitions a side than that are asked of nobody where something else helps. */
const WORTH_REPEATING = 50

const ELSE_HELPS = 'longer iterations or a quieter machine would help more'

/** `a slowdown of up to 43% could hide`, `cannot show even ten times`, `pair by pair it is not 10% slower` */
export function hidingFact({ slowdown, ruledOut, ruledOutBy }: CouldHide): string {
  if (ruledOut !== null && ruledOutBy === 'pairs') return `pair by pair it is not ${thresholdPercent(ruledOut)} slower`
  if (ruledOut !== null) return `its fastest repetitions rule out ${thresholdPercent(ruledOut)} slower`
  return slowdown === null ? 'even ten times as slow could hide' : `a slowdown of up to ${percent(slowdown)} could hide`
}

/** `41 repetitions a side would show 5%` */
function repetitionsFact(result: ClassifiedQuery): string | null {
  const { couldHide: hidden, changedThreshold } = result
  if (hidden === undefined || changedThreshold === null) return null
  const what = thresholdPercent(changedThreshold)
  if (hidden.repetitions === null) return `even 499 repetitions would not show ${what}: ${ELSE_HELPS}`
  const more = hidden.repetitions > WORTH_REPEATING ? `: ${ELSE_HELPS}` : ''
  return `${count(hidden.repetitions)} repetitions per side would show ${what}${more}`
}

/** `one more attempt would show it in about 6 of 10 cases`; null where nothing says how much it varies. */
export function oneMoreFact({
  difference,
  threshold,
  changedThreshold,
  attempts = 1,
  better,
}: ClassifiedQuery): string | null {
  if (difference === null || threshold === null || changedThreshold === null || better === null) return null
  if (difference <= -1) return null
  const of = Math.log1p(difference)
  const wanted = Math.log1p(changedThreshold)
  const chance = chanceToSettle(of, Math.log1p(threshold), attempts, { level: CHANCE_P, wanted })
  const ofTen = Math.min(9, Math.max(1, Math.round(10 * chance)))
  return `one more attempt would show it in about ${ofTen} out of 10 cases`
}

/** `leans slower (+15.2% pair by pair, p 0.0012)` */
export function leaningFact(leans: Leaning): string {
  if (leans.reason === 'one-repetition-overlaps') return 'one repetition overlaps'
  return `leans slower (${signedPercent(leans.difference)} pair by pair, p\u00a0${pValue(leans.pValue)})`
}

/** Why it asks for another measurement, what it may hide and what would show it; of most rows nothing. */
export function unseenFacts(result: ClassifiedQuery): readonly string[] {
  const { leans, couldHide: hidden } = result
  const facts = [
    leans === undefined ? null : leaningFact(leans),
    ...(hidden === undefined ? [] : [hidingFact(hidden), repetitionsFact(result)]),
  ]
  return facts.filter((fact) => fact !== null)
}

/** The slowdown that could hide in at least half of them; null: more than ten times, or nothing says. */
export function hiddenInHalf(rows: readonly ClassifiedQuery[]): number | null {
  const sorted = hiddenIn(rows)
    .map(({ slowdown }) => slowdown ?? Number.POSITIVE_INFINITY)
    .toSorted((a, b) => a - b)
  const known = sorted.filter((slowdown) => Number.isFinite(slowdown))
  return known[Math.min(known.length - 1, sorted.length >>> 1)] ?? null
}

/** `Slowdowns of up to 43% could hide in 21 of them, larger ones in the other 20.` One number for all: the middle one. */
export function hidingSentence(rows: readonly ClassifiedQuery[]): string {
  const hidden = hiddenIn(rows).map(({ slowdown }) => slowdown ?? Number.POSITIVE_INFINITY)
  const middle = hiddenInHalf(rows)
  if (middle === null) return hidden.length === 0 ? '' : 'Even ten times as slow could hide there.'
  const upTo = hidden.filter((slowdown) => slowdown <= middle).length
  const more = hidden.length - upTo
  if (hidden.length === 1) return `A slowdown of up to ${percent(middle)} could hide in it.`
  const where = more === 0 ? `each of the ${count(upTo)}` : `${count(upTo)} of them`
  const others = more === 0 ? '' : `, larger ones in the other ${more === 1 ? 'one' : count(more)}`
  return `Slowdowns of up to ${percent(middle)} could hide in ${where}${others}.`
}

/** `9 to 39 repetitions a side would show 5% in 6 of them; 35 need more than 50, where longer iterations …` */
export function repetitionsSentence(rows: readonly ClassifiedQuery[]): string {
  const needed = hiddenIn(rows).map(({ repetitions }) => repetitions)
  if (needed.length === 0) return ''
  const few = needed.filter((number) => number !== null && number <= WORTH_REPEATING).map((number) => number!)
  const thresholds = new Set(rows.map(({ changedThreshold }) => changedThreshold))
  const [only] = thresholds
  const what = thresholds.size === 1 && only != null ? `a change of ${thresholdPercent(only)}` : 'a change'
  const many = needed.length - few.length
  if (few.length === 0) return `Showing ${what} takes more than ${WORTH_REPEATING} repetitions per side: ${ELSE_HELPS}.`
  const [least, most] = [Math.min(...few), Math.max(...few)]
  const range = least === most ? count(least) : `${count(least)} to ${count(most)}`
  const other = many === 1 ? 'one' : count(many)
  const where = many === 0 ? '' : ` in ${count(few.length)} of them; for the other ${other}, ${ELSE_HELPS}`
  return `${range} repetitions per side would show ${what}${where}.`
}

function hiddenIn(rows: readonly ClassifiedQuery[]): readonly CouldHide[] {
  return rows.flatMap(({ couldHide: hidden }) => hidden ?? [])
}
