import { DECIDING_METRICS } from '../units.ts'
import type { Format } from './format.ts'
import { jsonReader } from './whole-text.ts'

/** A file of pyperf (`python bench.py -o FILE.json`): a benchmark has runs, each a process of its own, with its values. */
export const pyperf: Format = {
  name: 'pyperf',
  companion: false,
  looksFor: 'the *.json of pyperf with "benchmarks" and "runs"',
  oneSided: true,
  needsSide: true,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (fileName.endsWith('.json') ? 'maybe' : 'no'),
  matchesContent: (head) =>
    /^\s*\{/.test(head) &&
    /"benchmarks"\s*:\s*\[/.test(head) &&
    /"runs"\s*:\s*\[/.test(head) &&
    /"(?:warmups|values)"\s*:/.test(head),
  claim: () => null,
  reader: async (context) => {
    const { pyperfResult } = await import('./pyperf-result.ts')
    return jsonReader((text) => pyperfResult(text, context))
  },
}
