import { HISTORY_SOURCES, type HistorySource } from '../../intake/imports/history/trunk-row.ts'

/** Which sources of rows are named. Counts are in the order of `HISTORY_SOURCES`. */

/** The source of most of them; of equally many the first. */
export function mostOf(counts: readonly number[]): HistorySource {
  return HISTORY_SOURCES[counts.indexOf(Math.max(...counts))]!
}

/** The other sources, where there are any. */
export function alsoFrom(
  main: HistorySource,
  counts: readonly number[],
): { readonly alsoFrom?: readonly HistorySource[] } {
  const others = HISTORY_SOURCES.filter((one, place) => one !== main && counts[place]! > 0)
  return others.length === 0 ? {} : { alsoFrom: others }
}
