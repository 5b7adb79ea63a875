import { writtenJson } from './printed-output.ts'

/** The tasks of tinybench as JSON, `bench.tasks.map(({ name, result }) => ({ name, result }))`, or the rows of `bench.table()`. */
export const tinybench = writtenJson({
  name: 'tinybench',
  looksFor: 'the tasks of tinybench in a *.json',
  matchesContent: (head) =>
    /^\s*[[{]/.test(head) &&
    (/"Task [nN]ame"\s*:/.test(head) ||
      /"latency"\s*:\s*\{[^{}]{0,2000}"(?:aad|critical|moe|rme|samples)"\s*:/.test(head) ||
      /"totalTime"\s*:[^[\]{}]{1,300}"hz"\s*:/.test(head)),
  load: async () => (await import('./tinybench-output.ts')).tinybenchOutput,
})
