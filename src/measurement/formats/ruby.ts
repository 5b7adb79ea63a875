import { DECIDING_METRICS } from '../units.ts'
import type { Format } from './format.ts'
import { LINE } from './ruby-lines.ts'
import { WholeText } from './whole-text.ts'

/** Ten thousand benchmarks have some 1,000,000 characters. */
const MOST_CHARACTERS = 16 * 1024 * 1024

/** What Benchmark of Ruby prints, and the gem benchmark-ips. */
export const ruby: Format = {
  name: 'ruby',
  companion: false,
  looksFor: 'the output of Ruby’s Benchmark in a *.txt, *.log or *.out',
  oneSided: true,
  needsSide: true,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (/\.(?:txt|log|out)$/.test(fileName) ? 'maybe' : 'no'),
  matchesContent: (head) => LINE.test(head),
  claim: () => null,
  reader: async (context) => {
    const { rubyOutput } = await import('./ruby-output.ts')
    return new WholeText(MOST_CHARACTERS, (text) => rubyOutput(text, context))
  },
}
