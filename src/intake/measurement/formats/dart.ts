import { printedOutput } from './printed-output.ts'

/** `Template(RunTime): 0.1568472448997197 us.` */
const LINE = /^(\S.*?)\((RunTime|[A-Z]\w*)\): (\d+(?:\.\d+)?(?:e[+-]?\d+)?) ([A-Za-zµμ]{1,12}(?:\/[a-z]+)?)\.?\s*$/m

/** What benchmark_harness of Dart prints: the mean time of a benchmark. */
export const dart = printedOutput({
  name: 'dart',
  of: 'benchmark_harness',
  line: LINE,
  load: async () => (await import('./dart-output.ts')).dartOutput,
})
