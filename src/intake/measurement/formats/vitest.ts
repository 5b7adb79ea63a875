import { DECIDING_METRICS } from '../units.ts'
import type { Format } from './format.ts'
import { jsonReader } from './whole-text.ts'

/** The report of `vitest bench --outputJson FILE`: a summary of each benchmark, and its samples where the options ask for them. */
export const vitest: Format = {
  name: 'vitest',
  companion: false,
  looksFor: 'the *.json of vitest bench --outputJson',
  oneSided: true,
  needsSide: true,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (fileName.endsWith('.json') ? 'maybe' : 'no'),
  matchesContent: (head) => /^\s*\{\s*"files"\s*:\s*\[/.test(head) && /"(?:groups|benchmarks)"\s*:/.test(head),
  claim: () => null,
  reader: async (context) => {
    const { vitestOutput } = await import('./vitest-output.ts')
    return jsonReader((text) => vitestOutput(text, context))
  },
}
