import { type Format, nameOfJson } from './format.ts'
import { jsonReader } from './whole-text.ts'

const NAME = 'github-action-benchmark'
const DECIDES = ['value']

/** The custom input of github-action-benchmark: a list of names, units and values. */
const custom: Format = {
  name: NAME,
  companion: false,
  looksFor: 'the custom JSON of github-action-benchmark ("name", "unit", "value")',
  oneSided: true,
  needsSide: true,
  decides: DECIDES,
  matchesName: nameOfJson,
  matchesContent: (head) =>
    /^\s*\[\s*\{/.test(head) && ['name', 'unit', 'value'].every((key) => head.includes(`"${key}"`)),
  claim: () => null,
  reader: async (context) => {
    const { customResult } = await import('./github-action-benchmark-data.ts')
    return jsonReader((text) => customResult(text, context))
  },
}

/** Its stored data: of each suite the last entry is the new side, the one before the old one. */
const stored: Format = {
  name: NAME,
  companion: false,
  looksFor: 'the data.js of github-action-benchmark',
  oneSided: true,
  decides: DECIDES,
  matchesName: (fileName) => (/\.(?:js|json)$/i.test(fileName) ? 'maybe' : 'no'),
  matchesContent: (head) =>
    /^\s*window\.BENCHMARK_DATA\s*=/.test(head) ||
    (/^\s*\{/.test(head) && /"lastUpdate"\s*:/.test(head) && /"entries"\s*:/.test(head)),
  claim: () => null,
  reader: async (context) => {
    const { storedData } = await import('./github-action-benchmark-data.ts')
    return jsonReader((text) => storedData(text, context))
  },
}

export const githubActionBenchmark: readonly Format[] = [custom, stored]
