import { printedOutput } from './printed-output.ts'

/** `fib(10) x 1,431,759 ops/sec ±0.74% (93 runs sampled)` */
const LINE = /^(.+?) x (\d[\d,]*(?:\.\d+)?) ops\/sec(?: ±(\d+(?:\.\d+)?)%)? \((\d+) runs? sampled\)/m

/** What benchmark.js prints of a suite: operations a second, the mean of its samples. */
export const benchmarkjs = printedOutput({
  name: 'benchmarkjs',
  of: 'benchmark.js',
  line: LINE,
  load: async () => (await import('./benchmarkjs-output.ts')).benchmarkjsOutput,
})
