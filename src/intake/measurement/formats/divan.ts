import { HEADER } from './divan-lines.ts'
import { printedOutput } from './printed-output.ts'

/** What divan of Rust prints: a tree of benchmarks, with a median of each. */
export const divan = printedOutput({
  name: 'divan',
  of: 'divan',
  line: HEADER,
  load: async () => (await import('./divan-output.ts')).divanOutput,
})
