import { type Format, nameOfJson } from './format.ts'
import { jsonReader } from './whole-text.ts'

/** Bencher Metric Format: an object of benchmarks, each with its measures, each with a value and bounds. */
export const bencher: Format = {
  name: 'bencher',
  companion: false,
  looksFor: 'Bencher Metric Format ("latency": { "value": … })',
  oneSided: true,
  needsSide: true,
  decides: ['latency', 'throughput'],
  matchesName: nameOfJson,
  matchesContent: (head) =>
    /^\s*\{\s*"(?:[^"\\]|\\.){0,3000}"\s*:\s*\{\s*"[^"\\]{1,100}"\s*:\s*\{\s*"(?:value|lower_value|upper_value)"\s*:/.test(
      head,
    ),
  claim: () => null,
  reader: async (context) => {
    const { bencherMetrics } = await import('./bencher-metrics.ts')
    return jsonReader((text) => bencherMetrics(text, context))
  },
}
