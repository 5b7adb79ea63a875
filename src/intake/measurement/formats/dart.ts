import { LINE } from './dart-lines.ts'
import { printedOutput } from './printed-output.ts'

/** What benchmark_harness of Dart prints: the mean time of a benchmark. */
export const dart = printedOutput({
  name: 'dart',
  of: 'benchmark_harness',
  line: LINE,
  load: async () => (await import('./dart-output.ts')).dartOutput,
})
