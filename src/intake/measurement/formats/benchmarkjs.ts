import { LINE } from './benchmarkjs-lines.ts'
import { printedOutput } from './printed-output.ts'

/** What benchmark.js prints of a suite: operations a second, the mean of its samples. */
export const benchmarkjs = printedOutput({
  name: 'benchmarkjs',
  of: 'benchmark.js',
  line: LINE,
  load: async () => (await import('./benchmarkjs-output.ts')).benchmarkjsOutput,
})
