import { DECIDING_METRICS } from '../units.ts'
import type { Format } from './format.ts'
import { LINE } from './js-time-lines.ts'
import { WholeText } from './whole-text.ts'

/** Ten thousand benchmarks have some 1,000,000 characters. */
const MOST_CHARACTERS = 16 * 1024 * 1024

/** What console.time of JavaScript prints: one time for each label, `load: 56.672ms`. */
export const jsTime: Format = {
  name: 'js-time',
  companion: false,
  looksFor: 'the output of console.time in a *.txt, *.log or *.out',
  oneSided: true,
  needsSide: true,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (/\.(?:txt|log|out)$/.test(fileName) ? 'maybe' : 'no'),
  matchesContent: (head) => LINE.test(head),
  claim: () => null,
  reader: async (context) => {
    const { jsTimeOutput } = await import('./js-time-output.ts')
    return new WholeText(MOST_CHARACTERS, (text) => jsTimeOutput(text, context))
  },
}
