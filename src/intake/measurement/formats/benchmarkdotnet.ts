import { DECIDING_METRICS } from '../units.ts'
import type { Format } from './format.ts'
import { jsonReader } from './whole-text.ts'

/** The report of BenchmarkDotNet in JSON (`--exporters json`): of each benchmark the times of all iterations, without outliers. */
export const benchmarkdotnet: Format = {
  name: 'benchmarkdotnet',
  companion: false,
  looksFor: 'the *.json of BenchmarkDotNet (--exporters json)',
  oneSided: true,
  needsSide: true,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (fileName.endsWith('.json') ? 'maybe' : 'no'),
  matchesContent: (head) => /^\s*\{/.test(head) && /"(?:HostEnvironmentInfo|BenchmarkDotNetVersion)"\s*:/.test(head),
  claim: () => null,
  reader: async (context) => {
    const { benchmarkdotnetOutput } = await import('./benchmarkdotnet-output.ts')
    return jsonReader((text) => benchmarkdotnetOutput(text, context))
  },
}
