import { writtenJson } from './printed-output.ts'

/** What `BenchmarkTools.save` of Julia writes: groups of trials, with a time of each sample. */
export const benchmarktools = writtenJson({
  name: 'benchmarktools',
  looksFor: 'the *.json of BenchmarkTools.jl (BenchmarkTools.save)',
  matchesContent: (head) => /^\s*\[\s*\{[^{}]{0,500}"BenchmarkTools"\s*:/.test(head),
  load: async () => (await import('./benchmarktools-output.ts')).benchmarktoolsOutput,
})
