import { writtenJson } from './printed-output.ts'

/** What mitata prints by `run({ format: 'json' })`: of each benchmark its samples. */
export const mitata = writtenJson({
  name: 'mitata',
  looksFor: 'the JSON of mitata (format: json)',
  matchesContent: (head) => /^\s*\{\s*"layout"\s*:\s*\[/.test(head) && /"(?:types|benchmarks|alias)"\s*:/.test(head),
  load: async () => (await import('./mitata-output.ts')).mitataOutput,
})
