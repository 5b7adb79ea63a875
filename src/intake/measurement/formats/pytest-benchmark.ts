import { DECIDING_METRICS } from '../units.ts'
import { type Format, nameOfJson } from './format.ts'
import { jsonReader } from './whole-text.ts'

/** pytest-benchmark's JSON (`--benchmark-json`, `--benchmark-autosave`): samples with `--benchmark-save-data`, means without. */
export const pytestBenchmark: Format = {
  name: 'pytest-benchmark',
  companion: false,
  looksFor: 'the JSON of pytest-benchmark (--benchmark-json)',
  oneSided: true,
  needsSide: true,
  decides: DECIDING_METRICS,
  matchesName: nameOfJson,
  matchesContent: (head) => /^\s*\{/.test(head) && /"(?:python_implementation|min_rounds)"\s*:/.test(head),
  claim: () => null,
  reader: async (context) => {
    const { pytestBenchmarkResult } = await import('./pytest-benchmark-output.ts')
    return jsonReader((text) => pytestBenchmarkResult(text, context))
  },
}
