import { DECIDING_METRICS } from '../units.ts'
import { LINE } from './catch2-lines.ts'
import type { Format } from './format.ts'
import { WholeText } from './whole-text.ts'

/** Ten thousand benchmarks have some 1,000,000 characters. */
const MOST_CHARACTERS = 16 * 1024 * 1024

/** What Catch2 prints of its benchmarks, as text or as XML (`-r xml`): the mean of the samples with its bounds. */
export const catch2: Format = {
  name: 'catch2',
  companion: false,
  looksFor: 'the output of Catch2 benchmarks in a *.txt, *.log, *.out or *.xml',
  oneSided: true,
  needsSide: true,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (/\.(?:txt|log|out|xml)$/.test(fileName) ? 'maybe' : 'no'),
  matchesContent: (head) => LINE.test(head),
  claim: () => null,
  reader: async (context) => {
    const { catch2Output } = await import('./catch2-output.ts')
    return new WholeText(MOST_CHARACTERS, (text) => catch2Output(text, context))
  },
}
