import { DECIDING_METRICS } from '../units.ts'
import { LINE } from './benchmarkjs-lines.ts'
import type { Format } from './format.ts'
import { WholeText } from './whole-text.ts'

/** Ten thousand benchmarks have some 1,000,000 characters. */
const MOST_CHARACTERS = 16 * 1024 * 1024

/** What benchmark.js prints of a suite: operations a second, the mean of its samples. */
export const benchmarkjs: Format = {
  name: 'benchmarkjs',
  companion: false,
  looksFor: 'the output of benchmark.js in a *.txt, *.log or *.out',
  oneSided: true,
  needsSide: true,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (/\.(?:txt|log|out)$/.test(fileName) ? 'maybe' : 'no'),
  matchesContent: (head) => LINE.test(head),
  claim: () => null,
  reader: async (context) => {
    const { benchmarkjsOutput } = await import('./benchmarkjs-output.ts')
    return new WholeText(MOST_CHARACTERS, (text) => benchmarkjsOutput(text, context))
  },
}
