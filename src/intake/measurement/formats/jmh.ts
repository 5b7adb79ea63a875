import { DECIDING_METRICS } from '../units.ts'
import type { Format } from './format.ts'
import { jsonReader } from './whole-text.ts'

/** The result of JMH (`-rf json`): of each benchmark the values of each fork and iteration, without those of the warm-up. */
export const jmh: Format = {
  name: 'jmh',
  companion: false,
  looksFor: 'the *.json of JMH (-rf json)',
  oneSided: true,
  needsSide: true,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (fileName.endsWith('.json') ? 'maybe' : 'no'),
  matchesContent: (head) =>
    /^\s*\[\s*\{/.test(head) && /"(?:jmhVersion|primaryMetric)"\s*:/.test(head) && /"benchmark"\s*:\s*"/.test(head),
  claim: () => null,
  reader: async (context) => {
    const { jmhResult } = await import('./jmh-result.ts')
    return jsonReader((text) => jmhResult(text, context))
  },
}
