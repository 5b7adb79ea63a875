import { DECIDING_METRICS } from '../units.ts'
import { LINE } from './dart-lines.ts'
import type { Format } from './format.ts'
import { WholeText } from './whole-text.ts'

/** Ten thousand benchmarks have some 1,000,000 characters. */
const MOST_CHARACTERS = 16 * 1024 * 1024

/** What benchmark_harness of Dart prints: the mean time of a benchmark. */
export const dart: Format = {
  name: 'dart',
  companion: false,
  looksFor: 'the output of benchmark_harness in a *.txt, *.log or *.out',
  oneSided: true,
  needsSide: true,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (/\.(?:txt|log|out)$/.test(fileName) ? 'maybe' : 'no'),
  matchesContent: (head) => LINE.test(head),
  claim: () => null,
  reader: async (context) => {
    const { dartOutput } = await import('./dart-output.ts')
    return new WholeText(MOST_CHARACTERS, (text) => dartOutput(text, context))
  },
}
