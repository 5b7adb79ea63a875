import type { Format } from './format.ts'
import { WholeText } from './whole-text.ts'

/** A real result has about 4,000 characters. */
const MOST_CHARACTERS = 1024 * 1024

/** The name of the test, on whatever system. */
export const CLICKBENCH_TEST = 'clickbench'

/**
 * A result of ClickBench: one system on one machine, 43 queries, each executed three times after the cache was dropped. The
 * first time is cold, the others are hot; null is a query that failed.
 */
export const clickbench: Format = {
  name: 'clickbench',
  companion: false,
  looksFor: '*.json of ClickBench with "system", "machine" and "result"',
  oneSided: true,
  needsSide: true,
  decides: ['hot'],
  matchesName: (fileName) => (fileName.endsWith('.json') ? 'maybe' : 'no'),
  matchesContent: (head) =>
    /^\s*\{/.test(head) && ['system', 'machine'].every((key) => new RegExp(`"${key}"\\s*:`).test(head)),
  claim: () => null,
  reader: async (context) => {
    const { clickbenchResult } = await import('./clickbench-result.ts')
    return new WholeText(MOST_CHARACTERS, (text) => clickbenchResult(text, CLICKBENCH_TEST, context))
  },
}
