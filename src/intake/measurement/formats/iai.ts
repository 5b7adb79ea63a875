import type { Format } from './format.ts'
import { LINE } from './iai-lines.ts'
import { WholeText } from './whole-text.ts'

/** Ten thousand benchmarks have some 1,000,000 characters. */
const MOST_CHARACTERS = 16 * 1024 * 1024

/** What iai, iai-callgrind and gungraun print: counts of valgrind, of the run before as well where they know it. */
export const iai: Format = {
  name: 'iai',
  companion: false,
  looksFor: 'the output of iai, iai-callgrind or gungraun in a *.txt, *.log or *.out',
  oneSided: true,
  decides: ['instructions', 'Estimated Cycles'],
  matchesName: (fileName) => (/\.(?:txt|log|out)$/.test(fileName) ? 'maybe' : 'no'),
  matchesContent: (head) => LINE.test(head),
  claim: () => null,
  reader: async (context) => {
    const { iaiOutput } = await import('./iai-output.ts')
    return new WholeText(MOST_CHARACTERS, (text) => iaiOutput(text, context))
  },
}
