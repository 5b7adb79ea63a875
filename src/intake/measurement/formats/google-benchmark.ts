import { DECIDING_METRICS } from '../units.ts'
import { type Format, nameOfJson, nameOfText } from './format.ts'
import { jsonReader, WholeText } from './whole-text.ts'

const NAME = 'google-benchmark'
const MOST_CHARACTERS = 16 * 1024 * 1024

/** Google Benchmark's `--benchmark_out`, as JSON: repetitions are samples, aggregates alone a summary. */
const json: Format = {
  name: NAME,
  companion: false,
  looksFor: 'the JSON of Google Benchmark (--benchmark_out)',
  oneSided: true,
  needsSide: true,
  decides: DECIDING_METRICS,
  comparesPrograms: true,
  matchesName: nameOfJson,
  matchesContent: (head) =>
    /^\s*\{/.test(head) && (/"library_build_type"\s*:/.test(head) || /"(?:real_time|run_type)"\s*:/.test(head)),
  claim: () => null,
  reader: async (context) => {
    const { googleBenchmarkResult } = await import('./google-benchmark-output.ts')
    return jsonReader((text) => googleBenchmarkResult(text, context))
  },
}

/** What its `compare.py --dump_to_json` writes, which has both sides. */
const comparison: Format = {
  name: NAME,
  companion: false,
  looksFor: 'the JSON of Google Benchmark’s compare.py (--dump_to_json)',
  oneSided: false,
  decides: DECIDING_METRICS,
  matchesName: nameOfJson,
  matchesContent: (head) => /^\s*\[/.test(head) && /"(?:real|cpu)_time_other"\s*:/.test(head),
  claim: () => null,
  reader: async (context) => {
    const { googleBenchmarkComparison } = await import('./google-benchmark-output.ts')
    return jsonReader((text) => googleBenchmarkComparison(text, context))
  },
}

/** The table that it prints. */
const text: Format = {
  name: NAME,
  companion: false,
  looksFor: 'the table that Google Benchmark prints, in a *.txt, *.log or *.out',
  oneSided: true,
  needsSide: true,
  decides: DECIDING_METRICS,
  matchesName: nameOfText,
  matchesContent: (head) => /^Benchmark +Time +CPU +Iterations/m.test(head),
  claim: () => null,
  reader: async (context) => {
    const { googleBenchmarkTable } = await import('./google-benchmark-output.ts')
    return new WholeText(MOST_CHARACTERS, (whole) => googleBenchmarkTable(whole, context))
  },
}

export const googleBenchmark: readonly Format[] = [json, comparison, text]
