import { nearMiss } from '../near-miss.ts'
import type { Format } from './format.ts'
import { LINE } from './js-time-lines.ts'
import { printedOutput } from './printed-output.ts'

/** What console.time of JavaScript prints: one time for each label, `load: 56.672ms`. */
export const jsTime: Format = {
  ...printedOutput({
    name: 'js-time',
    of: 'console.time',
    line: LINE,
    load: async () => (await import('./js-time-output.ts')).jsTimeOutput,
  }),
  // a summary of another tool has such lines, too
  matchesContent: (head) => LINE.test(head) && nearMiss(head) === null,
}
