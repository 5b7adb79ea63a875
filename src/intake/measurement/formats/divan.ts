import { printedOutput } from './printed-output.ts'

/** `sums    fastest       │ slowest       │ median        │ mean          │ samples │ iters`: a table, and whose it is. */
const HEADER = /^(\S.*?)\s+fastest\s+│ slowest\s+│ median\s+│ mean\s+│ samples\s+│ iters\s*$/m

/** What divan of Rust prints: a tree of benchmarks, with a median of each. */
export const divan = printedOutput({
  name: 'divan',
  of: 'divan',
  line: HEADER,
  load: async () => (await import('./divan-output.ts')).divanOutput,
})
