import type { ClassifiedQuery, Outcome, OutcomeCounts } from './classified-query.ts'

/** How many of each outcome. Counts rows: hand it those of one metric, and one per query where queries are to be counted. */
export function countOutcomes(rows: readonly ClassifiedQuery[]): OutcomeCounts {
  const counts = { slower: 0, faster: 0, unstable: 0, tooSmall: 0, notSignificant: 0, notCompared: 0 }
  for (const row of rows) counts[countedAs(row)] += 1
  return counts
}

function countedAs({ outcome, direction }: ClassifiedQuery): keyof OutcomeCounts {
  if (outcome === null) return 'notCompared'
  if (outcome === 'changed') return direction === 'slower' ? 'slower' : 'faster'
  return NAMES[outcome]
}

const NAMES = {
  unstable: 'unstable',
  'too-small': 'tooSmall',
  'not-significant': 'notSignificant',
} as const satisfies Record<Exclude<Outcome, 'changed'>, keyof OutcomeCounts>
