import type { Format } from './format.ts'
import { jsonReader } from './whole-text.ts'

/** The file that `perf-triage measure` writes beside the outputs of its turns: their order, the commits, and what equal builds gave. */
export const measure: Format = {
  name: 'measure',
  companion: true,
  looksFor: 'measure.json of perf-triage measure',
  oneSided: false,
  matchesName: (fileName) => (fileName === 'measure.json' ? 'maybe' : 'no'),
  matchesContent: (head) => /^\s*\{\s*"schemaVersion"\s*:\s*1\s*,\s*"document"\s*:\s*"perf-triage measure"/.test(head),
  claim: () => null,
  reader: async (context) => {
    const { measuredTurns } = await import('./measure-file.ts')
    return jsonReader((text) => measuredTurns(text, context))
  },
}
